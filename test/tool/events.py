#!/usr/bin/env python3
"""usage: events.py SATOR

What a page shows is what happens: the words that `sator report` draws as arrows, stamp by stamp (which PE gets which
element of which tensor over which link from which PE), are the moves over links that `sator simulate --events` records
while it carries the dataflow out, values and all."""
import json
import os
import subprocess
import sys
import tempfile

SATOR = sys.argv[1]
CASES = [
    "gemm:i=9,j=10,k=6 --arch systolic-2d-8x8 -d gemm/ij-p_j-ijk-t",
    "gemm:i=9,j=10,k=6 --arch systolic-2d-8x8 -d gemm/ik-p_k-ijk-t",
    "gemm:i=9,j=10,k=6 --arch mesh-8x8 -d gemm/ij-p_j-ijk-t",
    "gemm:i=5,j=7,k=4 --arch systolic-2d-8x8 --space i,j --time i+j+k",
    "gemm:i=12,j=9,k=5 --arch tpu-8x8 --space k%8,j%8 --time k/8,j/8,i+k%8+j%8",
    "mttkrp:i=9,j=6,k=5,l=3 --arch systolic-2d-8x8 --space i%8,j%8 --time i/8,k,l,i%8+j%8",
    "conv1d:k=9,c=10,ox=5,rx=3 --arch systolic-2d-8x8 --space k%8,c%8 --time k/8,c/8,rx,ox+k%8+c%8",
    "conv2d:k=9,c=5,ox=4,oy=4,rx=3,ry=3 --arch systolic-2d-8x8 --space k%8,ox%8 --time k/8,c,rx,ry,oy+k%8+ox%8",
]


def run(*words):
    return subprocess.run([SATOR, *words, "-q"], capture_output=True, text=True, check=False)


def recorded(words):
    """{stamp: moves over links} of the execution, and the shape of the arrays."""
    handle, path = tempfile.mkstemp()
    os.close(handle)
    done = run("simulate", *words, "--events", path)
    with open(path, encoding="utf-8") as file:
        head, *lines = [json.loads(line) for line in file]
    os.remove(path)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    names = [(a["tensor"], a["role"]) for a in head["accesses"]]
    moves = {}
    for line in lines:
        for access, kind, _, to, _, by, element, *link in line["moves"]:
            if kind == "link":
                moves.setdefault(tuple(line["stamp"]), set()).add((*names[access], to, by, tuple(element), link[0]))
    return moves


def coordinates(extents, origin, number):
    at = []
    for extent in reversed(extents):
        at.insert(0, number % extent)
        number //= extent
    return tuple(a + o for a, o in zip(at, origin))


def drawn(words):
    """The same of the page's window, which has to be all of the run."""
    done = run("report", *words, "--json", "--stamps", "100000")
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr}")
    window = json.loads(done.stdout)["windows"][0]
    assert window["at_start"] and window["at_end"], words
    n_time, moves = window["n_time"], {}
    for t in window["tensors"]:
        for s, (pattern, shift) in enumerate(zip(t["patterns"], t["shifts"])):
            stamp = tuple(window["stamps"][s * n_time:(s + 1) * n_time])
            for r in range(6 * t["starts"][pattern], 6 * t["starts"][pattern + 1], 6):
                pe, length, source, element, step, away = t["runs"][r:r + 6]
                if window["sources"][source]["kind"] != "link":
                    continue
                for i in range(length):
                    where = coordinates(t["extents"], t["origin"], element + shift + i * step)
                    moves.setdefault(stamp, set()).add(
                        (t["name"], t["role"], pe + i, pe + i + away, where, window["sources"][source]["name"]))
    return moves


def main():
    wrong = arrows = 0
    for case in CASES:
        words = case.split()
        happened, shown = recorded(words), drawn(words)
        arrows += sum(len(moves) for moves in shown.values())
        for stamp in sorted(set(happened) | set(shown)):
            only = sorted(happened.get(stamp, set()) ^ shown.get(stamp, set()))
            if only:
                wrong += 1
                print(f"{case}: T{list(stamp)}: only in one of both: {only[:3]}")
                break
    print(f"{len(CASES)} executions, {arrows} words over links, {wrong} wrong")
    return 1 if wrong or arrows < 5000 else 0


sys.exit(main())
