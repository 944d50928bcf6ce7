"""Workloads, networks, architectures and dataflows: read, or made of Python objects.

An object that is made here becomes a document in the notation of doc/formats.md, and is read as a file is: the same
checks, and errors that show the line. Keyword arguments that a class does not name are fields of that notation.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterable, List, Mapping as MappingOf, Optional, Sequence, Tuple, Union

from . import _sator

Setting = Union[MappingOf[str, Any], Iterable[str]]
Figure = Union[float, MappingOf[str, Any]]


def _settings(settings: Optional[Setting]) -> List[str]:
    """{"sizes.k": 64} or ["sizes.k=64"] as the library takes them."""
    if settings is None:
        return []
    if isinstance(settings, MappingOf):
        return [f"{path}={value if isinstance(value, str) else _json(value)}" for path, value in settings.items()]
    if isinstance(settings, str):
        return [settings]
    return [str(setting) for setting in settings]


def _plain(value: Any) -> Any:
    """What json does not know: numbers of numpy and the like, and objects of this module."""
    if isinstance(value, _Part):
        return value.fields
    for convert in ("item", "tolist"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    raise TypeError(f"a {type(value).__name__} is no part of an input")


def _json(value: Any) -> str:
    return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False)


def _document(fields: MappingOf[str, Any]) -> str:
    """A line a field, and a line an entry of its lists, so that errors show what they are about."""
    lines = []
    for key, value in fields.items():
        if value is None:
            continue
        if isinstance(value, (list, tuple)) and value:
            lines.append(f"{key}:")
            lines.extend(f"  - {_json(entry)}" for entry in value)
        else:
            lines.append(f"{key}: {_json(value)}")
    return "\n".join(lines) + "\n"


def _without_none(fields: MappingOf[str, Any]) -> Dict[str, Any]:
    return {key: value for key, value in fields.items() if value is not None}


class _Input:
    """What was read; ``str()`` is its text in Sator's own notation."""

    _kind = ""
    _input: _sator.Input

    @classmethod
    def _of(cls, handle: _sator.Input) -> "Any":
        made = cls.__new__(cls)
        made._input = handle
        return made

    @property
    def name(self) -> str:
        """Its name."""
        return self._input.name

    def __str__(self) -> str:
        return self._input.text()

    def __repr__(self) -> str:
        return f"<sator.{type(self).__name__} {self.name!r}>"

    def to_yaml(self) -> str:
        """The text of a file that reads back to the same thing (doc/formats.md)."""
        return self._input.text()

    @classmethod
    def _parse(cls, name: str, fields: MappingOf[str, Any], sets: Optional[Setting] = None) -> _sator.Input:
        return _sator.parse(cls._kind, f"<{cls.__name__} {name}>", _document({"name": name, **fields}),
                            _settings(sets))

    @classmethod
    def from_text(cls, text: str, name: str = "<text>", sets: Optional[Setting] = None) -> "Any":
        """Read the text of a YAML file (doc/formats.md); ``name`` is what messages call it."""
        return cls._of(_sator.parse(cls._kind, name, text, _settings(sets)))


class _Nest(_Input):
    _kind = "network"

    @classmethod
    def load(cls, spec: Union[str, "os.PathLike[str]"], *more: Union[str, "os.PathLike[str]"],
             sets: Optional[Setting] = None, defines: Sequence[str] = (), include_dirs: Sequence[str] = (),
             function: Optional[str] = None, nest: int = 0) -> "Any":
        """Read a file, C sources included, or an entry of the library; several become one network.

        spec: "gemm", "conv.yaml:k=64", "kernel.c"; sets: fields to change, {"sizes.k": 64}; defines: macros of a C
        file, "N=256"; function, nest: which loops of a C file (nest from 1; 0: the only one).
        """
        specs = [os.fspath(s) for s in (spec, *more)]
        return cls._of(_sator.load("network", specs, _settings(sets), list(defines), list(include_dirs), function,
                                   nest))

    @property
    def layers(self) -> List[str]:
        """Names of the layers; a workload alone is a network of one."""
        return [name for name, _ in self._input.layers]

    @property
    def repeats(self) -> List[int]:
        """How often the network runs each layer."""
        return [repeat for _, repeat in self._input.layers]

    def _layer(self, layer: Union[None, int, str]) -> int:
        """The number of a layer, -1 for all of several; a name is looked up."""
        if layer is None:
            return -1 if len(self.layers) > 1 else 0
        if isinstance(layer, str):
            if layer not in self.layers:
                raise KeyError(f"'{self.name}' has no layer {layer!r}; it has {', '.join(self.layers)}")
            return self.layers.index(layer)
        count = len(self.layers)
        number = layer + count if layer < 0 else layer
        if not 0 <= number < count:
            raise IndexError(f"'{self.name}' has {count} layers: there is no layer {layer}")
        return number


