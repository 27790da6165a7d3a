# What bench compare measures and says; never how long it took.
. "$(dirname "$0")/lib.sh"

run bench compare "$small" --repeat 2
expect_status 0
expect_no_err
for text in "C path with " ", OpenCL on 0:0 " "medians of 2 runs" "100 slopes, 128 phase points, 36 actuators" \
    "double precision" "single precision" "speed-up" "slope covariance" "factorisation" "relative difference of R " \
    "relative difference of FR "; do
    expect_out "$text"
done

run bench compare "$small" --repeat 3 --threads 1 --json --device 0:0
expect_status 0
expect_no_err
expect_json '.exit_status == 0 and .threads == 1 and .runs == 3 and .warnings == [] and .system.name != ""'
expect_json '.device.number == "0:0" and (.machine.cores >= 1) and (.blas | has("core"))'
expect_json '.results | map(.precision) == ["double", "single"]'
expect_json '.results | all((.cpu.stages | map(.name)) == (.opencl.stages | map(.name)))'
expect_json '.results | all(.cpu.build.median_seconds > 0 and .opencl.build.median_seconds > 0)'
expect_json '.results | all(.cpu.first_build_seconds > 0 and .opencl.first_build_seconds > 0)'
expect_json '.results | all((.speed_up | keys) == ([.cpu.stages[].name] + ["build"] | sort))'
expect_json '.results | all(.speed_up.build * .opencl.build.median_seconds / .cpu.build.median_seconds - 1 | fabs < 1e-9)'
expect_json '.results[0].relative_difference | .R < 1e-12 and .FR < 1e-12'
expect_json '.results[1].relative_difference | .R < 1e-5 and .FR < 1e-5'

# Without a mirror there is no FR.
sed '/^dm_parameters/,/^atmosphere_parameters/{/^atmosphere_parameters/!d}' "$small" >blind.yaml
run bench compare blind.yaml --repeat 1 --precision single --json
expect_status 0
expect_json '.results | map(.precision) == ["single"]'
expect_json '.results[0].relative_difference | .R < 1e-5 and .FR == null'

run bench compare "$small" --repeat 1 --quiet
expect_status 0
expect_no_out
expect_no_err

run bench compare "$small" --wfs 1 --repeat 1 --precision single --json
expect_status 0
expect_json '.system.wfs == [1] and .dimensions.n_wfs == 1 and .results[0].relative_difference.R < 1e-5'
run bench compare "$small" --wfs 1 --repeat 1 --precision single
expect_out "small.yaml, sensor 1: 50 slopes"

# Wrong usage and missing devices.
run bench compare
expect_status 2
expect_err "cltomo bench compare: CONFIG|EXAMPLE is missing"
run bench compare "$small" kapa
expect_status 2
expect_err "one argument too many"
run bench compare "$small" --product command
expect_status 2
expect_err "Try 'cltomo bench compare --help'."
run bench compare nowhere.yaml
expect_status 3
run bench compare "$small" --device nonsense --json
expect_status 4
expect_json '.exit_status == 4 and (.errors | length) == 1'

for words in "help bench compare" "bench compare --help"; do
    # shellcheck disable=SC2086
    run $words
    expect_status 0
    expect_out "Usage: cltomo bench compare CONFIG|EXAMPLE [OPTIONS]"
done
run help bench
expect_out "Usage: cltomo bench [CONFIG|EXAMPLE...] [OPTIONS]"
run help bench kapa
expect_status 2
expect_err "'kapa' is one argument too many"

finish
