#!/bin/sh
# Certificates: verified as they are written, for every objective, several layers and choices of what bypasses what; refused when anything in them is not
# so. What is wrong with each is said.
. "$2/test/cli/harness"
rooflines
check() { # the line printed and the exit code
    sator check "$1"
    echo "exit $?"
}
claim() { # claim FILE: what it says of its parts, without their numbers, which are no part of what is known
    sator check "$1" 2>&1 | sed -E 's/[0-9][0-9.e+]*[0-9]|[0-9]+/N/g'
}
whole() { # whole FILE: all of it is verified
    set -- "$1" "$(sator check "$1" | tail -1)"
    echo "$2" | sed -E 's/.* ([0-9]+) of \1 parts verified$/all parts verified/'
}
for objective in edp energy latency; do
    sator map gemm:i=12,j=8,k=20 --arch conventional --objective $objective --certificate $objective.cert >/dev/null
    whole $objective.cert
done
# several layers in one file; windows; two arrays and trees; wires and ports of a tensor each
cat >net.yaml <<'YAML'
layers:
  - {name: one, sizes: {k: 6, c: 4, x: 10, y: 6, r: 3, s: 3}, op: "Y[k,x,y] += A[c,x+r,y+s] * B[k,c,r,s]"}
  - {name: two, sizes: {k: 8, c: 6, x: 6, r: 2}, op: "Y[k,x] += A[c,2*x+r] * B[k,c,r]"}
YAML
for arch in conventional simba-like eyeriss five-level; do
    sator map net.yaml --arch $arch --certificate $arch.cert >/dev/null
    whole $arch.cert
done
sator map gemm:i=12,j=8,k=20 --arch conventional --set 'levels.L2.may_bypass=[A,Y]' --certificate bypass.cert >/dev/null
grep -c '^  choice' bypass.cert
whole bypass.cert

# constraints are part of the question
sator map net.yaml --arch five-level --constraint 'PE: only k x' --constraint 'lane: c <= 2 -> 0' --constraint 'L1: order x ... r' \
    --constraint 'L1: k >= 2' --constraint 'utilization 0.1' --certificate limits.cert >/dev/null
whole limits.cert

echo a bound that is raised by a thousandth
awk '$2 == "cut" && !done { printf "  %s cut %.12g\n", $1, $3 * 1.001; done = 1; next } { print }' edp.cert >raised.cert
claim raised.cert
awk '$2 == "split" && !done { printf "  %s split %.12g\n", $1, $3 * 1.001; done = 1; next } { print }' simba-like.cert >raised.cert
claim raised.cert
echo the optimum claimed a thousandth higher, and lower
awk '$1 == "value:" { printf "value: %.17g\n", $2 * 1.001; next } { print }' edp.cert >higher.cert
claim higher.cert
awk '$1 == "value:" { printf "value: %.17g\n", $2 / 1.001; next } { print }' edp.cert >lower.cert
claim lower.cert
echo a part left out, and one that is none of the space
awk '$2 == "cut" && !done { done = 1; next } { print }' edp.cert >missing.cert
claim missing.cert
awk '{ print } $2 == "cut" { line = $0 } $1 == "end" { exit }' edp.cert | sed 's/^end$/  7.7 cut 1e30\nend/' >extra.cert
claim extra.cert
echo another machine
awk '/^architecture:/ { skip = 1; while ((getline line < "conventional.cert") > 0) if (line ~ /^architecture:/) copy = 1; else if (line ~ /^mapping:/) break; else if (copy) kept = kept line "\n" }
    /^mapping:/ { skip = 0; printf "architecture:\n%s", kept } !skip { print }' eyeriss.cert >another.cert
