#!/bin/sh
# On machines whose PEs pass words on, the mapping that map proves is at least as good as the best of the dataflows that explore tries,
# skewed ones among them, and as the best without a skew.
. "$2/test/cli/harness"
rooflines
first() { # KEY of the first row of a CSV table
    python3 -c 'import csv, sys; print(next(csv.DictReader(sys.stdin))[sys.argv[1]])' "$1"
}
best() { # ARGUMENTS of map
    sator map $gemm --arch $machine --set energy_table=45nm "$@" --json |
        python3 -c 'import json, sys; c = json.load(sys.stdin)["certificate"]; print(c["value"] if c["proved"] else "open")'
}
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
gemm=gemm:i=16,j=16,k=16
for machine in systolic-1d systolic-2d-8x8 tpu-8x8 tpu-256x256 mesh-8x8 dyser-like tenet-fig1 plasticine-like shidiannao-8x8 maeri-64 \
    maeri-3x3x7 eyeriss eyeriss-tenet; do
    for objective in latency edp; do
        key=edp
        [ $objective = latency ] && key=latency_cycles.total
        explored=$(sator explore $gemm --arch $machine --set energy_table=45nm --top 1 --objective $objective --quiet --csv | first $key)
        echo "$(best --objective $objective) $explored $(best --objective $objective --constraint 'PE: skew 0')" |
            awk -v what="$machine, $objective" '{print what ": " ($1 + 0 > 0 && $1 <= $2 * (1 + 1e-9) && $1 <= $3 * (1 + 1e-9) ? "no worse" : $0)}'
    done
done
# The same machine with wires from PE to PE in place of buses and trees: Gemmini, QKV of BERT-base
cycles() { sator map bert-base --layer qkv --arch gemmini --objective latency "$@" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["certificate"]["value"])'; }
wires='levels.PE.links=[{name: east, map: "PE[i,j] -> PE[i,j+1]", interval: 1, tensors: [A]}, {name: south, map: "PE[i,j] -> PE[i+1,j]", interval: 1, tensors: [Y]}]'
echo "$(cycles) $(cycles --set levels.PE.multicast=[] --set levels.PE.reduction=[] --set "$wires")" |
    awk '{print "QKV on gemmini: " ($2 > 0 && $2 <= 1.05 * $1 ? "wires take at most 5 % longer than buses" : $0)}'
