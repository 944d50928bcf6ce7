#!/bin/sh
# Ports of the innermost memories decide: the fastest mapping is not the one that moves least.
. "$2/test/cli/harness"
cat >cores.yaml <<'END'
levels:
  - {memory: DRAM, energy_pj: 50, bandwidth_bits: 16}
  - {array: core, shape: [2]}
  - {memory: L2, energy_pj: 5, capacity_words: 19}
  - {array: PE, shape: [4]}
  - {memory: L1, energy_pj: 1, bandwidth_bits: {read: 4, write: 64}, capacity_words: 11}
  - {compute: mac, energy_pj: 1}
END
# 128 instances, 16 for each of 8 PEs: two operands of each, a word in four cycles, and no sum, as those of the four PEs with one value of
# k each are their own
sator map gemm:i=4,j=8,k=4 --arch cores.yaml --timing roofline --objective latency --json >out
grep -q '"total":.*[^0-9]128$' out || echo "not 16 x 2 x 4 cycles"
grep -q '"proved":.*true' out || echo "not proved"
