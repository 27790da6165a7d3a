# What bench rt measures and says; never how long it took.
. "$(dirname "$0")/lib.sh"

run bench rt "$small" --seconds 0.05
expect_status 0
expect_no_err
for text in "real-time loop on the backend cpu" "small.yaml: FR, 36 x 100" "1 thread" "rate/Hz" "99.99%" "missed" "swaps" \
    "sgemv" "ratio" "sgemv 1" " 500 " " 1000 " " 2000 " " 4000 "; do
    expect_out "$text"
done

run bench rt "$small" "$small" --seconds 0.05 --rate 1000 --product wavefront --threads 1 --json
expect_status 0
expect_no_err
expect_json '.exit_status == 0 and .backend == "cpu" and .warnings == [] and .machine.cores >= 1 and (.blas | has("core"))'
expect_json '.results | map([.product, .rows, .columns, .threads, .rate]) | unique == [["R", 128, 100, 1, 1000]]'
expect_json '.results | length == 2 and all(.frames >= 1 and .frames <= 17 and .missed <= .frames and .swaps >= 1)'
expect_json '.results | all(.apply | .median_seconds > 0 and .percent_99_seconds >= .median_seconds and
    .percent_99_9_seconds >= .percent_99_seconds and .maximum_seconds >= .percent_99_99_seconds)'
expect_json '.results | all(.ratio == null or (.ratio * .bare.median_seconds / .apply.median_seconds - 1 | fabs < 1e-9))'

expect_json '.results | all(.bare_threads == 1 and .bare_single.median_seconds > 0)'

# Without a mirror there is R alone.
sed '/^dm_parameters/,/^atmosphere_parameters/{/^atmosphere_parameters/!d}' "$small" >blind.yaml
run bench rt blind.yaml --seconds 0.02 --rate 500 --json
expect_status 0
expect_json '.results | map(.product) == ["R"]'
run bench rt blind.yaml --seconds 0.02 --product command
expect_status 3
expect_no_out

run bench rt "$small" --seconds 0.02 --rate 500 --quiet
expect_status 0
expect_no_out
expect_no_err

while IFS='|' read -r arguments message; do
    run bench rt $arguments
    expect_status 2
    expect_no_out
    expect_err "$message"
    expect_err "Try 'cltomo bench rt --help'."
done <<'TABLE'
--rate 0|--rate: '0' is not allowed; give a number from 1 to 100000
--seconds 0|--seconds: '0' is not allowed; give a number above 0, up to 3600
--product all|--product: 'all' is not one of wavefront|command
--repeat 3|--repeat
TABLE

run bench rt kappa --seconds 0.02
expect_status 3
expect_err "did you mean 'kapa'?"

finish
