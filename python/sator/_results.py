"""Results as objects: figures as attributes, all of them by to_dict, tables by to_pandas, a summary in notebooks.

What to_dict holds is the JSON that the command line prints (doc/output.md), with counts as ``int``.
"""

from __future__ import annotations

import html
import json
import os
import re
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _sator

if TYPE_CHECKING:
    import numpy
    import pandas

# Keys whose values are texts, whatever they look like; all other digits are counts.
_TEXTS = frozenset(("name", "workload", "arch", "dataflow", "network", "space", "time", "component", "source", "level",
                    "bound_by", "layer", "note", "settings"))
_DIGITS = re.compile(r"-?[0-9]+\Z")


def _counts(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    return {key: int(value) if isinstance(value, str) and key not in _TEXTS and _DIGITS.match(value) else value
            for key, value in pairs}


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:,.4g}" if isinstance(value, float) and abs(value) < 1000 else f"{value:,.0f}"
    return html.escape(str(value))


def _table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(v)}</td>" for v in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _bars(title: str, unit: str, parts: Sequence[Tuple[str, Optional[float]]]) -> str:
    """A picture: a bar a part, in the page's own colours."""
    known = [(name, value) for name, value in parts if value is not None]
    most = max((value for _, value in known), default=0)
    if not known or most <= 0:
        return ""
    height, lines = 18, []
    for i, (name, value) in enumerate(known):
        width = 260 * value / most
        y = height * i
        lines.append(f'<text x="150" y="{y + 13}" text-anchor="end">{html.escape(name)}</text>'
                     f'<rect x="156" y="{y + 2}" width="{width:.1f}" height="13" fill="#4477aa"/>'
                     f'<text x="{160 + width:.1f}" y="{y + 13}">{value:,.4g}</text>')
    return (f"<div>{html.escape(title)} ({html.escape(unit)})</div>"
            f'<svg role="img" width="520" height="{height * len(known) + 4}" font-size="11" fill="currentColor">'
            + "".join(lines) + "</svg>")


def _frame(rows: Sequence[Dict[str, Any]], index: Sequence[str] = ()) -> "pandas.DataFrame":
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas needs pandas; to_dict gives the same without") from error
    frame = pandas.DataFrame(list(rows))
    return frame.set_index(list(index)) if index and len(frame) else frame


def _flat(fields: Dict[str, Any], prefix: str = "") -> Dict[str, Any]:
    """Figures by their paths, "latency_cycles.total"; no lists."""
    flat: Dict[str, Any] = {}
    for key, value in fields.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{key}."))
        elif not isinstance(value, list):
            flat[prefix + key] = value
    return flat


class _Outcome:
    def __init__(self, outcome: _sator.Outcome) -> None:
        self._outcome = outcome
        self._fields: Optional[Dict[str, Any]] = None

    def to_dict(self) -> Dict[str, Any]:
        """Everything, as the JSON of the command line (doc/output.md); counts are int, what is not known is None."""
        if self._fields is None:
            self._fields = json.loads(self._outcome.report("json"), object_pairs_hook=_counts)
        return self._fields

    def to_csv(self) -> str:
        """The CSV of the command line."""
        return self._outcome.report("csv")

    def __str__(self) -> str:
        """The report of the command line."""
        return self._outcome.report("text")

    def __getitem__(self, path: str) -> Any:
        """A figure by its path: result["latency_cycles.total"]."""
        value: Any = self.to_dict()
        for key in path.split("."):
            if isinstance(value, dict) and key in value:
                value = value[key]
            else:
                raise KeyError(path)
        return value


