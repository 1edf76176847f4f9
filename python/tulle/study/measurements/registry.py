"""The interface and the registry of measurements. Each measurement has one file, and one line below."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from tulle._internal.text import did_you_mean
from tulle.errors import InputError
from tulle.study.measurements.parameters import Parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from types import ModuleType

    from tulle.columns import Columns
    from tulle.metric import Curves, Distribution, Metric
    from tulle.study.engine.model import StudyFile

# Map from the name in a study file to the module that defines MEASUREMENT, or LISTED and a function `measurement`. A
# module is loaded when a study uses it.
_MODULES = {
    "analyze": "tulle.study.measurements.analyze",
    "cbd": "tulle.study.papers.cbd",
    "quality": "tulle.study.measurements.quality",
    "simulate": "tulle.study.measurements.simulate",
    "flit": "tulle.study.measurements.flit",
    "flit-saturation": "tulle.study.measurements.flit_saturation",
    "flit-exchange": "tulle.study.measurements.flit_exchange",
    "ebb": "tulle.study.measurements.ebb",
    "throughput": "tulle.study.measurements.throughput",
    "subflows": "tulle.study.measurements.subflows",
    "layout": "tulle.study.measurements.layout",
    "costs": "tulle.study.papers.costs",
    "sizes": "tulle.study.measurements.sizes",
    "address-space": "tulle.study.papers.address_space",
    "table-sizes": "tulle.study.measurements.table_sizes",
    "virtual-updown": "tulle.study.measurements.virtual_updown",
    "virtual-layers": "tulle.study.papers.virtual_layers",
    "rerouting": "tulle.study.measurements.rerouting",
    "campaign": "tulle.study.measurements.campaign",
    "lab": "tulle.study.measurements.lab",
}


class Advance(Protocol):
    """A function that gets the progress of a run, 0 to 1, and raises an exception if the run must end."""

    def __call__(self, fraction: float, /) -> None:
        """`fraction` of the run is done, 0 to 1."""


@dataclass(frozen=True)
class Rows:
    """The result of a run."""

    table: Columns
    """The rows of the run, one per measured item (flow, pair, …)."""
    figures: Mapping[str, float | int | None]
    """Results of the whole run by `Metric.key`; None for an undefined result, for example the mean of no flows."""
    counters: Mapping[str, int]
    """Whatever else the run counted."""
    warnings: tuple[str, ...] = ()
    """Warnings of the run, one line each. A study prints each distinct line once."""


P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True)
class Listed(Generic[P]):
    """The description of a measurement that ``tulle list`` shows."""

    name: str
    summary: str
    paper: str
    parameters: type[P]
    example: Mapping[str, str | float | bool]
    """Parameters of a case that takes less than a second; the conformance tests run it."""
    note: str
    """A note of one or two lines that explains the results to readers."""


@dataclass(frozen=True)
class Measurement(Listed[P]):
    """A registered measurement: a function from parameters and a seed to rows, with its declarations for studies."""

    resolve: Callable[[P], P]
    """Return the parameters with canonical specs, checked as far as possible without a run."""
    inputs: Callable[[P], list[Path]]
    """Return the files that a run reads; their hashes become part of the run's configuration."""
    measure: Callable[[P, int, Advance], Rows]
    figures: tuple[Metric, ...]
    rows_file: str
    """Name of the table of all runs, for example ``flows.csv``."""
    distributions: tuple[Distribution, ...] = ()
    """The distributions that a study may plot."""
    plots: tuple[str, ...] = ()
    """Keys of the distributions that a study plots by default."""
    curves: tuple[Curves, ...] = ()
    """The curves that a study may plot. By default, it plots all curves over a parameter with several numbers."""
    explained: Mapping[str, str] = field(default_factory=dict)
    """Sentences of the note that explain only some metrics, by a word in the titles of these metrics."""

    def note_under(self, titles: Iterable[str]) -> str:
        """Return the note under a table with these titles, without sentences about other metrics; may be empty."""
        shown, note = " ".join(titles), self.note
        for word, sentence in self.explained.items():
            if word not in shown:
                note = note.replace(sentence, "")
        return " ".join(note.split())


def measurement(study: StudyFile) -> Measurement[Any]:
    """The measurement of a study.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    module = _module(study.measurement)
    # A name for several measurements; the study's parameters decide which of them it means.
    found: Measurement[Any] = module.measurement(study) if hasattr(module, "measurement") else module.MEASUREMENT
    return found


def listed() -> list[Listed[Any]]:
    """All measurements, in the order of the registry."""
    return [_listed(name) for name in _MODULES]


def parameters_of(name: str) -> type[Parameters]:
    """Return the class of the parameters of a measurement.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    return _listed(name).parameters


def _listed(name: str) -> Listed[Any]:
    module = _module(name)
    found: Listed[Any] = module.LISTED if hasattr(module, "LISTED") else module.MEASUREMENT
    return found


def _module(name: str) -> ModuleType:
    if name not in _MODULES:
        raise InputError(f"unknown measurement '{name}'; {did_you_mean(name, list(_MODULES))}")
    return import_module(_MODULES[name])
