#!/bin/sh
# A tree over both lanes of each PE, written in two ways: the ports move the same. The wire between PEs leads to the
# first from the last, whose first lane takes up its sums by itself.
. "$2/test/cli/harness"
ports() { # ports MAP: bits through the busiest instance, and cycles
    cat > machine.yaml <<EOF
name: machine
levels:
  - {memory: DRAM, bandwidth_bits: 32}
  - array: PE
    shape: [3]
    links: [{name: next_PE, map: "PE[i] -> PE[i-1]", interval: 0, tensors: [Y]}]
  - {memory: L1, bandwidth_bits: 32}
  - array: lane
    shape: [2]
    reduction: [{name: sums, map: "lane[i] -> TREE[$1]", tensors: [Y]}]
  - {memory: registers, bandwidth_bits: 8}
  - {compute: mac, cycles: 1}
EOF
    sator analyze gemm:i=4,j=4,k=12 --arch machine.yaml --space 'k%3, floor(k/3)%2' --time 'i, j, floor(k/6)' | sed -n '/^Ports/,/^$/p'
}
ports 0 > all
ports 'floor(i/2)' > halves
grep -q '^  registers' all || echo "no port of registers"
diff all halves
