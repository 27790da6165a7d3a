#!/bin/bash
# Compiles the kernels once, into a cache that every test of OpenCL starts with a copy of.
#   CLTOMO      the tool
#   SYSTEM      a small system that goes through the evaluators
#   CACHES      the folder with a folder for each test
set -u

warm=$CACHES/warm
mkdir -p "$warm/pocl" "$warm/xdg"
for precision in double single; do
    for evaluation in auto direct; do
        POCL_CACHE_DIR=$warm/pocl XDG_CACHE_HOME=$warm/xdg "$CLTOMO" build "$SYSTEM" --backend opencl \
            --precision $precision --evaluation $evaluation -q -o "$warm/out" || exit 1
    done
done
rm -rf "$warm/out"
for folder in "$CACHES"/*/; do
    [ "$folder" = "$warm/" ] || cp -rn "$warm/." "$folder" || exit 1
done
