"""An InfiniBand subnet as ``ibnetdiscover`` prints it: the graph format of that name, read by the core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.cabling.networks.assembly import Cable, Imported, Network
from tulle.cabling.source import Source
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.cabling.networks.assembly import Choices
    from tulle.fabric import Fabric


def read(paths: Sequence[Path], choices: Choices) -> Imported:
    """The fabric of one file."""
    from tulle.fabric import Fabric

    if len(paths) > 1:
        raise InputError(f"{len(paths)} files of ibnetdiscover; legal: one, which is a whole subnet")
    if choices.endpoints:
        raise InputError("endpoints of ibnetdiscover are its adapters; legal: without --endpoints, or with --hosts")
    words = [("edges", str(paths[0])), ("format", "ibnetdiscover")]
    if choices.keep_aggregation:
        words.append(("aggregation", "keep"))
    fabric = Fabric(_tulle.join_spec("file", words))
    if not (choices.hosts or choices.ignore):
        return Imported(fabric, fabric.warnings)
    network = _network(fabric, Source(paths[0]))
    return network.fabric(Source(paths[0]), choices)


def _network(fabric: Fabric, source: Source) -> Network:
    """The cables of a fabric, between devices by their names."""
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
        # An adapter of several ports has a name per port.
        name, number = fabric.endpoint_names[endpoint], str(address[4])
        name = name.removesuffix(f":{number}")
        rate = known["endpoint_links"][endpoint][0] if "endpoint_links" in known else None
        here = (fabric.labels[switch], known["endpoint_ports"][endpoint])
        network.cables.append(Cable((here, (name, number)), source, 0, rate=rate))
        network.adapters.add(name)
        network.addresses[name, number] = address
    return network
