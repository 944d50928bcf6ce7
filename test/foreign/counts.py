#!/usr/bin/env python3
"""Words that a Timeloop design moves, counted twice over from its own text, and compared with what Sator says.

usage: counts.py SATOR PUBLISHED.csv DESIGN.yaml...       each file: architecture, problem, mapping
       counts.py SATOR --mappings FOLDER                  FOLDER/mappings.json with FOLDER/arch_*.yaml and prob_*.yaml

Nothing here shares code with Sator, nor with Timeloop: the tiles follow from the loops, and a tile that moves by some
step takes up what it did not hold before. What Timeloop counts otherwise than doc/model.md are the rules below, each
of which can be switched off; with none of them the words are those of doc/model.md, which Sator has to give to the last:

  boxes  a tile is the box around its elements: with a stride, it also holds what nobody reads
  turns  a tile that moves on by another step than it last did is loaded anew, whatever of it is there
  equal  one word serves several instances only where all of what they take up is equal; halos come to each
  sums   a sum that comes back goes to all instances that add to it, each of which started once from zero
  pass   where no memory of an instance holds a tensor, each operation fetches its word; nothing stays at the unit
  given  the outermost memory has its words from the start, wherever it stands

A published figure must be the one that all of these give, and where Sator's is another the rules that make the
difference are named: DESIGN MEMORY TENSOR FIGURE SATOR TIMELOOP RULES. Ends with 1 when a figure is neither.
"""
import collections
import csv
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import yaml

RULES = ("boxes", "turns", "equal", "sums", "pass", "given")
FIGURES = ("reads", "updates", "fills")


class Loader(yaml.SafeLoader):
    """!Component and !Container are maps."""


Loader.add_multi_constructor("!", lambda loader, tag, node: {**loader.construct_mapping(node, deep=True), "tag": tag})


def get(node, *names, otherwise=None):
    for name in names:
        for key in (name, name.replace("_", "-")):
            if key in node:
                return node[key]
    return otherwise


# ---- reading: memories outermost first, the fan-outs between them, loops outermost first ----


def read_problem(problem):
    shape = get(problem, "shape")
    if shape is None:
        factors = {"Wstride": 1, "Hstride": 1, "Wdilation": 1, "Hdilation": 1}
        spaces = [("Weights", ["C", "K", "R", "S"], False),
                  ("Inputs", ["N", "C", [("R", "Wdilation"), ("P", "Wstride")], [("S", "Hdilation"), ("Q", "Hstride")]], False),
                  ("Outputs", ["N", "K", "Q", "P"], True)]
        factors.update({k: v for k, v in problem.items() if k in factors})
        axes = lambda row: [[(a, 1)] if isinstance(a, str) else [(d, factors[f]) for d, f in a] for a in row]
        return {k: v for k, v in problem.items() if k in "RSPQCKN"}, [(n, axes(row), w) for n, row, w in spaces]
    factors = {c["name"]: c["default"] for c in get(shape, "coefficients", otherwise=[])}
    instance = problem["instance"]
    factors.update({k: instance[k] for k in factors if k in instance})
    spaces = []
    for space in get(shape, "data_spaces"):
        axes = [[(term[0], math.prod(factors[f] for f in term[1:])) for term in axis] for axis in space["projection"]]
        spaces.append((space["name"], axes, bool(get(space, "read_write", otherwise=False))))
    return {d: instance[d] for d in shape["dimensions"]}, spaces


def walk(node, found):
    for item in node.get("local", []) + node.get("nodes", []):
        found.append(item)
    for inner in node.get("subtree", []):
        walk(inner, found)
    return found


def read_levels(arch):
    """(kind, name) outermost first; the compute units are left out."""
    if "storage" in arch:
        return [("memory", m["name"]) for m in reversed(arch["storage"])]
    levels = []
    for item in walk(arch, []):
        name = re.sub(r"\[.*", "", item["name"])
        if item.get("tag") == "Container":
            levels += [("fanout", name)] if "spatial" in item else []
        elif "mac" not in item.get("class", "").lower():
            levels.append(("memory", name))
    return levels


def read_loops(directive, dims):
    text = directive["factors"]
    pairs = re.findall(r"([A-Za-z]+) *=? *(\d+)", text if isinstance(text, str) else " ".join(text))
    factors = {d: int(n) for d, n in pairs}
    order = [d for d in directive.get("permutation", dims) if d in dims]
    order += [d for d in dims if d not in order]
    return [(d, factors.get(d, 1)) for d in reversed(order)]


