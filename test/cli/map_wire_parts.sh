#!/bin/sh
# Wires that cost more than what they spare: mappings are looked at whose loops stand so along the array that neighbours have no sums in common.
# Their parts of sums are each taken up by themselves then, by the scheduled time, too: the cycles of what is found are those executed.
. "$2/test/cli/harness"
cat >arch.yaml <<'END'
levels:
  - {memory: DRAM, energy_pj: {read: 67, write: 179}}
  - array: PE
    shape: [8]
    links: [{name: on, map: "PE[i] -> PE[i+1]", interval: 0, energy_pj: 640, tensors: [Y]}]
  - {memory: L2, energy_pj: {read: 31, write: 24}, bandwidth_bits: {read: 16, write: 8}, capacity_words: 16}
  - {memory: L1, energy_pj: {read: 4, write: 11}, bandwidth_bits: {read: 16, write: 64}, capacity_bytes: 7, bypass: [B]}
  - {compute: mac, cycles: 2, energy_pj: 1}
END
for sizes in 'k: 4, x: 2, r: 4' 'k: 2, x: 1, r: 4' 'k: 4, x: 1, r: 4'; do
    printf 'sizes: {%s}\nop: "Y[k,x] += A[x+r] * B[k,r]"\n' "$sizes" >work.yaml
    sator map work.yaml --arch arch.yaml --objective latency --yaml -o nest.yaml
    found=$(sator map work.yaml --arch arch.yaml --objective latency | sed -n 's/^  best *\([0-9]*\) cycles.*/\1/p')
    sator simulate work.yaml --arch arch.yaml -d nest.yaml >out || cat out
    grep -q "^ *cycles *$found executed" out || echo "$sizes: $found cycles, not those executed"
done
