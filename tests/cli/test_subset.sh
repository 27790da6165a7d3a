# --wfs: only some of the sensors, against a configuration that was written with just those.
. "$(dirname "$0")/lib.sh"

rotation=(0.05 -0.12 0.21 0)
offset_x=(0.013 -0.004 0.021 -0.031)
offset_y=(-0.008 0.017 0.002 0.006)
direction=('[23.5, 1.25]' '[-11, 20.75]' '[-9.5, -17]' '[6.125, -21]')
map=('[[0,1,1,0], [1,1,1,1], [1,0,1,1], [0,1,0,0]]' '[[0,1,1,0], [1,1,0,1], [1,1,1,1], [0,0,0,0]]'
    '[[0,1,1,0], [1,1,1,1], [1,0,1,1], [0,1,0,0]]' '[[0,0,1,0], [0,1,1,1], [1,0,1,1], [0,0,0,0]]')
flux=('[[1,0.5,2,1], [1,3,1,0.25], [4,1,1,1], [1,7,1,1]]' '[[1,1,1,1], [1,1,1,1], [1,1,1,1], [1,1,1,1]]'
    '[[1,1,1,1], [2,2,2,2], [3,3,3,3], [1,0.7,1,1]]' '[[1,1,0.1,1], [1,5,1,1], [1,1,1,1], [1,1,1,1]]')

# list ARRAY NUMBER...: these elements of an array, "[A, B]".
list() {
    local -n array=$1
    local text='' i
    shift
    for i in "$@"; do
        text+="${text:+, }${array[i]}"
    done
    printf '[%s]' "$text"
}

# config NUMBER...: the configuration of these sensors.
config() {
    cat <<END
lgs_wfs_parameters:
  D: 3.7
  nLenslet: 4
  wfsLensletsRotation: $(list rotation "$@")
  wfsLensletsOffset: [$(list offset_x "$@"), $(list offset_y "$@")]
  validLLMap: $(list map "$@")
  lensletFlux: $(list flux "$@")
dm_parameters:
  nActuators: 5
  dmPitch: 0.74
  validActuators: [[0,1,1,1,0], [1,1,1,1,1], [1,1,0,1,1], [1,1,1,1,1], [0,0,1,1,0]]
atmosphere_parameters: {nLayer: 2, zenithAngleInDeg: 37, altitude: [0, 8.3], L0: 24, r0: 0.14, fractionnalR0: [0.7, 0.3]}
lgs_asterism: {nLGS: $#, directions: $(list direction "$@"), LGSwavelength: 5.89e-7, baseLGSHeight: 90000}
tomography_parameters: {fovOptimization: 31, nFitSrc: 2}
END
}

config 0 1 2 3 >"$scratch/whole.yaml"
config 0 1 3 >"$scratch/some.yaml"
whole=$scratch/whole.yaml
some=$scratch/some.yaml

# The same matrices, and the same system.
run build "$some" --format npy -o alone --quiet
expect_status 0
run build "$whole" --wfs 3,0-1 --format npy -o subset --quiet
expect_status 0
expect_no_out
expect_no_err
expect_files alone/FR.npy alone/R.npy subset/FR.npy subset/R.npy
expect_close subset/R.npy alone/R.npy 1e-12
expect_close subset/FR.npy alone/FR.npy 1e-12
run info "$some" --json
jq .system.hash "$out" >hash
run info "$whole" --wfs 0,1,3 --json
expect_json '.system.wfs == [0, 1, 3] and .wavefront_sensors.number == 3 and .dimensions.n_wfs == 3'
check "the same hash" [ "$(jq .system.hash "$out")" = "$(cat hash)" ]
run info "$whole" --json
expect_json '.system.wfs == [0, 1, 2, 3]'
check "another hash" [ "$(jq .system.hash "$out")" != "$(cat hash)" ]
jq .system.hash "$out" >hash
run info "$whole" --wfs 0-3 --json
expect_json '.system.wfs == [0, 1, 2, 3]'
check "all are the system itself" [ "$(jq .system.hash "$out")" = "$(cat hash)" ]
rm -r alone subset hash

# Given more than once, in any order, a sensor more than once; what is shown.
run build "$whole" --wfs 2 --wfs=0,2 --json
expect_json '.system.wfs == [0, 2] and .dimensions.n_slopes == 40'
check "the file tells the sensors" grep -q "^.*WFSLIST = '0,2     '" R.fits
run build "$whole" --json
check "all sensors need no list" [ "$(grep -c WFSLIST R.fits)" = 0 ]
run build "$whole" --wfs 0,2
expect_out "whole.yaml, sensors 0, 2: 2 sensors of"
run build "$whole" --wfs 3
expect_out "whole.yaml, sensor 3: 1 sensor of"
run info "$whole" --wfs 1-3
expect_out "whole.yaml, sensors 1, 2, 3 (file, hash"
run info - --wfs 1,2 <"$whole"
expect_out "<stdin>, sensors 1, 2 (stdin, hash"
rm R.fits FR.fits

# Benchmarks.
run bench "$whole" kapa --wfs 0,2 --repeat 1 --precision single --product wavefront --json
expect_status 0
expect_json '[.results[].system.wfs] == [[0, 2], [0, 2]] and [.results[].dimensions.n_wfs] == [2, 2]'
run bench "$whole" --wfs 1 --repeat 1 --precision single --product wavefront
expect_out "whole.yaml, sensor 1: "
run bench rt "$whole" --wfs 0,2-3 --rate 1000 --seconds 0.05 --json
expect_status 0
expect_json '.results[0].system.wfs == [0, 2, 3] and .results[0].columns == 54'
run bench rt "$whole" --wfs 0,2-3 --rate 1000 --seconds 0.05
expect_out "whole.yaml, sensors 0, 2, 3: FR, 19 x 54"
run bench rt "$whole" "$some" --wfs 3 --seconds 0.05
expect_status 2
expect_no_out
expect_err "--wfs for $some: 3 is out of range; allowed: 0 to 2"
run bench --scaling --wfs 1
expect_status 2
expect_err "--scaling measures systems of its own, so --wfs has no say"

# expect_refused TEXT LIST
expect_refused() {
    for name in build info bench 'bench compare' 'bench rt'; do
        run $name "$whole" "--wfs=$2"
        expect_status 2
        expect_no_out
        expect_err "$1"
    done
}
expect_refused "--wfs for $whole: 4 is out of range; allowed: 0 to 3" 4
expect_refused "--wfs for $whole: 7 is out of range; allowed: 0 to 3" 2-7
expect_refused "--wfs for $whole: the range 3-1 runs backwards" 3-1
expect_refused "--wfs for $whole: '' is not a list of numbers and ranges like 3,10-14" ''
expect_refused "--wfs for $whole: 'all' is not a list of numbers and ranges like 3,10-14" all
run build "$whole" --wfs 4 --json
expect_status 2
expect_json '.errors[0].message | test("--wfs for .*: 4 is out of range; allowed: 0 to 3")'
run build "$whole" --wfs
expect_status 2
expect_err "--wfs needs a value: LIST"
run build nowhere.yaml --wfs 0
expect_status 3
expect_err "nowhere.yaml: error: cannot read"
expect_files

finish
