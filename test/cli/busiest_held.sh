#!/bin/sh
# 4,096 PEs, each with a memory for B alone, through whose port of 8 bits one word of 16 bits goes in, and out: 2 cycles each. That A, which goes to
# the compute units, has a remainder in its index does not make one PE unlike another there.
. "$2/test/cli/harness"
printf 'sizes: {i: 64, j: 64}\nop: "Y[i,j] += A[(i+j)%%2] * B[i,j]"\n' >work.yaml
cat >arch.yaml <<'END'
levels:
  - {memory: DRAM}
  - {array: PE, shape: [64, 64]}
  - {memory: L1, tensors: [B], bandwidth_bits: 8}
  - {compute: mac}
END
sator analyze work.yaml --arch arch.yaml --space 'i,j' --time 0 | grep '^ *L1 [rw].*  8 '
