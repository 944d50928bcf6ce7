#!/bin/sh
# Run every benchmark; tables go to standard error, the figures together into build/bench.json.
set -e
for bench in build/bench/bench_*; do
    [ -x "$bench" ] && [ -f "$bench" ] || continue
    echo "== $(basename "$bench")" >&2
    "$bench" >"$bench.json"
done
tools/instructions.sh >&2
# One flat object: the benchmarks print {"key": number, ...}, a key a line.
cat build/bench/bench_*.json | tr -d '{}' | sed 's/[[:space:],]*$//; s/^[[:space:]]*//' |
    grep . | awk 'NR > 1 { print prev "," } { prev = " " $0 } BEGIN { print "{" } END { print prev "\n}" }' \
    >build/bench.json
cat build/bench.json
