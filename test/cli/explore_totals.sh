#!/bin/sh
# Totals of a network count a layer as often as it is repeated, its equals with it, and leave out points that a layer does
# not have: against sums made here from the results of single layers. PEs are those of the layer that has the most.
. "$2/test/cli/harness"
cat >net.yaml <<'END'
name: net
layers:
  - {name: a, sizes: {i: 4, j: 3, k: 4}, repeat: 2, op: "Y[i,j] += A[i,k] * B[k,j]"}
  - {name: next, sizes: {i: 4, j: 3, k: 4}, op: "Y[i,j] += A[i,k] * B[k,j]"}
  - {name: b, sizes: {i: 8, j: 4, k: 5}, op: "Y[i,j] += A[i,k] * B[k,j]"}
  - {name: again, sizes: {i: 4, j: 3, k: 4}, repeat: 2, op: "Y[i,j] += A[i,k] * B[k,j]"}
END
# layer point latency
results() { sator query "$@" --csv | sed 's/"[^"]*"/x/g' | awk -F, '
    NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
    NR > 1 {print $at["layer"], $at["point"], $at["latency_cycles.total"]}'; }
# layer point and three figures of PEs
pes() { sator query "$@" --csv | sed 's/"[^"]*"/x/g' | awk -F, '
    NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
    NR > 1 {print $at["layer"], $at["point"], $at["pes"], $at["active_pes"], $at["max_active_pes"]}'; }
check_pes() {
    pes "$1" >all
    awk '{n[$2]++; for (f = 3; f <= 5; f++) {if ($f > most[$2, f]) most[$2, f] = $f; if ($f != $3) differ[f] = 1}}
        END {for (p in n) if (n[p] == 2) print p, most[p, 3], most[p, 4], most[p, 5]
            if (!differ[4] || !differ[5]) print "all PEs are active everywhere"}' all | sort -n >mine
    pes "$1" --network | cut -d' ' -f2- | sort -n >theirs
    cmp mine theirs || diff mine theirs
}
check() {
    results "$1" >all
    awk '$1 == "a" {a[$2] = $3} $1 == "b" {b[$2] = $3} END {for (p in a) if (p in b) print p, 5 * a[p] + b[p]}' all | sort -n >mine
    results "$1" --network | cut -d' ' -f2- | sort -n >theirs
    cmp mine theirs || diff mine theirs
    awk '!($1 in least) || $3 < least[$1] {least[$1] = $3} END {if ("a" in least && "b" in least) print 5 * least["a"] + least["b"]}' \
        all >mine.best
    results "$1" --per-hardware --sort latency | cut -d' ' -f3 >theirs.best
    cmp mine.best theirs.best || diff mine.best theirs.best
    n=$(wc -l <mine)
}
"$SATOR" explore net.yaml --arch systolic-2d-8x8 --timing roofline --set levels.PE.shape=[2,2] --points 0:1500 --db all.db --quiet --top 1 >/dev/null
check all.db
whole=$n
[ "$whole" -gt 20 ] || echo "only $whole points"
# of an array too wide for layer a
"$SATOR" explore net.yaml --arch systolic-2d-8x8 --timing roofline --set levels.PE.shape=[2,4] --points 0:500 --db wide.db --quiet --top 1 >/dev/null
check_pes wide.db
[ -s mine ] || echo "no point has all layers"
# points that one layer lacks, then a layer that has none
"$SATOR" explore net.yaml --arch systolic-2d-8x8 --timing roofline --set levels.PE.shape=[2,2] --points 0:1500 --where 'latency < 60' --db some.db --quiet --top 1 >/dev/null
check some.db
[ "$n" -gt 0 ] && [ "$n" -lt "$whole" ] || echo "$n of $whole points are left: another bound is needed"
"$SATOR" explore net.yaml --arch systolic-2d-8x8 --timing roofline --set levels.PE.shape=[2,2] --points 0:1500 --where 'instances < 100' --db none.db --quiet --top 1 >/dev/null
check none.db
[ "$n" = 0 ] || echo "$n points without a layer"
# a figure that is stored when it is named: 0.85 pJ for each of 5 x 48 + 160 instances, at each point
"$SATOR" explore net.yaml --arch systolic-2d-8x8 --timing roofline --set levels.PE.shape=[2,2] --points 0:40 --keep energy_pj.mac --db mac.db --quiet --top 1 >/dev/null
sator query mac.db --network --csv | sed 's/"[^"]*"/x/g' | awk -F, '
    NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i}
    NR > 1 && $at["energy_pj.mac"] != 340 {print "energy_pj.mac", $at["energy_pj.mac"]}
    END {if (NR < 10) print "only " NR - 1 " points"}'