class Workload(_Nest):
    """One statement in a nest of loops.

    >>> Workload("conv", sizes={"k": 64, "x": 56, "r": 3}, op="Y[k,x] += A[2*x+r] * B[k,r]", word_bits={"Y": 32})

    sizes: loops and their extents, outermost first; op: the statement; where: only these instances; word_bits: bits
    of a word, of all tensors or of each, default 16; density: the expected share, 0 to 1, of a tensor's elements that
    are not 0, {"A": 0.4}, by which gating saves. Instead of op: domain, reads, writes in isl's notation.
    """

    def __init__(self, name: str, *, sizes: Optional[MappingOf[str, int]] = None, op: Optional[str] = None,
                 where: Optional[str] = None, word_bits: Union[None, int, MappingOf[str, int]] = None,
                 density: Optional[MappingOf[str, float]] = None, domain: Optional[str] = None,
                 reads: Union[None, str, Sequence[str]] = None, writes: Union[None, str, Sequence[str]] = None,
                 **fields: Any) -> None:
        self.fields = _without_none({"sizes": sizes, "op": op, "where": where, "word_bits": word_bits,
                                     "density": density, "domain": domain, "reads": reads, "writes": writes, **fields})
        self._input = self._parse(name, self.fields)


class Network(_Nest):
    """Layers, each a Workload made here or a dict of its fields (which may name another: {"name": "conv2",
    "workload": "conv2d", "sizes": {"k": 32}, "repeat": 2}).

    >>> Network("two", [conv1, (conv2, 3)])     # conv2 is run three times
    """

    def __init__(self, name: str, layers: Sequence[Union[Workload, Tuple[Workload, int], MappingOf[str, Any]]],
                 **fields: Any) -> None:
        self._input = self._parse(name, {**fields, "layers": [self._entry(layer) for layer in layers]})

    @staticmethod
    def _entry(layer: Union[Workload, Tuple[Workload, int], MappingOf[str, Any]]) -> Dict[str, Any]:
        repeat = 1
        if isinstance(layer, tuple):
            layer, repeat = layer
        if isinstance(layer, MappingOf):
            return dict(layer)
        if not hasattr(layer, "fields"):
            raise TypeError("a layer is a Workload that was made here, or a dict of its fields")
        entry = {"name": layer.name, **layer.fields}
        return {**entry, "repeat": repeat} if repeat != 1 else entry


# ---- architectures ----


class _Part:
    """A level or a wire: fields of doc/formats.md, architecture."""

    def __init__(self, **fields: Any) -> None:
        self.fields: Dict[str, Any] = _without_none(fields)

    def __repr__(self) -> str:
        return f"sator.{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.fields.items())})"


