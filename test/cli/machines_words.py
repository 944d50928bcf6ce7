"""The energy, latency and EDP of mappings onto tpu-8x8, from what its hardware does: tiles are sets of elements, which every PE
takes up stamp by stamp from itself, from its neighbour, or from the scratchpad. It shares no formula with the program.

    sator map resnet18 --arch tpu-8x8 --json | python3 machines_words.py [LAYER...]

All of ResNet-18's layers take half a minute, and come out as map says, to the last digit: 2,454.34 uJ, 28,660,744 cycles,
EDP 7.034e+16. With names of layers, only these are computed, and compared.
"""
import itertools
import json
import sys

STRIDED = {"conv1", "conv3_1", "conv3_downsample", "conv4_1", "conv4_downsample", "conv5_1", "conv5_downsample"}
LINKS = {"A": ("east", (0, 1)), "B": ("south", (1, 0)), "Y": ("south", (1, 0))}
PJ = {"link": 0.2, "scratchpad": 5, "registers": 0.11, "mac": 0.85}


def indices(layer):
    """Of each tensor, its dimensions: sums of (coefficient, loop)."""
    if layer == "fc":
        return {"A": [[(1, "c")]], "B": [[(1, "k")], [(1, "c")]], "Y": [[(1, "k")]]}
    s = 2 if layer in STRIDED else 1
    return {"A": [[(1, "c")], [(s, "oy"), (1, "ry")], [(s, "ox"), (1, "rx")]],
            "B": [[(1, "k")], [(1, "c")], [(1, "ry")], [(1, "rx")]], "Y": [[(1, "k")], [(1, "oy")], [(1, "ox")]]}


class Layer:
    def __init__(self, mapping):
        self.loops = [[(l["loop"], l["factor"], l.get("dim", -1)) for l in level["loops"]] for level in mapping["levels"]]
        self.skew = next((level["skew"] for level in mapping["levels"] if level.get("skew")), [0, 0])
        self.names = sorted({name for level in self.loops for name, _, _ in level})
        self.extent = {name: 1 for name in self.names}
        for name, factor, _ in itertools.chain(*self.loops):
            self.extent[name] *= factor
        self.index = indices(mapping["workload"])
        self.tiles, self.cases = {}, {}

    def start(self, pe, step):
        """Where the tile of a PE begins in its step number "step"; None: it idles."""
        outer, array, inner = self.loops
        size = {name: 1 for name in self.names}
        for name, factor, _ in inner:
            size[name] *= factor
        at = dict.fromkeys(self.names, 0)
        left = list(pe)
        for name, factor, dim in reversed(array):
            at[name] += left[dim] % factor * size[name]
            left[dim] //= factor
            size[name] *= factor
        for name, factor, _ in reversed(outer):
            at[name] += step % factor * size[name]
            step //= factor
            size[name] *= factor
        return None if any(left) or step else at

    def tile(self, tensor, at):
        """(key, elements) of a tensor where a tile begins at "at"."""
        inner = {}
        for name, factor, _ in self.loops[2]:
            inner[name] = inner.get(name, 1) * factor
        sums = self.index[tensor]
        key = (tensor,) + tuple(at.get(name, 0) for dims in sums for _, name in dims)
        if key not in self.tiles:
            values = [sorted({sum(c * (at.get(name, 0) + d) for (c, name), d in zip(dims, point))
                              for point in itertools.product(*(range(inner.get(name, 1)) for _, name in dims))})
                      for dims in sums]
            self.tiles[key] = frozenset(itertools.product(*values))
        return key

    def words(self, own, before, neighbour):
        """Of what a PE needs now: not held in the stamp before; of that, what its neighbour had then."""
        case = (own, before, neighbour)
        if case not in self.cases:
            new = self.tiles[own] - (self.tiles[before] if before else frozenset())
            self.cases[case] = (len(new), len(new & self.tiles[neighbour]) if neighbour else 0)
        return self.cases[case]

    def run(self):
        outer, array, inner = self.loops
        steps = stamps = 1
        for _, factor, _ in outer:
            steps *= factor
        for _, factor, _ in inner:
            stamps *= factor
        used = [1, 1]
        for _, factor, dim in array:
            used[dim] *= factor
        pes = list(itertools.product(range(used[0]), range(used[1])))
        late = {pe: sum(s * p for s, p in zip(self.skew, pe)) for pe in pes}
        time = steps + max(late.values())
        total = {t: [0, 0] for t in self.index}  # words taken up, and of these over the link
        held, entries = {}, dict.fromkeys(self.index, 0)
        footprint = {t: set() for t in self.index}
        for x in range(time):
            now = {}
            for pe in pes:
                at = self.start(pe, x - late[pe]) if x >= late[pe] else None
                for tensor in self.index if at is not None else ():
                    now[pe, tensor] = own = self.tile(tensor, at)
                    if own not in footprint[tensor]:
                        footprint[tensor].add(own)
                    step = LINKS[tensor][1]
                    new, linked = self.words(own, held.get((pe, tensor)),
                                             held.get(((pe[0] - step[0], pe[1] - step[1]), tensor)))
                    total[tensor][0] += new
                    total[tensor][1] += linked
            held = now
        macs = 1
        for name in self.names:
            macs *= self.extent[name]
        sizes = {t: len(frozenset().union(*(self.tiles[k] for k in footprint[t]))) for t in self.index}
        return self.cost(macs, time * stamps, total, sizes)

    @staticmethod
    def cost(macs, compute, total, sizes):
        alone = {t: taken - linked for t, (taken, linked) in total.items()}
        back = alone["Y"] - sizes["Y"]  # sums that were there before are read back
        scratchpad_reads, scratchpad_writes = alone["A"] + alone["B"] + back, alone["Y"]
        # every instance reads its three operands, but a sum that starts, and writes one
        register_reads = 3 * macs - sizes["Y"]
        register_writes = macs + total["A"][0] + total["B"][0] + back
        cycles = max(compute, scratchpad_reads * 16 / 128, scratchpad_writes * 16 / 128)
        pj = (PJ["link"] * sum(linked for _, linked in total.values()) + PJ["scratchpad"] * (scratchpad_reads + scratchpad_writes) +
              PJ["registers"] * (register_reads + register_writes) + PJ["mac"] * macs)
        return pj, cycles


def main():
    layers = json.load(sys.stdin)["layers"]
    named = sys.argv[1:]
    pj = cycles = 0
    for mapping in layers:
        if named and mapping["workload"] not in named:
            continue
        own = Layer(mapping).run()
        said = mapping["energy_pj"]["total"], mapping["latency_cycles"]["total"]
        same = abs(own[0] - said[0]) < 1e-9 * said[0] and own[1] == said[1]
        print("%s: %.2f uJ, %d cycles, %s" % (mapping["workload"], own[0] / 1e6, own[1], "as map says" if same else "map: %s" % (said,)))
        pj += own[0] * mapping["repeat"]
        cycles += own[1] * mapping["repeat"]
    if not named:
        print("tpu-8x8: {:,.2f} uJ, {:,.0f} cycles, EDP {:.4g}".format(pj / 1e6, cycles, pj * cycles))


main()
