"""Asking the program: inputs written as files into a directory that goes, answers as its JSON."""

import json
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = os.path.join(ROOT, "test", "fidelity")
PROGRAM = os.environ.get("SATOR", os.path.join(ROOT, "build", "sator"))


class Failed(Exception):
    """The program refused a question; its message."""


def machine(name):
    """A machine file of test/fidelity."""
    return os.path.join(DATA, name + ".yaml")


def yaml(value):
    """A value in YAML's flow notation, which JSON is a part of."""
    return json.dumps(value)


def workload(sizes, op, bits=None):
    """A statement over loops from 0 to their sizes."""
    return "\n".join([f"sizes: {yaml(sizes)}", f"op: {yaml(op)}"] + ([f"word_bits: {yaml(bits)}"] if bits else [])) + "\n"


def digit(loop, below, extent, size):
    """floor(loop / below) % extent of a loop of that size, without operations that do nothing."""
    text = f"({loop}/{below})" if below > 1 else loop
    return f"{text}%{extent}" if below * extent < size else text


def varying(digits, loops):
    """The digits (loop, below, extent) that have more than one value, as expressions."""
    return [digit(loop, below, extent, loops[loop]) for loop, below, extent in digits if extent > 1 and below < loops[loop]]


def dataflow(space, time, cuts=None):
    """Space- and time-stamps, lists of expressions, and what memories hold, {memory: dimensions of time}."""
    lines = [f"space: {yaml(', '.join(space))}", f"time: {yaml(', '.join(time))}"]
    if cuts:
        lines.append("cuts: " + yaml({name: {"time": rows} for name, rows in cuts.items()}))
    return "\n".join(lines) + "\n"


def analyze(work, arch, flow, settings=None, timing="scheduled"):
    """The JSON of one analysis. work, flow: texts of YAML files; arch: a path; settings: {PATH: value} for --set."""
    with tempfile.TemporaryDirectory(prefix="sator-fidelity-") as directory:
        paths = []
        for name, text in (("workload", work), ("dataflow", flow)):
            paths.append(os.path.join(directory, name + ".yaml"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(text)
        command = [PROGRAM, "analyze", paths[0], "--arch", arch, "--dataflow", paths[1], "--timing", timing, "--json"]
        for path, value in (settings or {}).items():
            command += ["--set", f"{path}={yaml(value)}"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise Failed(f"{PROGRAM} does not run: {error.strerror}; 'make' builds it, SATOR=PROGRAM names another") from None
    if done.returncode:
        raise Failed(f"{' '.join(command)}\n{done.stderr.strip()}")
    return json.loads(done.stdout)


def scheduled(answer):
    """The scheduled cycles of an analysis; an error says why there are none."""
    cycles = answer["latency_cycles"]["scheduled"]
    if cycles is None:
        raise Failed(f"no scheduled latency: {answer['latency_cycles'].get('unscheduled')}")
    return cycles
