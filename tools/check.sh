#!/bin/sh
# Build with sanitizers, run every test. The random programs of test/property come from a seed: this one by default, so
# that a run repeats; SATOR_SEED=$(date +%s) make check explores others.
set -e
export SATOR_SEED="${SATOR_SEED:-1}"
export SATOR_TEST_SEED="$SATOR_SEED"
jobs=${1:-2}
"$(dirname "$0")/install-deps.sh" --tests || echo "SKIP: packages of the tests cannot be installed" >&2
cmake --preset asan >/dev/null
cmake --build build/asan -j"$jobs" -- --no-print-directory -s
cd build/asan
ctest --output-on-failure -j"$jobs"
