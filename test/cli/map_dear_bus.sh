#!/bin/sh
# A window straight to compute units, over a bus that is dearer than reading: what PEs share is worth less than reading
# it again, and how much of it they share is not known before the tiles between are. The best of all mappings, looked at
# one by one, is found.
. "$2/test/cli/harness"
cat >window.yaml <<'END'
name: window
sizes: {x: 6, r: 3}
op: "Y[x] += A[x+r] * B[r]"
END
cat >dear.yaml <<'END'
name: dear
levels:
  - {memory: L1, energy_pj: 1}
  - {array: lane, shape: [6], multicast: [{name: cast, map: "lane[i] -> BUS[0]", energy_pj: 4, tensors: [A]}]}
  - {memory: registers, capacity_words: 6, energy_pj: 0.1, bypass: [A]}
  - {compute: mac, energy_pj: 1, cycles: 1}
END
for strategy in exhaustive optimal; do
    sator map window.yaml --arch dear.yaml --objective edp --strategy $strategy | grep -o 'proved optimal\|EDP .* pJ x.*'
done
# Memories of PEs that hold one word of each tensor, behind a dear bus: PEs side by side, each with its sum, fetch b once
# for two of them in each step of r. One after the other would fetch it for each, or bring the sums back:
# 36 words read at 117, 6 written at 100, 12 shared at 640, 48 read and 54 written inside at 30 and 16, 24 products, and
# 72 cycles in which 512 units leak 2 pJ: 88,548 pJ.
cat >both.yaml <<'END'
name: both
sizes: {x: 6, r: 4}
op: "Y[x] += A[x+r,x-r] * B[r]"
END
cat >leaks.yaml <<'END'
name: leaks
levels:
  - {memory: DRAM, energy_pj: {read: 117, write: 100}, bandwidth_bits: {read: 8, write: 4}}
  - {array: PE, shape: [2, 8], multicast: [{name: cast, map: "PE[i,j] -> BUS[j]", energy_pj: 640, tensors: [A, B]}]}
  - {memory: L2, energy_pj: {read: 30, write: 16}, bandwidth_bits: {read: 4, write: 8}, capacity_words: 4}
  - {array: lane, shape: [8, 4], multicast: [{name: pairs, map: "lane[i,j] -> BUS[i/2, j]", energy_pj: 1.6}]}
  - {compute: mac, energy_pj: 1, cycles: 2, leakage_pj: 2}
END
for strategy in exhaustive optimal; do
    sator map both.yaml --arch leaks.yaml --timing roofline --strategy $strategy | grep -o 'proved optimal\|EDP .* pJ x.*'
done
