#!/bin/sh
# The busiest instance where instances are not alike.
. "$2/test/cli/harness"
# Of 448 lanes two are in use, which an index with a quotient makes unlike. The second, with x odd, takes A[0], A[1] | A[1], A[2] | A[2], A[3] | A[3], A[4]
# for its four x, where the one between is there: 5 words; 2 of B; and updates 8 sums: 15 words of 16 bits, 8 bits a cycle, 30 cycles.
printf 'sizes: {x: 8, r: 2}\nop: "Y[x] += A[fl((x+r)/2)] * B[r]"\n' >work.yaml
cat >arch.yaml <<'END'
levels:
  - {memory: DRAM}
  - {array: PE, shape: [4, 7]}
  - {memory: L2}
  - {array: lane, shape: [4, 4]}
  - {memory: L1, bandwidth_bits: {write: 8}}
  - {compute: mac}
END
cat >nest.yaml <<'END'
loops:
  - at: DRAM
    for: [x 2]
  - at: L2
    for: [x 2]
  - at: lane
    parallel: [x 2 -> 0]
  - at: L1
    for: [r 2]
END
sator analyze work.yaml --arch arch.yaml -d nest.yaml --timing roofline | grep '^ *L1 writes'
# A wire brings sums from the second PE, which begins them, to the first, and idles when r is 2. Of the two memories' reads, 12 of A and 12 of
# sums but for two that start from zero, the busiest has no less than half: 11 words, 22 cycles, though the second PE, which alone is known to bring
# all its sums up by itself, reads 6. So 20 cycles, with c on the PEs, are the best of all.
printf 'sizes: {c: 2, x: 2, r: 3}\nop: "Y[x] += A[c,x+r] * B[c,r]"\n' >work.yaml
cat >arch.yaml <<'END'
levels:
  - {memory: DRAM}
  - array: PE
    shape: [2]
    links:
      - {name: back, map: "PE[i] -> PE[i-1]", interval: 0, energy_pj: 128}
      - {name: on, map: "PE[i] -> PE[i+1]", interval: 0, energy_pj: 32, tensors: [A]}
  - {memory: L1, bandwidth_bits: {read: 8, write: 32}, capacity_words: 7, bypass: [B]}
  - {compute: mac}
END
cat >nest.yaml <<'END'
loops:
  - at: DRAM
    for: [r 2, c 2, x 2]
  - at: PE
    parallel: [r 2 -> 0]
END
sator analyze work.yaml --arch arch.yaml -d nest.yaml --timing roofline | grep '^ *L1 reads'
for strategy in optimal exhaustive; do
    sator map work.yaml --arch arch.yaml --imperfect --objective latency --timing roofline --strategy $strategy | grep '^  best'
done
# A triangle on 400 PEs which are alike, since no condition joins j with another loop: each has the 10 points of i and k, so it reads 10 words of A, 10
# of B and 6 sums, four being fresh: 26 words, 52 cycles. With i on the PEs the last of them has most: of its four points it reads A, B and three sums
# for each of j's 400 values, 4,400 words, 8,800 cycles.
printf 'sizes: {i: 4, j: 400, k: 4}\nop: "C[i,j] += A[i,k] * B[k,j]"\nwhere: "k <= i"\n' >work.yaml
cat >arch.yaml <<'MACHINE'
levels:
  - {memory: DRAM}
  - {array: PE, shape: [20, 20]}
  - {memory: L1, bandwidth_bits: {read: 8}}
  - {compute: mac}
MACHINE
cat >nest.yaml <<'NEST'
loops:
  - at: DRAM
    for: [i 4, k 4]
  - at: PE
    parallel: [j 20 -> 0, j 20 -> 1]
NEST
sator analyze work.yaml --arch arch.yaml -d nest.yaml --timing roofline | grep '^ *L1 reads'
cat >nest.yaml <<'NEST'
loops:
  - at: DRAM
    for: [j 400, k 4]
  - at: PE
    parallel: [i 4 -> 0]
NEST
sator analyze work.yaml --arch arch.yaml -d nest.yaml --timing roofline | grep '^ *L1 reads'
# A Gram matrix on 1,024 PEs, which are not alike, and too many to be asked one by one: the mean is taken. Each has 8 x 8 x 128 instances, which read
# two words of A, but those with i = j, 8 x 128 at each of 32 PEs, one; and 8 x 8 x 127 sums: (992 x 16,384 + 32 x 15,360) / 1,024 + 8,128 = 24,480 words
# of 32 bits. The busiest reads 24,512.
printf 'sizes: {i: 256, j: 256, k: 128}\nop: "C[i,j] += A[i,k] * A[j,k]"\nword_bits: 32\n' >work.yaml
cat >nest.yaml <<'NEST'
loops:
  - at: L2
    for: [k 32]
  - at: PE
    parallel: [i 32 -> 0, j 32 -> 1]
  - at: L1
    for: [i 8, k 4, j 8]
NEST
sator analyze work.yaml --arch conventional -d nest.yaml --timing roofline | grep -E '^ *L1 reads|^  unknown: L1 reads'
