#!/bin/sh
# A network's front is that of all sums of its layers' own fronts, and each point's choices add up to it.
. "$2/test/cli/harness"
sator map resnet18 --arch tpu-8x8 --constraint 'PE: skew 0' --pareto energy,latency --json >front.json
sator map resnet18 --arch tpu-8x8 --constraint 'PE: skew 0' --pareto energy,latency --csv >front.csv
sator map resnet18 --arch tpu-8x8 --constraint 'PE: skew 0' --layer conv2_x --pareto energy,latency --json >layer.json
cat >check.py <<'END'
import csv, json
front = json.load(open("front.json"))
own = json.load(open("layer.json"))["front"]
kept = next(x for x in front["layers"] if x["layer"] == "conv2_x")["front"]
assert [(m["energy_pj"]["total"], m["latency_cycles"]["total"]) for m in own] == \
    [(m["energy_pj"]["total"], m["latency_cycles"]["total"]) for m in kept]
layers = [[(m["energy_pj"]["total"] * x["repeat"], m["latency_cycles"]["total"] * x["repeat"]) for m in x["front"]]
          for x in front["layers"]]
for point in front["front"]:
    picked = [layer[i] for layer, i in zip(layers, point["choices"])]
    assert abs(sum(e for e, _ in picked) / point["energy_pj"] - 1) < 1e-12
    assert sum(c for _, c in picked) == point["latency_cycles"]
# every sum of the last four layers, the others at their best energy: none beats the front
import itertools
base = [min(layer) for layer in layers[:-4]]
for picked in itertools.product(*layers[-4:]):
    e, c = (sum(x) for x in zip(*base, *picked))
    assert any(p["energy_pj"] <= e * (1 + 1e-12) and p["latency_cycles"] <= c for p in front["front"])
for a, b in zip(front["front"], front["front"][1:]):
    assert a["energy_pj"] < b["energy_pj"] and a["latency_cycles"] > b["latency_cycles"]
rows = list(csv.reader(open("front.csv")))
assert len(rows) == len(front["front"]) + 1 and rows[0][3:] == [x["layer"] for x in front["layers"]]
print("holds", front["complete"], len(rows) > 5000)
END
python3 check.py
sator map resnet18 --arch tpu-8x8 --constraint 'PE: skew 0' --pareto energy,latency | grep -c '^ *[0-9,]*  *[0-9,.]*  *[0-9,]*  *[0-9.]*e+'
sator map resnet18 --arch tpu-8x8 --constraint 'PE: skew 0' --pareto energy,latency --budget 0.000001 >stopped.txt
echo "exit $?"
grep -o 'stopped before the faster ones' stopped.txt # a mapping of each layer is found all the same
sator map resnet18 --arch tpu-8x8 --constraint 'PE: skew 0' --pareto energy
