#!/bin/sh
# A machine of memories and one compute unit: no array.
. "$2/test/cli/harness"
cat >cpu.yaml <<'YAML'
name: cpu
levels:
  - {memory: DRAM, bandwidth_bits: 64, energy_pj: 200}
  - {memory: L1, capacity_words: 512, energy_pj: 6}
  - {memory: registers, capacity_words: 9, energy_pj: 1}
  - {compute: mac, energy_pj: 1}
YAML
cat >nest.yaml <<'YAML'
name: nest
loops:
  - {at: DRAM, for: [i 4]}
  - {at: L1, for: [i 4, j 16, k 4]}
  - {at: registers, for: [k 4]}
YAML
layer=gemm:i=16,j=16,k=16
# By hand: one of four blocks of 4 rows at a time in L1, B whole. Registers hold 4 words of A and of B and one of Y. A and
# B are fetched for each of 16 x 16 x 4 steps; Y stays for 4 of them and starts from zero.
# Time: 4,096 steps after 80 cycles for the first block of A and all of B, 320 words of 16 bits at 64 a cycle; the last
# block of Y leaves in 16. With a row at a time in L1 it is 272 words before and 16 behind: 68 and 4 cycles.
sator analyze $layer --arch cpu.yaml -d nest.yaml | grep -E '^  (latency|DRAM|L1|registers)  |^   *[BY]  .* (read|write) '
sator analyze $layer --arch cpu.yaml --space '' --time i,j,k | sed -n 's/^  latency *//p'
sator analyze $layer --arch cpu.yaml --space 0 --time i,j,k 2>&1 | grep -E 'error|help'
sator simulate $layer --arch cpu.yaml -d nest.yaml | sed -n '/^Execution/,$p'
sator map $layer --arch cpu.yaml | sed -n 's/^  mapping *//p'
sator map $layer --arch cpu.yaml --strategy exhaustive --json >exhaustive.json
sator map $layer --arch cpu.yaml --json >map.json
sator map $layer --arch cpu.yaml --yaml >best.yaml
sator analyze $layer --arch cpu.yaml -d best.yaml --json >analysis.json
edp() { sed -n 's/^.*"edp":[[:space:]]*\([0-9.e+]*\).*/\1/p' "$1" | head -n 1; }
awk -v a="$(edp map.json)" -v b="$(edp exhaustive.json)" -v c="$(edp analysis.json)" 'BEGIN {
    print (a > 0 && a == b && a == c ? "map, exhaustive and analyze agree" : a " " b " " c) }'
sator explore $layer --arch cpu.yaml --dataflows optimal | head -n 1 | sed 's/,[^,]* s$//'
sator explore $layer --arch cpu.yaml 2>&1 | grep error
sator show cpu.yaml >shown.yaml
sator show shown.yaml | cmp - shown.yaml && echo "shown as read"
sator map $layer --arch cpu.yaml --imperfect --objective energy | sed -n 's/^  mapping *//p'
