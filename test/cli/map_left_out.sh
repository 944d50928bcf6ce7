#!/bin/sh
# What a proof, or a gap, is not about is said beside it, and only where it is so.
. "$2/test/cli/harness"
rooflines
left_out() {
    echo "== $*"
    sator map "$@" | sed -n '/^  left out/,/^  energy/p' | grep -v '^  energy\|^  skew'
}
left_out gemm:i=4,j=6,k=8 --arch conventional
left_out gemm:i=2,j=2,k=2 --arch conventional # 2 is cut in no other way
left_out gemm:i=2,j=2,k=2 --arch conventional --constraint 'DRAM: j 2' # with one step to take: L2 may have 2 of them inside
left_out conv1d --arch shidiannao-8x8 # words pass from PE to PE
cat >single.yaml <<'END'
levels:
  - {memory: D, energy_pj: 9}
  - {array: PE, shape: [1]}
  - {memory: R, capacity_words: 8, energy_pj: 1}
  - {compute: mac, energy_pj: 1}
END
left_out gemm:i=4,j=6,k=8 --arch single.yaml # one PE
left_out gemm:i=4,j=6,k=8 --arch mesh-8x8 # links in four directions, two of them against every skew
left_out gemm:i=4,j=6,k=8 --arch mesh-8x8 --imperfect
cat >skewable.yaml <<'END'
levels:
  - {memory: D, energy_pj: 9}
  - array: PE
    shape: [2, 2]
    links:
      - {name: east, map: "PE[i,j] -> PE[i,j+1]", interval: 1, tensors: [A], energy_pj: 1}
      - {name: fifo, map: "PE[i,j] -> PE[i,j+1]", interval: 5, tensors: [A], energy_pj: 1}
    reduction: [{name: column, map: "PE[i,j] -> TREE[j]", tensors: [Y], energy_pj: 1}]
  - {memory: R, capacity_words: 8, energy_pj: 1, bypass: [B]}
  - {compute: mac, energy_pj: 1}
END
left_out gemm:i=4,j=6,k=8 --arch skewable.yaml # a tree, a long FIFO, a bypass
left_out gemm:i=4,j=6,k=8 --arch skewable.yaml --constraint 'PE: skew 0'
cat >inside.yaml <<'END'
levels:
  - {memory: D, energy_pj: 9}
  - {array: PE, shape: [2], links: [{name: up, map: "PE[i] -> PE[i-1]", interval: 1, tensors: [Y], energy_pj: 1}]}
  - {memory: L, energy_pj: 1, bypass: [Y]}
  - {array: lane, shape: [2], links: [{name: down, map: "lane[i] -> lane[i+1]", interval: 1, tensors: [A], energy_pj: 1}]}
  - {compute: mac, energy_pj: 1}
END
left_out gemm:i=2,j=2,k=4 --arch inside.yaml # what 'up' brings past L a run of the lanes lies before
cat >idle.yaml <<'END'
levels:
  - {memory: D, energy_pj: 9}
  - {array: PE, shape: [2], links: [{name: up, map: "PE[i] -> PE[i-1]", interval: 1, tensors: [A], energy_pj: 1}]}
  - {memory: L, energy_pj: 1}
  - {array: lane, shape: [2]}
  - {memory: R, energy_pj: 1, bandwidth_bits: 16, holds: idle}
  - {compute: mac, energy_pj: 1}
END
left_out gemm:i=2,j=2,k=4 --arch idle.yaml # sums that R keeps leave with those of L
sed 's/pj: 1}]}$/pj: 1}], multicast: [{name: all, map: "PE[i] -> BUS[]", energy_pj: 1}]}/' idle.yaml >bus.yaml
left_out gemm:i=2,j=2,k=4 --arch bus.yaml # also where the skew is along a bus
cat >diagonal.yaml <<'END'
levels:
  - {memory: D, energy_pj: 9}
  - {array: PE, shape: [2, 2], links: [{name: d, map: "PE[i,j] -> PE[i+1,j-1]", interval: 1, energy_pj: 1}]}
  - {memory: L, energy_pj: 1}
  - {array: lane, shape: [2], links: [{name: w, map: "lane[i] -> lane[i+1]", interval: 0, energy_pj: 1}]}
  - {compute: mac, energy_pj: 1}
