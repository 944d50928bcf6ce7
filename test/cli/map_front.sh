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
