# Each built-in example, built.
. "$(dirname "$0")/lib.sh"

while read -r name rows slopes actuators; do
    run build "$name" -o "$name" --precision single
    expect_status 0
    expect_no_err
    expect_shape "$name/R.fits" "$rows" "$slopes" single
    expect_shape "$name/FR.fits" "$actuators" "$slopes" single
    rm -rf "$name"
done <<'TABLE'
kapa 1312 2432 349
kapa-single-channel 1312 2432 349
keck 1312 2432 393
revolt 817 376 277
TABLE

finish