END
left_out gemm:i=2,j=2,k=4 --arch diagonal.yaml # a skew of 2 1 makes d a wire, one of -1 a link of w
left_out gemm:i=4,j=6,k=8 --arch conventional --strategy random --samples 3 # nothing is proved
sator map resnet18 --layer conv1 --arch conventional --budget 0.000001 >stopped
grep -q 'not proved: at most .*% above the optimum' stopped || cat stopped
sed -n '/^  left out/,/^  energy/p' stopped | grep -v '^  energy'
sator map gemm:i=2,j=2,k=2 --arch conventional --json | tr -d '\t\n' | grep -o '"left_out":\[[^]]*'
left_out gemm:i=3,j=2,k=2 --arch single.yaml --imperfect # as many tiles of 3 have no larger ones
left_out gemm:i=4,j=2,k=2 --arch single.yaml --imperfect # tiles of 3 and 1
for shape in '2, 3' '3, 2'; do # of 7 iterations 2 outside of 3 take 6, and 3 outside of 2 no more than 2 outside
    sed "s/shape: \[1\]/shape: [$shape]/" single.yaml >six.yaml
    left_out gemm:i=6,j=2,k=2 --arch six.yaml --imperfect
    left_out gemm:i=7,j=2,k=2 --arch six.yaml --imperfect
done
# B crosses once for PEs on a bus, along the second dimension: of tiles of 2, 2 and 1 iterations of i the first two share
# it where the inner digit is on that dimension, else the first and the last, which is idle half of the time
sed 's/shape: \[1\]/shape: [2, 2], multicast: [{name: m, map: "PE[i,j] -> BUS[i]", energy_pj: 1}]/' single.yaml >bus.yaml
left_out gemm:i=4,j=2,k=2 --arch bus.yaml --imperfect
left_out gemm:i=5,j=2,k=2 --arch bus.yaml --imperfect
# of 2 x 2 iterations j 2 outside of i 3 have PEs 0, 1, 3 and 4: three apart as no order of two has them. Of neighbours
# that leaves fewer, which is of use where words of wires cost more; of three PEs 0 and 2 are on other buses than 0 and 1
for wires in '6], links: [{name: w, map: "PE[i] -> PE[i+3]", interval: 0, energy_pj: 1}]' \
    '6], links: [{name: w, map: "PE[i] -> PE[i+1]", interval: 0, energy_pj: 1, tensors: [A]}]' \
    '6], links: [{name: w, map: "PE[i] -> PE[i+1]", interval: 0, energy_pj: 30, tensors: [A]}]' \
    '2], links: [{name: w, map: "PE[i] -> PE[i+1]", interval: 0, energy_pj: 30, tensors: [A]}]' \
    '3], multicast: [{name: m, map: "PE[i] -> BUS[i/2]", energy_pj: 30}]' \
    '3], multicast: [{name: m, map: "PE[i] -> BUS[0]", energy_pj: 30}]'; do
    sed "s|shape: \[1\]|shape: [$wires|" single.yaml >apart.yaml
    echo "$wires"
    left_out gemm:i=2,j=2,k=2 --arch apart.yaml
done
# what goes over links of two costs, where a PE has become idle, is not counted
sed 's|shape: \[1\]|shape: [4], links: [{name: e, map: "PE[i] -> PE[i+1]", interval: 1, energy_pj: 1}, {name: w, map: "PE[i] -> PE[i-1]", interval: 1, energy_pj: 2}]|' \
    single.yaml >several.yaml
left_out gemm:i=5,j=6,k=8 --arch several.yaml --imperfect
