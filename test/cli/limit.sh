#!/bin/sh
# A budget that runs out: exit 3 and nothing on stdout; the same call with the default budget succeeds.
. "$2/test/cli/harness"
sator analyze gemm --arch mesh-8x8 --dataflow gemm/ij-p_j-ijk-t --engine general >out || exit 1
sator analyze gemm --arch mesh-8x8 --dataflow gemm/ij-p_j-ijk-t --engine general --work-limit 10