sed 's/read: {value: 44,/read: {value: 40,/' edp.cert >cheaper.cert
claim cheaper.cert
check another.cert
echo a choice left out
sed '/^  choice 2/,/^  choice 3/ { /^  choice 3/!d }' bypass.cert >fewer.cert
claim fewer.cert
echo constraints left out, and one that the mapping breaks
sed '/^  PE: only/d' limits.cert >free.cert
claim free.cert
sed 's/^  L1: k >= 2/  L1: k >= 6/' limits.cert >tight.cert
claim tight.cert
sed 's/^  utilization/  utilisation/' limits.cert >unknown.cert
check unknown.cert
echo a mapping that is not the best
sator map gemm:i=12,j=8,k=20 --arch conventional --strategy random --samples 1 --seed 1 --yaml >worse.yaml
sator analyze gemm:i=12,j=8,k=20 --arch conventional --dataflow worse.yaml --json | sed -n 's/^[[:space:]]*"edp":[[:space:]]*\([0-9.e+]*\),*$/\1/p' >worse.edp
awk 'FILENAME == "worse.edp" { value = $1; next } FILENAME == "worse.yaml" { mapping = mapping "  " $0 "\n"; next }
    /^mapping:/ { printf "mapping:\n%s", mapping; skip = 1 } /^objective:/ { skip = 0 } /^value:/ { print "value: " value; next } !skip { print }' \
    worse.edp worse.yaml edp.cert >worse.cert
claim worse.cert
echo a file that ends early, and one that is damaged
head -c 3000 edp.cert >short.cert
check short.cert
sed 's/^objective: edp/objective: speed/' edp.cert >damaged.cert
check damaged.cert
whole edp.cert
sator check edp.cert >/dev/null
echo "exit $?"
echo what certificates do not cover
sator map gemm:i=12,j=8,k=20 --arch conventional --imperfect --certificate no.cert >/dev/null
echo "exit $?"
ls no.cert 2>/dev/null

echo skewed arrays
sator map gemm:i=12,j=8,k=20 --arch tpu-8x8 --set levels.PE.shape=[4,4] --certificate skew.cert >/dev/null
grep '^  choice' skew.cert
whole skew.cert
sator map net.yaml --arch systolic-2d-8x8 --certificate windows.cert >/dev/null
whole windows.cert
sator map gemm:i=12,j=8,k=20 --arch mesh-8x8 --set levels.PE.shape=[2,2] --objective latency --certificate mesh.cert >/dev/null
whole mesh.cert
sator map gemm:i=12,j=8,k=20 --arch tpu-8x8 --constraint 'PE: skew 1 1' --certificate one.cert >/dev/null
grep '^  choice' one.cert
whole one.cert
sator map gemm:i=12,j=8,k=20 --arch tpu-8x8 --objective energy --constraint 'PE: skew 1 1' --constraint 'PE: only' --certificate alone.cert >/dev/null
whole alone.cert
sator map gemm:i=12,j=8,k=20 --arch tpu-8x8 --constraint 'PE: skew 0' --certificate still.cert >/dev/null
grep '^  choice' still.cert
whole still.cert
sator map gemm:i=32,j=32,k=32 --arch tpu-256x256 --set 'levels.PE.shape=[4,4]' --set levels.scratchpad.capacity_bytes=2000 --certificate across.cert >/dev/null
grep '^  choice' across.cert
whole across.cert
echo skews along a bus, whose words have no formula: the best mapping has one, is none of them, and may be none of them
cat >bus.yaml <<'EOF'
name: bus
levels:
  - {memory: DRAM, energy_pj: {read: 96, write: 96}}
  - array: PE
    shape: [5, 2]
    links:
      - {name: next, map: "PE[i,j] -> PE[i+1,j]", interval: 1, energy_pj: 0.5, tensors: [A]}
      - {name: back, map: "PE[i,j] -> PE[i-1,j]", interval: 1, energy_pj: 0.5, tensors: [A]}
    multicast: [{name: cast, map: "PE[i,j] -> BUS[0]", energy_pj: 0.5}]
    reduction: [{name: sum, map: "PE[i,j] -> TREE[i]", energy_pj: 0.5}]
  - {compute: mac, energy_pj: 1.25, cycles: 1}
