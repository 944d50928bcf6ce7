#!/bin/sh
# What a proof is not about is said beside it, and only where it is so.
. "$2/test/cli/harness"
left_out() {
    echo "== $*"
    sator map "$@" | sed -n '/^  left out/,/^  energy/p' | grep -v '^  energy'
}
left_out gemm:i=4,j=6,k=8 --arch conventional
left_out gemm:i=2,j=2,k=2 --arch conventional # 2 is cut in no other way
left_out conv1d --arch shidiannao-8x8 # words pass from PE to PE
cat >single.yaml <<'END'
levels:
  - {memory: D, energy_pj: 9}
  - {array: PE, shape: [1]}
  - {memory: R, capacity_words: 8, energy_pj: 1}
  - {compute: mac, energy_pj: 1}
END
left_out gemm:i=4,j=6,k=8 --arch single.yaml # one PE
left_out gemm:i=4,j=6,k=8 --arch conventional --strategy random --samples 3 # nothing is proved
sator map gemm:i=2,j=2,k=2 --arch conventional --json | tr -d '\t\n' | grep -o '"left_out":\[[^]]*'
