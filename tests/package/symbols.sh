#!/bin/bash
# symbols.sh LIBRARY MAJOR ON|OFF [--update]
# The shared library has the SONAME of its major version and shows exactly the symbols that symbols.txt lists; built
# without OpenCL (OFF) it lacks those of cltomo/opencl.h. --update writes the list anew.
set -euo pipefail

library=$1
major=$2
opencl=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

readelf -d "$library" | grep -q "SONAME.*\[libcltomo\.so\.$major\]"

symbols=$(nm -D --defined-only --format=posix "$library" | cut -d ' ' -f 1 | LC_ALL=C sort)
if grep -v '^cltomo_' <<<"$symbols"; then
    echo "these symbols should be hidden" >&2
    exit 1
fi

if [ "${4:-}" = --update ]; then
    [ "$opencl" = ON ] || { echo "only a library with OpenCL shows all symbols" >&2; exit 1; }
    printf '%s\n' "$symbols" >"$here/symbols.txt"
    exit
fi

expected=$(cat "$here/symbols.txt")
if [ "$opencl" != ON ]; then
    expected=$(grep -vxF "$(grep -oE 'cltomo_[a-z_]+\(' "$here/../../include/cltomo/opencl.h" | tr -d '(')" <<<"$expected")
fi
if ! diff --label symbols.txt --label "$library" -u <(printf '%s\n' "$expected") <(printf '%s\n' "$symbols"); then
    cat >&2 <<TEXT
The library shows other symbols than the list. A symbol that is gone or changed breaks programs that were linked with
it. If that is meant, or if functions were added, write the list anew and commit it:

    bash $here/symbols.sh $library $major $opencl --update

TEXT
    exit 1
fi
