"""The known properties of links, and names, as columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Link = tuple[int | None, int | None, int | None, str | None]
"""Rate in bits per second, latency in picoseconds, length in millimetres, medium; None where it is not known."""


Address = tuple[int, int, int, int, int]
"""Node GUID, port GUID, LID, LMC and port of the adapter in an InfiniBand subnet; 0 where it is not known."""


class Properties(TypedDict, total=False):
    """Columns of a fabric, each there only where something is known; empty texts where there is no name."""

    levels: list[int]
    """Per switch, 0 at the edge."""
    roles: list[str]
    """Per switch, what it is for."""
    switch_ports: list[int]
    """Per switch, how many ports it has; 0 where nobody said."""
    cable_names: list[str]
    """Per cable, as `Fabric.edges` has them."""
    ports: list[tuple[str, str]]
    """Per cable, the port at either end."""
    links: list[Link]
    """Per cable, from its first switch."""
    links_back: list[Link]
    """Per cable, to its first switch; where there is no such column, as `links`."""
    costs: list[tuple[int, int]]
    """Per cable, its routing cost from its first switch and to it; 0 where it is not known."""
    endpoint_names: list[str]
    """Per endpoint."""
    endpoint_ports: list[str]
    """Per endpoint, the port of its switch."""
    host_ports: list[str]
    """Per endpoint, the name of the port on its host."""
    endpoint_links: list[Link]
    """Per endpoint, in both directions."""
    switch_addresses: list[Address]
    """Per switch."""
    endpoint_addresses: list[Address]
    """Per endpoint, of the port of its adapter."""


class LinkColumns(TypedDict):
    """The known properties of links, a row each; −1 and None where nothing is known."""

    rate: NDArray[np.int64]
    """Bits per second."""
    latency: NDArray[np.int64]
    """Picoseconds."""
    length: NDArray[np.int64]
    """Millimetres."""
    cost: NDArray[np.int64]
    """Cost as link-state routing counts it, without a unit; −1 at the links of endpoints."""
    medium: list[str | None]
