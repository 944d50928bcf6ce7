#!/bin/sh
# What gating of zeros is expected to save: by hand, beside the counts; and the power that the Eyeriss chip was measured to take.
. "$2/test/cli/harness"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
cat >arch.yaml <<'END'
levels:
  - {memory: DRAM, energy_pj: 100, gating: {A: [A]}}
  - {array: PE, shape: [2]}
  - {memory: registers, energy_pj: 1, gating: {B: [A], Y: [A, B]}}
  - {compute: mac, energy_pj: 10, gating: [A, B]}
END
cat >gemm.yaml <<'END'
sizes: {i: 4, j: 2, k: 8}
op: "Y[i,j] += A[i,k] * B[k,j]"
density: {A: 0.5, B: 0.25}
END
# PE[j], T[k, i]: A is read by both PEs, 64 words from DRAM, of which half are 0. 64 reads of B in the registers, half of them for a zero of A; Y is
# updated 64 times and read 64 - 8 x 1 fresh starts = 56 times, 1/8 of that with neither 0; of 64 instances 1/8
sator analyze gemm.yaml --arch arch.yaml --space j --time k,i --json >dense.json
python3 - <<'END'
import json
r = json.load(open("dense.json"))
for s in r["energy_expected_pj"]["savings"]:
    print(s["component"], s["tensor"], s["actions"], s["carried_out"], s["pj"])
saved = sum(s["pj"] for s in r["energy_expected_pj"]["savings"])
assert abs(r["energy_pj"]["total"] - saved - r["energy_expected_pj"]["total"]) < 1e-6
END
# the counts, and all that comes of them, are as without a density
sed '/density/d' gemm.yaml >plain.yaml
sator analyze plain.yaml --arch arch.yaml --space j --time k,i --json | grep -v 'energy_expected_pj\|"workload"' >plain.json
python3 -c '
import json
r = json.load(open("dense.json"))
del r["energy_expected_pj"], r["workload"]
p = json.loads(open("plain.json").read())
print("the same counts" if r == p else "other counts")' 2>&1 | tail -1
sator analyze gemm.yaml --arch arch.yaml --space j --time k,i | sed -n '/^Energy expected/,$p'
# the same of a mapping, of a network's mappings and of the points of an exploration
sator map gemm.yaml --arch arch.yaml --yaml -o nest.yaml
sator map gemm.yaml --arch arch.yaml --json >map.json
sator analyze gemm.yaml --arch arch.yaml -d nest.yaml --json >nest.json
python3 -c '
import json
m, a = json.load(open("map.json"))["energy_expected_pj"], json.load(open("nest.json"))["energy_expected_pj"]
print("map", m["total"], len(m["savings"]), m == a)'
sator map gemm.yaml --arch arch.yaml | sed -n '/^Energy expected/,/^  gated/p' | head -2
# where zeros are skipped, the slowest port is still as slow: it reads, and compute and writing take less
cat >skipping.yaml <<'END'
levels:
  - {memory: DRAM, energy_pj: 100, bandwidth_bits: {read: 8, write: 64}}
  - {array: PE, shape: [2]}
  - {memory: registers, energy_pj: 1}
  - {compute: mac, energy_pj: 10, skipping: [A]}
END
sator map gemm.yaml --arch skipping.yaml --json 2>/dev/null | python3 -c '
import json, sys
c = json.load(sys.stdin)["latency_cycles"]
print("skipping", c["write"] < c["compute"] < c["read"] == c["expected"])'
layer='sizes: {i: 4, j: 2, k: 8}, op: "Y[i,j] += A[i,k] * B[k,j]"'
echo "layers: [{name: a, $layer, density: {A: 0.5, B: 0.25}, repeat: 3}]" >network.yaml
sator map network.yaml --arch arch.yaml | sed -n 's/ *$//; /^  expected/p'
# a network's total: three layers with zeros and one without, whose energy is all expected
echo "layers: [{name: a, $layer, density: {A: 0.5, B: 0.25}, repeat: 3}, {name: b, $layer}]" >mixed.yaml
sator analyze mixed.yaml --arch arch.yaml --space j --time k,i --json >mixed.json
python3 -c '
import json
r = json.load(open("mixed.json"))
a, b = r["layers"]
print("network", 3 * a["energy_expected_pj"]["total"] + b["energy_pj"]["total"] == r["totals"]["energy_expected_pj"]["total"], b["energy_expected_pj"])'
sator analyze mixed.yaml --arch arch.yaml --space j --time k,i | grep expected
sator analyze mixed.yaml --arch arch.yaml --space j --time k,i --csv | python3 -c '
import csv, sys
print("csv", sorted({(row["layer"], row["energy_expected_pj.total"]) for row in csv.DictReader(sys.stdin)}))'
sed 's/, density: {[^}]*}//' mixed.yaml >none.yaml
sator analyze none.yaml --arch arch.yaml --space j --time k,i --json | python3 -c '
import json, sys
print("without zeros", json.load(sys.stdin)["totals"]["energy_expected_pj"])'
sator analyze mixed.yaml --arch arch.yaml -d 'gemm/*' --sort expected 2>/dev/null | sed -n '1,/^$/!p' | head -4
sator explore gemm.yaml --arch arch.yaml --dataflows optimal --keep energy_expected_pj.total --db points.db >/dev/null
sator query points.db --sort energy_expected_pj.total --json | python3 -c '
import json, sys
print("explore", json.load(sys.stdin)["results"][0]["figures"])'
sator analyze gemm.yaml --arch arch.yaml -d 'gemm/*' --sort expected --json 2>/dev/null | python3 -c '
import json, sys
all = [r["energy_expected_pj"]["total"] for r in json.load(sys.stdin)["results"]]
print("sorted", all == sorted(all), len(all) > 1)'
# zeros that take no time: 32 cycles of 2 PEs, of which 1/8 have neither zero; then the port that 64 words of A, 16 of B
# and 64 - 8 partial sums leave by, 16 bits each, decides: 136 / 5 cycles. The energy is saved too, once where a gate says it as well.
sed 's/{compute: mac, energy_pj: 10, gating: \[A, B\]}/{compute: mac, energy_pj: 10, gating: [A], skipping: [A, B]}/' arch.yaml >skip.yaml
sed 's/DRAM, /&bandwidth_bits: {read: 80}, /' skip.yaml >port.yaml
for machine in skip port; do
    sator analyze gemm.yaml --arch $machine.yaml --timing roofline --space j --time k,i --json | python3 -c '
