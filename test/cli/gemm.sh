#!/bin/sh
# The worked GEMM of doc/model.md, section 5: its known answers in JSON, whichever way the dataflow is given.
. "$2/test/cli/harness"
figures() { # the figures that are known, in the order of the report
    grep -E '"(instances|stamps|time_stamps|active_pes|max|name|total_volume|temporal_reuse|spatial_reuse|unique_volume)":' |
        tr -d '\t," ' | sed '/^name:[^ABY]/d; /^unique_volume:924/d' | head -20 | tr '\n' ' '
    echo
}
sator analyze gemm:i=20,j=12,k=9 --arch systolic-2d-8x8 --dataflow gemm/ij-p_j-ijk-t --json | figures
sator analyze gemm --set sizes.i=20 --set sizes.j=12 --set sizes.k=9 --arch systolic-2d-8x8 \
    --space 'i%8, j%8' --time 'i/8, j/8, i%8 + j%8 + k' --json --engine general | figures
