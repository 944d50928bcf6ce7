#!/bin/sh
# Skewed arrays in the search: what they gain, how they are asked for, and that the analysis of what
# is found has the same figures.
. "$2/test/cli/harness"
rooflines
best() { # CONSTRAINT WORKLOAD ARCH: the figures of map, and of the analysis of its dataflow
    echo "== $*"
    constraint=$1
    shift
    sator map "$1" --arch "$2" --constraint "$constraint" >best.txt
    sed -n '/^  mapping/p; /^  skew/p; /^  latency/p; /^  EDP/p' best.txt
    grep -q '^  skew' best.txt && sed -n '/^  space  .*PE/p' best.txt # else many are as good
    sator map "$1" --arch "$2" --constraint "$constraint" --yaml -o best.yaml
    sator analyze "$1" --arch "$2" -d best.yaml | sed -n '/^  latency/p; /^  EDP/p'
}
# DRAM's 2 x 262,144 words of 16 bits at 368 bits a cycle bound it: 22,795.
best 'PE: skew 0' gemm:i=512,j=512,k=512 tpu-256x256
best 'utilization 0.01' gemm:i=512,j=512,k=512 tpu-256x256
best 'PE: skew 0 1' gemm:i=64,j=64,k=64 tpu-8x8
best 'PE: skew 1 -1' gemm:i=8,j=8,k=8 tpu-8x8
sator map gemm:i=8,j=8,k=8 --arch tpu-8x8 --yaml
for constraint in 'PE: skew 1' 'PE: skew 1 x' 'PE: skew' 'PE: skew 1 1, 2' 'scratchpad: skew 1'; do
    sator map gemm:i=8,j=8,k=8 --arch tpu-8x8 --constraint "$constraint" 2>&1
done
sator map gemm:i=8,j=8,k=8 --arch tpu-8x8 --constraint 'PE: skew 1 1' --constraint 'PE: skew 0' 2>&1
# Factors that need not divide are tried besides, not instead: where PEs have room for a word of each tensor links decide.
# A factor that a constraint asks for is no mistake if it divides nothing.
one_word='levels.registers.capacity_words={A: 1, B: 1, Y: 1}'
for i in 31 32; do
    for imperfect in '' --imperfect; do
        sator map gemm:i=$i,j=32,k=32 --arch tpu-8x8 --set "$one_word" $imperfect >best.txt
        sator map gemm:i=$i,j=32,k=32 --arch tpu-8x8 --set "$one_word" $imperfect --yaml -o best.yaml
        sator analyze gemm:i=$i,j=32,k=32 --arch tpu-8x8 --set "$one_word" -d best.yaml >analysis.txt
        sed -n 's/^  latency/'"$i $imperfect"'/p' best.txt analysis.txt
        sed -n '/^  mapping/p; /^  skew/p' best.txt
    done
done
# 13 x 12 tiles of 8 x 8, a few of them short: the nest that one would write, counted by lists, and what is found.
cat >tiles.yaml <<'END'
name: tiles
loops:
  - {at: scratchpad, for: [j 12, i 13, k 101]}
  - {at: PE, parallel: [i 8 -> 0, j 8 -> 1], skew: [1, 1]}
END
for question in 'analyze -d tiles.yaml --engine listed' 'map --imperfect'; do
    sator $question gemm:i=97,j=89,k=101 --arch tpu-8x8 --set "$one_word" --set energy_table=45nm |
        sed -n '/^  latency/p; /^  EDP/p; /^  mapping /p; /^  skew/p'
