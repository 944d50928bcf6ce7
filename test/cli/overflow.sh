#!/bin/sh
# A count beyond 128 bits is an error of every engine, not a number; just below, the general engine counts.
. "$2/test/cli/harness"
n=16777216
sizes="conv2d:k=$n,c=$n,ox=$n,oy=$n,rx=$n,ry=$n" # 2^144 instances
for engine in auto closed general; do
    sator analyze "$sizes" --arch systolic-2d-8x8 --dataflow conv2d/kc-p_oy-kcox-t --engine $engine >out 2>err && exit 1
    [ -s out ] && exit 1
    grep -q 'a count does not fit into 128 bits' err || exit 1
done
n=137438953472
sator analyze "gemm:i=$n,j=$n,k=$n" --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t >out || exit 1 # 2^111
grep -q '2,596,148,429,267,413,814,265,248,164,610,048 loop instances' out || exit 1
sator analyze "gemm:i=$n,j=$n,k=$n" --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --engine closed >out 2>err && exit 1
grep -q 'there are 2^110 instances or more' err
# numbers past 64 bits on the way: that is the reason, not the 64 instances
printf 'sizes: {i: 4, j: 4, k: 4}\nop: "Y[4611686018427387904*i,j] += A[i,k] * B[k,j]"\n' >far.yaml
sator analyze far.yaml --arch mesh-8x8 --space i,j --time k 2>err >out && exit 1
grep -q 'numbers on the way to its counts have more than 64 bits$' err