class _OfFields(_Outcome):
    """Figures that analyses and mappings share: of a call, or of one layer of a network's."""

    def __init__(self, outcome: Optional[_sator.Outcome], fields: Optional[Dict[str, Any]] = None) -> None:
        if outcome is not None:
            super().__init__(outcome)
        else:
            self._fields = fields

    def to_csv(self) -> str:
        """The CSV of the command line."""
        self._need_outcome()
        return super().to_csv()

    def __str__(self) -> str:
        """The report of the command line; of a layer, a line."""
        return repr(self) if not hasattr(self, "_outcome") else super().__str__()

    def _need_outcome(self) -> None:
        if not hasattr(self, "_outcome"):
            raise ValueError("this is a part of a network's result, which has the table")

    @property
    def workload(self) -> str:
        """The workload's name, of a network the layer's."""
        return str(self.to_dict()["workload"])

    @property
    def arch(self) -> str:
        """The architecture's name."""
        return str(self.to_dict()["arch"])

    @property
    def instances(self) -> int:
        """Loop instances: multiply-accumulates."""
        return int(self.to_dict()["instances"])

    @property
    def total_cycles(self) -> float:
        """The latency, cycles: compute or the slowest port, whichever is larger."""
        value: float = self.to_dict()["latency_cycles"]["total"]
        return value

    @property
    def compute_cycles(self) -> float:
        """Cycles that the PEs take when no memory is too slow."""
        value: float = self.to_dict()["latency_cycles"]["compute"]
        return value

    @property
    def bound_by(self) -> str:
        """What decides the latency: "compute" or the name of a port."""
        return str(self.to_dict()["bound_by"])

    @property
    def energy_pj(self) -> Optional[float]:
        """Energy, pJ; None when a figure that it needs is not given."""
        energy = self.to_dict()["energy_pj"]
        value: Optional[float] = energy["total"] if energy else None
        return value

    @property
    def expected_cycles(self) -> Optional[float]:
        """At least so many cycles are expected where zeros are skipped; None when nothing says so."""
        value: Optional[float] = self.to_dict()["latency_cycles"].get("expected")
        return value

    @property
    def expected_energy_pj(self) -> Optional[float]:
        """Energy without what gating of zeros is expected to save, pJ; None when the workload states no density."""
        expected = self.to_dict()["energy_expected_pj"]
        value: Optional[float] = expected["total"] if expected else None
        return value

    @property
    def edp(self) -> Optional[float]:
        """Energy-delay product, pJ x cycles."""
        value: Optional[float] = self.to_dict()["edp"]
        return value

    @property
    def levels(self) -> List[Dict[str, Any]]:
        """The memories (of mappings, arrays too), outermost first, with tiles and traffic in words."""
        return list(self.to_dict()["levels"])

    def _pictures(self) -> str:
        d = self.to_dict()
        latency = [(k, d["latency_cycles"].get(k)) for k in ("compute", "read", "write")]
        energy = sorted(((k, v) for k, v in (d["energy_pj"] or {}).get("by_component", {}).items() if v),
                        key=lambda part: -float(part[1]))[:12]
        return _bars("latency", "cycles", latency) + _bars("energy", "pJ", energy)