done
sator map gemm:i=97,j=89,k=101 --arch tpu-8x8 --set "$one_word" --set energy_table=45nm --imperfect --why-not tiles.yaml
sator map gemm:i=31,j=32,k=32 --arch tpu-8x8 --imperfect --constraint 'PE: i 8' | sed -n '/^  latency/p'
sator map gemm:i=8,j=8,k=8 --arch gemmini --constraint 'PE: skew 0 1' 2>&1
# What late links bring some mapping cannot be counted here: without, of which bounds speak, it loses.
sator map unet --layer up3_1 --arch mesh-8x8 --set energy_table=45nm -j1 | sed -n '/^  mapping/p; /^  bound/p'
# The first TPU (ISCA 2017, Table 3) reaches 12.3 TOPS with MLP0, batch 200, and 3.7 with LSTM0, batch 64
for case in 'MLP0 200 12.3' 'LSTM0 64 3.7'; do
    # shellcheck disable=SC2086
    set -- $case
    sator map gemm:i=$2,j=2048,k=2048 --arch tpu-256x256 --set word_bits=8 --objective latency |
        sed -n 's/^.* MHz, \([0-9.]*\) TOPS.*/\1/p' |
        awk -v name=$1 -v published=$3 '{error = 100 * ($1 / published - 1); print name ": " $1 " TOPS" (error < 10 && error > -10 ? ", within 10 %" : "")}'
done
# Tiles of the registers spend less than the others leave: each sum that a tree merges spares them a word of 48 pJ
cat >merging.yaml <<'END'
levels:
  - {memory: DRAM, energy_pj: {read: 3584, write: 64}}
  - array: PE
    shape: [2, 4]
    links: [{name: next, map: "PE[i,j] -> PE[i,j+1]", interval: 1, tensors: [A], energy_pj: 0.025}]
  - {memory: L1, energy_pj: {read: 2.5, write: 2, word_bits: 8}}
  - array: lane
    shape: [5, 4]
    multicast: [{name: cast, map: "lane[i,j] -> BUS[j]", energy_pj: 4}]
    reduction: [{name: sum, map: "lane[i,j] -> TREE[0]", energy_pj: 2}]
  - {memory: registers, energy_pj: {read: 48, write: 48}, tensors: [A, Y]}
  - {compute: mac, energy_pj: 0.75, cycles: 1}
END
cat >merged.yaml <<'END'
sizes: {i: 2, j: 4, k: 9}
op: "Y[i,j] += A[i,k] * B[k,j]"
word_bits: {A: 8, B: 8, Y: 24}
END
for strategy in exhaustive optimal; do
    sator map merged.yaml --arch merging.yaml --objective energy --constraint 'PE: skew 0 1' \
        --strategy $strategy | sed -n '/^  mapping/p; /^  energy/p'
done
# Skews that make links late are searched together, and one of their mirror images alone: not where windows tell them apart.
value() { sator map "$@" --json | sed -n 's/^\t*"edp": *\(.*\),/\1/p'; }
compare() { # SHAPE LINKS: the best of all skews, and of each that is asked for by itself
    { printf 'levels:\n  - {memory: L2, bandwidth_bits: {read: 128, write: 64}, energy_pj: {read: 5, write: 5}}\n  - array: PE\n    shape: [%s, %s]\n    links:\n' "$1" "$1"
        for to in $2; do
            echo "      - {name: \"to $to\", map: \"PE[i,j] -> PE[$to]\", interval: 1, energy_pj: 0.02}"
        done
        echo '  - {memory: registers, capacity_words: {A: 1, B: 1, Y: 1}, energy_pj: {read: 0.1, write: 0.1}}'
        echo '  - {compute: mac, cycles: 1, energy_pj: 1}'
    } >mesh.yaml
    for skew in '0 0' '0 1' '0 -1' '1 0' '1 1' '1 -1' '-1 0' '-1 1' '-1 -1'; do
        value window.yaml --arch mesh.yaml --constraint "PE: skew $skew"
    done | sort -g | head -n 1 >each.txt
    value window.yaml --arch mesh.yaml >all.txt
    [ -s all.txt ] && cmp -s all.txt each.txt && echo "as good as each skew by itself"
}
four='i+1,j i-1,j i,j+1 i,j-1'
printf 'sizes: {x: 4, r: 3}\nop: "Y[x] += A[x+r] * B[r]"\n' >window.yaml
compare 3 "$four"
printf 'sizes: {x: 6, r: 2, k: 3}\nop: "Y[x,k] += A[x+r,k] * B[r,x]"\n' >window.yaml
compare 4 "$four i+1,j+1 i-1,j-1 i+1,j-1 i-1,j+1"
exit 0
