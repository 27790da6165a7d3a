# Which matrices are written, and how the options change them.
. "$(dirname "$0")/lib.sh"

# npy DIRECTORY ARGUMENT...: builds the small system into the directory.
npy() {
    local directory=$1
    shift
    run build "$small" --quiet --format npy -o "$directory" "$@"
    expect_status 0
    expect_no_err
}

npy all
npy wavefront --product wavefront
npy command --product command
expect_files all/FR.npy all/R.npy wavefront/R.npy command/FR.npy
expect_close wavefront/R.npy all/R.npy 1e-13
expect_close command/FR.npy all/FR.npy 1e-12

npy dump --product command --dump F,IF --dump C_ss,C_ps,C_n,R_unscaled,grid_mask,Gamma,R
expect_files {all,command,dump}/FR.npy {all,wavefront,dump}/R.npy dump/{F,IF,C_ss,C_ps,C_n,R_unscaled,grid_mask,Gamma}.npy
expect_shape dump/F.npy 36 128 double
expect_shape dump/IF.npy 128 36 double
expect_shape dump/C_ss.npy 100 100 double
expect_shape dump/C_ps.npy 128 100 double
expect_shape dump/C_n.npy 1 100 double
expect_shape dump/R_unscaled.npy 128 100 double
expect_shape dump/Gamma.npy 50 128 double
expect_shape dump/grid_mask.npy 21 21 double
expect_close dump/R.npy all/R.npy 1e-13

npy masked --mask-actuators 3,10-14,35 --mask-actuators 3
check "these rows and no others are zero" [ "$("$MATRIX" zero-rows masked/FR.npy)" = "3 10 11 12 13 14 35" ]
check "no row is zero otherwise" [ -z "$("$MATRIX" zero-rows all/FR.npy)" ]
expect_close masked/R.npy all/R.npy 1e-13

npy alpha --alpha 1
expect_different alpha/R.npy all/R.npy
for order in "--slope-order yx" "--slope-order interleaved" "--lenslet-order column"; do
    npy order $order
    expect_different order/R.npy all/R.npy
done
for mirror in "--mirror-flip" "--mirror-rotation 1" "--mirror-rotation 3 --mirror-flip" "--stretch 1.1" "--scaling 1"; do
    npy mirror $mirror
    expect_close mirror/R.npy all/R.npy 1e-13
    expect_different mirror/FR.npy all/FR.npy
done
npy mirror --mirror-rotation 0 --stretch 1.03 --scaling 1.65e7
expect_close mirror/FR.npy all/FR.npy 1e-13

finish
