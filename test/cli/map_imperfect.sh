#!/bin/sh
# --imperfect: the file it writes gives sator analyze the same figures; 17 iterations on 16 PEs take 2 cycles, not 17.
. "$2/test/cli/harness"
rooflines
figures() { # of every level and tensor, and the totals
    grep -E '"(tile_words|fills|writes|reads|updates|total)":' "$1" | tr -d '\t, '
}
compare() { # a workload with the options that map and analyze share; the objective
    workload=$1 objective=$2
    shift 2
    sator map "$workload" "$@" --imperfect --objective "$objective" --yaml -o best.yaml
    sator map "$workload" "$@" --imperfect --objective "$objective" --json >mapped.json
    sator analyze "$workload" "$@" --dataflow best.yaml --json >analyzed.json
    figures mapped.json | sort >a
    [ "$(grep -c fills a)" -ge 6 ] || echo "$workload $*: too few figures"
    figures analyzed.json | sort >b
    diff a b >/dev/null || { echo "$workload $*:"; diff a b; }
    sator map "$workload" "$@" --imperfect --objective "$objective" --why-not best.yaml | grep -o 'legal'
}
for arch in conventional eyeriss five-level simba-like; do
    compare gemm:i=23,j=17,k=29 edp --arch $arch
    compare conv2d-strided:k=5,c=3,ox=7,oy=5,rx=3,ry=3 edp --arch $arch
    compare ttmc:i=7,j=11,k=5 latency --arch $arch
done
# lanes inside the PEs' buffers
compare resnet18 edp --arch simba-like --layer fc
compare resnet18 edp --arch simba-like --layer conv5_downsample
compare gemm:i=97,j=89,k=101 edp --arch simba-like
cycles() {
    sed -n 's,^  latency *\([0-9]*\).* cycles.*,\1 cycles,p'
}
# at least 97 x 89 x 101 / 1024 = 851.5 cycles; 97 x 89 x 101 with factors that divide
primes=$(sator map gemm:i=97,j=89,k=101 --arch simba-like --objective latency --imperfect | cycles)
[ "${primes% cycles}" -lt 1000 ] && echo "fewer than 1000 cycles"
cat >small.yaml <<'END'
name: small
levels:
  - {memory: DRAM, energy_pj: {read: 100, write: 100}}
  - {array: PE, shape: [16]}
  - {memory: L1, energy_pj: {read: 1, write: 1}}
  - {compute: mac, energy_pj: 1}
END
for option in --imperfect ''; do
    for strategy in optimal exhaustive; do
        sator map gemm:i=17,j=1,k=1 --arch small.yaml --objective latency --strategy $strategy $option | sed -n 's,^  latency *\([0-9]* cycles\).*,\1,p'
    done
done
# 17 iterations in 6 tiles of 3, on 6 PEs; 9 PEs take two steps each, of 8 that DRAM may have, and 6 tiles of 3 one of 4
constrained() {
    sator map gemm:i=17,j=1,k=1 --arch small.yaml --objective latency --imperfect "$@" | sed -n 's,^  latency *\([0-9]* cycles\).*,\1,p'
}
constrained --constraint 'L1: i 3'
constrained --constraint 'L1: i 8' # 3 tiles
constrained --constraint 'DRAM: i 8'
constrained --constraint 'L1: i 3' --constraint 'DRAM: i 4'
constrained --constraint 'L1: i 18'
cat >lanes.yaml <<'END'
name: lanes
levels:
  - {memory: DRAM, energy_pj: {read: 100, write: 100}}
  - {array: PE, shape: [4]}
  - {memory: L1, energy_pj: {read: 1, write: 1}}
  - {array: lane, shape: [8]}
  - {compute: mac, energy_pj: 1}
END
# 97 iterations are 13 blocks of 8 lanes, at most 4 of them on each of 4 PEs; 33 are 5 blocks of 7, two on each of 3 PEs
lanes() {
    sator map "$1" --arch lanes.yaml --objective latency --imperfect --strategy "$2" | cycles
}
lanes gemm:i=97,j=1,k=1 optimal
lanes gemm:i=97,j=1,k=1 exhaustive
lanes gemm:i=33,j=1,k=1 optimal
cat >single.yaml <<'END'
name: single
loops:
  - at: DRAM
    for: [i 4]
  - at: L1
    for: [i 3]
  - at: lane
    parallel: [i 8 -> 0]
