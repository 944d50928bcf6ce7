#!/bin/sh
# A window straight to compute units, over a bus that is dearer than reading: what PEs share is worth less than reading
# it again, and how much of it they share is not known before the tiles between are. The best of all mappings, looked at
# one by one, is found.
. "$2/test/cli/harness"
cat >window.yaml <<'END'
name: window
sizes: {x: 6, r: 3}
op: "Y[x] += A[x+r] * B[r]"
END
cat >dear.yaml <<'END'
name: dear
levels:
  - {memory: L1, energy_pj: 1}
  - {array: lane, shape: [6], multicast: [{name: cast, map: "lane[i] -> BUS[0]", energy_pj: 4, tensors: [A]}]}
  - {memory: registers, capacity_words: 6, energy_pj: 0.1, bypass: [A]}
  - {compute: mac, energy_pj: 1, cycles: 1}
END
for strategy in exhaustive optimal; do
    sator map window.yaml --arch dear.yaml --objective edp --strategy $strategy | grep -o 'proved optimal\|EDP .* pJ x.*'
done
