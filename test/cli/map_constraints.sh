#!/bin/sh
# What is wrong with a constraint is said in its own terms, once for all layers; a total without all layers is no total.
. "$2/test/cli/harness"
rooflines
wrong() {
    echo "== $1"
    sator map gemm --arch conventional --constraint "$1" 2>&1 | grep -E 'error|help' | sed 's/^--constraint:1://'
}
wrong 'L1: order k ... ... j'
wrong 'L1: order'
wrong 'L1: order k, j'
wrong 'L1: k 9999999999999999999999'
wrong 'L1: k 12, j 4'
wrong 'L1: k 0'
wrong 'L1: k=4'
wrong 'L1: k 4 j 4'
wrong 'L1:'
wrong 'L1: only k'
wrong 'PE: k 2048'
wrong 'PE: k 64 -> 0'
wrong 'PE: k 8 -> 2'
wrong 'PE: k <= 4, k >= 8'
wrong 'PE: order k'
wrong 'L1: k >= 512'
wrong 'L1: k <= 0'
wrong 'L1: k 8 -> 0'
wrong 'PE: only k, j'
wrong 'mac: k 2'
wrong 'L3: k 2'
wrong 'utilization 2'
wrong 'utilization 0'
wrong 'utilization nan'
wrong 'k 4'
sator map resnet18 --arch conventional --constraint 'utilization 2' 2>&1 | grep -c error
sator map gemm --arch conventional --constraint 'PE: only' --json | sed -n '/"array"/,/used/p' | grep -c '"factor"' # nothing in parallel
# limits on factors: what the mappings have, and what is said where there are none
limited() {
    echo "== $*"
    options=; for constraint in "$@"; do options="$options --constraint '$constraint'"; done
    eval "sator map gemm:i=64,j=64,k=64 --arch conventional $options" >limited.txt 2>&1 &&
        sed -n 's/^ *\(parallel on.*\)/\1/p; s/^ *mapping .*: //p' limited.txt || grep -E 'error|help' limited.txt
}
limited 'PE: i 32'
limited 'PE: i 16 -> 0, i 2 -> 1'
limited 'PE: i <= 2, j <= 2, k <= 2'
limited 'PE: i 32' 'PE: j 64'
limited 'L1: i >= 16' 'DRAM: i 8'
limited 'L1: i >= 2, i <= 4' 'L2: k <= 2, k >= 2' 'DRAM: j <= 1'
for strategy in optimal exhaustive random; do
    sator map gemm:i=4,j=4,k=8 --arch conventional --constraint 'PE: i 2, k >= 2' --constraint 'L1: j >= 2' --strategy $strategy --yaml 2>&1 |
        sed -n '/at: PE/{n;p}' | grep -c 'i 2 .*k' # on the array
done
cat >mine.yaml <<'END'
name: mine
loops:
  - {at: DRAM, for: [i 4, j 4]}
  - {at: L2, for: [k 8]}
  - {at: PE, parallel: [i 4 -> 0, j 4 -> 1]}
  - {at: L1, for: [i 4, j 4, k 8]}
END
sator map gemm:i=64,j=64,k=64 --arch conventional --why-not mine.yaml --constraint 'PE: i 32' --constraint 'PE: j 2 -> 1' \
    --constraint 'L1: k <= 4, j >= 8' | tail -n +2
sator map alexnet --arch conventional --constraint 'PE: only ox oy' --constraint 'utilization 0.05' 2>/dev/null | grep '^  total'
sator map alexnet --arch conventional --constraint 'PE: only ox oy' --constraint 'utilization 0.05' --json 2>/dev/null | sed -n '/"unmapped"/,/"proved"/p' |
    tr -d '\t\n'
echo
sator map gemm:i=4,j=4,k=4 --arch nvdla-like --objective latency | sed -n 's/^  EDP */EDP /p'
# totals of a network: the sum over its layers, each as often as it runs
cat >twice.yaml <<'END'
name: twice
layers:
  - {name: a, workload: gemm, sizes: {i: 4, j: 6, k: 8}, repeat: 2}
  - {name: b, workload: gemm, sizes: {i: 5, j: 3, k: 7}}
END
figure() { sed -n "s/^[[:space:]]*\"$1\":[^0-9]*\([0-9.e+]*\).*/\1/p" "$2" | tail -n 1; }
sator map twice.yaml --arch conventional --json >all.json
for layer in a b; do sator map twice.yaml --arch conventional --layer $layer --json >$layer.json; done
total() { sed -n "/$1/,\$s/^.*\"total\":[^0-9]*\([0-9.e+]*\).*/\1/p" "$2" | head -n 1; }
awk -v a="$(total energy_pj a.json)" -v b="$(total energy_pj b.json)" -v ca="$(total latency_cycles a.json)" -v cb="$(total latency_cycles b.json)" \
    -v pj="$(figure energy_pj all.json)" -v cycles="$(figure latency_cycles all.json)" -v edp="$(figure edp all.json)" 'function same(x, y) {
    return x > 0 && x - y < 1e-9 * y && y - x < 1e-9 * y ? "same" : x " is not " y
}
BEGIN { print same(pj, 2 * a + b), same(cycles, 2 * ca + cb), same(edp, (2 * a + b) * (2 * ca + cb)) }'
figure instances all.json | grep -x $((2 * 4 * 6 * 8 + 5 * 3 * 7)) || grep instances all.json
# with --imperfect what limits leave is for the search; what leaves nothing without them is known, and nothing else is said
cat >one.yaml <<'YAML'
levels:
  - {memory: D, energy_pj: 9}
  - {memory: L, capacity_words: {A: 1, Y: 1}, energy_pj: 1}
  - {compute: mac, energy_pj: 1}
