#!/bin/sh
# A window unrolled along both dimensions of an array and shared along one, its digits in the order that no mapping of the space has:
# --why-not says so, and gives the model's figure; in the order of the space it gives the same figure as before.
. "$2/test/cli/harness"
cat >window.yaml <<'END'
name: window
sizes: {x: 4, a: 5, y: 4}
op: "Y[a] += A[a + 2*x + y] * B[x]"
END
cat >machine.yaml <<'END'
name: machine
levels:
  - {memory: DRAM, energy_pj: 200}
  - {memory: S, energy_pj: 20}
  - array: P
    shape: [4, 3]
    multicast: [{name: Pm, map: "P[x, y] -> B[y]", tensors: [A], energy_pj: 2}]
    reduction: [{name: Pr, map: "P[x, y] -> B[0]", energy_pj: 2}]
  - array: Q
    shape: [3, 2]
    multicast: [{name: Qm, map: "Q[x, y] -> B[x]", energy_pj: 2}]
  - {memory: L, energy_pj: {read: 2, write: 0.37}}
  - {compute: mac, energy_pj: 0.8}
END
nest() {
    printf 'name: nest\nloops:\n  - {at: S, for: [a 5]}\n  - {at: P, parallel: [%s]}\n  - {at: Q, parallel: [y 2 -> 0]}\n' "$1" >nest.yaml
    sator map window.yaml --arch machine.yaml --objective energy --why-not nest.yaml >why
    grep -o 'nest: legal[a-z, ]*' why
    sator analyze window.yaml --arch machine.yaml -d nest.yaml --json | sed -n '/energy_pj/,$s/^.*"total":[^0-9]*\([0-9.]*\),*$/\1/p' | head -n 1 >analyzed
    grep -q "energy $(cat analyzed) pJ" why || cat why analyzed
}
nest 'x 2 -> 1, x 2 -> 0, y 2 -> 0'
nest 'x 2 -> 0, x 2 -> 1, y 2 -> 0'
nest 'y 2 -> 0, x 2 -> 0, x 2 -> 1'
