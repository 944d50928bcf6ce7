#!/usr/bin/env python3
"""Makes small changes in C files and says which ones no test notices.

    tools/mutants.py [-n COUNT] [-s SEED] [-b FOLDER] [-j JOBS] [-t TESTS] [-l SECONDS] [-m SECONDS]
                     [--again] [--open] [--list] [PLACE ...]

A PLACE is a folder, a file, or FILE:FROM-TO, with =N after it where N changes of it are asked for; without one,
src/count, model, mapper, explore, simulate and certificate. A change is a comparison that takes or leaves equality, a sign, a factor or divisor left out, a constant one greater, && for ||, a
condition negated, a call or assignment left out, fmin for fmax (or the like), a returned truth value. COUNT of them
(0: all) are drawn with the seed: as many from each place without a number, and there as many of each kind.

All changes are in one build of a copy of the tree, in FOLDER (build/mutants): each is an expression
"changed(ID) ? after : before", and the environment says which ID is on. A first run of every test without a change tells
its time and which changes it comes by; then each change is met with these tests alone, quickest first, up to the first
that fails, crashes, or takes ten times as long as it should. Changes that no test comes by are "unreached".

    -t TESTS      names of tests (ctest) as a regular expression; without it, all but those of packages, pages, faults
    -l SECONDS    leave out tests that take longer (60 of processor time)
    -m SECONDS    spend no more than this on one change (600)
    -j JOBS       so many tests at a time (2)
    --again       of the draw only what survived the run before in FOLDER (after tests or sources have changed)
    --open        only what test/mutants.md lists without a reason; where its function is in no file any more is said
    --list        print the changes that are drawn, and end

Prints a line for each change: killed (by which test), SURVIVED, unreached, or "equivalent" where test/mutants.md has its
line (place, function, change) with a reason. FOLDER/results.json has the same. Exit 3 when any survived.
SATOR_TEST_SHARE and others of the tests' variables are handed on; by default a run takes an eighth of the random programs.
"""
import argparse
import hashlib
import json
import os
import pickle
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
PLACES = ["src/count", "src/model", "src/mapper", "src/explore", "src/simulate", "src/certificate"]
TABLE = "test/mutants.md"
# Tests of the package, of pages, and of faults: they say nothing about numbers, or need another build.
OTHER = r"layers|headers|guards|exports|install|debian|instructions|python_.*|report_.*|oom|io_faults|cli_demo"
SWAP = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+",
    "+=": "-=", "-=": "+=", "|=": "=", "*=": "=", "/=": "*=",
}
KIND = {"<": "equality", "<=": "equality", ">": "equality", ">=": "equality", "==": "comparison", "!=": "comparison",
        "&&": "logic", "||": "logic"}
# Without these a test of a release build notices nothing: memory is not given back.
QUIET = re.compile(r"\w*(free|destroy|release|close|unref|drop|clear)\w*$")
PAIRS = [(b"fmin", b"fmax"), (b"min", b"max"), (b"lesser", b"greater"), (b"mapper_lesser", b"mapper_greater"),
         (b"true", b"false")]
NAMES = dict(PAIRS) | {b: a for a, b in PAIRS}

MUTANT_H = """#ifndef SATOR_CHANGED_H
#define SATOR_CHANGED_H
extern int sator_changed_id;
extern unsigned char *sator_changed_seen;
static inline int sator_changed(int id)
{
    sator_changed_seen[id] = 1;
    return sator_changed_id == id;
}
#endif
"""
MUTANT_C = """#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static unsigned char nowhere[%(size)d];
int sator_changed_id = -1;
unsigned char *sator_changed_seen = nowhere;
__attribute__((constructor)) static void start(void)
{
    const char *id = getenv("SATOR_CHANGED"), *seen = getenv("SATOR_CHANGED_SEEN");
    if (id)
        sator_changed_id = atoi(id);
    int file = seen ? open(seen, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *at = mmap(NULL, %(size)d, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at != MAP_FAILED)
        sator_changed_seen = at;
    close(file);
}
"""


