"""A port as its device sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.cabling.source import Source


@dataclass(frozen=True)
class Announced:
    """What a neighbour announces by LLDP."""

    chassis: str = ""
    """The ID of its chassis, mostly a MAC address."""
    port_kind: str = ""
    """The kind of the ID of its port: ``ifname``, ``ifalias``, ``local``, ``mac``, …"""
    port_id: str = ""
    """The ID of its port."""
    port_description: str = ""
    """The description of its port."""
    forwards: bool | None = None
    """Whether it says that it bridges or routes; None where it says nothing of what it can do."""
    protocol: str = ""
    """The protocol: ``LLDP``, ``CDPv2``, …"""


@dataclass(frozen=True)
class Seen:
    """A port, and what is behind its cable as far as its device knows."""

    device: str
    """What the device is called."""
    port: str
    """What the port is called there; empty where a device has no ports to tell of."""
    switch: bool | None
    """Whether the device is a switch; None where that is not told."""
    neighbour: str | None
    """What the device at the other end is called; None where nobody answers."""
    neighbour_port: str | None
    """What the port at the other end is called."""
    state: str
    """``up``, ``down``, or ``disabled``."""
    rate: int | None
    """Bits per second; None where it is not told."""
    best_rate: int | None
    """Bits per second that both ends could do; None where that is not told, or is the rate."""
    source: Source
    """The file that says so."""
    at: int
    """Where in the file."""
    guid: int = 0
    """The GUID of the device, or of its port, in an InfiniBand subnet; 0 where it is not told."""
    neighbour_guid: int = 0
    """The same of the device at the other end."""
    announced: Announced | None = None
    """What an LLDP neighbour says of itself."""
    aliases: tuple[str, ...] = ()
    """Other names of the port, as its own device has them."""


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
) -> Seen:
    """A port of a system that speaks LLDP."""
    return Seen(
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


# Lanes of InfiniBand, in bits per second as ibstat and Linux count, by their name and by the rate of their symbols.
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
