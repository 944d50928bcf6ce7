#!/bin/sh
# The linter, and every test: with sanitizers, but for the many random programs, of which that build runs a share; these
# in full in the optimised build, where they take an eighth of the time; what is threaded under ThreadSanitizer, with
# small tables. The programs come from a seed: this one by default, so that a run repeats; SATOR_SEED=$(date +%s) make
# check explores others.
set -e
export SATOR_SEED="${SATOR_SEED:-1}"
export SATOR_TEST_SEED="$SATOR_SEED"
jobs=${1:-2}
"$(dirname "$0")/install-deps.sh" --tests || echo "packages of the tests cannot be installed: some will be skipped" >&2
cmake -S . -B build -DSATOR_TESTS=ON >/dev/null
cmake --build build -j"$jobs" --target programs -- --no-print-directory -s
tools/lint.sh --quick "$jobs"
cmake --preset asan >/dev/null
cmake --build build/asan -j"$jobs" -- --no-print-directory -s
# A test that is skipped has not been passed: what it lacks is in install-deps.sh --tests.
run() {
    folder=$1
    shift
    # One more than there are processors: some wait, for a moment to interrupt or for a disk.
    ctest --test-dir "$folder" --output-on-failure -j$((jobs + 1)) -O "$folder/tests.log" "$@"
    if grep -F '***Skipped' "$folder/tests.log"; then
        echo "tests were skipped" >&2
        exit 1
    fi
}
run build -L programs
export SATOR_TEST_SHARE=32
run build/asan -LE optimised
# What runs on several threads, where their accesses to memory are watched, and with tables so small that all of them
# are filled (src/base/room.h).
export SATOR_TEST_SHARE=30
cmake --preset tsan >/dev/null
cmake --build build/tsan -j"$jobs" --target threads -- --no-print-directory -s
run build/tsan -L threads
