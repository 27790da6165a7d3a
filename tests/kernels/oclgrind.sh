#!/bin/bash
# Builds small systems on a simulator that watches for races, uninitialised values and invalid calls, and runs the tests
# of the operations that no build needs. Between them they go through every kernel, in both precisions. The simulator's
# exit status says nothing; its log must be empty. It does not know all instructions of optimised code.
#   OCLGRIND    the simulator
#   CLTOMO      the tool
#   SHIM        a library to preload, see ../opencl/shim.c
#   OPERATIONS  the tests of the operations, with the shim in them
#   MATRIX      tells about matrices in files, see ../cli/matrix.c
#   SOURCE_DIR  this directory
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch
failures=0

# watch COMMAND...: runs it on the simulator
watch() {
    rm -f "$scratch/log"
    "$OCLGRIND" --log "$scratch/log" --data-races --uninitialized --check-api \
        --build-options -cl-opt-disable env SHIM_KEEP=1 "$@" >"$scratch/out" 2>&1
}

# expect_silence WHAT
expect_silence() {
    if [ -s "$scratch/log" ]; then
        head -n 40 "$scratch/log"
        echo "FAILED: the simulator complains of $1"
        failures=$((failures + 1))
    fi
}

# simulate SYSTEM PRECISION LIMIT
simulate() {
    local system=$SOURCE_DIR/$1.yaml precision=$2 limit=$3
    # shellcheck disable=SC2016
    watch bash -c 'LD_PRELOAD=$SHIM:$LD_PRELOAD exec "$CLTOMO" build "$@"' cltomo \
        "$system" --backend opencl --precision "$precision" -q -o "$scratch/opencl" ||
        { cat "$scratch/out"; echo "FAILED: $1 in $precision precision does not build"; failures=$((failures + 1)); return; }
    "$CLTOMO" build "$system" --backend cpu --precision "$precision" -q -o "$scratch/cpu" 2>"$scratch/out"
    if ! "$MATRIX" close "$scratch/opencl/FR.fits" "$scratch/cpu/FR.fits" "$limit"; then
        echo "FAILED: $1 in $precision precision differs from the C path"
        failures=$((failures + 1))
    fi
    expect_silence "$1 in $precision precision"
}

for system in rotated aligned; do
    simulate $system double 1e-12
    simulate $system single 1e-5
done
watch "$OPERATIONS" -j1 || { cat "$scratch/out"; echo "FAILED: the operations"; failures=$((failures + 1)); }
expect_silence "the operations"
exit $((failures > 0))
