#!/bin/sh
# A link of interval 3 would bring a sum on, but the memory outside lets go of its element meanwhile: no link has it, and it
# moves up in the last stamp in which a PE does, as analysed so executed.
. "$2/test/cli/harness"
cat >work.yaml <<'END'
domain: "{ S[i, j, k] : 0 <= i < 2 and -1 <= j < 3 and 0 <= k < 2 }"
reads: "{ S[i, j, k] -> B[0] }"
writes: "{ S[i, j, k] -> C[floor((j + 4)/4)] }"
END
cat >arch.yaml <<'END'
levels:
  - {memory: M0, bandwidth_bits: 4}
  - array: P0
    shape: [6]
    links: [{name: late, map: "P0[a] -> P0[a + 1]", interval: 3}]
  - {compute: mac}
END
cat >flow.yaml <<'END'
space: "PE[j % 4]"
time: "T[k, i - j % 4]"
cuts: {M0: {time: 2}}
END
sator simulate work.yaml -a arch.yaml -d flow.yaml >out || cat out
grep -q 'cycles .* executed, [0-9,]* analysed' out || cat out
