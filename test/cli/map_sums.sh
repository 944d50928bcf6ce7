#!/bin/sh
# Sums that wires carry from PE to PE where the last tile is short: who of them takes the sums up reads fewer.
. "$2/test/cli/harness"
printf 'sizes: {i: 4, k: 5, m: 2}\nop: "Y[i] += A[i,k,m]"\n' >sums.yaml
latency() { # from which PE to which a sum goes
    cat >chain.yaml <<END
levels:
  - {memory: DRAM}
  - {array: PE, shape: [2], links: [{name: on, map: "PE[i] -> PE[$1]", interval: 0, tensors: [Y]}]}
  - {memory: L1, bandwidth_bits: {read: 16, write: 160}}
  - {compute: mac}
END
    sator map sums.yaml --arch chain.yaml --imperfect --objective latency --timing roofline --constraint 'DRAM: m 2, i 2' \
        --constraint 'DRAM: order m i' --constraint 'PE: k 2' --constraint 'L1: k 3, i 2' |
        sed -n 's,^  latency *\([0-9]* cycles\, bound by .*\),\1,p'
}
# The first PE has three of the five k for each of four sums, twice: it reads 24 words of A, and a sum as often, but where it
# starts: each of the four in the first of their two tiles; or in both, when the last PE has what was there before
latency i+1
latency i-1
