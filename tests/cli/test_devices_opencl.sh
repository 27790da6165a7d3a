# The same with an OpenCL device, which is a CPU.
. "$(dirname "$0")/lib.sh"

run devices
expect_status 0
expect_no_err
expect_out "  0:0 "
expect_out "         cpu, "
expect_out ", driver "
expect_out "double and single precision"
expect_out "shared with the host"
expect_out "auto takes the C path: no GPU or accelerator"

run devices --json
expect_status 0
expect_json '.devices | length == 1'
expect_json '.devices[0] | .number == "0:0" and .type == "cpu" and (.platform | length > 0)'
expect_json '.devices[0] | .double_precision and .shares_host_memory and .compute_units > 0'
expect_json '.devices[0] | .largest_buffer_bytes > 0 and .largest_buffer_bytes <= .memory_bytes'
expect_json '.auto == {backend: "cpu", reason: "no GPU or accelerator"}'
name=$(jq -r '.devices[0].name' "$out")
platform=$(jq -r '.devices[0].platform' "$out")

with CLTOMO_BACKEND=opencl -- devices --json
expect_json '.auto == {backend: "opencl", device: "0:0", reason: "CLTOMO_BACKEND is opencl"}'
with "CLTOMO_DEVICE=${platform,,}" -- devices --json
expect_json '.auto == {backend: "opencl", device: "0:0", reason: "CLTOMO_DEVICE names it"}'
with CLTOMO_DEVICE=nonsense -- devices
expect_status 0
expect_out "auto fails: device: there is no such OpenCL device (got nonsense"

# The self-test.
run devices --check
expect_status 0
expect_no_out_text FAILED
run devices --check --json
expect_status 0
expect_json '.checks | map([.backend, .device, .precision, .passed]) == [["cpu", null, "double", true],
    ["cpu", null, "single", true], ["opencl", "0:0", "double", true], ["opencl", "0:0", "single", true]]'

# It finds kernels that compute something else, and those that do not compile.
kernels=$SOURCE_DIR/../../kernels
cp -r "$kernels" "$scratch/kernels"
sed -i "s/sum += (layers/sum += 1.001 * (layers/" "$scratch/kernels/covariance.cl"
check "a defect" eval '! cmp -s "$kernels/covariance.cl" "$scratch/kernels/covariance.cl"'
with "CLTOMO_KERNEL_DIR=$scratch/kernels" -- devices --check
expect_status 4
check "both precisions fail" [ "$(grep -c 'FAILED (at most' "$out")" = 2 ]
with "CLTOMO_KERNEL_DIR=$scratch/kernels" -- devices --check --json
expect_status 4
expect_json '.exit_status == 4'
expect_json '.checks | map(.passed) == [true, true, false, false]'
echo "nonsense" >>"$scratch/kernels/covariance.cl"
with "CLTOMO_KERNEL_DIR=$scratch/kernels" -- devices --check --json
expect_status 4
expect_json '.checks[2] | .difference == null and .passed == false and (.message | length > 0)'

# Builds on the device, by number and by name.
run build "$small" --json -o cpu --backend cpu
expect_json '.options.backend == "cpu"'
run build "$small" --json -o number --device 0:0
expect_status 0
expect_json '.options | .backend == "opencl" and .device.number == "0:0"'
expect_close number/R.fits cpu/R.fits 1e-12
run build "$small" -o name --device "$name"
expect_status 0
expect_out "opencl on $name"
expect_close name/FR.fits cpu/FR.fits 1e-12
with CLTOMO_BACKEND=cpu -- build "$small" --json --device "${platform^^}"
expect_json '.options.backend == "opencl"'
with CLTOMO_DEVICE=nonsense -- build "$small" --json --device 0:0
expect_status 0

run build "$small" --device nonsense
expect_status 4
expect_err "there is no such OpenCL device (got nonsense"
expect_err "0:0 $name"
run build "$small" --device 0:7
expect_status 4
expect_err "0:0 $name"

# What computes nothing loads no driver.
if [ -d "$OCL_ICD_VENDORS" ]; then
    driver=$(cat "$OCL_ICD_VENDORS"/*.icd)
else
    driver=$(cat "$OCL_ICD_VENDORS")
fi
loads_driver() { LD_DEBUG=files "$CLTOMO" "$@" 2>&1 >/dev/null | grep -qF "$driver"; }
check "the driver shows" loads_driver devices
for command in "info kapa" "examples" "examples kapa" "help" "--version"; do
    # shellcheck disable=SC2086
    check "no driver for $command" eval "! loads_driver $command"
done

finish
