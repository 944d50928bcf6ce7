#!/bin/sh
# An output that a tree merges on its way into the PEs' memory: each partial sum that crosses takes the place of one read
# there. So keeping it longer may cost more. The optimal strategy finds what the exhaustive one does.
. "$2/test/cli/harness"
rooflines
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

# Words that the PEs' tree merges spare reads of L1, further in than the tree: 524,288 updates, 4,096 of them the first of
# all and 15 x 4,096 merged. The file of the mapping gives the same, and the same port decides.
sator map gemm:i=64,j=64,k=1024 --arch simba-like --yaml -o best.yaml
sator map gemm:i=64,j=64,k=1024 --arch simba-like | grep -o 458,752
sator analyze gemm:i=64,j=64,k=1024 --arch simba-like -d best.yaml | grep -o 458,752
cat >ports.yaml <<'M'
name: ports
levels:
  - {memory: DRAM, energy_pj: 200}
  - {memory: L2, energy_pj: 6, capacity_words: 40, ports: [{name: psum, tensors: [Y], direction: shared, bandwidth_bits: 16}]}
  - {array: P, shape: [2], reduction: [{name: outer, map: "P[x] -> TREE[0]", energy_pj: 0.1}]}
  - memory: L1
    energy_pj: 3
    capacity_words: 12
    ports: [{name: sums, tensors: [Y], bandwidth_bits: {read: 8, write: 8}}]
  - {array: Q, shape: [2], reduction: [{name: inner, map: "Q[x] -> TREE[0]", energy_pj: 0.1}]}
  - {memory: R, energy_pj: 1, capacity_words: 4, bandwidth_bits: 32}
  - {compute: mac, energy_pj: 0.5}
M
for objective in latency energy edp; do
    for strategy in optimal exhaustive; do
        sator map gemm:i=4,j=2,k=8 --arch ports.yaml --objective $objective --strategy $strategy |
            sed -n "s/^  best *//p" >$strategy
    done
    [ -s optimal ] && cmp optimal exhaustive && echo "ports, $objective: equal"
    sator map gemm:i=4,j=2,k=8 --arch ports.yaml --objective $objective --yaml -o best.yaml
    sator map gemm:i=4,j=2,k=8 --arch ports.yaml --objective $objective --json |
        grep -o '"bound_by":[^,}]*' >map
    sator analyze gemm:i=4,j=2,k=8 --arch ports.yaml -d best.yaml --json |
        grep -o '"bound_by":[^,}]*' | head -1 >analyzed
    cmp map analyzed && cat map
done
