#!/bin/sh
# Build with sanitizers, run every test.
set -e
jobs=${1:-2}
cmake --preset asan >/dev/null
cmake --build build/asan -j"$jobs" -- --no-print-directory -s
cd build/asan
ctest --output-on-failure -j"$jobs"
