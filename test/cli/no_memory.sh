#!/bin/sh
# A machine without any memory: what moves over its links is counted. B[k,j] moves from PE i to PE i+1, one stamp later, for
# 3 of the 4 PEs and all 16 elements: 48 words of 2 pJ; and 64 MACs of 1 pJ.
. "$2/test/cli/harness"
cat >bare.yaml <<'END'
name: bare
levels:
  - array: PE
    shape: [4]
    links:
      - {name: east, map: "PE[i] -> PE[i+1]", interval: 1, energy_pj: 2}
  - {compute: mac, energy_pj: 1, cycles: 1}
END
sator analyze gemm:i=4,j=4,k=4 --arch bare.yaml --space 'i' --time 'j, i + k' | grep -E '^  (total|east|mac)'
