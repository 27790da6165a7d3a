# Compiled kernels on disk: shared by processes, damaged, out of reach.
. "$(dirname "$0")/lib.sh"

build() { run build "$small" --backend opencl --precision single --product command -o "$1"; }
cached() { find "$XDG_CACHE_HOME/cltomo" -type f | wc -l; }

run build "$small" --backend cpu --precision single --product command -o cpu
export XDG_CACHE_HOME=$scratch/cache

# Two processes at once find an empty folder, and both fill it.
"$CLTOMO" build "$small" --backend opencl --precision single --product command -o other >/dev/null 2>"$scratch/other" &
build one
expect_status 0
check "the other process works" wait $!
check "one program is kept" [ "$(cached)" = 1 ]
for folder in one other; do
    expect_close $folder/FR.fits cpu/FR.fits 1e-5
done

# A damaged file is replaced.
file=$(find "$XDG_CACHE_HOME/cltomo" -type f)
echo "rubbish" >"$file"
build two
expect_status 0
expect_close two/FR.fits cpu/FR.fits 1e-5
check "the rubbish is gone" [ "$(stat -c %s "$file")" -gt 1000 ]

# A folder that cannot be made is done without.
export XDG_CACHE_HOME=/dev/null
build three
expect_status 0
expect_no_err_text error
expect_close three/FR.fits cpu/FR.fits 1e-5

finish
