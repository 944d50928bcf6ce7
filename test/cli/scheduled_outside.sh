#!/bin/sh
# The scheduled time of memories outside of the arrays that hold what the PEs of a skewed row want in a stamp: executed
# beside the analysis, and with so little work that nothing is listed pair by pair (the time is that of such a list).
. "$2/test/cli/harness"
cat >machine.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: {read: 16, write: 8}}
  - {memory: L2, tensors: [A, Y], bandwidth_bits: {read: 32, write: 16}, transfers: streamed}
  - {array: PE, shape: [4, 3]}
  - {compute: mac}
END
executed() { # SIZES, then options
    sizes=$1
    shift
    sator simulate "gemm:$sizes" "$@" >out 2>&1 || cat out
    sed -n "s/^ *cycles *\([0-9,]* executed, [0-9,]* analysed\).*/$sizes: \1/p" out
}
for sizes in i=37,j=131,k=37 i=5,j=70,k=33 i=1,j=70,k=33; do
    executed $sizes --arch nvdla-like --dataflow gemm/kj-p_k-ijk-t
    executed $sizes --arch nvdla-like --dataflow gemm/ik-p_k-ijk-t
done
dataflow() { # TIME
    printf 'name: d\nspace: "i%%4, k%%3"\ntime: "%s"\ncuts: {L2: {time: 3}}\n' "$1" >d.yaml
}
dataflow 'i/4, k/3, j + i%4 + k%3'
executed i=9,j=7,k=8 --arch machine.yaml -d d.yaml
executed i=9,j=7,k=8 --arch machine.yaml -d d.yaml --set levels.L2.transfers=serial
dataflow 'k/3, i/4, j - i%4 + 2*(k%3)'
executed i=9,j=7,k=8 --arch machine.yaml -d d.yaml
executed i=9,j=1,k=8 --arch machine.yaml -d d.yaml
sator analyze gemm:i=1001,j=1003,k=1007 --arch nvdla-like --dataflow gemm/kj-p_k-ijk-t --work-limit 1000000 --json |
    grep '"scheduled":' | tr -d '\t'
exit 0
