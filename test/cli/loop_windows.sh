#!/bin/sh
# Windows in "loops:" files: a memory's loops joined with those of the memory inside it, which then
# holds windows of the skewed row.
. "$2/test/cli/harness"
nest() { # JOINED LOOPS-OF-THE-SCRATCHPAD: of GEMM 32 x 8 x 8 on 4 x 4 PEs
    cat <<END
name: nest
loops:
  - at: DRAM
    for: [i 4]
    joined: $1
  - at: scratchpad
    for: [$2]
  - at: PE
    parallel: [i 4 -> 0, j 4 -> 1]
    skew: [1, 1]
END
}
machine="--arch tpu-256x256 --set levels.PE.shape=[4,4]"
# 4 tiles of 32 stamps: as 4 runs, each of 32 + 6 stamps; and as one, of 128 + 6, in which a tile of
# A has its 8 x 8 words and those 3 + 4 + 5 + 6 of the tile before with k + i % 4 >= 5.
for joined in 0 1; do
    nest $joined 'i 2, j 2, k 8' >nest.yaml
    # shellcheck disable=SC2086
    sator analyze gemm:i=32,j=8,k=8 $machine -d nest.yaml |
        sed -n '/^    time/p; /^    compute/p; /^  scratchpad  *1 /,/ Y /p' | tr -s ' '
done
# shellcheck disable=SC2086
sator simulate gemm:i=32,j=8,k=8 $machine -d nest.yaml | grep equal
# Windows of windows: 8 x 2 x 2 x 8 stamps of the row in one of L2's, 2 x 8 in one of L1's.
cat >three.yaml <<'END'
levels:
  - {memory: DRAM}
  - {memory: L2}
  - {memory: L1}
  - array: PE
    shape: [4]
    links: [{name: east, map: "PE[i] -> PE[i+1]", interval: 1}]
  - {memory: R}
  - {compute: mac}
END
three() { # JOINED-AT-DRAM JOINED-AT-L2
    cat <<END
name: three
loops:
  - at: DRAM
    for: [i 3, j 5]
    joined: $1
  - at: L2
    for: [i 2, k 2]
    joined: $2
  - at: L1
    for: [j 2, k 8]
  - at: PE
    parallel: [i 4 -> 0]
    skew: [-1]
END
}
for joined in '2 2' '1 2' '0 2' '0 1'; do
    # shellcheck disable=SC2086
    three $joined >three_nest.yaml
    sator analyze gemm:i=24,j=10,k=16 --arch three.yaml -d three_nest.yaml >three.txt
    sed -n 's/^    time  */time /p; s/^    compute  */compute /p' three.txt
    sed -n 's/^  \(DRAM\|L2\|L1\|R\)  *[0-9]*  *-  *\([0-9]*\)  *A .*/\1 cut \2/p' three.txt | tr '\n' ' '
    sator simulate gemm:i=24,j=10,k=16 --arch three.yaml -d three_nest.yaml | grep counts
done
# A tensor that slides: an element of A is wanted at three values of x and r. 2 x 2 runs of 6 stamps on 2 PEs, one a stamp late; or one
# run of 24 + 1. Tiles of A are 0 to 5 and 4 to 9, for each k: 6 + 4 + 4 + 4 fills. In windows the late PE's last element of a tile, 5
# or 9, is in the next one: 0 to 4 | 4 to 8 | 0 to 4 and 9 | 4 to 8 | 9, of which 5 + 4 + 5 + 4 + 1 enter.
cat >slides.yaml <<'END'
name: slides
sizes: {k: 2, x: 8, r: 3}
op: "Y[k,x] += A[x+r] * B[k,r]"
END
cat >two.yaml <<'END'
levels:
  - {memory: DRAM}
  - {memory: L2}
  - {array: PE, shape: [2], links: [{name: east, map: "PE[i] -> PE[i+1]", interval: 1}]}
  - {memory: R}
  - {compute: mac}
END
for joined in 0 2; do
    printf 'name: n\nloops:\n  - at: DRAM\n    for: [k 2, x 2]\n    joined: %s\n  - at: L2\n    for: [x 2, r 3]\n  - at: PE\n    parallel: [x 2 -> 0]\n    skew: [1]\n' $joined >nest.yaml
    sator analyze slides.yaml --arch two.yaml -d nest.yaml | sed -n '/^    compute/p; /^  L2  *1 /,/ Y /p' | tr -s ' '
    sator simulate slides.yaml --arch two.yaml -d nest.yaml | grep counts
done
# Wrong: not all loops of the memory inside are joined; too many; a memory inside the array.
three 1 1 >wrong.yaml
sator analyze gemm:i=24,j=10,k=16 --arch three.yaml -d wrong.yaml 2>&1
three 3 2 >wrong_2.yaml
sator analyze gemm:i=24,j=10,k=16 --arch three.yaml -d wrong_2.yaml 2>&1
exit 0
