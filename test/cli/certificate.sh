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
certify() { # certify FILE ARGUMENT...: a certificate of what "map" finds, all of which is verified
    file=$1
    shift
    sator map "$@" --certificate "$file" >/dev/null
    whole "$file"
}
spoil() { # spoil HOW KIND FILE [SPACE]: a claim whose first bound of the kind from SPACE on is raised by a thousandth, or left out
    awk -v how="$1" -v kind="$2" -v space="^  choice.*$4" '$0 ~ space { here = 1 }
        here && $2 == kind && !done { done = 1; if (how == "raise") printf "  %s %s %.12g\n", $1, kind, $3 * 1.001; next } { print }' "$3" >other.cert
    claim other.cert
}
altered() { # altered FILE COMMAND...: the claim as "sed" makes another of it
    from=$1
    shift
    sed "$@" "$from" >other.cert
    claim other.cert
}
for objective in edp energy latency; do
    certify $objective.cert gemm:i=12,j=8,k=20 --arch conventional --objective $objective
done
# several layers in one file; windows; two arrays and trees; wires and ports of a tensor each
cat >net.yaml <<'YAML'
layers:
  - {name: one, sizes: {k: 6, c: 4, x: 10, y: 6, r: 3, s: 3}, op: "Y[k,x,y] += A[c,x+r,y+s] * B[k,c,r,s]"}
  - {name: two, sizes: {k: 8, c: 6, x: 6, r: 2}, op: "Y[k,x] += A[c,2*x+r] * B[k,c,r]"}
YAML
for arch in conventional simba-like eyeriss five-level; do
    certify $arch.cert net.yaml --arch $arch
done
certify bypass.cert gemm:i=12,j=8,k=20 --arch conventional --set 'levels.L2.may_bypass=[A,Y]'
grep -c '^  choice' bypass.cert

# constraints are part of the question
certify limits.cert net.yaml --arch five-level --constraint 'PE: only k x' --constraint 'lane: c <= 2 -> 0' --constraint 'L1: order x ... r' \
    --constraint 'L1: k >= 2' --constraint 'utilization 0.1'

echo a bound that is raised by a thousandth
spoil raise cut edp.cert
spoil raise split simba-like.cert
echo the optimum claimed a thousandth higher, and lower
for factor in 1.001 0.999; do
    awk -v factor=$factor '$1 == "value:" { printf "value: %.17g\n", $2 * factor; next } { print }' edp.cert >other.cert
    claim other.cert
done
echo a part left out, and one that is none of the space
spoil omit cut edp.cert
altered edp.cert 's/^end$/  7.7 cut 1e30\nend/'
echo another machine
altered edp.cert 's/read: {value: 44,/read: {value: 40,/'
awk '/^architecture:/ { skip = 1; while ((getline line < "conventional.cert") > 0) if (line ~ /^architecture:/) copy = 1; else if (line ~ /^mapping:/) break; else if (copy) kept = kept line "\n" }
    /^mapping:/ { skip = 0; printf "architecture:\n%s", kept } !skip { print }' eyeriss.cert >other.cert
check other.cert
echo a choice left out
altered bypass.cert '/^  choice 2/,/^  choice 3/ { /^  choice 3/!d }'
echo constraints left out, and one that the mapping breaks
altered limits.cert '/^  PE: only/d'
altered limits.cert 's/^  L1: k >= 2/  L1: k >= 6/'
sed 's/^  utilization/  utilisation/' limits.cert >other.cert
check other.cert
echo a mapping that is not the best
sator map gemm:i=12,j=8,k=20 --arch conventional --strategy random --samples 1 --seed 1 --yaml >worse.yaml
sator analyze gemm:i=12,j=8,k=20 --arch conventional --dataflow worse.yaml --json | sed -n 's/^[[:space:]]*"edp":[[:space:]]*\([0-9.e+]*\),*$/\1/p' >worse.edp
awk 'FILENAME == "worse.edp" { value = $1; next } FILENAME == "worse.yaml" { mapping = mapping "  " $0 "\n"; next }
    /^mapping:/ { printf "mapping:\n%s", mapping; skip = 1 } /^objective:/ { skip = 0 } /^value:/ { print "value: " value; next } !skip { print }' \
    worse.edp worse.yaml edp.cert >other.cert
claim other.cert
echo a file that ends early, and one that is damaged
head -c 3000 edp.cert >other.cert
check other.cert
sed 's/^objective: edp/objective: speed/' edp.cert >other.cert
check other.cert
whole edp.cert
sator check edp.cert >/dev/null
echo "exit $?"
echo 'what certificates do not cover'
sator map gemm:i=12,j=8,k=20 --arch conventional --imperfect --constraint 'L1: k >= 2' --certificate no.cert >/dev/null
echo "exit $?"
ls no.cert 2>/dev/null

echo skewed arrays
certify skew.cert gemm:i=12,j=8,k=20 --arch tpu-8x8 --set 'levels.PE.shape=[4,4]'
grep '^  choice' skew.cert
certify windows.cert net.yaml --arch systolic-2d-8x8
certify mesh.cert gemm:i=12,j=8,k=20 --arch mesh-8x8 --set 'levels.PE.shape=[2,2]' --objective latency
cat >long.yaml <<'YAML'
layers:
  - {name: long, sizes: {k: 16, c: 1024, x: 7, y: 7}, op: "Y[k,x,y] += A[c,x,y] * B[k,c]"}
