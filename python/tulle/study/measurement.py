"""What a measurement is, and the registry of them: one file and one line here each."""

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

    from numpy.typing import NDArray

    from tulle.columns import Columns

# Name in a study file -> module that defines MEASUREMENT; modules load when a study asks for them.
_MODULES = {
    "cbd": "tulle.study.cbd",
    "quality": "tulle.study.quality",
    "simulate": "tulle.study.simulate",
    "flit": "tulle.study.flit",
    "flit-saturation": "tulle.study.flit_saturation",
    "flit-exchange": "tulle.study.flit_exchange",
    "ebb": "tulle.study.ebb",
    "path-diversity": "tulle.study.path_diversity",
    "interference": "tulle.study.interference",
    "collisions": "tulle.study.collisions",
    "edge-density": "tulle.study.edge_density",
    "throughput": "tulle.study.throughput",
    "subflows": "tulle.study.subflows",
    "measures": "tulle.study.measures",
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
"""What links of a fabric are, by class, as ``global:latency=500ns``; a mapping of classes will do."""


class Advance(Protocol):
    """Tells how far a run is; raises where the run should end."""

    def __call__(self, fraction: float, /) -> None:
        """`fraction` of the run is done, 0 to 1."""


@dataclass(frozen=True)
class Rows:
    """What a run found."""

    table: Columns
    """A row per item measured (flow, pair, …)."""
    figures: Mapping[str, float | int | None]
    """The numbers of the run as a whole, by `Figure.key`; None where there is none, as a mean of nothing."""
    counters: Mapping[str, int]
    """Whatever else the run counted."""


@dataclass(frozen=True)
class Figure:
    """A number that every run has; printed and kept as its mean over seeds."""

    key: str
    title: str
    usually_zero: bool = False
    """Left out of the printed table where it is 0 or missing in every row."""
    on_request: bool = False
    """Printed only where a study names it."""


@dataclass(frozen=True)
class Distribution:
    """Something of the table whose distribution over all seeds can be plotted."""

    key: str
    """The name of the plot's files."""
    title: str
    sample: Callable[[Columns], tuple[NDArray[Any], NDArray[Any]]]
    """Values and how often each is there."""
    logarithmic: bool = False
    """Whether values span decades."""


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
    """What a reader of the figures must know, in a line."""
    rows_file: str
    """The table of all runs, as ``flows.csv``."""
    distributions: tuple[Distribution, ...] = ()
    """What a study may plot."""
    plots: tuple[str, ...] = ()
    """The keys of those that it plots where it names none."""


def measurement(name: str) -> Measurement[Any]:
    """The measurement called `name`.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    if name not in _MODULES:
        raise InputError(f"unknown measurement '{name}'; {did_you_mean(name, list(_MODULES))}")
    found: Measurement[Any] = import_module(_MODULES[name]).MEASUREMENT
    return found
