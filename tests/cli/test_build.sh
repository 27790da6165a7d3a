# What build writes and says.
. "$(dirname "$0")/lib.sh"

run build "$small"
expect_status 0
expect_no_err
expect_files FR.fits R.fits
expect_shape R.fits 128 100 double
expect_shape FR.fits 36 100 double
expect_out "2 sensors of 25 lenslets, 100 slopes, 128 phase points, 36 actuators"
expect_out "Smallest pivot ratio"
expect_out "total"
expect_out "R.fits"
expect_out "FR.fits"
mkdir "$scratch/reference"
mv R.fits FR.fits "$scratch/reference"

# FITS as others read it.
header() { head -c 5760 "$1" | fold -w 80; }
check "NAXIS1 slopes" [ "$(header "$scratch/reference/R.fits" | awk '/^NAXIS1 / { print $3 }')" = 100 ]
check "NAXIS2 phase points" [ "$(header "$scratch/reference/R.fits" | awk '/^NAXIS2 / { print $3 }')" = 128 ]
check "BITPIX double" [ "$(header "$scratch/reference/R.fits" | awk '/^BITPIX / { print $3 }')" = -64 ]

# The directory is made, with its parents.
run build "$small" -o a/b/c --format npy --precision single
expect_status 0
expect_files a/b/c/FR.npy a/b/c/R.npy
expect_shape a/b/c/R.npy 128 100 single
expect_close a/b/c/R.npy "$scratch/reference/R.fits" 1e-5
expect_close a/b/c/FR.npy "$scratch/reference/FR.fits" 1e-5
check "the shape in the NPY header" grep -aq "'shape': (128, 100)" a/b/c/R.npy
rm -r a

# JSON says all of it.
run build "$small" -o out --json --alpha 3 --slope-order interleaved --lenslet-order column --mirror-rotation 1 \
    --mirror-flip --mask-actuators 1,3-4 --dump C_n,Gamma --threads 1 --backend cpu
expect_status 0
expect_no_err
expect_files out/C_n.fits out/FR.fits out/Gamma.fits out/R.fits
expect_json '.cltomo | test("^[0-9]+\\.[0-9]+\\.[0-9]+$")'
expect_json '.exit_status == 0 and .warnings == []'
expect_json '.options == {precision: "double", alpha: 3, slope_order: "interleaved", lenslet_order: "column",
    scaling: 1.65e7, stretch: 1.03, mirror_rotation: 1, mirror_flip: true, masked_actuators: [1, 3, 4],
    evaluation: "auto", accuracy: null, per_direction: false, format: "fits", backend: "cpu", threads: 1}'
expect_json '.dimensions.n_slopes == 100'
expect_json '(.stages | length) >= 4 and (.stages | all(.seconds >= 0)) and .build_seconds >= 0'
expect_json '.pivot_ratio > 0 and .pivot_ratio <= 1 and .mean_slope_variance > 0'
expect_json '.condition == null and .estimated_error == null'
expect_json '.evaluators.n_pairs_toeplitz + .evaluators.n_pairs_direct == 3'
expect_json '.evaluators.n_sensors_separable + .evaluators.n_sensors_direct == 2 and .evaluators.n_gaussians > 0'
expect_json '.noise_variance / .mean_slope_variance - 3 | fabs < 1e-12'
expect_json '.files | map([.product, .path, .rows, .cols]) == [["R", "out/R.fits", 128, 100],
    ["FR", "out/FR.fits", 36, 100], ["C_n", "out/C_n.fits", 1, 100], ["Gamma", "out/Gamma.fits", 50, 128]]'
check "the size of the file" [ "$(jq '.files[0].bytes' "$out")" = "$(stat -c %s out/R.fits)" ]
rm -r out

# The levels of talk.
run build "$small" --quiet
expect_status 0
expect_no_out
expect_no_err
run build "$small" -v
expect_status 0
expect_err "cltomo: "
lines=$(wc -l <"$err")
run build "$small" -vv
expect_status 0
check "more with -vv" [ "$(wc -l <"$err")" -ge "$lines" ]

run build "$small" --backend cpu --threads 1 -q
expect_status 0
with OCL_ICD_VENDORS=/nowhere -- build "$small" --backend opencl -o nowhere
expect_status 4
expect_err "cltomo: error: "
check "nothing made" [ ! -e nowhere ]

finish
