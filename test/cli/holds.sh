#!/bin/sh
# Registers that keep what they have while their PE idles (doc/model.md, section 2, "Idle PEs"): the known answers there,
# executed too, in as many cycles as are analysed; what is not counted is refused with words.
. "$2/test/cli/harness"
machine() {
    printf '%s\n' "name: idle" "levels:" "  - {memory: DRAM$3}" "  - {array: PE, shape: [8, 8], $2}" \
        "  - {memory: registers$1}" "  - {compute: mac}"
}
wires='links: [{map: "PE[i,j] -> PE[i,j+1]", interval: 0}, {map: "PE[i,j] -> PE[i+1,j]", interval: 0}]'
machine "" "topology: systolic-2d" > without.yaml
machine ", holds: idle" "topology: systolic-2d" > with.yaml
machine "" "$wires" > without_wires.yaml
machine ", holds: idle" "$wires" > with_wires.yaml

# The words of tensor $4 that cross to the PEs, by the table of volumes.
volumes() {
    for rule in without with; do
        sator analyze "$1" --arch "$rule$5.yaml" --space "$2" --time "$3" |
            awk -v rule=$rule -v tensor="$4" '$1 == tensor { print rule, tensor, $8; exit }'
    done
}
volumes gemm:i=64,j=64,k=512 'i%8, j%8' 'i/8, j/8, k/32, k%32 + i%8 + j%8' Y
volumes gemm:i=8,j=4,k=5 'i%4, j%4' '8*(k/4) + 4*(i/4) + k%4 + i%4 + j%4' B
# the nest without the skew, over wires
volumes gemm:i=8,j=4,k=5 'i%4, j%4' 'k/4, i/4, k%4' B _wires

for rule in without with; do
    sator simulate gemm:i=8,j=4,k=5 --arch "$rule.yaml" --space 'i%4, j%4' \
        --time '8*(k/4) + 4*(i/4) + k%4 + i%4 + j%4' | grep -E 'values|counts'
    # ragged tiles of PEs: some idle in the last ones
    sator simulate gemm:i=20,j=12,k=9 --arch "$rule.yaml" --space 'i%8, j%8' \
        --time 'i/8, j/8, k' | grep -E 'values|counts'
done
# the same with a port that words wait for
executed() {
    awk '/ cycles / && /executed/ { print ($2 == $4) ? "as many cycles executed as analysed" : $0 }'
}
machine "" "topology: systolic-2d" ", bandwidth_bits: 24" > without.yaml
machine ", holds: idle" "topology: systolic-2d" ", bandwidth_bits: 24" > with.yaml
for rule in without with; do
    sator simulate gemm:i=8,j=4,k=5 --arch "$rule.yaml" --space 'i%4, j%4' \
        --time '8*(k/4) + 4*(i/4) + k%4 + i%4 + j%4' | executed
    sator simulate gemm:i=10,j=12,k=9 --arch "$rule.yaml" --space 'i%8, j%8' \
        --time 'k/3, i/8, j/8, k%3 + i%8 + j%8' | executed
done
sator show with.yaml | grep holds
sator analyze gemm:i=8,j=4,k=5 --arch with.yaml --space 'i%4, j%4' --time 'k/4, i/4, k%4' --show stamps 2>&1
exit 0
