# Standard output that is full, closed or read only in part.
. "$(dirname "$0")/lib.sh"

# to_full ARGUMENT...: as run, but standard output is a full disk.
to_full() {
    last="cltomo $* >/dev/full"
    : >"$out"
    $LAUNCHER "$CLTOMO" "$@" >/dev/full 2>"$err"
    status=$?
}
to_closed() {
    last="cltomo $* >&-"
    : >"$out"
    $LAUNCHER "$CLTOMO" "$@" >&- 2>"$err"
    status=$?
}

for arguments in --help --version "examples kapa" "help build" "info $small" "info $small --json" "build $small"; do
    to_full $arguments
    expect_status 4
    expect_err "cltomo: error: cannot write to standard output: No space left on device"
    to_closed $arguments
    expect_status 4
    expect_err "cltomo: error: cannot write to standard output"
done
check "the files are complete all the same" "$MATRIX" shape R.fits >/dev/null

# Nothing to say, nothing to complain about, and no text in a file that was opened as descriptor 1.
rm -f R.fits FR.fits
to_closed build "$small" --quiet
expect_status 0
expect_no_err
expect_shape R.fits 128 100 double

# A reader that has seen enough: more output than a pipe holds.
{
    $LAUNCHER "$CLTOMO" info kapa --json --maps 2>"$err"
    echo $? >"$scratch/status"
} | head -n 1 >"$out"
last="cltomo info kapa --json --maps | head -n 1" status=$(cat "$scratch/status")
expect_no_err
check "the first line" [ "$(cat "$out")" = "{" ]

# Closed standard error does no harm either.
rm -f R.fits FR.fits
$LAUNCHER "$CLTOMO" build "$small" -v >"$out" 2>&-
last="cltomo build small.yaml -v 2>&-" status=$?
expect_status 0
expect_shape R.fits 128 100 double

finish
