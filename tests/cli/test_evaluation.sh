# How covariances are evaluated, and how accurately.
. "$(dirname "$0")/lib.sh"

run build "$small" -o auto --json --product wavefront
expect_status 0
cp "$out" "$scratch/auto.json"
reason="sensors rotated by different angles"
expect_json ".evaluators.pairs == [{wfs: [0, 0], evaluator: \"toeplitz\"}, {wfs: [0, 1], evaluator: \"direct\", reason: \"$reason\"}, {wfs: [1, 1], evaluator: \"toeplitz\"}]"
expect_json '.evaluators.sensors[0] == {wfs: 0, evaluator: "separable"}'
expect_json '.evaluators.sensors[1] | .wfs == 1 and .evaluator == "rotated" and (.reason | startswith("sensor rotated"))'
n_gaussians=$(jq .evaluators.n_gaussians "$out")

# Point by point: the same matrix.
run build "$small" -o direct --json --product wavefront --evaluation direct
expect_status 0
expect_json '.options.evaluation == "direct"'
expect_json '.evaluators | .n_pairs_toeplitz == 0 and .n_pairs_direct == 3'
expect_json '.evaluators | .n_sensors_separable == 0 and .n_sensors_direct == 2'
expect_json '[.evaluators | .pairs[], .sensors[] | .evaluator == "direct" and .reason == "evaluation direct was asked for"] | length == 5 and all'
expect_close auto/R.fits direct/R.fits 1e-9

# Fewer Gaussians for less accuracy, and it shows.
run build "$small" -o rough --json --product wavefront --accuracy 1e-2
expect_status 0
expect_json '.options.accuracy == 1e-2'
expect_json ".evaluators.n_gaussians < $n_gaussians"
check "a rougher matrix" eval '! "$MATRIX" close rough/R.fits auto/R.fits 1e-9 >/dev/null'
expect_close rough/R.fits auto/R.fits 0.1

# Single precision says what it costs.
run build "$small" --json --product wavefront --precision single
expect_status 0
expect_json '.condition > 1 and .estimated_error > 0 and .estimated_error < 1e-3'

run build "$small" --product wavefront --precision single
expect_out "2 of 3 pairs of sensors by tables of lags, 1 point by point"
expect_out "  $reason"
expect_out "of 2 sensors by"
expect_out "1 of them rotated, 0 point by point"
expect_out "  sensor rotated"
expect_out "Condition number at most"

finish
