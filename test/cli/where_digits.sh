#!/bin/sh
# Digits of "loops:" count from the first value of their loop, however a "where" says which that is.
. "$2/test/cli/harness"
nest() {
    cat >nest.yaml <<END
name: nest
op: "Y[l] += A[k]"
sizes: {k: 9, l: 1}
where: "$1"
END
    cat >flow.yaml <<END
name: flow
loops:
  - {at: scratchpad, for: [k 2, l 1]}
  - {at: PE, parallel: [k 4 -> 0]}
END
    sator analyze nest.yaml --arch systolic-2d-8x8 --dataflow flow.yaml | grep -E 'PE\[|T\[|instances|time-stamps|^ *A '
}
nest 'k >= 1' >box
nest 'k - l >= 1' >no_box
[ -s box ] && diff box no_box
