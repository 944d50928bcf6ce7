#!/bin/sh
# An output that a tree merges on its way into the PEs' memory: each partial sum that crosses takes the place of one read
# there. So keeping it longer may take longer, and cost more. The optimal strategy finds what the exhaustive one does.
. "$2/test/cli/harness"
cat >w.yaml <<'W'
name: w
sizes: {j: 2, k: 4, l: 3, i: 5}
op: "Y[i,j] += A[i,k,l] * B[k,j] * C[l,j]"
word_bits: {A: 32}
W
for pj in 2 900; do
    cat >m.yaml <<M
name: m
levels:
  - {memory: DRAM, energy_pj: 200}
  - array: P
    shape: [2]
    multicast: [{name: bus, map: "P[x] -> BUS[0]", energy_pj: 2}]
    reduction: [{name: tree, map: "P[x] -> TREE[0]", energy_pj: 2}]
  - {memory: L, energy_pj: {read: $pj, write: 1}, capacity_words: {B: 4, Y: 30}, bandwidth_bits: 16, tensors: [B, Y]}
  - {compute: mac, energy_pj: 0.8}
M
    for objective in latency energy edp; do
        for strategy in optimal exhaustive; do
            sator map w.yaml --arch m.yaml --constraint 'L: k 2, j 2, i 1, l 1' --objective $objective \
                --strategy $strategy | sed -n "s/^  best *//p" >$strategy
        done
        [ -s optimal ] && cmp optimal exhaustive && echo "$pj pJ, $objective: equal"
    done
done
