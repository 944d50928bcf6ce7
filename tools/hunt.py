#!/usr/bin/env python3
"""Hunts for mappings that are better than what `sator map` calls the best, and for figures that disagree.

    tools/hunt.py [--seed N] [--cases N] [--case N] [--mappings N] [--budget SECONDS] [--sator PROGRAM]
                  [--reduce] [--out FOLDER]

It needs the Python package (`make python`; PYTHONPATH=build/python). A case draws a statement, a machine and what is
asked: objective, timing, --imperfect, constraints, a front. It has `sator.map` answer, and looks for better legal nests
by drawing them and by changing these, and the answer, step by step, with `sator.analyze` as the judge. Of the search it
knows what doc/mapper.md says of the map space, no more: a better nest is a fault unless the answer names what it uses
as left out, which is told from the nest itself (uses()); a phrase that PHRASES does not have is a fault. Compared, too,
of some nests: roofline and scheduled time; the execution and the analysis; the counting engines; `--why-not` (with
--sator) and the analysis; two threads and one; a certificate and its checker.

    --case N      this case alone; a case follows from the seed and its number
    --reduce      make what fails smaller, as long as it fails in the same way
    --out FOLDER  write workload.yaml, arch.yaml and nest.yaml of each fault to FOLDER/CASE, and do not print them
    --budget      for each search: what is slower is not proved, and only its bound is looked at (10)

Exit 3 when there was a fault. At the end, or at Ctrl-C: how many cases ended how, and how often better nests were excused by what.
"""
import argparse
import collections
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import traceback
import warnings

import sator

from hunt_draw import TENSORS, change, draw_case, draw_nest, extents, nest_text, read_nest

# What a phrase of "left_out" excuses, in the words of uses().
PHRASES = {
    "most mappings: their words have no formula, and each takes counting; the bound is of all": "",
    "factors that do not divide a loop's extent": "remainder",
    "most mappings with remainders: too many": "remainder",
    "most mappings with remainders at several levels": "deep remainder",
    "most mappings with remainders of loops whose words pass": "spread remainder",
    "remainders outside the innermost tiles of loops over links": "spread deep remainder",
    "remainders where links of several costs, or beside": "spread remainder",
    "factors larger than as many tiles need": "larger",
    "factors that multiply to more than a loop's extent and leave PEs idle": "apart",
    "most other orders of the loops that share an array dimension": "order",
    "loops on several array dimensions with an outer digit on a later": "digits",
    "PEs that run the nest at shifted times (skewed)": "skew",
    "skews that make no link a wire": "useless skew",
    "skews under which some words have no formula": "skew",
    "skewed arrays with a remainder of a loop that several memories split": "split skewed remainder",
    "skewed arrays with remainders where PEs run several stamps apart": "far skewed remainder",
    "skewed arrays with remainders where links bring words late": "late skewed remainder",
    "most mappings with remainders on skewed arrays": "skewed remainder",
    "skews along dimensions whose PEs share words on a bus or a tree": "skew beside buses",
    "what links bring late, or from PEs ahead": "late",
    "loops at a memory inside a skewed array that some tensor bypasses": "passed by",
    "skews of an array inside a skewed one": "two skews",
    "skews where PEs keep sums while idle": "idle skew",
    "skewed loops joined across a memory's tiles where windows hold or bring": "spares",
    "skewed loops joined across a memory's tiles": "joined",
    "orders of loops along a skewed dimension that move no fewer words": "skewed order",
    "skews by more stamps than the loops outside": "gaps",
    "skews by more than 3 stamps": "long skew",
    "skews by more stamps from one PE to the next than any link": "long skew",
    "skews beyond the first 64 combinations of coefficients": "skew",
    "more tiles along an array dimension than it has PEs": "beyond",
    "what control takes: mappings are compared without its energy": "",  # as here
    "nests with a loop twice at one memory or array dimension": "twice",
}


