#!/bin/sh
# Every test: with sanitizers, but for the many random programs, of which that build runs a share; and these in full in
# the optimised build, where they take an eighth of the time. The programs come from a seed: this one by default, so
# that a run repeats; SATOR_SEED=$(date +%s) make check explores others.
set -e
export SATOR_SEED="${SATOR_SEED:-1}"
export SATOR_TEST_SEED="$SATOR_SEED"
jobs=${1:-2}
"$(dirname "$0")/install-deps.sh" --tests || echo "SKIP: packages of the tests cannot be installed" >&2
cmake -S . -B build -DSATOR_TESTS=ON >/dev/null
cmake --build build -j"$jobs" --target programs -- --no-print-directory -s
cmake --preset asan >/dev/null
cmake --build build/asan -j"$jobs" -- --no-print-directory -s
ctest --test-dir build --output-on-failure -j"$jobs" -L programs
SATOR_TEST_SHARE=8 ctest --test-dir build/asan --output-on-failure -j"$jobs" -LE optimised
