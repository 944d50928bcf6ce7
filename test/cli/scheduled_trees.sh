#!/bin/sh
# The scheduled time below trees where not all tiles are whole: executed beside the analysis, and with so little work
# that nothing is listed pair by pair (the time is that of such a list).
. "$2/test/cli/harness"
for sizes in k=61,c=67,oy=5,ox=6,rx=2 k=33,c=35,oy=3,ox=4,ry=1 k=64,c=64,oy=3,ox=4,ry=1; do
    sator simulate conv2d:$sizes --arch simba-like --dataflow conv2d/vector-lanes >out 2>&1 || cat out
    sed -n "s/^ *cycles *\([0-9,]* executed, [0-9,]* analysed\).*/$sizes: \1/p" out
done
sator analyze conv2d:k=61,c=67,oy=29,ox=31 --arch simba-like --dataflow conv2d/vector-lanes --work-limit 1000000 --json |
    grep '"scheduled":' | tr -d '\t'
exit 0
