#!/bin/sh
# A front is a front with one mapping too, and says when it was stopped early.
. "$2/test/cli/harness"
sator map gemm:i=1,j=1,k=1 --arch conventional --pareto energy,latency --json | grep -oE '"(front|complete)":.*' | tr -d '\t' | sed 's/\[.*/[/'
sator map gemm:i=1,j=1,k=2 --arch conventional --pareto energy,latency | grep front | tr -s ' '
sator map resnet18 --layer conv2_x --arch five-level --pareto energy,latency --budget 0.000001
echo "exit $?"
for budget in 0 -1 nan '' 1,5; do
    sator map gemm --arch conventional --budget "$budget" 2>/dev/null
    echo "exit $?"
done
for budget in 1e300 inf; do sator map gemm --arch conventional --budget $budget --threads 64 --json | grep -o '"proved":.*true' | tr -d '\t'; done
for figures in latency,energy energy,latency; do sator map gemm:i=1,j=1,k=2 --arch conventional --pareto $figures --csv | wc -l; done
sator map gemm --arch conventional -o '' 2>/dev/null
echo "exit $?"
# a search that is given up, of a domain that is no box, ends the front, too: the fastest mapping is no point of what is proved;
# of a smaller domain all are
cat >holes.yaml <<'YAML'
name: holes
sizes: {x: 6, r: 6}
op: "Y[x] += A[x+r] * B[r]"
where: "x + r != 2"
YAML
cat >mesh.yaml <<'YAML'
name: mesh
levels:
  - {memory: DRAM, energy_pj: 100, bandwidth_bits: {read: 8, write: 32}}
  - array: PE
    shape: [2, 4]
    links: [{name: west, map: "PE[i,j] -> PE[i,j-1]", interval: 1, energy_pj: 640, tensors: [Y]}]
  - {memory: L2, energy_pj: 20, bandwidth_bits: {read: 4, write: 16}}
  - {compute: mac, energy_pj: 1}
YAML
for size in 60 6; do
    sator map holes.yaml --arch mesh.yaml --timing roofline --set sizes.x=$size --set sizes.r=$size --pareto energy,latency --json >holes.json
    echo "exit $?, complete $(sed -n 's/^[[:space:]]*"complete":[[:space:]]*//p' holes.json)"
done
sator map holes.yaml --arch mesh.yaml --objective latency --timing roofline | grep '^  best'
# the faster of two mappings is a skewed one whose loops are joined across two memories: it alone is below 80 cycles, and a point of the front
cat >sums.yaml <<'YAML'
sizes: {x: 5, r: 4}
op: "Y[x] += A[x+r,x-r] * B[r]"
word_bits: {A: 8, B: 8, Y: 24}
YAML
cat >joins.yaml <<'YAML'
levels:
  - {memory: DRAM, energy_pj: {read: 96, write: 165}}
  - {memory: L2, energy_pj: {read: 17, write: 44, row_bits: 48}, capacity_words: {A: 8, B: 3, Y: 2}, bypass: [B]}
  - {memory: L1, energy_pj: {read: 6, write: 8, row_bits: 48}, bandwidth_bits: {read: 4, write: 32}, capacity_words: {A: 4, B: 3, Y: 3}}
  - array: PE
    shape: [4]
    links: [{name: back, map: "PE[i] -> PE[i-1]", interval: 1, energy_pj: 0.04, tensors: [Y]}]
  - {compute: mac, energy_pj: 1, cycles: 2}
YAML
sator map sums.yaml --arch joins.yaml --pareto energy,latency | sed -n '/latency  *EDP/,$p' | awk 'NR > 2 { print $2 }'
sator map sums.yaml --arch joins.yaml --objective latency --timing roofline | grep '^  best'