class Result(_OfFields):
    """An analysis of one workload."""

    @property
    def dataflow(self) -> str:
        """The dataflow's name."""
        return str(self.to_dict()["dataflow"]["name"])

    @property
    def utilization_average(self) -> Optional[float]:
        """The share of PEs that are busy, on average over the time-stamps, 0 to 1."""
        value: Optional[float] = self.to_dict()["utilization"]["average"]
        return value

    @property
    def advice(self) -> List[Dict[str, Any]]:
        """What would make it faster, of analyze(..., advise=True): the port or memory, the factor of its bandwidth
        (bits per cycle) or capacity (bytes), and the cycles then; empty where compute decides."""
        return list(self.to_dict().get("advice", []))

    @property
    def time_stamps(self) -> int:
        """Occupied time-stamps."""
        return int(self.to_dict()["time_stamps"])

    @property
    def pes(self) -> int:
        """PEs of the machine."""
        return int(self.to_dict()["pes"])

    @property
    def tensors(self) -> List[Dict[str, Any]]:
        """Volumes of each tensor in each role, words (doc/model.md, section 2)."""
        return list(self.to_dict()["tensors"])

    @property
    def ports(self) -> List[Dict[str, Any]]:
        """Bits through each port of each memory, and cycles that takes."""
        return list(self.to_dict()["ports"])

    def to_pandas(self, table: str = "tensors") -> "pandas.DataFrame":
        """A table: "tensors" (words), "levels" (words, a row a memory and tensor), "ports" (bits, cycles),
        "energy" (pJ, a row a term) or "figures" (one row of all figures)."""
        d = self.to_dict()
        if table == "tensors":
            return _frame([_flat(t) for t in d["tensors"]], ["name", "role"])
        if table == "levels":
            return _frame([{"level": level["name"], **_flat(t)} for level in d["levels"] for t in level["tensors"]],
                          ["level", "name", "role"])
        if table == "ports":
            return _frame([_flat(p) for p in d["ports"]], ["name"])
        if table == "energy":
            return _frame(d["energy_pj"]["terms"] if d["energy_pj"] else [])
        if table == "figures":
            return _frame([_flat(d)])
        raise ValueError(f"there is no table {table!r}: tensors, levels, ports, energy, figures")

    def __repr__(self) -> str:
        return f"<sator.Result {self.workload} on {self.arch}: {self.total_cycles:,.0f} cycles, {self.bound_by}>"

    def _repr_html_(self) -> str:
        d = self.to_dict()
        energy = None if self.energy_pj is None else f"{self.energy_pj / 1e6:,.2f} uJ"
        head = _table(("workload", "architecture", "dataflow", "latency (cycles)", "bound by", "utilization", "energy"),
                      [(self.workload, self.arch, self.dataflow, self.total_cycles, self.bound_by,
                        self.utilization_average, energy)])
        keys = ("name", "role", "total_volume", "temporal_reuse", "spatial_reuse", "unique_volume", "reuse_factor")
        volumes = _table([k.replace("_", " ") for k in keys], [[t.get(k) for k in keys] for t in d["tensors"]])
        return head + volumes + self._pictures()


class NetworkResult(_Outcome):
    """A network under one dataflow: layers, and totals with repeats."""

    @property
    def layers(self) -> List[Result]:
        """A result a layer, in the network's order."""
        return [Result(None, layer) for layer in self.to_dict()["layers"]]

    @property
    def total_cycles(self) -> float:
        """Latency of the network, cycles: the sum over layers and repeats."""
        value: float = self.to_dict()["totals"]["latency_cycles"]["total"]
        return value

    @property
    def energy_pj(self) -> Optional[float]:
        """Energy of the network, pJ."""
        value: Optional[float] = self.to_dict()["totals"]["energy_pj"]["total"]
        return value

    @property
    def expected_energy_pj(self) -> Optional[float]:
        """Energy without what gating of zeros is expected to save, pJ; None when no layer states a density."""
        expected = self.to_dict()["totals"]["energy_expected_pj"]
        value: Optional[float] = expected["total"] if expected else None
        return value

    @property
    def expected_cycles(self) -> Optional[float]:
        """At least so many cycles are expected where zeros are skipped; None when no layer skips any."""
        value: Optional[float] = self.to_dict()["totals"]["latency_cycles"].get("expected")
        return value

    def to_pandas(self) -> "pandas.DataFrame":
        """A row a layer, a column a figure ("latency_cycles.total")."""
        return _frame([_flat(layer) for layer in self.to_dict()["layers"]])

    def __repr__(self) -> str:
        return f"<sator.NetworkResult of {len(self.to_dict()['layers'])} layers: {self.total_cycles:,.0f} cycles>"

    def _repr_html_(self) -> str:
        rows = [(r.workload, r.total_cycles, r.bound_by, r.utilization_average,
                 None if r.energy_pj is None else r.energy_pj / 1e6) for r in self.layers]
        return _table(("layer", "latency (cycles)", "bound by", "utilization", "energy (uJ)"), rows)


