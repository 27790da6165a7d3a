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

# Shapes of slopes, made from the 100 x 100 numbers of C_ss.
# npy SHAPE: the numbers on standard input as an NPY file.
npy() {
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': ($1)}"
    cat
}
run build "$small" --quiet --product wavefront --dump C_ss --format npy
tail -c +129 C_ss.npy >numbers
npy "4, 25, 100" <numbers >cube.npy
run reconstruct R.fits cube.npy -o of_cube.npy
expect_status 0
check "a cube of slopes is so many vectors" cmp -s of_cube.npy maps.npy
head -c 800 numbers | npy "100," >vector.npy
head -c 800 numbers | npy "1, 100" >row.npy
run reconstruct R.fits vector.npy -o map.npy
expect_status 0
check "one vector gives one map" grep -aq "'shape': (21, 21)" map.npy
run reconstruct R.fits row.npy -o map_cube.npy
expect_status 0
check "one row gives a cube" grep -aq "'shape': (1, 21, 21)" map_cube.npy
check "of the same map" cmp -s <(tail -c +129 map.npy) <(tail -c +129 map_cube.npy)
run reconstruct FR.fits vector.npy -o vector_commands.npy
expect_status 0
expect_shape vector_commands.npy 1 36 double

# Zeros, of either sign, stay zeros; NaN is outside the mask and nowhere else.
read -r n_phase _ <<<"$("$MATRIX" shape R.npy)"
values() { tail -c +129 "$1" | od -An -v -w8 -t f8 | tr -d ' '; }
head -c 80000 /dev/zero | npy "100, 100" >zeros.npy
for _ in $(seq 100); do printf '\0\0\0\0\0\0\0\x80'; done | npy "1, 100" >minus_zeros.npy
for slopes in zeros minus_zeros; do
    run reconstruct R.fits $slopes.npy -o zero_maps.npy
    expect_status 0
    check "$slopes" [ "$(values zero_maps.npy | grep -vc nan)" -eq "$(values zero_maps.npy | grep -cx -e 0 -e -0)" ]
    check "NaN outside the mask" [ "$(values zero_maps.npy | head -n 441 | grep -c nan)" -eq $((441 - n_phase)) ]
done
check "NaN outside the mask" [ "$(values maps.npy | grep -c nan)" -eq $((100 * (441 - n_phase))) ]

# Cubes of R and FR for each of the four directions; the mean of what they give is what R and FR for
# the mean give.
run build "$small" --quiet --per-direction -o each
# expect_mean CUBE FILE: FILE's numbers are the means over the four pieces of the cube.
expect_mean() {
    values "$1" >cube.txt
    values "$2" >mean.txt
    awk -v n="$(wc -l <mean.txt)" '
        NR == FNR { sum[(NR - 1) % n] += $1; nan[(NR - 1) % n] += $1 == "nan"; next }
        $1 == "nan" { bad += nan[FNR - 1] != 4; next }
        { d = sum[FNR - 1] / 4 - $1; difference += d * d; norm += $1 * $1; bad += nan[FNR - 1] != 0 }
        END { exit !(!bad && n > 0 && FNR == n && NR == 5 * n && norm > 0 && difference <= 1e-18 * norm) }
    ' cube.txt mean.txt || fail "$2 should be the mean of $1"
}
run reconstruct each/R.fits vector.npy -o each_map.npy
expect_status 0
check "a map for each direction" grep -aq "'shape': (4, 21, 21)" each_map.npy
expect_mean each_map.npy map.npy
run reconstruct each/FR.fits vector.npy -o each_commands.npy
expect_status 0
expect_shape each_commands.npy 4 36 double
expect_mean each_commands.npy vector_commands.npy
run reconstruct each/R.fits C_ss.fits -o each.fits
expect_status 0
for card in "NAXIS3  =                  400" "NDIRMAP =                    4"; do
    check "$card" grep -aq "$card" each.fits
done
run reconstruct each/FR.fits C_ss.fits -o each.npy
expect_status 0
check "commands for each direction" grep -aq "'shape': (100, 4, 36)" each.npy

# The precision.
run reconstruct FR.fits C_ss.fits -o single.fits --precision single
expect_status 0
expect_shape single.fits 100 36 single
expect_close single.fits commands.fits 1e-5
run build "$small" --quiet --product command --precision single -o of_single
run reconstruct of_single/FR.fits C_ss.fits -o of_single.npy
expect_shape of_single.npy 100 36 single
run reconstruct of_single/FR.fits C_ss.fits -o of_single.npy --precision double
expect_shape of_single.npy 100 36 double
run reconstruct R.fits C_ss.fits --precision half
expect_status 2

# Failures name the file and keep what was there.
cp maps.npy before.npy
run reconstruct R.fits R.fits -o wide.npy
expect_status 0
run reconstruct R.fits commands.fits -o maps.npy
expect_status 3
expect_err "commands.fits"
expect_err "36 slopes in a row, but the reconstructor takes 100"
check "maps.npy is as before" cmp -s maps.npy before.npy
cp C_ss.npy not_finite.npy
printf '\0\0\0\0\0\0\xf8\x7f' | dd of=not_finite.npy bs=8 seek=$((16 + 57 * 100 + 3)) conv=notrunc status=none
run reconstruct R.fits not_finite.npy -o maps.npy
expect_status 5
expect_err "not_finite.npy"
expect_err "row 57, column 3 (from 0)"
npy "2, 2, 2, 1250" <numbers >four.npy
run reconstruct R.fits four.npy -o maps.npy
expect_status 3
expect_err "4 dimensions, not 1 to 3"
with "LD_PRELOAD=$SHIM" SHIM_RECONSTRUCT=interrupt -- reconstruct R.fits C_ss.fits -o maps.npy
expect_status 130
expect_err "cltomo: error: interrupted; nothing was written"
check "maps.npy is as before" cmp -s maps.npy before.npy
with "LD_PRELOAD=$SHIM" SHIM_RECONSTRUCT=interrupt -- reconstruct R.fits C_ss.fits -o never.npy
check "no file" [ ! -e never.npy ]
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
