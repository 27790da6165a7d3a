# Ctrl-C during a build.
. "$(dirname "$0")/lib.sh"

run build "$small" -q -o out
cp -r out "$scratch/before"
for option in "" --json --quiet; do
    with "LD_PRELOAD=$SHIM" SHIM_BUILD=interrupt -- build "$small" -o out --alpha 2 $option
    expect_status 130
    expect_no_out
    expect_err "cltomo: error: interrupted; nothing was written"
    check "the files as they were" diff -r out "$scratch/before"
done
with "LD_PRELOAD=$SHIM" SHIM_BUILD=interrupt -- build "$small" -o new
expect_status 130
check "no directory" [ ! -e new ]

# And during a benchmark.
with "LD_PRELOAD=$SHIM" SHIM_BUILD=interrupt -- bench "$small" --repeat 1
expect_status 130
expect_no_out
expect_err "cltomo: error: interrupted"

# While files are written: they are a set, and it becomes complete.
with "LD_PRELOAD=$SHIM" SHIM_WRITE=interrupt -- build "$small" -o set --alpha 2
expect_status 130
expect_no_out
expect_err "cltomo: error: interrupted; all files were written before"
expect_files out/FR.fits out/R.fits set/FR.fits set/R.fits
expect_shape set/FR.fits 36 100 double

# A parent that wants interrupts ignored gets them ignored.
(
    trap '' INT
    with "LD_PRELOAD=$SHIM" SHIM_BUILD=interrupt -- build "$small" -o ignored -q
    expect_status 0
    expect_no_err
    exit $failures
) || failures=$((failures + 1))

finish
