#!/bin/sh
# Sums that a link takes from PE to PE in four stamps: they stay on the link while the memory outside holds their words; when it lets
# go of them first, they go out before, and the next PE starts from what is there.
. "$2/test/cli/harness"
printf 'sizes: {q: 2, r: 2, x: 2}\nop: "Y[r,x] += A[q,r,x]"\n' >sums.yaml
cat >chain.yaml <<'END'
levels:
  - {memory: DRAM}
  - {memory: L2}
  - {array: PE, shape: [2], links: [{name: on, map: "PE[i] -> PE[i+1]", interval: 4, tensors: [Y]}]}
  - {compute: mac}
END
# four sums of two PEs each; cut at r, L2 has them in turn, and each PE's are put back
for cut in 0 1 2; do
    printf 'space: "q"\ntime: "q, r, x"\ncuts: {L2: {time: %d}}\n' $cut >flow.yaml
    sator analyze sums.yaml --arch chain.yaml --dataflow flow.yaml |
        awk '$1 == "L2" { inside = 1 } inside && $1 == "Y" { print "L2: " $6 " reads, " $7 " updates"; exit }'
    sator simulate sums.yaml --arch chain.yaml --dataflow flow.yaml | grep -oE "(values|counts) .* (order|analysis)"
done
