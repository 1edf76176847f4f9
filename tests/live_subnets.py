"""For tests: change the cables and GUIDs of a subnet, and write it as ``ibnetdiscover`` prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.read.subnet import read_subnet

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.read.subnet import Subnet

    End = tuple[int, int]


def planned_subnet(bundle: Bundle, path: Path) -> Subnet:
    """Return the subnet in which everything is as planned."""
    bundle.fabric.write(path, "ibnetdiscover")
    return read_subnet(path)


def switch_end(bundle: Bundle, switch: int, port: int) -> End:
    return bundle.switch_addresses[switch][0], port


def host_end(bundle: Bundle, endpoint: int) -> End:
    address = bundle.endpoint_addresses[endpoint]
    return address[0], address[4]


def unplug(subnet: Subnet, end: End) -> None:
    """Remove a cable."""
    guid, port = subnet.nodes[end[0]].links.pop(end[1])
    del subnet.nodes[guid].links[port]


def exchange(subnet: Subnet, one: End, other: End) -> None:
    """Exchange the plugs at two ports. One of the ports may be free: then the plug moves."""
    ends = [subnet.nodes[guid].links.get(port) for guid, port in (one, other)]
    for here, far in zip((other, one), ends, strict=True):
        if far is None:
            subnet.nodes[here[0]].links.pop(here[1])
        else:
            subnet.nodes[here[0]].links[here[1]] = far
            subnet.nodes[far[0]].links[far[1]] = here


def text_of(subnet: Subnet) -> str:
    """Return the output of ``ibnetdiscover``."""
    blocks = []
    for node in subnet.nodes.values():
        kind, letter = ("Switch", "S") if node.switch else ("Ca", "H")
        lid = f" base port 0 lid {node.lid} lmc 0" if node.switch else ""
        lines = [f'{kind}\t{node.ports} "{letter}-{node.guid:016x}"\t\t# "{node.name}"{lid}']
        for port, (guid, there) in sorted(node.links.items()):
            own = f"({node.port_guids.get(port, node.guid + port):x})" * (not node.switch)
            far = subnet.nodes[guid]
            base = "lid {} lmc {} ".format(*node.lids[port]) if port in node.lids else ""
            id = f"{'S' if far.switch else 'H'}-{guid:016x}"
            lines.append(f'[{port}]{own}\t"{id}"[{there}]\t\t# {base}"{far.name}" lid {far.lid}')
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)
