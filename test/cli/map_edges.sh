#!/bin/sh
# What stands at the edges of sator map's reports: one of a thing, layers without a proof.
. "$2/test/cli/harness"
rooflines
# one loop instance, one cycle, one PE at work
sator map gemm:i=1,j=1,k=1 --arch conventional | grep -E '^  (workload|latency|utilization|space) |holds .* word;|one instance'
sator analyze gemm:i=1,j=1,k=1 --arch conventional --space 'i, j' --time k | grep -E '^  (workload|latency|stamps|utilization|throughput) '
# a network with layers that a strategy does not prove: of five layers four are different
cat >mixed.yaml <<'END'
name: mixed
layers:
  - {name: a, workload: gemm, sizes: {i: 4, j: 6, k: 8}, repeat: 2}
  - {name: unit, workload: gemm, sizes: {i: 1, j: 1, k: 1}}
  - {name: b, workload: gemm, sizes: {i: 5, j: 3, k: 7}}
  - {name: like_a, workload: gemm, sizes: {i: 4, j: 6, k: 8}}
  - {name: c, workload: gemm, sizes: {i: 2, j: 9, k: 7}}
END
verdict() { sator map mixed.yaml --arch conventional "$@" | sed -n 's/^  total.*x cycles; \(.*\); [0-9]* ms of search$/\1/p'; }
verdict
verdict --strategy random --samples 3
sator map mixed.yaml --arch conventional --strategy random --samples 3 --json | sed -n '/"unproved"/,$p' | grep -E '"(unproved|instances|proved)"' |
    tr -d '\t'
# a mapping whose levels are not there, or not in this order, is wrong in the words of sator analyze
why_not() {
    printf 'loops:\n%s\n' "$1" >given.yaml
    sator map gemm --arch conventional --why-not given.yaml 2>&1 | grep -E 'error|help'
    sator analyze gemm --arch conventional --dataflow given.yaml 2>&1 | grep -E 'error|help' | head -n "$2" >analyzed
    sator map gemm --arch conventional --why-not given.yaml 2>&1 | grep -E 'error|help' | cmp - analyzed
}
why_not '  - {at: L1, for: [i 2]}
  - {at: DRAM, for: [i 128, j 256, k 256]}' 2
why_not '  - {at: DRAM, for: [i 256, j 256, k 256], parallel: [i 1 -> 0]}' 1
why_not '  - {at: DRAN, for: [i 256, j 256, k 256]}' 2
printf 'loops:\n  - {at: PE, for: [i 256]}\n' >given.yaml
sator map gemm --arch conventional --why-not given.yaml
# more choices of what bypasses what than are tried
cat >open.yaml <<'END'
levels:
  - {memory: D, energy_pj: 100}
  - {memory: L4, energy_pj: 20, may_bypass: [A, B, Y]}
  - {memory: L3, energy_pj: 20, may_bypass: [A, B, Y]}
  - {memory: L2, energy_pj: 10, may_bypass: [A, B, Y]}
  - {array: PE, shape: [2, 4]}
  - {memory: L, energy_pj: 1, may_bypass: [Y, B]}
  - {compute: mac, energy_pj: 1}
END
sator map gemm --arch open.yaml 2>&1 | grep -oE "'gemm' on .*|^help.*"
# one instance of a domain that is no box: climbs among remainders had no loop to change
cat >one.yaml <<'END'
name: one
sizes: {i: 2, j: 2}
op: "Y[i] += A[i,j]"
where: "i < j"
END
for option in '' --imperfect; do
    sator map one.yaml --arch conventional --set energy_table=45nm $option | sed -n 's/^  mapping *//p; s/^  best *//p'
done
