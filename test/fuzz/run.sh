#!/bin/sh
# Fuzz the reader of YAML for SECONDS (default 600), from the library, the broken files and what earlier runs found in
# build/fuzz/corpus. Ends with 1 when an input crashes, hangs for ten seconds, leaks, or does not read back as written.
cd "$(dirname "$0")/../.." || exit 2
cmake --preset fuzz -DSATOR_SANITIZE=ON -DSATOR_TESTS=ON \
    -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link >/dev/null || exit 2
cmake --build build/fuzz --target fuzz_yaml -- --no-print-directory -s || exit 2
mkdir -p build/fuzz/corpus
find library test/broken -name '*.yaml' -size -4k | while read -r file; do
    cp "$file" "build/fuzz/corpus/$(echo "$file" | tr / _)"
done
cd build/fuzz && exec test/fuzz_yaml -max_len=1500 -timeout=10 -max_total_time="${1:-600}" corpus