class Memory(_Part):
    """A memory level.

    capacity_bytes, capacity_words: of one instance, shared or {tensor: capacity}, absent: unlimited; bandwidth_bits:
    bits per cycle of one instance, for each direction or {"read": 64, "write": 32}; energy_pj: pJ per word, likewise;
    leakage_pj: pJ per cycle and instance; area_um2: of one instance; double_buffered: halves the capacity; bypass,
    may_bypass: tensors that it does not hold, or need not; gating: accesses that are left out where an element
    is 0, {"B": ["A"]}: those of B where that of A is; it counts for workloads that state a density; transfers: when
    words move, "serial", "overlapped" or "streamed", or {tensor: when}; holds: "idle", contents stay while a PE idles.
    """

    def __init__(self, name: str, *, capacity_bytes: Optional[Figure] = None,
                 capacity_words: Optional[Figure] = None, bandwidth_bits: Optional[Figure] = None,
                 energy_pj: Optional[Figure] = None, leakage_pj: Optional[Figure] = None,
                 area_um2: Optional[Figure] = None, double_buffered: Optional[bool] = None,
                 bypass: Optional[Sequence[str]] = None, may_bypass: Optional[Sequence[str]] = None,
                 gating: Optional[MappingOf[str, Sequence[str]]] = None,
                 transfers: Union[None, str, MappingOf[str, str]] = None, holds: Optional[str] = None,
                 **fields: Any) -> None:
        super().__init__(memory=name, capacity_bytes=capacity_bytes, capacity_words=capacity_words,
                         bandwidth_bits=bandwidth_bits, energy_pj=energy_pj, leakage_pj=leakage_pj,
                         area_um2=area_um2, double_buffered=double_buffered, bypass=bypass, may_bypass=may_bypass,
                         gating=gating, transfers=transfers, holds=holds, **fields)


class Link(_Part):
    """A wire from PE to PE, ``Link("east", "PE[i,j] -> PE[i,j+1]")``.

    interval: how many time-stamps ago the provider held it, 0: the same; energy_pj: pJ per word and hop; tensors: only
    for these. For ``multicast`` and ``reduction`` the map leads to a bus, "PE[i,j] -> BUS[i]".
    """

    def __init__(self, name: str, map: str, *, interval: Optional[int] = None, energy_pj: Optional[Figure] = None,
                 tensors: Optional[Sequence[str]] = None, **fields: Any) -> None:
        super().__init__(name=name, map=map, interval=interval, energy_pj=energy_pj, tensors=tensors, **fields)


class Array(_Part):
    """PEs side by side. shape: extents of its dimensions; links, multicast, reduction: wires; topology: the usual
    ones, "systolic-2d", "mesh", "multicast", "tree"."""

    def __init__(self, name: str, shape: Union[int, Sequence[int]], *, links: Optional[Sequence[Link]] = None,
                 multicast: Optional[Sequence[Link]] = None, reduction: Optional[Sequence[Link]] = None,
                 topology: Union[None, str, Sequence[str]] = None, **fields: Any) -> None:
        super().__init__(array=name, shape=shape, links=links, multicast=multicast, reduction=reduction,
                         topology=topology, **fields)


class Compute(_Part):
    """The compute level, the last one. energy_pj: pJ per loop instance; cycles: per loop instance, default 1;
    per_stamp: the most instances of a PE in one time-stamp; area_um2: of one PE; gating: instances that are left
    out where the element of one of these tensors is 0, ["A", "B"]; it counts for workloads that state a density;
    skipping: likewise, and these instances take no time."""

    def __init__(self, name: str = "mac", *, energy_pj: Optional[Figure] = None, cycles: Optional[float] = None,
                 per_stamp: Optional[int] = None, area_um2: Optional[Figure] = None,
                 gating: Optional[Sequence[str]] = None, skipping: Optional[Sequence[str]] = None,
                 **fields: Any) -> None:
        super().__init__(compute=name, energy_pj=energy_pj, cycles=cycles, per_stamp=per_stamp, area_um2=area_um2,
                         gating=gating, skipping=skipping, **fields)