class Mapping(_OfFields):
    """The best mapping of a workload, with its certificate."""

    @property
    def proved(self) -> bool:
        """Whether nothing in the space is better."""
        certificate: Dict[str, Any] = self.to_dict()["certificate"]
        return bool(certificate["proved"])

    @property
    def certificate(self) -> Dict[str, Any]:
        """What the search looked at, and the bound that it proved (doc/mapper.md)."""
        return dict(self.to_dict()["certificate"])

    @property
    def utilization(self) -> float:
        """The share of PEs that are busy, on average, 0 to 1."""
        value: float = self.to_dict()["utilization"]
        return value

    def to_pandas(self) -> "pandas.DataFrame":
        """What each memory holds and moves, words: a row a memory and tensor."""
        return _frame([{"level": level["name"], **_flat(t)} for level in self.levels
                       for t in level.get("tensors", [])], ["level", "name", "role"])

    def __repr__(self) -> str:
        proof = "optimal" if self.proved else "not proved"
        return f"<sator.Mapping {self.workload} on {self.arch}: {self.total_cycles:,.0f} cycles, {proof}>"

    def _repr_html_(self) -> str:
        rows = []
        for level in self.levels:
            loops = " ".join(f"{loop['loop']} {loop['factor']}" + (f" -> {loop['dim']}" if "dim" in loop else "")
                             for loop in level["loops"])
            fill = ", ".join(f"{c['tensors']}: {c['used']:,.0f} of {c['available']:,.0f} {c['unit']}"
                             for c in level.get("capacity", []))
            rows.append((level["name"], loops, fill))
        energy = None if self.energy_pj is None else f"{self.energy_pj / 1e6:,.2f} uJ"
        head = _table(("workload", "architecture", "latency (cycles)", "bound by", "energy", "proved"),
                      [(self.workload, self.arch, self.total_cycles, self.bound_by, energy, self.proved)])
        return head + _table(("level", "loops, outermost first", "filled"), rows) + self._pictures()


class NetworkMapping(_Outcome):
    """The best mapping of every layer of a network."""

    @property
    def layers(self) -> List[Mapping]:
        """A mapping a layer, in the network's order."""
        return [Mapping(None, layer) for layer in self.to_dict()["layers"]]

    @property
    def total_cycles(self) -> float:
        """Latency of the network, cycles: the sum over layers and repeats."""
        value: float = self.to_dict()["totals"]["latency_cycles"]
        return value

    @property
    def energy_pj(self) -> Optional[float]:
        """Energy of the network, pJ: the sum over layers and repeats."""
        value: Optional[float] = self.to_dict()["totals"]["energy_pj"]
        return value

    @property
    def expected_energy_pj(self) -> Optional[float]:
        """Energy without what gating of zeros is expected to save, pJ; None when no layer states a density."""
        value: Optional[float] = self.to_dict()["totals"]["energy_expected_pj"]
        return value

    @property
    def expected_cycles(self) -> Optional[float]:
        """At least so many cycles are expected where zeros are skipped; None when no layer skips any."""
        value: Optional[float] = self.to_dict()["totals"]["latency_expected_cycles"]
        return value

    @property
    def proved(self) -> bool:
        """Whether every layer's mapping is."""
        return all(m.proved for m in self.layers)

    def to_pandas(self) -> "pandas.DataFrame":
        """A row a layer, a column a figure."""
        return _frame([_flat(layer) for layer in self.to_dict()["layers"]])

    def __repr__(self) -> str:
        return f"<sator.NetworkMapping of {len(self.layers)} layers: {self.total_cycles:,.0f} cycles>"

    def _repr_html_(self) -> str:
        return _table(("layer", "repeat", "latency (cycles)", "bound by", "energy (uJ)", "proved"),
                      [(m.workload, m.to_dict()["repeat"], m.total_cycles, m.bound_by,
                        None if m.energy_pj is None else m.energy_pj / 1e6, m.proved) for m in self.layers])


