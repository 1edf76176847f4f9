"""Import handwritten topologies: IBDM's ``.topo`` for InfiniBand, and ``topology.dot`` of PTM.

For a ``.topo``, an ``.ibnl`` file in the same folder defines whether a type of system is a switch or an adapter. In a
``topology.dot``, the attributes ``function`` and ``role`` define this. Otherwise the rules of `roles` decide. Port
``P5`` of a ``.topo`` becomes port 5, as in InfiniBand.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.text import tulle_command
from tulle.cabling.networks.assembly import Cable, Network
from tulle.cabling.networks.model import NetworkFormat
from tulle.cabling.source import Source, shown
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.cabling.networks.assembly import Choices, Imported
    from tulle.fabric import Fabric

_DOT = (".dot", ".gv")
_HOSTS = re.compile(
    r"function of a host (is|are) read as (a switch|switches); "
    r"'tulle import topo' reads (it|them) as (an endpoint|endpoints)$"
)
# Lines of a .topo: SYSTEM-TYPE SYSTEM-NAME [CFG: …], and PORT -4x-10G-> SYSTEM-TYPE SYSTEM-NAME PORT.
_SYSTEM = re.compile(r"(?P<type>[^\s>]+)\s+(?P<name>[^\s>]+)\s*(?P<more>CFG:.*)?$")
_PORT = re.compile(
    r"(?P<port>[^\s>]+)\s+-(?:(?P<width>\d{1,2})x)?-?(?:(?P<speed>\d{1,3}(?:\.\d{1,3})?)G)?-?>"
    r"\s*(?P<type>[^\s>]+)\s+(?P<name>[^\s>]+)\s+(?P<other>[^\s>]+)$"
)
_NODE = re.compile(r"NODE\s+(?P<kind>SW|CA|HCA)\s+\d+\s+\S+\s+\S+$")
# Speed in the file -> rate of an InfiniBand lane in bit/s, as ibstat and Linux define it.
_LANES = {
    "2.5": 2_500_000_000,
    "5": 5_000_000_000,
    "10": 10_000_000_000,
    "14": 14_000_000_000,
    "25": 25_000_000_000,
    "50": 50_000_000_000,
    "100": 100_000_000_000,
    "200": 200_000_000_000,
}
_WIDTHS = (1, 2, 4, 8, 12)
# Maximum number of bytes of a type name: TYPE.ibnl is a file name, and file names have at most 255 bytes. Messages show
# at most 60 characters of it.
_LONGEST_TYPE, _SHOWN = 250, 60


def read(paths: Sequence[Path], choices: Choices) -> Imported:
    """Read one ``.topo`` or DOT file, and return its fabric."""
    if len(paths) > 1:
        raise InputError(f"{len(paths)} topologies; legal: one file")
    source, network = Source(paths[0]), Network()
    if paths[0].suffix.lower() in _DOT:
        _read_dot(network, source)
    else:
        _read_topo(network, source)
    return network.fabric(source, choices)


def _read_dot(network: Network, source: Source) -> None:
    """Read a DOT file with the Rust core, and add its cables to the network."""
    fabric = _fabric(network, source)
    # The Rust core reads hosts as switches and warns about them. In an import, roles decide, so the warning is dropped.
    network.warnings += [line for line in fabric.warnings if not _HOSTS.search(line)]
    known = fabric.properties
    network.roles = {name: role for name, role in zip(fabric.labels, fabric.roles, strict=False) if role}
    if "levels" in known:
        network.levels = dict(zip(fabric.labels, known["levels"], strict=True))
    if "switch_ports" in known:
        network.ports = dict(zip(fabric.labels, known["switch_ports"], strict=True))
    blank = ("", "")
    for row, (a, b) in enumerate(fabric.edges.tolist()):
        ports = known["ports"][row] if "ports" in known else blank
        rate, latency, length, medium = known["links"][row] if "links" in known else (None,) * 4
        ends = ((fabric.labels[a], ports[0]), (fabric.labels[b], ports[1]))
        name = known["cable_names"][row] if "cable_names" in known else ""
        network.cables.append(Cable(ends, source, 0, rate, length, medium, name, latency))
    for endpoint, switch in enumerate(fabric.endpoint_switch.tolist()):
        name = fabric.endpoint_names[endpoint]
        port = known["endpoint_ports"][endpoint] if "endpoint_ports" in known else ""
        links = known["endpoint_links"][endpoint] if "endpoint_links" in known else (None,) * 4
        rate, latency, length, medium = links
        ends = ((fabric.labels[switch], port), (name, ""))
        network.cables.append(Cable(ends, source, 0, rate, length, medium, latency=latency))
        network.adapters.add(name)


def _fabric(network: Network, source: Source) -> Fabric:
    """Read the graph of a DOT file. A directed graph is read as undirected, because cables have no direction.

    Raises
    ------
    tulle.FormatError
        If the file is not a DOT graph, or its edges do not define the cables clearly.
    """
    from tulle.fabric import Fabric

    words = [("edges", str(source.path)), ("format", "dot")]
    try:
        return Fabric(_tulle.join_spec("file", words))
    except FormatError as error:
        if "directed=undirected" not in str(error):
            raise _of_import(source, error) from None
    try:
        fabric = Fabric(_tulle.join_spec("file", [*words, ("directed", "undirected")]))
    except FormatError as error:
        raise _of_import(source, error) from None
    network.warnings.append(f"{source.path}: a directed graph is read as undirected: every edge is a cable")
    return fabric


def _of_import(source: Source, error: FormatError) -> FormatError:
    """Reword an error of the Rust core that names spec parameters, because `tulle import` has no spec parameters."""
    problem, legal, words = str(error).partition("; legal: both=")
    if not legal:
        return error
    choices = [word for word in ("merge", "parallel") if word in words]
    graph = [("edges", source.path.name), ("directed", "undirected")]
    ways = [
        tulle_command("fabric", _tulle.join_spec("file", [*graph, ("both", choice)]), "--write", "FILE")
        for choice in choices
    ]
    return FormatError(f"{problem}; legal: each cable once, or {' or '.join(ways)}")


def _read_topo(network: Network, source: Source) -> None:
    types: dict[str, str] = {}
    ends: dict[tuple[str, str], Cable] = {}
    system = ""
    for at, line in source.lines():
        content, place = line.strip(), at + len(line) - len(line.lstrip())
        if not content:
            system = ""
        elif content.startswith("#"):
            continue
        elif match := _PORT.match(content):
            if not system:
                raise source.error(place, "a port without a system; legal: ports below the line of their system")
            other = source.name(place + match.start("name"), match["name"], "system")
            here = (system, _port(source, place + match.start("port"), match["port"]))
            there = (other, _port(source, place + match.start("other"), match["other"]))
            _typed(source, types, other, match["type"], place + match.start("type"))
            cable = Cable((here, there), source, place, rate=_rate(source, place, match))
            _add(network, ends, cable)
        elif (match := _SYSTEM.match(content)) and "->" not in content:
            system = source.name(place + match.start("name"), match["name"], "system")
            _typed(source, types, system, match["type"], place)
            if match["more"]:
                network.warnings.append(f"{source.path}: {shown(match['more'])} of {shown(system)} is ignored")
        else:
            raise source.error(
                place, f"{shown(content)} is not a line of a topology; legal: TYPE NAME, or PORT -> TYPE NAME PORT"
            )
    if not types:
        raise source.error(0, "no system in the file; legal: TYPE NAME, and its ports")
    kinds = {kind: _kind(source, kind) for kind in sorted(set(types.values()))}
    if unknown := [kind for kind, is_given in kinds.items() if not is_given]:
        files = ", ".join(f"{kind[:_SHOWN]}.ibnl" for kind in unknown[:3]) + (", …" if len(unknown) > 3 else "")
        network.warnings.append(
            f"{source.path}: its folder has no {files}, so cables and names decide which systems are switches"
        )
    network.switches |= {name for name, kind in types.items() if kinds[kind] == "SW"}
    network.adapters |= {name for name, kind in types.items() if kinds[kind] in ("CA", "HCA")}


def _add(network: Network, ends: dict[tuple[str, str], Cable], cable: Cable) -> None:
    """Add a cable to the network, unless the line of its other end has already added it."""
    here, there = cable.ends
    known = [ends.get(end) for end in (here, there)]
    if known[0] is None and known[1] is None:
        ends[here] = ends[there] = cable
        network.cables.append(cable)
        return
    for other in known:
        if other is None or set(other.ends) != {here, there}:
            device, port = here if known[0] is not None else there
            problem = f"port {shown(port)} of {shown(device)} has another cable on another line"
            raise cable.source.error(cable.at, f"{problem}; legal: one cable per port")


def _typed(source: Source, types: dict[str, str], name: str, kind: str, at: int) -> None:
    # A type names the file TYPE.ibnl in the same folder, so it must be a valid file name.
    if "/" in kind or "\0" in kind or len(kind.encode()) > _LONGEST_TYPE:
        raise source.error(
            at, f"invalid type {shown(kind)}; legal: 1 to {_LONGEST_TYPE} bytes without '/', the name of its .ibnl file"
        )
    if types.setdefault(name, kind) != kind:
        raise source.error(
            at, f"{shown(name)} is a {shown(kind)} here but a {shown(types[name])} elsewhere; legal: one type"
        )


def _port(source: Source, at: int, port: str) -> str:
    digits = port[1:]
    plain = port[:1] == "P" and digits.isascii() and digits.isdigit() and len(digits) < 6
    return source.name(at, str(int(digits)) if plain else port, "port")


def _rate(source: Source, at: int, match: re.Match[str]) -> int | None:
    if match["speed"] is None:
        return None
    # The default width is 4x, as in IBDM.
    width = int(match["width"] or 4)
    if width not in _WIDTHS or match["speed"] not in _LANES:
        legal = f"{'x, '.join(map(str, _WIDTHS))}x and {'G, '.join(_LANES)}G"
        raise source.error(at, f"a link of {width}x and {match['speed']}G; legal: {legal}")
    return width * _LANES[match["speed"]]


def _kind(source: Source, kind: str) -> str:
    """Return the node kind (``SW``, ``CA`` or ``HCA``) of a system type from its ``.ibnl`` file, if any."""
    path = source.path.with_name(f"{kind}.ibnl")
    if not path.is_file():
        return ""
    system = Source(path)
    nodes = [(at, match["kind"]) for at, line in system.lines() if (match := _NODE.match(line.strip()))]
    if len(nodes) != 1:
        raise system.error(
            0,
            f"a system with {len(nodes)} nodes; legal: one node, because systems of several switches are not supported",
        )
    return nodes[0][1]


_DOT_SAMPLE = """\
graph fabric {
  "leaf1":"swp1" -- "spine1":"swp1"
  "leaf2":"swp1" -- "spine1":"swp2"
  "leaf1":"swp9" -- "node1":"eth0"
}
"""

FORMAT = NetworkFormat(
    name="topo",
    summary="a handwritten topology: an IBDM .topo with the .ibnl of its systems, or a topology.dot of PTM",
    paper="ibutils: ibdm-topo-file(1); Cumulus Linux: Prescriptive Topology Manager",
    limitations="Systems that consist of several switches are not supported.",
    examples=("topo topology.dot",),
    read=read,
    sample={"topology.dot": _DOT_SAMPLE},
)
