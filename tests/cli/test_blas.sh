# The tool restarts itself with kernels that suit the processor, once, unless the user chose them.
. "$(dirname "$0")/lib.sh"

if ! grep -qw avx2 /proc/cpuinfo || ! grep -qw fma /proc/cpuinfo; then
    echo "this processor has no AVX2"
    exit 77
fi
unset OPENBLAS_CORETYPE

with "LD_PRELOAD=$SHIM" SHIM_CORE=obedient -- build "$small" --json
expect_status 0
expect_no_err
expect_json '.blas.core | . == "SKYLAKEX" or . == "HASWELL"'
expect_json '.blas.slow == false and .warnings == []'

# Options before the command survive the restart, and so does standard input.
with "LD_PRELOAD=$SHIM" SHIM_CORE=obedient -- --json --alpha 3 build "$small" -o "a b"
expect_status 0
expect_json '.options.alpha == 3 and .files[0].path == "a b/R.fits" and .blas.slow == false'
LD_PRELOAD=$SHIM SHIM_CORE=obedient "$CLTOMO" build --json - <"$small" >"$out" 2>"$err"
status=$? last="cltomo build --json -"
expect_status 0
expect_json '.blas.slow == false'

# It did not help: one warning, no endless loop.
with "LD_PRELOAD=$SHIM" SHIM_CORE=Prescott -- build "$small" --json
expect_status 0
check "one warning" [ "$(grep -c 'cltomo: warning: OpenBLAS runs its Prescott kernels' "$err")" = 1 ]
expect_err_lines 1
expect_json '.blas.slow and (.warnings | length) == 1'

# The user's choice is respected, with a warning that names the remedy.
with "LD_PRELOAD=$SHIM" SHIM_CORE=obedient OPENBLAS_CORETYPE=Prescott -- build "$small" --json
expect_status 0
expect_json '.blas.core == "Prescott"'
check "the remedy" grep -qE 'set OPENBLAS_CORETYPE=(SKYLAKEX|HASWELL)' "$err"
with "LD_PRELOAD=$SHIM" SHIM_CORE=obedient OPENBLAS_CORETYPE=Prescott -- build "$small" --quiet
expect_no_err

# Kernels that suit the processor: nothing happens.
with "LD_PRELOAD=$SHIM" SHIM_CORE=SkylakeX -- build "$small" --json
expect_json '.blas.core == "SkylakeX" and .warnings == []'

finish
