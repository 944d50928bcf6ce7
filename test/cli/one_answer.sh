#!/bin/sh
# What the mapper and the analysis of its mapping once said differently, at its smallest: which wires and trees words go by, what is held for the whole run.
. "$2/test/cli/harness"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
cat >tell.py <<'END'
import json, sys
r = json.load(sys.stdin)
print(sys.argv[1] + ":", " ".join("%s %g" % (k, v) for k, v in r["energy_pj"]["by_component"].items() if v > 0))
END
both() { # ARCH WORKLOAD: energies of the mapping, and of its analysis
    arch=$1 workload=$2
    sator map "$workload" --arch "$arch" --objective latency --yaml -o nest.yaml 2>/dev/null
    sator map "$workload" --arch "$arch" --objective latency --json 2>/dev/null | python3 tell.py map
    sator analyze "$workload" --arch "$arch" -d nest.yaml --json 2>/dev/null | python3 tell.py analyze
}
machine() { # LEVELS BELOW M0
    printf 'levels:\n  - {memory: M0, energy_pj: {read: 1, write: 2}}\n%s\n  - {compute: mac, energy_pj: 1}\n' "$1"
}
echo 'sizes: {i: 4}
op: "Y[] += A[]"' >one.yaml
machine '  - array: P
    shape: [2, 2]
    links:
      - {name: along, map: "P[a,b] -> P[a,b+1]", interval: 0, tensors: [A], energy_pj: 1}
      - {name: across, map: "P[a,b] -> P[a+1,b]", interval: 0, tensors: [A], energy_pj: 1}' >rows.yaml
# four PEs that need one word: (0,1) and (1,1) have it from the left, (1,0) from above
echo "two wires"
both rows.yaml one.yaml
machine '  - array: P
    shape: [4]
    links:
      - {name: back, map: "P[a] -> P[a-1]", interval: 0, tensors: [A], energy_pj: 1}
      - {name: on, map: "P[a] -> P[a+1]", interval: 0, tensors: [A], energy_pj: 1}' >pair.yaml
# of two wires against each other, the one from the smaller PE: three words over "on"
echo "opposite wires"
both pair.yaml one.yaml
# a quotient that is constant: the outer tree joins one PE with itself, the inner one two PEs that make different elements
machine '  - {array: P, shape: [1], reduction: [{name: outer, map: "P[a] -> TREE[0]", energy_pj: 1}]}
  - {array: Q, shape: [2], reduction: [{name: inner, map: "Q[a] -> TREE[a]", energy_pj: 1}]}' >trees.yaml
echo 'domain: "{ S[i, j, k] : 0 <= i < 2 and 0 <= j < 1 and 0 <= k < 1 }"
reads: ["{ S[i, j, k] -> A[i] }"]
writes: ["{ S[i, j, k] -> Y[-i, floor((k + 2*j)/4)] }"]' >quotient.yaml
echo "trees that merge nothing"
both trees.yaml quotient.yaml
# a tree of all PEs before one of pairs: each PE makes an element of its own, so that neither adds anything up
machine '  - array: P
    shape: [2]
    reduction:
      - {name: all, map: "P[a] -> TREE[0]", energy_pj: 1}
      - {name: pairs, map: "P[a] -> TREE[floor(a/2)]", energy_pj: 1}' >pairs.yaml
echo 'sizes: {i: 2}
op: "Y[i] += A[]"' >apart.yaml
echo "a tree of some PEs after one of all"
both pairs.yaml apart.yaml
# one instance reads one word, also where a link that joins nothing could bring it
machine '  - {array: P, shape: [1], links: [{name: back, map: "P[a] -> P[a-1]", interval: 1, energy_pj: 1}]}' >alone.yaml
echo 'domain: "{ S[i] : 0 <= i < 1 }"
reads: ["{ S[i] -> A[2*i, floor((2*i - 3)/4)] }"]
writes: ["{ S[i] -> Y[2*i] }"]' >word.yaml
echo "one word"
both alone.yaml word.yaml
# M1 alone holds A and Y; a loop of one iteration outside of it changes nothing: they are there from the start
machine '  - {memory: M1, energy_pj: {read: 1, write: 2}}
  - {array: P, shape: [1]}' | sed 's/M0,/M0, bypass: [A, Y],/' >whole.yaml
echo 'sizes: {i: 1}
op: "Y[] += A[i]"' >single.yaml
echo "a single instance"
both whole.yaml single.yaml
echo 'loops: [{at: M1, for: [i 1]}]' >inside.yaml
sator analyze single.yaml --arch whole.yaml -d inside.yaml --json | python3 tell.py inside
sator simulate single.yaml --arch whole.yaml -d nest.yaml | grep counts
