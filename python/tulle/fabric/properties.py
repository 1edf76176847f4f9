"""Columns of the known properties of a fabric: links, levels, names, ports."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Link = tuple[int | None, int | None, int | None, str | None]
"""Properties of a link: rate in bits per second, latency in picoseconds, length in millimetres, medium; None if
unknown."""


Address = tuple[int, int, int, int, int]
"""InfiniBand address: node GUID, port GUID, LID, LMC and port of the adapter; 0 if unknown."""


class Properties(TypedDict, total=False):
    """Optional properties of switches, cables and endpoints, one list per property.

    A list is missing if all its values are unknown. An unknown name is an empty text.
    """

    levels: list[int]
    """Level of each switch, 0 at the edge."""
    roles: list[str]
    """Role of each switch, for example ``leaf``."""
    switch_ports: list[int]
    """Number of ports of each switch; 0 if unknown."""
    cable_names: list[str]
    """Name of each cable, in the order of `Fabric.edges`."""
    ports: list[tuple[str, str]]
    """Ports of each cable, at its first and its second switch."""
    links: list[Link]
    """Link properties of each cable in the direction from its first switch."""
    links_back: list[Link]
    """Link properties of each cable toward its first switch. Without this column, they equal those in `links`."""
    costs: list[tuple[int, int]]
    """Routing cost of each cable, from its first switch and toward its first switch; 0 if unknown."""
    endpoint_names: list[str]
    """Name of each endpoint."""
    endpoint_ports: list[str]
    """Switch port of each endpoint."""
    host_ports: list[str]
    """Name of the host port of each endpoint."""
    endpoint_links: list[Link]
    """Link properties of each endpoint; they apply to both directions."""
    switch_addresses: list[Address]
    """InfiniBand address of each switch."""
    endpoint_addresses: list[Address]
    """InfiniBand address of each endpoint's adapter port."""


OF_CABLES = ("cable_names", "ports", "links", "links_back", "costs")
"""The properties with one value per cable."""


class LinkColumns(TypedDict):
    """Properties of links, one row per link; −1 or None if unknown."""

    rate: NDArray[np.int64]
    """Bits per second."""
    latency: NDArray[np.int64]
    """Picoseconds."""
    length: NDArray[np.int64]
    """Millimetres."""
    cost: NDArray[np.int64]
    """Cost for link-state routing, without a unit; −1 for links of endpoints."""
    medium: list[str | None]
