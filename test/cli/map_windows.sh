#!/bin/sh
# Joins across a memory's tiles in the search: the figures are those of the analysis, its windows
# fit, and the simulation carries the mapping out.
. "$2/test/cli/harness"
machine="--set levels.PE.shape=[32,32] --set levels.scratchpad.capacity_bytes=30000"
# shellcheck disable=SC2086
sator map gemm:i=256,j=256,k=256 --arch tpu-256x256 $machine --timing roofline >best.txt
# shellcheck disable=SC2086
sator map gemm:i=256,j=256,k=256 --arch tpu-256x256 $machine --timing roofline --yaml -o best.yaml
# shellcheck disable=SC2086
sator analyze gemm:i=256,j=256,k=256 --arch tpu-256x256 $machine -d best.yaml --timing roofline >analysis.txt
sed -n '/^  mapping/p; /^  skew/p; /^  latency/p; /^  EDP/p; /^    read/d; /^  scratchpad  [ABY] /p' best.txt
sed -n '/^  latency/p; /^    compute/p; /^  EDP/p; /^  scratchpad  *1 /,/ Y /p' analysis.txt
grep joined best.yaml
# The same in small, executed: one run of 256 stamps and 6.
machine="--set levels.PE.shape=[4,4] --set levels.scratchpad.capacity_bytes=300"
# shellcheck disable=SC2086
sator map gemm:i=16,j=16,k=16 --arch tpu-256x256 $machine --timing roofline --constraint 'PE: skew 1 1' --objective latency --yaml -o small.yaml
grep joined small.yaml
# shellcheck disable=SC2086
sator analyze gemm:i=16,j=16,k=16 --arch tpu-256x256 $machine -d small.yaml --timing roofline | grep '^    compute'
# shellcheck disable=SC2086
sator simulate gemm:i=16,j=16,k=16 --arch tpu-256x256 $machine -d small.yaml | grep equal
