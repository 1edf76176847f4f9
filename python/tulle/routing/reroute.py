"""Results of rerouting after failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle._internal.html_summary import Overview, Shown
from tulle._internal.results import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

__all__ = ["Rerouted", "Together"]


@dataclass(frozen=True)
class Rerouted(Shown):
    """A routing after failures that keeps as much as possible of the old routing. Made by `Routing.reroute`."""

    routing: Routing
    """The new routing, with the switch and channel ids of the damaged fabric."""
    plan: VcPlan | None
    """The virtual-channel plan of the new routing, by the scheme of the old plan, with a new proof; None if no plan was
    given."""
    entries: int
    """Number of table entries (layer, switch, destination) between remaining switches; for a path set, number of old
    paths between them."""
    touched: int
    """Number of table entries whose ports changed; for a path set, number of paths that were removed."""
    broken: int
    """Number of table entries, or paths of a path set, that used a failed channel and therefore had to change."""
    added: int
    """Number of new paths of a path set; 0 for tables."""
    left_out: list[tuple[int, int]]
    """Pairs of switches that have no path in a path set, because each possible path would create a dependency cycle
    that the plan's scheme cannot break."""


@dataclass(frozen=True, eq=False)
class Together(Value):
    """True if two routings are free of deadlock together. Made by `Routing.acyclic_together`."""

    certificate: NDArray[np.uint32] | None
    """The proof: a rank per virtual channel of the old fabric, uint32 (channels · virtual channels,); None if there is
    a cycle."""
    cycle: tuple[tuple[int, int], ...]
    """A cycle of channels and virtual channels, each waiting for the next one; empty if there is none."""
    name: str
    """The switches of the dependency cycle, for error messages."""

    def __bool__(self) -> bool:
        return self.certificate is not None

    def _overview(self) -> Overview:
        return Overview("Together", "", {"free of deadlock": bool(self), "cycle": self.name or None})
