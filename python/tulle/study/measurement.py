"""The interface of measurements, and the registry of them: one file and one line here each."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict

from tulle.errors import InputError
from tulle.registry import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tulle._figures import Distribution, Figure
    from tulle.columns import Columns
    from tulle.study.model import StudyFile

# Name in a study file -> module that defines MEASUREMENT; modules load when a study asks for them.
_MODULES = {
    "analyze": "tulle.study.analyze",
    "cbd": "tulle.study.cbd",
    "quality": "tulle.study.quality",
    "simulate": "tulle.study.simulate",
    "flit": "tulle.study.flit",
    "flit-saturation": "tulle.study.flit_saturation",
    "flit-exchange": "tulle.study.flit_exchange",
    "ebb": "tulle.study.ebb",
    "throughput": "tulle.study.throughput",
    "subflows": "tulle.study.subflows",
}


class Parameters(BaseModel):
    """Base of the parameters of a measurement: unknown keys and values of other types are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _rules(value: Any) -> Any:
    """One text as a list of it; the tuples of a grid as lists; rules in canonical form."""
    from tulle._links import read_links

    given = [value] if isinstance(value, str) else value
    return read_links(list(given) if isinstance(given, tuple) else given)


Links = Annotated[list[str], BeforeValidator(_rules)]
"""The properties of a fabric's links by class, as ``global:latency=500ns``; a mapping of classes will do."""


class Advance(Protocol):
    """Tells how far a run is; raises where the run should end."""

    def __call__(self, fraction: float, /) -> None:
        """`fraction` of the run is done, 0 to 1."""


@dataclass(frozen=True)
class Rows:
    """The result of a run."""

    table: Columns
    """A row per item measured (flow, pair, …)."""
    figures: Mapping[str, float | int | None]
    """The numbers of the run as a whole, by `Figure.key`; None where there is none, as a mean of nothing."""
    counters: Mapping[str, int]
    """Whatever else the run counted."""


P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True)
class Measurement(Generic[P]):
    """A plain function from parameters and a seed to rows, and what else a study must know of it."""

    name: str
    parameters: type[P]
    resolve: Callable[[P], P]
    """The same parameters with canonical specs, checked as far as they can be without running."""
    inputs: Callable[[P], list[Path]]
    """The files that it reads; their hashes become part of the run's configuration."""
    measure: Callable[[P, int, Advance], Rows]
    figures: tuple[Figure, ...]
    note: str
    """A note for readers of the figures, in a line."""
    rows_file: str
    """The table of all runs, as ``flows.csv``."""
    distributions: tuple[Distribution, ...] = ()
    """The distributions that a study may plot."""
    plots: tuple[str, ...] = ()
    """The keys of those that it plots where it names none."""


def measurement(study: StudyFile) -> Measurement[Any]:
    """The measurement of a study.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    name = study.measurement
    if name not in _MODULES:
        raise InputError(f"unknown measurement '{name}'; {did_you_mean(name, list(_MODULES))}")
    module = import_module(_MODULES[name])
    # One of several kinds, which the study tells apart.
    found: Measurement[Any] = module.measurement(study) if hasattr(module, "measurement") else module.MEASUREMENT
    return found
