#!/bin/sh
# Several dataflows: the list in JSON, the order of --sort, patterns, what does not fit, any number of threads.
. "$2/test/cli/harness"
W='gemm:i=20,j=12,k=9 --arch systolic-2d-8x8'
names() { sed -n 's/^\t*"name":\t"\((.*)\)",$/\1/p'; }
sator analyze $W --dataflow gemm/ij-p_j-ijk-t gemm/ik-p_k-ijk-t --json >two && names <two
sator analyze $W -d gemm/ij-p_j-ijk-t -d gemm/ik-p_k-ijk-t --json | cmp - two
sator analyze $W --dataflow gemm/ij-p_j-ijk-t gemm/ik-p_k-ijk-t --json --sort tensors.A.reuse_factor | names
sator analyze $W --dataflow gemm/ij-p_j-ijk-t gemm/ik-p_k-ijk-t --json --sort tensors.Y.reuse_factor | names
sator analyze $W --dataflow 'gemm/??-p_*' --json -q | grep -c '"results"'
# the same, whatever the number of threads
for format in '' --json --csv; do
    for threads in 1 2 7; do
        sator analyze $W --dataflow 'gemm/*' --threads $threads $format >out.$threads
    done
    cmp out.1 out.2 && cmp out.1 out.7
done
# one that was named and does not fit is an error; the others are still printed
sator analyze $W --dataflow gemm/k-p_i-j-t gemm/ij-p_j-ijk-t --json -o left
echo $?
names <left
grep -c '"results"' left
sator analyze $W --dataflow 'gem/*'
