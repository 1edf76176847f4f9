"""Plans of virtual channels, and routings after failures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tulle._value import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from tulle import _tulle
    from tulle.routing import Routing

__all__ = ["Rerouted", "Together", "VcPlan"]


@dataclass(frozen=True, eq=False)
class VcPlan(Value):
    """Virtual channels that keep a routing free of deadlock, and the proof. Made by `Routing.deadlock_free`."""

    spec: str
    """Canonical spec of the scheme."""
    scheme: str
    """Its name."""
    num_vcs: int
    """Virtual channels (virtual lanes) in use, spare ones included."""
    needed_vcs: int
    """The fewest that the scheme needs for this routing."""
    num_sls: int
    """Service levels in use."""
    certificate: NDArray[np.uint32]
    """The proof, uint32 (channels · num_vcs,): the rank of (channel, virtual channel), which rises along every path."""
    routing: Routing
    """The routing that the plan is for: another one where the scheme had to change some paths."""
    _core: _tulle.VcPlan = field(repr=False)

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.routing, self._core.stored())

    @classmethod
    def _of(cls, core: _tulle.VcPlan, routing: Routing) -> Self:
        names = (core.spec, core.scheme, core.num_vcs, core.needed_vcs, core.num_sls)
        return cls(*names, core.certificate(), routing, core)


def _restored(routing: Routing, stored: str) -> VcPlan:
    from tulle import _tulle

    return VcPlan._of(_tulle.restore_plan(stored, routing._core), routing)


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
    """How many of them had to change whatever the others do: they used a channel that is gone."""
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