def read_design(arch, problem, mapping):
    dims, spaces = read_problem(problem)
    stages = []  # (kind, name, loops, bypassed)
    for kind, name in read_levels(arch):
        mine = [m for m in mapping if m["target"] == name]
        temporal = [x for m in mine if m["type"] == "temporal" for x in read_loops(m, dims)]
        spatial = [x for m in mine if m["type"] == "spatial" for x in read_loops(m, dims)]
        bypassed = [t for m in mine for t in m.get("bypass", [])]
        if kind == "memory":
            stages.append(("memory", name, temporal, bypassed))
        if spatial:
            stages.append(("fanout", name, spatial, []))
    return dims, spaces, stages


# ---- counting ----


class Tiles:
    """The tiles of one data space at one place of the nest: what lies inside "at", one for each step of the loops of
    time outside it, one for each of the instances that the fan-outs outside it make."""

    def __init__(self, stages, at, axes, boxes):
        self.axes = axes
        inside = collections.Counter()
        for _, _, loops, _ in stages[at:]:
            for d, n in loops:
                inside[d] = (inside[d] or 1) * n
        self.sets = [self.values(axis, inside, boxes) for axis in axes]
        self.size = math.prod(len(s) for s in self.sets)
        self.time, self.space, width = [], [], dict(inside)
        for kind, _, loops, _ in reversed(stages[:at]):
            for d, n in reversed(loops):
                (self.time if kind == "memory" else self.space).append((d, n, width.get(d, 1)))
                width[d] = width.get(d, 1) * n
        self.time.reverse()
        self.n_instances = math.prod(n for _, n, _ in self.space)

    @staticmethod
    def values(axis, extents, boxes):
        found = {sum(f * i for (_, f), i in zip(axis, at))
                 for at in itertools.product(*[range(extents.get(d) or 1) for d, _ in axis])}
        return frozenset(range(min(found), max(found) + 1) if boxes else found)

    def place(self, offsets):
        return tuple(sum(f * offsets.get(d, 0) for d, f in axis) for axis in self.axes)

    def moves(self, turns):
        """How often the tile moves by which step from the one before it; None: it is loaded as a whole. A loop's turn
        sets the loops inside it back to 0."""
        if turns:
            return self.moves_of_equal_steps()
        found, times = collections.Counter({None: 1}), 1
        for i, (d, n, width) in enumerate(self.time):
            offsets = {d: width}
            for e, m, w in self.time[i + 1:]:
                offsets[e] = offsets.get(e, 0) - (m - 1) * w
            if n > 1:
                found[self.place(offsets)] += times * (n - 1)
            times *= n
        return found

    def moves_of_equal_steps(self):
        """The same where a tile keeps what it has only while it goes on by equal steps. Of each loop the first turn is
        looked at, and the second for all others."""
        loops, found = [x for x in self.time if x[1] > 1], collections.Counter()
        last = step = None
        for at in itertools.product((0, 1), repeat=len(loops)):
            offsets, times = {}, 1
            for (d, n, width), i in zip(loops, at):
                offsets[d] = offsets.get(d, 0) + width * i
                times *= n - 1 if i else 1
            place = self.place(offsets)
            move = None if last is None else tuple(a - b for a, b in zip(place, last))
            if step is None or move == step:
                found[move] += times
                step = move
            else:
                found[None] += times
                step = None
            last = place
        return found

    def new(self, move):
        """The elements that a tile at the origin takes up after such a move, as sets per axis, or their number."""
        if move is None:
            return self.size
        return self.size - math.prod(sum(1 for x in s if x + m in s) for s, m in zip(self.sets, move))

    def sent(self, move, places):
        """How many words leave for the instances at "places" ({coordinates in each fan-out: place}) that take elements
        up: the wires of one fan-out after the other, the outermost first, bring one word to those that want it."""
        by_place = collections.defaultdict(list)
        for coordinates, place in places.items():
            by_place[place].append(coordinates)
        distinct = list(by_place)
        apart = all(any(not any(x + b - a in s for x in s) for s, a, b in zip(self.sets, p, q))
                    for p, q in itertools.combinations(distinct, 2))
        if apart:
            return self.new(move) * sum(left_over(c) for c in by_place.values())
        wanted = collections.defaultdict(list)
        for place, coordinates in by_place.items():
            for x in itertools.product(*self.sets):
                if move is None or not all(v + m in s for v, m, s in zip(x, move, self.sets)):
                    wanted[tuple(v + o for v, o in zip(x, place))] += coordinates
        return sum(left_over(c) for c in wanted.values())


