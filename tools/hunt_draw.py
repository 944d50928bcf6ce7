"""What tools/hunt.py draws: problems as fields of the input files, and nests: lists of levels, outermost
first, each with its loops [loop, factor, dimension or None], outermost first, its skew, joined and bypass."""
import copy
import functools
import itertools
import json
import math
import re

TENSORS = "ABY"


# ---- what is asked: a statement, the levels of a machine, options ----

def draw_case(r):
    is_tiny = r.random() < 0.5  # few nests, of which most are met
    loops = "ijklm"[:r.choice([2, 2, 3, 3] if is_tiny else [1, 2, 2, 3, 3, 3, 4, 4, 5])]
    sizes = {loop: r.choice([2, 2, 3, 4] if is_tiny else [1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 12]) for loop in loops}
    while math.prod(sizes.values()) > 1500:
        sizes[r.choice(loops)] = 2
    workload = {"sizes": sizes, "op": draw_statement(r, loops)}
    if is_cut := r.random() < 0.12:
        workload["where"] = draw_where(r, sizes)
    workload.update(r.choice([{}] * 8 + [{"word_bits": r.choice([8, 12])}, {"word_bits": {"A": 8, "Y": 32}},
                                         {"density": {"A": 0.5}}]))
    ask = {"objective": r.choice(["edp", "energy", "latency"]), "timing": r.choice(["roofline", "scheduled"]),
           "imperfect": r.random() < (0.1 if is_tiny or is_cut else 0.35), "pareto": r.random() < 0.08}
    ask.update({"budget_seconds": r.choice([0.003, 0.02])} if r.random() < 0.1 else {})  # bounds of what is left
    ask.update({"timing": "roofline"} if ask["pareto"] else {})
    levels = draw_levels(r)
    if r.random() < 0.04:
        levels[-1].update(r.choice([{"gating": ["A"]}, {"skipping": ["A"]}, {"leakage_pj": 2}]))
        workload.update({"density": {"A": 0.25, "B": 0.5}} if "B[" in workload["op"] else {"density": {"A": 0.25}})
    if r.random() < 0.2:
        ask["constraints"] = [draw_constraint(r, levels, sizes) for _ in range(r.choice([1, 1, 2, 3]))]
    machine = r.choice([{}] * 24 + [{"control": {"instruction_bits": 32, "reorder": r.random() < 0.5}}])
    return {"workload": workload, "machine": machine, "levels": levels, "ask": ask}


def draw_statement(r, loops):
    def index():
        a, b, c, k = r.choice(loops), r.choice(loops), r.choice(loops), r.choice([2, 2, 3, 4])
        return r.choice([a] * 20 + [f"{a}+{b}"] * 7 + [f"{k}*{a}+{b}"] * 3 + [
            f"{a}-{b}", f"{k}*{a}-{b}", f"{a}+{b}+{c}", f"{k}*{a}", f"{k}*{a}+{r.choice([2, 3])}*{b}", f"fl({a}/{k})",
            f"fl(({a}+{b})/{k})", f"fl(({a}+{k}*{b})/{k + 1})", f"{a}+{b}+{k}", f"{a}%{k}", "0"])

    n_indices = {t: r.choice([1, 2, 2, 3] if t == "A" else [1, 1, 2, 2]) for t in "ABC"}
    reads = ["A"] + ["B"] * (r.random() < 0.9) + [r.choice("ABC")] * (r.random() < 0.16)
    own = [index() for _ in range(r.choice([1, 1, 2]))] if r.random() < 0.15 else r.sample(loops, r.randint(1, len(loops)))
    if r.random() < 0.04:  # in place: an order to keep
        return f"Y[{','.join(own)}] += Y[{','.join(f'{i}-{r.choice([0, 1, 1])}' for i in own)}] * A[{index()}]"
    return f"Y[{','.join(own)}] += " + " * ".join(f"{t}[{','.join(index() for _ in range(n_indices[t]))}]" for t in reads)


def draw_where(r, sizes):
    """Triangles either way, bands, holes, steps; some leave a box, which need not begin at 0; none is empty."""
    def condition():
        a, b, c = (r.sample(list(sizes), len(sizes)) * 3)[:3]
        k, n = r.choice([1, 2, 2, 3]), r.randint(0, max(sizes.values()))
        return r.choice([f"{a} {r.choice(['<=', '<', '>='])} {b}"] * 6 + [f"{a} + {b} {r.choice(['<=', '>='])} {n}"] * 3 + [
            f"{b} - {k} <= {a} <= {b}", f"{b} <= {a} < {b} + {n}", f"{a} != {b}", f"{a} = {b}", f"{a} <= {k}*{b}",
            f"{k}*{a} >= {b}", f"{a} <= {b}/{k}", f"{a} + {b} <= {c}", f"{a} <= {b} <= {c}", f"{a} % {k + 1} <= {b}",
            f"({a} + {b}) % {k + 1} = 0", f"{a} % {k + 1} = 1", f"{a} >= {k}", f"{a} != {n}", f"{a}/{k + 1} = {b}/{k + 1}"])

    while True:
        where = r.choice(["{0}"] * 4 + ["{0} and {1}"] * 2 + ["{0} or {1}", "not ({0})"]).format(condition(), condition())
        if points(tuple(sizes.items()), where):
            return where


