#!/bin/sh
# A point is what sator analyze says about its maps, in every figure, whatever the machine: what --point prints, and what
# the database has kept. A mapping's file analyses to what is kept of it.
. "$2/test/cli/harness"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
cat >ports.yaml <<'END'
levels:
  - {memory: DRAM, energy_pj: 100, bandwidth_bits: 32}
  - memory: L2
    capacity_words: 40
    double_buffered: true
    energy_pj: 5
    bandwidth_bits: 64
    ports: [{name: sums, tensors: [Y], direction: shared, bandwidth_bits: 16}, {name: in, tensors: [A], direction: read, bandwidth_bits: 48}]
  - {array: PE, shape: [2, 4], topology: systolic-2d, reduction: [{name: tree, map: "PE[i,j] -> TREE[i]", tensors: [Y], energy_pj: 1}]}
  - {memory: L1, capacity_words: {A: 2, B: 3, Y: 4}, energy_pj: 1, bandwidth_bits: {read: 32, write: 16}, ports: [{name: y, tensors: [Y], bandwidth_bits: 8}]}
  - {compute: mac, energy_pj: 1}
END
cat >compare.py <<'END'
"""compare.py QUERY ANALYSIS...: the results of a query are those of the analyses, and these of points and their maps alike."""
import json, sys
kept = {r["point"]: r for r in json.load(open(sys.argv[1]))["results"]}
for path in sys.argv[2:]:
    point, what = json.load(open(path)), json.load(open(path.replace("point", "maps")))
    for result in point, what:
        result["dataflow"].pop("name")
        result.pop("engine", None), result.pop("declined", None)  # who counted may depend on the notation of the maps
        result.pop("advice", None)  # of an analysis alone
    for key in set(point) | set(what):
        assert point.get(key) == what.get(key), (path, key, point.get(key), what.get(key))
    row = kept[int(path.split(".")[1])]
    assert row["bound_by"] == point["bound_by"] and row["cuts"] == point["cuts"], (path, row, point)
    for key in "latency_cycles", "utilization", "energy_pj", "edp", "unique_volume", "stamps", "active_pes":
        for name, value in row[key].items() if isinstance(row[key], dict) else [(None, row[key])]:
            other = point[key][name] if name else point[key]
            assert value == other or abs(value - other) <= 1e-12 * abs(value), (path, key, name, value, other)
print("same")
END
check() { # machine, options of the exploration
    arch=$1
    shift
    rm -f p.* a.db
    # shellcheck disable=SC2086
    "$SATOR" explore $workload --arch "$arch" "$@" --db a.db --quiet --prune none --no-symmetry --top 1 >/dev/null
    sator query a.db --json >kept
    for point in $(python3 -c 'import json; p = [r["point"] for r in json.load(open("kept"))["results"]]; print(*p[::max(1, len(p) // 2)])'); do
        sator explore "$workload" --arch "$arch" --point "$point" --json >"p.$point.point"
        maps=$(python3 -c 'import json, sys; d = json.load(open(sys.argv[1]))["dataflow"]
print(d["space"].split("[", 1)[1][:-1] + "|" + d["time"].split("[", 1)[1][:-1])' "p.$point.point")
        sator analyze "$workload" --arch "$arch" --space "${maps%|*}" --time "${maps#*|}" --json >"p.$point.maps"
    done
    python3 compare.py kept p.*.point || echo "$arch: differs"
}
workload="gemm:i=12,j=10,k=6"
for arch in conventional eyeriss shidiannao-8x8 tpu-256x256 simba-like ports.yaml; do
    check $arch
done
workload="conv2d:k=6,c=4,ox=5,oy=4,rx=3,ry=2"
check eyeriss --points 5000:1000
check shidiannao-8x8 --points 5000:1000
# a mapping
rm -f p.*
workload="gemm:i=12,j=10,k=6 --arch conventional"
# shellcheck disable=SC2086
best() { "$SATOR" explore $workload --dataflows optimal --objective edp --quiet "$@"; }
best --json >kept
best --point 0 --yaml -o best.yaml
# shellcheck disable=SC2086
sator analyze $workload --dataflow best.yaml --json >p.0.point
cp p.0.point p.0.maps
python3 compare.py kept p.0.point || echo "the mapping differs"
