"""Find the failed parts of a bundle's fabric in the output of ``ibnetdiscover``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle._internal.html_summary import Shown
from tulle._internal.text import counted, listed
from tulle.deploy.infiniband.cut_off import hosts_of
from tulle.deploy.missing_parts import missing_parts
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.read.subnet import Subnet

__all__ = ["Failures", "check_dead", "find_failures"]


@dataclass(frozen=True)
class Failures(Shown):
    """The failed parts of a bundle's fabric."""

    switches: tuple[int, ...]
    """Ids of failed switches."""
    cables: tuple[int, ...]
    """Ids of failed cables between working switches."""
    endpoints: tuple[int, ...]
    """Endpoints at working switches that tables do not reach: hosts that are off, hosts at wrong ports, and hosts with
    new GUIDs. A repair changes no entry because of them."""
    unknown: int
    """The number of links that are up but not in the bundle; the new tables do not use them."""


def find_failures(bundle: Bundle, live: Subnet) -> Failures:
    """Find the parts of the bundle's fabric that are missing in the output of ``ibnetdiscover``.

    Raises
    ------
    tulle.InputError
        If no switch of the bundle is in the subnet.
    """
    fabric = bundle.fabric
    guids = [address[0] for address in bundle.switch_addresses]
    alive = {switch for switch, guid in enumerate(guids) if guid in live.nodes and live.nodes[guid].switch}
    if not alive:
        raise InputError(
            f"no switch of the bundle {bundle.place} is in the subnet (GUIDs were compared); legal: the output of "
            "ibnetdiscover for the subnet that the bundle was made for"
        )
    links = live.links()
    known = set()
    cables = []
    reverse = fabric.reverse
    for cable, (a, b) in zip(fabric.cables.tolist(), fabric.edges.tolist(), strict=True):
        ends = (guids[a], bundle.ports[cable]), (guids[b], bundle.ports[reverse[cable]])
        link = min(ends), max(ends)
        known.add(link)
        if link not in links and {a, b} <= alive:
            cables.append(cable)
    endpoints = []
    for endpoint, (guid, _, _, _, port) in enumerate(bundle.endpoint_addresses):
        switch = int(fabric.endpoint_switch[endpoint])
        ends = (guids[switch], bundle.endpoint_ports[endpoint]), (guid, port)
        link = min(ends), max(ends)
        known.add(link)
        seen = live.nodes[guid].links.get(port) if guid in live.nodes else None
        # If the planned switch is dead, a host at an unplanned node counts as connected, because this node may replace
        # the switch.
        has_moved = seen is not None and seen != ends[0] and seen[0] in guids
        if has_moved or (seen != ends[0] and switch in alive):
            endpoints.append(endpoint)
    gone = tuple(switch for switch in range(fabric.num_switches) if switch not in alive)
    return Failures(gone, tuple(cables), tuple(endpoints), len(links - known))


def check_dead(bundle: Bundle, failures: Failures, most: tuple[int, int] | None) -> None:
    """Check that no more parts are missing in the live file than allowed.

    If a live file covers only a part of the subnet, all other parts seem to have failed. The parameter `most` has the
    allowed numbers of cables and switches; None: 5% of the cables (at least one), and one switch. Cables of missing
    switches do not count.

    Raises
    ------
    tulle.InputError
        If more parts are missing.
    """
    cables, switches = most if most is not None else (max(1, bundle.fabric.num_cables // 20), 1)
    dead = len(failures.cables), len(failures.switches)
    if dead[0] > cables or dead[1] > switches:
        names = ""
        if dead[1] > switches:
            labels = listed([bundle.fabric.labels[switch] for switch in failures.switches])
            hosts = hosts_of(bundle, failures.switches)
            names = f" (switches {labels}" + (f"; hosts {listed(hosts)})" if hosts else ")")
        option = f"--max-dead {dead[0]},{dead[1]}"
        raise InputError(
            f"{missing_parts(bundle.fabric, dead[0], failures.switches)}{names}; legal: a live file that lacks at most "
            f"{counted(switches, 'switch', 'switches')} and {counted(cables, 'other cable')}, or {option} if the parts "
            "have really failed or are cut off"
        )