def draw_levels(r):
    levels = [{"memory": "DRAM", "energy_pj": draw_energy(r, [10, 100, {"read": 20, "write": 50}])}]
    levels[0].update({"bandwidth_bits": r.choice([8, 16, 64, 1024])} if r.random() < 0.9 else {})
    levels[0].update(r.choice([{}] * 12 + [
        {"word_bits": {"Y": 32}}, {"leakage_pj": 2}, {"setup_cycles": 2, "granule_bits": 32, "bandwidth_bits": 16},
        {"ports": draw_ports(r)}]))
    levels += [draw_memory(r, "L3", 12, 90, False)] * (r.random() < 0.1)
    levels += [draw_memory(r, "L2", 6, 60, False)] * (r.random() < 0.5)
    if r.random() < 0.9:
        levels.append(draw_array(r, "PE", 8))
        levels += draw_memories(r, "L1", 16, 0.75)
        if r.random() < 0.25:
            levels.append(draw_array(r, "lane", 4))
            levels += draw_memories(r, "L0", 8, 0.4)
            if r.random() < 0.3:
                levels += [draw_array(r, "bit", 3), *draw_memories(r, "R", 6, 0.3)]
    return levels + [{"compute": "mac", "energy_pj": r.choice([1, 1, 0]), "cycles": r.choice([1, 1, 1, 2, 3, 0.5, 1.3])}]


