"""Flattened Clos and the Clos network that it is compared with, in closed form (NSDI23, App. A.4, Tables 3 to 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.html_summary import Shown
from tulle.design.bill import Bill, Items
from tulle.design.floor import read_floor
from tulle.design.prices import Prices, read_prices

if TYPE_CHECKING:
    from os import PathLike

    from tulle.design.floor import Floor

__all__ = ["Estimate", "estimate_clos", "estimate_flattened_clos"]


@dataclass(frozen=True)
class Estimate(Shown):
    """The parts of a network, computed without building it."""

    items: Items
    layers: int
    """Layers of switches; 1 for Flattened Clos."""
    switches: int
    transceivers: int
    bisection: int | None
    """Number of links across a cut into equal halves; None without a closed form."""
    rows: int
    """Number of rows in the grid of racks that hold ToR switches, or ToR and aggregation switches."""

    @property
    def copper_km(self) -> float:
        """Kilometres of copper."""
        return sum(length * count for length, count in self.items.copper.items()) / 1e6

    @property
    def fibre_km(self) -> float:
        """Kilometres of fibre."""
        return sum(length * count for length, count in self.items.fibre.items()) / 1e6

    def bill(self, prices: Prices | str | PathLike[str]) -> Bill:
        """Return the bill of materials. `prices` is a price list, or its name or path."""
        return self.items.bill(prices if isinstance(prices, Prices) else read_prices(prices))


def estimate_flattened_clos(
    servers: int,
    servers_per_tor: int,
    radix: int = 32,
    *,
    ports: int = 320,
    eta: int | None = None,
    floor: Floor = "flattened-clos",
) -> Estimate:
    """Estimate a Flattened Clos over optical switches: ⌈H/h⌉ ToR switches, (radix − h)·η optical switches.

    Parameters
    ----------
    servers, servers_per_tor
        Numbers of servers, in total (H) and per ToR switch (h).
    radix
        Ports of a switch, a multiple of 4.
    ports
        Number of ports of an optical switch.
    eta
        η, the number of optical switches per uplink of a ToR switch; None: ⌈switches / ports⌉, as in Tables 3 and 4.
        In Table 6, optical switches have half as many ports: η = ⌈switches / 160⌉.
    floor
        As for `tulle.place`; the default is the paper's floor for this network.

    Raises
    ------
    tulle.InputError
        For sizes out of range.

    Examples
    --------
    >>> found = estimate_flattened_clos(1152, 8)
    >>> found.switches, found.items.devices, round(found.bill("flattened-clos-400gbe").cost / 1e6, 2)
    (144, 24, 13.99)
    """
    found = _tulle.estimate_flattened_clos(servers, servers_per_tor, radix, ports, eta, read_floor(floor))
    return _estimate(found, servers, radix)


def estimate_clos(servers: int, servers_per_tor: int, radix: int = 32, *, floor: Floor = "clos") -> Estimate:
    """Estimate the Clos network that the paper compares with: three layers if these suffice, otherwise four.

    Parameters
    ----------
    servers, servers_per_tor, radix
        As for `estimate_flattened_clos`.
    floor
        As for `tulle.place`; the default is the paper's floor for this network.

    Raises
    ------
    tulle.InputError
        For sizes out of range, or more servers than a Clos of four layers can connect.
    """
    return _estimate(_tulle.estimate_clos(servers, servers_per_tor, radix, read_floor(floor)), servers, radix)


def _estimate(found: _tulle.Estimate, servers: int, radix: int) -> Estimate:
    items = Items(
        switches={radix: found["switches"]},
        copper=found["copper"],
        fibre=found["fibre"],
        to_devices=found["fibre"] if found["devices"] else {},
        endpoints=servers,
        devices=found["devices"],
        device="optical" if found["devices"] else None,
    )
    return Estimate(items, found["layers"], found["switches"], found["transceivers"], found["bisection"], found["rows"])
