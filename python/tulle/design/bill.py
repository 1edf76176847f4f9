"""Bills of materials: the parts of a network, their cost and their power."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.html_summary import Overview, Shown
from tulle.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle.design.prices import Price, Prices

__all__ = ["Bill", "BillRow", "Items"]


@dataclass(frozen=True)
class Items(Shown):
    """The parts of a network. Estimated counts are averages, so they can be fractions."""

    switches: Mapping[int, int]
    """For each number of ports that a switch needs: the number of such switches."""
    copper: Mapping[int, float]
    """Number of copper cables by length in millimetres, including those of endpoints."""
    fibre: Mapping[int, float]
    """Number of fibre cables by length in millimetres, including cables to optical switches or patch panels."""
    to_devices: Mapping[int, float] = field(default_factory=dict)
    """Number of fibre cables to optical switches or patch panels, by length in millimetres. They have a transceiver
    only at the switch."""
    endpoints: int = 0
    devices: int = 0
    device: str | None = None
    """Devices that connect fibres: ``optical`` (optical switches) or ``panels`` (patch panels); None: no devices."""
    racks: int | None = None
    nics_per_host: int = 1
    """Endpoints that share a host."""
    ports_used: int | None = None
    """Number of switch ports with a cable; None if all ports counted in `switches` have a cable."""

    def bill(self, prices: Prices, switch: str | None = None) -> Bill:
        """Price the parts.

        A copper cable that is longer than all copper cables in the price list is bought as fibre.

        Parameters
        ----------
        prices
            The price list.
        switch
            The model of all switches, by its name or number of ports in the list; None: for each switch, the smallest
            model that fits.

        Raises
        ------
        tulle.InputError
            If the price list lacks a needed item.
        """
        switches = _by(self.switches, lambda ports: prices.switch(ports, switch))
        rows = [_row("switch", found.name or f"{found.size} ports", count, found) for found, count in switches]
        bought = sum(found.size * count for found, count in switches)
        used = self.ports_used
        if used is None:
            used = sum(size * count for size, count in self.switches.items())
        copper, fibre = dict(self.copper), dict(self.fibre)
        too_long = [length for length in copper if not prices.is_copper(length, True)]
        for length in too_long:
            fibre[length] = fibre.get(length, 0) + copper.pop(length)
        as_fibre = sum(self.copper[length] for length in too_long)
        if self.devices and self.device is not None:
            device = prices.device(self.device)
            name = "optical switch" if self.device == "optical" else "patch panel"
            rows.append(_row(name, f"{device.size} ports", self.devices, device))
        for name, lengths, priced in (
            ("copper", copper, prices.copper_cable),
            ("fibre", fibre, prices.fibre_cable),
        ):
            rows += [_row(name, _cable(found), count, found) for found, count in _by(lengths, priced)]
        if prices.transceivers:
            ends: dict[int, float] = defaultdict(float)
            for length, count in fibre.items():
                if not prices.fibre_cable(length).has_ends:
                    ends[length] += 2 * (count - self.to_devices.get(length, 0))
            if self.to_devices and self.device is not None:
                reach = prices.device(self.device).reach
                for length, count in self.to_devices.items():
                    # If the list gives no reach for the device, a transceiver must reach over two fibres: to the device
                    # and from it.
                    ends[2 * length if reach is None else reach] += count
            rows += [
                _row("transceiver", _cable(found), count, found)
                for found, count in _by({end: count for end, count in ends.items() if count}, prices.transceiver)
            ]
        rows += [
            _row("NIC", found.name or _ports(found.size), count, found)
            for found, count in prices.nics_of(self.endpoints, self.nics_per_host)
        ]
        return Bill(
            prices.title, prices.currency, tuple(rows), self.endpoints, int(bought), used, as_fibre, prices.example
        )


@dataclass(frozen=True)
class BillRow(Shown):
    """An item."""

    item: str
    size: str
    count: float
    unit_cost: float
    unit_watts: float | None
    """Power of one item in watts; None if the list has no value."""
    source: str

    @property
    def cost(self) -> float:
        """Total cost of the row: count times unit cost."""
        return self.count * self.unit_cost


@dataclass(frozen=True)
class Bill(Shown):
    """A priced network. Made by `Items.bill` and `Layout.bill`."""

    prices: str
    """Title of the price list."""
    currency: str
    rows: tuple[BillRow, ...]
    endpoints: int
    ports_bought: int
    """Number of ports of all switches."""
    ports_used: int
    as_fibre: float = 0
    """Number of fibre cables that replace copper cables, because the list has no copper cable that is long enough."""
    example: bool = False
    """Whether the prices are an example that should be replaced by quotes."""

    @property
    def cost(self) -> float:
        """Total cost of all items."""
        return sum(row.cost for row in self.rows)

    @property
    def cost_per_endpoint(self) -> float | None:
        """Total cost divided by the number of endpoints; None without endpoints."""
        return self.cost / self.endpoints if self.endpoints else None

    @property
    def watts(self) -> float:
        """Power in watts of all items with a known power.

        `without_watts` names the items whose power the list lacks.
        """
        return sum(row.count * row.unit_watts for row in self.rows if row.unit_watts is not None)

    @property
    def without_watts(self) -> tuple[str, ...]:
        """Active items (switches, optical switches, transceivers, NICs) whose power the list does not give."""
        names = [
            row.item
            for row in self.rows
            if row.unit_watts is None and row.item not in ("copper", "fibre", "patch panel")  # passive if unknown
        ]
        return tuple(dict.fromkeys(names))

    @property
    def without_nics(self) -> bool:
        """Whether the cost leaves out the adapters (NICs) of hosts, because the price list has none."""
        return self.endpoints > 0 and not any(row.item == "NIC" for row in self.rows)

    def _overview(self) -> Overview:
        values = {
            "total cost": self.cost,
            "cost per endpoint": self.cost_per_endpoint,
            "power": self.watts,
            "without known power": self.without_watts,
            "endpoints": self.endpoints,
            "ports bought": self.ports_bought,
            "ports used": self.ports_used,
            "prices are an example": self.example,
        }
        rows = [
            {"item": row.item, "size": row.size, "count": row.count, "unit_cost": row.unit_cost, "cost": row.cost}
            for row in self.rows
        ]
        money = dict.fromkeys(("total cost", "cost per endpoint", "unit_cost", "cost"), self.currency)
        return Overview("Bill", self.prices, values, units={**money, "power": "W"}, rows=rows)

    @property
    def columns(self) -> Columns:
        """Return a row per item; ``unit_watts`` is NaN if the list gives no power."""
        rows = self.rows
        watts = [np.nan if row.unit_watts is None else row.unit_watts for row in rows]
        return Columns(
            {
                "item": np.array([row.item for row in rows]),
                "size": np.array([row.size for row in rows]),
                "count": np.array([row.count for row in rows], np.float64),
                "unit_cost": np.array([row.unit_cost for row in rows], np.float64),
                "cost": np.array([row.cost for row in rows], np.float64),
                "unit_watts": np.array(watts, np.float64),
            }
        )


def cable_item(prices: Prices, length: int, copper: bool) -> tuple[str, str]:
    """Return kind and size of the item that the bill has for a cable of `length` millimetres."""
    copper = prices.is_copper(length, copper)
    return ("copper", _cable(prices.copper_cable(length))) if copper else ("fibre", _cable(prices.fibre_cable(length)))


def _by(counts: Mapping[int, float], priced: Callable[[int], Price]) -> list[tuple[Price, float]]:
    """Return the items to buy, in the order of the sizes, with their counts. `priced` returns the item for a size."""
    found: dict[Price, float] = defaultdict(float)
    for size, count in sorted(counts.items()):
        found[priced(size)] += count
    return list(found.items())


def _row(item: str, size: str, count: float, price: Price) -> BillRow:
    return BillRow(item, size, count, price.cost, price.watts, price.source)


def _cable(price: Price) -> str:
    """Return the length of a cable or the reach of a transceiver, and its kind."""
    metres = f"{price.size / 1000:g} m"
    return metres if price.name is None else f"{metres} {price.name}"


def _ports(count: int) -> str:
    return "1 port" if count == 1 else f"{count} ports"
