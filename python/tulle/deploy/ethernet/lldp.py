"""Match LLDP records with the switches and ports of an Ethernet plan, as `tulle cabling verify` does."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tulle.cabling.identity import resolve
from tulle.cabling.live.port_record import lldp_port
from tulle.cabling.observed import observe
from tulle.cabling.verify import renamed_switches
from tulle.deploy.cable_plan import ethernet_cables

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tulle.cabling.live.port_record import PortRecord
    from tulle.deploy.ethernet.plan import EthernetPlan, Port

__all__ = ["Matched", "as_named", "find_renamed", "match", "own_ports", "port_aliases"]


class Matched(NamedTuple):
    """An LLDP record of a port with a neighbour."""

    seen: PortRecord
    """The record with the names of the plan."""
    read: PortRecord
    """The record as it was read."""


def port_aliases(plan: EthernetPlan, seen: Sequence[PortRecord]) -> list[PortRecord]:
    """Return a record for each switch port, with all names that it may announce."""
    if not seen:
        return []
    records = []
    for name, ports in zip(plan.names, plan.ports, strict=True):
        for port in ports:
            aliases = tuple(sorted(_other_names(port)))
            records.append(lldp_port(seen[0].source, name, port.name, 0, aliases=aliases))
    return records


def own_ports(plan: EthernetPlan) -> dict[tuple[str, str], str]:
    """Return the name of each switch port by the switch and by any other name of the port."""
    found: dict[tuple[str, str], str] = {}
    for name, ports in zip(plan.names, plan.ports, strict=True):
        for port in ports:
            found |= dict.fromkeys(((name, text) for text in _other_names(port)), port.name)
        found |= {(name, port.name): port.name for port in ports}
    return found


def _other_names(port: Port) -> set[str]:
    return {port.alias, port.given, str(port.number), port.mac, port.mac.upper()} - {"", port.name}


def as_named(plan: EthernetPlan, seen: Iterable[PortRecord]) -> list[PortRecord]:
    """Return the records with the bundle's names of switches instead of those of the fabric."""
    taken = {*plan.names}
    names = {label: name for label, name in zip(plan.fabric.labels, plan.names, strict=True) if label not in taken}
    if not names:
        return [*seen]
    return [
        replace(
            port,
            device=names.get(port.device, port.device),
            neighbour=port.neighbour and names.get(port.neighbour, port.neighbour),
        )
        for port in seen
    ]


def match(
    plan: EthernetPlan, seen: Sequence[PortRecord], removed: Collection[str], renamed: Mapping[str, str]
) -> list[Matched]:
    """Join the LLDP records of all switches, and return those of ports with a neighbour.

    Parameters
    ----------
    plan
        The deployed plan.
    seen
        The records of all files, and records of aliases.
    removed
        Names of switches that repairs have removed from the bundle.
    renamed
        The result of `find_renamed`.

    Raises
    ------
    tulle.FormatError
        For an ambiguous name, or for cables whose two ends cannot be matched.
    """
    seen = as_named(plan, seen)
    own = own_ports(plan)
    read = {_place(port): port for port in seen if not port.aliases}
    found = []
    for port in _resolved(plan, seen, removed):
        if port.neighbour is None:
            continue
        device, other = (renamed.get(name, name) for name in (port.device, port.neighbour))
        here, there = own.get((device, port.port), port.port), port.neighbour_port
        there = own.get((other, there), there) if there else None
        as_planned = replace(port, device=device, port=here, neighbour=other, neighbour_port=there)
        found.append(Matched(as_planned, read[_place(port)]))
    return found


def find_renamed(plan: EthernetPlan, seen: Sequence[PortRecord], removed: Collection[str]) -> dict[str, str]:
    """Return the switches that have another name than planned: the name in the files -> the planned name.

    Raises
    ------
    tulle.FormatError
        For the same records as `match`.
    """
    cables = ethernet_cables(plan)
    # Many hosts do not use LLDP, so their cables do not count.
    hosts = {row for row, cable in enumerate(cables.cables) if cable.step == 0}
    found = _resolved(plan, as_named(plan, seen), removed)
    return renamed_switches(cables, observe(cables, found, by_number=False, ignore=()), hosts)


def _resolved(plan: EthernetPlan, seen: Sequence[PortRecord], removed: Collection[str]) -> list[PortRecord]:
    planned: dict[str, set[str]] = {name: set() for name in (*removed, *(host.name for host in plan.hosts))}
    planned |= {name: {port.name for port in ports} for name, ports in zip(plan.names, plan.ports, strict=True)}
    return resolve([*seen, *port_aliases(plan, seen)], planned=planned).ports


def _place(port: PortRecord) -> tuple[str, int, str]:
    """Return the position of a record, which identifies it."""
    return str(port.source.path), port.at, port.port
