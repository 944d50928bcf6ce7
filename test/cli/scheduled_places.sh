#!/bin/sh
# A tensor read at two places that step unlike: of the words A[j,j] and A[j,i] that two PEs want in the stamps (0,0), (0,1), (1,0), (1,1), 3, 1,
# 4 and 2 come, since A[0,0] and A[1,1] serve both places. A word takes a cycle, an instance two: max(2, 3) + 2 + 4 + 2 = 11 cycles, analysed
# and executed.
. "$2/test/cli/harness"
printf 'sizes: {i: 2, j: 4}\nop: "Y[i] += A[j,j] * A[j,i]"\n' >work.yaml
cat >arch.yaml <<'END'
levels:
  - memory: L2
    ports: [{name: own, tensors: [A], direction: read, bandwidth_bits: 16}]
  - {array: PE, shape: [2]}
  - {compute: mac, cycles: 2}
END
sator analyze work.yaml --arch arch.yaml --space 'j%2' --time 'j/2, i' --timing scheduled | sed -n 's/,.*//; s/^ *latency *//p'
sator simulate work.yaml --arch arch.yaml --space 'j%2' --time 'j/2, i' | sed -n 's/, at least.*//; s/^ *cycles *//p'
