#!/bin/sh
# usage: run.sh [SECONDS [READER]]
# Fuzz a reader (yaml, notation, tenet, c, onnx, foreign) for SECONDS (default 600), from the library, the tests' files and what earlier
# runs found in build/fuzz/corpus. Ends with 1 when an input crashes, hangs, leaks, or does not read back as written.
reader=${2:-yaml}
cd "$(dirname "$0")/../.." || exit 2
cmake --preset fuzz -DSATOR_SANITIZE=ON -DSATOR_TESTS=ON \
    -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link >/dev/null || exit 2
cmake --build build/fuzz --target "fuzz_$reader" -- --no-print-directory -s || exit 2
corpus=build/fuzz/corpus/$reader
mkdir -p "$corpus"
case $reader in
yaml) find library test/broken -name '*.yaml' -size -4k ;;
foreign) find test/broken/timeloop test/broken/scalesim test/broken/maestro test/broken/zigzag -type f ! -name "*.expect" ;;
onnx) find test/onnx /usr/share/libonnx-testdata -name "*.onnx" -size -4k 2>/dev/null ;;
c) find examples test/c test/broken -name '*.c' -size -4k ;;
*) find test/tenet test/broken/tenet -name '*.[smp]' -size -4k ;;
esac | while read -r file; do
    cp "$file" "$corpus/$(echo "$file" | tr / _)"
done
cd build/fuzz && exec test/"fuzz_$reader" -max_len=1500 -timeout=20 -max_total_time="${1:-600}" \
    "corpus/$reader"