import json, sys
r = json.load(sys.stdin)
print("skipping", r["latency_cycles"]["compute"], r["latency_cycles"]["total"], r["latency_cycles"]["expected"], r["energy_expected_pj"]["total"])'
done
sator analyze gemm.yaml --arch skip.yaml --space j --time k,i | grep skipped
sator map gemm.yaml --arch skip.yaml | grep skipped
sator analyze mixed.yaml --arch skip.yaml --space j --time k,i --json | python3 -c '
import json, sys
print("network", json.load(sys.stdin)["totals"]["latency_cycles"])'
# of a network's mappings: three layers that take an eighth of 32 cycles, and one that takes all
sator map mixed.yaml --arch skip.yaml | grep 'skipped'
sator map mixed.yaml --arch skip.yaml --json | python3 -c '
import json, sys
print("mapped network", json.load(sys.stdin)["totals"]["latency_expected_cycles"])'
sator map mixed.yaml --arch arch.yaml --json | python3 -c '
import json, sys
print("without skipping", json.load(sys.stdin)["totals"]["latency_expected_cycles"])'
sator explore gemm.yaml --arch skip.yaml --dataflows optimal --keep latency_cycles.expected --db skip.db >/dev/null
sator query skip.db --json | python3 -c '
import json, sys
print("explore", json.load(sys.stdin)["results"][0]["figures"])'
sator show skip.yaml | grep skipping
# what is read is written again
sator show gemm.yaml --set density.A=0.4 | grep density
sator show arch.yaml | grep gating
# a density that no machine gates, a gate that cannot be counted
sator analyze gemm.yaml --arch systolic-1d --space j --time k,i 2>&1 >/dev/null
sed '/registers/a\  - {memory: latch, tensors: [B]}' arch.yaml >inner.yaml
sator analyze gemm.yaml --arch inner.yaml --space j --time k,i || echo "exit $?"
# the same of all mappings is said before the search, which would say that there are too many
large="--set sizes.i=5040 --set sizes.j=5040 --set sizes.k=5040 --strategy exhaustive"
sed 's/tensors: \[B\]/&, energy_pj: 1/' inner.yaml >costly.yaml
sator map gemm.yaml --arch costly.yaml $large || echo "exit $?"
# where a memory may be bypassed there are mappings that can be told
sed 's/tensors: \[B\]/&, energy_pj: 1, may_bypass: [B]/' inner.yaml >open.yaml
sator map gemm.yaml --arch open.yaml | sed -n '/^Energy expected/,/total/p'

# Eyeriss (JSSC 2017, Table V), AlexNet, 200 MHz: 332, 288, 266, 235, 236 mW. The zeros of its images are taken as 0.01, 38.7, 72.5, 79.3, 77.6 %: shares
# that were not compared with the printed table, an assumption here. The chip without its DRAM,
# in units of conv1's power, which has no zeros: what is counted, what is expected, what was measured
watts() { # LAYER FLOW DENSITY MEASURED
    sator analyze alexnet:n=4 --layer "$1" --arch eyeriss -d conv2d/eyeriss-"$2" --timing scheduled --set layers."$1".density="{A: $3}" --json 2>/dev/null |
        python3 -c '
import json, sys
r = json.load(sys.stdin)
dram = sum(pj for name, pj in r["energy_pj"]["by_component"].items() if name.startswith("DRAM"))
print(r["workload"], (r["energy_pj"]["total"] - dram) / r["ms"], (r["energy_expected_pj"]["total"] - dram) / r["ms"], '"$4"')'
}
{
    watts conv1 conv1 0.9999 332
    watts conv2 conv2 0.613 288
    watts conv3 conv3 0.275 266
    watts conv4 conv4 0.207 235
    watts conv5 conv4 0.224 236
} | awk 'NR == 1 {counted = $2; expected = $3; measured = $4}
    {printf "%s: counted %.2f, expected %.2f, measured %.2f\n", $1, $2 / counted, $3 / expected, $4 / measured}'
