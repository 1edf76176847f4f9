"""Plans of virtual channels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tulle._value import Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from typing_extensions import Self

    from tulle import _tulle
    from tulle.routing.routing import Routing

__all__ = ["VcPlan"]


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
