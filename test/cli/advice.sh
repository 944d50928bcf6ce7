#!/bin/sh
# What would make a dataflow faster is what an analysis of the changed machine says; one byte less does not do it.
. "$2/test/cli/harness"
gemm="gemm:i=512,j=512,k=512 --arch tpu-256x256 -d gemm/kj-p_k-ijk-t"
flow="$gemm --timing roofline"
# shellcheck disable=SC2086
analyze() { sator analyze $flow "$@"; }
bound() { analyze "$@" | sed -n 's/^  latency *//p'; }
analyze --set levels.scratchpad.capacity_bytes=800000 | sed -n '/^What/,/^$/p'
# the ports, one after the other: DRAM at 3079 bits a cycle, then the scratchpad at 5131
bound --set levels.scratchpad.capacity_bytes=800000
bound --set levels.scratchpad.capacity_bytes=800000 --set levels.DRAM.bandwidth_bits=3079
bound --set levels.scratchpad.capacity_bytes=800000 --set levels.DRAM.bandwidth_bits=3079 \
    --set levels.scratchpad.bandwidth_bits=5131
# the capacity: 1 MiB, and one byte less
bound --set levels.scratchpad.capacity_bytes=1048576
bound --set levels.scratchpad.capacity_bytes=1048575
# in phases, and where transfers wait for each other: what adds up stays added. The scratchpad may have to read 256 words of
# each of A, B and Y in a stamp: 12,288 bits; with one bit less some stamp waits
flow="$gemm --timing scheduled"
analyze --set levels.scratchpad.capacity_bytes=800000 | sed -n '/^What/,/^$/p'
bound --set levels.scratchpad.capacity_bytes=800000 --set 'levels.DRAM.bandwidth_bits={read: 3079, write: 368}'
bound --set levels.scratchpad.capacity_bytes=1048576
for bits in 12288 12287; do
    analyze --set levels.scratchpad.capacity_bytes=800000 --set 'levels.DRAM.bandwidth_bits={read: 3079, write: 1027}' \
        --set "levels.scratchpad.bandwidth_bits={read: $bits, write: 5131}" | grep -c 'for scratchpad reads: .* [1-9][0-9,]* within'
done
flow="gemm:i=64,j=64,k=64 --arch tpu-8x8 -d gemm/kj-p_k-ijk-t --set levels.scratchpad.overlaps=false --timing roofline"
analyze | sed -n '/^What/,/^$/p'
bound --set 'levels.scratchpad.bandwidth_bits={read: 211, write: 128}'
flow="$gemm --timing roofline"
# in JSON, for programs
analyze --set levels.scratchpad.capacity_bytes=800000 --json | tr -d '\t\n' | grep -o '"advice":.*' | tr '{' '\n'
# nothing where compute decides, nor for contents that the dataflow declares
analyze --set levels.DRAM.bandwidth_bits=1e6 --set levels.scratchpad.bandwidth_bits=1e6 | grep -c '^What'
sator map conv1d --arch conventional --set levels.L2.bandwidth_bits=1 --yaml >mapping.yaml
sator analyze conv1d --arch conventional --set levels.L2.bandwidth_bits=1 -d mapping.yaml | grep -c '^  or'
true
