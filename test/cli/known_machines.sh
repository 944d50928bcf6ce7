#!/bin/sh
# Machines of the library against figures of their papers, computed.
. "$2/test/cli/harness"
tops() { # ARCH GEMM: of its fastest mapping
    sator map "gemm:$2" --arch "$1" --objective latency --set word_bits=8 | sed -n 's/^.* MHz, \([0-9.]*\) TOPS.*/\1/p'
}
# TPUv4i (ISCA 2021): 138 TFLOPS; an A100 (white paper): 312 TFLOPS of 108 SMs, 2.89 each; Gemmini: 16x16x2 at 1 GHz
for machine in tpu-v4i-like a100-sm-like gemmini; do
    echo "$machine $(tops $machine i=512,j=512,k=512) TOPS"
done
# The first TPU (ISCA 2017): the ridge of its roofline is at 1,350 MACs for each byte of weights, which a batch of 1,350 has
for batch in 1349 1350; do
    sator analyze gemm:i=$batch,j=256,k=256 --arch tpu-v1 --space 'PE[k%256, j%256]' --time 'T[i]' --set word_bits=8 |
        awk -v batch=$batch '/^    compute/ {compute = $2} /DRAM.weights reads/ {weights = $NF; gsub(",", "", compute); gsub(",", "", weights)
            print batch ": compute " compute ", weights " weights (weights > compute ? ", bound by weights" : "")
            exit}'
done
# 92 TOPS when nothing else binds
sator analyze gemm:i=65536,j=256,k=256 --arch tpu-v1 --space 'PE[k%256, j%256]' --time 'T[i]' --set word_bits=8 \
    --set 'levels.DRAM.ports=[]' --set 'levels.unified.bandwidth_bits=8192' | sed -n 's/^.* MHz, \([0-9.]*\) TOPS.*/\1 TOPS/p'
# map and analyze both answer
for machine in tpu-v1 gemmini tpu-v4i-like a100-sm-like; do
    sator map gemm:i=96,j=64,k=80 --arch $machine --objective latency --yaml -o nest.yaml || echo "$machine has no mapping"
    a=$(sator map gemm:i=96,j=64,k=80 --arch $machine --objective latency | sed -n 's/^ *latency *\([0-9,.]*\) cycles.*/\1/p')
    b=$(sator analyze gemm:i=96,j=64,k=80 --arch $machine -d nest.yaml | sed -n 's/^ *latency *\([0-9,.]*\) cycles.*/\1/p')
    echo "$a $b" | tr -d , | awk -v machine=$machine '!($1 > 0 && $1 - $2 < 0.1 && $2 - $1 < 0.1) {print machine ": " $0}'
done
