# Exit statuses of failures inside the library, most of them played by the shim.
. "$(dirname "$0")/lib.sh"

# Library status, exit status.
while read -r library expected; do
    with "LD_PRELOAD=$SHIM" "SHIM_BUILD=$library" -- build "$small" -o out
    expect_status "$expected"
    expect_no_out
    expect_err "cltomo: error: played by the test"
    expect_files
done <<'TABLE'
1 2
2 3
3 3
4 3
5 4
6 4
7 4
8 4
9 4
10 5
11 5
13 1
99 1
TABLE

with "LD_PRELOAD=$SHIM" SHIM_BUILD=10 -- build "$small" -o out --json
expect_status 5
expect_json '.exit_status == 5 and .errors == [{message: "played by the test"}] and .warnings == []'

# A build that looks too large is tried all the same: the library says so itself if it is.
with "LD_PRELOAD=$SHIM" SHIM_MEMORY=4000000000000000 SHIM_LIMITED=4000000000000000 -- build "$small" -o large
expect_status 0
expect_err "cltomo: warning: the build needs 4000.0 TB of memory, and only "
expect_files large/FR.fits large/R.fits
rm -r large

# And for real: four guide stars on one spot and no noise to speak of.
run build kapa-single-channel --alpha 1e-25 --product wavefront -o out
expect_status 5
expect_err "not positive definite"
expect_files

finish
