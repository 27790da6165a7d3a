# What the tests of the command-line tool share. Sourced by each test_*.sh, which CMake runs with
#   CLTOMO      the tool
#   LAUNCHER    what to run it under: nothing, or valgrind and its options
#   MATRIX      tells about matrices in files, see matrix.c
#   SHIM        a library to preload that plays failures, see shim.c
#   SOURCE_DIR  this directory
# Each test works in an empty directory of its own.

set -u
export LC_ALL=C
unset CLTOMO_RESTARTED
# The shim comes before the sanitizer's runtime, which is fine for it.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/work"
cd "$scratch/work" || exit 1
out=$scratch/out
err=$scratch/err
small=$SOURCE_DIR/small.yaml
failures=0

# run ARGUMENT...: the tool; its output goes to $out and $err, its exit status to $status.
run() {
    last="cltomo $*"
    $LAUNCHER "$CLTOMO" "$@" >"$out" 2>"$err"
    status=$?
}

# with NAME=VALUE... -- ARGUMENT...: the same, with these in the environment.
with() {
    local variables=()
    while [ "$1" != -- ]; do
        variables+=("$1")
        shift
    done
    shift
    last="${variables[*]} cltomo $*"
    env "${variables[@]}" $LAUNCHER "$CLTOMO" "$@" >"$out" 2>"$err"
    status=$?
}

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n  after: %s\n  status %s\n' "$1" "$last" "$status"
    sed 's/^/  out: /' "$out" | head -n 40
    sed 's/^/  err: /' "$err" | head -n 40
}

# check WHAT COMMAND...: the command must succeed.
check() {
    local what=$1
    shift
    "$@" || fail "$what"
}

expect_status() { [ "$status" -eq "$1" ] || fail "exit status $1 expected"; }
expect_out() { grep -qF -e "$1" "$out" || fail "standard output should say: $1"; }
expect_err() { grep -qF -e "$1" "$err" || fail "standard error should say: $1"; }
expect_no_out() { [ ! -s "$out" ] || fail "standard output should be empty"; }
expect_no_err() { [ ! -s "$err" ] || fail "standard error should be empty"; }
expect_no_out_text() { ! grep -qF -e "$1" "$out" || fail "standard output should not say: $1"; }
expect_no_err_text() { ! grep -qF -e "$1" "$err" || fail "standard error should not say: $1"; }
expect_err_lines() { [ "$(wc -l <"$err")" -eq "$1" ] || fail "$1 lines on standard error expected"; }

# expect_files NAME...: the working directory holds these and nothing else.
expect_files() {
    local found wanted
    found=$(find . -mindepth 1 -type f -printf '%P\n' | sort)
    wanted=$(printf '%s\n' "$@" | sort)
    [ "$found" = "${wanted#$'\n'}" ] || fail "files expected: $*; found: ${found//$'\n'/ }"
}

# expect_json FILTER: the filter of jq is true of the one JSON value on standard output.
expect_json() {
    [ "$(jq -s 'length' "$out" 2>&1)" = 1 ] || fail "one JSON value expected"
    jq -e "$1" "$out" >/dev/null 2>&1 || fail "not true of the JSON: $1"
}

# expect_shape FILE ROWS COLUMNS PRECISION
expect_shape() {
    local found
    found=$("$MATRIX" shape "$1") || found="unreadable"
    [ "$found" = "$2 $3 $4" ] || fail "$1 should be $2 x $3 $4, is: $found"
}

# expect_close FILE FILE LIMIT: relative distance in the Frobenius norm.
expect_close() { "$MATRIX" close "$@" >"$scratch/distance" || fail "$(cat "$scratch/distance")"; }

# expect_different FILE FILE: further apart than rounding.
expect_different() { ! "$MATRIX" close "$1" "$2" 1e-3 >/dev/null || fail "$1 equals $2"; }

finish() {
    [ "$failures" -eq 0 ] || printf '%d failed\n' "$failures"
    exit $((failures > 0))
}
