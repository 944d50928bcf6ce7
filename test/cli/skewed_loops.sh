#!/bin/sh
# Skewed arrays in "loops:" files: the rows that they stand for, and all that is wrong in one.
. "$2/test/cli/harness"
nest() { # JOINED-LINE: the loops of GEMM 512^3 on 8 x 8 PEs
    cat <<END
name: nest
loops:
  - at: scratchpad
    for: [i 64, j 64, k 512]
$1
  - at: PE
    parallel: [i 8 -> 0, j 8 -> 1]
    skew: [1, 1]
END
}
# 64 x 64 x 512 stamps and the 14 that the last PE is behind the first: all in one run, 64 runs of
# 64 x 512, or 4096 of 512.
for joined in '' '    joined: 2' '    joined: 1' '    joined: 0'; do
    nest "$joined" >nest.yaml
    sator analyze gemm:i=512,j=512,k=512 --arch tpu-8x8 -d nest.yaml |
        sed -n 's/^    time  */time /p; s/^    compute  */compute /p'
done
# Values are the same, carried out.
cat >small.yaml <<'END'
name: small
loops:
  - at: scratchpad
    for: [i 3, j 2, k 12]
  - at: PE
    parallel: [i 8 -> 0, j 8 -> 1]
    skew: [1, 1]
END
sator simulate gemm:i=20,j=16,k=12 --arch tpu-8x8 --dataflow small.yaml | grep equal
# Two arrays without a memory between them share the row.
cat >two.yaml <<'END'
levels:
  - {memory: M}
  - {array: X, shape: [4]}
  - {array: Z, shape: [2, 2]}
  - {compute: mac}
END
cat >two_nest.yaml <<'END'
name: two
loops:
  - at: M
    for: [k 5]
  - at: X
    parallel: [i 4 -> 0]
    skew: 2
  - at: Z
    parallel: [j 2 -> 0]
    skew: [-1, 3]
END
sator analyze gemm:i=4,j=2,k=5 --arch two.yaml -d two_nest.yaml | sed -n 's/^    time  */time /p'
cat >wrong.yaml <<'END'
name: wrong
loops:
  - at: scratchpad
    for: [i 64, j 64, k 512]
    joined: 4
    skew: 3
  - at: PE
    for: [i 2]
    parallel: [i 4 -> 0, j 8 -> 1]
    skew: [1]
  - at: registers
    joined: 1
END
sator analyze gemm:i=512,j=512,k=512 --arch tpu-8x8 -d wrong.yaml 2>&1
sed 's/skew: \[1\]/skew: [0, 1]/; s/joined: 4/joined: 2/; /skew: 3/d; $d' wrong.yaml | sed '$d' >wrong_2.yaml
sator analyze gemm:i=512,j=512,k=512 --arch tpu-8x8 -d wrong_2.yaml 2>&1