# ---- what a nest uses ----

def links_of(case, spec):
    """Steps and intervals of an array's links that serve a tensor of the statement; no step: it is not constant."""
    for link in spec.get("links", []):
        if any(f"{t}[" in case["workload"]["op"] for t in link.get("tensors", TENSORS)):
            to = re.search(r"-> \w+\[(.*)\]", link["map"]).group(1).split(",")
            constant = all(re.fullmatch(f"{x}([-+][0-9]+)?", at) for x, at in zip("ijk", to))
            yield [int(at[1:] or 0) for at in to] if constant else None, link.get("interval", 1)


def uses(case, nest, order):
    """What of a nest a phrase of "left_out" may name. "order": what the answer says of one that is kept."""
    used, sizes, specs = set(), extents(case), case["levels"]
    innermost = [level["at"] for level, spec in zip(nest, specs) if "memory" in spec][-1]
    is_spread = any(d is not None for level in nest for _, _, d in level["loops"])
    for loop, rest in sizes.items():
        for level in reversed(nest):
            for _, factor, dim in [entry for entry in level["loops"][::-1] if entry[0] == loop]:
                tiles = -(-rest // factor)
                if factor > rest:  # as a constraint may ask for: of a factor 2 one step is taken
                    used |= {"remainder", "larger"} if case["ask"].get("constraints") else set()
                    used |= {"apart"} if dim is not None or any("skew" in level for level in nest) else set()
                    rest = 1
                    continue
                if rest % factor:
                    kinds = ["remainder"] + ["deep remainder"] * (level["at"] != innermost)
                    used |= set(kinds) | {f"spread {kind}" for kind in kinds if is_spread}
                used |= {"larger"} if -(-rest // tiles) != factor else set()
                rest = tiles
    memory, skewed, asked = 0, [], False
    for n, (level, spec) in enumerate(zip(nest, specs)):
        places = [(loop, dim) for loop, _, dim in level["loops"]]
        used |= {"twice"} if len(places) != len(set(places)) else set()
        if "memory" in spec:
            memory = n
            bypassed = spec.get("bypass") or spec.get("may_bypass") or spec.get("tensors")
            used |= {"passed by"} if (skewed or asked) and places and bypassed else set()
            continue
        asked |= any(re.match(rf"{level['at']}: skew .*[1-9]", c) for c in case["ask"].get("constraints", []))
        for loop in sizes:
            dims = [d for other, d in places if other == loop]
            used |= {"digits"} if dims != sorted(dims) else set()
        for dim in range(len(spec["shape"])):
            along = [loop for loop, d in places if d == dim]
            used |= {"order"} if along != sorted(along) else set()
            tiles = math.prod(factor for _, factor, d in level["loops"] if d == dim)
            used |= {"beyond"} if tiles > spec["shape"][dim] else set()
        skew = [s if any(d == dim for _, d in places) else 0 for dim, s in enumerate(level.get("skew", []))]
        if any(skew):
            used |= skew_uses(case, nest, memory, n, skew) | ({"two skews"} if skewed else set())
            skewed.append(n)
    if skewed:
        used |= {f"skewed {kind}" for kind in used & {"remainder", "order"}}
        used |= short_uses(case, nest, skewed, used) if "remainder" in used else set()
        used |= {"idle skew"} if any("holds" in spec for spec in specs) else set()
    outer = [(loop, f) for loop, f, _ in nest[0]["loops"]]
    spread = {loop for level in nest for loop, _, d in level["loops"] if d is not None}
    for rule in (order or "").split("; "):
        loop, whole, inner = rule.partition(" whole at ")
        if rule and (skewed or not whole and spread & set(rule.split()[2:])):
            used.add("no such order")
        if whole and sizes[loop] > 1 and ((loop, sizes[loop]) not in outer or any(
                l in inner.split()[2:] for l, _ in outer[:outer.index((loop, sizes[loop]))])):
            used.add("no such order")
    return used


def short_uses(case, nest, skewed, used):
    """What of a nest with remainders on skewed arrays, the levels "skewed", is in no space."""
    memory = max(n for n, spec in enumerate(case["levels"]) if "memory" in spec and n < skewed[0])
    found, short, late = set(), set(), False
    if used & {"late", "skew beside buses", "passed by"}:
        found.add("late skewed remainder")
    for loop, size in extents(case).items():
        entries = [(n, f, d) for n, level in enumerate(nest) for other, f, d in level["loops"] if other == loop]
        pes = math.prod(f for _, f, d in entries if d is not None)
        if math.prod(f for _, f, _ in entries) != size:
            short.add(loop)
            split = any(n < memory or (d is None and n != memory) for n, f, d in entries if f > 1)
            found |= {"split skewed remainder"} if split or len(skewed) > 1 else set()
        late |= any(n in skewed for n, f, d in entries if f > 1) and (loop not in short or (size - 1) % pes > 0)
    for n in skewed:
        skew = nest[n]["skew"]
        for dim, s in enumerate(skew):
            along = {loop for loop, f, d in nest[n]["loops"] if d == dim and f > 1}
            found |= {"split skewed remainder"} if s and len(along) > 1 and along & short else set()
        found |= {"far skewed remainder"} if any(abs(s) > 1 for s in skew) else set()
        if any(step is None or sum(map(abs, step)) > 1 for step, _ in links_of(case, case["levels"][n])):
            found.add("late skewed remainder")
    return found if late else found | {"far skewed remainder"}


def skew_uses(case, nest, memory, at, skew):
    spec, loops = case["levels"][at], nest[at]["loops"]
    used, useful, longest = {"skew"}, set(), 0
    for step, interval in links_of(case, spec):
        if step is None:
            used |= {"skew beside buses"}
            continue
        seen = interval - sum(s * o for s, o in zip(skew, step))
        used |= {"late"} if seen not in (0, 1) else set()
        useful |= {dim for dim, o in enumerate(step) if o and seen in (0, 1)}
        longest = max(longest, interval)
    used |= {"useless skew"} if any(s and dim not in useful for dim, s in enumerate(skew)) else set()
    used |= {"skew beside buses"} if spec.get("multicast") or spec.get("reduction") else set()
    used |= {"long skew"} if max(map(abs, skew)) > min(longest, 3) else set()
    used |= {"joined"} if any(level.get("joined") for level in nest[:memory]) else set()
    values = set(range(math.prod(f for _, f, _ in nest[memory]["loops"])))
    for dim, s in enumerate(skew):
        values = {v + s * p for v in values for p in range(math.prod(f for _, f, d in loops if d == dim))}
    return used | ({"gaps"} if len(values) <= max(values) - min(values) else set())


def satisfies(case, nest, constraint):
    at, _, what = constraint.partition(": ")
    if at.startswith("utilization"):
        arrays = [(level, spec) for level, spec in zip(nest, case["levels"]) if "array" in spec]
        share = math.prod(f for level, _ in arrays for _, f, _ in level["loops"]) / \
            math.prod(x for _, spec in arrays for x in spec["shape"])
        return share >= float(at.split()[1]) - 1e-9
    level = next(level for level in nest if level["at"] == at)
    words, names = what.split(), [loop for loop, _, _ in level["loops"]]
    if words[0] == "skew":
        skew = level.get("skew", [0] * len(words))
        return all(s == int(word) for dim, (s, word) in enumerate(zip(skew, words[1:]))
                   if any(d == dim for _, _, d in level["loops"]))
    if words[0] == "only":
        return set(names) <= set(words)
    if words[0] == "order":
        named = [word for word in words[1:] if word in names]
        rest = [name for name in names if name not in named]
        return names == (rest + named if words[1] == "..." else named + rest) if "..." in words else \
            [name for name in names if name in named] == named
    dim = int(words[-1]) if "->" in words else None
    factor = math.prod(f for loop, f, d in level["loops"] if loop == words[0] and dim in (None, d))
    limit = int(words[2 if "=" in words[1] else 1])
    return factor <= limit if words[1] == "<=" else factor >= limit if words[1] == ">=" else factor == limit


# ---- judging ----

class Fault(Exception):
    """kind, text, nest"""


def without_control(answer):
    """The energy that mappings are compared by."""
    control = answer.to_dict().get("control", {})
    return answer.energy_pj - control.get("fetch_pj", 0) - control.get("reorder_pj", 0)


class Case:
    def __init__(self, fields, options):
        self.fields, self.ask, self.options = fields, fields["ask"], options
        self.workload = sator.Workload("w", **fields["workload"])
        self.arch = sator.Arch("x", fields["levels"], **fields["machine"])
        self.excused, self.order, self.tally = {"twice", "no such order"}, None, collections.Counter()
        self.is_open = "budget_seconds" in self.ask  # of equal values the other figure may not decide

    def analyze(self, nest, timing=None, **more):
        """Energy and cycles, which are None where the scheduled time is not counted; None: not legal."""
        timing = timing or self.ask["timing"]
        try:
            flow = sator.Dataflow.from_text(nest_text(nest))
            times = (result := sator.analyze(self.workload, self.arch, flow, timing=timing, **more))["latency_cycles"]
        except (sator.InputError, sator.DeclinedError, sator.LimitError, sator.InfeasibleError):
            return None
        if times["scheduled"] is not None and times["scheduled"] < times["roofline"] - 1e-9:
            raise Fault("times", f"scheduled {times['scheduled']}, roofline {times['roofline']}", nest)
        return without_control(result), times[timing]

    def value(self, figures):
        energy, cycles = figures or (None, None)
        return math.inf if cycles is None else {"edp": energy * cycles, "energy": energy, "latency": cycles}[
            self.ask["objective"]]

    def search(self, **more):
        return sator.map(self.workload, self.arch, **{"budget_seconds": self.options.budget, **self.ask, **more})

    def run(self, r):
        self.front, self.limit = [], math.inf
        try:
            found = self.search()
        except sator.InfeasibleError as error:
            self.excused |= set(PHRASES.values())
            self.blame(str(error))
        else:
            self.front = list(found) if self.ask["pareto"] else [found]
            for mapping in self.front:
                self.read(mapping)
            if self.ask["pareto"] and not found.complete:
                return "unfinished"
        self.hunt(r)
        if self.front and not self.ask["pareto"]:
            self.compare(r, self.front[0])
        return "infeasible" if not self.front else "proved" if all(m.proved for m in self.front) else "bounded"

    def blame(self, text):
        """Without a constraint of which it is said there have to be mappings."""
        for spared in re.findall("without '([^']*)' there are valid mappings", text):
            try:
                self.search(constraints=[c for c in self.ask["constraints"] if c != spared])
            except sator.InfeasibleError:
                raise Fault("conflict", text, None) from None
            self.tally["spared a constraint"] += 1

    def read(self, mapping):
        told = mapping.to_dict()
        self.is_open |= any(phrase.startswith("most ") for phrase in told["certificate"]["left_out"])
        for phrase in told["certificate"]["left_out"]:
            known = [start for start in PHRASES if phrase.startswith(start)]
            if not known:
                raise Fault("phrase", f"what is left out by '{phrase}'?", None)
            self.excused.add(PHRASES[known[0]])
        nest = read_nest(self.fields, told["dataflow"]["yaml"])
        own, said = self.analyze(nest, told["timing"]), (without_control(mapping), mapping.total_cycles)
        if own is None or any(a is not None and abs(a - b) > 1e-9 * b for a, b in zip(own, said)):
            raise Fault("figures", f"the answer says {said}, analyze {own}", nest)
        if not all(satisfies(self.fields, nest, constraint) for constraint in self.ask.get("constraints", [])):
            raise Fault("constraint", "the answer does not satisfy the constraints", nest)
        self.limit, self.order = told["certificate"]["bound"] or 0, told.get("order")

    def is_better(self, figures):
        if self.ask["pareto"] and self.front:
            return figures is not None and not any(without_control(m) <= figures[0] * (1 + 1e-9) and
                                                   m.total_cycles <= figures[1] * (1 + 1e-9) for m in self.front)
        value, best = self.value(figures), self.front[0] if self.front else None
        if value < self.limit * (1 - 1e-9):
            return True
        # equal values are decided by the other figure, where it is searched to the end, and has a closed form
        is_open = self.is_open or (self.ask["objective"], self.ask["timing"]) == ("energy", "scheduled")
        if value > self.limit * (1 + 1e-12) or math.isinf(value) or not best or not best.proved or is_open:
            return False
        energy_decides = self.ask["objective"] == "latency"
        own = without_control(best) if energy_decides else best.total_cycles
        return figures[0 if energy_decides else 1] < own * (1 - 1e-9)

    def judge(self, nest):
        """Its value; a fault if it should have been found; infinite where it should not."""
        if not all(satisfies(self.fields, nest, constraint) for constraint in self.ask.get("constraints", [])):
            return math.inf
        figures = self.analyze(nest)
        self.tally["nests"] += figures is not None
        if not self.is_better(figures):
            return self.value(figures)
        used = uses(self.fields, nest, self.order)
        if "joined" in used:
            apart = self.analyze([{key: v for key, v in level.items() if key != "joined"} for level in nest])
            used |= {"spares"} if apart is None or apart[0] > figures[0] else set()
        if not used & self.excused:
            best = [(without_control(m), m.total_cycles) for m in self.front]
            raise Fault("better", f"{figures} beats {best or 'none'} ({', '.join(sorted(used)) or 'plain'})", nest)
        self.tally[f"excused: {', '.join(sorted(used & self.excused))}"] += 1
        return math.inf

    def in_question(self, nest):
        """The nest without skews where all of these are left out."""
        gone = ("skew", "joined") if "skew" in self.excused else ()
        return [{key: value for key, value in level.items() if key not in gone} for level in nest]

    def hunt(self, r):
        """Climb from the answer, from the answer to another question about the same machine, and from drawn nests."""
        other = {"objective": r.choice(["edp", "energy", "latency"]), "pareto": False,
                 "timing": r.choice(["roofline", "scheduled"])}
        answers = self.front[:1] + [self.search(**other)] if self.front else []
        for climb in range(4):
            nest = self.in_question(draw_nest(r, self.fields))
            if climb < len(answers):
                nest = read_nest(self.fields, answers[climb].to_dict()["dataflow"]["yaml"])
            best = self.judge(nest)
            for _ in range(self.options.mappings // 4):
                other = draw_nest(r, self.fields) if best == math.inf else change(r, self.fields, nest)
                other = self.in_question(change(r, self.fields, other) if r.random() < 0.3 else other)
                if (value := self.judge(other)) <= best:
                    best, nest = value, other
            if best < math.inf:
                self.disagree(r, nest)

    def disagree(self, r, nest):
        """What several parts of the project say of one nest."""
        kind = r.random()
        if kind < 0.3:
            try:
                run = sator.simulate(self.workload, self.arch, sator.Dataflow.from_text(nest_text(nest)))
            except sator.SatorError:
                return
            self.tally["executed"] += 1
            if not run.agrees:
                raise Fault("executed", str(run.differences[:3]), nest)
        elif kind < 0.5:
            engine = r.choice(["closed", "tiled", "listed", "general"])
            figures, own = self.analyze(nest, "roofline"), self.analyze(nest, "roofline", engine=engine)
            self.tally[f"counted by {engine}"] += own is not None
            if own not in (None, figures):
                raise Fault("engine", f"{engine} says {own}, not {figures}", nest)
        elif kind < 0.6 and self.options.sator and not self.ask["pareto"]:
            with tempfile.TemporaryDirectory() as folder:
                command = write_files(self.fields, nest, folder) + ["--why-not", f"{folder}/nest.yaml"]
                try:
                    said = subprocess.run([self.options.sator, *command], capture_output=True, text=True,
                                          timeout=self.options.budget, check=False)
                except subprocess.TimeoutExpired:
                    return
            self.tally["asked why not"] += 1
            if said.returncode != (0 if self.analyze(nest) else 3):
                raise Fault("why-not", f"exit {said.returncode}: {said.stdout}{said.stderr}", nest)
            times = re.search(r" ([0-9.e+-]+) times the best mapping's", said.stdout)
            if times and float(times[1]) < 1 and "not in the space searched" not in said.stdout:
                raise Fault("why-not", said.stdout, nest)

    def compare(self, r, found):
        if not found.proved:
            return
        nest = found.to_dict()["dataflow"]["yaml"]
        timed = "budget_seconds" in self.ask  # then which of equal mappings is found may be a matter of time
        if not timed and r.random() < 0.1 and (again := self.search(threads=2)).proved and \
                again.to_dict()["dataflow"]["yaml"] != nest:
            raise Fault("threads", again.to_dict()["dataflow"]["yaml"], read_nest(self.fields, nest))
        if r.random() < 0.3 and self.ask["timing"] == "roofline":
            with tempfile.TemporaryDirectory() as folder:
                try:
                    self.search(certificate=f"{folder}/why.cert")
                except sator.InputError:
                    return
                checked = sator.check(f"{folder}/why.cert")
            self.tally[f"certificates that {'hold' if checked.holds else 'hold in part'}"] += 1


# ---- cases ----

def write_files(fields, nest, folder):
    """What the case is about, and the arguments of `sator` that ask it."""
    os.makedirs(folder, exist_ok=True)
    ask, levels = fields["ask"], "".join(f"  - {json.dumps(level)}\n" for level in fields["levels"])
    workload, machine = ("".join(f"{key}: {json.dumps(value)}\n" for key, value in fields[kind].items())
                         for kind in ("workload", "machine"))
    for name, text in ("workload", f"name: w\n{workload}"), ("arch", f"name: x\n{machine}levels:\n{levels}"), \
            ("nest", nest_text(nest) if nest else ""):
        with open(f"{folder}/{name}.yaml", "w", encoding="utf-8") as file:
            file.write(text)
    command = ["map", f"{folder}/workload.yaml", "--arch", f"{folder}/arch.yaml", "--timing", ask["timing"]]
    command += ["--pareto", "energy,latency"] if ask["pareto"] else ["--objective", ask["objective"]]
    for constraint in ask.get("constraints", []):
        command += ["--constraint", constraint]
    return command + ["--imperfect"] * ask["imperfect"]


def outcome(fields, seed, options):
    """How a case ends, which runs in a process of its own: a word, a tally; of a fault its kind, text and nest."""
    read, write = os.pipe()
    sys.stdout.flush()
    if os.fork() == 0:
        signal.alarm(60 + 3 * options.budget)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        said = ["fault", {}, "crash", "", None]
        try:
            warnings.simplefilter("ignore")
            case = Case(fields, options)
            said = [case.run(random.Random(seed)), case.tally, None, "", None]
        except Fault as fault:
            said = ["fault", case.tally, *fault.args]
        except (sator.InputError, sator.LimitError) as error:
            first = str(error).split("error: ")[-1].split("\n")[0]
            said = ["declined: " + re.sub(r"\d+|'[^']*'", "#", first)[:90], {}, None, "", None]
            if first == "the work limit was reached":  # which of them, and what to do about it?
                said = ["fault", {}, "limit", first, None]
        except Exception:
            said[3] = traceback.format_exc()
        finally:
            with os.fdopen(write, "w", encoding="utf-8") as pipe:
                json.dump(said, pipe)
            os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        text = pipe.read()
    ended = os.wait()[1]
    if ended == signal.SIGALRM:
        return ["too slow", {}, None, "", None]
    return json.loads(text) if ended == 0 else ["fault", {}, "crash", f"ended by signal {ended & 127}", None]


def simpler(value):
    """Values a little simpler than this one."""
    if isinstance(value, dict):
        yield from ({k: v for k, v in value.items() if k != key} for key in value)
        yield from ({**value, key: less} for key in value for less in simpler(value[key]))
    elif isinstance(value, list):
        yield from (value[:n] + value[n + 1:] for n in range(len(value)))
        yield from (value[:n] + [less] + value[n + 1:] for n in range(len(value)) for less in simpler(value[n]))
    elif isinstance(value, bool):
        yield from [False] * value
    elif isinstance(value, (int, float)) and value > 1:
        yield from sorted({1, value // 2, value - 1})
    elif isinstance(value, str) and re.search("^not | and | or ", value):
        yield from re.split(" and | or ", value.removeprefix("not "))
    elif isinstance(value, str) and "+=" in value:
        yield re.sub(r" \* \w\[[^\]]*\]$", "", value)
        for found in re.finditer(r"(?<=[\[,])[^\],]*,|,[^\],]*(?=\])", value):
            yield value[:found.start()] + value[found.end():]
        for found in re.finditer(r"[^\[\],]*[-+*%/][^\[\],]*(?=[\],])", value):
            yield from (value[:found.start()] + x + value[found.end():] for x in sorted(set(re.findall("[i-m]", found[0]))))


def reduce(fields, fault, options):
    seen = set()
    while True:
        for less in simpler(fields):
            whole = fields.keys() == less.keys() and fields["ask"].keys() - {"constraints"} <= less["ask"].keys()
            if whole and str(less) not in seen:
                seen.add(str(less))
                said = [s for s in (outcome(less, seed, options) for seed in range(2)) if s[2] == fault[2]]
                if said and not said[0][3].startswith("Traceback"):
                    fields, fault = less, said[0]
                    break
        else:
            return fields, fault


def show(words, tally):
    """How it went, and the end: also when Ctrl-C is pressed."""
    for word, n in sorted(words.items()) + sorted(tally.items()):
        print(f"{n:9,} {word}")
    sys.exit(3 if words["fault"] else 0)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name, default in ("seed", 1), ("cases", 100), ("case", None), ("mappings", 160), ("budget", 10):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--sator")
    parser.add_argument("--out")
    parser.add_argument("--reduce", action="store_true")
    options = parser.parse_args()
    words, tally = collections.Counter(), collections.Counter()
    signal.signal(signal.SIGINT, lambda *_: show(words, tally))
    for number in range(options.cases) if options.case is None else [options.case]:
        fields = draw_case(random.Random(options.seed * 1000003 + number))
        fault = outcome(fields, number, options)
        if fault[2] is not None and options.reduce:
            fields, fault = reduce(fields, fault, options)
        words[fault[0]] += 1
        tally.update(fault[1])
        if fault[2] is not None:
            print(f"case {number}: {fault[2]}: {fault[3]}")
            with tempfile.TemporaryDirectory() as work:
                folder = f"{options.out}/{number}" if options.out else work
                print("  sator " + " ".join(f"'{w}'" if " " in w else w for w in write_files(fields, fault[4], folder)))
                for name in ("workload", "arch", "nest") if not options.out else ():
                    with open(f"{folder}/{name}.yaml", encoding="utf-8") as file:
                        print(f"--- {name}.yaml\n{file.read()}", end="", flush=True)
    show(words, tally)


if __name__ == "__main__":
    main()
