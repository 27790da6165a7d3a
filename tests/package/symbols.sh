#!/bin/bash
# symbols.sh LIBRARY MAJOR
# The shared library has the SONAME of its major version and shows symbols named cltomo_* only.
set -euo pipefail

library=$1
major=$2

readelf -d "$library" | grep -q "SONAME.*\[libcltomo\.so\.$major\]"

symbols=$(nm -D --defined-only --format=posix "$library" | cut -d ' ' -f 1)
if grep -v '^cltomo_' <<<"$symbols"; then
    echo "these symbols should be hidden" >&2
    exit 1
fi
grep -qx cltomo_version <<<"$symbols"
