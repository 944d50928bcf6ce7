#!/bin/sh
# Five stamps of a triangle, whose first is not (0, 0): each runs a cycle, and meanwhile brings a word of 16 bits over 16
# bits a cycle. That is 5 cycles, analysed and executed.
. "$2/test/cli/harness"
cat >work.yaml <<'END'
domain: "{ S[i,j] : 0 <= i < 2 and 0 <= j < 4 and i + j >= 2 }"
reads: "{ S[i,j] -> A[i,j] }"
writes: "{ S[i,j] -> Y[i] }"
END
cat >arch.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: 16}
  - {array: PE, shape: [1]}
  - {memory: L1, bandwidth_bits: 64}
  - {compute: mac}
END
sator analyze work.yaml --arch arch.yaml --space 'i*0' --time 'i,j' --timing scheduled | grep -A 3 'latency'
sator simulate work.yaml --arch arch.yaml --space 'i*0' --time 'i,j' | grep cycles
