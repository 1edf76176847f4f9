"""Cables as NetBox keeps them: its export of cables, its import form, and its REST answers of versions 3 and 4.

Ends that are no interfaces (power, console) and cables that are planned or taken out are left out. Front and rear
ports of patch panels are passed through, see `panels`. Files of devices tell their roles, files of front ports tell
which rear port each has; without them panels are read by the names of their ports, and `roles` decides what is a host.
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
    """The fabric of the files."""
    inventory, sources = Inventory(), [Source(path) for path in paths]
    for source in sources:
        reader = rest if source.text.lstrip().startswith(("{", "[")) else tables
        reader.read(inventory, source)
    inventory.check_pages()
    network = Network(warnings=inventory.warnings, roles=inventory.roles)
    network.cables = links(inventory)
    return network.fabric(sources[0], choices)


FORMAT = NetworkFormat(
    name="netbox",
    summary="cables as NetBox keeps them: exports of cables, front ports and devices as CSV or JSON",
    paper="NetBox 3 and 4: dcim.cable, dcim.frontport",
    limitations="Ends that are no interfaces, and cables that are not connected, are left out.",
    examples=("netbox cables.csv devices.csv",),
    read=read,
)
