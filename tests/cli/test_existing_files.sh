# Files that are there stay as they are until a complete one replaces them.
. "$(dirname "$0")/lib.sh"

run build "$small" -q -o out
cp -r out "$scratch/before"
unchanged() {
    check "the files as they were" diff -r out "$scratch/before"
}

sed 's/r0: 0.15/r0: -1/' "$small" >wrong.yaml
run build wrong.yaml -o out
expect_status 3
unchanged

run build "$small" -o out --alpha 0
expect_status 2
unchanged

run build "$small" -o out --mask-actuators 100
expect_status 2
unchanged

run build "$small" -o out -q --alpha 2
expect_status 0
check "replaced" [ "$(cmp -s out/R.fits "$scratch/before/R.fits" && echo same)" = "" ]
check "no other files" [ "$(ls out | tr '\n' ' ')" = "FR.fits R.fits " ]

# A disk that is full, played by the limit on the size of files: 8 blocks of 1024 bytes.
rm -rf out
cp -r "$scratch/before" out
for format in fits npy; do
    (
        ulimit -f 8
        run build "$small" -o out --format $format --alpha 3
        echo "$status" >"$scratch/status"
    )
    status=$(cat "$scratch/status") last="cltomo build with a limit on file size"
    expect_status 4
    expect_err "error: "
    unchanged
done

# Places that cannot be written to.
echo text >file
run build "$small" -o file
expect_status 4
expect_err "cannot write to the directory 'file': Not a directory"
run build "$small" -o file/below
expect_status 4
check "the file as it was" [ "$(cat file)" = text ]
run build "$small" -o /proc/cltomo
expect_status 4
expect_err "/proc/cltomo"
mkdir -p taken/R.fits
run build "$small" -o taken
expect_status 4
expect_err "taken/R.fits"
check "nothing left behind" [ "$(find taken -mindepth 1 | tr '\n' ' ')" = "taken/R.fits " ]
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed
    chmod a-w closed
    run build "$small" -o closed
    expect_status 4
    expect_err "cannot write to the directory 'closed': Permission denied"
fi

finish
