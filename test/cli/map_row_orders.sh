#!/bin/sh
# Loops that share an array dimension stand there in the order that is best, which need not be the workload's.
. "$2/test/cli/harness"
rooflines
cat >row.yaml <<'YAML'
name: row
levels:
  - {memory: DRAM, energy_pj: 100, bandwidth_bits: 64}
  - array: PE
    shape: [8]
    links: [{name: up, map: "PE[i] -> PE[i-1]", interval: 0, energy_pj: 1}]
  - {memory: registers, capacity_words: 24, energy_pj: 1}
  - {compute: mac, energy_pj: 1}
YAML
layer=conv2d:k=4,c=3,ox=8,oy=2,rx=3,ry=1
sator map $layer --arch row.yaml | sed -n 's/^ *\(parallel.*\)/\1/p; s/^ *mapping *//p'
sator map $layer --arch row.yaml --yaml >best.yaml
sed 's/oy 2 -> 0, ox 4 -> 0/ox 4 -> 0, oy 2 -> 0/' best.yaml >other.yaml
cmp -s best.yaml other.yaml && echo "the loops do not share a dimension"
edp() { sed -n 's/^.*"edp":[[:space:]]*\([0-9.e+]*\).*/\1/p' "$1" | head -n 1; }
sator map $layer --arch row.yaml --json >map.json
for order in best other; do sator analyze $layer --arch row.yaml --dataflow $order.yaml --json >$order.json; done
awk -v map="$(edp map.json)" -v best="$(edp best.json)" -v other="$(edp other.json)" 'BEGIN {
    print "the analysis agrees: " (map == best ? "yes" : "no, " map " is not " best)
    print "the order of the workload is worse: " (other > best * 1.01 ? "yes" : "no, " other " and " best)
}'
sator map $layer --arch row.yaml --why-not other.yaml | head -n 1 | sed 's/:.*, \([0-9.]* times\).*/: \1/'
echo where a wire costs more than what it spares: 4 words of A, 4 of Y, 2 of Y that come back, in one cycle
cat >dear.yaml <<'YAML'
name: dear
levels:
  - {memory: scratchpad, energy_pj: {read: 1, write: 1}}
  - array: PE
    shape: [4]
    links: [{name: east, map: "PE[i] -> PE[i+1]", interval: 0, tensors: [Y], energy_pj: 10}]
  - {compute: mac, energy_pj: 0, cycles: 1}
YAML
printf 'name: sums\nsizes: {i: 2, k: 2}\nop: "Y[i] += A[i,k]"\n' >sums.yaml
for strategy in optimal exhaustive; do
    sator map sums.yaml --arch dear.yaml --strategy $strategy | sed -n 's/^ *\(parallel.*\)/\1/p; s/^ *mapping *//p; s/^ *\(EDP.*\)/\1/p'
done
echo by the scheduled time, where every four PEs share a bus: other orders are searched to the end
cat >beats.yaml <<'YAML'
name: beats
loops:
  - {at: scratchpad, for: [oy 56]}
  - {at: PE, parallel: [ox 8 -> 0, k 8 -> 0]}
  - {at: registers, for: [ry 7, rx 7, ox 14, c 3, k 8, oy 2]}
YAML
conv1="resnet18 --layer conv1 --arch multicast-1d-64 --set energy_table=45nm"
# shellcheck disable=SC2086
"$SATOR" map $conv1 --json >map.json
# shellcheck disable=SC2086
"$SATOR" analyze $conv1 --dataflow beats.yaml --json >beats.json
grep -c 'orders of the loops that share' map.json
awk -v map="$(edp map.json)" -v beats="$(edp beats.json)" 'BEGIN { print "as good as the nest: " (map <= beats ? "yes" : "no, " map " is not " beats) }'
echo of a front: a nest in which more sums are begun from zero, in less time
cat >quotient.yaml <<'YAML'
name: quotient
sizes: {k: 4, x: 6, r: 2}
op: "Y[k,x] += A[fl((x+2*r)/3),k] * B[k,r]"
YAML
cat >handed.yaml <<'YAML'
name: handed
levels:
  - {memory: DRAM, energy_pj: {read: 96, write: 114}, bandwidth_bits: {read: 64, write: 64}}
  - array: PE
    shape: [8]
    links: [{name: next, map: "PE[i] -> PE[i+1]", interval: 0, energy_pj: 6.4, tensors: [Y]}]
  - {memory: L2, energy_pj: {read: 31, write: 45}, bandwidth_bits: {read: 4, write: 64}, capacity_bytes: 11}
  - {compute: mac, energy_pj: 1, cycles: 2}
YAML
cat >begun.yaml <<'YAML'
name: begun
loops:
  - {at: DRAM, for: [k 2, x 3]}
  - {at: PE, parallel: [k 2 -> 0, r 2 -> 0, x 2 -> 0]}
YAML
nest=$(sator map quotient.yaml --arch handed.yaml --why-not begun.yaml | sed -n 's/^ *\([0-9.]*\) pJ, \([0-9.]*\) cycles.*/\1 \2/p')
sator map quotient.yaml --arch handed.yaml --pareto energy,latency --format csv >front.csv
awk -F, -v pj="${nest% *}" -v cycles="${nest#* }" '
NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
{ found = found || ($column["energy_pj"] <= pj + 0 && $column["latency_cycles"] <= cycles + 0) }
END { print "the front has one as good as the nest: " (pj > 0 && cycles > 0 && found ? "yes" : "no") }' front.csv
