#!/bin/sh
# Two elements of a tensor in each instance of a domain that is no box, along a loop of one iteration: a tile has both.
. "$2/test/cli/harness"
cat >w.yaml <<'YAML'
name: two_places
domain: "{ S[i, j, m] : 0 <= i < 4 and 0 <= j < 4 and i + j <= 5 and m = 0 }"
reads:
  - "{ S[i, j, m] -> A[2*j, m]; S[i, j, m] -> A[2*j, m + 1] }"
writes:
  - "{ S[i, j, m] -> C[i] }"
YAML
machine() { # machine WORDS: those of A that L1 has room for
    cat >a.yaml <<YAML
name: small
levels:
  - {memory: DRAM, energy_pj: {read: 9, write: 9}}
  - {memory: L1, energy_pj: {read: 1, write: 1}, capacity_words: {A: $1, C: 1}}
  - array: PE
    shape: [4]
  - {compute: mac, energy_pj: 1, cycles: 1}
YAML
}
machine 3 # a tile is one j and one i: 2 words of A
sator map w.yaml --arch a.yaml | sed -n 's/^ *L1 holds \([^;]*\).*/\1/p'
sator map w.yaml --arch a.yaml --yaml >m.yaml
sator analyze w.yaml --arch a.yaml --dataflow m.yaml --json | sed -n 's/.*"tile_words"/tile_words/p'
machine 1
sator map w.yaml --arch a.yaml 2>&1 | sed -n '1s/.*: no/no/p'