class Arch(_Input):
    """An accelerator: levels from the outermost memory to the compute units.

    >>> Arch("mine", [Memory("L2", bandwidth_bits=128), Array("PE", [8, 8], topology="systolic-2d"), Compute("mac")])

    clock_mhz: its clock; technology_nm; energy_table: figures that it does not state, "45nm".
    """

    _kind = "arch"

    def __init__(self, name: str, levels: Sequence[Union[_Part, MappingOf[str, Any]]], *,
                 clock_mhz: Optional[float] = None, technology_nm: Optional[float] = None,
                 energy_table: Union[None, str, MappingOf[str, Any]] = None, **fields: Any) -> None:
        self._input = self._parse(name, _without_none({"clock_mhz": clock_mhz, "technology_nm": technology_nm,
                                                       "energy_table": energy_table, **fields,
                                                       "levels": list(levels)}))

    @classmethod
    def load(cls, spec: Union[str, "os.PathLike[str]"], *, sets: Optional[Setting] = None) -> "Arch":
        """Read a file or an entry of the library; sets: fields to change, {"levels.PE.shape": [16, 16]}."""
        made: Arch = cls._of(_sator.load("arch", [os.fspath(spec)], _settings(sets), [], [], None, 0))
        return made


# ---- dataflows ----


class At(_Part):
    """The loops of a tiled nest at one level: ``At("L2", tiles=["k 4", "c 8"])``, at an array
    ``At("PE", parallel=["k 8 -> 0"])``; bypass: tensors that the memory does not hold."""

    def __init__(self, level: str, *, tiles: Optional[Sequence[str]] = None,
                 parallel: Optional[Sequence[str]] = None, bypass: Optional[Sequence[str]] = None) -> None:
        fields: Dict[str, Any] = {"at": level, "for": tiles, "parallel": parallel, "bypass": bypass}
        super().__init__(**fields)


class Dataflow(_Input):
    """Where and when each loop instance runs: two stamps, or a nest of tile loops.

    >>> Dataflow(space="i%8, j%8", time="i/8, j/8, i%8 + j%8 + k")
    >>> Dataflow(loops=[At("DRAM", tiles=["k 4"]), At("PE", parallel=["i 8 -> 0", "j 8 -> 1"])])

    cuts: what memories hold, {"scratchpad": {"time": 2}} (doc/formats.md, Dataflow).
    """

    _kind = "dataflow"

    def __init__(self, name: str = "mine", *, space: Union[None, str, Sequence[str]] = None,
                 time: Union[None, str, Sequence[str]] = None, cuts: Optional[MappingOf[str, Any]] = None,
                 loops: Optional[Sequence[Union[At, MappingOf[str, Any]]]] = None, **fields: Any) -> None:
        if space is not None and time is not None and cuts is None and loops is None and not fields:
            self._input = _sator.stamps(name, self._join(space), self._join(time))
            return
        self._input = self._parse(name, _without_none({"space": self._stamp("PE", space),
                                                       "time": self._stamp("T", time), "cuts": cuts, **fields,
                                                       "loops": None if loops is None else list(loops)}))

    @staticmethod
    def _join(stamp: Union[str, Sequence[str]]) -> str:
        return stamp if isinstance(stamp, str) else ", ".join(str(part) for part in stamp)

    @classmethod
    def _stamp(cls, tuple_name: str, stamp: Union[None, str, Sequence[str]]) -> Optional[str]:
        if stamp is None:
            return None
        text = cls._join(stamp).strip()
        return text if text.startswith((tuple_name + "[", "{")) else f"{tuple_name}[{text}]"

    @classmethod
    def load(cls, spec: Union[str, "os.PathLike[str]"], *, sets: Optional[Setting] = None) -> "Dataflow":
        """Read a file or an entry of the library, "gemm/ij-p_j-ijk-t"."""
        made: Dataflow = cls._of(_sator.load("dataflow", [os.fspath(spec)], _settings(sets), [], [], None, 0))
        return made


def library(kind: Optional[str] = None) -> Dict[str, Optional[str]]:
    """What is built in: names with a line about each. kind: "workloads", "networks", "archs", "dataflows"; None: all."""
    kinds = ("workloads", "networks", "archs", "dataflows")
    if kind is not None and kind not in kinds:
        raise ValueError(f"{kind!r} is not one of {', '.join(kinds)}")
    return {name: summary for k in (kinds if kind is None else (kind,)) for name, summary in _sator.library(k)}
