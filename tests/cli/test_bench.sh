# What bench measures and says; never how long it took.
. "$(dirname "$0")/lib.sh"

run bench "$small" --repeat 2
expect_status 0
expect_no_err
for text in "100 slopes, 128 phase points, 36 actuators, 4 directions" "R double" "FR double" "R single" "FR single" \
    "slope covariance" "phase-slope covariance" "factorisation" "GFLOP/s" "bare potrf + potrs" "build / bare" \
    "covariances / solve" "peak of the process" "peak of the library" "medians of 2 runs" "BLAS kernels for"; do
    expect_out "$text"
done
check "FR over R, in both precisions" [ "$(grep -c '^FR / R, ' "$out")" = 2 ]

# JSON says all of it.
run bench "$small" --repeat 3 --json --backend cpu --threads 1
expect_status 0
expect_no_err
expect_json '.exit_status == 0 and .backend == "cpu" and .threads == 1 and .warnings == []'
expect_json '.machine | .cores >= 1 and (.load | length) == 3 and (.date | test("^20.*Z$"))'
expect_json '.blas | has("library") and has("core") and has("slow")'
expect_json '.results | map([.precision, .product]) ==
    [["double", "R"], ["double", "FR"], ["single", "R"], ["single", "FR"]]'
expect_json '.results | map(.runs) | unique == [3]'
expect_json '.results | map(.stages | map(select(.gflops != null).name)) | unique ==
    [["factorisation", "solve"], ["factorisation", "solve for commands"]]'
expect_json '.results | all(.stages | all(.minimum_seconds >= 0 and .median_seconds >= .minimum_seconds))'
expect_json '.results | all(.build.median_seconds > 0 and .ratio > 0 and .covariance_over_solve > 0)'
expect_json '.results | all(.ratio * .bare.total.median_seconds / .build.median_seconds - 1 | fabs < 1e-9)'
expect_json '.results | map(.bare.right_hand_sides) == [128, 36, 128, 36]'
expect_json '.results | map(.memory.matrices_bytes) == [182400, 182400, 91200, 91200]'
expect_json '.results | all(.memory | .library_peak_bytes >= .matrices_bytes and
    .process_peak_bytes >= .process_before_bytes and .process_peak_bytes > .library_peak_bytes)'
expect_json '.command_over_wavefront | map(.precision) == ["double", "single"]'
expect_json '.keck_over_kapa == []'
cp "$out" before.json

# Its own baseline, with room for whatever the machine does meanwhile.
run bench "$small" --repeat 1 --product wavefront --check-baseline before.json --ratio 1e6 --json
expect_status 0
expect_no_err
expect_json '.baseline | .file == "before.json" and .limit == 1e6 and (.compared | length) == 2'
expect_json '.baseline.compared | all(.worse == false and .ratio > 0 and .baseline_ratio > 0)'

# One that nothing can keep up with.
jq -c '.results |= map(.ratio = 1e-9)' before.json >fast.json
run bench "$small" --repeat 1 --product command --precision single --check-baseline fast.json
expect_status 6
expect_err "single, FR: the build takes"
expect_err_lines 1
expect_out "WORSE"
run bench "$small" --repeat 1 --product wavefront --check-baseline fast.json --json
expect_status 6
expect_json '.exit_status == 6 and (.baseline.compared | all(.worse))'

# Baselines that are none.
printf '{"results": [{"system"' >cut.json
printf '{"results": []}' >empty.json
jq '.results[0].ratio = "fast"' before.json >text.json
jq '.results |= map(.system.hash = "0000000000000000")' before.json >other.json
for file in nowhere.json . cut.json empty.json text.json other.json "$small"; do
    run bench "$small" --repeat 1 --check-baseline "$file"
    expect_status 3
    expect_no_out
    expect_err "cltomo: error: "
    expect_err "'$file'"
done

# What the baseline lacks is said.
jq '.results |= map(select(.product == "R"))' before.json >part.json
run bench "$small" --repeat 1 --precision double --check-baseline part.json --ratio 1e6
expect_status 0
expect_err "the baseline does not hold the same system as $small, double, FR"

# The family: the first size is always measured, and no other in no time.
run bench --scaling --repeat 1 --budget 1e-6 --precision single
expect_status 0
expect_no_err
expect_out "Stopped before 14 lenslets across"
run bench --scaling --repeat 1 --budget 1e-6 --precision single --product wavefront --json
expect_status 0
expect_json '.scaling | .sizes == 1 and .stopped == "time" and .next.n_lenslets_across == 14 and .next.predicted_seconds > 0'
expect_json '.results | map([.system.name, .n_lenslets_across, .dimensions.n_wfs, .runs]) == [["family-10", 10, 4, 1]]'
expect_json '.scaling.growth | map([.precision, .product]) == [["single", "R"]]'
expect_json '.scaling.growth[0].stages | all(.exponent == null and .expected > 0)'

# Several systems; one without a mirror has no FR.
sed '/^dm_parameters/,/^atmosphere_parameters/{/^atmosphere_parameters/!d}' "$small" >blind.yaml
run bench "$small" blind.yaml --repeat 1 --precision single --json
expect_status 0
expect_json '.results | map([.system.name, .product]) | map(.[1]) == ["R", "FR", "R"]'
run bench blind.yaml --repeat 1 --product command
expect_status 3
expect_no_out

# Wrong usage.
while IFS='|' read -r arguments message; do
    run bench $arguments
    expect_status 2
    expect_no_out
    expect_err "$message"
    expect_err "Try 'cltomo bench --help'."
done <<'TABLE'
--repeat 0|--repeat: '0' is not allowed; give a number from 1 to 1000
--repeat many|--repeat: 'many' is not allowed
--precision half|--precision: 'half' is not one of double|single|both
--product all|--product: 'all' is not one of wavefront|command|both
--ratio 2|--ratio needs --check-baseline
--check-baseline before.json --ratio -1|--ratio: '-1' is not allowed; give a number above 0
--check-baseline|--check-baseline needs a value: FILE
--budget 5|--budget needs --scaling
--scaling kapa|--scaling measures systems of its own
--scaling --check-baseline before.json|--scaling has no ratios
--thread 1|did you mean '--threads'?
TABLE

run bench kappa --repeat 1
expect_status 3
expect_err "did you mean 'kapa'?"

run bench "$small" --repeat 1 --quiet
expect_status 0
expect_no_out
expect_no_err

finish