class Change:
    """One change of the bytes [begin, end) of a file: "after" takes their place; a statement is left out (None)."""

    def __init__(self, kind, begin, end, after, function, line, text, shown):
        self.kind, self.begin, self.end, self.after = kind, begin, end, after
        self.function, self.line, self.text, self.shown = function, line, text, shown
        self.file, self.id = None, None

    def key(self):
        return (self.file, self.function, self.shown)


def one_line(text):
    """Code without comments, on one line."""
    text = re.sub(rb"/\*.*?\*/|//[^\n]*", b" ", text, flags=re.S)
    return re.sub(rb"\s+", b" ", text).strip()


class Source:
    """The changes that a file offers, found in clang's syntax tree."""

    def __init__(self, path, text):
        self.path, self.text, self.changes, self.seen = path, text, [], set()
        self.function = None

    def place(self, location):
        """(first byte, byte past the end) of the token at a location of the tree; a macro is one token."""
        if "expansionLoc" in location:
            location = location["expansionLoc"]
        if "offset" not in location or "includedFrom" in location:
            return None
        return location["offset"], location["offset"] + location["tokLen"]

    def extent(self, node):
        span = node.get("range", {})
        begin, end = self.place(span.get("begin", {})), self.place(span.get("end", {}))
        if not begin or not end or begin[0] >= end[1]:
            return None
        if "expansionLoc" in span["end"] and self.text[end[1]:end[1] + 2].lstrip()[:1] == b"(":
            return None  # a macro with arguments
        return begin[0], end[1]

    def add(self, kind, span, after, shown_before, shown_after, within=None):
        begin, end = span
        if (span, after) in self.seen or b"\n#" in self.text[begin:end]:
            return
        self.seen.add((span, after))
        shown = f"{one_line(shown_before).decode()} -> {one_line(shown_after).decode()}"
        line = self.text.count(b"\n", 0, within or begin) + 1
        self.changes.append(Change(kind, begin, end, after, self.function, line, self.text[begin:end], shown))

    def binary(self, node, span):
        inner = [self.extent(child) for child in node["inner"]]
        op = node["opcode"]
        if None in inner or not (span[0] <= inner[0][0] and inner[0][1] <= inner[1][0] and inner[1][1] <= span[1]):
            return
        if self.text[inner[0][1]:inner[1][0]].strip() != op.encode() or span != (inner[0][0], inner[1][1]):
            return
        types = [child.get("type", {}).get("qualType", "") for child in node["inner"]]
        left, right = self.text[span[0]:inner[0][1]], self.text[inner[1][0]:span[1]]
        whole = self.text[span[0]:span[1]]
        if op in SWAP:
            if op in "+-" and any("*" in t or "[" in t for t in types):
                return
            after = left + b" " + SWAP[op].encode() + b" " + right
            self.add(KIND.get(op, "sign"), span, after, whole, after, inner[0][1])
        elif op in ("*", "/", "%"):
            self.add("factor", span, left, whole, left, inner[0][1])

    def condition(self, node):
        span = self.extent(node)
        if span and not (node.get("kind") == "BinaryOperator" and node.get("opcode") in SWAP):
            text = self.text[span[0]:span[1]]
            self.add("negation", span, b"!(" + text + b")", text, b"!(" + text + b")")

    def statement(self, node):
        """Left out: an assignment, or a call whose value nobody takes."""
        while node.get("kind") in ("ImplicitCastExpr", "ExprWithCleanups", "CStyleCastExpr"):
            node = node["inner"][0]
        kind = node.get("kind")
        span = self.extent(node)
        if not span or self.text[span[1]:].lstrip()[:1] != b";":
            return
        text = self.text[span[0]:span[1]]
        if kind == "CallExpr":
            if text[-1:] != b")" or QUIET.match(text.split(b"(")[0].decode()):
                return
        elif kind not in ("CompoundAssignOperator", "UnaryOperator") and not (
                kind == "BinaryOperator" and node.get("opcode") == "="):
            return
        self.add("left out", span, None, text, b"(nothing)")

    def token(self, node, kind, span):
        text = self.text[span[0]:span[1]]
        if kind in ("IntegerLiteral", "FloatingLiteral"):
            if re.fullmatch(rb"[0-9][0-9a-fA-FxX.]*[uUlL]*", text):
                after = b"(" + text + b" + 1)"
                self.add("constant", span, after, self.line_of(span), self.line_of(span, after))
            elif text in (b"true", b"false"):
                self.add("truth", span, NAMES[text], self.line_of(span), self.line_of(span, NAMES[text]))
        elif kind == "CallExpr":
            name = re.match(rb"\w+", text)
            if name and name.group() in NAMES and text[-1:] == b")" and self.knows(NAMES[name.group()]):
                after = NAMES[name.group()] + text[name.end():]
                self.add("extreme", span, after, text, after)

    def knows(self, name):
        """Whether a function may be called here: one of a header, or one that the file has."""
        return name.startswith((b"f", b"mapper_")) or re.search(rb"\b" + name + rb"\(", self.text)

    def line_of(self, span, after=None):
        """The line around a token, with "after" in its place: a constant alone says little."""
        begin, end = self.text.rfind(b"\n", 0, span[0]) + 1, self.text.find(b"\n", span[1])
        middle = self.text[span[0]:span[1]] if after is None else after
        return self.text[begin:span[0]] + middle + self.text[span[1]:end]

    def walk(self, node, parent=None):
        kind = node.get("kind")
        if kind in (None, "ConstantExpr", "EnumDecl", "RecordDecl", "StaticAssertDecl", "UnaryExprOrTypeTraitExpr",
                    "OffsetOfExpr") or (kind == "VarDecl" and node.get("storageClass") == "static"):
            return
        if kind == "ImplicitCastExpr" and node.get("castKind") == "NullToPointer":
            return
        inner = node.get("inner", [])
        if kind == "InitListExpr":
            span = self.extent(node)
            if not span or re.fullmatch(rb"\{\s*0?\s*\}", self.text[span[0]:span[1]]):
                return
        span = self.extent(node)
        if span:
            if kind in ("BinaryOperator", "CompoundAssignOperator"):
                self.binary(node, span)
            self.token(node, kind, span)
        if kind in ("IfStmt", "ConditionalOperator", "WhileStmt") and inner:
            self.condition(inner[0])
        for child in inner:
            if kind in ("CompoundStmt", "CaseStmt", "DefaultStmt") or (
                    kind in ("IfStmt", "WhileStmt") and child is not inner[0]) or (
                    kind == "ForStmt" and child is inner[-1]):
                self.statement(child)
            self.walk(child, node)

    def find(self, tree):
        for node in tree["inner"]:
            if node.get("kind") != "FunctionDecl" or not self.extent(node) or "includedFrom" in node.get("loc", {}):
                continue
            self.function = node["name"]
            for child in node.get("inner", []):
                if child.get("kind") == "CompoundStmt":
                    self.walk(child, node)

    def rewritten(self, changes):
        """The text with the changes in it: each is asked for where its expression stands."""
        ranges = {}
        for change in changes:
            ranges.setdefault((change.begin, change.end), []).append(change)
        order = sorted(ranges, key=lambda r: (r[0], -r[1]))

        def emit(begin, end, inside):
            out, at = [], begin
            while inside:
                first, rest = inside[0], inside[1:]
                nested = [r for r in rest if r[1] <= first[1]]
                inside = rest[len(nested):]
                out.append(self.text[at:first[0]])
                body = emit(first[0], first[1], nested)
                for change in ranges[first]:
                    asked = b"(sator_changed(%d) ? " % change.id
                    if change.after is None:
                        body = asked + b"(void)0 : (void)(" + body + b"))"
                    else:
                        body = asked + b"(" + one_line(change.after) + b") : (" + body + b"))"
                out.append(body)
                at = first[1]
            out.append(self.text[at:end])
            return b"".join(out)

        return emit(0, len(self.text), order)


