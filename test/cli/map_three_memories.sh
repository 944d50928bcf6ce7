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
# A window with a stride: x in 3 steps inside of r, the first of which finds what the last step of x left, since 2 r undoes what x has
# stepped. On each of 3 PEs 7 of 9 words of A cross for each of 2 steps of x further out, 42 in all, and 3 of B: 45 words of 16 bits.
cat >stride.yaml <<'END'
name: stride
sizes: {x: 6, r: 3, k: 3}
op: "Y[x,r] += A[k,x+2r] * B[r]"
END
cat >narrow.yaml <<'END'
name: narrow
levels:
  - {memory: D, energy_pj: 9, bandwidth_bits: 32}
  - {memory: G, capacity_words: 30, energy_pj: 3, bypass: [A]}
  - {array: PE, shape: [4], reduction: [{name: tree, map: "PE[i] -> TREE[0]", energy_pj: 6}]}
  - {memory: R, capacity_words: 5, energy_pj: 0.1}
  - {compute: mac, cycles: 1, energy_pj: 1}
END
sator map stride.yaml --arch narrow.yaml --objective latency | sed -n 's/^  latency  *//p' | head -n 1
