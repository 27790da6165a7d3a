#!/bin/bash
# headers.sh INCLUDE_DIR COMPILER...
# Compiles each public header alone, as strictly as any user may.
set -euo pipefail

include_dir=$1
shift

count=0
for header in "$include_dir"/cltomo/*.h; do
    name=cltomo/$(basename "$header")
    printf '#include <%s>\nint main(void) { return 0; }\n' "$name" |
        "$@" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I"$include_dir" - || {
        echo "$name does not compile alone" >&2
        exit 1
    }
    count=$((count + 1))
done
echo "$count headers"
test "$count" -gt 0