def read_source(path):
    """The changes that TOP/path offers, kept in FOLDER/read: clang's trees are long."""
    text = (TOP / path).read_bytes()
    kept = TOP / options.folder / "read" / hashlib.sha256(Path(__file__).read_bytes() + path.encode() + text).hexdigest()
    if kept.exists():
        return pickle.loads(kept.read_bytes())
    run = subprocess.run(["clang", "-std=gnu17", "-Iinclude", "-Isrc", "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json",
                          path], cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode != 0:
        sys.exit(f"clang does not read {path}: {run.stderr.decode()[:400]}")
    source = Source(path, text)
    source.find(json.loads(run.stdout))
    for change in source.changes:
        change.file = path
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps(source))
    return source


def draw(sources_of, count, seed):
    """As many changes of each place, and there of each kind; deterministic."""
    chosen, shares = {}, [place for place in sources_of if "=" not in place]
    for place, sources in sources_of.items():
        every = [c for s in sources for c in s.changes]
        if place in shares:
            k, of = shares.index(place), len(shares)
            quota = (count * (k + 1)) // of - (count * k) // of if count else 0
        else:
            quota = int(place.partition("=")[2])
        quota = quota or len(every)
        kinds = {}
        for change in every:
            kinds.setdefault(change.kind, []).append(change)
        for kind in sorted(kinds):
            random.Random(f"{seed} {place} {kind}").shuffle(kinds[kind])
        lists = [kinds[kind] for kind in sorted(kinds)]
        picked = []
        while len(picked) < quota and any(lists):
            for some in lists:
                if some and len(picked) < quota:
                    picked.append(some.pop())
        for change in picked:
            chosen[change.file, change.begin, change.end, change.after] = change  # of two places it is one
    chosen = sorted(chosen.values(), key=lambda c: (c.file, c.begin, c.end))
    for number, change in enumerate(chosen):
        change.id = number
    return chosen


