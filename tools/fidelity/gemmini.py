"""Gemmini's RTL in FireSim: cycles of convolutions and GEMMs on 16 x 16 PEs, from the mappings of ucb-bar/dosa.

Columns: mapping.mapping, target.gemmini_cycle, prob.C, K, N, P, Q, R, S, Wstride, Hstride. A mapping is a nest of loops from
the outermost level, `L3[WIO] K8 Q28 - L2[WI] N1 K4X - L1[O] C12 P7 C16X - L0[W] P16`: the tensors that a level holds in
brackets, loops with their extents outermost first, spatial ones with an X. L3 is memory, L2 the scratchpad, L1 the
accumulator, L0 the PEs' weights. What runs on the chip are the tiles of L3's loops in their order; within a tile the driver's own loops
decide: commands of up to 16 rows along P, for each block of 16 channels and 16 filters."""

import re

import sator
import table

COLUMNS = ["mapping.mapping", "target.gemmini_cycle"] + [f"prob.{d}" for d in "CKNPQRS"]
TITLE, UNIT = "Gemmini's RTL, 16 x 16 PEs: cycles", "cycles"
SUMMARY = {"gemmini_median_pct": table.median, "gemmini_mean_pct": table.mean}
DIMENSIONS = "NKCPQRS"
PES = 16


def nest(record):
    """The loops outside of the scratchpad, [(dimension, extent)] outermost first, and the tile inside, {dimension: extent}."""
    text = record.text("mapping.mapping")
    outer, tile = [], dict.fromkeys(DIMENSIONS, 1)
    parts = text.split(" - ")
    for level, part in zip(range(3, -1, -1), parts):
        head, *loops = part.split()
        if not re.fullmatch(rf"L{level}\[[WIO]*\]", head):
            record.refuse(f"mapping: '{head}', expected L{level}[...] in '{text}'")
        for loop in loops:
            match = re.fullmatch(r"([NKCPQRS])([1-9]\d*)(X?)", loop)
            if not match:
                record.refuse(f"mapping: '{loop}' is no loop, expected one of {DIMENSIONS} with its extent")
            if level == 3:
                outer.append((match[1], int(match[2])))
            else:
                tile[match[1]] *= int(match[2])
    if len(parts) != 4:
        record.refuse(f"mapping: {len(parts)} levels, expected 4")
    return outer, tile


def cover(record, outer, tile):
    """Refuses loops that are fewer than the problem has."""
    for d in DIMENSIONS:
        extent = tile[d]
        for name, factor in outer:
            extent *= factor if name == d else 1
        if extent < record.integer(f"prob.{d}"):
            record.refuse(f"mapping: loops over {d} cover {extent} of {record.integer(f'prob.{d}')}")


def statement(record, outer, tile):
    """The workload of tiles, {loop: extent} and its text, with the names of the outer loops. A tensor has a coordinate for each
    outer loop that chooses its tile. A tile loads its inputs anew, also those that the tile before it had: so A has all."""
    loops, names = {}, []
    for at, (d, extent) in enumerate(outer):
        if extent > 1:
            names.append(f"{d.lower()}{at}")
            loops[names[-1]] = extent
    loops.update({d.lower(): tile[d] for d in DIMENSIONS})
    wide, high = (record.integer(f"prob.{x}stride") if f"prob.{x}stride" in record.fields else 1 for x in "WH")

    def access(tensor, dimensions, *inner):
        return f"{tensor}[{', '.join([name for name in names if name[0].upper() in dimensions] + list(inner))}]"

    op = (f"{access('Y', 'NKPQ', 'n', 'k', 'p', 'q')} += {access('A', DIMENSIONS, 'n', 'c', f'{wide}*p+r', f'{high}*q+s')} * "
          f"{access('B', 'KCRS', 'k', 'c', 'r', 's')}")
    return loops, op, names


def cycles(record):
    """Scheduled cycles of the mapping."""
    outer, tile = nest(record)
    cover(record, outer, tile)
    loops, op, names = statement(record, outer, tile)
    varying = [("n", 1, tile["N"]), ("r", 1, tile["R"]), ("s", 1, tile["S"]), ("k", PES, tile["K"]), ("c", PES, tile["C"]),
               ("q", 1, tile["Q"]), ("p", PES, tile["P"])]
    commands = sator.varying(varying, loops)
    rows = sator.varying([("p", 1, PES)], loops)
    prefix = len(names) + len(commands)
    flow = sator.dataflow([f"c%{PES}", f"k%{PES}"], names + commands + rows,
                          {"scratchpad": len(names), "accumulator": len(names), "command": prefix, "registers": prefix})
    reduced = [at for at, name in enumerate(names) if name[0] in "crs"]
    spills = any(name[0] in "nkpq" for name in names[reduced[0]:]) if reduced else False
    settings = {"levels.DRAM.word_bits": {"A": 8, "B": 8, "Y": 32 if spills else 8}}
    return sator.scheduled(sator.analyze(sator.workload(loops, op), sator.machine("gemmini"), flow, settings))


def row(record):
    measured = record.number("target.gemmini_cycle", 1)
    problem = " ".join(f"{d}{record.integer(f'prob.{d}')}" for d in "CKPQRS")
    return table.Row(f"{problem}: {record.text('mapping.mapping')}", cycles(record), measured)
