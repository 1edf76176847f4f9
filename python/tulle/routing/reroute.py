"""Results of rerouting after failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle._internal.results import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["Rerouted", "Together"]


@dataclass(frozen=True)
class Rerouted:
    """A routing after failures that keeps as much as possible of the old one. Made by `Routing.reroute`."""

    routing: Routing
    """The new routing, in the numbering of the damaged fabric."""
    plan: VcPlan | None
    """Its plan by the same scheme, with a new proof; None if no plan was given."""
    entries: int
    """Number of table entries between remaining switches (layer, switch, destination), or of paths of a path set."""
    touched: int
    """How many of these changed: entries with other ports, or paths that were removed."""
    broken: int
    """How many of these used a failed channel and therefore had to change."""
    added: int
    """New paths of a path set; 0 for tables."""
    left_out: list[tuple[int, int]]
    """Pairs of switches of a path set without a path, because each possible path would close a dependency cycle that
    the plan's scheme cannot break."""


@dataclass(frozen=True, eq=False)
class Together(Value):
    """Whether two routings are free of deadlock together; true if so. Made by `Routing.acyclic_together`."""

    certificate: NDArray[np.uint32] | None
    """The proof, uint32 (channels · virtual channels,) over channels of the old fabric; None if there is a cycle."""
    cycle: tuple[tuple[int, int], ...]
    """A cycle of channels and virtual channels, each waiting for the next one; empty if there is none."""
    name: str
    """The switches of the cycle, for messages."""

    def __bool__(self) -> bool:
        return self.certificate is not None
