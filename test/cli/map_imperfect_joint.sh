#!/bin/sh
# Indices that share loops, tensors read at several places, and quotients, with factors that do not divide: better than
# without, and as good as looking at all of them; sator analyze has the same figures.
. "$2/test/cli/harness"
rooflines
cat >joint.yaml <<'END'
name: joint
domain: "{ S[t, i] : 0 <= t < 5 and 0 <= i < 7 }"
reads: ["{ S[t, i] -> A[i - 1]; S[t, i] -> A[i]; S[t, i] -> A[i + 1] }", "{ S[t, i] -> B[t, t + i] }"]
writes: ["{ S[t, i] -> Y[t, i] }"]
END
cat >small.yaml <<'END'
name: small
levels:
  - {memory: D, energy_pj: 9, bandwidth_bits: 64}
  - {array: PE, shape: [3], multicast: [{name: row, map: "PE[i] -> BUS[0]", energy_pj: 1}]}
  - {memory: R, capacity_words: 14, energy_pj: 1}
  - {compute: mac, cycles: 1, energy_pj: 1}
END
cat >quotient.yaml <<'END'
name: quotient
domain: "{ S[i, j, k] : 0 <= i < 7 and 0 <= j < 4 and 0 <= k < 2 }"
reads: ["{ S[i, j, k] -> A[k, floor((i + j)/2)] }", "{ S[i, j, k] -> B[j, k] }"]
writes: ["{ S[i, j, k] -> Y[i, j] }"]
END
cat >direct.yaml <<'END'
name: direct
levels:
  - {memory: D, energy_pj: 9}
  - {array: PE, shape: [3], multicast: [{name: row, map: "PE[i] -> BUS[0]", energy_pj: 1}], reduction: [{name: tree, map: "PE[i] -> TREE[0]", energy_pj: 1}]}
  - {memory: R, capacity_words: 14, energy_pj: 1, bypass: [A]}
  - {compute: mac, cycles: 1, energy_pj: 1}
END
edp() {
    sator map "$workload.yaml" --arch "$arch.yaml" --json "$@" | grep -o '"edp":[^,]*' | head -1 | sed 's/[^0-9]*//'
}
check() {
    workload=$1 arch=$2
    perfect=$(edp)
    ragged=$(edp --imperfect)
    all=$(edp --imperfect --strategy exhaustive)
    awk -v p="$perfect" -v r="$ragged" -v a="$all" 'BEGIN { print (r < p) ? "better" : "no better: " r " " p
        print (r == a) ? "the best" : "not the best: " r " " a }'
    sator map "$workload.yaml" --arch "$arch.yaml" --imperfect | grep -o 'proved optimal'
    sator map "$workload.yaml" --arch "$arch.yaml" --imperfect --yaml -o best.yaml
    analyzed=$(sator analyze "$workload.yaml" --arch "$arch.yaml" --dataflow best.yaml --json | grep -o '"edp[a-z_]*":[^,]*' | head -1)
    echo "$analyzed" | awk -v r="$ragged" '{ sub(/.*:[ \t]*/, ""); print ($1 == r) ? "the same" : $1 " " r }'
}
check joint small
check quotient direct
