# cltomo build --interaction-matrix: from a file to R_IM, and what is wrong with files.
. "$(dirname "$0")/lib.sh"

golden=$SOURCE_DIR/../golden/small_asymmetric
config=$SOURCE_DIR/../golden/small_asymmetric.yaml

# copy NAME: a copy of the 96 x 25 matrix, an NPY file whose numbers begin at byte 128.
copy() { cp "$golden/im.npy" "$1" && chmod u+w "$1"; }

# patch ROW COLUMN FILE: bytes from standard input take the place of that number on.
patch() { dd of="$3" bs=8 seek=$((16 + 25 * $1 + $2)) conv=notrunc status=none; }

run build "$config" --interaction-matrix "$golden/im.npy" --format npy --quiet
expect_status 0
expect_no_out
expect_no_err
expect_files R_IM.npy
expect_shape R_IM.npy 25 96 double
expect_close R_IM.npy "$golden/r_im.npy" 1e-12

run build "$config" --interaction-matrix "$golden/im.npy" --format npy --quiet --grid pytomoao
expect_status 0
expect_close R_IM.npy "$golden/r_im_spread.npy" 1e-12
expect_close R_IM.npy "$golden/r_im_peer.npy" 1e-7

run build "$config" --interaction-matrix "$golden/im.npy" --format npy --quiet --precision single
expect_status 0
expect_shape R_IM.npy 25 96 single
expect_close R_IM.npy "$golden/r_im.npy" 1e-3

run build "$config" --interaction-matrix "$golden/im.npy" --format npy --quiet --alpha 1
expect_status 0
expect_different R_IM.npy "$golden/r_im.npy"
rm R_IM.npy

# FITS to FITS; what `cltomo reconstruct` makes of it is commands.
run build "$config" --interaction-matrix "$golden/im.npy" -o out
expect_status 0
expect_out "R_IM            25 x 96"
expect_out "actuator-slope covariance"
expect_files out/R_IM.fits
cp out/R_IM.fits again.fits
run build "$config" --interaction-matrix again.fits -o out
expect_status 3
expect_err "again.fits: error: the interaction matrix does not fit the system (got 25 x 96; allowed: 96 x 25, slopes x actuators, or 32 x 25 for all sensors alike)"
run reconstruct out/R_IM.fits out/R_IM.fits -o commands.npy
expect_status 0
expect_shape commands.npy 25 25 double
rm -r out again.fits commands.npy

run build "$config" --interaction-matrix "$golden/im.npy" --json
expect_status 0
expect_json '.files == [{product: "R_IM", path: "R_IM.fits", rows: 25, cols: 96, bytes: .files[0].bytes}]'
expect_json '(.options.interaction_matrix | endswith("im.npy")) and .options.grid == "dm" and .options.alpha == 10 and .noise_variance == 10 and .evaluators.n_pairs_direct == 6'
rm R_IM.fits

# Some of the sensors: rows of the whole system, of these alone, or one block for all.
rows() { # rows SENSOR...: an NPY file with the 32 rows of each
    local header sensor
    header="{'descr': '<f8', 'fortran_order': False, 'shape': ($((32 * $#)), 25), }"
    printf '\223NUMPY\001\000\166\000%-117s\n' "$header"
    for sensor in "$@"; do
        tail -c +$((129 + 32 * 25 * 8 * sensor)) "$golden/im.npy" | head -c $((32 * 25 * 8))
    done
}
rows 0 2 >some.npy
rows 1 >one.npy
rows 1 1 >alike.npy
run build "$config" --wfs 0,2 --interaction-matrix "$golden/im.npy" --format npy --quiet -o whole
expect_status 0
run build "$config" --wfs 0,2 --interaction-matrix some.npy --format npy --quiet -o subset
expect_status 0
expect_shape whole/R_IM.npy 25 64 double
expect_close whole/R_IM.npy subset/R_IM.npy 1e-12
run build "$config" --wfs 0,2 --interaction-matrix one.npy --format npy --quiet -o one
expect_status 0
run build "$config" --wfs 0,2 --interaction-matrix alike.npy --format npy --quiet -o alike
expect_status 0
expect_close one/R_IM.npy alike/R_IM.npy 1e-12
expect_different one/R_IM.npy subset/R_IM.npy
run build "$config" --wfs 1 --interaction-matrix some.npy
expect_status 3
expect_err "some.npy: error: the interaction matrix does not fit the system (got 64 x 25; allowed: 32 x 25, slopes x actuators, or 96 x 25 for the whole system)"
run build "$config" --wfs 0,2 --interaction-matrix "$golden/im.npy" --json
expect_status 0
expect_json '.system.wfs == [0, 2] and .files[0].cols == 64'
check "the file tells the sensors" grep -q "WFSLIST = '0,2     '" R_IM.fits
rm -r whole subset one alike some.npy one.npy alike.npy R_IM.fits

# An actuator that no sensor sees, sensors that see nothing, what is no number.
copy unseen.npy
for row in $(seq 0 95); do
    head -c 8 /dev/zero | patch "$row" 7 unseen.npy
done
run build "$config" --interaction-matrix unseen.npy
expect_status 0
expect_err "cltomo: warning: no sensor sees actuator 7 (row 1, column 4): what R_IM gives for it follows from the others alone"
rm R_IM.fits unseen.npy

copy zero.npy
head -c $((32 * 25 * 8)) /dev/zero | patch 32 0 zero.npy
run build "$config" --interaction-matrix zero.npy
expect_status 3
expect_err "zero.npy: error: the block of sensor 1 is zero throughout: it shows no actuator"
rm zero.npy

copy nan.npy
printf '\0\0\0\0\0\0\370\177' | patch 40 3 nan.npy
run build "$config" --interaction-matrix nan.npy
expect_status 5
expect_err "nan.npy: error: the matrix has a NaN or an infinity at row 40, column 3 (from 0)"
rm nan.npy

run build "$config" --interaction-matrix "$golden/r_im.npy"
expect_status 3
expect_err "the interaction matrix does not fit the system (got 25 x 96; allowed: 96 x 25"
run build "$config" --interaction-matrix none.npy
expect_status 4
expect_err "none.npy: error: cannot read"
run build "$config" --interaction-matrix "$config"
expect_status 3
expect_err "neither a FITS nor an NPY file"
sed '/^dm_parameters/,/^atmosphere/{/^atmosphere/!d}' "$config" >mirrorless.yaml
run build mirrorless.yaml --interaction-matrix "$golden/im.npy"
expect_status 3
expect_err "the system has no mirror that an interaction matrix could belong to"
rm mirrorless.yaml

# Options that have no say.
for options in "--product command" "--dump C_ss" "--scaling 2" "--stretch 1" "--mirror-rotation 1" "--mirror-flip" \
    "--mask-actuators 1" "--accuracy 1e-9" "--evaluation direct"; do
    run build "$config" --interaction-matrix "$golden/im.npy" $options
    expect_status 2
    expect_err "${options%% *} concerns R and FR, not what --interaction-matrix builds"
done
run build "$config" --grid pytomoao
expect_status 2
expect_err "--grid concerns R_IM: it needs --interaction-matrix"
run build "$config" --dump R_IM
expect_status 2
expect_err "there is no product 'R_IM'"
run build "$config" --interaction-matrix "$golden/im.npy" --grid pitch
expect_status 2
expect_err "--grid: 'pitch' is not one of dm|pytomoao"
expect_files

finish
