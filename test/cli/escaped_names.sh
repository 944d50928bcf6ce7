#!/bin/sh
# Names with quotes, backslashes, line breaks and what else means something to YAML: all that is written of them reads back.
. "$2/test/cli/harness"
named() { # FILE NAME REST
    printf 'name: %s\n%s\n' "$2" "$3" >"$1"
}
machine='levels:
  - {memory: L2, energy_pj: 8}
  - {array: PE, shape: [4], multicast: [{map: "PE[i] -> BUS[0]", energy_pj: 1}]}
  - {memory: L1, capacity_words: 8, energy_pj: 1}
  - {compute: mac, energy_pj: 1}'
sizes='sizes: {i: 4, j: 4, k: 4}
op: "Y[i,j] += A[i,k] * B[k,j]"'
for name in '"quo\"te"' '"back\\slash"' '"line\nbreak"' '"conv: 1 # x"' '"- [a, {b"' '"no"' '"1"'; do
    printf '== %s\n' "$name"
    named w.yaml "$name" "$sizes"
    named a.yaml "$name" "$machine"
    sator map w.yaml --arch a.yaml --timing roofline --yaml -o best.yaml || echo "no mapping"
    head -n 1 best.yaml
    sator check best.yaml -q || echo "the mapping is not read"
    sator show best.yaml >shown.yaml && sator check shown.yaml -q || echo "what is shown is not read"
    sator analyze w.yaml --arch a.yaml -d best.yaml -q >analyzed || echo "the mapping is not analysed"
    sator map w.yaml --arch a.yaml --timing roofline --certificate w.cert -q >out || echo "no certificate"
    sator check w.cert | tail -n 1
    # as other tools' files, which Sator reads, too
    sator convert w.yaml --to zigzag -o layers.yaml 2>out || cat out
    grep '^  name:' layers.yaml
    sator check layers.yaml -q || echo "the layers are not read"
    sator convert --arch a.yaml --to zigzag -o machine.yaml 2>out || cat out
    grep '^name:' machine.yaml
    sator check machine.yaml -q 2>out || echo "the machine is not read"
    sator convert --arch a.yaml --to accelergy -o table.yaml 2>out || cat out
    grep '^  - name:' table.yaml | head -n 1
done
