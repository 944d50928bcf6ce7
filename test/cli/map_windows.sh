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
sator simulate gemm:i=16,j=16,k=16 --arch tpu-256x256 $machine -d small.yaml | sed -n 's/; .*//; /equal/p'
# A tensor that slides: 3,072 instances on 16 PEs are 192 stamps, and 6.
cat >slides.yaml <<'END'
name: slides
sizes: {k: 8, c: 8, x: 16, r: 3}
op: "Y[k,x] += A[c,x+r] * B[k,c,r]"
END
machine="--set levels.PE.shape=[4,4] --set levels.scratchpad.capacity_bytes=200"
# shellcheck disable=SC2086
sator map slides.yaml --arch tpu-256x256 $machine --constraint 'PE: skew 1 1' --objective latency --timing roofline --yaml -o slid.yaml
grep -c joined slid.yaml
# shellcheck disable=SC2086
sator analyze slides.yaml --arch tpu-256x256 $machine -d slid.yaml --timing roofline | grep '^    compute'
# shellcheck disable=SC2086
sator simulate slides.yaml --arch tpu-256x256 $machine -d slid.yaml | grep -c equal
