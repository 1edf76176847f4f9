"""Compute the power of each rack, and the heat to remove: switches, NICs, cables and hosts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.arrays import frozen
from tulle._internal.html_summary import Shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tulle.design.placement import Layout
    from tulle.design.prices import Price, Prices

__all__ = ["Power", "power"]

# Watts that a ton of refrigeration removes: 12,000 BTU/h.
_TON = 3516.85


@dataclass(frozen=True, eq=False)
class Power(Shown):
    """The power of a layout. Made by `Layout.power`."""

    racks: NDArray[np.float64]
    """Watts of every rack, float64 (R,)."""
    hosts: int
    """Number of hosts in all racks."""
    host_watts: float
    """Power of a host in watts, without its NICs."""
    without_watts: tuple[str, ...]
    """Active items (switches, optical switches, transceivers, NICs) for which the price list has no power.

    They count as 0 W.
    """

    @property
    def watts(self) -> float:
        """Total power of all racks in watts, including hosts."""
        return float(self.racks.sum())

    @property
    def network_watts(self) -> float:
        """Total power in watts without hosts: switches, optical switches, NICs, cables and transceivers."""
        return self.watts - self.hosts * self.host_watts

    @property
    def cooling_tons(self) -> float:
        """Tons of refrigeration that remove the heat; all power becomes heat."""
        return self.watts / _TON


def power(layout: Layout, prices: Prices, switch: str | None, host_watts: float) -> Power:
    """Return the watts of every rack.

    The power of a cable is divided equally between the racks of its two ends. A transceiver counts in its own rack.
    """
    fabric, racks = layout.fabric, np.zeros(len(layout.racks))
    missing: dict[str, None] = {}

    def watts(item: str, price: Price) -> float:
        if price.watts is None and item != "cable":
            missing[item] = None
        return price.watts or 0.0

    needed = layout.switch_ports
    np.add.at(racks, layout.switch_rack, _each(needed, lambda count: watts("switch", prices.switch(count, switch))))

    def cable(length: int, is_copper: bool) -> float:
        if prices.is_copper(length, is_copper):
            return watts("cable", prices.copper_cable(length))
        fibre = prices.fibre_cable(length)
        ends = (
            0.0 if fibre.has_ends or not prices.transceivers else 2 * watts("transceiver", prices.transceiver(length))
        )
        return watts("cable", fibre) + ends

    def lay(lengths: NDArray[np.int64], copper: NDArray[np.bool_], *ends: NDArray[np.int32]) -> None:
        for kind in (False, True):
            of = copper == kind
            taken = _each(lengths[of], partial(cable, is_copper=kind)) / 2
            for end in ends:
                np.add.at(racks, end[of], taken)

    if layout.circuits is None:
        a, b = layout.switch_rack[fabric.edges[:, 0]], layout.switch_rack[fabric.edges[:, 1]]
        lay(layout.cable_length, layout.cable_copper, a, b)
    else:
        kind = layout.circuits.kind
        device = prices.device(kind)
        if kind == "optical":
            np.add.at(racks, layout.device_rack, watts("optical switch", device))
        switches, _, devices, _ = layout.device_cables
        lengths = layout.device_length[switches, devices]
        fibres = _each(lengths, lambda length: watts("cable", prices.fibre_cable(length))) / 2
        np.add.at(racks, layout.switch_rack[switches], fibres)
        np.add.at(racks, layout.device_rack[devices], fibres)
        if prices.transceivers:
            # As in bills, only the switch end of a cable has a transceiver. The price list may state the reach that
            # this transceiver needs. Otherwise it needs twice the cable length, because light leaves the device on a
            # second cable.
            reaches = 2 * lengths if device.reach is None else np.full(len(lengths), device.reach)
            ends = _each(reaches, lambda reach: watts("transceiver", prices.transceiver(reach)))
            np.add.at(racks, layout.switch_rack[switches], ends)
    own = layout.switch_rack[fabric.endpoint_switch]
    lay(layout.endpoint_length, layout.endpoint_copper, own, layout.endpoint_rack)
    per_host = layout.nics_per_host
    _, first = np.unique(layout.endpoint_host, return_index=True)
    hosts = layout.endpoint_rack[first]
    nics = sum(watts("NIC", nic) * count for nic, count in prices.nics_of(per_host, per_host))
    np.add.at(racks, hosts, host_watts + nics)
    return Power(frozen(racks), len(hosts), host_watts, tuple(missing))


def _each(values: NDArray[np.int64], of: Callable[[int], float]) -> NDArray[np.float64]:
    """Apply a function to every value, calling it once per distinct value."""
    different, where = np.unique(values, return_inverse=True)
    return np.array([of(int(value)) for value in different], dtype=np.float64)[where]
