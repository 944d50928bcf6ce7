"""The Python package: its numbers are those of the command line and of hand calculation, its errors have a place, and
nothing leaks. usage: test_sator.py SATOR, with the package on PYTHONPATH."""

import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy
import sator

SATOR = sys.argv.pop(1) if len(sys.argv) > 1 else "sator"
SKEWED = {"space": "i%8, j%8", "time": "i/8, j/8, i%8 + j%8 + k"}


def shell(*arguments):
    """What the command line prints. A program that has sanitizers takes none from outside."""
    own = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    return subprocess.run([SATOR, *arguments], check=True, capture_output=True, text=True, env=own).stdout


def gemm(**sizes):
    return sator.Workload("gemm", sizes={"i": 256, "j": 256, "k": 256, **sizes}, op="Y[i,j] += A[i,k] * B[k,j]")


def array(rows=8, columns=8):
    return sator.Arch("array", [
        sator.Memory("scratchpad", bandwidth_bits=128),
        sator.Array("PE", [rows, columns], links=[sator.Link("east", "PE[i,j] -> PE[i,j+1]"),
                                                  sator.Link("south", "PE[i,j] -> PE[i+1,j]")]),
        sator.Compute("mac", energy_pj=1)])


# 1,024 folds of 270 stamps. n rows and columns that take in words of A and of B need n/4 cycles of the scratchpad: 2 in the
# 249 stamps in which all 8 do, 10 while 1 to 7 do, 10 while 7 to 1 do; of the last 7 stamps none does, they take 1 each.
SKEWED_CYCLES = 1024 * (249 * 2 + 10 + 10 + 7)


