#!/bin/sh
# Domains that are no box: the mapper tiles the least box around them, and counts what is in them.
. "$2/test/cli/harness"
rooflines
cat >small.yaml <<'YAML'
name: small
levels:
  - {memory: DRAM, energy_pj: 100, bandwidth_bits: 32}
  - array: PE
    shape: [2]
    multicast: [{name: bus, map: "PE[i] -> BUS[0]", energy_pj: 1, tensors: [A, B]}]
    reduction: [{name: tree, map: "PE[i] -> TREE[0]", energy_pj: 1}]
  - {memory: L1, capacity_words: 8, energy_pj: 2, bandwidth_bits: 16}
  - {compute: mac, energy_pj: 1}
YAML
# the domains of syrk, trmm and of a causal mask; a band; a parallelogram
domain() {
    cat >"$1.yaml" <<YAML
name: $1
domain: "{ S[i, j, k] : $2 }"
reads: ["{ S[i, j, k] -> A[i, k] }", "{ S[i, j, k] -> B[$3] }"]
writes: ["{ S[i, j, k] -> Y[i, j] }"]
YAML
}
domain syrk '0 <= i < 4 and 0 <= j <= i and 0 <= k < 2' 'j, k'
domain trmm '0 <= i < 4 and 0 <= j < 2 and i <= k < 4' 'k, j'
domain causal '1 <= i < 4 and 0 <= j < 2 and 0 <= k <= i' 'k, j'
domain band '0 <= i < 4 and i - 1 <= j <= i + 1 and 0 <= j < 4 and 0 <= k < 2' 'k, j'
figure() { sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\([0-9.e+]*\).*/\1/p" "$2" | head -n 1; }
for name in syrk trmm causal band; do
    for strategy in optimal exhaustive; do
        sator map $name.yaml --arch small.yaml --strategy $strategy --json >$strategy.json
    done
    sator map $name.yaml --arch small.yaml --yaml >best.yaml
    sator analyze $name.yaml --arch small.yaml -d best.yaml --json >analysis.json
    awk -v name=$name -v a="$(figure edp optimal.json)" -v b="$(figure edp exhaustive.json)" -v c="$(figure edp analysis.json)" \
        -v bound="$(figure bound optimal.json)" 'BEGIN {
        print name ": analysis " (a > 0 && a == c ? "agrees" : a " " c) ", bound " (bound > 0 && bound <= b * (1 + 1e-9) ? "holds" : bound " " b),
              "best " (a <= b * (1 + 1e-9) ? "found" : a " " b) }'
done
cat >triangle.yaml <<'YAML'
name: triangle
domain: "{ S[i, j] : 0 <= i < 8 and 0 <= j <= i }"
reads: ["{ S[i, j] -> A[i, j] }"]
writes: ["{ S[i, j] -> Y[i] }"]
YAML
sator map triangle.yaml --arch conventional | sed -n 's/^  mapping *//p; s/^  utilization *//p'
# Seven rows have no factors but 1 and 7. On four PEs, factors that need not divide: i in fours runs 4 + 7 stamps, in twos beside j in twos 1 + 2 + 3 + 4,
# and row i with j in fours ceil((i + 1) / 4): 10 stamps, 28 on one PE. Of so few
# mappings all are looked at; of two hundred rows not, and the bound is that of 20,100 instances on 4 PEs: i
# and j in twos take 1 + ... + 100 = 5050.
sed 's/i < 8/i < 7/' triangle.yaml >seven.yaml
cat >four.yaml <<'YAML'
name: four
levels: [{memory: DRAM, energy_pj: 1}, {array: PE, shape: [4]}, {compute: mac, energy_pj: 1}]
YAML
for option in '' --imperfect '--imperfect --strategy exhaustive'; do
    sator map seven.yaml --arch four.yaml --objective latency $option | grep -E '^  best|^  bound'
done
sed 's/i < 8/i < 200/' triangle.yaml >many.yaml
sator map many.yaml --arch four.yaml --objective latency --imperfect | grep '^  bound'
# Loops share an array dimension in any order: with k outside of i each pair of PEs wants one word of B, and the busiest
# writes one word of A and two sums through 8 bits a cycle. In the order of the nest DRAM takes longer.
cat >pairs.yaml <<'YAML'
name: pairs
levels:
  - {memory: DRAM, energy_pj: 100, bandwidth_bits: {read: 32, write: 64}}
  - array: PE
    shape: [4]
    multicast: [{name: pair, map: "PE[i] -> BUS[i/2]", energy_pj: 0}]
  - {memory: L1, energy_pj: 10, capacity_words: 2, bypass: [B], bandwidth_bits: {read: 16, write: 8}}
  - {compute: mac, energy_pj: 1}
YAML
domain below '0 <= i < 2 and 0 <= j <= i and 0 <= k < 2' 'k, j'
sator map below.yaml --arch pairs.yaml --objective latency | grep -E '^ *parallel|^  best'
# A dimension of three PEs has room for both iterations off the diagonal, PEs 1 and 2, though factors make four tiles.
cat >diagonal.yaml <<'YAML'
name: diagonal
sizes: {i: 2, j: 2}
op: "Y[j] += A[i]"
where: "j != i"
YAML
cat >three.yaml <<'YAML'
name: three
levels: [{memory: DRAM, energy_pj: 1}, {array: PE, shape: [3]}, {compute: mac, energy_pj: 1}]
YAML
printf 'name: both\nloops: [{at: PE, parallel: [i 2 -> 0, j 2 -> 0]}]\n' >both.yaml
sator analyze diagonal.yaml --arch three.yaml --dataflow both.yaml | grep -E '^ *latency'
sator map diagonal.yaml --arch three.yaml --objective latency | grep -E '^  best|more tiles'
