#!/bin/sh
# The sweep of --bandwidth: the lists that it takes, and latencies that follow from 684 words read and 240 written of 16 bits,
# and 118 cycles of compute.
. "$2/test/cli/harness"
points() { sator analyze gemm:i=20,j=12,k=9 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --csv --bandwidth "$1" | cut -d, -f11- | tail -n +2; }
points 64,80,...,144
points 64:144:16
points '32, 96:128:32'
