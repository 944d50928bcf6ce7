#!/bin/sh
# Figures that are stored when they are named keep the laws that tie them to the others, in a run and in a query.
. "$2/test/cli/harness"
run() { "$SATOR" explore conv2d:k=8,c=4,ox=8,oy=4,rx=3,ry=3 --arch "$1" --timing roofline --points 0:2000 --quiet --top 1 --json --where "$2"; }
none() { # no result breaks the law
    [ "$(run "$1" "$2" | grep -c '"layer"')" = 0 ] || echo "$1: $2"
    [ "$(run "$1" "not ($2)" | grep -c '"layer"')" = 1 ] || echo "$1: no result at all: $2"
}
for arch in systolic-2d-8x8 mesh-8x8; do
    none $arch 'levels.scratchpad.A.reads != tensors.A.unique_volume'
    none $arch 'levels.registers.B.fills != tensors.B.unique_volume'
    none $arch 'levels.registers.fills != levels.registers.A.fills + levels.registers.B.fills + levels.registers.Y.fills'
    none $arch 'levels.scratchpad.read_cycles != latency_cycles.read'
    none $arch 'tensors.A.reuse_volume != tensors.A.temporal_reuse + tensors.A.spatial_reuse'
    none $arch 'max(energy_pj.scratchpad - energy_pj.scratchpad.read - energy_pj.scratchpad.write,
        energy_pj.scratchpad.read + energy_pj.scratchpad.write - energy_pj.scratchpad) > 1e-6'
    none $arch 'energy_pj.mac != 0.85 * instances'
done
none systolic-2d-8x8 'tensors.B.links.east + tensors.B.links.south != tensors.B.spatial_reuse'
none systolic-2d-8x8 'energy_pj.east != 0.2 * (tensors.A.links.east + tensors.B.links.east + tensors.Y.links.east)'
# stored, they can be asked for later; what is not stored cannot
space="gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --timing roofline --quiet --top 1"
# shellcheck disable=SC2086
"$SATOR" explore $space --db a.db --objective energy_pj.scratchpad --keep levels.registers.fills >/dev/null
sator query a.db --csv --top 1 --sort 'levels.registers.fills / energy_pj.scratchpad' | sed -n '1s/.*power_mw,\(.*\),tensors.A.read.access.*/\1/p'
sator query a.db --sort levels.scratchpad.fills
echo "exit $?"
sator query a.db --csv | sed 1d | wc -l >rows
command -v sqlite3 >/dev/null && sqlite3 a.db 'SELECT count(*) FROM result WHERE "energy_pj.scratchpad" > 0' | cmp - rows
# 1088 words at 5.3 pJ, not rounded, of a layer and of a network's total
# shellcheck disable=SC2086
"$SATOR" explore $space --points 0:10 --set levels.scratchpad.energy_pj=5.3 --objective energy_pj.scratchpad --db one.db >/dev/null
for rows in '' --network; do
    # shellcheck disable=SC2086
    [ "$(sator query one.db $rows --top 1 | grep -c '  1,088 *5766\.4  ')" = 1 ] || echo "the energy of 1088 words is not shown $rows"
done
# shards have the same columns
for i in 1 2; do
    # shellcheck disable=SC2086
    "$SATOR" explore $space --db s$i.db --shard $i/2 --batch 50 --objective energy_pj.scratchpad --keep levels.registers.fills >/dev/null
done
# shellcheck disable=SC2086
"$SATOR" explore $space --db whole.db --batch 50 --objective energy_pj.scratchpad --keep levels.registers.fills >/dev/null
sator merge b.db s2.db s1.db --quiet
sator query whole.db --csv >whole.csv
sator query b.db --csv | cmp - whole.csv || echo "shards differ"
# what tells wires apart leaves no point out for being the mirror image of another
# shellcheck disable=SC2086
"$SATOR" explore $space --objective energy_pj.east >east.txt
grep -c symmetric east.txt
# what a memory leaks does not tell its tensors apart: A and B of a square may change places as for any other figure
for figure in energy_pj.scratchpad energy_pj.scratchpad.leakage; do
    "$SATOR" explore gemm:i=4,j=4,k=4 --arch multicast-8x8 --timing roofline --set levels.scratchpad.leakage_pj=3 --quiet --top 1 --objective $figure |
        sed -n 's/.* points looked at, \(.*\) results,.*/\1 results/p'
done | uniq | wc -l
# a name that is wrong
# shellcheck disable=SC2086
"$SATOR" explore $space --keep levels.registrs.fills
echo "exit $?"
