"""What an InfiniBand subnet is loaded with for a plan of virtual channels, proved before anything is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.arrays import frozen
from tulle._internal.results import Value
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.routing.vc_plan import VcPlan

__all__ = ["Deployment", "Walked", "deploy_infiniband"]

DATA_VLS = (1, 2, 4, 8, 15)


@dataclass(frozen=True, eq=False)
class Walked(Value):
    """What walking every path by the tables alone found.

    Each leads to its LID on the lanes of the plan, and no packets wait for each other in a circle.
    """

    paths: int
    """From every switch with endpoints to every LID of an adapter port at another switch."""
    hops: tuple[NDArray[np.int64], ...]
    """Per layer the pairs of such a switch and an endpoint by the hops of their path, int64 (longest path + 1,)."""
    dependencies: int
    """Channel dependencies between (channel, VL)."""


@dataclass(frozen=True, eq=False)
class Deployment(Value):
    """Forwarding tables, lanes and service levels of a plan. Made by `deploy_infiniband`."""

    plan: VcPlan
    lmc: int
    """Every adapter port has 2^LMC LIDs; layer l goes by base LID + l."""
    hardware_vls: int
    """Data VLs that every port has."""
    fabric: Fabric
    """The fabric with its GUIDs, LIDs and port numbers."""
    walked: Walked
    _core: _tulle.InfinibandDeployment = field(repr=False, compare=False)

    @property
    def top_lid(self) -> int:
        """The largest LID given."""
        return self._core.top_lid

    @property
    def multicast_sl(self) -> int | None:
        """The service level of multicast, on a VL of its own; None where the plan leaves none."""
        return self._core.multicast_sl

    @cached_property
    def lfts(self) -> NDArray[np.uint8]:
        """The port by switch and LID, uint8 (S, LIDs); 255 where there is none."""
        return frozen(self._core.tables().ports())

    @cached_property
    def levels(self) -> NDArray[np.uint8]:
        """The service level by the switch of the source and LID, uint8 (S, LIDs)."""
        return frozen(self._core.levels())

    @cached_property
    def lanes(self) -> NDArray[np.uint8]:
        """The VL by switch, where a packet comes from, and service level, uint8 (S, 2, 16).

        It comes from another switch (0), or from an adapter or the switch itself (1).
        """
        return frozen(self._core.lanes())

    @cached_property
    def adapter_lanes(self) -> NDArray[np.uint8]:
        """The VL by service level of packets that leave an adapter, uint8 (16,)."""
        return frozen(self._core.adapter_lanes())

    def changes(self, before: _tulle.ForwardingTables, switches: Sequence[int] | None = None) -> NDArray[np.int32]:
        """The entries that are not as in the tables `before`: switch, LID, port before and now, int32 (changes, 4).

        `switches` has the place of every switch in those tables; None: the same.
        """
        return frozen(self._core.changes(before, None if switches is None else [*switches]))


def deploy_infiniband(
    plan: VcPlan,
    *,
    lmc: int = 2,
    vls: int = 8,
    before: _tulle.ForwardingTables | None = None,
    switches: Sequence[int] | None = None,
) -> Deployment:
    """Tables, lanes and service levels for a plan, every path of them walked.

    GUIDs, LIDs and ports are those that the fabric has; where it has none they follow from ids.

    Parameters
    ----------
    plan
        The plan; its routing is the one that is deployed.
    lmc
        LID mask control, 0 to 7: an adapter port has 2^lmc LIDs.
    vls
        Data VLs that every port has: 1, 2, 4, 8 or 15.
    before, switches
        Tables that are loaded now, and the place of every switch in them: where switches have a choice of ports, those
        stay.

    Raises
    ------
    tulle.InputError
        For a fabric, routing or plan that the hardware cannot hold.

    Examples
    --------
    >>> import tulle
    >>> routing = tulle.route("slimfly:q=5", "almost-minimal:layers=4")
    >>> made = deploy_infiniband(routing.assign_vcs("colouring"))
    >>> made.top_lid, made.lfts.shape, made.walked.paths
    (851, (50, 852), 39200)
    """
    if not 0 <= lmc <= 7:
        raise InputError(f"lmc={lmc} is out of range; legal: 0 to 7")
    if vls not in DATA_VLS:
        raise InputError(f"vls={vls} is no number of data VLs; legal: 1, 2, 4, 8 or 15")
    from tulle.deploy.infiniband.names import check_ports
    from tulle.fabric import Fabric

    check_ports(plan.routing.fabric)
    places = None if switches is None else [int(switch) for switch in switches]
    core = _tulle.deploy_infiniband(plan.routing._core, plan._core, lmc, vls, before, places)
    paths, hops, dependencies = core.walk()
    walked = Walked(paths, tuple(frozen(counts) for counts in hops), dependencies)
    base = plan.routing.fabric
    fabric = Fabric._of(core.addressed(), base.seed, (_addressed, (plan, lmc, vls)))
    return Deployment(plan, lmc, vls, fabric, walked, core)


def _addressed(plan: VcPlan, lmc: int, vls: int) -> _tulle.Fabric:
    return _tulle.deploy_infiniband(plan.routing._core, plan._core, lmc, vls).addressed()
