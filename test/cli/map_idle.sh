#!/bin/sh
# Seven iterations side by side on 2 x 4 PEs, 4 + 3: one PE has nothing to do, and is not counted.
. "$2/test/cli/harness"
rooflines
cat >arch.yaml <<'END'
levels:
  - {memory: DRAM, energy_pj: 100}
  - {array: R, shape: [2]}
  - {array: C, shape: [4]}
  - {memory: L1, capacity_words: 20, energy_pj: 1}
  - {compute: mac, energy_pj: 1}
END
sator map gemm:i=7,j=1,k=1 --arch arch.yaml --imperfect --objective latency | grep -E 'utilization|parallel on'
