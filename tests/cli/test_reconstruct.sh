# reconstruct: maps from slopes, against the matrix itself.
. "$(dirname "$0")/lib.sh"

run build "$small" --quiet --dump C_n,C_ss
expect_status 0
# Slopes: rows of a matrix with a row for each slope.
run reconstruct R.fits C_ss.fits -o maps.npy
expect_status 0
expect_no_out
expect_no_err
check "a cube of 100 maps" grep -aq "'shape': (100, 21, 21)" maps.npy
run reconstruct R.fits C_ss.fits -o maps.fits
expect_status 0
for card in "NAXIS   =                    3" "NAXIS1  =                   21" "NAXIS2  =                   21" \
    "NAXIS3  =                  100" "BITPIX  =                  -64"; do
    check "$card" grep -aq "$card" maps.fits
done
run reconstruct FR.fits C_ss.fits -o commands.fits
expect_status 0
expect_shape commands.fits 100 36 double
run reconstruct FR.fits C_n.fits -o commands.npy --backend cpu --threads 1
expect_status 0
expect_shape commands.npy 1 36 double

# Failures name the file and keep what was there.
cp maps.npy before.npy
run reconstruct R.fits R.fits -o wide.npy
expect_status 0
run reconstruct R.fits commands.fits -o maps.npy
expect_status 3
expect_err "commands.fits"
expect_err "36 slopes in a row, but the reconstructor takes 100"
check "maps.npy is as before" cmp -s maps.npy before.npy
run build "$small" --quiet --product wavefront --format npy
run reconstruct R.npy C_ss.fits -o maps.npy
expect_status 3
expect_err "R.npy"
run reconstruct C_ss.fits C_ss.fits -o slopes.npy
expect_status 3
run reconstruct nowhere.fits C_ss.fits
expect_status 4
run reconstruct R.fits
expect_status 2
check "maps.npy is as before" cmp -s maps.npy before.npy

finish
