#!/usr/bin/env python3
"""Pages of what the library has: its workloads and networks on its machines, under its dataflows and under the best
mappings, in an order that the seed gives. Each page is written; where a window is all of a run, its words by register,
links and memories are the volumes; each picture is well-formed. What a machine cannot run has to be refused with words.

usage: survey.py SATOR [SECONDS [SEED]]
"""
import collections
import json
import random
import subprocess
import sys
import time
import xml.dom.minidom

SATOR = sys.argv[1]
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 120
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else int(time.time())
PICTURES = ("machine", "array", "roofline", "energy", "tree")
wrong, refused, pages = [], collections.Counter(), 0


def run(*words):
    try:
        done = subprocess.run([SATOR, *words], capture_output=True, text=True, timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return 124, "", "no end within five minutes"
    return done.returncode, done.stdout, done.stderr


def look_at_windows(name, page):
    for result in page["results"]:
        if result["no_window"]:
            wrong.append((name, result["no_window"]))
    for window in page["windows"]:
        if not (window["at_start"] and window["at_end"]):
            continue
        tensors = page["results"][window["result"]]["json"]["tensors"]
        for traced, counted in zip(window["tensors"], tensors):
            words = collections.Counter()
            runs, starts = traced["runs"], traced["starts"]
            for pattern in traced["patterns"]:
                for i in range(6 * starts[pattern], 6 * starts[pattern + 1], 6):
                    words[window["sources"][runs[i + 2]]["kind"]] += runs[i + 1]
            found = [words["register"], words["link"] + words["bus"], words["memory"]]
            volumes = [int(counted[k]) for k in ("temporal_reuse", "spatial_reuse", "unique_volume")]
            if found != volumes:
                wrong.append((name, f"words of {traced['name']}: {found}, volumes {volumes}"))


def look_at(words):
    global pages
    name = " ".join(words)
    code, text, said = run("report", *words, "--json", "--stamps", "4")
    if code not in (0, 3) or not text.strip():  # 3: the best that was found in time
        refused[said.split("error:")[-1].split("\n")[0].strip()[:80]] += 1
        if code not in (0, 1, 3, 4) or not said:
            wrong.append((name, f"exit {code}: {said[:200]}"))
        return
    pages += 1
    look_at_windows(name, json.loads(text))
    for picture in PICTURES:
        code, text, said = run("report", *words, "--svg", picture, "--stamps", "4")
        try:
            if code in (0, 3):
                xml.dom.minidom.parseString(text)
            elif not said:
                wrong.append((name, f"no {picture}, and no word why"))
        except Exception as error:  # whatever the parser has to say
            wrong.append((name, f"{picture}: {error}"))


def main():
    library = json.loads(run("list", "--json")[1])
    names = {kind: [entry["name"] for entry in library[kind]] for kind in library}
    nests = names["workloads"] + names["networks"]
    given = [[w, "--arch", a, "-d", d] for a in names["archs"] for d in names["dataflows"] for w in nests
             if w.startswith(d.split("/")[0])]
    mapped = [[w, "--arch", a, "--budget", "2"] for w in nests for a in names["archs"]]
    shuffle = random.Random(SEED)
    shuffle.shuffle(given)
    shuffle.shuffle(mapped)
    begin = time.time()
    for pair in zip(given, mapped):
        for words in pair:
            if time.time() - begin < SECONDS:
                look_at(words)
    for name, what in wrong:
        print(f"FAILED: {name}: {what}")
    for what, times in refused.most_common(8):
        print(f"refused {times} times: {what}")
    print(f"seed {SEED}: {pages} pages, {len(wrong)} wrong")
    return 1 if wrong else 0


sys.exit(main())