class Analyses(unittest.TestCase):
    def test_readme(self):
        """README.md's first example."""
        result = sator.analyze("gemm", "systolic-2d-8x8", sator.Dataflow(**SKEWED))
        self.assertEqual(result.total_cycles, SKEWED_CYCLES)
        self.assertEqual(result["latency_cycles.roofline"], 524288)
        self.assertEqual(result.compute_cycles, 276480)
        self.assertEqual(result.bound_by, "scratchpad reads")
        self.assertAlmostEqual(result.energy_pj, 52.4976128e6)
        a, b, y = result.tensors
        self.assertEqual((a["unique_volume"], a["spatial_reuse"], a["reuse_factor"]), (2097152, 14680064, 8))
        self.assertEqual((y["temporal_reuse"], y["reuse_factor"]), (16711680, 256))
        self.assertEqual(a["links"], {"east": 14680064, "south": 0})
        self.assertEqual(b["links"], {"east": 0, "south": 14680064})
        self.assertEqual(result["latency_cycles.write"], 8192)
        with self.assertRaises(KeyError):
            result["latency_cycles.nothing"]

    def test_as_in_the_shell(self):
        text = shell("analyze", "alexnet", "--layer", "conv3", "--arch", "eyeriss", "--dataflow",
                     "conv2d/ryoy-p_oy-ox-t", "--json")
        result = sator.analyze("alexnet", "eyeriss", "conv2d/ryoy-p_oy-ox-t", layer="conv3")
        shown = json.loads(text)
        self.assertEqual(result.total_cycles, shown["latency_cycles"]["total"])
        self.assertEqual(result.edp, shown["edp"])
        self.assertEqual([t["unique_volume"] for t in result.tensors],
                         [t["unique_volume"] for t in shown["tensors"]])
        self.assertIn("conv3", str(result))

    def test_objects_made_here(self):
        result = sator.analyze(gemm(), array(), sator.Dataflow(**SKEWED))
        self.assertEqual((result.total_cycles, result.bound_by), (SKEWED_CYCLES, "scratchpad reads"))
        self.assertEqual(result.energy_pj, None)  # of the links and the scratchpad nothing is said
        nest = sator.Dataflow("nest", loops=[sator.At("scratchpad", tiles=["i 32", "j 32", "k 256"]),
                                             sator.At("PE", parallel=["i 8 -> 0", "j 8 -> 1"])])
        self.assertEqual(sator.analyze(gemm(), array(), nest).time_stamps, 32 * 32 * 256)
        again = sator.Arch.from_text(array().to_yaml())
        self.assertEqual(str(again), str(array()))

    def test_networks(self):
        two = sator.Network("two", [gemm(), (sator.Workload("small", sizes={"i": 8, "j": 8, "k": 8},
                                                            op="Y[i,j] += A[i,k] * B[k,j]"), 3)])
        self.assertEqual((two.layers, two.repeats), (["gemm", "small"], [1, 3]))
        result = sator.analyze(two, array(), sator.Dataflow(**SKEWED))
        each = [sator.analyze(two, array(), sator.Dataflow(**SKEWED), layer=i).total_cycles for i in range(2)]
        self.assertEqual(result.total_cycles, each[0] + 3 * each[1])
        self.assertEqual([r.total_cycles for r in result.layers], each)
        self.assertIn("<table>", result._repr_html_())
        with self.assertRaises(IndexError):
            sator.analyze(two, array(), sator.Dataflow(**SKEWED), layer=2)
        with self.assertRaises(KeyError):
            sator.analyze(two, array(), sator.Dataflow(**SKEWED), layer="large")

    def test_density(self):
        """By hand, as in test/cli/density.sh: of 64 words of A, instances and accesses of B and Y."""
        sizes, op = {"i": 4, "j": 2, "k": 8}, "Y[i,j] += A[i,k] * B[k,j]"
        sparse = sator.Workload("sparse", sizes=sizes, op=op, density={"A": 0.5, "B": 0.25})
        dense = sator.Workload("dense", sizes=sizes, op=op)
        arch = sator.Arch("gates", [
            sator.Memory("DRAM", energy_pj=100, gating={"A": ["A"]}), sator.Array("PE", [2]),
            sator.Memory("registers", energy_pj=1, gating={"B": ["A"], "Y": ["A", "B"]}),
            sator.Compute("mac", energy_pj=10, gating=["A", "B"])])
        flow = sator.Dataflow(space="j", time="k, i")
        one, none = (sator.analyze(workload, arch, flow) for workload in (sparse, dense))
        saved = 3200 + 32 + 49 + 56 + 560
        self.assertEqual((one.energy_pj, one.expected_energy_pj), (none.energy_pj, none.energy_pj - saved))
        self.assertEqual(none.expected_energy_pj, None)
        both = sator.Network("both", [(sparse, 3), dense])
        total = sator.analyze(both, arch, flow)
        self.assertEqual(total.expected_energy_pj, total.energy_pj - 3 * saved)
        self.assertLess(sator.map(sparse, arch).expected_energy_pj, sator.map(sparse, arch).energy_pj)
        self.assertLess(sator.map(both, arch).expected_energy_pj, sator.map(both, arch).energy_pj)
        with self.assertRaisesRegex(sator.SatorError, "density"):
            sator.Workload("odd", sizes=sizes, op=op, density={"A": 1.5})

    def test_skipping(self):
        """As in test/cli/density.sh: of 64 instances on two PEs a share of 0.5 x 0.25 takes time."""
        sizes, op = {"i": 4, "j": 2, "k": 8}, "Y[i,j] += A[i,k] * B[k,j]"
        sparse = sator.Workload("sparse", sizes=sizes, op=op, density={"A": 0.5, "B": 0.25})
        arch = sator.Arch("skips", [sator.Memory("DRAM"), sator.Array("PE", [2]),
                                    sator.Compute("mac", skipping=["A", "B"])])
        result = sator.analyze(sparse, arch, sator.Dataflow(space="j", time="k, i"))
        self.assertEqual((result.total_cycles, result.to_dict()["latency_cycles"]["expected"]), (32, 4))

    def test_holds(self):
        """The known answers of doc/model.md, "Idle PEs": Y's words, and B's, without and with what idle PEs hold."""
        skewed = {"gemm:i=64,j=64,k=512": ("i%8, j%8", "i/8, j/8, k/32, i%8 + j%8 + k%32"),
                  "gemm:i=8,j=4,k=5": ("i%4, j%4", "8*(k/4) + 4*(i/4) + k%4 + i%4 + j%4")}
        links = [sator.Link("east", "PE[i,j] -> PE[i,j+1]"), sator.Link("south", "PE[i,j] -> PE[i+1,j]")]
        unique = []
        for holds in (None, "idle"):
            arch = sator.Arch("holds", [sator.Memory("DRAM"), sator.Array("PE", [8, 8], links=links),
                                        sator.Memory("registers", holds=holds), sator.Compute()])
            results = [sator.analyze(name, arch, sator.Dataflow(space=space, time=time))
                       for name, (space, time) in skewed.items()]
            unique.append(tuple(t["unique_volume"] for r, n in zip(results, "YB") for t in r.tensors if t["name"] == n))
        self.assertEqual(unique, [(65536, 40), (4096, 36)])

    def test_advice(self):
        """README.md's first example: what would make it faster."""
        result = sator.analyze("gemm", "systolic-2d-8x8", sator.Dataflow(**SKEWED), timing="roofline",
                               advise=True)
        first = result.advice[0]
        self.assertEqual((first["port"], first["bandwidth_bits"], first["cycles"]), ("scratchpad reads", 243, 276480))
        self.assertEqual(sator.analyze("gemm", "systolic-2d-8x8", sator.Dataflow(**SKEWED)).advice, [])

    def test_timing(self):
        arguments = ("gemm", "systolic-2d-8x8", sator.Dataflow(**SKEWED))
        result = sator.analyze(*arguments)
        shown = json.loads(shell("analyze", "gemm", "--arch", "systolic-2d-8x8", "--space", SKEWED["space"], "--time",
                                 SKEWED["time"], "--timing", "scheduled", "--json"))
        self.assertEqual(result.total_cycles, shown["latency_cycles"]["total"])
        self.assertEqual(result["latency_cycles.roofline"], sator.analyze(*arguments, timing="roofline").total_cycles)
        self.assertGreaterEqual(result.total_cycles, result["latency_cycles.roofline"])
        with self.assertRaises(ValueError):
            sator.analyze(*arguments, timing="exact")
        gemm = "gemm:i=24,j=20,k=18"
        mapping = sator.map(gemm, "tpu-8x8", objective="latency")
        shown = json.loads(shell("map", gemm, "--arch", "tpu-8x8", "--objective", "latency", "--timing", "scheduled",
                                 "--json"))
        self.assertEqual(mapping.total_cycles, shown["latency_cycles"]["total"])
        self.assertGreater(mapping.total_cycles, sator.map(gemm, "tpu-8x8", objective="latency", timing="roofline").total_cycles)
        points = sator.explore("gemm:i=12,j=8,k=5", "systolic-2d-8x8", timing="scheduled").query()
        times = [point["latency_cycles"] for point in points]
        waits = [p for p, t in zip(points, times) if t["total"] > max(t["compute"], t["read"], t["write"])]
        again = sator.analyze("gemm:i=12,j=8,k=5", "systolic-2d-8x8",
                              sator.Dataflow(**waits[0]["dataflow"]), timing="scheduled")
        self.assertEqual(again.total_cycles, waits[0]["latency_cycles"]["total"])
        with self.assertRaises(ValueError):
            sator.map(gemm, "tpu-8x8", timing="exact")
        plan = sator.plan(*arguments, timing="scheduled")
        self.assertEqual(plan.evaluate([list(plan.loops.values())], ["latency"])["latency"][0], result.total_cycles)

    def test_large_counts(self):
        """A count beyond 2^53 and one beyond 2^64 stay exact."""
        n = 2**22
        result = sator.analyze(gemm(i=n, j=n, k=n), array(), sator.Dataflow(**SKEWED))
        self.assertEqual(result.instances, n**3)

    def test_tables(self):
        result = sator.analyze(gemm(), array(), sator.Dataflow(**SKEWED))
        frame = result.to_pandas()
        self.assertEqual(frame.loc[("A", "read"), "unique_volume"], 2097152)
        for table in ("levels", "ports", "energy", "figures"):
            self.assertGreater(len(result.to_pandas(table)), 0)
        with self.assertRaises(ValueError):
            result.to_pandas("nothing")
        odd = sator.Workload("<b>&", sizes={"i": 4}, op="Y[i] += A[i]")
        html = sator.analyze(odd, array(), sator.Dataflow(space="i%8, 0", time="i/8"))._repr_html_()
        self.assertIn("&lt;b&gt;&amp;", html)
        self.assertNotIn("<b>", html)


