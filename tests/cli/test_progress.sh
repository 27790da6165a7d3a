# A bar on a terminal for work that takes over a second, and never elsewhere.
. "$(dirname "$0")/lib.sh"

# on_terminal TERM ARGUMENT...: as run, but both outputs are a terminal and go to $out.
on_terminal() {
    local term=$1
    shift
    last="cltomo $* (on a terminal)"
    script -qec "env TERM=$term LD_PRELOAD=$SHIM SHIM_BUILD=$played $CLTOMO $*" /dev/null >"$out" 2>&1 </dev/null
    status=$?
    : >"$err"
}

# A container may have no terminals to give.
script -qc true /dev/null >/dev/null 2>&1 </dev/null || exit 77

played=slow
on_terminal xterm build "$small"
expect_status 0
expect_out " %  "
check "cleared when done" [ "$(grep -c $'\r\033\[K' "$out")" -ge 1 ]
last_bar=$(tr '\r' '\n' <"$out" | grep -n ' %  ' | tail -n 1 | cut -d: -f1)
first_text=$(tr '\r' '\n' <"$out" | grep -n 'sensors of' | head -n 1 | cut -d: -f1)
check "no bar after the text begins" [ "$last_bar" -lt "$first_text" ]
for option in --quiet --json; do
    on_terminal xterm build "$small" $option
    expect_status 0
    check "no bar with $option" [ "$(grep -c ' %  ' "$out")" = 0 ]
done
on_terminal dumb build "$small"
check "no bar on a dumb terminal" [ "$(grep -c ' %  ' "$out")" = 0 ]

played=
with "LD_PRELOAD=$SHIM" SHIM_BUILD=slow -- build "$small"
expect_status 0
expect_no_err

finish