class Front(_Outcome):
    """The mappings that no other beats in both energy and latency, the least energy first."""

    @property
    def mappings(self) -> List[Dict[str, Any]]:
        """A dict each, as in the JSON of the command line."""
        return list(self.to_dict()["front"])

    @property
    def complete(self) -> bool:
        """Whether the front is whole: no budget ended the search."""
        return bool(self.to_dict()["complete"])

    def __len__(self) -> int:
        return len(self.mappings)

    def __iter__(self) -> Iterator[Mapping]:
        return iter([Mapping(None, m) for m in self.mappings])

    def to_pandas(self) -> "pandas.DataFrame":
        """A row a mapping, a column a figure."""
        return _frame([_flat(m) for m in self.mappings])

    def _repr_html_(self) -> str:
        return _table(("latency (cycles)", "energy (uJ)", "bound by"),
                      [(m.total_cycles, None if m.energy_pj is None else m.energy_pj / 1e6, m.bound_by) for m in self])


class NetworkFront(_Outcome):
    """The choices of a mapping for every layer that no other beats in both energy and latency of the network."""

    @property
    def points(self) -> List[Dict[str, Any]]:
        """A dict each, the least energy first: totals in pJ and cycles, and which mapping each layer takes."""
        return list(self.to_dict()["front"])

    @property
    def layers(self) -> List[Dict[str, Any]]:
        """The different layers with their own fronts."""
        return list(self.to_dict()["layers"])

    def __len__(self) -> int:
        return len(self.points)

    def to_pandas(self) -> "pandas.DataFrame":
        """A row a point: pJ, cycles."""
        return _frame([_flat(p) for p in self.points])

    def __repr__(self) -> str:
        return f"<sator.NetworkFront of {len(self)} points>"

    def _repr_html_(self) -> str:
        return _table(("latency (cycles)", "energy (uJ)"),
                      [(p["latency_cycles"], p["energy_pj"] / 1e6) for p in self.points[:40]])


class Simulation(_Outcome):
    """An execution with values, beside its analysis (doc/simulate.md)."""

    @property
    def agrees(self) -> bool:
        """Whether values are those of the loop nest, and words and cycles those of the analysis."""
        return not self.to_dict()["n_differences"]

    @property
    def differences(self) -> List[Dict[str, Any]]:
        """What does not agree, the first of it: sentences, with instance, PE, port and cycle where there are such."""
        return list(self.to_dict()["differences"])

    @property
    def cycles(self) -> Optional[int]:
        """Cycles that it took; None where it is not timed."""
        value: Optional[int] = self.to_dict()["cycles"]
        return value

    def __repr__(self) -> str:
        agrees = "agrees with the analysis" if self.agrees else "does not agree with the analysis"
        return f"<sator.Simulation {agrees}>"

    def _repr_html_(self) -> str:
        d = self.to_dict()
        return _table(("figure", ""), [(k, v) for k, v in d.items() if isinstance(v, (int, float, str, bool))])


class Comparison:
    """Results side by side."""

    def __init__(self, outcomes: List[_sator.Outcome], sort: Optional[str]) -> None:
        self._outcomes = outcomes
        self._sort = sort
        self._text = _sator.compare(outcomes, 0, sort)

    def __str__(self) -> str:
        """The table of the command line."""
        return self._text

    def to_dict(self) -> Dict[str, Any]:
        """The JSON of the command line: counts are int, what is not known is None."""
        made: Any = json.loads(_sator.compare(self._outcomes, 1, self._sort), object_pairs_hook=_counts)
        return made if isinstance(made, dict) else {"results": made}

    def to_csv(self) -> str:
        """The CSV of the command line."""
        return _sator.compare(self._outcomes, 2, self._sort)

    def to_markdown(self) -> str:
        """The main figures as a table of Markdown."""
        return _sator.compare(self._outcomes, 3, self._sort)

    def to_latex(self) -> str:
        """The main figures as a LaTeX tabular."""
        return _sator.compare(self._outcomes, 4, self._sort)

    def to_pandas(self) -> "pandas.DataFrame":
        """A row a result, a column a figure."""
        rows = next(value for value in self.to_dict().values() if isinstance(value, list))
        return _frame([_flat(row) for row in rows])

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self._text)}</pre>"


