# Help, version, and what happens when the command line is wrong.
. "$(dirname "$0")/lib.sh"

run
expect_status 2
expect_no_out
expect_err "Usage: cltomo COMMAND"

for arguments in --help -h help; do
    run $arguments
    expect_status 0
    expect_no_err
    for command in build info bench examples help; do
        expect_out "  $command "
    done
    expect_out "Exit status:"
done

run --version
expect_status 0
check "the version alone" grep -qxE 'cltomo [0-9]+\.[0-9]+\.[0-9]+' "$out"

for command in build info bench examples help; do
    run help $command
    expect_status 0
    expect_no_err
    expect_out "Usage: cltomo $command"
    cp "$out" "$scratch/help"
    for arguments in "$command --help" "$command -h" "--help $command"; do
        run $arguments
        expect_status 0
        check "the same help" cmp -s "$out" "$scratch/help"
    done
    check "lines that fit a terminal" [ "$(awk '{ if (length > 100) n++ } END { print n + 0 }' "$out")" = 0 ]
done

# Every option of the synopsis, and every product.
run build --help
for option in output alpha precision format product slope-order lenslet-order scaling stretch mirror-rotation \
    mirror-flip mask-actuators wfs backend threads dump json quiet verbose help; do
    expect_out "--$option"
done
for product in R FR F IF C_ss C_ps C_n R_unscaled grid_mask Gamma; do
    expect_out "  $product: "
done

run buidl
expect_status 2
expect_no_out
expect_err "there is no command 'buidl'; did you mean 'build'?"
expect_err "Try 'cltomo --help'."

run help inof
expect_status 2
expect_err "did you mean 'info'?"

run frobnicate
expect_status 2
expect_err "there is no command 'frobnicate'"
expect_no_err_text 'did you mean'

run --verison
expect_status 2
expect_err "did you mean '--version'?"

run build
expect_status 2
expect_err "cltomo build: CONFIG|EXAMPLE is missing"
expect_err "Try 'cltomo build --help'."

run build kapa keck
expect_status 2
expect_err "'keck' is one argument too many"

expect_files
finish