EOF
cat >slide.yaml <<'EOF'
name: slide
sizes: {n: 2, k: 3, c: 2, x: 2, r: 6}
op: "Y[k,c,r] += A[n,c,x+r] * B[n,k,x]"
EOF
sator map slide.yaml --arch bus.yaml --objective energy --certificate bus.cert | grep -o '^  skew  *PE 1 0'
whole bus.cert
sator check bus.cert | grep 'left out'
grep -E '^(  choice|words)' bus.cert
sator map slide.yaml --arch bus.yaml --objective latency --certificate fast.cert >/dev/null
whole fast.cert
sator check fast.cert | grep 'left out'
sator map slide.yaml --arch bus.yaml --objective latency --constraint 'PE: skew 0' --certificate still.cert >/dev/null
whole still.cert
sator check still.cert | grep 'left out'
echo a bound of such a skew that is raised by a thousandth, one of its parts and all of them left out
awk '/^  choice.*skew PE 1 0/ { here = 1 } here && $2 == "split" && !done { printf "  %s split %.12g\n", $1, $3 * 1.001; done = 1; next } { print }' bus.cert >raised.cert
claim raised.cert
awk '/^  choice.*skew PE 1 0/ { here = 1 } here && $2 == "split" && !done { done = 1; next } { print }' bus.cert >missing.cert
claim missing.cert
awk '/^  choice/ { skip = /skew PE 1 0/ } /^end/ { skip = 0 } !skip { print }' bus.cert >fewer.cert
claim fewer.cert
sed '/^words: counted/d' bus.cert >uncounted.cert
check uncounted.cert
echo a machine whose bus is cheaper, and one whose link leads further
sed 's/\(name: cast,.*energy_pj: \)0.5/\10.25/' bus.cert >cheaper.cert
claim cheaper.cert
sed 's/PE\[i - 1, j\]/PE[i - 2, j]/' bus.cert >further.cert
claim further.cert
echo links that a skew makes late, as far as the search looks and further
sator map gemm:i=6,j=4,k=10 --arch mesh-8x8 --set levels.PE.shape=[2,4] --certificate late.cert >/dev/null
grep words late.cert
whole late.cert
sator check late.cert | grep 'left out'
awk '/^  choice.*skew PE -1 1/ { here = 1 } here && $2 == "cut" && !done { printf "  %s cut %.12g\n", $1, $3 * 1.001; done = 1; next } { print }' late.cert >raised.cert
claim raised.cert
echo loops inside a skewed array at a memory that a tensor passes by
cat >pass.yaml <<'EOF'
name: pass
levels:
  - {memory: DRAM, energy_pj: {read: 64, write: 64}}
  - array: PE
    shape: [4]
    links: [{name: next, map: "PE[i] -> PE[i+1]", interval: 1, energy_pj: 0.5}]
  - {memory: L1, capacity_words: 12, tensors: [A], energy_pj: {read: 1, write: 1}}
  - {memory: registers, capacity_words: 6, energy_pj: {read: 0.25, write: 0.25}}
  - {compute: mac, energy_pj: 1, cycles: 1}
EOF
sator map gemm:i=4,j=4,k=6 --arch pass.yaml --objective energy --certificate pass.cert >/dev/null
whole pass.cert
sator check pass.cert | grep 'left out'
echo joins across tiles: a bound raised, a part left out, another machine
awk '/^  choice.*across/ { here = 1 } here && $2 == "cut" && !done { printf "  %s cut %.12g\n", $1, $3 * 1.001; done = 1; next } { print }' across.cert >raised.cert
claim raised.cert
awk '/^  choice.*across/ { here = 1 } here && $2 == "cut" && !done { done = 1; next } { print }' across.cert >missing.cert
claim missing.cert
sed 's/capacity_bytes: 2000/capacity_bytes: 2400/' across.cert >larger.cert
claim larger.cert
echo a bound of a skew that is raised by a thousandth, and one of its parts that is left out
awk '/^  choice.*skew PE 1 1/ { here = 1 } here && $2 == "cut" && !done { printf "  %s cut %.12g\n", $1, $3 * 1.001; done = 1; next } { print }' skew.cert >raised.cert
claim raised.cert
awk '/^  choice.*skew PE 1 1/ { here = 1 } here && $2 == "split" && !done { done = 1; next } { print }' skew.cert >missing.cert
claim missing.cert
echo a skew left out, two exchanged, another one
awk '/^  choice/ { skip = /skew PE 1 0/ } /^end/ { skip = 0 } !skip { print }' skew.cert >fewer.cert
claim fewer.cert
sed 's/^  choice 0 skew PE 1 0$/  choice 0 skew PE 0 2/' skew.cert >exchanged.cert
claim exchanged.cert
sed 's/^      skew: \[1, 1\]/      skew: [1, 0]/' skew.cert >another.cert
claim another.cert
sed '/^joins: across/d' across.cert >apart.cert
check apart.cert
echo a machine without its links, and one whose links lead elsewhere
sed '/name: south/d' skew.cert >unlinked.cert
claim unlinked.cert
sed 's/PE\[i, j + 1\]/PE[i, j - 1]/' skew.cert >west.cert
claim west.cert
