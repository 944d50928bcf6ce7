#!/bin/sh
# Skewed rows over PEs with memories of their own: the busiest PE decides at each value of the row, and what arrives at
# its memory adds to what this serves. Ragged sizes, memories so slow that they decide, rows that run the other way;
# executed beside the analysis.
. "$2/test/cli/harness"
executed() { # sizes, space, time, then options
    sizes=$1 space=$2 time=$3
    shift 3
    sator simulate "gemm:$sizes" --arch conventional --space "$space" --time "$time" --set levels.PE.shape=[4,3] "$@" \
        >out 2>&1 || { echo "$sizes $space $time $*:"; cat out; }
    sed -n "s/^ *cycles *\([0-9,]* executed, [0-9,]* analysed\).*/$sizes $*: \1/p" out
}
for slow in 'read: 16, write: 64' 'read: 48, write: 16' 'read: 7, write: 5'; do
    for sizes in i=9,j=7,k=11 i=4,j=13,k=3 i=5,j=1,k=7; do
        executed "$sizes" 'i%4, k%3' 'i/4, k/3, j + i%4 + k%3' --set "levels.L1.bandwidth_bits={$slow}"
        executed "$sizes" 'i%4, j%3' 'i/4, j/3, k + i%4 + j%3' --set "levels.L1.bandwidth_bits={$slow}"
        executed "$sizes" 'i%4, j%3' 'i/4, j/3, k - i%4 + 2*(j%3)' --set "levels.L1.bandwidth_bits={$slow}"
        executed "$sizes" 'i%4, j%3' 'i/4, j/3, k - i%4 + j%3' --set "levels.L1.bandwidth_bits={$slow}" \
            --set levels.L1.transfers=serial
    done
done
# too many instances to follow one by one, and stamps to follow PE by PE: a figure that the memories decide
for dataflow in ik-p_k-ijk-t ij-p_j-ijk-t; do
    sator analyze gemm:i=1001,j=1003,k=1007 -a conventional -d gemm/$dataflow --timing scheduled --json |
        sed -n 's/^.*"scheduled":[^0-9n]*\([0-9nul]*\),*$/\1/p'
done
# Loops of one iteration change nothing: L1 holds one stamp's words wherever they stand, and streams them. 16 bits arrive and
# 16 are updated through its write port in each stamp, at 3 bits a cycle.
cat >slow.yaml <<'END'
levels:
  - {memory: DRAM}
  - {array: PE, shape: [2]}
  - {memory: L1, bandwidth_bits: 3}
  - {compute: mac}
END
printf 'sizes: {i: 2, j: 1}\nop: "Y[i,j] += A[i,j]"\n' >few.yaml
for outside in '[]' '[j 1]' '[i 2]' '[i 2, j 1]'; do
    for parallel in '[i 2 -> 0]' '[]'; do
        for inside in '[]' '[j 1]'; do
            printf 'loops:\n  - {at: DRAM, for: %s}\n  - {at: PE, parallel: %s}\n  - {at: L1, for: %s}\n' "$outside" "$parallel" \
                "$inside" >few_flow.yaml
            sator simulate few.yaml --arch slow.yaml -d few_flow.yaml 2>/dev/null |
                sed -n "s/^  cycles *\([0-9]* executed, [0-9]* analysed\).*/$outside $parallel $inside: \1/p"
        done
    done
done
# Nor does a loop of one iteration between the cuts of two memories: these have the same stamps, so what they load moves at
# once. By hand, a word a cycle: 3 to load the first tile, then 6 in each of the two runs (L1 takes in 3 sums and the next
# tile of A, then hands on 3 operands and the sums of the first), 3 to store.
cat >three.yaml <<'END'
levels:
  - {memory: DRAM}
  - {memory: L2, bandwidth_bits: {read: 16, write: 16}}
  - {memory: L1, bandwidth_bits: {read: 16, write: 16}}
  - {compute: mac}
END
printf 'sizes: {i: 2, j: 3, k: 1}\nop: "Y[i,j] += A[i,j]"\n' >copied.yaml
for at in '[i 2]' '[k 1, i 2, k 1]'; do
    for between in '[]' '[k 1]' '[k 1, k 1]'; do
        printf 'loops:\n  - {at: DRAM, for: %s}\n  - {at: L2, for: %s}\n  - {at: L1, for: [j 3]}\n' "$at" "$between" \
            >copied_flow.yaml
        sator simulate copied.yaml --arch three.yaml -d copied_flow.yaml 2>/dev/null |
            sed -n "s/^  cycles *\([0-9]* executed, [0-9]* analysed\).*/$at $between: \1/p"
    done
done
# The same of skewed rows: dimensions of one value before, between and after them, and wherever L1 is cut among these.
cut() { # time, dimensions before L1's cut
    printf 'space: "i%%4, k%%3"\ntime: "%s"\ncuts: {L1: {time: %s}}\n' "$1" "$2" >cut_flow.yaml
    sator simulate gemm:i=9,j=7,k=11 --arch conventional -d cut_flow.yaml --set levels.PE.shape=[4,3] \
        --set 'levels.L1.bandwidth_bits={read: 16, write: 5}' 2>/dev/null |
        sed -n 's/^ *cycles *\([0-9,]* executed, [0-9,]* analysed\).*/\1/p'
}
row='j + i%4 + k%3'
for outside in 2 3; do
    cut "i/4, k/3, $row" $outside >plain
    cut "i/4, k/3, $row, 0" $outside >after
    cut "i/4, 0, k/3, 0, $row, 0, 7" $((2 * outside - 1)) >between
    cut "i/4, 0, k/3, 0, $row, 0, 7" $((2 * outside)) >beyond
    [ -s plain ] || echo "nothing was timed"
    for other in after between beyond; do
        cmp plain $other || cat plain $other
    done
done
exit 0
