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
