#!/bin/sh
# A memory in the middle that holds one tensor only, while another goes past it: a factor that moves into the middle one's tile, which
# then holds no more than it did, changes the order in which the loops run for the one that goes past.
# With i outermost A crosses 2 times and B 12 times; with i at L1, inside j, A crosses 12 times and B 6. So the least is
#   DRAM: 14 reads of 100 and 12 writes of 1;  L1: 12 writes and 12 reads of 1;  1436 in all, where i at L1 takes 1824.
. "$2/test/cli/harness"
rooflines
cat >product.yaml <<'END'
name: product
sizes: {i: 2, j: 6}
op: "Y[i,j] += A[i] * B[j]"
END
cat >machine.yaml <<'END'
name: machine
levels:
  - {memory: DRAM, energy_pj: {read: 100, write: 1}}
  - {memory: L1, tensors: [B], capacity_words: 1, energy_pj: 1}
  - {memory: L0, capacity_words: {A: 1, B: 1, Y: 1}, energy_pj: 0}
  - {compute: mac, energy_pj: 0}
END
least() { sator map product.yaml --arch machine.yaml --objective energy --json "$@" | sed -n 's/^.*"value":[^0-9]*\([0-9.e+]*\),*$/\1/p'; }
for strategy in optimal exhaustive; do
    echo "$strategy $(least --strategy $strategy)"
done
printf 'name: moved\nloops:\n  - {at: DRAM, for: [j 6]}\n  - {at: L1, for: [i 2]}\n' >moved.yaml
sator analyze product.yaml --arch machine.yaml -d moved.yaml --json | sed -n '/energy_pj/,$s/^.*"total":[^0-9]*\([0-9.]*\),*$/i at L1 \1/p' | head -n 1