END
sator map gemm:i=73,j=1,k=1 --arch lanes.yaml --objective latency --imperfect --why-not single.yaml | grep 'legal'
# remainders at every level: nests that are better than all whose outer factors divide the number of innermost tiles
cat >given.yaml <<'END'
name: given
loops:
  - at: L2
    for: [i 4, j 3, k 101]
  - at: PE
    parallel: [i 32 -> 0, j 32 -> 1]
END
for bytes in 6 16; do
    sator map gemm:i=97,j=89,k=101 --arch conventional --set levels.L1.capacity_bytes=$bytes --imperfect --why-not given.yaml |
        awk '/^given: legal/ { print ($6 >= 1 ? "the best is at least as good" : "better than the best: " $0) }'
done
compare gemm:i=7,j=5,k=3 latency --arch multicast-1d-64 # wires and buses that the engines count
# the tile of L1 is 3 x 3 for 7 iterations
cat >lanes.yaml <<'YAML'
name: lanes
levels:
  - {memory: DRAM, energy_pj: 100}
  - {memory: L1, energy_pj: 2}
  - {array: lane, shape: [3]}
  - {compute: mac, energy_pj: 1}
YAML
sator map gemm:i=7,j=2,k=2 --arch lanes.yaml --imperfect --constraint 'lane: i 3' --constraint 'L1: i 3' | grep -oE 'proved optimal|parallel .*'
# The last of 14 loops has one iteration in the PEs' tiles, as all have: 3 on 2 PEs take 2 steps, of 2^12 x 3 x 2 in all.
cat >many.yaml <<'END'
name: many
sizes: {a: 2, b: 2, c: 2, d: 2, e: 2, f: 2, g: 2, h: 2, i: 2, j: 2, k: 2, l: 2, m: 3, n: 3}
op: "Y[a,b,c,d,e,f,g] += A[h,i,j,k,l,m,n] * B[a,n]"
END
cat >two.yaml <<'END'
name: two
levels:
  - {memory: DRAM, energy_pj: {read: 100, write: 100}}
  - {array: PE, shape: [2], multicast: [{name: m, map: "PE[i] -> BUS[0]", energy_pj: 0.5}]}
  - {compute: mac, energy_pj: 1}
END
sator map many.yaml --arch two.yaml --imperfect --constraint 'PE: n 2' >best.txt
sator map many.yaml --arch two.yaml --imperfect --constraint 'PE: n 2' --yaml -o best.yaml
sed -n 's/^  energy  *//p; s/^  latency  *//p' best.txt
sator analyze many.yaml --arch two.yaml -d best.yaml | sed -n 's/^  total  *\([0-9,.]* nJ\)/\1/p; s/^    compute  *//p'
# Three PEs in rows of two: the inner tree adds the two of the first row, the outer one the sums of both rows.
cat >sum.yaml <<'END'
sizes: {i: 3}
op: "C[] += B[i]"
END
cat >trees.yaml <<'END'
levels:
  - {memory: M, energy_pj: 1}
  - {array: row, shape: [2], reduction: [{name: outer, map: "row[a] -> TREE[0]", energy_pj: 1}]}
  - {array: column, shape: [2], reduction: [{name: inner, map: "column[a] -> TREE[0]", energy_pj: 1}]}
  - {compute: mac, energy_pj: 1}
END
sator map sum.yaml --arch trees.yaml --imperfect --constraint 'row: i 2' --constraint 'column: i 2' | grep '^  outer\|^  inner'
# Of 31 i one PE has two tiles of 9, the other 9 + 4. With j inside of i, P comes once and Q twice: 18 + 2 x 16 words for each
# k to the first PE, 13 + 32 to the other. With i inside of j Q comes once and P twice: 36 + 16 and 26 + 16, fewer for both
# together but not for the busiest. With the four words of R, of 16 bits at 0.1 a cycle: 204 x 160 cycles.
printf 'sizes: {i: 31, j: 16, k: 4}\nop: "Y[i,j] += P[i] * Q[j] * R[k]"\n' >outer.yaml
cat >fills.yaml <<'END'
levels:
  - {memory: DRAM, energy_pj: 1}
  - {array: PE, shape: [2]}
  - {memory: L1, bandwidth_bits: {write: 0.1}, bypass: [Y], energy_pj: 1}
  - {compute: mac, energy_pj: 1}