YAML
printf 'sizes: {i: 4, j: 3}\nop: "Y[i] += A[i,j]"\n' >sum.yaml
sator map sum.yaml --arch one.yaml --imperfect --constraint 'D: i 3' --constraint 'D: i <= 4' --constraint 'L: i 2' 2>&1 # L has no room for 2
# a skew that is asked for may be one that is not searched; and nothing is known to be valid with it
cat >keeps.yaml <<'YAML'
levels:
  - {memory: D, energy_pj: 9}
  - {array: PE, shape: [2, 2], links: [{name: east, map: "PE[i,j] -> PE[i,j+1]", interval: 1, energy_pj: 1}]}
  - {memory: L, energy_pj: 1}
  - {array: lane, shape: [3]}
  - {memory: R, energy_pj: 1, bandwidth_bits: 16, holds: idle}
  - {compute: mac, energy_pj: 1}
YAML
printf 'sizes: {i: 2, j: 4}\nop: "Y[i] += A[i,j]"\n' >sum.yaml
sator map sum.yaml --arch keeps.yaml --constraint 'PE: skew 0 1' --constraint 'PE: j 2 -> 1' 2>&1
sator map sum.yaml --arch keeps.yaml --constraint 'PE: skew 0 1' --constraint 'utilization 1' 2>&1 | cat # of 12 PEs, 2 x 4 at most
# PEs that run two steps after one another want two at the memory outside: with all steps at the outermost memory, where tiles
# are least, the row has gaps, which says nothing of other mappings. B's 12 words of L2, 1 pJ each, are 4 and 8 over the link.
cat >late.yaml <<'YAML'
levels:
  - {memory: D, energy_pj: 10}
  - {memory: L2, energy_pj: 1}
  - {array: PE, shape: [3], links: [{name: east, map: "PE[i] -> PE[i+1]", interval: 2, energy_pj: 0}]}
  - {memory: L1, energy_pj: 2, capacity_words: 3}
  - {compute: mac, energy_pj: 1}
YAML
printf 'sizes: {i: 3, k: 4}\nop: "Y[i] += A[i] * B[k]"\n' >sum.yaml
for constraint in 'PE: skew 0' 'PE: i 3' 'utilization 1' 'PE: skew 2'; do
    "$SATOR" map sum.yaml --arch late.yaml --objective energy --constraint 'PE: only i' --constraint "$constraint" |
        sed -n '/^  mapping/p; /^  skew /p; /^  energy/p'
done
"$SATOR" map sum.yaml --arch late.yaml --objective energy --constraint 'PE: skew 2' --constraint 'utilization 1' --yaml
# A nest that uses one PE along a dimension shifts nothing there, and has any skew that is asked for: also where factors do
# not divide, as no skewed array's do. B's 4 words come twice, for tiles of 3 and 2 iterations of i, not five times.
cat >one_pe.yaml <<'YAML'
levels:
  - {memory: D, energy_pj: 10}
  - {array: PE, shape: [2], links: [{name: east, map: "PE[i] -> PE[i+1]", interval: 1, energy_pj: 50}]}
  - {memory: L1, energy_pj: 1, capacity_words: {A: 3, B: 1, Y: 3}}
  - {compute: mac, energy_pj: 1}
YAML
printf 'sizes: {i: 5, k: 4}\nop: "Y[i] += A[i] * B[k]"\n' >sum.yaml
for constraint in 'PE: only' 'PE: skew 1'; do
    "$SATOR" map sum.yaml --arch one_pe.yaml --objective energy --imperfect --constraint "$constraint" |
        sed -n '/^  mapping/p; /^  energy/p'
done
# A row of time with gaps is in no space: of three PEs that run three steps apart, each one step, the second begins when the first
# has ended, and holds what it needs of it no more. All strategies say so.
printf 'levels:\n  - {memory: D, energy_pj: 50}\n  - {array: PE, shape: [3], links: [{name: east, map: "PE[i] -> PE[i+1]", interval: 3, energy_pj: 1}]}\n' >gaps.yaml
printf '  - {memory: L1, energy_pj: 1, bandwidth_bits: 4}\n  - {compute: mac, energy_pj: 1, cycles: 0.01}\n' >>gaps.yaml
printf 'sizes: {i: 3, j: 1}\nop: "Y[i] += A[i] * B[j]"\n' >sum.yaml
for strategy in optimal exhaustive; do
    sator map sum.yaml --arch gaps.yaml --strategy $strategy --yaml -o best.yaml
    sator map sum.yaml --arch gaps.yaml --strategy $strategy | sed -n '/^  energy/p'
    sator analyze sum.yaml --arch gaps.yaml -d best.yaml | sed -n '/^  total/p'
done
# a search that is stopped at once does not answer with what violates a constraint: 27 of 864 PEs where a tenth is asked for
printf 'name: w\nsizes: {i: 3, j: 9, k: 5}\nop: "Y[j] += A[j,i,j] * B[2*k+2*j,k+k] * B[k,j]"\n' >joined.yaml
cat >many.yaml <<'YAML'
name: many
levels:
  - {memory: DRAM, energy_pj: 100}
  - {array: PE, shape: [3, 3]}
  - {memory: L1, energy_pj: 6, capacity_words: {A: 6, B: 2, Y: 6}}
  - {array: lane, shape: [4, 4]}
  - {array: bit, shape: [3, 2]}
  - {compute: mac, energy_pj: 0}
YAML
sator map joined.yaml --arch many.yaml --imperfect --constraint 'utilization 0.1' --budget 0.000001 2>&1 | grep -oE 'stopped before it found one|[0-9]+ of 864'
