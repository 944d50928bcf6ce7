"""TileFlow's RTL: two GEMMs one after the other in each strip of rows, C = A B and E = C D, on 16 x 16 PEs with one buffer.

Columns: M, K, L, N (C is M x L, E is M x N), tile_M (the strip), tile_K, tile_L, rtl_cycles and the bits moved: mem_to_buf,
buf_to_mem, buf_to_reg, reg_to_buf. C stays in the buffer; B and D come from memory anew for each strip. A stationary operand
(A, then C) lies in the PEs, 16 rows by 16 of the dimension that is summed, while the other operand is streamed; the
sums of 16 PEs are added by a tree and to what the buffer holds. Both GEMMs are one statement, Y += H X, over strips s."""

import dataclasses

import sator
import table

COLUMNS = ["M", "K", "L", "N", "tile_M", "tile_K", "tile_L", "rtl_cycles"]
VOLUMES = ["mem_to_buf", "buf_to_mem", "buf_to_reg", "reg_to_buf"]
TITLE, UNIT = "TileFlow's RTL, two fused GEMMs on 16 x 16 PEs: cycles", "cycles"
PES, WORD = 16, 16


def volumes_wrong(rows):
    """How many rows move other volumes."""
    return sum(1 for row in rows if row.note)


SUMMARY = {"tileflow_mean_pct": table.mean, "tileflow_volumes_wrong": volumes_wrong}


@dataclasses.dataclass
class Gemm:
    """Y[s,i,j] += H[s,i,k] X[s,k,j] with its tiles of k and j; `far` are the tensors that memory holds."""

    loops: dict
    tile_k: int
    tile_j: int
    far: list

    def analyze(self, whole):
        """With tiles of k and j, one after the other; or with the whole strip's operands in the buffer."""
        s, i, k, j = (self.loops[loop] for loop in "sikj")
        work = sator.workload(self.loops, "Y[s,i,j] += H[s,i,k] * X[s,k,j]")
        outer = sator.varying([("s", 1, s)], self.loops)
        tile_k, tile_j = (k, j) if whole else (self.tile_k, self.tile_j)
        outer += sator.varying([("k", tile_k, k), ("j", tile_j, j)], self.loops)
        inner = sator.varying([("i", PES, i), ("k", PES, -(-tile_k // PES))], self.loops)
        flow = sator.dataflow([f"i%{PES}", f"k%{PES}"], outer + inner + sator.varying([("j", 1, tile_j)], self.loops),
                              {"buffer": len(outer), "registers": len(outer + inner)})
        return sator.analyze(work, sator.machine("tileflow"), flow, {"levels.DRAM.tensors": self.far})


def volumes(answers):
    """Bits between memory, buffer and registers, as the table has them: a stationary word counts once, a sum each time
    that it is taken up, also from zero."""
    words = dict.fromkeys(VOLUMES, 0)
    for answer in answers:
        levels = {(entry["name"], tensor["name"]): tensor for entry in answer["levels"] for tensor in entry["tensors"]}
        for (level, name), tensor in levels.items():
            reads, updates = int(tensor["reads"]), int(tensor["updates"])
            if level == "DRAM":
                words["mem_to_buf"] += reads
                words["buf_to_mem"] += updates
            elif level == "buffer":
                words["buf_to_reg"] += updates if name == "Y" else reads
                words["reg_to_buf"] += updates
    return words


def row(record):
    m, k, l, n, tile_m, tile_k, tile_l = (record.integer(column) for column in COLUMNS[:7])
    if m % tile_m:
        record.refuse(f"M {m} is no multiple of tile_M {tile_m}")
    pair = [Gemm({"s": m // tile_m, "i": tile_m, "k": k, "j": l}, tile_k, tile_l, ["H", "X"]),
            Gemm({"s": m // tile_m, "i": tile_m, "k": l, "j": n}, tile_l, n, ["X", "Y"])]
    cycles = sum(sator.scheduled(gemm.analyze(whole=False)) for gemm in pair)
    words = volumes([gemm.analyze(whole=True) for gemm in pair])
    for column in VOLUMES[2:]:  # C goes through the array once more between the two
        words[column] += m * l
    given = [column for column in VOLUMES if column in record.fields]
    other = [f"{column} {words[column] * WORD:,} bits, not {record.integer(column):,}"
             for column in given if words[column] * WORD != record.integer(column)]
    return table.Row(f"{m}x{k}x{l}x{n} tiles {tile_m}x{tile_k}x{tile_l}", cycles, record.number("rtl_cycles", 1), "; ".join(other))
