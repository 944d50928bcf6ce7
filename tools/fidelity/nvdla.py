"""NVDLA: cycles a layer on 2,048 MACs, 64 channels by 32 filters in a cycle, beside the sheet of its makers.

Columns: network, layer, c, k, filter, stride, out, sheet_mac_cycles, winograd_divided_by_2.25. The sheet divides a layer's
MACs by 2,048, and by 2.25 where it takes Winograd's transform; the same division is done here. It is exact where channels
are multiples of 64 and filters of 32 (these count as aligned); elsewhere the machine has idle MACs that the sheet leaves out."""

import sator
import table

COLUMNS = ["network", "layer", "c", "k", "filter", "out", "sheet_mac_cycles"]
TITLE, UNIT = "NVDLA, 2,048 MACs: cycles of computation", "cycles"
SUMMARY = {"nvdla_aligned_wrong": table.wrong}
CHANNELS, FILTERS = 64, 32
WINOGRAD = 2.25


def row(record):
    c, k, filter_size, out = (record.integer(column) for column in ("c", "k", "filter", "out"))
    stride = record.integer("stride") if "stride" in record.fields else 1
    work = sator.workload({"k": k, "c": c, "oy": out, "ox": out, "ry": filter_size, "rx": filter_size},
                          f"Y[k,oy,ox] += A[c,{stride}*oy+ry,{stride}*ox+rx] * B[k,c,ry,rx]")
    flow = sator.dataflow([f"c%{CHANNELS}", f"k%{FILTERS}"], [f"k/{FILTERS}", f"c/{CHANNELS}", "ry", "rx", "oy", "ox"])
    cycles = sator.analyze(work, sator.machine("nvdla"), flow, timing="roofline")["latency_cycles"]["compute"]
    winograd = record.text("winograd_divided_by_2.25", "0") not in ("0", "")
    idle = [f"{what} {size} of {size + -size % width}"
            for what, size, width in (("channels", c, CHANNELS), ("filters", k, FILTERS)) if size % width]
    note = "idle: " + ", ".join(idle) if idle else "aligned"
    return table.Row(f"{record.text('network')} {record.text('layer')}", cycles / (WINOGRAD if winograd else 1),
                     record.number("sheet_mac_cycles"), note, counts=not idle)
