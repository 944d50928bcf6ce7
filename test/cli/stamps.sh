#!/bin/sh
# Figure 3 of the TENET paper: which PE of a 2x2 systolic array holds what in the stamps of a 2x2x4 GEMM.
. "$2/test/cli/harness"
sator analyze gemm:i=2,j=2,k=4 --arch systolic-2d-8x8 --set levels.PE.shape=[2,2] --space i,j --time i+j+k \
    --show stamps
# a link to the next two PEs, which only a condition gives: PE[1,0] has B[0,0] over it
sator analyze gemm:i=2,j=1,k=1 --arch systolic-2d-8x8 \
    --set 'levels.PE.links=[{name: l, map: "PE[i,j] -> PE[a,j] : i < a <= i + 2", interval: 1}]' \
    --space 'i,j' --time 'i' --show stamps | tail -n 4
sator analyze gemm:i=2,j=2,k=4 --arch systolic-2d-8x8 --space i,j --time i+j+k --show stamps --max-cells 23
