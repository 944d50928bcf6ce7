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
# What a port takes may be longer where fewer words pass, if other PEs then move most: a larger tile is not always as good. The
# nest that has x outside of k reads 160 bits at L2 for each of four PEs' sums, k outside of x 220, on average over them.
cat >some.yaml <<'END'
sizes: {k: 2, x: 5, r: 4}
op: "Y[k,x] += A[fl((x+2*r)/3),k] * B[k,r]"
word_bits: {A: 8, B: 8, Y: 24}
END
cat >trees.yaml <<'END'
levels:
  - {memory: DRAM}
  - array: PE
    shape: [4]
    multicast: [{name: bus, map: "PE[i] -> BUS[0]", tensors: [A, B]}]
    reduction: [{name: tree, map: "PE[i] -> TREE[i%2]"}]
  - {memory: L2, bandwidth_bits: {read: 16, write: 32}, capacity_words: 32, double_buffered: true}
  - {compute: mac}
END
printf 'loops:\n  - {at: DRAM, for: [x 5, k 2]}\n  - {at: PE, parallel: [r 4 -> 0]}\n  - {at: L2, for: []}\n' >nest.yaml
sator analyze some.yaml --arch trees.yaml --dataflow nest.yaml --timing roofline | sed -n 's,^  latency *\([0-9.]* cycles\).*,\1,p'
sator map some.yaml --arch trees.yaml --objective latency --timing roofline | sed -n 's,^  latency *\([0-9.]* cycles\).*,\1,p'
