# Every command once, for tools that watch the memory.
. "$(dirname "$0")/lib.sh"

run build "$small" --dump F,C_n,Gamma --mask-actuators 3,10-14 --mirror-flip -vv
expect_status 0
expect_files C_n.fits F.fits FR.fits Gamma.fits R.fits
run build "$small" --format npy --precision single --product command --json
expect_status 0
expect_shape FR.npy 36 100 single

run info "$small" --json --maps
expect_status 0
run info "$small"
expect_status 0
run examples keck
expect_status 0

sed -e 's/r0: 0.15/r0: -1/' -e 's/nFitSrc: 2/nFitSrc: 2\n  fovOptimisation: 3/' "$small" >wrong.yaml
run build wrong.yaml --json
expect_status 3
run build "$small" --mask-actuators 36
expect_status 2
run build "$small" --alhpa 3
expect_status 2
run build "$small" -o wrong.yaml
expect_status 4

finish
