"""Virtual-channel plans: how packets use virtual channels, and the proof that they cannot deadlock."""

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
    """An assignment of virtual channels that keeps a routing free of deadlock, with proof. See `Routing.assign_vcs`."""

    spec: str
    """Canonical spec of the deadlock scheme."""
    scheme: str
    """Name of the scheme."""
    num_vcs: int
    """Number of virtual channels in use, including spare channels over which paths are spread."""
    needed_vcs: int
    """The fewest virtual channels with which the scheme works for this routing."""
    num_sls: int
    """Service levels in use."""
    certificate: NDArray[np.uint32]
    """The proof, uint32 (channels · num_vcs,): a rank per channel and virtual channel that rises along every path."""
    routing: Routing
    """The routing of the plan. It differs from the given routing if the scheme had to change paths."""
    _core: _tulle.VcPlan = field(repr=False)

    @cached_property
    def sl(self) -> NDArray[np.uint8]:
        """The service level of every route, uint8: (layers, S, S) for tables, (paths,) for a path set."""
        return frozen(self._core.sl(self.routing._core))

    @cached_property
    def vc(self) -> NDArray[np.uint8] | None:
        """The virtual channel of a packet by phase, service level and hop, uint8 (phases, ``num_sls``, hops).

        The last dimension has size 1 if packets keep their virtual channel on all hops, and size 2 if packets can
        change their virtual channel only after the first hop. The number of phases is one, except for routes over an
        intermediate switch. The value is None if the virtual channel depends on the switch (see `sl_to_vl`), in some
        repaired InfiniBand bundles.
        """
        return None if (table := self._core.vc()) is None else frozen(table)

    @cached_property
    def sl_to_vl(self) -> NDArray[np.uint8] | None:
        """The virtual channel that a switch puts a packet on, uint8 (S, 2, ``num_sls``).

        The indices are the switch, the origin of the packet (0: another switch, 1: an endpoint), and the service level.
        These are InfiniBand's SL-to-VL tables toward other switches. The value is None if the indices do not determine
        the virtual channel: with several phases, or if a scheme other than ``colouring`` assigns a virtual channel per
        hop.
        """
        return None if (table := self._core.sl_to_vl(self.routing._core)) is None else frozen(table)

    def __reduce__(self) -> tuple[object, ...]:
        return restored, (self.routing, self._core.stored())

    @classmethod
    def _of(cls, core: _tulle.VcPlan, routing: Routing) -> Self:
        names = (core.spec, core.scheme, core.num_vcs, core.needed_vcs, core.num_sls)
        return cls(*names, core.certificate(), routing, core)


def restored(routing: Routing, stored: str) -> VcPlan:
    """Restore a plan of `routing` from its stored text and check its proof again."""
    return VcPlan._of(_tulle.restore_plan(stored, routing._core), routing)