def copy_tree(tree):
    """Tracked and new files of the tree, where they have changed."""
    names = subprocess.run(["git", "ls-files", "-z", "-c", "-o", "--exclude-standard"], cwd=TOP, check=True,
                           stdout=subprocess.PIPE).stdout.decode().split("\0")
    kept = set()
    for name in filter(None, names):
        if (TOP / name).is_file():
            kept.add(name)
            put(tree / name, (TOP / name).read_bytes(), TOP / name)
    for old in tree.rglob("*"):
        name = str(old.relative_to(tree))
        if old.is_file() and name not in kept and not name.startswith(("build/", "read/", "src/base/changed.")):
            old.unlink()


def put(path, content, like=None):
    if not path.exists() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if like:
        shutil.copymode(like, path)


def build(tree, sources_of, chosen):
    copy_tree(tree)
    put(tree / "src/base/changed.h", MUTANT_H.encode())
    put(tree / "src/base/changed.c", (MUTANT_C % {"size": 4096 + len(chosen)}).encode())
    of_file = {}
    for change in chosen:
        of_file.setdefault(change.file, []).append(change)
    for sources in sources_of.values():
        for source in sources:
            if source.path in of_file:
                put(tree / source.path, source.rewritten(of_file[source.path]))
    (tree / "build").mkdir(exist_ok=True)
    log = open(tree / "build/log", "w")
    flags = f"-O1 -w -fno-strict-aliasing -include {tree}/src/base/changed.h"

    def make(*command):
        if subprocess.run(command, cwd=tree, stdout=log, stderr=log).returncode != 0:
            lines = [line for line in (tree / "build/log").read_text().split("\n") if "rror" in line]
            sys.exit("not built:\n" + "\n".join(lines[:20]) + f"\n(all of it: {tree}/build/log)")

    make("cmake", "-S", ".", "-B", "build", "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS={flags}", "-DSATOR_PYTHON=OFF",
         "-DSATOR_TESTS=ON")
    targets = subprocess.run(["cmake", "--build", "build", "--target", "help"], cwd=tree, check=True,
                             stdout=subprocess.PIPE).stdout.decode()
    wanted = [name for name in re.findall(r"\w+", targets) if is_wanted(name) and re.match("(unit|property|golden)_", name)]
    make("cmake", "--build", "build", f"-j{options.jobs}", "--target", "sator", "store_sql", "golden_general", *wanted)


