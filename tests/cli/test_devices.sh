# What there is to compute on, without any OpenCL device.
. "$(dirname "$0")/lib.sh"

unset CLTOMO_BACKEND CLTOMO_DEVICE
export OCL_ICD_VENDORS=/nowhere

run devices
expect_status 0
expect_no_err
expect_out "There is no OpenCL device"
expect_out "auto takes the C path: no OpenCL device can be reached"
expect_out "BLAS of the C path: "

run devices --json
expect_status 0
expect_no_err
expect_json '.exit_status == 0 and .devices == [] and .warnings == []'
expect_json '.auto == {backend: "cpu", reason: "no OpenCL device can be reached"}'
expect_json '.blas | has("library") and has("core") and has("threads") and (.slow == false or .slow == true)'
expect_json 'has("checks") | not'

# The C path is checked alone.
run devices --check --json
expect_status 0
expect_json '.checks | map([.backend, .precision, .passed]) == [["cpu", "double", true], ["cpu", "single", true]]'
expect_json '.checks | all(.difference > 0 and .difference < .limit)'

run devices --check
expect_status 0
expect_out "C path double"
expect_out "C path single"
expect_no_out_text FAILED

# What the environment says.
with CLTOMO_BACKEND=cpu -- devices --json
expect_json '.auto == {backend: "cpu", reason: "CLTOMO_BACKEND is cpu"}'
with CLTOMO_BACKEND=opencl -- devices --json
expect_status 0
expect_json '.auto == {error: "device: there is no OpenCL device"}'
with CLTOMO_BACKEND=cuda -- devices
expect_status 0
expect_out "auto fails: CLTOMO_BACKEND: unknown backend in the environment"

# A BLAS that does not suit the processor, and the remedy.
if grep -qw avx2 /proc/cpuinfo && grep -qw fma /proc/cpuinfo; then
    with "LD_PRELOAD=$SHIM" SHIM_CORE=Prescott -- devices
    expect_no_err
    expect_out "Prescott kernels"
    check "the remedy" grep -qE 'OPENBLAS_CORETYPE=(SKYLAKEX|HASWELL)' "$out"
    with "LD_PRELOAD=$SHIM" SHIM_CORE=Prescott -- devices --json
    expect_json '.blas | .slow and (.preferred_core == "SKYLAKEX" or .preferred_core == "HASWELL")'
fi

run devices 0:0
expect_status 2
expect_err "'0:0' is one argument too many"

# Builds that ask for what is not there.
run build "$small" --backend opencl
expect_status 4
expect_no_out
expect_err "device: there is no OpenCL device"
run build "$small" --device 0:0 --json
expect_status 4
expect_json '.exit_status == 4 and .errors[0].key == "device" and .errors[0].got == "0:0"'
expect_files
with CLTOMO_DEVICE=0:0 -- build "$small"
expect_status 4
expect_err "there is no OpenCL device (got 0:0)"
run build "$small" --json
expect_status 0
expect_json '.options.backend == "cpu" and (.options | has("device") | not) and .warnings == []'

finish
