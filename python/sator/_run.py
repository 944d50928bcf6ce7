"""Analyses, mappings, plans and explorations. All release the interpreter's lock, and end with KeyboardInterrupt soon
after Ctrl-C."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import warnings
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping as MappingOf, NamedTuple, Optional, Sequence
from typing import Tuple, Union

from . import _sator
from ._errors import SatorWarning
from ._inputs import Arch, Dataflow, Network, Setting, Workload, _Input, _Nest, _settings
from ._results import Comparison, Evaluation, Exploration, Front, Mapping, NetworkFront, NetworkMapping, NetworkResult
from ._results import Page, Result, Simulation, _Outcome, _counts

if TYPE_CHECKING:
    import numpy
    from numpy.typing import ArrayLike

Spec = Union[str, "os.PathLike[str]"]
AnyNetwork = Union[Spec, Sequence[Spec], Workload, Network]
AnyArch = Union[Spec, Arch]
AnyDataflow = Union[Spec, Dataflow]


class MapProgress(NamedTuple):
    """How far a search for a mapping is."""

    best: float
    """The objective's value so far; NaN: none yet."""
    bound: float
    """Nothing is better than this."""
    evaluated: int
    """Mappings costed."""
    layers_done: int


class SimulateProgress(NamedTuple):
    """How far an execution is."""

    instances: int
    """Loop instances that have run."""
    of: int
    """Of so many."""


class ExploreProgress(NamedTuple):
    """How far an exploration is."""

    best: float
    """Of the first objective; NaN: none yet."""
    points_per_second: float
    points_done: int
    points_total: int
    results: int


def _choose(what: str, word: str, words: Sequence[str]) -> int:
    if word not in words:
        raise ValueError(f"{what} {word!r} is not one of {', '.join(words)}")
    return list(words).index(word)


def _network(given: AnyNetwork) -> _Nest:
    if isinstance(given, _Nest):
        return given
    if isinstance(given, (str, os.PathLike)):
        made: Network = Network.load(given)
        return made
    if isinstance(given, Sequence) and given:
        several: Network = Network.load(*given)
        return several
    raise TypeError("a workload is the name of a file or library entry, a Workload or a Network")


def _arch(given: AnyArch) -> _sator.Input:
    if isinstance(given, (str, os.PathLike)):
        return Arch.load(given)._input
    if isinstance(given, Arch):
        return given._input
    raise TypeError("an architecture is the name of a file or library entry, or an Arch")


def _dataflow(given: AnyDataflow) -> _sator.Input:
    if isinstance(given, (str, os.PathLike)):
        return Dataflow.load(given)._input
    if isinstance(given, Dataflow):
        return given._input
    raise TypeError("a dataflow is the name of a file or library entry, or a Dataflow")


_ENGINES = ("auto", "closed", "general", "listed", "tiled")
_MODELS = ("sator", "tenet")


_TIMINGS = ("auto", "roofline", "scheduled")


def analyze(workload: AnyNetwork, arch: AnyArch, dataflow: AnyDataflow, *, layer: Union[None, int, str] = None,
            engine: str = "auto", model: str = "sator", timing: str = "auto", advise: bool = False,
            bandwidths: Sequence[float] = (), work_limit: int = 0) -> Union[Result, NetworkResult]:
    """Analyse a workload on an architecture under a dataflow: a Result, for a network a NetworkResult.

    layer: of a network, only this one, by name or number from 0; engine: "auto", "closed", "tiled", "listed", "general", which
    give the same numbers; model: "sator" (doc/model.md) or "tenet" (that paper's equations); timing: what total_cycles
    is, "scheduled" (phases, cycles) or "roofline" (everything overlaps: a lower bound, cycles), "auto":
    scheduled, but for "tenet", which knows no phases; advise: also find what would make it faster, ``result.advice``; bandwidths: also the latency at these bandwidths of the
    scratchpad, bits per cycle; work_limit: give up a counting question after so many units of work, 0: the default.
    """
    network = _network(workload)
    number = network._layer(layer)
    outcome = _sator.analyze(network._input, number, _arch(arch), _dataflow(dataflow),
                             _choose("engine", engine, _ENGINES), _choose("model", model, _MODELS),
                             _choose("timing", timing, _TIMINGS), advise, [float(b) for b in bandwidths], work_limit)
    return NetworkResult(outcome) if number < 0 else Result(outcome)


# ---- progress ----


