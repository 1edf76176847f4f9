"""Make the tables of an InfiniBand subnet for a virtual-channel plan, and prove them before anything is written."""

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
    """The result of following every path through the tables.

    It shows that each path leads to its LID on the virtual lanes of the plan, and that the channel dependencies have no
    cycle.
    """

    paths: int
    """The number of paths: from every switch with endpoints to every LID of an adapter port at another switch."""
    hops: tuple[NDArray[np.int64], ...]
    """Per layer, int64 (longest path + 1,): entry h is the number of (switch, endpoint) pairs whose path has h hops."""
    dependencies: int
    """The number of dependencies between (channel, VL) nodes."""


@dataclass(frozen=True, eq=False)
class Deployment(Value):
    """The forwarding tables, SL-to-VL tables and service levels of a plan. Made by `deploy_infiniband`."""

    plan: VcPlan
    lmc: int
    """The LID mask control: every adapter port has 2^LMC LIDs, and layer l uses base LID + l."""
    hardware_vls: int
    """The number of data VLs of every port."""
    fabric: Fabric
    """The fabric with its GUIDs, LIDs and port numbers."""
    walked: Walked
    _core: _tulle.InfinibandDeployment = field(repr=False, compare=False)

    @property
    def top_lid(self) -> int:
        """The largest assigned LID."""
        return self._core.top_lid

    @property
    def multicast_sl(self) -> int | None:
        """The service level of multicast, with its own VL; None if the plan leaves no VL or service level unused."""
        return self._core.multicast_sl

    @cached_property
    def lfts(self) -> NDArray[np.uint8]:
        """The output port by switch and LID, uint8 (S, LIDs); 255 if there is none."""
        return frozen(self._core.tables().ports())

    @cached_property
    def levels(self) -> NDArray[np.uint8]:
        """The service level by source switch and LID, uint8 (S, LIDs)."""
        return frozen(self._core.levels())

    @cached_property
    def lanes(self) -> NDArray[np.uint8]:
        """The VL by switch, origin of the packet, and service level, uint8 (S, 2, 16).

        The origin is 0 for packets from another switch, and 1 for packets from an adapter or from the switch itself.
        """
        return frozen(self._core.lanes())

    @cached_property
    def adapter_lanes(self) -> NDArray[np.uint8]:
        """The VL on which an adapter sends, by service level, uint8 (16,)."""
        return frozen(self._core.adapter_lanes())

    def changes(self, before: _tulle.ForwardingTables, switches: Sequence[int] | None = None) -> NDArray[np.int32]:
        """List the entries that differ from the tables `before`: switch, LID, old and new port, int32 (changes, 4).

        The parameter `switches` has the index of every switch in the tables `before`; None: the indices are equal.
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
    """Make forwarding tables, SL-to-VL tables and service levels for a plan, and follow every path through them.

    GUIDs, LIDs and ports come from the fabric. If the fabric does not define them, they are generated from ids.

    Parameters
    ----------
    plan
        The virtual-channel plan, with the routing to deploy.
    lmc
        LID mask control, 0 to 7: an adapter port has 2^lmc LIDs.
    vls
        The number of data VLs of every port: 1, 2, 4, 8 or 15.
    before, switches
        The loaded tables, and the index of every switch in these tables. If a switch can choose between ports, it keeps
        the port of the loaded table.

    Raises
    ------
    tulle.InputError
        For a fabric, routing or plan that exceeds the limits of the hardware.

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
        raise InputError(f"vls={vls} is not a number of data VLs; legal: 1, 2, 4, 8 or 15")
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
