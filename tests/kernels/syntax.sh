#!/bin/bash
# Checks the kernels as OpenCL C 1.2, in every variant that the library compiles.
#   CLANG       the compiler
#   SOURCES     the kernel files in their order, separated by spaces
#   SOURCE_DIR  the project
set -u

source=$(mktemp --suffix=.cl)
trap 'rm -f "$source"' EXIT
# shellcheck disable=SC2086
cat $SOURCES >"$source"
cut=$(sed -n "s/^#define CLTOMO_GAUSSIAN_CUT \([0-9]*\).*/\1/p" "$SOURCE_DIR/src/backend/cpu/row_kernels.h")
failures=0

# variant DEFINITION...
variant() {
    # The headers' functions are not all used in every variant.
    if ! "$CLANG" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only \
        -Wall -Wextra -Wpedantic -Wshadow -Werror -Wno-unused-function \
        "-DCLTOMO_GAUSSIAN_CUT=$cut" "$@" "$source"; then
        echo "FAILED: $*"
        failures=$((failures + 1))
    fi
}

# Without double precision matrices are single, and a double anywhere is an error.
for width in -DCLTOMO_VK_WIDTH_IS_ONE -DCLTOMO_VK_WIDTH=8 -DCLTOMO_VK_WIDTH=16; do
    variant $width -DCLTOMO_VK_DOUBLE
    variant $width -DCLTOMO_VK_DOUBLE -DCLTOMO_SINGLE
    variant $width -DCLTOMO_SINGLE -Xclang -cl-ext=-cl_khr_fp64
done
exit $((failures > 0))