def is_wanted(name):
    return re.search(options.tests, name) if options.tests else not re.fullmatch(OTHER, name)


def read_tests(tree):
    """Name -> (command, folder, environment) of the tests that are asked for."""
    shown = subprocess.run(["ctest", "--test-dir", "build", "--show-only=json-v1"], cwd=tree, check=True,
                           stdout=subprocess.PIPE).stdout
    tests = {}
    for test in json.loads(shown)["tests"]:
        if is_wanted(test["name"]) and "command" in test:
            properties = {p["name"]: p["value"] for p in test.get("properties", [])}
            environment = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
            tests[test["name"]] = (test["command"], properties.get("WORKING_DIRECTORY", str(tree / "build")), environment)
    return tests


def run_test(test, more, limit):
    """Whether it passed (None: skipped), and its seconds of processor time: those do not depend on what else runs."""
    command, folder, environment = test
    env = {**os.environ, "SATOR_TEST_SHARE": os.environ.get("SATOR_TEST_SHARE", "8"),
           "SATOR_TEST_SEED": os.environ.get("SATOR_TEST_SEED", "1"), **environment, **more}

    def bounded():
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))

    process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=bounded)
    end = threading.Timer(30 + 20 * limit, os.killpg, (process.pid, signal.SIGKILL))  # it may wait for ever, too
    end.start()
    status, used = os.wait4(process.pid, 0)[1:]
    end.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    try:
        os.killpg(process.pid, signal.SIGKILL)  # what it has left behind
    except ProcessLookupError:
        pass
    return None if process.returncode == 77 else process.returncode == 0, used.ru_utime + used.ru_stime


def first_run(tree, tests, count):
    """Name -> (seconds, set of the changes it comes by) of every test that passes without a change."""
    reach = {}

    def one(name):
        seen = tree / f"build/seen.{name}"
        seen.write_bytes(bytes(4096 + count))
        passed, seconds = run_test(tests[name], {"SATOR_CHANGED_SEEN": str(seen)}, options.limit)
        found = {k for k, byte in enumerate(seen.read_bytes()[:count]) if byte}
        seen.unlink()
        if passed and seconds <= options.limit:
            reach[name] = (seconds, found)
        else:
            say(f"# {name} is left out: " + ("skipped" if passed is None else f"{seconds:.0f} s" if seconds >= options.limit
                                              else "fails without a change"))

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, tests))
    return reach


def judge(change, tests, reach):
    """The change's verdict: the quickest test that fails."""
    names = sorted((name for name in reach if change.id in reach[name][1]), key=lambda name: reach[name][0])
    if not names:
        return "unreached"
    left = options.most
    for name in names:
        if left < reach[name][0]:
            break
        passed, seconds = run_test(tests[name], {"SATOR_CHANGED": str(change.id)}, 2 + 10 * reach[name][0])
        if not passed:
            return f"killed by {name}"
        left -= seconds
    return "SURVIVED"


def justified():
    """Keys of the changes that the table calls equivalent: file, function, change in backquotes, reason."""
    keys = set()
    path = TOP / TABLE
    for line in path.read_text().split("\n") if path.exists() else []:
        cells = re.fullmatch(r"\| `([^`]+)` \| `([^`]+)` \| `(.+?)` \| .*\S.* \|", line)
        if cells:
            keys.add(tuple(cell.replace("\\|", "|") for cell in cells.groups()))
    return keys


def listed_open():
    """The changes that the table lists without a reason: (function, change) -> file, for files are split and joined."""
    rows = re.findall(r"^\| `([^`]+)` \| `([^`]+)` \| `(.+?)` \|$", (TOP / TABLE).read_text(), flags=re.M)
    return {(function, change.replace("\\|", "|")): path for path, function, change in rows}


said = threading.Lock()


def say(text):
    with said:
        print(text, flush=True)


