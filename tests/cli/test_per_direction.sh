# R and FR for each direction, and builds in panels that keep to a limit of memory.
. "$(dirname "$0")/lib.sh"

sed 's/^  nFitSrc: .*/  nFitSrc: 2/; s/^  fovOptimization: .*/  fovOptimization: 20/' "$small" >four.yaml
grep -q 'nFitSrc: 2' four.yaml || fail "the test needs a system of four directions"

# Cubes.
run build four.yaml -o each --format npy --per-direction
expect_status 0
expect_out "(for each of 4 directions)"
run build four.yaml -o each --per-direction --json
expect_status 0
expect_json '.options.per_direction and .files[0].planes == 4 and .files[0].cols == .dimensions.n_slopes'

# One direction, on the axis, has the elements of the plain matrices.
sed 's/^  nFitSrc: .*/  nFitSrc: 1/; s/^  fovOptimization: .*/  fovOptimization: 0/' "$small" >axis.yaml
run build axis.yaml -o one --format npy --per-direction -q
expect_status 0
run build axis.yaml -o plain --format npy -q
expect_status 0
for product in R FR; do
    size=$(("$(stat -c %s plain/$product.npy)" - 128))
    check "$product: one plane" cmp <(tail -c "$size" one/$product.npy) <(tail -c "$size" plain/$product.npy)
done

# A limit that the whole of R passes makes panels.
run build kapa --format npy -o whole --product wavefront -q
expect_status 0
run build kapa --format npy -o panels --product wavefront --max-memory 80MB --json
expect_status 0
expect_json '.options.max_memory_bytes > 0'
expect_close panels/R.npy whole/R.npy 1e-12
run build kapa -o none --max-memory 1MB
expect_status 4
expect_err "limited to 1 MB"
check "no directory" [ ! -e none ]

# Without a limit it follows from the memory that is free.
with "LD_PRELOAD=$SHIM" SHIM_MEMORY=4000000000000000 SHIM_LIMITED=1000 -- \
    build "$small" -o limited --json
expect_status 0
expect_no_err
expect_json '.options.max_memory_bytes > 1000000'

for wrong in 10 1G -5MB 5mb 0B; do
    run build "$small" --max-memory=$wrong
    expect_status 2
    expect_err "--max-memory: '$wrong' is not a size; give a number and its unit, as 1.5GB"
done
for option in --per-direction "--max-memory 1GB"; do
    run build "$small" --interaction-matrix missing.npy $option
    expect_status 2
    expect_err "${option%% *} concerns R and FR"
done

finish
