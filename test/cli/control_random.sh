#!/bin/sh
# Instructions of random nests, beside a count by walking over the stamps: a tile's name changes, or it does not.
. "$2/test/cli/harness"
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
export SATOR
python3 - <<'EOF'
import itertools, json, os, random, subprocess

random.seed(int(os.environ.get("SATOR_TEST_SEED", "1")))
tensors = {"A": "ik", "B": "kj", "Y": "ij"}
with open("machine.yaml", "w") as file:
    file.write("control: {instruction_bits: 64, reorder: true}\n"
               "levels: [{memory: DRAM}, {memory: L1}, {array: PE, shape: 1}, {compute: mac}]\n")
for case in range(20):
    size = {loop: random.randint(1, 7) for loop in "ijk"}
    tile = {loop: random.randint(1, 4) for loop in "ijk"}
    rows = [(loop, "/") for loop in random.sample("ijk", 3)] + [(loop, "%") for loop in random.sample("ijk", 3)]
    cut = random.randint(0, 6)
    with open("flow.yaml", "w") as file:
        time = ", ".join(f"{loop}{op}{tile[loop]}" for loop, op in rows)
        file.write(f'space: "0"\ntime: "{time}"\ncuts: {{L1: {{time: {cut}}}}}\n')
    stamps = {tuple(at[loop] // tile[loop] if op == "/" else at[loop] % tile[loop] for loop, op in rows)[:cut]
              for point in itertools.product(*(range(size[loop]) for loop in "ijk")) for at in [dict(zip("ijk", point))]}
    loads = stores = 0
    for tensor, loops in tensors.items():
        names = [tuple(value for value, (loop, _) in zip(stamp, rows) if loop in loops) for stamp in sorted(stamps)]
        tiles = 1 + sum(a != b for a, b in zip(names, names[1:]))
        loads += tiles - (len(set(names)) if tensor == "Y" else 0)
        stores += tiles if tensor == "Y" else 0
    sizes = ",".join(f"{loop}={size[loop]}" for loop in "ijk")
    command = [os.environ["SATOR"], "analyze", "gemm:" + sizes, "-a", "machine.yaml", "-d", "flow.yaml", "--json"]
    control = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["control"]
    got = [int(control[key]) for key in ("loads", "stores", "reordered_words")]
    if got != [loads, stores, size["i"] * size["j"]]:
        print(sizes, time, cut, got, "expected", loads, stores)
EOF
