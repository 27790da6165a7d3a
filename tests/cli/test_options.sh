# How options may be written, and the answer to those that are wrong. Nothing is built here but small.yaml.
. "$(dirname "$0")/lib.sh"

# expect_refused TEXT ARGUMENT...
expect_refused() {
    local text=$1
    shift
    run build "$small" "$@"
    expect_status 2
    expect_no_out
    expect_err "$text"
    expect_files
}

expect_refused "unknown option '--precison'; did you mean '--precision'?" --precison single
expect_refused "unknown option '--alhpa'; did you mean '--alpha'?" --alhpa=3
expect_refused "unknown option '--slope'; did you mean '--slope-order'?" --slope xy
expect_refused "unknown option '--frobnicate'" --frobnicate
expect_refused "unknown option '-x'" -x
expect_refused "unknown option '-x'" -qx
expect_refused "--json takes no value" --json=yes
expect_refused "--alpha needs a value: A" --alpha
expect_refused "--output needs a value: DIR" -o

for value in 0 -1 x '' 1x 0x10 1e 1e999 inf nan ' 1' '1 ' 1,5 .; do
    expect_refused "--alpha: '$value' is not allowed; give a number above 0" "--alpha=$value"
done
expect_refused "--alpha: '--json' is not allowed" --alpha --json
for value in 0 0.0 x; do
    expect_refused "--scaling: '$value' is not allowed; give a number other than 0" --scaling "$value"
done
expect_refused "--stretch: '-1' is not allowed; give a number above 0" --stretch -1
for value in 0 1e-15 0.011 -1e-9 x; do
    expect_refused "--accuracy: '$value' is not allowed; give a number from 1e-14 to 1e-2" "--accuracy=$value"
done
for value in 4 -1 1.0 +1 '' 99999999999999999999; do
    expect_refused "--mirror-rotation: '$value' is not allowed; give 0, 1, 2 or 3" "--mirror-rotation=$value"
done
for value in 0 1025; do
    expect_refused "--threads: '$value' is not allowed; give a number from 1 to 1024" --threads $value
done

expect_refused "--precision: 'singel' is not one of double|single; did you mean 'single'?" --precision singel
expect_refused "--format: 'png' is not one of fits|npy" --format png
expect_refused "--product: 'both' is not one of all|wavefront|command" --product both
expect_refused "--slope-order: 'simu' is not one of xy|yx|interleaved" --slope-order simu
expect_refused "--lenslet-order: 'col' is not one of row|column; did you mean 'column'?" --lenslet-order col
expect_refused "--backend: 'cuda' is not one of auto|cpu|opencl" --backend cuda

expect_refused "--evaluation: 'exact' is not one of auto|direct" --evaluation exact
expect_refused "--device: give PLATFORM:DEVICE or part of a name" --device=
expect_refused "--device names an OpenCL device, --backend cpu uses none" --device 0:0 --backend cpu
expect_refused "--device needs a value: PLATFORM:DEVICE|NAME" --device

expect_refused "there is no product 'C_s'; did you mean 'C_ss'?" --dump C_s
expect_refused "there is no product ''" --dump R,
expect_refused "there are R FR F IF C_ss C_ps C_n R_unscaled grid_mask Gamma" --dump phase

# 36 actuators
expect_refused "36 is out of range; allowed: 0 to 35" --mask-actuators 36
expect_refused "40 is out of range; allowed: 0 to 35" --mask-actuators 3,30-40
expect_refused "the range 14-10 runs backwards" --mask-actuators 14-10
for value in '' , 1, ,1 1- -1 1--2 1-2-3 '1, 2' 1.0 x 99999999999999999999; do
    expect_refused "'$value' is not a list of numbers and ranges like 3,10-14" "--mask-actuators=$value"
done
expect_refused "--mask-actuators concerns FR" --mask-actuators 1 --product wavefront

# The same build, whatever the style of its options.
reference() {
    expect_status 0
    expect_no_out
    expect_no_err
    check "R written" cmp -s R.npy "$scratch/reference"
    rm -rf R.npy
}
run build "$small" --quiet --format npy --product wavefront --alpha 2.5
cp R.npy "$scratch/reference"
reference
run build --quiet --format=npy --product=wavefront --alpha=25e-1 "$small"
reference
run --quiet --format npy build --product wavefront --alpha +2.50 "$small"
reference
run -q --product wavefront --alpha 2.5 --format npy build "$small"
reference
run build -q --format=npy --product=wavefront --alpha 7 --alpha 2.5 -- "$small"
reference
run build -q "$small" --format=npy --product=wavefront --alpha 2.5 -o.
reference
run build -vqo . "$small" --format=npy --product=wavefront --alpha 2.5
reference

# After "--" a name that begins with a dash is a file.
cp "$small" ./-small.yaml
run build -q --product wavefront --alpha 2.5 --format npy -- -small.yaml
rm ./-small.yaml
reference

finish
