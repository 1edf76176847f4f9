"""Records of ports, as the devices report them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.cabling.source import Source


@dataclass(frozen=True)
class Announced:
    """The LLDP announcement of a neighbour."""

    chassis: str = ""
    """The chassis ID, usually a MAC address."""
    port_kind: str = ""
    """The type of the port ID: ``ifname``, ``ifalias``, ``local``, ``mac``, …"""
    port_id: str = ""
    """The port ID."""
    port_description: str = ""
    """The port description."""
    forwards: bool | None = None
    """Whether the neighbour bridges or routes; None if it announces no capabilities."""
    protocol: str = ""
    """The protocol of the announcement: ``LLDP``, ``CDPv2``, …"""


def announced_port(announced: Announced) -> str:
    """Return the name of a neighbour's port from its announcement.

    The name is the port ID. If the ID is not a name (for example a hardware address) and the description is one word,
    the description is used.
    """
    described = announced.port_description
    plain = announced.port_kind in ("ifname", "local", "ifalias")
    return described if not plain and described and " " not in described else announced.port_id


@dataclass(frozen=True)
class PortRecord:
    """A port and its neighbour, as the device reports them."""

    device: str
    """The name of the device."""
    port: str
    """The name of the port on the device; empty if the record only shows that the device has a file."""
    switch: bool | None
    """Whether the device is a switch; None if unknown."""
    neighbour: str | None
    """The name of the device at the other end of the cable; None if there is no neighbour."""
    neighbour_port: str | None
    """The name of the port at the other end of the cable; None if unknown."""
    state: str
    """The state of the port: ``up``, ``down``, or ``disabled``."""
    rate: int | None
    """The rate in bit/s; None if unknown."""
    best_rate: int | None
    """The highest rate in bit/s that both ends support; None if it is unknown or equal to the actual rate."""
    source: Source
    """The file that contains the record."""
    at: int
    """The character offset of the record in the file."""
    guid: int = 0
    """The GUID of the device, or of its port, in an InfiniBand subnet; 0 if unknown."""
    neighbour_guid: int = 0
    """The GUID of the neighbour, or of its port; 0 if unknown."""
    announced: Announced | None = None
    """The LLDP announcement of the neighbour; None for other tools."""
    aliases: tuple[str, ...] = ()
    """Other names of the port on its device."""


def lldp_port(
    source: Source,
    device: str,
    port: str,
    at: int,
    *,
    neighbour: str | None = None,
    neighbour_port: str | None = None,
    rate: int | None = None,
    announced: Announced | None = None,
    aliases: tuple[str, ...] = (),
) -> PortRecord:
    """Return the record of a port from LLDP, with defaults for the fields that LLDP does not have."""
    return PortRecord(
        device=device,
        port=port,
        switch=True,
        neighbour=neighbour,
        neighbour_port=neighbour_port,
        state="up",
        rate=rate,
        best_rate=None,
        source=source,
        at=at,
        announced=announced,
        aliases=aliases,
    )


# Rates of an InfiniBand lane in bit/s, as ibstat and Linux define them: LANES by name, SYMBOLS by symbol rate.
LANES = {
    "SDR": 2_500_000_000,
    "DDR": 5_000_000_000,
    "QDR": 10_000_000_000,
    "FDR10": 10_000_000_000,
    "FDR": 14_000_000_000,
    "EDR": 25_000_000_000,
    "HDR": 50_000_000_000,
    "NDR": 100_000_000_000,
    "XDR": 200_000_000_000,
}
SYMBOLS = {
    "2.5": LANES["SDR"],
    "5.0": LANES["DDR"],
    "10.0": LANES["QDR"],
    "10.3125": LANES["FDR10"],
    "14.0625": LANES["FDR"],
    "25.78125": LANES["EDR"],
    "53.125": LANES["HDR"],
    "106.25": LANES["NDR"],
    "212.5": LANES["XDR"],
}
WIDTHS = (1, 2, 4, 8, 12)
