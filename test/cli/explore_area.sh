#!/bin/sh
# Areas: from the file and from a table, of a machine and of its levels; machines that --where refuses are not explored.
. "$2/test/cli/harness"
cat >table.yaml <<'YAML'
name: mine
technology_nm: 45
entries:
  - {component: mac, area_um2: 318, source: "a data sheet"}
  - {component: mac, action: compute, pj: 0.5}
  - {component: l1, area_um2_per_byte: 3}
  - {component: link, action: hop, pj: 0.1}
YAML
cat >arch.yaml <<'YAML'
name: mine
energy_table: table.yaml
levels:
  - {memory: DRAM, area_um2: 0, energy_pj: 100, bandwidth_bits: 64}
  - {memory: L2, capacity_bytes: 65536, area_um2_per_byte: {value: 2, source: x}, energy_pj: 5, bandwidth_bits: 64}
  - {array: PE, shape: [4, 4], topology: multicast}
  - {memory: L1, capacity_words: 64, energy_pj: 1}
  - {compute: mac}
YAML
sator show arch.yaml --set clock_mhz=50 | grep area
vary="--vary shape=[[2,2],[4,4],[8,8]] --vary L2.capacity_bytes=[4096,65536]"
# An L2 is 2 um2 a byte, a PE 64 words of 2 bytes at 3 um2 and a MAC, 702: 4x4 PEs and 4 KB take 8,192 + 11,232 = 19,424,
# with 64 KB 142,304; 8x8 PEs 53,120 and 176,000, which is too much.
for space in tiled optimal; do
    # shellcheck disable=SC2086
    "$SATOR" explore gemm:i=16,j=16,k=16 --arch arch.yaml $vary --dataflows $space --db $space.db --quiet \
        --where 'area < 150000 and pes > 4' --keep area_um2.L1,area_um2.L2 >$space.txt
    sator query $space.db --csv | sed 's/"[^"]*"/x/g' | awk -F, '
        NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
        NR > 1 {print $2, $at["pes"], $at["area_um2.total"], $at["area_um2.L1"], $at["area_um2.L2"]}' | sort -u
    sed -n 's/^  where  *//p' $space.txt | grep -c .
done
sed -n '/hw 2/s/.*; //p' optimal.txt
sator query optimal.db --pareto area,latency --csv | sed 1d | sed 's/"[^"]*"/x/g' | cut -d, -f2
# without a figure there is none: no area is less than another
"$SATOR" explore gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --quiet --csv --where 'not area > 0' --top 1 | awk -F, 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i} NR == 2 {gsub(/"[^"]*"/, "x"); print "area:", $at["area_um2.total"]}'
printf 'levels:\n  - {memory: L1, capacity_words: 8, area_um2_per_byte: 3}\n  - {array: PE, shape: 4}\n  - {memory: L0, area_um2: 3, area_um2_per_byte: 3}\n  - {compute: mac, area_um2_per_byte: 4}\n' >wrong.yaml
sator check wrong.yaml
echo "exit $?"
printf 'entries:\n  - {component: mac, area_um2: 3, pj: 3}\n  - {component: l1, area_um2: 3, area_um2_per_byte: 3}\n  - {component: l1, area: 3}\n' >table.yaml
sator check arch.yaml
echo "exit $?"
