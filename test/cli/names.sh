#!/bin/sh
# Tensors and sizes that are named wrongly, ranges that lead nowhere; what several inputs say in the same words is said once.
. "$2/test/cli/harness"
wrong() { # an option's value
    echo "== $1"
    shift
    sator "$@" 2>&1 | grep -E 'error|warning|help|^sator'
}
for set in 'levels.L2.may_bypass=[Z]' 'levels.L2.bypass=[b]' 'levels.L2.tensors=[A,B,y]' 'levels.L2.capacity_words={weights: 300}' \
    'levels.PE.multicast.all.tensors=[C]'; do
    wrong "$set" map gemm --arch conventional --set "$set"
done
wrong analyze analyze gemm --arch conventional --space 'i%32, j%32' --time 'i/32, j/32, k' --set 'levels.L2.bypass=[Z]'
wrong explore explore gemm:i=4,j=4,k=4 --arch conventional --dataflows optimal --vary 'levels.L2.may_bypass=[[A],[Q]]'
# a file whose tensors are called otherwise: all that it says of them would go unnoticed
sed 's/\[A, Y\]/[Inputs, Outputs]/; s/{A: 8192, B: 32768, Y: 1024}/8192/; s/\[A, B\]/[Inputs, Weights]/; s/\[Y\]/[Outputs]/; s/\[A\]/[Inputs]/' \
    "$SOURCE/library/archs/simba-like.yaml" >own.yaml
wrong own.yaml map gemm:i=4,j=4,k=4 --arch own.yaml
# some are called otherwise: A alone has a capacity, a bus and a place in L2
printf 'void f(double R[4], double A[4][4], double Q[4]) {\n#pragma sator\nfor (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) R[j] += A[i][j] * Q[i];\n}\n' >own.c
wrong 'R, A, Q' map own.c --arch simba-like
# all that the machine names are here, and one more, of which it says nothing: any number of words of C fits
wrong C map mttkrp:i=4,j=4,k=4,l=4 --arch simba-like
wrong 'C, shared' map mttkrp:i=4,j=4,k=4,l=4 --arch simba-like --set levels.L1.capacity_words=8192
sator map jacobi2d --arch tpu-8x8 2>&1 | grep -c warning # has A and Y, no B: nothing strange
for workload in gemm:i=4,i=8 gemm:i=4,=3 gemm:i=4,,j=3 gemm:i=4,; do
    wrong "$workload" map "$workload" --arch conventional
done
wrong '--vary 1:10:0' explore gemm --arch conventional --vary L2.capacity_bytes=1:10:0
wrong '--vary 10:1:1' explore gemm --arch conventional --vary L2.capacity_bytes=10:1:1
for range in 1:10:0 10:1:1 5,4,...,9 1:2; do
    wrong "--bandwidth $range" analyze gemm --arch conventional --space i --time j --bandwidth $range
done
wrong 'explore A B' explore gemm alexnet --arch conventional --set gemm:i=64
wrong 'a sweep and more' analyze "$SOURCE/test/tenet/published/interconnect_experiment/matmul" --arch systolic-2d-8x8 | sed "s,$SOURCE,,g"
sator list architectures --csv | head -n 1
figures() { sator explore gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --objective "$1" --csv | head -n 3 | cut -d, -f1-8; }
figures 'max(latency, utilization, 1)' >three
figures 'max(max(latency, utilization), 1)' >nested
cmp three nested && grep -c gemm three
# the capacity of a memory, as the architecture gives it
sator map gemm --arch conventional --yaml -o best.yaml
sator analyze gemm --arch conventional -d best.yaml | grep -E '^  (DRAM|L2|L1) .* A ' | tr -s ' ' | cut -d' ' -f2-5
# options that are for other formats than the input's, or other commands
wrong 'of C files' analyze gemm:i=4,j=4,k=4 --arch systolic-1d --space i --time j,k -DN=3 --function f --nest 2 -I . --all-operators
wrong 'show stamps' map gemm:i=4,j=4,k=4 --arch tpu-8x8 --show stamps
# what no mapping that is searched satisfies, though one is legal
cat >passing.yaml <<'YAML'
name: passing
levels:
  - {memory: DRAM, energy_pj: 100}
  - {memory: L2, capacity_words: 64, energy_pj: 6}
  - array: PE
    shape: [4]
    links:
      - {name: e, map: "PE[i] -> PE[i+1]", interval: 1, energy_pj: 1}
      - {name: w, map: "PE[i] -> PE[i-1]", interval: 1, energy_pj: 2}
  - {compute: mac}
YAML
cat >two.yaml <<'YAML'
loops:
  - {at: DRAM, for: [i 2]}
  - {at: L2, for: [j 4, k 4]}
  - {at: PE, parallel: [i 2 -> 0]}
YAML
wrong 'not searched' map gemm:i=3,j=4,k=4 --arch passing.yaml --imperfect --constraint 'PE: i 2' --objective latency
sator map gemm:i=3,j=4,k=4 --arch passing.yaml --imperfect --why-not two.yaml --set energy_table=45nm | grep -o 'legal, but not in the space searched'
printf 'void f(float y[4]) {\n  for (int i = 0; i < 4; i++) y[i] = 0;\n}\n' >nests.c
wrong 'nest 4' show nests.c --function f --nest 4
