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
bound --set levels.scratchpad.capacity_bytes=800000 --set 'levels.DRAM.bandwidth_bits={read: 3079, write: 368}' \
    --set 'levels.scratchpad.bandwidth_bits={read: 12288, write: 2048}'
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
echo "== the least with which no run waits: of 32 bits, then of 40"
cat >buffer.yaml <<'YAML'
name: buffer
levels:
  - {memory: DRAM, bandwidth_bits: 32}
  - {memory: buf, capacity_words: 128, bandwidth_bits: {read: 64, write: 32}}
  - array: PE
    shape: [3, 2]
    multicast: [{name: bc, map: "PE[i,j] -> BUS[0]"}]
    reduction: [{name: tr, map: "PE[i,j] -> TREE[0]"}]
  - {memory: rf, capacity_words: 16}
  - {compute: mac}
YAML
cat >depthwise.yaml <<'YAML'
name: depthwise
sizes: {c: 12, oy: 6, ox: 6, ry: 3, rx: 3}
op: "Y[c,oy,ox] += A[c,2*oy+ry,2*ox+rx] * B[c,ry,rx]"
word_bits: {A: 8, B: 8, Y: 24}
YAML
cat >nest.yaml <<'YAML'
loops:
  - {at: DRAM, for: [c 12, oy 2]}
  - {at: buf, for: [ox 3, oy 3]}
  - {at: PE, parallel: [rx 3 -> 0, ox 2 -> 1]}
  - {at: rf, for: [ry 3]}
YAML
flow="depthwise.yaml --arch buffer.yaml -d nest.yaml"
analyze | sed -n '/^What/,/^$/p' | grep times
bound --set levels.buf.bandwidth_bits.write=40
bound --set levels.buf.bandwidth_bits.write=39
echo "== runs wait, though computing takes longer on average"
cat >linked.yaml <<'YAML'
name: linked
levels:
  - {memory: DRAM, bandwidth_bits: 32}
  - {memory: buf, capacity_words: 64, bandwidth_bits: {read: 64, write: 32}}
  - array: PE
    shape: [3]
    multicast: [{name: bc, map: "PE[i] -> BUS[0]"}]
    links: [{name: e, map: "PE[i] -> PE[i+1]", interval: 1, tensors: [A, Y]}]
  - {memory: rf, capacity_words: 8}
  - {compute: mac}
YAML
flow="gemm:i=9,j=8,k=7 --arch linked.yaml --space i%3 --time i/3,j,k"
analyze | sed -n '/^What/,/^$/p' | grep times
bound --set levels.buf.bandwidth_bits.write=48
echo "== a memory that is given in words"
cat >words.yaml <<'YAML'
name: words
levels:
  - memory: DRAM
  - {memory: L2, capacity_words: 22, bandwidth_bits: {read: 100, write: 8}}
  - {array: PE, shape: [2]}
  - {memory: L1, capacity_words: 16}
  - {compute: mac, cycles: 1}
YAML
cat >twice.yaml <<'YAML'
name: twice
sizes: {i: 7, j: 4}
op: "Y[i,j] += A[i,j] * A[j,i]"
YAML
sator analyze twice.yaml --arch words.yaml --space '(i%4 + (j/2)%2)%2' --time 'i + j/4, i/3' --json | tr -d '\t\n' | grep -o '"memory":"L2","factor":[^}]*words":[0-9]*,'
echo "== so many instances, a stamp each, that the least is not looked for: what computing takes on average"
printf 'void f(double x[300], double L[300][300]) {\n#pragma sator\nfor (int i = 0; i < 300; i++) for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];\n}\n' >solve.c
printf 'loops:\n  - {at: DRAM, for: [i 299]}\n  - {at: L2, for: [j 299]}\n' >steps.yaml
flow="solve.c --arch conventional -d steps.yaml"
analyze | sed -n '/^What/,/^$/p' | grep times
bound --set 'levels.L1.bandwidth_bits={read: 192, write: 192}'
