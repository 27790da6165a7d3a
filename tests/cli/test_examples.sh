# The built-in examples: listed, printed, understood again.
. "$(dirname "$0")/lib.sh"

run examples
expect_status 0
expect_no_err
check "four lines" [ "$(wc -l <"$out")" -eq 4 ]
check "a description each, on a line that fits" [ "$(grep -cE '^[a-z-]+ +[A-Z].{20,85}\.$' "$out")" -eq 4 ]
names=$(cut -d' ' -f1 "$out")
check "the names" [ "$(echo $names)" = "kapa kapa-single-channel keck revolt" ]

for name in $names; do
    run examples "$name"
    expect_status 0
    expect_no_err
    cp "$out" "$name.yaml"
    run info "$name.yaml" --json
    expect_status 0
    expect_no_err
    jq .system.hash "$out" >hash
    run info "$name" --json
    expect_status 0
    check "the same system" [ "$(jq .system.hash "$out")" = "$(cat hash)" ]
done

run examples kpaa
expect_status 2
expect_no_out
expect_err "there is no example 'kpaa'; did you mean 'kapa'?"

run examples xyzzy
expect_status 2
expect_err "'cltomo examples' lists them"

run examples kapa keck
expect_status 2

finish
