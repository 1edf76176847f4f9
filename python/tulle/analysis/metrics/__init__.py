"""Metrics of ``tulle analyze``, and of the measurement ``analyze`` of studies.

Each metric has a file and a line in this file. A metric has a `Declaration` and a function that measures a fabric. The
function returns numbers and optional rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.plugins import find
from tulle._internal.text import did_you_mean
from tulle.errors import SpecError

if TYPE_CHECKING:
    from tulle.analysis.metrics.model import MetricGroup
    from tulle.declarations import Entry

# Name -> module that defines METRIC, in the order of `tulle list metrics`.
_MODULES = {
    "distances": "tulle.analysis.metrics.distances",
    "walks": "tulle.analysis.metrics.walks",
    "disjoint-paths": "tulle.analysis.metrics.disjoint_paths",
    "interference": "tulle.analysis.metrics.interference",
    "connectivity": "tulle.analysis.metrics.connectivity",
    "rank": "tulle.analysis.metrics.rank",
    "collisions": "tulle.analysis.metrics.collisions",
    "density": "tulle.analysis.metrics.density",
    "bisection": "tulle.analysis.metrics.bisection",
    "spectrum": "tulle.analysis.metrics.spectrum",
    "measures": "tulle.analysis.metrics.measures",
}


def metric(spec: str) -> MetricGroup:
    """Return the metric that a spec names, by its name or an alias.

    Raises
    ------
    tulle.SpecError
        For an unknown name.
    """
    name = _tulle.spec_name(spec)
    if name not in _MODULES:
        # Aliases are known only after the declarations are loaded, so this loads all metrics.
        name = next((entry["name"] for entry in entries() if name in entry["aliases"]), name)
    unknown = f"unknown metric '{name}'; {did_you_mean(name, list(_MODULES))}"
    found: MetricGroup = find(_MODULES, name, "METRIC", unknown, SpecError)
    return found


def entries() -> list[Entry]:
    """Return the entry of every metric, in the order of the registry."""
    return [metric(name).entry for name in _MODULES]