def left_over(coordinates):
    """Of instances that want one word, how many are left when each fan-out's wires have brought it to all that differ
    in that fan-out alone."""
    for k in range(len(coordinates[0])):
        least = {}
        for c in sorted(coordinates):
            least.setdefault(c[:k] + c[k + 1:], c)
        coordinates = list(least.values())
    return len(coordinates)


def sum_offsets(pairs):
    offsets = {}
    for (d, _, width), i in pairs:
        offsets[d] = offsets.get(d, 0) + width * i
    return offsets


def count(design, rules):
    """{(memory, tensor): {figure: words of all instances}}"""
    dims, spaces, stages = design
    figures = {}
    macs = math.prod(dims.values())
    for tensor, axes, written in spaces:
        at = [i for i, s in enumerate(stages) if s[0] == "memory" and tensor not in s[3]]
        tiles = [Tiles(stages, i, axes, "boxes" in rules) for i in at]
        mine = [collections.Counter() for _ in at]
        fresh = tiles[0].n_instances * tiles[0].size
        shares = partitions(stages, axes, rules)
        for i in range(len(at) + 1):
            whole = Tiles(stages, len(stages), axes, "boxes" in rules)
            child = tiles[i] if i < len(at) else whole
            fanned = [s for s in stages[at[i - 1]:at[i] if i < len(at) else None] if s[0] == "fanout"] if i > 0 else []
            if i == 0:
                taken = sent = child.size * child.n_instances
                if "given" not in rules and not written and all(s[0] == "memory" for s in stages) and at[0] == len(stages) - 1:
                    mine[0]["fills"] += taken
            elif i == len(at) and not fanned:
                taken = sent = macs
            else:
                taken, sent = transfers(child, fanned, rules)
                if i == len(at) and "pass" in rules:
                    taken, sent = macs, shared(stages, axes, at[-1], len(stages), macs, rules)
                elif "equal" in rules:
                    sent = shared(stages, axes, at[i - 1], at[i] if i < len(at) else len(stages), taken, rules)
            outer_fresh = fresh
            if i > 0:
                fresh = shares[at[i]] if "sums" in rules and i < len(at) else fresh + taken - sent
            if i > 0 and written:
                mine[i - 1]["updates"] += sent
                mine[i - 1]["reads"] += sent - (shares[at[i - 1]] if "sums" in rules else outer_fresh)
                if i == len(at) and not fanned and "sums" not in rules:
                    mine[i - 1]["reads"] = macs - outer_fresh
            elif i > 0:
                mine[i - 1]["reads"] += sent
            if 0 < i < len(at):
                mine[i]["fills"] += taken if not written else taken - shares[at[i]] if "sums" in rules else sent - outer_fresh
        for k, i in enumerate(at):
            figures[stages[i][1], tensor] = {f: mine[k][f] for f in FIGURES}
    return figures


def transfers(child, fanned, rules):
    """Words that the instances take up, and words that leave what is outside for them."""
    n = sum(len(s[2]) for s in fanned)
    below, parents = child.space[:n], math.prod(m for _, m, _ in child.space[n:])
    places = {}
    for at in itertools.product(*[range(m) for _, m, _ in below]):
        rest, coordinates = list(at), []
        for stage in reversed(fanned):
            coordinates.insert(0, tuple(rest[:len(stage[2])]))
            rest = rest[len(stage[2]):]
        places[tuple(coordinates)] = child.place(sum_offsets(zip(below, at)))
    taken = sent = 0
    for move, times in child.moves("turns" in rules).items():
        taken += times * child.new(move) * len(places) * parents
        sent += times * child.sent(move, places) * parents
    return taken, sent


def shared(stages, axes, outer, inner, taken, rules):
    """Of words that are taken up at "inner", how many leave "outer": each fan-out between serves together what takes up
    equal parts, looked at in the tiles below it."""
    for i in range(inner - 1, outer, -1):
        if stages[i][0] != "fanout":
            continue
        tile = Tiles(stages, i + 1, axes, "boxes" in rules)
        places = {tile.place(sum_offsets(zip(tile.space, at)))
                  for at in itertools.product(*[range(m) for _, m, _ in tile.space[:len(stages[i][2])]])}
        taken = taken * len(places) // math.prod(m for _, m in stages[i][2])
    return taken


