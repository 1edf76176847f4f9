"""Which method finds the bounds: by what is asked and by size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.analysis.throughput import path_lp
from tulle.errors import InputError, SpecError
from tulle.registry import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from tulle.analysis.demands import Demands
    from tulle.analysis.throughput.result import Bounds
    from tulle.fabric import Fabric
    from tulle.routing import Routing

METHODS = {
    "path-lp": "linear program over the routing's paths, interior points",
    "path-pdlp": "linear program over the routing's paths, first-order (PDLP)",
}
"""Methods by name."""


def check_method(name: str | None) -> None:
    """Refuses a name that is no method's; None is fine.

    Raises
    ------
    tulle.SpecError
        For an unknown method.
    """
    if name is not None and name not in METHODS:
        raise SpecError(f"unknown method '{name}'; {did_you_mean(name, list(METHODS))}")


@dataclass(frozen=True)
class Method:
    """A method with what it works on."""

    name: str
    run: Callable[[float], Bounds]
    """From the gap asked for to bounds."""


def choose(
    fabric: Fabric,
    demands: Demands,
    routing: Routing | None,
    name: str | None,
    capacity: NDArray[np.float64] | None,
) -> Method:
    """The method called `name`, or the one that fits.

    Raises
    ------
    tulle.SpecError
        For an unknown method.
    tulle.InputError
        For a method that needs a routing and has none, or the other way round.
    """
    check_method(name)
    if routing is None:
        raise InputError(f"{fabric.spec}: no routing; legal: a routing")
    flow = _tulle.path_flow(routing._core, demands._core, capacity)
    name = name or "path-lp"
    return Method(name, lambda _gap: path_lp.bracket(flow, "pdlp" if name == "path-pdlp" else "ipm"))
