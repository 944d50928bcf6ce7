#!/bin/sh
# Arrays in an array under skewed stamps: buffers of clusters read and write one word a cycle, each for its own PEs. The
# scheduled time is that of the execution, which moves word by word and asks nothing of the analysis.
. "$2/test/cli/harness"
cat >machine.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: 32}
  - {memory: L2}
  - {array: C, shape: [2]}
  - {memory: buffer, bandwidth_bits: 16}
  - {array: PE, shape: [2]}
  - {memory: L1, bandwidth_bits: 64}
  - {compute: mac, cycles: 1}
END
cat >vector.yaml <<'END'
sizes: {i: 5, j: 4}
op: "Y[i] += A[i,j] * B[j]"
END
equal() {
    sed -n 's/^  cycles  *\([0-9]*\) executed, \1 analysed.*/as long as executed/p; /^Differences/p'
}
sator simulate vector.yaml --arch machine.yaml --space 'i%2, i/2%2' --time 'i/4, j + i%2' | equal
sator simulate gemm:i=4,j=4,k=4 --arch machine.yaml --space 'i%2, i/2%2' --time 'j, k - i/2%2 + i%2' | equal