def main():
    if not shutil.which("clang"):
        sys.exit("clang is not there (Debian: clang): it reads the sources")
    sources_of, wanted = {}, listed_open() if options.open else {}
    for place in options.places or PLACES:
        name, _, lines = place.partition("=")[0].partition(":")
        files = [name] if name.endswith(".c") else sorted(
            str(p.relative_to(TOP)) for p in (TOP / name).rglob("*.c") if "/mpi/" not in str(p))
        if options.open:
            functions = re.compile(rb"\b(%s)\(" % b"|".join(function.encode() for function, _ in wanted))
            files = [file for file in files if functions.search((TOP / file).read_bytes())]
        with ThreadPoolExecutor(options.jobs) as pool:
            sources_of[place] = list(pool.map(read_source, files))
        if lines:
            first, last = (int(n) for n in lines.split("-"))
            for source in sources_of[place]:
                source.changes = [c for c in source.changes if first <= c.line <= last]
    if options.open:
        options.count = 0
        for sources in sources_of.values():
            for source in sources:
                source.changes = [c for c in source.changes if (c.function, c.shown) in wanted]
                for change in source.changes:
                    wanted[change.function, change.shown] = None
        for (function, shown), path in wanted.items():
            if path:
                say(f"{path} {function}: {shown} [gone]")
    chosen = draw(sources_of, options.count, options.seed)
    tree = (TOP / options.folder).resolve()
    results = tree / "results.json"
    if options.again:
        left = {tuple(row["key"]) for row in json.loads(results.read_text()) if row["verdict"] == "SURVIVED"}
        chosen = [change for change in chosen if change.key() in left]
        for number, change in enumerate(chosen):
            change.id = number
    every = sum(len(s.changes) for sources in sources_of.values() for s in sources)
    say(f"# {len(chosen)} of {every} changes, seed {options.seed}")
    if options.list:
        for c in chosen:
            say(f"{c.file}:{c.line} {c.function}: {c.shown} [{c.kind}]")
        return 0
    start = time.monotonic()
    build(tree, sources_of, chosen)
    tests = read_tests(tree)
    say(f"# built in {time.monotonic() - start:.0f} s; {len(tests)} tests")
    reach = first_run(tree, tests, len(chosen))
    seconds = sum(t for t, _ in reach.values())
    say(f"# {len(reach)} tests pass in {seconds:.0f} s; they come by "
        f"{len(set().union(*(found for _, found in reach.values())))} changes")
    equivalent, rows = justified(), []

    def one(change):
        verdict = judge(change, tests, reach)
        if verdict in ("SURVIVED", "unreached") and change.key() in equivalent:
            verdict = "equivalent"
        say(f"{change.file}:{change.line} {change.function}: {change.shown} [{change.kind}] {verdict}")
        with said:
            rows.append({"key": change.key(), "line": change.line, "kind": change.kind, "verdict": verdict})
            results.write_text(json.dumps(rows, indent=1))

    order = list(chosen)
    random.Random(options.seed).shuffle(order)  # so that a run that is ended early is a sample, too
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, order))
    say(f"# all of it took {time.monotonic() - start:.0f} s")
    for name in sources_of:
        of_place = [row for row in rows if row["key"][0].startswith(name.partition("=")[0].partition(":")[0])]
        tally = {}
        for row in of_place:
            word = row["verdict"].split()[0]
            tally[word] = tally.get(word, 0) + 1
        say(f"# {name}: {len(of_place)} changes: " + ", ".join(f"{n} {word}" for word, n in sorted(tally.items())))
    return 3 if any(row["verdict"] == "SURVIVED" for row in rows) else 0


parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("-n", dest="count", type=int, default=400)
parser.add_argument("-s", dest="seed", type=int, default=1)
parser.add_argument("-b", dest="folder", default="build/mutants")
parser.add_argument("-j", dest="jobs", type=int, default=2)
parser.add_argument("-t", dest="tests", default="")
parser.add_argument("-l", dest="limit", type=float, default=60)
parser.add_argument("-m", dest="most", type=float, default=600)
parser.add_argument("--again", action="store_true")
parser.add_argument("--open", action="store_true")
parser.add_argument("--list", action="store_true")
parser.add_argument("places", nargs="*")
options = parser.parse_args()
sys.exit(main())