def draw_memories(r, name, most, chance):
    """None, one, one inside another, or one for each of some tensors."""
    if r.random() > chance:
        return []
    if r.random() < 0.85:
        inner = [draw_memory(r, f"{name}i", 1, most // 2, True)] * (r.random() < 0.1)
        return [draw_memory(r, name, 3, most, True), *inner]
    files = [draw_memory(r, name + t, 1, most, True) for t in r.sample(TENSORS, r.choice([1, 2, 3]))]
    return [{**{k: v for k, v in m.items() if k not in ("bypass", "may_bypass", "ports", "gating")},
             "tensors": [m["memory"][-1]]} for m in files]


def some(r):
    return r.sample(TENSORS, r.choice([1, 1, 2]))


def draw_energy(r, figures):
    """One for all tensors, or for some of them another one."""
    pj, most = r.choice(figures), r.choice([3, 100])
    if r.random() > 0.2:
        return pj
    own = {t: {"read": r.choice([0, 1, most]), "write": r.choice([0, 1, most])} for t in some(r)}
    return {**(pj if isinstance(pj, dict) else {"read": pj, "write": pj}), "tensors": own}


def draw_memory(r, name, low, high, is_inside):
    m = {"memory": name, "energy_pj": draw_energy(r, [1, 2, 5, {"read": 1, "write": 4}, {"read": 6, "write": 1}, 0])}
    if r.random() < 0.85:
        m["bandwidth_bits"] = r.choice([4, 8, 16, 64, 256, 0.7, 10.5, {"read": 16, "write": 64}, {"read": 64, "write": 8}])
    m.update(r.choice([{"capacity_words": r.randint(low, high)}, {"capacity_bytes": 2 * r.randint(low, high)},
                       {"capacity_words": {t: r.randint(max(1, low // 3), max(1, high // 2)) for t in TENSORS}},
                       {"capacity_words": {t: r.randint(1, high) for t in TENSORS}},
                       {"capacity_words": r.randint(2 * low, 2 * high), "double_buffered": True}, {}]))
    m.update(r.choice([{}] * 4 + [{"may_bypass": some(r)}, {"bypass": some(r)}]))
    m.update(r.choice([{}] * 12 + [
        {"transfers": r.choice(["serial", "overlapped", "streamed", {"A": "serial", "Y": "overlapped"}])},
        {"word_bits": 8}, {"word_bits": {"Y": 32}}, {"leakage_pj": 3}, {"setup_cycles": 3, "bandwidth_bits": 16},
        {"granule_bits": 64, "bandwidth_bits": 16}, {"overlaps": False}, {"gating": {"A": ["A"]}},
        {"ports": draw_ports(r)}, {"ports": draw_ports(r)}]))
    return {**m, "holds": "idle"} if is_inside and r.random() < 0.1 else m


def draw_ports(r):
    one = {"name": "own", "tensors": some(r), "direction": r.choice(["shared", "both", "read", "write"]),
           "bandwidth_bits": r.choice([8, 16, 40])}
    one.update(r.choice([{}] * 4 + [{"setup_cycles": 2}, {"granule_bits": 32}]))
    rest = {"name": "rest", "direction": r.choice(["shared", "both"]), "bandwidth_bits": r.choice([8, 24])}
    return [one] + [rest] * (r.random() < 0.2)


def draw_array(r, name, most):
    dims = r.choice([1] * 7 + [2] * 4 + [3])
    a = {"array": name, "shape": [r.choice([x for x in (2, 2, 3, 3, 4, 6, 8) if x <= most]) for _ in range(dims)]}
    own = f"{name}[{','.join('ijk'[:dims])}]"
    kinds = r.choice([["links"], ["links", "multicast", "reduction"], ["multicast", "multicast", "reduction"]])
    costs = r.choice([[0.1], [0.1, 0.1, 0.3, 3, 12], [0, 0.1, 30]])
    for n in range(r.choice([0, 1, 1, 1, 2, 2, 3, 4])):
        wire = {"name": f"{name}{n}", "energy_pj": r.choice(costs)}
        wire.update({"tensors": some(r)} if r.random() < 0.4 else {})
        wire.update({"bandwidth_bits": r.choice([1, 4, 16])} if r.random() < 0.08 else {})
        kind = r.choice(kinds)
        if kind == "links":
            step = r.choice({1: [(1,)] * 5 + [(-1,), (2,), (-2,), (0,)], 2: [(1, 0), (0, 1)] * 4 + [
                (0, -1), (1, 1), (1, -1), (-1, 0), (0, 2), (2, 1), (0, 0)], 3: [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1)]}[dims])
            to = ",".join(f"{x}{d:+d}" if d else x for x, d in zip("ijk", step))
            if r.random() < 0.04:  # no constant distance
                n = a["shape"][0]
                to = ",".join([r.choice([f"(i+1)%{n}", "0", "i/2", f"{n - 1}-i", "(i+1)%2+2*(i/2)"]), *"jk"[:dims - 1]])
                step = [1]
            wire.update({"map": f"{own} -> {name}[{to}]",
                         "interval": r.choice([0, 0, 0, 1, 1, 1, 1, 1, 2, 3] if any(step) else [2, 3, 4])})
        else:
            bus = r.choice({1: ["0"] * 6 + ["i/2", "i%2"], 2: ["0", "i", "i", "j", "j", "i+j", "i/2,j", "i,j%2", "j/2"],
                            3: ["0", "i", "k", "i,j", "j,k", "i,j+k", "k/2"]}[dims])
            wire["map"] = f"{own} -> {'BUS' if kind == 'multicast' else 'TREE'}[{bus}]"
        a.setdefault(kind, []).append(wire)
    return {**a, **r.choice([{}] * 20 + [{"pass_through": True}, {"word_bits": {"Y": 24}}])}


def draw_constraint(r, levels, sizes):
    level, loop = r.choice(levels[:-1]), r.choice(list(sizes))
    factor = r.choice([f for f in range(1, sizes[loop] + 1) if sizes[loop] % f == 0])
    some_loops = " ".join(r.sample(list(sizes), min(len(sizes), r.choice([1, 2]))))
    if "memory" in level:
        return f"{level['memory']}: " + r.choice([
            f"{loop} {factor}", f"{loop} <= {factor}", f"{loop} >= {factor}", f"order {some_loops}",
            f"order ... {some_loops}", f"order {some_loops} ..."])
    skew = " ".join(str(r.choice([0, 0, 1, 1, -1, 2])) for _ in level["shape"])
    return r.choice([f"{level['array']}: " + r.choice([
        f"{loop} {factor}", f"{loop} <= {factor}", f"{loop} >= {factor}", f"{loop} {factor} -> 0", f"skew {skew}",
        f"{loop} <= {factor} -> {len(level['shape']) - 1}", f"only {some_loops}"]), f"utilization {r.choice([0.1, 0.3, 0.5])}"])


@functools.lru_cache
def points(sizes, where):
    """All instances."""
    holds = compile(re.sub("(?<![<>!])=", "==", where).replace("/", "//"), where, "eval")
    return [p for p in itertools.product(*(range(n) for _, n in sizes))
            if eval(holds, {}, dict(zip((loop for loop, _ in sizes), p)))]


def extents(case):
    """Of the least box that holds all instances: what the factors of a nest cover."""
    sizes, where = tuple(case["workload"]["sizes"].items()), case["workload"].get("where")
    spans = zip(*points(sizes, where)) if where else [range(n) for _, n in sizes]
    return {loop: max(values) - min(values) + 1 for (loop, _), values in zip(sizes, spans)}


# ---- nests ----

def name_of(spec):
    return spec.get("memory", spec.get("array"))


def draw_nest(r, case):
    nest = [{"at": name_of(spec), "loops": []} for spec in case["levels"][:-1]]
    for loop in extents(case):
        place_loop(r, case, nest, loop)
    for level in nest:
        r.shuffle(level["loops"])
    return dress(r, case, nest)


def place_loop(r, case, nest, loop):
    """Draw the factors of a loop anew, from inside outward."""
    rest = extents(case)[loop]
    for level, spec in reversed(list(zip(nest, case["levels"]))):
        level["loops"] = [entry for entry in level["loops"] if entry[0] != loop]
        dims = list(range(len(spec["shape"])))[::-1] if "array" in spec else [None]
        if r.random() < 0.1:
            r.shuffle(dims)
        for dim in dims:
            factor = 1
            if level is nest[0]:
                factor = rest
            elif r.random() < 0.03:
                factor = rest + r.choice([1, 1, 2])  # beyond what it needs: PEs between tiles have nothing to do
            elif r.random() < 0.5 and case["ask"]["imperfect"]:
                factor = r.randint(1, rest)
                factor = factor if r.random() < 0.1 else -(-rest // -(-rest // factor))
            elif r.random() < 0.5:
                factor = r.choice([f for f in range(1, rest + 1) if rest % f == 0])
            used = math.prod(f for _, f, d in level["loops"] if d == dim)
            if factor > 1 and (dim is None or factor * used <= spec["shape"][dim] or factor > rest):
                level["loops"].insert(r.randint(0, len(level["loops"])), [loop, factor, dim])
                rest = -(-rest // factor)


def dress(r, case, nest):
    """Skews, joined loops and what bypasses."""
    for level, spec in zip(nest, case["levels"]):
        for key in ("skew", "joined", "bypass"):
            level.pop(key, None)
        if spec.get("links") and r.random() < 0.5:
            level["skew"] = [r.choice([0, 1, 1, 1, -1, -1, 2, -2, 3]) for _ in spec["shape"]]
        bypassed = [t for t in spec.get("may_bypass", []) if r.random() < 0.5]
        level.update({"bypass": bypassed} if bypassed else {})
    for n, (level, spec) in enumerate(zip(nest, case["levels"])):
        if "memory" in spec and r.random() < 0.2 and any("skew" in inner for inner in nest[n:]):
            level["joined"] = r.randint(0, len(level["loops"]))
    return nest


def change(r, case, nest):
    """One step away."""
    nest = copy.deepcopy(nest)
    kind, level, other = r.random(), r.choice(nest), r.randrange(len(nest))
    if kind < 0.35 or not level["loops"]:
        place_loop(r, case, nest, r.choice(list(extents(case))))
    elif kind < 0.6:
        level["loops"].insert(r.randint(0, len(level["loops"]) - 1), level["loops"].pop(r.randrange(len(level["loops"]))))
    elif kind < 0.75:  # a part of a factor goes elsewhere
        entry, spec = r.choice(level["loops"]), case["levels"][other]
        part = r.choice([f for f in range(2, entry[1] + 1) if entry[1] % f == 0])
        entry[1] //= part
        dim = r.randrange(len(spec["shape"])) if "array" in spec else None
        there = nest[other]["loops"]
        same = [e for e in there if e[0] == entry[0] and e[2] == dim and e is not entry]
        if same:
            same[0][1] *= part
        else:
            there.insert(r.randint(0, len(there)), [entry[0], part, dim])
        level["loops"] = [e for e in level["loops"] if e[1] > 1]
    else:
        dress(r, case, nest)
    return nest


def nest_text(nest):
    text = "name: nest\nloops:\n"
    for level in nest:
        is_array = "skew" in level or any(d is not None for _, _, d in level["loops"])
        loops = ", ".join(f"{l} {f}" + (f" -> {d}" if is_array else "") for l, f, d in level["loops"])
        rest = "".join(f"    {key}: {json.dumps(level[key])}\n" for key in ("joined", "bypass", "skew") if key in level)
        if loops or rest or level is nest[0]:
            text += f"  - at: {level['at']}\n    {'parallel' if is_array else 'for'}: [{loops}]\n{rest}"
    return text


def read_nest(case, text):
    """A nest that the library wrote."""
    nest = [{"at": name_of(spec), "loops": []} for spec in case["levels"][:-1]]
    for line in text.splitlines():
        key, _, value = line.strip(" -").partition(": ")
        if key == "at":
            level = next(level for level in nest if level["at"] == value)
        elif key in ("for", "parallel"):
            level["loops"] = [[loop, int(f), int(d) if d else None]
                              for loop, f, d in re.findall(r"(\w+) (\d+)(?: -> (\d+))?", value) if f != "1"]
        elif key in ("skew", "joined"):
            level[key] = json.loads(value)
        elif key == "bypass":
            level[key] = re.findall(r"\w+", value)
    return nest
