"""Import an InfiniBand subnet from the output of ``ibnetdiscover``. The Rust core reads it as a graph file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.text import are
from tulle.cabling.live.ibnetdiscover import SAMPLE
from tulle.cabling.live.ibnetdiscover import read as read_ports
from tulle.cabling.networks.assembly import Cable, Imported, Network
from tulle.cabling.networks.model import NetworkFormat
from tulle.cabling.source import Source, shown
from tulle.declarations import Option
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.cabling.networks.assembly import Choices
    from tulle.fabric import Fabric


def read(paths: Sequence[Path], choices: Choices, *, keep_aggregation: bool) -> Imported:
    """Read the output of ``ibnetdiscover`` for one subnet, and return its fabric."""
    from tulle.fabric import Fabric

    if len(paths) > 1:
        raise InputError(f"{len(paths)} files of ibnetdiscover; legal: one file with the whole subnet")
    source = Source(paths[0])
    if not source.text.strip():
        raise source.error(0, "the file is empty; legal: the output of ibnetdiscover")
    words = [("edges", str(paths[0])), ("format", "ibnetdiscover")]
    if keep_aggregation:
        words.append(("aggregation", "keep"))
    fabric = Fabric(_tulle.join_spec("file", words))
    one_sided = _one_sided(source)
    if not (choices.hosts or choices.ignore):
        return Imported(fabric, (*fabric.warnings, *one_sided))
    network = _network(fabric, source)
    network.warnings += one_sided
    return network.fabric(source, choices)


def _one_sided(source: Source) -> list[str]:
    """Return warnings about cables that only one end reports.

    Cables of adapters are checked only if the file lists adapters.
    """
    try:
        seen = read_ports(source)
    except FormatError as error:
        return [f"{error}; tulle does not check whether both ends report every cable"]
    ends: dict[tuple[tuple[int | str, str], tuple[int | str, str]], str] = {}
    for port in seen:
        if port.neighbour is not None and port.neighbour_port is not None:
            here = (port.guid or port.device, port.port)
            ends[here, (port.neighbour_guid or port.neighbour, port.neighbour_port)] = (
                f"port {port.neighbour_port} of {shown(port.neighbour)} does not report its cable to "
                f"port {port.port} of {shown(port.device)}"
            )
    is_switch = {port.guid or port.device: port.switch for port in seen}
    has_adapters = False in is_switch.values()
    lines = [
        line
        for (here, there), line in ends.items()
        if (there, here) not in ends and (there[0] in is_switch or has_adapters)
    ]
    if not lines:
        return []
    more = "; …" if len(lines) > 1 else ""
    return [f"{source.path}: {are(len(lines), 'cable')} reported by one end only: {lines[0]}{more}"]


def _network(fabric: Fabric, source: Source) -> Network:
    """Convert a fabric back to a network of cables between named devices."""
    known, network = fabric.properties, Network(warnings=list(fabric.warnings))
    network.switches = {*fabric.labels}
    for switch, name in enumerate(fabric.labels):
        network.addresses[name, ""] = known["switch_addresses"][switch]
        network.ports[name] = known["switch_ports"][switch]
    for row, (a, b) in enumerate(fabric.edges.tolist()):
        near, far = known["ports"][row]
        rate = known["links"][row][0] if "links" in known else None
        network.cables.append(Cable(((fabric.labels[a], near), (fabric.labels[b], far)), source, 0, rate=rate))
    for endpoint, switch in enumerate(fabric.endpoint_switch.tolist()):
        address = known["endpoint_addresses"][endpoint]
        # If an adapter has several ports, its endpoints are called NAME:PORT.
        name, number = fabric.endpoint_names[endpoint], str(address[4])
        name = name.removesuffix(f":{number}")
        rate = known["endpoint_links"][endpoint][0] if "endpoint_links" in known else None
        here = (fabric.labels[switch], known["endpoint_ports"][endpoint])
        network.cables.append(Cable((here, (name, number)), source, 0, rate=rate))
        network.adapters.add(name)
        network.addresses[name, number] = address
    return network


FORMAT = NetworkFormat(
    name="ibnetdiscover",
    summary="an InfiniBand subnet, from the output of ibnetdiscover",
    paper="infiniband-diags: ibnetdiscover(8)",
    limitations="The whole subnet must be in one file. Its adapters are the endpoints.",
    examples=("ibnetdiscover now.txt",),
    options=(
        Option(
            "keep_aggregation",
            bool,
            "For ibnetdiscover: keep SHARP's aggregation nodes as endpoints.",
            default=False,
        ),
    ),
    read=read,
    sample=SAMPLE,
    has_adapters=True,
    has_addresses=True,
)
