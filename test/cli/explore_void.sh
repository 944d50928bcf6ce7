#!/bin/sh
# An option or setting that nobody would read is an error, with the nearest that is read.
. "$2/test/cli/harness"
try() { "$SATOR" "$@" >/dev/null 2>err; echo "$? $(grep -v 'how it is used' err | sed -n 's/^ *//;1p')"; grep help: err; }
explore() { try explore gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 "$@"; }
explore --set cuts=3
explore --set 'loops=[]'
explore --set layers.gemm.sizes.k=3
explore --set sizes.q=3
explore --set size.k=3
explore --set levels.PE.shpe=[4,4]
explore --set levels.PX.shape=[4,4]
explore --vary cuts=[1,2]
explore --vary scratchpad.bandwith_bits=64:128:64
explore --vary sizes.k=1:3
explore --vary clock_mhz=100
explore --hardware 1
explore --budget 3
explore --yaml
explore --imperfect
explore --list --json
explore --list --db a.db
explore --point 3 --where 'pes < 3'
explore --point 3 --db a.db
explore --dataflows matrix --pack 2
explore --dataflows optimal --skew 0
explore --dataflows optimal --objective 'latency * 2'
explore --dataflows optimal --objective utilization
explore --dataflows optimal --budget none
try map gemm --arch conventional --set cuts=3
try analyze gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --space 'i, j' --time 'i + j + k' --set 'cuts={}'
try query a.db --summary --top 3
try query a.db --network --per-hardware
for option in batch slurm threads top work-limit; do explore --$option 0; done
try map gemm --arch conventional --strategy random --samples 0
try map gemm --arch conventional --threads 0
try map gemm --arch conventional --threads 65
try map loops.c --arch conventional --nest 0
try analyze gemm --arch conventional --show stamps --max-cells 0
# a stretch past the end is no exploration of nothing: the error of the point that it begins with
"$SATOR" explore gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --point 99999999999 2>point
echo "$? $(grep -c 'there is no point 99999999999' point)"
"$SATOR" explore gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --points 99999999999:5 2>points
echo "$?"
cmp point points
# a value that cannot be read is blamed on the option that it comes from
explore --vary 'scratchpad.bandwidth_bits=[64,nan]' --set clock_mhz=3
explore --vary 'scratchpad.bandwidth_bits=[64,128]' --set clock_mhz=nan
# where nothing is left out there is no heading of what is
sator explore gemm:i=4,j=4,k=4 --arch tpu-8x8 --db whole.db --quiet >/dev/null
sator query whole.db --summary | sed '1,/^  points/d; s/[0-9]*$/N/'
true
