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

# A name that JSON has to escape.
name=$'odd "name"\\ \t\xff.yaml'
cp "$small" "$name"
run info "$name" --json
expect_status 0
expect_json '.system.name == "odd \"name\"\\ \t\ufffd.yaml"'

finish
