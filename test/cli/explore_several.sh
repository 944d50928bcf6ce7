#!/bin/sh
# Several workloads at once: the best of each, one dataflow for those with the same loops, one machine for all.
. "$2/test/cli/harness"
printf 'void f(float A[16][16], float B[16][16], float Y[16][16])\n{\n#pragma scop\n  for (int i = 0; i < 16; i++)\n    for (int j = 0; j < 16; j++)\n      for (int k = 0; k < 16; k++)\n        Y[i][j] += A[i][k] * B[k][j];\n#pragma endscop\n}\n' >mine.c
"$SATOR" explore gemm:i=16,j=16,k=8 mttkrp:i=8,j=8,k=4,l=4 gemm:i=8,j=8,k=16 mine.c --arch systolic-2d-8x8 --timing roofline \
    --vary 'shape=[[4,4],[8,2],[2,2]]' --vary scratchpad.bandwidth_bits=[32,64] --db a.db --quiet --top 1 >a.txt
sed -n 's/^  \([^ ]*\)  *[0-9]  *[0-9-]  .*/\1/p' a.txt | head -1
grep -c '^Best' a.txt
sator query a.db --summary | sed -n 1p
sator query a.db --csv >all.csv
sed 1d all.csv | cut -d, -f1 | sort -u
# totals against sums made here: for each machine each layer's least latency, added up
column=$(head -1 all.csv | tr , '\n' | grep -n '^latency_cycles.total$' | cut -d: -f1)
[ "$column" = 21 ] || echo "column $column"
sed 1d all.csv | sed 's/"[^"]*"/x/g' | awk -F, -v OFS=' ' '
    {key = $2 " " $1; if (!(key in least) || $21 < least[key]) least[key] = $21}
    END {for (key in least) {split(key, part, " "); sum[part[1]] += least[key]} for (h in sum) print h, sum[h]}' |
    sort -n >mine.txt
sator query a.db --per-hardware --csv | sed 1d | sed 's/"[^"]*"/x/g' | awk -F, '{print $2, $21}' | sort -n >theirs.txt
cmp mine.txt theirs.txt || diff mine.txt theirs.txt
[ "$(wc -l <mine.txt)" = 6 ] || echo "not six machines"
sator query a.db --per-hardware --sort latency --top 1 --csv | sed 1d | sed 's/"[^"]*"/x/g' | cut -d, -f1,2,4,21 |
    grep -cx "all,$(sort -n -k2,2 -k1,1 mine.txt | awk 'NR == 1 {print $1 ",," $2}')"
# mappings: the same totals, of one mapping a layer
"$SATOR" explore gemm:i=16,j=16,k=8 mttkrp:i=8,j=8,k=4,l=4 mine.c --arch conventional --timing roofline --dataflows optimal \
    --vary 'shape=[[4,4],[8,8]]' --db b.db --quiet --top 1 >b.txt
sator query b.db --csv | sed 1d | sed 's/"[^"]*"/x/g' | awk -F, '{sum[$2] += $21} END {for (h in sum) printf "%d %.9g\n", h, sum[h]}' |
    sort -n >mine.txt
sator query b.db --per-hardware --csv | sed 1d | sed 's/"[^"]*"/x/g' | awk -F, '{printf "%d %.9g\n", $2, $21}' | sort -n | cmp - mine.txt
sator query b.db --network --csv | sed 1d | sed 's/"[^"]*"/x/g' | awk -F, '{printf "%d %.9g\n", $2, $21}' | sort -n | cmp - mine.txt
# everything that is wrong is said
"$SATOR" explore gemm nothing mttkrp:q=3 --arch conventional --timing roofline
echo "exit $?"
sator query a.db --per-hardware --sort tensors.A.unique_volume
echo "exit $?"
