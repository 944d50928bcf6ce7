"""Sator: an exact model of tensor computations on spatial accelerators.

>>> import sator
>>> result = sator.analyze("gemm", "systolic-2d-8x8",
...                        sator.Dataflow(space="i%8, j%8", time="i/8, j/8, i%8 + j%8 + k"))
>>> result.total_cycles, result.bound_by
(524288, 'scratchpad reads')

Inputs are names of files or of the built-in library, as on the command line ("gemm:i=64,j=64,k=64"), or objects made
here: Workload, Network, Arch, Dataflow. What the numbers mean is in doc/model.md; counts are exact ``int``, a quantity
that the inputs do not determine is ``None``.
"""

import sys as _sys
import sysconfig as _sysconfig

if _sys.version_info < (3, 11):
    raise ImportError("sator needs Python 3.11 or later: its extension uses the stable ABI of 3.11")
if _sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise ImportError("sator does not support the free-threaded build of Python: use the ordinary one, whose lock its "
                      "long calls release")

from ._errors import (
    DeclinedError,
    InfeasibleError,
    InputError,
    Interrupted,
    LimitError,
    Message,
    NoMemoryError,
    OverflowError,
    SatorError,
    SatorWarning,
    UsageError,
)
from ._inputs import Arch, Array, At, Compute, Dataflow, Link, Memory, Network, Workload, library
from ._results import (
    Comparison,
    Evaluation,
    Exploration,
    Front,
    Mapping,
    NetworkFront,
    NetworkMapping,
    NetworkResult,
    Page,
    Result,
    Simulation,
)
from ._run import CertificateCheck, ExploreProgress, MapProgress, Plan, SimulateProgress, analyze, check, compare
from ._run import convert, explore, map, plan, query, report, simulate, space_time
from ._sator import version as _version

__version__: str = _version()

__all__ = [
    "Arch", "Array", "At", "CertificateCheck", "Comparison", "Compute", "Dataflow", "DeclinedError", "Evaluation", "Exploration",
    "ExploreProgress", "Front", "InfeasibleError", "InputError", "Interrupted", "LimitError", "Link", "MapProgress",
    "Mapping", "Memory", "Message", "Network", "NetworkFront", "NetworkMapping", "NetworkResult",
    "NoMemoryError", "OverflowError", "Page", "Plan", "Result", "SatorError", "SatorWarning", "SimulateProgress", "Simulation", "UsageError", "Workload",
    "analyze", "check", "compare", "convert", "explore", "library", "map", "plan", "query", "report", "simulate", "space_time",
]