class Mappings(unittest.TestCase):
    def test_one(self):
        mapping = sator.map("alexnet", "eyeriss", layer="conv3")
        shown = json.loads(shell("map", "alexnet", "--layer", "conv3", "--arch", "eyeriss", "--json"))
        self.assertTrue(mapping.proved)
        self.assertEqual(mapping.edp, shown["edp"])
        self.assertEqual(mapping.levels[2]["used"], shown["levels"][2]["used"])
        self.assertIn("<svg", mapping._repr_html_())
        self.assertGreater(len(mapping.to_pandas()), 0)

    def test_network(self):
        small = {"sizes": {"i": 16, "j": 16, "k": 16}, "op": "Y[i,j] += A[i,k] * B[k,j]"}
        net = sator.Network("net", [{"name": "a", **small}, {"name": "b", **small, "repeat": 2},
                                    {"name": "c", **small, "sizes": {"i": 8, "j": 16, "k": 4}}])
        mapped = sator.map(net, "conventional")
        self.assertEqual([m.workload for m in mapped.layers], ["a", "b", "c"])
        self.assertEqual(mapped.layers[0].total_cycles, mapped.layers[1].total_cycles)
        self.assertEqual(mapped.total_cycles, sum(n * m.total_cycles for n, m in zip((1, 2, 1), mapped.layers)))
        self.assertEqual(len(mapped.to_pandas()), 3)

    def test_front(self):
        front = sator.map("gemm:i=32,j=32,k=32", "conventional", pareto=True)
        energies = [m.energy_pj for m in front]
        cycles = [m.total_cycles for m in front]
        self.assertGreater(len(front), 0)
        self.assertEqual(energies, sorted(energies))
        self.assertEqual(cycles, sorted(cycles, reverse=True))

    def test_network_front(self):
        front = sator.map("alexnet", "conventional", pareto=True)
        energies = [p["energy_pj"] for p in front.points]
        cycles = [p["latency_cycles"] for p in front.points]
        self.assertEqual((energies, cycles), (sorted(energies), sorted(cycles, reverse=True)))
        least = sum(layer["repeat"] * layer["front"][0]["energy_pj"]["total"] for layer in front.layers)
        fastest = sum(layer["repeat"] * layer["front"][-1]["latency_cycles"]["total"] for layer in front.layers)
        self.assertAlmostEqual(energies[0] / least, 1)
        self.assertEqual(cycles[-1], fastest)

    def test_infeasible(self):
        with self.assertRaises(sator.InfeasibleError):
            sator.map("gemm:i=8,j=8,k=8", "conventional", constraints=["utilization 1", "PE: only"])

    def test_progress(self):
        seen = []
        sator.map("alexnet", "eyeriss", layer="conv2", progress=seen.append)
        self.assertTrue(all(isinstance(p, sator.MapProgress) for p in seen))

        def fail(progress):
            raise RuntimeError("no more")

        try:  # a search that is short tells nothing
            sator.map("alexnet", "eyeriss", strategy="random", samples=20_000_000, progress=fail)
            self.fail("the search went on")
        except RuntimeError as error:
            self.assertEqual(str(error), "no more")


