"""SCALE-Sim: total cycles of GEMMs on systolic arrays, output-, weight- and input-stationary, without stalls.

Columns: case, dataflow (os, ws, is), rows, cols, M, N, K, total_cycles. The arrays are filled and emptied at their edges
(pass_through); weights take a cycle a row of the array to load. Input-stationary is weight-stationary with the operands
exchanged. SCALE-Sim counts cycles from 0 and prints the last one's number, which is one less than how many there are."""

import sator
import table

COLUMNS = ["dataflow", "rows", "cols", "M", "N", "K", "total_cycles"]
TITLE, UNIT = "SCALE-Sim, systolic arrays: total cycles", "cycles"
SUMMARY = {"scalesim_wrong": table.wrong}
WORD = 16  # bits; any width gives the same cycles


def along(size, pes):
    """Values of a loop along `pes` PEs. Words pass through all of them, so that a fold takes as long with one row as with
    two; but a loop of one value has no skew by which the model could tell: it is given two."""
    return max(size, min(pes, 2))


def cycles(kind, rows, cols, i, j, k):
    """Scheduled cycles of Y[i,j] += A[i,k] B[k,j] on rows x cols PEs."""
    j = along(j, cols)
    i, k = (along(i, rows), k) if kind == "os" else (i, along(k, rows))
    work = sator.workload({"i": i, "j": j, "k": k}, "Y[i,j] += A[i,k] * B[k,j]")
    settings = {"levels.PE.shape": [rows, cols]}
    if kind == "os":
        flow = sator.dataflow([f"i%{rows}", f"j%{cols}"], [f"i/{rows}", f"j/{cols}", f"i%{rows} + j%{cols} + k"])
    else:
        flow = sator.dataflow([f"k%{rows}", f"j%{cols}"], [f"k/{rows}", f"j/{cols}", f"i + k%{rows} + j%{cols}"],
                              {"weights": 2})
        settings["levels.SRAM.ports.weights.bandwidth_bits"] = WORD * cols
        settings["levels.SRAM.ports.weights.granule_bits"] = WORD * cols * rows
    answer = sator.analyze(work, sator.machine("scalesim_os" if kind == "os" else "scalesim_ws"), flow, settings)
    return sator.scheduled(answer)


def row(record):
    kind = record.text("dataflow")
    if kind not in ("os", "ws", "is"):
        record.refuse(f"column 'dataflow' is '{kind}', expected os, ws or is")
    rows, cols, m, n, k = (record.integer(column) for column in ("rows", "cols", "M", "N", "K"))
    i, j = (n, m) if kind == "is" else (m, n)
    last = cycles("os" if kind == "os" else "ws", rows, cols, i, j, k) - 1
    name = f"{record.text('case', kind)} {kind} {rows}x{cols} {m}x{n}x{k}"
    return table.Row(name, last, record.number("total_cycles", 1))
