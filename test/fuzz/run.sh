#!/bin/sh
# usage: run.sh [SECONDS [READER]]
# Fuzz a reader for SECONDS (default 600), from the library, the tests' files and what earlier runs found in
# build/fuzz/corpus: yaml, notation, tenet, c, onnx, or a format of another tool by its name in foreign.c (foreign: all of
# them). Ends with 1 when an input crashes, hangs, leaks, or does not read back as written.
reader=${2:-yaml}
program=$reader
cd "$(dirname "$0")/../.." || exit 2
if [ ! -e "test/fuzz/$reader.c" ]; then
    program=foreign
    export SATOR_FUZZ_READER="$reader"
fi
cmake --preset fuzz -DSATOR_SANITIZE=ON -DSATOR_TESTS=ON \
    -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link >/dev/null || exit 2
cmake --build build/fuzz --target "fuzz_$program" -- --no-print-directory -s || exit 2
corpus=build/fuzz/corpus/$reader
mkdir -p "$corpus"
case $reader in
yaml) find library test/broken -name '*.yaml' -size -4k ;;
onnx) find test/onnx /usr/share/libonnx-testdata -name "*.onnx" -size -4k 2>/dev/null ;;
c) find examples test/c test/broken -name '*.c' -size -4k ;;
notation | tenet) find test/tenet test/broken/tenet -name '*.[smp]' -size -4k ;;
foreign) find test/foreign test/broken/*/ -type f ! -name "*.expect" ! -name "*.py" ! -name README.md ;;
*) find "test/foreign/$reader" "test/broken/$reader" -type f ! -name "*.expect" 2>/dev/null ;;
esac | while read -r file; do
    cp "$file" "$corpus/$(echo "$file" | tr / _)"
done
# The words of the format, for the fuzzer to put together.
cat "$corpus"/* | tr -cs 'A-Za-z0-9_:+-' '\n' | grep -a '^[A-Za-z_]' | sort -u | sed 's/.*/"&"/' >"build/fuzz/$reader.words"
cd build/fuzz && exec test/"fuzz_$program" -max_len=1500 -timeout=20 -max_total_time="${1:-600}" \
    -dict="$reader.words" "corpus/$reader"
