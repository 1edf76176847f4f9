"""Routings after failures."""

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
    """A routing after failures that keeps as much as it can of the one before. Made by `Routing.reroute`."""

    routing: Routing
    """The routing over the damaged fabric, in its numbering."""
    plan: VcPlan | None
    """Its plan, by the scheme of the plan before, proved anew; None where none was given."""
    entries: int
    """Table entries (switch and other switch as destination, per layer) between switches that are left, or paths."""
    touched: int
    """How many of them are not as before: entries with other ports, paths that are gone."""
    broken: int
    """How many of them had to change whatever the others do: they used a channel that is dead."""
    added: int
    """Paths of a path set that are new; 0 for tables."""
    left_out: list[tuple[int, int]]
    """Pairs of switches of a path set that are without any path, as every one they could have closes a cycle that the
    scheme of the plan cannot undo."""


@dataclass(frozen=True, eq=False)
class Together(Value):
    """Whether two routings are free of deadlock together. Made by `Routing.acyclic_together`; true where they are."""

    certificate: NDArray[np.uint32] | None
    """The proof, uint32 (channels · virtual channels,), channels of the old fabric; None where there is none."""
    cycle: tuple[tuple[int, int], ...]
    """Channels with their virtual channels, each waiting for the next, the last for the first; empty where acyclic."""
    name: str
    """The cycle in words: the switches that it leads through."""

    def __bool__(self) -> bool:
        return self.certificate is not None
