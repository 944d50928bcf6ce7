#!/bin/sh
# What comes out: lists, single points, CSV and JSON alike, job scripts that run, the same for any number of threads.
. "$2/test/cli/harness"
space="conv2d:k=4,ox=6,rx=3,c=1,oy=1,ry=1 --arch systolic-2d-8x8 --timing roofline --set levels.PE.shape=[4,4]"
# shellcheck disable=SC2086
export SATOR
run() { "$SATOR" explore $space --quiet "$@"; }
run --list --top 3
run --list | sed '1,2d' | awk -F'\t' '{n[$6]++} END {for (rule in n) print rule ": " n[rule]}' | sort
run --db one.db --threads 1 --batch 7 >/dev/null
run --db many.db --threads 5 --batch 7 >/dev/null
sator query one.db --csv >one.csv
sator query many.db --csv | cmp - one.csv || echo "threads make a difference"
# a table has energies in microjoules: one for each read of the scratchpad, and next to nothing else
run --set levels.scratchpad.energy_pj.read=1000000 --db dear.db >/dev/null
total=$(sator query dear.db --top 1 --json | sed -n 's/.*"energy_pj": {"total": \([0-9]*\).*/\1/p')
shown=$(sator query dear.db --top 1 | awk '$1 == "conv2d" { print $7 }')
[ "$shown" = "$((total / 1000000)).00" ] || echo "$total pJ shown as $shown uJ"
# each row is what analysing its point alone gives
tail -n +2 one.csv | sed 's/^[^,]*,0,,\([0-9]*\),.*/\1/' | head -5 | while read -r point; do
    alone=$(run --point "$point" --json | sed -n 's/.*"total":[^0-9]*\([0-9.e+]*\).*/\1/p' | head -1)
    grep "^[^,]*,0,,$point," one.csv | grep -q ",$alone," || echo "point $point: $alone is not in its row"
done
# JSON and CSV say the same
if command -v python3 >/dev/null; then
    sator query one.db --json >one.json
    python3 - <<'PYTHON'
import csv, json
rows = list(csv.DictReader(open("one.csv")))
results = json.load(open("one.json"))["results"]
assert len(rows) == len(results) > 10
for row, result in zip(rows, results):
    assert row["point"] == str(result["point"]) and row["space"] == result["dataflow"]["space"]
    assert float(row["latency_cycles.total"]) == result["latency_cycles"]["total"]
    assert int(row["stamps"]) == result["stamps"] and int(row["pes"]) == result["pes"]
    for tensor in result["tensors"]:
        name = "tensors.%s.%s.unique_volume" % (tensor["name"], tensor["role"])
        assert int(row[name]) == tensor["unique_volume"]
# the query's order, filter and front against their definitions
import subprocess, sys, os
def query(*options):
    out = subprocess.run([os.environ["SATOR"], "query", "one.db", "--csv", *options], capture_output=True, text=True)
    return list(csv.DictReader(out.stdout.splitlines()))
key = lambda r: (float(r["energy_pj.total"]), int(r["point"]))
assert [r["point"] for r in query("--sort", "energy", "--top", "4")] == [r["point"] for r in sorted(rows, key=key)[:4]]
few = [r["point"] for r in rows if float(r["latency_cycles.total"]) <= 60 and int(r["active_pes"]) > 4]
assert [r["point"] for r in query("--where", "latency <= 60 and active_pes > 4")] == few and few
cost = lambda r: (float(r["latency_cycles.total"]), float(r["bandwidth_bits_per_cycle.scratchpad"]))
front = [r["point"] for r in rows if not any(
    cost(o)[0] <= cost(r)[0] and cost(o)[1] <= cost(r)[1] and cost(o) != cost(r) for o in rows)]
assert sorted(r["point"] for r in query("--pareto", "latency,bandwidth")) == sorted(front) and front
PYTHON
fi
# the job array, job by job
mkdir bin
ln -s "$SATOR" bin/sator
run --db all.db --batch 7 --slurm 3 >job.sh
for task in 3 1 2; do
    PATH=$PWD/bin:$PATH SLURM_ARRAY_TASK_ID=$task sh job.sh || echo "job $task failed"
done
sator merge all.db all.db.shard* --quiet
sator query all.db --csv | cmp - one.csv || echo "the job array gives something else"
# a topology that varies stands in for the file's wires: the same one with the same energies changes nothing
gemm="gemm:i=8,j=8,k=8 --arch systolic-2d-8x8 --timing roofline --quiet --csv"
# shellcheck disable=SC2086
"$SATOR" explore $gemm | cut -d, -f1,4- >plain.csv
# shellcheck disable=SC2086
"$SATOR" explore $gemm --set energy_table=45nm --vary 'topology=[mesh,systolic-2d]' >varied.csv
{ sed -n 1p varied.csv; grep ',1,levels.PE.topology=systolic-2d,' varied.csv; } | cut -d, -f1,4- | cmp - plain.csv
grep -c ',0,levels.PE.topology=mesh,' varied.csv >/dev/null || echo "the mesh is not there"
