#!/bin/bash
# Builds small systems on a simulator that watches for races, uninitialised values and invalid calls. Between them they
# go through every evaluator, in both precisions. The simulator's exit status says nothing; its log must be empty. It
# does not know all instructions of optimised code.
#   OCLGRIND    the simulator
#   CLTOMO      the tool
#   SHIM        a library to preload, see ../opencl/shim.c
#   MATRIX      tells about matrices in files, see ../cli/matrix.c
#   SOURCE_DIR  this directory
set -u

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch
failures=0

# simulate SYSTEM PRECISION LIMIT
simulate() {
    local system=$SOURCE_DIR/$1.yaml precision=$2 limit=$3 log=$scratch/log
    rm -f "$log"
    # shellcheck disable=SC2016
    "$OCLGRIND" --log "$log" --data-races --uninitialized --check-api \
        --build-options -cl-opt-disable env SHIM_KEEP=1 bash -c \
        'LD_PRELOAD=$SHIM:$LD_PRELOAD exec "$CLTOMO" build "$@"' cltomo \
        "$system" --backend opencl --precision "$precision" -q -o "$scratch/opencl" >"$scratch/out" 2>&1 ||
        { cat "$scratch/out"; echo "FAILED: $1 in $precision precision does not build"; failures=$((failures + 1)); return; }
    "$CLTOMO" build "$system" --backend cpu --precision "$precision" -q -o "$scratch/cpu" 2>"$scratch/out"
    if ! "$MATRIX" close "$scratch/opencl/FR.fits" "$scratch/cpu/FR.fits" "$limit"; then
        echo "FAILED: $1 in $precision precision differs from the C path"
        failures=$((failures + 1))
    fi
    if [ -s "$log" ]; then
        head -n 40 "$log"
        echo "FAILED: the simulator complains of $1 in $precision precision"
        failures=$((failures + 1))
    fi
}

for system in rotated aligned; do
    simulate $system double 1e-12
    simulate $system single 1e-5
done
exit $((failures > 0))
