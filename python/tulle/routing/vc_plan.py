"""Plans of virtual channels."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.arrays import frozen
from tulle._internal.results import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from tulle.routing.routing import Routing

__all__ = ["VcPlan"]


@dataclass(frozen=True, eq=False)
class VcPlan(Value):
    """Virtual channels that keep a routing free of deadlock, and the proof. Made by `Routing.assign_vcs`."""

    spec: str
    """Canonical spec of the scheme."""
    scheme: str
    """Its name."""
    num_vcs: int
    """Virtual channels (virtual channels) in use, spare ones included."""
    needed_vcs: int
    """The fewest that the scheme needs for this routing."""
    num_sls: int
    """Service levels in use."""
    certificate: NDArray[np.uint32]
    """The proof, uint32 (channels · num_vcs,): the rank of (channel, virtual channel), which rises along every path."""
    routing: Routing
    """The routing that the plan is for: another one where the scheme had to change some paths."""
    _core: _tulle.VcPlan = field(repr=False)

    @cached_property
    def sl(self) -> NDArray[np.uint8]:
        """The service level of every route, uint8 (layers, S, S) by layer, source and destination, or (paths,)."""
        return frozen(self._core.sl(self.routing._core))

    @cached_property
    def vc(self) -> NDArray[np.uint8]:
        """The virtual channel of a packet, uint8 (phases, ``num_sls``, hops), by phase, service level and hop.

        One hop where packets keep their virtual channel; one phase but for routes by way of another switch.
        """
        return frozen(self._core.vc())

    @cached_property
    def sl_to_vl(self) -> NDArray[np.uint8] | None:
        """The virtual channel that a switch puts a packet on, uint8 (S, 2, ``num_sls``); for hardware without hops.

        By switch, whether the packet comes from another switch (0) or from an endpoint (1), and service level: the
        SL-to-VL tables of InfiniBand toward other switches. None where these do not tell: several phases, or a virtual
        channel per hop that is not by ``colouring``.
        """
        return None if (table := self._core.sl_to_vl(self.routing._core)) is None else frozen(table)

    def __reduce__(self) -> tuple[object, ...]:
        return restored, (self.routing, self._core.stored())

    @classmethod
    def _of(cls, core: _tulle.VcPlan, routing: Routing) -> Self:
        names = (core.spec, core.scheme, core.num_vcs, core.needed_vcs, core.num_sls)
        return cls(*names, core.certificate(), routing, core)


def restored(routing: Routing, stored: str) -> VcPlan:
    """The plan of `routing` that was kept as text; its proof is checked anew."""
    return VcPlan._of(_tulle.restore_plan(stored, routing._core), routing)
