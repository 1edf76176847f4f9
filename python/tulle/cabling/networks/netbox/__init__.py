"""Import cables from NetBox: its table of cables, its import form, and REST responses of versions 3 and 4.

Cables that are not connected, or whose ends are not interfaces (power, console), are omitted. Links are traced through
the front and rear ports of patch panels, see `panels`. A file of devices gives roles, and a file of front ports gives
the rear port of each front port. Without these files, port names decide how panels are connected, and the rules of
`roles` decide which devices are hosts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.networks.assembly import Network
from tulle.cabling.networks.model import NetworkFormat
from tulle.cabling.networks.netbox import rest, tables
from tulle.cabling.networks.netbox.panels import links
from tulle.cabling.networks.netbox.records import Inventory
from tulle.cabling.source import Source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.cabling.networks.assembly import Choices, Imported

__all__ = ["FORMAT", "read"]


def read(paths: Sequence[Path], choices: Choices) -> Imported:
    """Read NetBox files, and return the fabric."""
    inventory, sources = Inventory(), [Source(path) for path in paths]
    for source in sources:
        reader = rest if source.text.lstrip().startswith(("{", "[")) else tables
        reader.read(inventory, source)
    inventory.check_pages()
    network = Network(warnings=inventory.warnings, roles=inventory.roles)
    network.cables = links(inventory)
    return network.fabric(sources[0], choices)


_CABLES = """\
side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,length,length_unit
leaf1,dcim.interface,e1,spine1,dcim.interface,e1,5,m
leaf2,dcim.interface,e1,spine1,dcim.interface,e2,5,m
node1,dcim.interface,eth0,leaf1,dcim.interface,e9,1,m
"""

FORMAT = NetworkFormat(
    name="netbox",
    summary="NetBox's cables: exports of cables, front ports and devices as CSV or JSON",
    paper="NetBox 3 and 4: dcim.cable, dcim.frontport",
    limitations="Ends that are not interfaces, and cables that are not connected, are left out.",
    examples=("netbox cables.csv devices.csv",),
    read=read,
    sample={
        "cables.csv": _CABLES,
        "devices.csv": "name,role\nleaf1,leaf\nleaf2,leaf\nspine1,spine\nnode1,server\n",
    },
)
