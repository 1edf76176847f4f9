"""Priority flow control in SONiC's configuration: the buffer, QoS and PFC tables of a switch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tulle.deploy.ethernet.pfc import LOSSY, PRIORITIES, Headroom, headroom
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tulle.deploy.ethernet.pfc import Priorities
    from tulle.deploy.ethernet.plan import EthernetPlan, Port

__all__ = ["headroom_of_switch", "tables"]

Table = dict[str, dict[str, Any]]

CABLE, HOST = "TULLE_CABLE", "TULLE_HOST"
"""The names of the QoS maps for ports to other switches, and for ports to hosts."""
_DSCPS = 64
_POOLS = ("ingress_lossless_pool", "egress_lossless_pool", "egress_lossy_pool")


def tables(
    plan: EthernetPlan,
    switch: int,
    names: Mapping[int, str],
    found: Priorities,
    sizes: Headroom,
    memory: int | None = None,
) -> dict[str, Table]:
    """Make the tables of a switch.

    Parameters
    ----------
    plan
        The deployed plan.
    switch
        The id of the switch.
    names
        SONiC's names of the switch's ports, by port number.
    found
        The priorities of virtual channels.
    sizes
        The parameters of headroom.
    memory
        The packet buffer in bytes; None: SONiC computes the sizes of pools itself (its dynamic model).

    Raises
    ------
    tulle.InputError
        For a link whose rate or length is unknown, or a buffer that is too small for the headroom alone.
    """
    lossless = found.lossless
    needed, rooms = headroom_of_switch(plan, switch, found, sizes)
    if memory is not None and needed >= memory:
        raise InputError(
            f"{plan.names[switch]} needs {needed} bytes of headroom for {len(lossless)} lossless priorities of "
            f"{len(rooms)} ports, but its buffer has {memory}; legal: a larger --buffer, or fewer priorities"
        )
    made: dict[str, Table] = {
        **_maps(found),
        "BUFFER_POOL": _pools(memory, needed),
        "BUFFER_PROFILE": {
            "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3"},
            "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "dynamic_th": "7"},
            "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "3"},
        },
        "BUFFER_PG": {},
        "BUFFER_QUEUE": {},
        "CABLE_LENGTH": {"TULLE": {}},
        "PORT_QOS_MAP": {},
    }
    for port in plan.ports[switch]:
        name = names[port.number]
        mbps, metres, xoff = rooms[port.number]
        profile = f"pg_lossless_{mbps}_{metres}m_profile"
        made["BUFFER_PROFILE"][profile] = {
            "pool": "ingress_lossless_pool",
            "xon": str(sizes.xon),
            "xoff": str(xoff),
            "size": str(sizes.xon + xoff),
            "dynamic_th": "0",
        }
        here = _lossless_at(port, found)
        for kind, key, keep, lose in (
            ("BUFFER_PG", here, profile, "ingress_lossy_profile"),
            ("BUFFER_QUEUE", here, "egress_lossless_profile", "egress_lossy_profile"),
        ):
            for first, last, inside in _ranges(key):
                # Only the lossless priority groups and the group of all other traffic are configured.
                if inside or kind == "BUFFER_QUEUE" or first == LOSSY:
                    top = LOSSY if kind == "BUFFER_PG" and not inside else last
                    span = str(first) if top == first else f"{first}-{top}"
                    made[kind][f"{name}|{span}"] = {"profile": keep if inside else lose}
        made["CABLE_LENGTH"]["TULLE"][name] = f"{metres}m"
        made["PORT_QOS_MAP"][name] = _bound(port, found, here)
    return made


def headroom_of_switch(
    plan: EthernetPlan, switch: int, found: Priorities, sizes: Headroom
) -> tuple[int, dict[int, tuple[int, int, int]]]:
    """Return the total headroom of a switch in bytes; per port: rate (Mb/s), cable length (m), bytes per priority."""
    rooms = {port.number: headroom(plan.fabric, port.channel, port.endpoint, sizes) for port in plan.ports[switch]}
    needed = sum(len(_lossless_at(port, found)) * (rooms[port.number][2] + sizes.xon) for port in plan.ports[switch])
    return needed, rooms


def _lossless_at(port: Port, found: Priorities) -> tuple[int, ...]:
    """The lossless priorities of a port. If switches rewrite DSCPs, ports to hosts use only the first priority."""
    return (found.of_vc[0],) if found.by_hop and port.channel is None else found.lossless


def _pools(memory: int | None, needed: int) -> Table:
    pools: Table = {
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic"},
        "egress_lossless_pool": {"type": "egress", "mode": "dynamic"},
        "egress_lossy_pool": {"type": "egress", "mode": "dynamic"},
    }
    if memory is not None:
        for name in _POOLS:
            pools[name]["size"] = str(memory - needed)
    return pools


def _maps(found: Priorities) -> dict[str, Table]:
    """The maps between DSCPs, traffic classes, priority groups and queues."""
    classes = range(PRIORITIES)
    lossless = set(found.lossless)
    same = {str(number): str(number) for number in classes}
    kept = {str(number): str(number if number in lossless else LOSSY) for number in classes}
    maps: dict[str, Table] = {
        "MAP_PFC_PRIORITY_TO_QUEUE": {"TULLE": same},
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"TULLE": same},
    }
    if not found.by_hop:
        dscps = {str(dscp): str(dscp if dscp in lossless else LOSSY) for dscp in range(_DSCPS)}
        return {
            **maps,
            "DSCP_TO_TC_MAP": {CABLE: dscps, HOST: dscps},
            "TC_TO_PRIORITY_GROUP_MAP": {CABLE: kept, HOST: kept},
            "TC_TO_QUEUE_MAP": {CABLE: kept, HOST: kept},
        }
    first, end = found.of_vc[0], found.end_class
    assert end is not None
    before = dict(zip((*found.of_vc[1:], end), found.of_vc, strict=True))
    after = {one: number for number, one in before.items()}
    others = {str(number): str(LOSSY) for number in classes}
    return {
        **maps,
        "DSCP_TO_TC_MAP": {
            CABLE: {str(dscp): str(after.get(dscp, LOSSY)) for dscp in range(_DSCPS)},
            HOST: {str(dscp): str(dscp if dscp == first else LOSSY) for dscp in range(_DSCPS)},
        },
        "TC_TO_PRIORITY_GROUP_MAP": {
            CABLE: others | {str(number): str(group) for number, group in before.items()},
            HOST: others | {str(first): str(first)},
        },
        "TC_TO_QUEUE_MAP": {CABLE: kept, HOST: others | {str(number): str(first) for number in (*before, first)}},
        "TC_TO_DSCP_MAP": {CABLE: kept, HOST: others | {str(number): str(first) for number in (*before, first)}},
    }


def _bound(port: Port, found: Priorities, lossless: Iterable[int]) -> dict[str, str]:
    """The maps that a port uses."""
    kind = HOST if port.channel is None else CABLE
    return {
        "dscp_to_tc_map": kind,
        "tc_to_pg_map": kind,
        "tc_to_queue_map": kind,
        "pfc_to_pg_map": "TULLE",
        "pfc_to_queue_map": "TULLE",
        **({"tc_to_dscp_map": kind} if found.by_hop else {}),
        "pfc_enable": ",".join(str(number) for number in lossless),
    }


def _ranges(inside: Iterable[int]) -> list[tuple[int, int, bool]]:
    """Split 0 to 7 into runs of numbers that are in `inside`, and runs of numbers that are not.

    Return the first and the last number of each run, and whether the run is in `inside`.
    """
    members = set(inside)
    runs: list[tuple[int, int, bool]] = []
    for number in range(PRIORITIES):
        if runs and runs[-1][2] == (number in members):
            runs[-1] = runs[-1][0], number, runs[-1][2]
        else:
            runs.append((number, number, number in members))
    return runs
