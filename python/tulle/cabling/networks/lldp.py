"""A network as its switches hear it by LLDP: a file of ``lldpctl -f json0`` per switch.

A switch is what has a file; what others hear of besides is an endpoint, unless patterns tell. A cable is there
once one end hears the other; where both do, they must agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.live import lldp
from tulle.cabling.networks.assembly import Cable, Imported, Network
from tulle.cabling.source import Source, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.cabling.live.seen import Seen


def read(paths: Sequence[Path], endpoints: Sequence[str]) -> Imported:
    """The fabric of the files."""
    network, sources = Network(), [Source(path) for path in paths]
    heard: dict[tuple[str, str], Seen] = {}
    for source in sources:
        seen = lldp.read(source)
        device = seen[0].device
        if device in network.switches:
            raise source.error(0, f"a second file of {shown(device)}; legal: one per switch")
        network.switches.add(device)
        for port in (port for port in seen if port.port):
            if port.neighbour is None:
                network.warnings.append(f"{source.path}: port {shown(port.port)} is ignored: its neighbour has no name")
            elif (port.device, port.port) in heard:
                problem = f"a second neighbour at port {shown(port.port)} of {shown(device)}; legal: one"
                raise source.error(port.at, problem)
            else:
                heard[port.device, port.port] = port
    one_sided = 0
    for end, port in heard.items():
        other = (port.neighbour or "", port.neighbour_port or "")
        back = heard.get(other)
        if back is not None and (back.neighbour, back.neighbour_port) != end:
            problem = f"port {shown(end[1])} of {shown(end[0])} hears {_said(other)}, which hears {_said_by(back)}"
            raise port.source.error(port.at, f"{problem}; legal: each other")
        if back is None or end < other:
            one_sided += back is None and other[0] in network.switches
            rate = port.rate if port.rate is not None or back is None else back.rate
            network.cables.append(Cable((end, other), port.source, port.at, rate=rate))
    if one_sided:
        network.warnings.append(f"{one_sided} cables between switches are heard of at one end alone")
    if not endpoints:
        network.adapters = {name for cable in network.cables for name, _ in cable.ends} - network.switches
    return network.fabric(sources[0], endpoints)


def _said(end: tuple[str, str]) -> str:
    return f"{shown(end[1])} of {shown(end[0])}"


def _said_by(port: Seen) -> str:
    return _said((port.neighbour or "", port.neighbour_port or ""))