END
sator map outer.yaml --arch fills.yaml --imperfect --objective latency --constraint 'PE: i 2' \
    --constraint 'L1: i 9, j 8, k 1' --constraint 'DRAM: order k ...' | sed -n 's/^  latency  *\(.* cycles\),.*/\1/p'
# Seven by seven windows in tiles of four by four, of chains that are not all looked at.
cat >window.yaml <<'END'
name: given
loops:
  - at: DRAM
    for: [oy 7, ox 112]
  - at: scratchpad
    for: [ry 2, rx 2, c 3, k 4, oy 16]
  - at: PE
    parallel: [k 16 -> 0, ry 4 -> 1, rx 4 -> 1]
END
sator map resnet18 --layer conv1 --arch diannao --imperfect --why-not window.yaml |
    awk '/^given: legal/ { print (/ as good as the best / || /, [1-9][0-9.]* times / ? "as good as a window in parts" : $0) }'
# PEs that pass words on: 97 = 24 x 4 + 1 rows leave 3 of the 4 idle at the end, and 25 x 89 x 101 cycles are near the least
cat >row.yaml <<'END'
name: row
levels:
  - {memory: DRAM, energy_pj: 200, bandwidth_bits: 64}
  - {memory: L2, capacity_bytes: 65536, energy_pj: 6}
  - array: PE
    shape: [4]
    links: [{name: east, map: "PE[i] -> PE[i+1]", interval: 1, energy_pj: 1}]
  - {compute: mac, energy_pj: 1}
END
cat >given.yaml <<'END'
loops:
  - {at: DRAM, for: [i 25, j 18, k 51]}
  - {at: L2, for: [k 2, j 5]}
  - {at: PE, parallel: [i 4 -> 0]}
END
all_cycles() { tr -d , | cycles; }
sator analyze gemm:i=97,j=89,k=101 --arch row.yaml --dataflow given.yaml | all_cycles
sator map gemm:i=97,j=89,k=101 --arch row.yaml --imperfect --why-not given.yaml | grep -o 'legal.*space\|legal'
best=$(sator map gemm:i=97,j=89,k=101 --arch row.yaml --imperfect --objective latency | all_cycles)
[ "${best% cycles}" -le 224725 ] && [ "${best% cycles}" -ge $(((97 * 89 * 101 + 3) / 4)) ] && echo "no more cycles, and enough for 4 PEs"
# what such links bring between PEs of which some have become idle, at their cost
compare gemm:i=5,j=11,k=11 edp --arch row.yaml
compare conv2d-strided:k=2,c=3,ox=7,oy=1,rx=3,ry=1 energy --arch row.yaml
sed 's/interval: 1/interval: 0/' row.yaml >wire.yaml
compare gemm:i=5,j=11,k=11 latency --arch wire.yaml
compare conv2d-strided:k=2,c=3,ox=7,oy=1,rx=3,ry=1 latency --arch wire.yaml
# sums over a window whose parts a tree merges: 13 channels in sevens, 17 in sixes, the 97 columns over 8 PEs
cat >transposed.yaml <<'END'
name: transposed-conv
sizes: {k: 13, c: 17, x: 97, r: 5}
op: "Y[k,2*x+r] += A[c,x] * B[k,c,r]"
END
cat >merged.yaml <<'END'
loops:
  - {at: DRAM, for: [c 3]}
  - {at: PE, parallel: [k 2 -> 0, x 2 -> 0, x 4 -> 1]}
  - {at: L1, for: [r 5, x 13]}
  - {at: lane, parallel: [k 7 -> 0, c 6 -> 1]}
END
sator analyze transposed.yaml --arch simba-like --dataflow merged.yaml --engine general | sed -n '/^  latency/p; /^  EDP/p'
sator map transposed.yaml --arch simba-like --imperfect --why-not merged.yaml | grep -o 'legal.*space\|legal'
compare transposed.yaml edp --arch simba-like
