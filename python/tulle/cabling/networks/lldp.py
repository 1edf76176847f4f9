"""Import a network from the LLDP neighbours of its switches: a file of ``lldpctl -f json`` per switch.

A device with a file is a switch, and a neighbour without a file is a host, with two exceptions. A device without a file
is a switch if three conditions hold: it has several cables, it is not named like a host, and it bridges, routes, or
announces its ports like the switches. With one cable, it is a switch if it is named like a switch and does not announce
that it neither bridges nor routes. A device with a file is a host if three conditions hold: it neither bridges nor
routes, other devices with files do, and no host is connected to it. A cable exists if one end reports it. If both ends
report it, they must agree.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.cabling.identity import resolve
from tulle.cabling.identity.ports import form
from tulle.cabling.live import lldp
from tulle.cabling.live.port_record import announced_port
from tulle.cabling.networks.assembly import Cable, Network
from tulle.cabling.networks.model import NetworkFormat
from tulle.cabling.networks.roles import is_server_port, kind_of_name, marks_host
from tulle.cabling.source import Source, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.cabling.identity import Resolved
    from tulle.cabling.live.port_record import PortRecord
    from tulle.cabling.networks.assembly import Choices, Imported


def read(paths: Sequence[Path], choices: Choices) -> Imported:
    """Read files of LLDP neighbours, and return the fabric."""
    sources = [Source(path) for path in paths]
    found = resolve([port for source in sources for port in lldp.read(source)], ignore=choices.ignore)
    _check(found, sources)
    network = Network(warnings=list(found.notes), ignored={*choices.ignore} - {*found.unmatched})
    record_of = {(port.device, port.port): port for port in found.ports if port.port and port.neighbour is not None}
    one_sided, reporters = 0, {*found.reporters}
    for end, port in sorted(record_of.items()):
        other = (port.neighbour or "", port.neighbour_port or "")
        back = record_of.get(other)
        if back is not None and (back.neighbour, back.neighbour_port) != end:
            back = None
        if back is None or end < other:
            one_sided += back is None and other[0] in reporters
            rate = port.rate if port.rate is not None or back is None else back.rate
            network.cables.append(Cable((end, other), port.source, port.at, rate=rate))
    if one_sided:
        network.warnings.append(
            f"{counted(one_sided, 'cable')} between switches {verb(one_sided, 'is', 'are')} reported by one end only"
        )
    _sort(network, found)
    return network.fabric(sources[0], choices)


def _check(found: Resolved, sources: list[Source]) -> None:
    again = [name for name, count in Counter(found.reporters).items() if count > 1]
    if again:
        files = [port.source for port in found.ports if port.device == again[0]]
        raise (files or sources)[0].error(0, f"a second file of {shown(again[0])}; legal: one file per switch")
    for port, back in sorted(found.contradictions, key=lambda ends: (ends[0].device, ends[0].port))[:1]:
        here = _words((port.device, port.port))
        problem = f"port {here} has the neighbour {_neighbour(port)}, whose neighbour is {_neighbour(back)}"
        raise port.source.error(port.at, f"{problem}; legal: ports that are each other's neighbours")


def _neighbour(port: PortRecord) -> str:
    return _words((port.neighbour or "", port.neighbour_port or ""))


def _words(end: tuple[str, str]) -> str:
    return f"{shown(end[1])} of {shown(end[0])}"


def _sort(network: Network, found: Resolved) -> None:
    """Decide which devices are switches and which are hosts."""
    count: dict[str, int] = {}
    around: dict[str, set[str]] = {}
    ports: dict[str, list[tuple[str, str]]] = {}
    for cable in network.cables:
        for (name, port), (other, there) in (cable.ends, cable.ends[::-1]):
            count[name] = count.get(name, 0) + 1
            around.setdefault(name, set()).add(other)
            ports.setdefault(name, []).append((port, there))
    reporters = {*found.reporters}
    strangers = count.keys() - reporters
    # Linux hosts also announce bridging and routing if they run containers. So devices named like hosts are excluded.
    bridging = {name for name in strangers if found.forwards.get(name) and not marks_host(name, ports[name])}
    forwarding = {name for name in bridging if count[name] > 1 or kind_of_name(name) == "switch"}
    # A device with one cable is a switch only if its name says so.
    named = {name for name in strangers if found.forwards.get(name) is None and kind_of_name(name) == "switch"}
    named = {name for name in named if count[name] == 1}
    has_forwards = any(found.forwards.get(name) for name in reporters)
    alike = {name for name in _like_switches(found, reporters) if count.get(name, 0) > 1} - forwarding
    # If switches announce capabilities, a device that announces neither bridging nor routing is not a switch.
    alike = {name for name in alike if not (has_forwards and found.forwards.get(name) is False)}
    alike = {name for name in alike if not marks_host(name, ports[name])}
    silent = {name for name in reporters if has_forwards and found.forwards.get(name) is False}
    # A device to which a host is connected is a switch, even if it announces neither bridging nor routing.
    switches = reporters | forwarding | alike | named
    silent = {name for name in silent if around.get(name) and around[name] <= switches - silent}
    network.adapters = (strangers - switches) | silent
    network.switches = switches - silent
    bridge = ("it announces that it bridges or routes", "they announce that they bridge or route")
    names_ports = ("it announces its ports", "they announce their ports")
    neither = ("it announces that it neither bridges nor routes", "they announce that they neither bridge nor route")
    one_cable = ("it has one cable, although it announces", "they have one cable, although they announce")
    as_switch, as_host = ("is read as a switch", "are read as switches"), ("is read as a host", "are read as hosts")
    for names, which, read_as, why, like in (
        (forwarding, "without a file", as_switch, bridge, ""),
        (alike, "without a file", as_switch, names_ports, " like the switches with a file"),
        (named, "without a file", as_switch, ("of its name", "of their names"), ""),
        (bridging - forwarding, "without a file", as_host, one_cable, " bridging or routing"),
        (silent, "with a file", as_host, neither, ""),
    ):
        if names:
            some = ", ".join(map(shown, sorted(names)[:3])) + (", …" if len(names) > 3 else "")
            network.warnings.append(
                f"{counted(len(names), 'device')} {which} {verb(len(names), *read_as)}, because "
                f"{verb(len(names), *why)}{like} ({some}); --endpoints selects the endpoints instead"
            )


def _like_switches(found: Resolved, reporters: set[str]) -> set[str]:
    """Return devices without a file, all of whose announced port names look like those of switches with a file."""
    seen: dict[str, set[tuple[str, str | None]]] = {}
    known: set[tuple[str, str | None]] = set()
    for port in found.ports:
        if port.announced is None or not port.neighbour:
            continue
        name = announced_port(port.announced)
        way = (port.announced.port_kind, None if is_server_port(name) else form(name))
        if port.neighbour in reporters:
            known.add(way)
        else:
            seen.setdefault(port.neighbour, set()).add(way)
    return {name for name, ways in seen.items() if all(way in known and way[1] is not None for way in ways)}


FORMAT = NetworkFormat(
    name="lldp",
    summary="the LLDP neighbours of switches: lldpctl -f json, SONiC's APP_DB, and files with aliases of ports",
    paper="IEEE 802.1AB; lldpd: lldpctl(8)",
    limitations="Switches without a file are known only from their neighbours' files.",
    examples=("lldp leaf1.json leaf2.json spine1.json", "lldp leaf1.json leaf2.json spine1.json --hosts 'node*'"),
    read=read,
    sample=lldp.SAMPLE,
    files="one per switch",
)
