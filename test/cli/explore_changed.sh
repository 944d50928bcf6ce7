#!/bin/sh
# A database goes on only for the machine and the workload that it was made for: whatever one of them says and results
# depend on, changed, makes another exploration.
. "$2/test/cli/harness"
cat >arch.yaml <<'END'
name: machine
clock_mhz: 100
control: {instruction_bits: 64, from: DRAM, reorder: true}
levels:
  - {memory: DRAM, bandwidth_bits: 64, energy_pj: 100, setup_cycles: 2}
  - {memory: L2, capacity_bytes: 4096, bandwidth_bits: 128, energy_pj: 5, may_bypass: [B], granule_bits: 32}
  - array: PE
    shape: [2, 2]
    pass_through: true
    links: [{name: east, map: "PE[i,j] -> PE[i,j+1]", interval: 1, tensors: [A]}]
    multicast: [{name: row, map: "PE[i,j] -> BUS[j]", tensors: [B]}]
  - {memory: L1, capacity_words: 64, energy_pj: 1, bandwidth_bits: 64, leakage_pj: 0.5, area_um2: 10, gating: {A: [A]},
     word_bits: 16, transfers: overlapped}
  - {compute: mac, energy_pj: 1, cycles: 1, gating: [A], skipping: [B]}
END
cat >work.yaml <<'END'
name: product
op: "Y[i,j] += A[i,k] * B[k,j]"
sizes: {i: 4, j: 4, k: 4}
word_bits: {A: 16}
density: {A: 0.5}
END
explore() { sator explore "$@" --objective latency --quiet >out 2>err; }
explore work.yaml --arch arch.yaml --db one.db || cat err
explore work.yaml --arch arch.yaml --db one.db --resume || echo "the same is refused"
number=0
# FILE, what it says, what it says then
changed() {
    number=$((number + 1))
    sed "s/$2/$3/" "$1.yaml" >"other-$1.yaml"
    cmp -s "$1.yaml" "other-$1.yaml" && echo "$1 does not say $2"
    work=work.yaml arch=arch.yaml
    [ "$1" = work ] && work=other-work.yaml || arch=other-arch.yaml
    explore "$work" --arch "$arch" --db one.db --resume
    if [ $? -ne 1 ] || ! grep -q 'belongs to another exploration' err; then
        echo "$1: '$2' -> '$3' is not refused"
        cat err
    fi
}
changed work 'i: 4' 'i: 6'
changed work 'A: 16' 'A: 8'
changed work 'A: 0.5' 'A: 0.25'
changed arch 'clock_mhz: 100' 'clock_mhz: 200'
changed arch 'instruction_bits: 64' 'instruction_bits: 128'
changed arch 'from: DRAM' 'from: L2'
changed arch 'from: DRAM' 'energy_pj: 7'
changed arch ', reorder: true' ''
changed arch 'bandwidth_bits: 64, energy_pj: 100' 'bandwidth_bits: 32, energy_pj: 100'
changed arch 'energy_pj: 100' 'energy_pj: 200'
changed arch 'setup_cycles: 2' 'setup_cycles: 3'
changed arch 'capacity_bytes: 4096' 'capacity_bytes: 2048'
changed arch 'capacity_bytes: 4096' 'capacity_bytes: 4096, double_buffered: true'
changed arch 'may_bypass: \[B\]' 'bypass: [B]'
changed arch 'granule_bits: 32' 'granule_bits: 64'
changed arch 'shape: \[2, 2\]' 'shape: [4, 2]'
changed arch 'pass_through: true' 'pass_through: false'
changed arch 'interval: 1' 'interval: 2'
changed arch 'tensors: \[A\]' 'tensors: [B]'
changed arch 'BUS\[j\]' 'BUS[i]'
changed arch 'capacity_words: 64' 'capacity_words: 64, holds: idle'
changed arch 'leakage_pj: 0.5' 'leakage_pj: 0.25'
changed arch 'area_um2: 10' 'area_um2: 20'
changed arch 'gating: {A: \[A\]}' 'gating: {B: [B]}'
changed arch 'word_bits: 16' 'word_bits: 32'
changed arch 'transfers: overlapped' 'transfers: serial'
changed arch 'cycles: 1' 'cycles: 2'
changed arch 'cycles: 1' 'cycles: 1, per_stamp: 1'
changed arch 'gating: \[A\]' 'gating: [B]'
changed arch 'skipping: \[B\]' 'skipping: [A]'
echo "$number changes"
