"""Eyeriss: milliseconds a layer of the chip at 200 MHz, from its mapping parameters.

Columns: layer, n (images), groups, k_per_group, c (channels of a group), out, filter, stride, processing_ms, and the mapping
of the JSSC paper (Chen et al. 2017, Table II): n_pass images, e rows of outputs, p filters and q channels a PE, r sets
of PEs with other channels, t sets with other filters. A set is filter x e PEs; where e is more than the array's 14 columns, it
is folded into several below one another. A pass computes n_pass images, p t filters, e rows from q r channels: it loads its
filters, then goes through the columns of the output, in which the partial sums come and go."""

import math

import sator
import table

COLUMNS = ["layer", "n", "groups", "k_per_group", "c", "out", "filter", "stride", "processing_ms", "n_pass", "e", "p", "q", "r", "t"]
TITLE, UNIT = "Eyeriss, 168 PEs at 200 MHz: processing time", "ms"
SUMMARY = {"eyeriss_alexnet_mean_pct": table.mean}
ROWS, COLS = 12, 14
CYCLES_PER_MS = 200e3


def placement(record, size, loops):
    """Row and column of the array for the mapping, and the tree that sums a column of sets: sets with other rows of a
    fold, with other channels (r) and with other filters (t) lie above one another as far as they fit, then beside."""
    e, p, q, r, t = (record.integer(x) for x in ("e", "p", "q", "r", "t"))
    width, folds = min(e, COLS), math.ceil(e / COLS)
    stacked, beside = ROWS // size, COLS // width
    above = left = 1
    row, column, tree = sator.varying([("ry", 1, size)], loops), [], [f"j%{width}"]
    if folds > 1 and e % COLS and e < loops["oy"]:
        record.refuse(f"column 'e' is {e}: strips of more than {COLS} rows must be multiples of it, or the whole output")
    column += sator.varying([("oy", 1, width)], loops)
    for loop, below, extent in (("oy", COLS, folds), ("c", q, r), ("k", p, t)):
        fits = max(n for n in range(1, extent + 1) if extent % n == 0 and n <= max(1, stacked // above))
        row += [f"{size * above}*({text})" for text in sator.varying([(loop, below, fits)], loops)]
        column += [f"{width * left}*({text})" for text in sator.varying([(loop, below * fits, extent // fits)], loops)]
        if loop != "c":  # channels are summed
            tree += [f"i/{size * above}%{fits}", f"j/{width * left}%{extent // fits}"]
        above, left = above * fits, left * (extent // fits)
    if above > stacked or left > beside:
        record.refuse(f"{folds * r * t} sets of {size} x {width} PEs (folds {folds}, r {r}, t {t}) do not fit on {ROWS} x {COLS}")
    return " + ".join(row) or "0", " + ".join(column) or "0", f"PE[i,j] -> TREE[{', '.join(term for term in tree if not term.endswith('%1'))}]"


def cycles(record):
    """Scheduled cycles of one group."""
    n, k, c, out, size, stride = (record.integer(x) for x in ("n", "k_per_group", "c", "out", "filter", "stride"))
    n_pass, e, p, q, r, t = (record.integer(x) for x in ("n_pass", "e", "p", "q", "r", "t"))
    loops = {"n": n, "k": k, "c": c, "oy": out, "ox": out, "ry": size, "rx": size}
    work = sator.workload(loops, f"Y[n,k,oy,ox] += A[n,c,{stride}*oy+ry,{stride}*ox+rx] * B[k,c,ry,rx]")
    row, column, tree = placement(record, size, loops)
    whole = [("n", n_pass, n), ("oy", e, out), ("k", p * t, k), ("c", q * r, c)]
    passes = sator.varying(whole, loops)
    columns = sator.varying([("n", 1, n_pass), ("ox", 1, out)], loops)
    flow = sator.dataflow([row, column], passes + columns + sator.varying([("k", 1, p)], loops),
                          {"filters": len(passes), "psums": len(passes) + len(columns)})
    macs = q * size  # of a PE for one partial sum, which takes a cycle more; cut, not rounded: the model rounds a stamp up
    settings = {"levels.PE.reduction.column.map": tree, "levels.mac.cycles": math.floor((macs + 1) / macs * 1e6) / 1e6}
    return sator.scheduled(sator.analyze(work, sator.machine("eyeriss"), flow, settings))


def row(record):
    ms = cycles(record) * record.integer("groups") / CYCLES_PER_MS
    return table.Row(record.text("layer"), ms, record.number("processing_ms", 1e-9))
