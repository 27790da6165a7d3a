# What info says of a system, against values worked out by hand.
. "$(dirname "$0")/lib.sh"

run info "$small"
expect_status 0
expect_no_err
expect_out "diameter               4 m"
expect_out "lenslets               6 across, 25 valid"
expect_out "zenith angle           60 deg, airmass 2"
expect_out "0.15 m at zenith, 0.0989631 m at the zenith angle" # 0.15 * 0.5^(3/5)
expect_out "90 km at zenith, 180 km along the line of sight"
expect_out "5000.0 m                 10000.0 m    0.30000"
expect_out "20.0000     0.0000 arcsec"
expect_out "2 x 2 over a square of 10 arcsec"
expect_out "actuators              7 across, 36 valid"
expect_out "R                      128 x 100          102.4 kB in double"
expect_out "memory for a build"
expect_no_out_text 'row 0 at the top'

run info "$small" --maps
expect_status 0
check "the lenslets" grep -A6 '^Valid lenslets' "$out" | tail -n 6 | diff - <(
    cat <<'MAP'
  . # # # . .
  # # # # # .
  # # . # # #
  # # # # # #
  . # # # # .
  . . # # . .
MAP
)
expect_out "Valid actuators, 7 x 7, row 0 at the top"

run info "$small" --json
expect_status 0
expect_no_err
expect_json '.exit_status == 0 and .warnings == []'
small=$small expect_json '.system.source == "file" and .system.name == $ENV.small'
expect_json '.system.hash | test("^[0-9a-f]{16}$")'
expect_json '.dimensions == {n_wfs: 2, n_lenslets: 25, n_grid: 21, n_phase: 128, n_slopes: 100,
    n_actuators: 36, n_layers: 2, n_directions: 4}'
expect_json '.turbulence.airmass - 2 | fabs < 1e-12'
expect_json '.turbulence.r0_m / 0.15 - pow(0.5; 0.6) | fabs < 1e-12'
expect_json '.turbulence.layer_height_along_line_of_sight_m[1] - 10000 | fabs < 1e-6'
expect_json '.guide_stars.height_along_line_of_sight_m - 180000 | fabs < 1e-6'
expect_json '.guide_stars.directions_arcsec | length == 2 and (.[0][0] - 20 | fabs < 1e-6) and
    (.[1][0] + 20 | fabs < 1e-6)'
expect_json '.wavefront_sensors.rotation_deg[1] - 0.02 * 180 / 3.141592653589793 | fabs < 1e-12'
expect_json '.matrices.FR == {rows: 36, cols: 100}'
expect_json '.build_memory_bytes.double > .build_memory_bytes.single'
expect_json '.wavefront_sensors | has("valid_lenslets") | not'

run info "$small" --json --maps
expect_json '.wavefront_sensors.valid_lenslets[2] == [1, 1, 0, 1, 1, 1]'
expect_json '.mirror.valid_actuators | flatten | add == 36'

run info keck --json
expect_json '.dimensions.n_directions == 49 and .system.source == "example"'

# Lenslets for each sensor, their flux, and directions one by one.
first='[[0,1,1,1,0,0], [1,1,1,1,1,0], [1,1,0,1,1,1], [1,1,1,1,1,1], [0,1,1,1,1,0], [0,0,1,1,0,0]]'
second=${first/1,1,1,1,1,1/1,0,0,0,0,1}
row='[1, 1, 0.25, 1, 1, 3]'
sed -e "/validLLMap:/,/\[0, 0, 1, 1, 0, 0\]/c\  validLLMap: [$first, $second]\n\
  lensletFlux: [$row, $row, $row, $row, $row, $row]" \
    -e '/nFitSrc/a\  directions: [[0, 0], [5, -7.5]]\
  directionWeights: [1, 3]\
  directionHeights: [.inf, 90000]' "$small" >details.yaml
run info details.yaml
expect_status 0
expect_out "6 across, 25 valid for any sensor"
expect_out "valid per sensor               25"
expect_out "                               21"
expect_out "relative flux                0.25 to 3"
expect_out "directions             2, listed"
expect_out "0.0000       0.0000              0.2500   at infinity"
expect_out "5.0000      -7.5000              0.7500   90 km"
expect_out "slopes                 92"
expect_err "no effect, directions are given"
run info details.yaml --maps
check "the lenslets of sensor 1" grep -A4 '^Valid lenslets of sensor 1' "$out" | tail -n 1 |
    grep -q '^  # # . # # #$'
run info details.yaml --json --maps
expect_json '.wavefront_sensors.lenslets_per_sensor == [25, 21] and .wavefront_sensors.has_flux'
expect_json '.wavefront_sensors.valid_lenslets_per_sensor[1][3] == [1, 0, 0, 0, 0, 1]'
expect_json '.dimensions.n_directions == 2 and .dimensions.n_slopes == 92'
expect_json '.optimisation.weights == [0.25, 0.75]'
expect_json '.optimisation.heights_at_zenith_m == [null, 90000]'
expect_json '.optimisation.directions_arcsec[1][1] + 7.5 | fabs < 1e-9'
expect_json '.optimisation | has("directions_across") | not'

# A name that JSON has to escape.
name=$'odd "name"\\ \t\xff.yaml'
cp "$small" "$name"
run info "$name" --json
expect_status 0
expect_json '.system.name == "odd \"name\"\\ \t\ufffd.yaml"'

finish