class Certificates(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "why.cert")
        self.folder = folder.name

    def test_is_what_the_command_line_writes(self):
        sator.map("gemm:i=8,j=8,k=8", "conventional", certificate=self.path)
        other = os.path.join(self.folder, "shell.cert")
        shell("map", "gemm:i=8,j=8,k=8", "--arch", "conventional", "--certificate", other)
        with open(self.path) as ours, open(other) as shells:
            self.assertEqual(ours.read(), shells.read())
        check = sator.check(self.path)
        self.assertTrue(check.holds)
        self.assertEqual((check.mappings, check.verified), (1, check.total))
        self.assertIn(check.report.splitlines()[0], shell("check", other))

    def test_of_a_network_equal_layers_have_one(self):
        net = sator.Network("three", [sator.Workload(name, sizes={"i": 8, "j": 8, "k": k}, op="Y[i,j] += A[i,k] * B[k,j]")
                                      for name, k in (("a", 8), ("b", 4), ("c", 8))])
        sator.map(net, "conventional", certificate=self.path)
        check = sator.check(self.path)
        self.assertTrue(check.holds)
        self.assertEqual(check.mappings, 2)

    def test_a_wrong_one_does_not_hold(self):
        sator.map("gemm:i=8,j=8,k=8", "conventional", certificate=self.path)
        with open(self.path) as file:
            text = file.read()
        value = next(line for line in text.splitlines() if line.startswith("value: "))
        with open(self.path, "w") as file:
            file.write(text.replace(value, "value: 1"))
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            check = sator.check(self.path)
        self.assertFalse(check.holds)
        self.assertTrue(any(issubclass(warning.category, sator.SatorWarning) for warning in seen))

    def test_what_cannot_be(self):
        with self.assertRaises(sator.InputError):
            sator.map("gemm:i=8,j=8,k=8", "conventional", strategy="random", certificate=self.path)
        told = []
        with self.assertRaisesRegex(sator.InputError, "do not divide by the scheduled time"):
            sator.map("resnet50", "conventional", timing="scheduled", imperfect=True, certificate=self.path, progress=told.append)
        self.assertEqual(told, [])  # before the search
        self.assertFalse(os.path.exists(self.path))
        with self.assertRaises(OSError):
            sator.map("resnet18", "conventional", certificate=os.path.join(self.folder, "none", "why.cert"))
        with self.assertRaises(ValueError):
            sator.map("gemm", "conventional", pareto=True, certificate=self.path)
        with open(self.path, "w") as file:
            file.write("nothing of the sort\n")
        with self.assertRaises(sator.InputError):
            sator.check(self.path)


class Executions(unittest.TestCase):
    FLOW = {"space": "i, j", "time": "i + j + k"}

    def test_one(self):
        """2 x 2 x 3 instances on 2 x 2 PEs, skewed: the last of them runs at 1 + 1 + 2."""
        seen = []
        with tempfile.TemporaryDirectory() as work:
            trace, events = os.path.join(work, "trace.json"), os.path.join(work, "events")
            run = sator.simulate(gemm(i=2, j=2, k=3), array(2, 2), sator.Dataflow(**self.FLOW), trace=trace,
                                 events=events, progress=seen.append)
            with open(trace, encoding="utf-8") as file:
                self.assertTrue(json.load(file))
            with open(events, encoding="utf-8") as file:
                self.assertEqual(json.loads(file.readline())["shape"], [2, 2])
        self.assertTrue(run.agrees)
        self.assertEqual((run.to_dict()["instances"], run.to_dict()["time_stamps"]), (12, 5))
        self.assertEqual(run.differences, [])
        self.assertTrue(all(isinstance(p, sator.SimulateProgress) for p in seen))
        self.assertIn("equal to the loop nest", str(run))

    def test_wrong(self):
        arguments = (gemm(i=2, j=2, k=3), array(2, 2), sator.Dataflow(**self.FLOW))
        with self.assertRaises(OSError):
            sator.simulate(*arguments, trace="/nowhere/trace.json")
        with self.assertRaises(ValueError):
            sator.simulate("alexnet", "eyeriss", "conv2d/ryoy-p_oy-ox-t")


