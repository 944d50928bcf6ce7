#!/bin/sh
# The scheduled time of memories that hold windows of a skewed row: executed beside the analysis. The first has more
# instances than are followed one by one, so that windows that are alike are counted together.
. "$2/test/cli/harness"
cat >machine.yaml <<'END'
levels:
  - {memory: DRAM, bandwidth_bits: {read: 64, write: 22.5}}
  - {memory: L2, bandwidth_bits: {read: 100, write: 32}}
  - array: PE
    shape: [8, 8]
    links:
      - {name: east, map: "PE[a,b] -> PE[a,b+1]", interval: 1, tensors: [A]}
      - {name: down, map: "PE[a,b] -> PE[a+1,b]", interval: 1, tensors: [B]}
  - {compute: mac}
END
executed() { # WORKLOAD SKEW LOOPS-AT-DRAM LOOPS-AT-L2, and options
    workload=$1 skew=$2 dram=$3 l2=$4
    shift 4
    cat >nest.yaml <<END
name: nest
loops:
  - {at: DRAM, $dram}
  - {at: L2, $l2}
  - {at: PE, parallel: [i 8 -> 0, j 8 -> 1], skew: $skew}
END
    sator simulate "$workload" --arch machine.yaml -d nest.yaml "$@" >out 2>&1 || cat out
    sed -n "s/^ *cycles *\([0-9,]* executed, [0-9,]* analysed\).*/$workload: \1/p" out
}
executed gemm:i=128,j=96,k=192 '[1, 1]' 'for: [k 4, i 4, j 3], joined: 3' 'for: [i 4, j 4, k 48]'
# rows for each step of k at DRAM, whose tiles of Y come back
executed gemm:i=64,j=48,k=64 '[1, 1]' 'for: [k 4, i 4, j 3], joined: 2' 'for: [i 2, j 2, k 16]'
# rows that run the other way, transfers that do not overlap
executed gemm:i=64,j=48,k=64 '[-1, 2]' 'for: [i 4, k 4, j 3], joined: 3' 'for: [i 2, j 2, k 16]' \
    --set levels.L2.transfers=serial
executed gemm:i=64,j=48,k=64 '[1, -1]' 'for: [j 3, i 4, k 4], joined: 3' 'for: [k 16, i 2, j 2]' \
    --set levels.L2.transfers=streamed
exit 0