def partitions(stages, axes, rules):
    """Of each memory, how many elements its instances own altogether: an instance's share of what is outside is that of
    its tile in the tiles of all instances beside it."""
    shares, share = {}, None
    for i, (kind, _, _, _) in enumerate(stages):
        if kind != "memory":
            continue
        tile = Tiles(stages, i, axes, True)
        before = i
        while before > 0 and stages[before - 1][0] == "fanout":
            before -= 1
        beside = Tiles(stages, before, axes, True).size
        share = tile.size if share is None else share * tile.size // beside
        shares[i] = share * tile.n_instances
    return shares


# ---- comparing ----


def ask_sator(sator, problem, arch, mapping):
    done = subprocess.run([sator, "analyze", problem, "--arch", arch, "--dataflow", mapping, "--json", "-q"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr
    result = json.loads(done.stdout)
    figures = {}
    for level in result["levels"]:
        for t in level["tensors"]:
            figures[level["name"], t["name"]] = {"reads": t["reads"], "updates": t["updates"], "fills": t["writes"]}
    return figures, result["latency_cycles"]["compute"]


def causes(design, key, figure, ours, theirs):
    """The fewest rules that make the one figure of the other."""
    for n in range(1, len(RULES) + 1):
        for some in itertools.combinations(RULES, n):
            if count(design, some)[key][figure] == theirs != ours:
                return "+".join(some)
    return None


def compare(name, design, sator, published, wrong):
    exact, full = count(design, ()), count(design, RULES)
    equal = differ = 0
    for key in exact:
        for figure in FIGURES:
            ours, theirs = sator[key][figure], full[key][figure]
            if ours != exact[key][figure]:
                wrong.append(f"{name} {key} {figure}: Sator says {ours}, doc/model.md {exact[key][figure]}")
            if published is not None and key in published and published[key][figure] != theirs:
                wrong.append(f"{name} {key} {figure}: published {published[key][figure]}, by the rules {theirs}")
            if ours == theirs:
                equal += 1
                continue
            differ += 1
            why = causes(design, key, figure, ours, theirs)
            if why is None:
                wrong.append(f"{name} {key} {figure}: {ours} and {theirs} for no rule")
            print(name, *key, figure, ours, theirs, why)
    return equal, differ


def cycles_of(design):
    return math.prod(n for kind, _, loops, _ in design[2] if kind == "memory" for _, n in loops)


def designs(sator, table, files):
    rows = collections.defaultdict(dict)
    cycles = {}
    with open(table, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows[row["design"]][row["memory"], row["tensor"]] = {f: int(row[f]) * int(row["instances"]) for f in FIGURES}
            cycles[row["design"]] = int(row["cycles"])
    for path in files:
        with open(path, encoding="utf-8") as file:
            text = yaml.load(file, Loader)
        name = os.path.splitext(os.path.basename(path))[0]
        design = read_design(get(text, "architecture", "arch"), text["problem"], text["mapping"])
        yield name, design, ask_sator(sator, path, path, path), rows.get(name), cycles.get(name)


def mappings(sator, folder):
    with open(os.path.join(folder, "mappings.json"), encoding="utf-8") as file:
        listed = json.load(file)
    for name, entry in listed.items():
        parts = [os.path.join(folder, f"{kind}_{entry[key]}.yaml") for kind, key in (("prob", "problem"), ("arch", "arch"))]
        texts = [yaml.load(open(p, encoding="utf-8"), Loader) for p in parts]
        if entry["imperfect"]:
            continue
        handle, mapping = tempfile.mkstemp(suffix=".yaml")
        os.close(handle)
        with open(mapping, "w", encoding="utf-8") as file:
            file.write(entry["mapping_yaml"])
        design = read_design(get(texts[1], "arch"), texts[0]["problem"], yaml.load(entry["mapping_yaml"], Loader)["mapping"])
        yield name, design, ask_sator(sator, *parts, mapping), None, None
        os.remove(mapping)


def main():
    sator, given, *files = sys.argv[1:]
    source = mappings(sator, files[0]) if given == "--mappings" else designs(sator, given, files)
    wrong, equal, differ, n = [], 0, 0, 0
    for name, design, (figures, cycles), published, published_cycles in source:
        if figures is None:
            wrong.append(f"{name}: {cycles}")
            continue
        if cycles != cycles_of(design) or (published_cycles is not None and cycles != published_cycles):
            wrong.append(f"{name}: {cycles} cycles, {cycles_of(design)} by the loops, published {published_cycles}")
        same, other = compare(name, design, figures, published, wrong)
        equal, differ, n = equal + same, differ + other, n + 1
    print(f"{n} designs, {equal} figures equal, {differ} different by a rule, {len(wrong)} wrong")
    for line in wrong:
        print("WRONG:", line)
    return 1 if wrong else 0


sys.exit(main())
