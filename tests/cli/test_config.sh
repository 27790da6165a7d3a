# Where a configuration comes from, and the answer to one that is wrong: exit status 3, everything said at once.
. "$(dirname "$0")/lib.sh"

run build nowhere/missing.yaml
expect_status 3
expect_no_out
expect_err "nowhere/missing.yaml: error: "
expect_err "No such file or directory"

run build kappa
expect_status 3
expect_err "'kappa' is neither a file nor a built-in example; did you mean 'kapa'?"

run info xyzzy
expect_status 3
expect_err "'xyzzy' is neither a file nor a built-in example; 'cltomo examples' lists those"

run build .
expect_status 3
expect_err ".: error: "

# Three mistakes and a key that nobody reads.
sed -e 's/nLenslet: 6/nLenslet: six/' -e 's/zenithAngleInDeg: 60/zenithAngleInDeg: 95/' \
    -e 's/r0: 0.15/r0: -1/' -e 's/nFitSrc: 2/nFitSrc: 2\n  fovOptimisation: 3/' "$small" >wrong.yaml
for command in build info; do
    run $command wrong.yaml
    expect_status 3
    expect_no_out
    for key in nLenslet zenithAngleInDeg 'r0:'; do
        line=$(grep -n "$key" wrong.yaml | cut -d: -f1)
        check "an error on line $line about $key" grep -qE "^wrong.yaml:$line:[0-9]+: error: .*${key%:}" "$err"
    done
    check "the value and what is allowed" grep -qE 'zenithAngleInDeg: .*\(got 95; allowed: .*\)' "$err"
    check "the nearest key suggested" grep -qE '^wrong.yaml:[0-9]+:[0-9]+: warning: .*fovOptimi' "$err"
    check "a count at the end" \
        [ "$(tail -n 1 "$err")" = "$(grep -c ': error: ' "$err") errors, $(grep -c ': warning: ' "$err") warning" ]
done

run build wrong.yaml --quiet
expect_status 3
expect_no_err_text ': warning: '
expect_err ": error: "

run build wrong.yaml --json
expect_status 3
expect_json '.exit_status == 3 and (.errors | length) >= 3 and (.warnings | length) == 1'
expect_json '.errors | map(select(.key == "atmosphere_parameters.zenithAngleInDeg")) |
    length == 1 and .[0].got == "95" and .[0].line > 0 and .[0].file == "wrong.yaml"'

printf 'lgs_wfs_parameters: [1, 2\n' >broken.yaml
run build broken.yaml
expect_status 3
expect_err "broken.yaml:"
expect_err "1 error, 0 warnings"

# Control characters in a file must not reach the terminal.
printf 'a\033[31mb: 1\n' >escape.yaml
run build escape.yaml
expect_status 3
check "no escape sequence" [ "$(grep -c $'\033' "$err")" = 0 ]

: >empty.yaml
run build empty.yaml
expect_status 3
rm -f -- *.yaml
expect_files

# A warning does not keep it from building.
sed 's/nFitSrc: 2/nFitSrc: 2\n  fovOptimisation: 3/' "$small" >unused.yaml
run build unused.yaml -o out
expect_status 0
check "a warning" grep -qE '^unused.yaml:[0-9]+:[0-9]+: warning: ' "$err"
expect_err_lines 1
run build unused.yaml -o out --quiet
expect_status 0
expect_no_err

# Standard input.
$LAUNCHER "$CLTOMO" build - -o from_stdin --format npy <"$small" >"$out" 2>"$err"
status=$? last="cltomo build - <small.yaml"
expect_status 0
expect_out "<stdin>: 2 sensors"
run build "$small" -o from_file --format npy -q
check "the same from a file" cmp -s from_stdin/R.npy from_file/R.npy
$LAUNCHER "$CLTOMO" build - </dev/null >"$out" 2>"$err"
status=$? last="cltomo build - </dev/null"
expect_status 3
expect_err "<stdin>"
$LAUNCHER "$CLTOMO" info - <&- >"$out" 2>"$err"
status=$? last="cltomo info - <&-"
expect_status 3

# An example wins over a file of its name, and says so; a path means the file.
cp "$small" revolt
run info revolt
expect_status 0
expect_out "revolt (built-in example"
expect_err "warning: 'revolt' is the built-in example; for the file of that name give './revolt'"
run info ./revolt
expect_status 0
expect_out "./revolt (file"
expect_no_err
rm revolt
mkdir revolt
run info revolt
expect_status 0
expect_no_err
cp "$small" plain
run info plain
expect_status 0
expect_out "plain (file"

# What a configuration gives cause to warn of is said once, in the terms of the file.
sed -e 's/nFitSrc: 2/nFitSrc: 1/' "$small" >point.yaml
run build point.yaml --backend cpu
expect_status 0
expect_err_lines 1
expect_err "tomography_parameters.fovOptimization: the field has no effect"

finish