class Several(unittest.TestCase):
    def test_dataflows(self):
        results = [sator.analyze("gemm", "systolic-2d-8x8", flow) for flow in ("gemm/ij-p_j-ijk-t", "gemm/kj-p_k-ijk-t")]
        compared = sator.compare(*results, sort="latency")
        frame = compared.to_pandas()
        self.assertEqual(list(frame["latency_cycles.total"]), sorted(r.total_cycles for r in results))
        self.assertIn("best of its column", str(compared))
        self.assertIn("| --- |", compared.to_markdown())
        self.assertIn("toprule", compared.to_latex())
        with self.assertRaises(sator.UsageError):
            sator.compare(*results, sort="latencyy")

    def test_machines(self):
        maps = [sator.map("gemm:i=16,j=16,k=16", arch) for arch in ("conventional", "eyeriss")]
        frame = sator.compare(*maps).to_pandas()
        self.assertEqual(list(frame["latency_cycles.total"]), [m.total_cycles for m in maps])
        networks = [sator.map("alexnet", arch) for arch in ("conventional", "eyeriss")]
        self.assertIn("eyeriss", str(sator.compare(*networks)))
        with self.assertRaises(ValueError):
            sator.compare(maps[0], sator.analyze("gemm", "systolic-2d-8x8", "gemm/ij-p_j-ijk-t"))
        with self.assertRaises(TypeError):
            sator.compare(networks[0].layers[0])
        with self.assertRaises(ValueError):
            sator.compare()


class OtherTools(unittest.TestCase):
    def test_formats(self):
        arch = array(4, 4)
        text = sator.convert("timeloop", workload=gemm(i=8, j=8, k=8))
        self.assertIn("problem", text)
        self.assertEqual(sator.convert("sator", arch=arch), arch.to_yaml())
        with self.assertRaises(ValueError):
            sator.convert("excel", arch=arch)
        with self.assertRaises(sator.SatorError):
            sator.convert("timeloop")

    def test_space_time(self):
        """i and j across the array, i + j + k in time: 4 + 4 + 8 - 2 stamps."""
        flow = sator.space_time([[1, 0, 0], [0, 1, 0], [1, 1, 1]], gemm(i=4, j=4, k=8), array(4, 4))
        self.assertEqual(sator.analyze(gemm(i=4, j=4, k=8), array(4, 4), flow).time_stamps, 14)


class Pages(unittest.TestCase):
    def test_analyses(self):
        result = sator.analyze(gemm(i=4, j=4, k=4), array(4, 4), sator.Dataflow(space="i,j", time="i+j+k"))
        page = sator.report(result, command="mine.py", from_stamp=[1], stamps=6)
        data = page.to_dict()
        self.assertEqual(data["command"], "mine.py")
        self.assertEqual(data["windows"][0]["stamps"], [1, 2, 3, 4, 5, 6])
        self.assertEqual(data["results"][0]["json"]["latency_cycles"]["total"], result.total_cycles)
        self.assertIn("<!doctype html>", page.html().lower())
        for picture in ("machine", "array", "roofline", "tree"):
            self.assertTrue(page.svg(picture).startswith("<svg"), picture)
        self.assertIn("PE", page.show("tree", ascii=True))
        self.assertIn("<svg", page._repr_html_())
        with self.assertRaises(sator.UsageError):
            page.svg("nothing")
        with self.assertRaises(sator.InputError):
            page.svg("pareto")

    def test_mappings(self):
        page = sator.report(*[sator.map("alexnet", arch) for arch in ("conventional", "eyeriss")])
        designs = page.to_dict()["designs"]
        self.assertEqual([len(d["layers"]) for d in designs], [8, 8])
        front = sator.map("gemm:i=32,j=32,k=32", "conventional", pareto=True)
        self.assertEqual(len(sator.report(front).to_dict()["designs"]), len(front))
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "page.html")
            page.save(path)
            self.assertGreater(os.path.getsize(path), 100_000)
        with self.assertRaises(ValueError):
            sator.report()
        with self.assertRaises(ValueError):
            sator.report(sator.map("alexnet", "conventional", pareto=True))

    def test_database(self):
        found = sator.explore("gemm:i=16,j=16,k=16", "systolic-2d-8x8")
        page = sator.report(database=found.database)
        self.assertEqual(page.to_dict()["points"]["rows"], len(found.query()))
        self.assertTrue(page.svg("pareto").startswith("<svg"))

    def test_outlives_its_results(self):
        page = sator.report(sator.map("gemm:i=8,j=8,k=8", "conventional"))
        gc.collect()
        self.assertIn("<svg", page.svg("machine"))