YAML
certify long.cert long.yaml --arch mesh-8x8 # too long to count what late links bring
certify one.cert gemm:i=12,j=8,k=20 --arch tpu-8x8 --constraint 'PE: skew 1 1'
grep '^  choice' one.cert
certify alone.cert gemm:i=12,j=8,k=20 --arch tpu-8x8 --objective energy --constraint 'PE: skew 1 1' --constraint 'PE: only'
certify still.cert gemm:i=12,j=8,k=20 --arch tpu-8x8 --constraint 'PE: skew 0'
grep '^  choice' still.cert
certify across.cert gemm:i=32,j=32,k=32 --arch tpu-256x256 --set 'levels.PE.shape=[4,4]' --set levels.scratchpad.capacity_bytes=2000
grep '^  choice' across.cert
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
certify fast.cert slide.yaml --arch bus.yaml --objective latency
sator check fast.cert | grep 'left out'
certify still.cert slide.yaml --arch bus.yaml --objective latency --constraint 'PE: skew 0'
sator check still.cert | grep 'left out'
echo a bound of such a skew that is raised by a thousandth, one of its parts and all of them left out
spoil raise split bus.cert 'skew PE 1 0'
spoil omit split bus.cert 'skew PE 1 0'
awk '/^  choice/ { skip = /skew PE 1 0/ } /^end/ { skip = 0 } !skip { print }' bus.cert >other.cert
claim other.cert
sed '/^words: counted/d' bus.cert >other.cert
check other.cert
echo a machine whose bus is cheaper, and one whose link leads further
altered bus.cert 's/\(name: cast,.*energy_pj: \)0.5/\10.25/'
altered bus.cert 's/PE\[i - 1, j\]/PE[i - 2, j]/'
echo links that a skew makes late, as far as the search looks and further
certify late.cert gemm:i=6,j=4,k=10 --arch mesh-8x8 --set 'levels.PE.shape=[2,4]'
grep words late.cert
sator check late.cert | grep 'left out'
spoil raise cut late.cert 'skew PE -1 1'
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
certify pass.cert gemm:i=4,j=4,k=6 --arch pass.yaml --objective energy
sator check pass.cert | grep 'left out'
echo joins across tiles: a bound raised, a part left out, another machine
spoil raise cut across.cert 'across'
spoil omit cut across.cert 'across'
altered across.cert 's/capacity_bytes: 2000/capacity_bytes: 2400/'
echo a bound of a skew that is raised by a thousandth, and one of its parts that is left out
spoil raise cut skew.cert 'skew PE 1 1'
spoil omit split skew.cert 'skew PE 1 1'
echo a skew left out, two exchanged, another one
awk '/^  choice/ { skip = /skew PE 1 0/ } /^end/ { skip = 0 } !skip { print }' skew.cert >other.cert
claim other.cert
altered skew.cert 's/^  choice 0 skew PE 1 0$/  choice 0 skew PE 0 2/'
altered skew.cert 's/^      skew: \[1, 1\]/      skew: [1, 0]/'
sed '/^joins: across/d' across.cert >other.cert
check other.cert
echo a machine without its links, and one whose links lead elsewhere
altered skew.cert '/name: south/d'
altered skew.cert 's/PE\[i, j + 1\]/PE[i, j - 1]/'
echo buses and trees of every four PEs, where loops stand along them in orders that end inside of buses, too
certify four.cert net.yaml --arch multicast-1d-64
certify films.cert als --layer mttkrp_films --arch multicast-1d-64 --set energy_table=45nm
cat >parts.yaml <<'YAML'
name: parts
levels:
  - {memory: DRAM, energy_pj: {read: 64, write: 64}, bandwidth_bits: 32}
  - array: PE
    shape: [8, 3]
    multicast: [{name: cast, map: "PE[i,j] -> BUS[i/3, j/2]", energy_pj: 0.5}]
    reduction: [{name: sum, map: "PE[i,j] -> TREE[i/4, j]", energy_pj: 8}]
  - {memory: registers, capacity_words: 12, energy_pj: {read: 1, write: 1}}
  - {compute: mac, energy_pj: 1, cycles: 1}
YAML
certify parts.cert gemm:i=12,j=6,k=6 --arch parts.yaml
altered parts.cert 's/floor(i\/3)/floor(i\/2)/'
echo factors that need not divide: of a window, too, one claimed to divide, a bound raised, a part left out, another machine
cat >odd.yaml <<'YAML'
layers:
  - {name: odd, sizes: {k: 7, c: 5, x: 11, r: 3}, op: "Y[k,x] += A[c,2*x+r] * B[k,c,r]"}
YAML
certify odd.cert odd.yaml --arch eyeriss --imperfect
certify long.cert gemm:i=97,j=89,k=101 --arch eyeriss --imperfect --objective latency
sator check odd.cert | grep 'left out'
altered odd.cert '/^factors: filled/d'
spoil raise cut odd.cert
spoil raise split odd.cert
spoil omit split odd.cert
altered odd.cert 's/capacity_words: {A: 12/capacity_words: {A: 24/'
