#!/bin/bash
# pkgconfig.sh shared|static LIBRARY_DIR SYSTEM BUILD_DIR COMPILER...
# Builds and runs the consumer with what pkg-config says of the package in LIBRARY_DIR.
set -euo pipefail

kind=$1
library_dir=$2
system=$3
consumer=$4/pkgconfig_$kind
shift 4

export PKG_CONFIG_PATH=$library_dir/pkgconfig
if [ "$kind" = static ]; then
    libraries=$(pkg-config --static --libs cltomo)
    libraries=${libraries/-lcltomo/-l:libcltomo.a}
else
    libraries=$(pkg-config --libs cltomo)
    export LD_LIBRARY_PATH=$library_dir
fi

# The flags are lists of words.
# shellcheck disable=SC2046,SC2086
"$@" $(pkg-config --cflags cltomo) consumer/consumer.c -o "$consumer" $libraries
"$consumer" "$system"

needed=$(readelf -d "$consumer" | grep -c 'NEEDED.*libcltomo' || true)
if [ "$kind" = static ] && [ "$needed" -ne 0 ]; then
    echo "the static consumer needs the shared library" >&2
    exit 1
fi
