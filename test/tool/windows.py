#!/usr/bin/env python3
"""usage: windows.py SATOR [DATAFLOW...]

For each dataflow of the library (or those named), with small extents on the first machine of the library that takes it,
those with links before others: a window in the midst of the run and the whole run, as `sator report --json` traces
them word by word, against `sator analyze`, which counts. The words of a window are those of the stamps up to its last
less those of the stamps before its first: `where` restricts the analysis to them. SATOR_TEST_SHARE=N looks at one
dataflow in N, SATOR_TEST_SEED says at which."""
import functools
import json
import os
import re
import subprocess
import sys

SATOR = sys.argv[1]
SMALL = (9, 10, 6, 5, 3, 3, 2, 2, 2)  # extents of the loops, as far as they have so many
MOST_STAMPS = 3000
wrong, compared, refused = [], 0, []


def run(*words):
    done = subprocess.run([SATOR, *words, "-q"], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


@functools.cache
def sizes_of(workload):
    sizes = re.search(r"^ *sizes: \{(.*)\}", run("show", workload) or "", re.M)
    return [] if sizes is None else [s.split(": ") for s in sizes.group(1).split(", ")]


def find_case(dataflow, workload, archs):
    """The words of a command that the dataflow, the workload and a machine go together in."""
    sizes = sizes_of(workload)
    small = ",".join(f"{name}={min(int(n), SMALL[i])}" for i, (name, n) in enumerate(sizes))
    for extents in (small, None):
        for arch in archs:
            words = [f"{workload}:{extents}" if extents else workload, "--arch", arch, "-d", dataflow]
            text = run("analyze", *words, "--json")
            if text is not None:
                return words, json.loads(text)
    return None, None


def workloads_for(dataflow, workloads):
    """Those whose loops the dataflow names, its own family's first."""
    used = set(re.findall(r"[a-z]\w*", " ".join(re.findall(r'(?:space|time): "\w*(\[.*\])"', run("show", dataflow) or ""))))
    family = dataflow.split("/")[0]
    fitting = [w for w in workloads if used - {"shape", "floor"} <= {name for name, _ in sizes_of(w)}]
    return [w for w in fitting if w == family] or [w for w in fitting if w.startswith(family)] or fitting


def volumes(result):
    return [[int(t[k]) for k in ("temporal_reuse", "spatial_reuse", "unique_volume")] for t in result["tensors"]]


def traced(window):
    kinds = {"register": 0, "link": 1, "bus": 1, "memory": 2}
    found = []
    for t in window["tensors"]:
        words = [0, 0, 0]
        for p in t["patterns"]:
            for r in range(6 * t["starts"][p], 6 * t["starts"][p + 1], 6):
                words[kinds[window["sources"][t["runs"][r + 2]]["kind"]]] += t["runs"][r + 1]
        found.append(words)
    return found


def before(time, stamp, last):
    """The condition that a time-stamp comes before "stamp", or is it ("last")."""
    parts = []
    for i, number in enumerate(stamp):
        equal = [f"{time[k]} = {stamp[k]}" for k in range(i)]
        sign = "<=" if last and i == len(stamp) - 1 else "<"
        parts.append("(" + " and ".join(equal + [f"{time[i]} {sign} {number}"]) + ")")
    return " or ".join(parts)


def split(text):
    """The expressions of T[a, f(b, c), d]."""
    parts, depth, begin = [], 0, text.index("[") + 1
    for i in range(begin, text.rindex("]") + 1):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0 and text[i] in ",]":
            parts.append(text[begin:i].strip())
            begin = i + 1
    return parts


def count_before(words, time, stamp, last):
    text = run("analyze", *words, "--json", "--set", f"where={before(time, stamp, last)}")
    return None if text is None else volumes(json.loads(text))


def look_at(words, whole):
    global compared
    n = int(whole["time_stamps"])
    page = json.loads(run("report", *words, "--json", "--stamps", str(min(n, MOST_STAMPS))) or "null")
    if page is None or not page["windows"]:
        return "no window"
    window = page["windows"][0]
    n_time, stamps, time = window["n_time"], window["stamps"], split(whole["dataflow"]["time"])
    if window["at_end"]:
        compared += 1
        if traced(window) != volumes(whole):
            wrong.append((words, "all stamps", traced(window), volumes(whole)))
    n = len(stamps) // n_time
    first, some = n // 3, max(1, n // 4)
    at = lambda i: stamps[i * n_time:(i + 1) * n_time]
    begin = f"T[{','.join(map(str, at(first)))}]"
    page = json.loads(run("report", *words, "--json", "--from", begin, "--stamps", str(some)))
    until, gone = count_before(words, time, at(first + some - 1), True), count_before(words, time, at(first), False)
    if until is None or (gone is None and first > 0):
        return "no condition says its stamps"
    gone = gone or [[0, 0, 0]] * len(until)
    counted = [[a - b for a, b in zip(u, g)] for u, g in zip(until, gone)]
    compared += 1
    if traced(page["windows"][0]) != counted:
        wrong.append((words, f"{some} stamps from {begin}", traced(page["windows"][0]), counted))
    return None


def main():
    library = json.loads(run("list", "--json"))
    archs = sorted([a["name"] for a in library["archs"]], key=lambda a: "links:" not in (run("show", a) or ""))  # arrows first
    workloads = [w["name"] for w in library["workloads"]]
    every, first = int(os.environ.get("SATOR_TEST_SHARE", "1")), int(os.environ.get("SATOR_TEST_SEED", "1"))
    for name in sys.argv[2:] or [d["name"] for d in library["dataflows"]][first % every::every]:
        words = None
        for workload in workloads_for(name, workloads):
            words, whole = find_case(name, workload, archs)
            if words is not None:
                break
        why = "no machine and workload of the library" if words is None else look_at(words, whole)
        if why is not None:
            refused.append(f"{name}: {why}")
    for line in refused:
        print("not compared:", line)
    for case, what, found, counted in wrong:
        print(f"WRONG: {' '.join(case)}, {what}: {found}, counted {counted}")
    print(f"{compared} windows, {len(wrong)} wrong")
    return 1 if wrong or len(refused) > compared // 20 else 0


sys.exit(main())