def _in_notebook() -> Any:
    """A place in the notebook's output that can be written again, or None elsewhere."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython

    if type(get_ipython()).__name__ != "ZMQInteractiveShell":
        return None
    from IPython.display import display

    return display({"text/plain": ""}, raw=True, display_id=True)


def _reporter(progress: Any, kind: Any, line: Callable[[Any], str]) -> Tuple[Any, Callable[[], None]]:
    """What the extension calls, and what ends it. True: a line that is written again and again."""
    if progress is None or progress is False:
        return None, lambda: None
    if progress is not True:
        return (lambda told: progress(kind(*told))), lambda: None
    handle = _in_notebook()

    def show(told: Any) -> None:
        text = line(kind(*told))
        if handle is not None:
            handle.update({"text/plain": text}, raw=True)
        else:
            print(f"\r{text:<78}", end="", file=sys.stderr, flush=True)

    def end() -> None:
        if handle is None:
            print("\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)

    return show, end


def _map_line(p: MapProgress) -> str:
    gap = f", within {100 * (p.best / p.bound - 1):.2f} %" if p.bound > 0 and p.best == p.best else ""
    return f"layer {p.layers_done + 1}: best {p.best:.6g}{gap}, {p.evaluated:,} mappings"


def _explore_line(p: ExploreProgress) -> str:
    return f"{p.points_done:,} of {p.points_total:,} points, {p.results:,} results, best {p.best:.6g}"


def _simulate_line(p: SimulateProgress) -> str:
    return f"{p.instances:,} of {p.of:,} loop instances"


# ---- executions ----


def simulate(workload: AnyNetwork, arch: AnyArch, dataflow: AnyDataflow, *, layer: Union[None, int, str] = None,
             engine: str = "auto", trace: Optional[Spec] = None, events: Optional[Spec] = None, first_cycle: int = 0,
             last_cycle: int = 0,
             progress: Union[None, bool, Callable[[SimulateProgress], None]] = None) -> Simulation:
    """Execute a dataflow word by word, with values and cycles, and compare with the analysis (doc/simulate.md).

    layer: of a network, which one; engine: of the analysis, as in analyze; trace: a file to write for trace viewers,
    events: one with an event a line; first_cycle, last_cycle: what of the run is written, in cycles, 0: to its end;
    progress: a function that is called now and then with a SimulateProgress, or True for a line of text. What disagrees
    is in the result, not an error.
    """
    network = _network(workload)
    number = network._layer(layer)
    if number < 0:
        raise ValueError("an execution is one layer's: say which by layer=")
    report, end = _reporter(progress, SimulateProgress, _simulate_line)
    try:
        outcome = _sator.simulate(network._input, number, _arch(arch), _dataflow(dataflow),
                                  _choose("engine", engine, _ENGINES), None if trace is None else os.fspath(trace),
                                  None if events is None else os.fspath(events), first_cycle, last_cycle, report)
    finally:
        end()
    return Simulation(outcome)


# ---- mappings ----

_OBJECTIVES = ("edp", "energy", "latency")
_STRATEGIES = ("optimal", "sunstone", "random", "exhaustive")


def map(workload: AnyNetwork, arch: AnyArch, *, layer: Union[None, int, str] = None, objective: str = "edp",
        strategy: str = "optimal", constraints: Union[str, Sequence[str]] = (), imperfect: bool = False,
        pareto: bool = False, budget_seconds: float = 0, seed: int = 0, samples: int = 0, limit: float = 0,
        top_down: bool = False, intra_order: int = 0, threads: int = 1, work_limit: int = 0,
        timing: str = "auto", certificate: Optional[Spec] = None,
        progress: Union[None, bool, Callable[[MapProgress], None]] = None) -> Union[Mapping, NetworkMapping, Front, NetworkFront]:
    """Find the best mapping, with proof: a Mapping, for a network a NetworkMapping, with ``pareto`` a Front, for a
    network a NetworkFront.

    objective: "edp" (pJ x cycles), "energy" (pJ) or "latency" (cycles); strategy: "optimal", "sunstone", "random",
    "exhaustive"; constraints: "PE: only k c" and the like (doc/mapper.md); imperfect: innermost tiles need not divide
    extents; pareto: the front of energy (pJ) and latency (cycles), of a network that of its totals; budget_seconds: stop after so long, 0: never; seed,
    samples: of "random"; limit: the largest space of "exhaustive"; timing: what latencies are, as in analyze;
    "auto" is "roofline" for fronts, and for a certificate of what is covered by rooflines alone; certificate: a file to write why no mapping is
    better, for check() (doc/certificate.md); InputError for what certificates do not cover; progress: a function that is called now and then with a MapProgress, or True for a line of text.
    """
    network = _network(workload)
    number = network._layer(layer)
    if certificate is not None and pareto:
        raise ValueError("a certificate is of one mapping a layer, not of a front")
    if certificate is not None:
        _try_to_write(certificate)
    report, end = _reporter(progress, MapProgress, _map_line)
    try:
        outcome = _sator.map(network._input, number, _arch(arch), _choose("objective", objective, _OBJECTIVES),
                             _choose("strategy", strategy, _STRATEGIES),
                             [constraints] if isinstance(constraints, str) else list(constraints), imperfect, pareto,
                             budget_seconds, seed, samples, limit, top_down, intra_order, threads, work_limit,
                             _choose("timing", timing, _TIMINGS), certificate is not None, report)
    finally:
        end()
    if certificate is not None:
        _write_certificate(outcome, certificate)
    if pareto:
        return NetworkFront(outcome) if number < 0 else Front(outcome)
    return NetworkMapping(outcome) if number < 0 else Mapping(outcome)


def _try_to_write(path: Spec) -> None:
    """OSError for what cannot be written, before the work of finding out what; the file is as it was."""
    is_new = not os.path.lexists(path)
    with open(path, "a", encoding="utf-8"):
        pass
    if is_new:
        os.unlink(path)


def _write_certificate(outcome: _sator.Outcome, path: Spec) -> None:
    text, verified, total = outcome.certificate()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text or "")
    if verified < total:
        warnings.warn(f"{total - verified} of {total} parts of the certificate are not proved", SatorWarning,
                      stacklevel=3)


class CertificateCheck(NamedTuple):
    """What of a certificate is verified."""

    mappings: int
    """Certificates in the file: one a layer."""
    verified: int
    """Parts of the spaces, and the values of the mappings, that hold."""
    total: int
    """Of so many."""
    pieces: int
    """Of the spaces, that were bounded on the way."""
    report: str
    """A line a mapping: what is claimed of it, and how much of that is verified."""

    @property
    def holds(self) -> bool:
        """Whether all of it is verified: no mapping of the spaces is better."""
        return self.mappings > 0 and self.verified == self.total


def check(certificate: Spec) -> CertificateCheck:
    """Verify a certificate, a file that map() wrote, by bounds that share nothing with the search (doc/certificate.md).

    A part that does not hold is counted, with a SatorWarning; InputError for what is no certificate.
    """
    with open(certificate, encoding="utf-8") as file:
        text = file.read()
    return CertificateCheck(*_sator.check_certificate(os.fspath(certificate), text))


# ---- plans ----


class Plan:
    """One dataflow for one workload on one architecture, bound once and evaluated at many loop extents.

    Threads may evaluate one plan at once."""

    def __init__(self, plan: _sator.Plan) -> None:
        self._plan = plan

    @property
    def loops(self) -> Dict[str, int]:
        """The loops, outermost first, with their extents in the workload as it was read."""
        return dict(self._plan.loops)

    def evaluate(self, extents: Union["ArrayLike", MappingOf[str, "ArrayLike"]],
                 figures: Sequence[str] = ("latency_cycles.total", "energy_pj.total", "edp"), *, threads: int = 1,
                 errors: str = "raise") -> Evaluation:
        """Figures at every point.

        extents: iterations of the loops, a row a point in the order of ``loops``, or {loop: array or number}, where
        numbers, and the extents of loops that are left out, are for all points; figures: keys of the JSON of a result
        or short names ("latency", "energy", "tensors.A.unique_volume"); threads: 0: one a processor; errors: "raise"
        for a point that cannot be analysed, or "nan" (NaN, counts -1, ``valid`` False).
        """
        import numpy

        if errors not in ("raise", "nan"):
            raise ValueError(f"errors {errors!r} is not one of raise, nan")
        points = self._points(extents)
        n = len(points)
        columns: Dict[str, Any] = {}
        wanted: List[Tuple[str, bool, Any]] = []
        for figure in figures:
            is_count = self._plan.figure_kind(figure) == 1
            columns[figure] = numpy.empty(n, dtype=numpy.int64 if is_count else numpy.float64)
            wanted.append((figure, is_count, columns[figure]))
        valid = numpy.ones(n, dtype=numpy.bool_) if errors == "nan" else None
        self._plan.evaluate(points, n, wanted, valid, threads if threads > 0 else os.cpu_count() or 1)
        return Evaluation(list(self.loops), points, columns, valid)

    def _points(self, extents: Any) -> "numpy.ndarray[Any, Any]":
        import numpy

        loops = self.loops
        if isinstance(extents, MappingOf):
            unknown = [loop for loop in extents if loop not in loops]
            if unknown:
                raise KeyError(f"there is no loop {unknown[0]!r}: {', '.join(loops)}")
            given = [extents.get(loop, extent) for loop, extent in loops.items()]
            rows = numpy.stack(numpy.broadcast_arrays(*[numpy.atleast_1d(g) for g in given]), axis=-1)
        else:
            rows = numpy.atleast_2d(numpy.asarray(extents))
        if rows.size and not numpy.issubdtype(rows.dtype, numpy.integer):
            raise TypeError(f"extents are whole numbers, not {rows.dtype}")
        if rows.size and rows.dtype == numpy.uint64 and int(rows.max()) > numpy.iinfo(numpy.int64).max:
            raise ValueError("an extent does not fit into 64 bits")
        if rows.ndim != 2 or rows.shape[1] != len(loops):
            raise ValueError(f"extents have the shape {rows.shape}: a row has a number for each of {', '.join(loops)}")
        return numpy.ascontiguousarray(rows, dtype=numpy.int64)


def plan(workload: AnyNetwork, arch: AnyArch, dataflow: AnyDataflow, *, layer: Union[None, int, str] = None,
         engine: str = "auto", model: str = "sator", timing: str = "auto") -> Plan:
    """Bind a dataflow to a workload and an architecture, to be evaluated at many extents; as analyze."""
    network = _network(workload)
    number = network._layer(layer)
    if number < 0:
        raise ValueError("a plan is one layer's: say which by layer=")
    return Plan(_sator.plan(network._input, number, _arch(arch), _dataflow(dataflow),
                            _choose("engine", engine, _ENGINES), _choose("model", model, _MODELS),
                            _choose("timing", timing, _TIMINGS)))


# ---- explorations ----

_SPACES = ("tiled", "matrix", "optimal")
_PRUNES = ("safe", "movements", "none")


def explore(workload: AnyNetwork, arch: AnyArch, *, layer: Union[None, int, str] = None,
            sets: Optional[Setting] = None, vary: Optional[Setting] = None, dataflows: str = "tiled",
            prune: str = "safe", pack: int = 0, skew: Optional[int] = None, fold: int = 0, whole_skews: bool = False,
            idle: bool = False, symmetry: bool = True, ordered: bool = False, first_point: int = 0, n_points: int = 0,
            where: Optional[str] = None, keep: Optional[str] = None, objective: Optional[str] = None,
            budget_seconds: float = 0, imperfect: bool = False, threads: int = 0, database: Optional[Spec] = None,
            resume: bool = False, work_limit: int = 0, timing: str = "auto",
            progress: Union[None, bool, Callable[[ExploreProgress], None]] = None) -> Exploration:
    """Every dataflow of a space, or the best mapping of every layer, on every variant of an architecture
    (doc/explore.md), into a database.

    vary: fields of the architecture that vary, {"levels.PE.shape": [[4, 4], [8, 8]]} or ["PE.shape=[4,8]"]; dataflows:
    "tiled", "matrix" or "optimal"; skew: how many time dimensions are skewed, 0 to 2, None: the default, 1; objective:
    "latency" (default) or any expression over figures; where: results to keep; database: the file, None: a temporary
    one that lives as long as the Exploration; threads: 0: one a processor; timing: what latencies are, as in
    analyze; progress: as in map, with ExploreProgress.
    """
    network = _network(workload)
    number = network._layer(layer)
    report, end = _reporter(progress, ExploreProgress, _explore_line)
    with tempfile.TemporaryDirectory(prefix="sator-") as work:
        directory = None
        if database is None:
            directory = _Directory()
            database = os.path.join(directory.path, "exploration.db")
        spec = os.fspath(arch) if isinstance(arch, (str, os.PathLike)) else _as_file(arch, work)
        try:
            summary = _sator.explore(
                network._input, number, spec, _settings(sets), _settings(vary),
                _choose("dataflows", dataflows, _SPACES), _choose("prune", prune, _PRUNES), pack,
                0 if skew is None else -1 if skew == 0 else skew, fold, whole_skews, idle, not symmetry, ordered,
                first_point, n_points, where, keep, objective, budget_seconds, imperfect, threads,
                os.fspath(database), resume, work_limit, _choose("timing", timing, _TIMINGS), report)
        finally:
            end()
    return Exploration(os.fspath(database), summary, directory)


class _Directory:
    """A directory that goes with the object that keeps it."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="sator-")
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _as_file(arch: Any, directory: str) -> str:
    if not isinstance(arch, _Input):
        raise TypeError("an architecture is the name of a file or library entry, or an Arch")
    path = os.path.join(directory, "arch.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(arch.to_yaml())
    return path


def query(database: Spec, *, where: Optional[str] = None, sort: Optional[str] = None, pareto: Optional[str] = None,
          top: int = 0, layer: Optional[str] = None, whole_network: bool = False,
          per_hardware: bool = False) -> List[Dict[str, Any]]:
    """Results of a database, a dict each.

    where: "pes <= 256 and energy < 1e9"; sort: an objective, the best first; pareto: objectives, "latency,energy":
    only their front; top: the first so many of every layer, 0: all; whole_network: a row a dataflow that all layers
    have; per_hardware: a row a machine, every layer's own best added up.
    """
    text = _sator.query(os.fspath(database), where, sort, pareto, top, layer, whole_network, per_hardware, False, 1)
    fields: Dict[str, Any] = json.loads(text, object_pairs_hook=_counts)
    return list(fields["results"])


# ---- several, to look at ----

_Shown = Union[Result, NetworkResult, Mapping, NetworkMapping, Front, Simulation]


def _outcomes(results: Sequence[Any], what: str) -> List[_sator.Outcome]:
    for result in results:
        if not isinstance(result, _Outcome) or not hasattr(result, "_outcome"):
            raise TypeError(f"{what} takes what analyze, map and simulate return, not a {type(result).__name__} of a "
                            "network's layer or the like")
    return [result._outcome for result in results]


def compare(*results: Union[Result, NetworkResult, Mapping, NetworkMapping], sort: Optional[str] = None) -> Comparison:
    """Results side by side: analyses of one workload under several dataflows, or mappings onto several machines.

    sort: of analyses, a figure such as "latency_cycles.total" or "edp", the best first; None: as given.
    """
    return Comparison(_outcomes(results, "compare"), sort)


def report(*results: _Shown, database: Optional[Spec] = None, command: Optional[str] = None,
           from_stamp: Sequence[int] = (), stamps: int = 0) -> Page:
    """Results as one HTML file to look at in a browser, and single pictures of it (doc/report.md).

    results: each becomes a design, and mappings of a Front one each; database: results of an exploration, too;
    command: how the page is made again, shown on it; from_stamp, stamps: the window of the array's picture, from the
    time-stamp with these leading coordinates on, so many occupied time-stamps, 0: as many as the page can hold.
    """
    if not results and database is None:
        raise ValueError("a report is of one result at least")
    return Page(_sator.page(_outcomes(results, "report"), command, [int(t) for t in from_stamp], stamps,
                            None if database is None else os.fspath(database)))


# ---- other tools ----

_FORMATS = ("timeloop", "maestro", "zigzag", "scalesim", "accelergy", "c", "stt", "sator")


def convert(format: str, *, workload: Optional[AnyNetwork] = None, arch: Optional[AnyArch] = None,
            dataflow: Optional[AnyDataflow] = None, layer: Union[None, int, str] = None) -> str:
    """Inputs in the notation of another tool (doc/interop.md), as text: what is given of the three.

    format: "timeloop", "maestro", "zigzag", "scalesim", "accelergy", "c", "stt", or "sator", this library's own;
    layer: of a network, only this one. What the format cannot say is an InputError, what is left out a SatorWarning.
    """
    if format not in _FORMATS:
        raise ValueError(f"format {format!r} is not one of {', '.join(_FORMATS)}")
    network = None if workload is None else _network(workload)
    return _sator.convert(None if network is None else network._input, -1 if network is None else network._layer(layer),
                          None if arch is None else _arch(arch), None if dataflow is None else _dataflow(dataflow), format)


def space_time(matrix: Sequence[Sequence[int]], workload: AnyNetwork, arch: AnyArch, *,
               layer: Union[None, int, str] = None) -> Dataflow:
    """The dataflow of a space-time transformation: rows times the loops, the first rows the arrays' dimensions, the
    others time's, ``[[1,0,0], [0,1,0], [1,1,1]]``."""
    network = _network(workload)
    number = network._layer(layer)
    if number < 0:
        raise ValueError("a transformation is one layer's: say which by layer=")
    rows = [[int(entry) for entry in row] for row in matrix]
    made: Dataflow = Dataflow._of(_sator.stt(network._input, number, _arch(arch), json.dumps(rows)))
    return made