class Page:
    """Results to look at: a page for a browser, and its pictures."""

    def __init__(self, page: _sator.Page) -> None:
        self._page = page

    def html(self) -> str:
        """The page: one self-contained HTML file."""
        return self._page.html()

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._page.html())

    def to_dict(self) -> Dict[str, Any]:
        """The data that the page is drawn from (doc/report.md)."""
        made: Dict[str, Any] = json.loads(self._page.json())
        return made

    def svg(self, picture: str = "machine") -> str:
        """One picture: "machine", "array", "roofline", "energy", "tree" or, of a database, "pareto"."""
        return self._page.svg(picture)

    def show(self, picture: str = "array", *, width: int = 0, ascii: bool = False) -> str:
        """A picture in characters: "array", "roofline", "tree", "pareto"; width: columns, 0: 80."""
        return self._page.show(picture, width, ascii)

    def _repr_html_(self) -> str:
        pictures = []
        for picture in ("machine", "array", "roofline"):
            try:
                pictures.append(self.svg(picture))
            except ValueError:
                continue
        return "".join(f"<div>{p}</div>" for p in pictures)


class Evaluation:
    """Figures of many points: a numpy array each, by the figure's name."""

    def __init__(self, loops: Sequence[str], extents: "numpy.ndarray[Any, Any]",
                 columns: Dict[str, "numpy.ndarray[Any, Any]"], valid: Optional["numpy.ndarray[Any, Any]"]) -> None:
        self.loops = tuple(loops)
        """Names of the loops, as the columns of extents."""
        self.extents = extents
        """Iterations of each loop, a row a point."""
        self.columns = columns
        """Counts are int64, other figures float64 (NaN: not known)."""
        self.valid = valid
        """Which points could be analysed; None: all."""

    def __getitem__(self, figure: str) -> "numpy.ndarray[Any, Any]":
        return self.columns[figure]

    def __len__(self) -> int:
        return len(self.extents)

    def to_dict(self) -> Dict[str, "numpy.ndarray[Any, Any]"]:
        """Extents by loop, then figures by name."""
        return {**{loop: self.extents[:, i] for i, loop in enumerate(self.loops)}, **self.columns}

    def to_pandas(self) -> "pandas.DataFrame":
        """A row a point: extents by loop, then figures by name."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def _repr_html_(self) -> str:
        shown = min(len(self), 20)
        fields = self.to_dict()
        rows = [[values[i].item() for values in fields.values()] for i in range(shown)]
        more = f"<div>... {len(self):,} points in all</div>" if shown < len(self) else ""
        return _table(list(fields), rows) + more


class Exploration:
    """What an exploration left in its database."""

    def __init__(self, database: str, summary: Dict[str, Any], keep: Any = None) -> None:
        self.database = database
        """The file."""
        self.summary = summary
        """points: looked at, results: rows, left_out: points by the rule that says why, complete, note, seconds."""
        self._keep = keep

    def query(self, *, where: Optional[str] = None, sort: Optional[str] = None, pareto: Optional[str] = None,
              top: int = 0, layer: Optional[str] = None, whole_network: bool = False,
              per_hardware: bool = False) -> List[Dict[str, Any]]:
        """Results, a dict each; the arguments are those of sator.query."""
        from ._run import query

        return query(self.database, where=where, sort=sort, pareto=pareto, top=top, layer=layer,
                     whole_network=whole_network, per_hardware=per_hardware)

    def to_dict(self) -> Dict[str, Any]:
        """The summary."""
        return self.summary

    def to_pandas(self, **arguments: Any) -> "pandas.DataFrame":
        """A row a result; the arguments are those of query."""
        return _frame([_flat(r) for r in self.query(**arguments)])

    def __repr__(self) -> str:
        return f"<sator.Exploration of {self.summary['points']:,} points: {self.summary['results']:,} results>"

    def _repr_html_(self) -> str:
        rows = [("results", self.summary["results"]), *self.summary["left_out"].items()]
        return _table(("points", f"{self.summary['points']:,}"), rows)
