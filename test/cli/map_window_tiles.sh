#!/bin/sh
# Tiles of a window that two loops move: 2 x 2 iterations of k and i touch 3 values of k + i, not 4, so that what crosses
# the array is less than a value for each iteration. Two PEs with two values of i each, and all of k: A's 4 words and B's
# 5 for each l are read once, each PE leaves 2 sums, of which the second's 2 are read back: 40 words of 100 pJ, 282 pJ
# for the rest. The best of all mappings, looked at one by one, is found.
. "$2/test/cli/harness"
cat >window.yaml <<'END'
name: window
sizes: {i: 4, k: 2, l: 6}
op: "Y[k] += A[i] * B[l,k+i]"
END
cat >array.yaml <<'END'
name: array
levels:
  - {memory: DRAM, energy_pj: 100}
  - {array: PE, shape: [2], multicast: [{name: all, map: "PE[i] -> BUS[0]", energy_pj: 0.3}]}
  - {memory: L1, capacity_words: 7, energy_pj: 1}
  - {compute: mac, energy_pj: 1}
END
for strategy in exhaustive optimal; do
    sator map window.yaml --arch array.yaml --objective energy --strategy $strategy | grep -o 'proved optimal\|energy  .* pJ'
done