class Errors(unittest.TestCase):
    def expect(self, kind, call, **fields):
        with self.assertRaises(kind) as caught:
            call()
        for name, value in fields.items():
            self.assertEqual(getattr(caught.exception, name), value, str(caught.exception))
        return caught.exception

    def test_file(self):
        with tempfile.TemporaryDirectory() as work:
            path = os.path.join(work, "wrong.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write('name: wrong\nsizes: {i: 8, j: 0}\nop: "Y[i] += A[i,q]"\n')
            error = self.expect(sator.InputError, lambda: sator.Workload.load(path), file=path, line=2, column=18)
            self.assertEqual(len(error.messages), 2)
            self.assertEqual(error.messages[1].line, 3)
            self.assertIn("^", str(error))
            self.assertIsInstance(error, ValueError)

    def test_object(self):
        error = self.expect(sator.InputError, lambda: sator.Arch("mine", [sator.Memory("L1", capcity_bytes=4),
                                                                          sator.Array("PE", [8]), sator.Compute()]),
                            file="<Arch mine>", line=3)
        self.assertIn("capacity_bytes", str(error))
        error = self.expect(sator.InputError, lambda: sator.Dataflow(space="i%0", time="j"), file="space", line=1)
        self.assertNotIn("--", str(error))
        with self.assertRaises(ValueError):
            sator.Arch("nan", [sator.Memory("L1", bandwidth_bits=float("nan")), sator.Compute()])
        with self.assertRaises(TypeError):
            sator.Arch("object", [sator.Memory("L1", bandwidth_bits=object()), sator.Compute()])

    def test_calls(self):
        flow = sator.Dataflow(**SKEWED)
        self.expect(sator.InputError, lambda: sator.analyze("gmm", "systolic-2d-8x8", flow))
        self.expect(sator.UsageError, lambda: sator.analyze(gemm(), array(), flow, bandwidths=[float("nan")]))
        self.expect(sator.UsageError, lambda: sator.analyze(gemm(), array(), flow, bandwidths=[-1]))
        self.expect(ValueError, lambda: sator.analyze(gemm(), array(), flow, engine="fast"))
        self.expect(TypeError, lambda: sator.analyze(gemm(), flow, array()))
        self.expect(TypeError, lambda: sator.analyze(3, array(), flow))
        self.expect(sator.UsageError, lambda: sator.map(gemm(), "conventional", budget_seconds=-1))
        self.expect(sator.UsageError, lambda: sator.explore(gemm(), "systolic-2d-8x8", skew=50))
        self.expect(sator.LimitError, lambda: sator.analyze(gemm(), array(), flow, engine="general", work_limit=1))

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sator.Workload("idle", sizes={"i": 4, "q": 4}, op="Y[i] += A[i]")
        self.assertEqual([w.category for w in caught], [sator.SatorWarning])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(sator.SatorWarning):
                sator.Workload("idle", sizes={"i": 4, "q": 4}, op="Y[i] += A[i]")


class Plans(unittest.TestCase):
    def setUp(self):
        self.plan = sator.plan("gemm", "systolic-2d-8x8", sator.Dataflow(**SKEWED))

    def test_points(self):
        points = numpy.array([[8, 8, 8], [60, 60, 60], [600, 600, 600], [1, 17, 5]])
        made = self.plan.evaluate(points, ["latency_cycles.compute", "tensors.A.unique_volume", "edp"])
        # examples/extents.c and its output in README.md
        self.assertEqual(made["latency_cycles.compute"][1:3].tolist(), [4672, 3453750])
        self.assertEqual(made["tensors.A.unique_volume"].dtype, numpy.int64)
        for i, (ni, nj, nk) in enumerate(points.tolist()):
            one = sator.analyze(f"gemm:i={ni},j={nj},k={nk}", "systolic-2d-8x8", sator.Dataflow(**SKEWED))
            self.assertEqual(made["edp"][i], one.edp)
            self.assertEqual(made["tensors.A.unique_volume"][i], one.tensors[0]["unique_volume"])
        self.assertEqual(made.to_pandas()["j"].tolist(), [8, 60, 600, 17])

    def test_threads(self):
        random = numpy.random.default_rng(1)
        points = random.integers(1, 500, size=(3000, 3))
        one = self.plan.evaluate(points, ["latency", "energy", "stamps"])
        many = self.plan.evaluate(points, ["latency", "energy", "stamps"], threads=7)
        for figure in one.columns:
            self.assertTrue((one[figure] == many[figure]).all())
        self.assertTrue((one["stamps"] == points.prod(axis=1)).all())

    def test_shapes(self):
        self.assertEqual(len(self.plan.evaluate({"i": numpy.arange(1, 6), "k": 3})), 5)
        self.assertEqual(len(self.plan.evaluate(numpy.empty((0, 3), dtype=int))), 0)
        self.assertEqual(self.plan.evaluate(numpy.asfortranarray([[8, 16, 24], [1, 2, 3]])).extents.tolist(),
                         [[8, 16, 24], [1, 2, 3]])
        with self.assertRaises(ValueError):
            self.plan.evaluate([[1, 2]])
        with self.assertRaises(TypeError):
            self.plan.evaluate([[1.5, 2, 3]])
        with self.assertRaises(KeyError):
            self.plan.evaluate({"q": [1]})
        with self.assertRaises(sator.UsageError) as caught:
            self.plan.evaluate([[8, 8, 8]], ["latencie"])
        self.assertIn("did you mean 'latency", str(caught.exception))
        with self.assertRaises(sator.UsageError):
            self.plan.evaluate([[8, 8, 8]], ["bound_by"])

    def test_wrong_points(self):
        points = [[8, 8, 8], [0, 8, 8], [8, 8, -5]]
        with self.assertRaises(sator.InputError):
            self.plan.evaluate(points)
        made = self.plan.evaluate(points, ["latency", "stamps"], errors="nan")
        self.assertEqual(made.valid.tolist(), [True, False, False])
        self.assertEqual(numpy.isnan(made["latency"]).tolist(), [False, True, True])
        self.assertEqual(made["stamps"].tolist(), [512, -1, -1])
        with self.assertRaises(sator.OverflowError):  # (2^40)^3 is no int64
            self.plan.evaluate([[2**40] * 3], ["stamps"])

    def test_raw_buffers(self):
        """The extension itself refuses buffers that are too short, or may not be written."""
        raw = self.plan._plan
        points = numpy.ones((4, 3), dtype=numpy.int64)
        with self.assertRaises(ValueError):
            raw.evaluate(points, 5, [], None, 1)
        with self.assertRaises(ValueError):
            raw.evaluate(points, 4, [("edp", False, numpy.empty(3))], None, 1)
        with self.assertRaises((ValueError, BufferError)):
            raw.evaluate(points, 4, [("edp", False, b"0" * 32)], None, 1)
        with self.assertRaises(TypeError):
            raw.evaluate(points, 4, [("edp", False, None)], None, 1)

    def test_lock_is_released(self):
        """Another thread of the interpreter runs while points are evaluated."""
        points = numpy.random.default_rng(2).integers(1, 500, size=(20000, 3))
        done = threading.Event()
        count = 0

        def work():
            self.plan.evaluate(points)
            done.set()

        thread = threading.Thread(target=work)
        thread.start()
        while not done.is_set():
            count += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(count, 3)

    def test_outlives_its_inputs(self):
        plan = sator.plan(gemm(), array(), sator.Dataflow(**SKEWED))
        gc.collect()
        self.assertEqual(plan.evaluate([[256, 256, 256]], ["latency"])["latency"][0], SKEWED_CYCLES)
        self.assertEqual(plan.loops, {"i": 256, "j": 256, "k": 256})


class Explorations(unittest.TestCase):
    def test_space(self):
        told = []
        made = sator.explore("gemm:i=16,j=16,k=16", "systolic-2d-8x8", progress=told.append, threads=2)
        self.assertTrue(made.summary["complete"])
        best = made.query(sort="latency", top=1)
        self.assertEqual(len(best), 1)
        shown = min(r["latency_cycles"]["total"] for r in made.query())
        self.assertEqual(best[0]["latency_cycles"]["total"], shown)
        self.assertEqual(len(made.to_pandas()), made.summary["results"])

    def test_own_machine(self):
        made = sator.explore(gemm(i=16, j=16, k=16), array(), vary={"levels.PE.shape": [[4, 4], [8, 8]]}, threads=1)
        self.assertEqual({r["hardware"] for r in made.query()}, {0, 1})


class Interrupts(unittest.TestCase):
    """Ctrl-C ends every kind of long call soon."""

    def interrupt(self, call):
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            call()
        self.assertLess(time.monotonic() - start, 30)
        timer.join()

    def test_plan(self):
        plan = sator.plan("gemm", "systolic-2d-8x8", sator.Dataflow(**SKEWED))
        points = numpy.full((20_000_000, 3), 257)
        self.interrupt(lambda: plan.evaluate(points, ["latency"], threads=2))

    def test_map(self):
        self.interrupt(lambda: sator.map("alexnet", "eyeriss", strategy="random", samples=10**9))

    def test_explore(self):
        self.interrupt(lambda: sator.explore("vgg16", "systolic-2d-8x8", skew=2, threads=2))


class Leaks(unittest.TestCase):
    """What is made and dropped many times leaves nothing behind."""

    def count(self, call, rounds=200):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        resident()
        for _ in range(rounds):  # pools fill first
            call()
        gc.collect()
        references = sys.gettotalrefcount() if hasattr(sys, "gettotalrefcount") else None
        blocks, before = sys.getallocatedblocks(), resident()
        for _ in range(rounds):
            call()
        gc.collect()
        self.assertLess(sys.getallocatedblocks() - blocks, rounds + 100)  # caches vary by some
        if references is not None:
            self.assertLess(sys.gettotalrefcount() - references, rounds + 100)
        if "asan" not in os.environ.get("LD_PRELOAD", ""):  # a sanitizer keeps what is freed for a while
            self.assertLess(resident() - before, 4 << 20)

    def test_a_leak_is_seen(self):
        kept = []
        with self.assertRaises(AssertionError):
            self.count(lambda: kept.append((object(), object())), 300)

    def wrong(self):
        try:
            sator.Arch("mine", [sator.Memory("L1", capcity_bytes=4)])
        except sator.InputError:
            pass

    def test_inputs(self):
        self.count(lambda: (gemm(), array(), sator.Dataflow(**SKEWED)))

    def test_errors(self):
        self.count(self.wrong)

    def test_results(self):
        self.count(lambda: sator.analyze(gemm(), array(), sator.Dataflow(**SKEWED)).to_dict())

    def test_mappings(self):
        self.count(lambda: sator.map("gemm:i=8,j=8,k=8", "conventional").to_dict(), 100)

    def test_executions(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "why.cert")

            def certify():
                sator.map("gemm:i=4,j=4,k=4", "systolic-1d", constraints="PE: skew 0", certificate=path)
                sator.check(path)

            self.count(certify, 20)
        self.count(lambda: sator.simulate(gemm(i=2, j=2, k=2), array(), sator.Dataflow(**SKEWED)).to_dict(), 100)

    def test_pages(self):
        result = sator.analyze(gemm(), array(), sator.Dataflow(**SKEWED))
        mapped = sator.map("gemm:i=8,j=8,k=8", "conventional")
        self.count(lambda: sator.report(result, mapped, stamps=2).svg("machine"), 50)
        self.count(lambda: str(sator.compare(result, result)))

    def test_plans(self):
        points = numpy.ones((10, 3), dtype=numpy.int64)
        self.count(lambda: sator.plan(gemm(), array(), sator.Dataflow(**SKEWED)).evaluate(points))

    def test_references(self):
        """Objects that are passed in keep their counts."""
        nest, arch, flow = gemm(), array(), sator.Dataflow(**SKEWED)
        held = [o._input for o in (nest, arch, flow)]
        before = [sys.getrefcount(o) for o in held]
        plan = sator.plan(nest, arch, flow)
        self.assertEqual([sys.getrefcount(o) for o in held], [n + 1 for n in before])
        for _ in range(100):
            sator.analyze(nest, arch, flow)
            plan.evaluate([[1, 2, 3]])
        del plan
        self.assertEqual([sys.getrefcount(o) for o in held], before)


class Imports(unittest.TestCase):
    def test_sub_interpreter(self):
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            try:
                import _interpreters as interpreters
            except ImportError:
                self.skipTest("no sub-interpreters here")
        number = interpreters.create()
        code = ("try:\n    import sator\n    raise SystemExit('imported')\n"
                "except ImportError as error:\n    assert 'sub-interpreter' in str(error), error\n")
        try:
            interpreters.run_string(number, f"import sys\nsys.path[:] = {sys.path!r}\n" + code)
        finally:
            interpreters.destroy(number)

    def test_free_threading(self):
        code = ("import sysconfig\nget = sysconfig.get_config_var\n"
                "sysconfig.get_config_var = lambda name: 1 if name == 'Py_GIL_DISABLED' else get(name)\n"
                "try:\n    import sator\nexcept ImportError as error:\n    print(error)\n")
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertIn("free-threaded", out)

    def test_lists(self):
        self.assertIn("gemm", sator.library("workloads"))
        self.assertIn("eyeriss", sator.library())
        with self.assertRaises(ValueError):
            sator.library("machines")
        self.assertEqual(sator.__version__, shell("--version").split()[-1])

    def test_every_name_has_a_docstring(self):
        for name in sator.__all__:
            self.assertTrue(getattr(sator, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
