"""Bills of materials: what a network is made of, what it costs, and the power it takes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tulle.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle.design.prices import Price, Prices

__all__ = ["Bill", "BillRow", "Items"]


@dataclass(frozen=True)
class Items:
    """What a network is made of. Counts of an estimate may be means, and so no whole numbers."""

    switches: Mapping[int, int]
    """How many, by ports."""
    copper: Mapping[int, float]
    """Cables of copper by length in millimetres, those of endpoints among them."""
    fibre: Mapping[int, float]
    """Cables of fibre by length in millimetres, those to devices among them."""
    to_devices: Mapping[int, float] = field(default_factory=dict)
    """Those to optical switches or patch panels: the far end has no transceiver."""
    endpoints: int = 0
    devices: int = 0
    device: str | None = None
    """``optical`` or ``panels``; None where there are none."""
    racks: int | None = None

    def bill(self, prices: Prices) -> Bill:
        """Priced.

        Raises
        ------
        tulle.InputError
            For an item that the list does not have.
        """
        rows = [
            _row("switch", f"{found.size} ports", count, found) for found, count in _by(self.switches, prices.switch)
        ]
        if self.devices and self.device is not None:
            device = prices.device(self.device)
            name = "optical switch" if self.device == "optical" else "patch panel"
            rows.append(_row(name, f"{device.size} ports", self.devices, device))
        for name, lengths, priced in (
            ("copper", self.copper, prices.copper_cable),
            ("fibre", self.fibre, prices.fibre_cable),
        ):
            rows += [_row(name, _metres(found.size), count, found) for found, count in _by(lengths, priced)]
        if prices.transceivers:
            ends: dict[int, float] = defaultdict(float)
            for length, count in self.fibre.items():
                ends[length] += 2 * (count - self.to_devices.get(length, 0))
            if self.to_devices and self.device is not None:
                reach = prices.device(self.device).reach
                for length, count in self.to_devices.items():
                    # Where the list does not say, twice the fibre: to the device and on from there.
                    ends[2 * length if reach is None else reach] += count
            rows += [
                _row("transceiver", _metres(found.size), count, found)
                for found, count in _by({end: count for end, count in ends.items() if count}, prices.transceiver)
            ]
        return Bill(prices.title, prices.currency, tuple(rows), self.endpoints)


@dataclass(frozen=True)
class BillRow:
    """An item."""

    item: str
    size: str
    count: float
    unit_cost: float
    unit_watts: float | None
    """None where the list does not say."""
    source: str

    @property
    def cost(self) -> float:
        """Of all."""
        return self.count * self.unit_cost


@dataclass(frozen=True)
class Bill:
    """A priced network. Made by `Items.bill` and `Layout.bill`."""

    prices: str
    """The title of the list."""
    currency: str
    rows: tuple[BillRow, ...]
    endpoints: int

    @property
    def cost(self) -> float:
        """Of all items."""
        return sum(row.cost for row in self.rows)

    @property
    def cost_per_endpoint(self) -> float | None:
        """None without endpoints."""
        return self.cost / self.endpoints if self.endpoints else None

    @property
    def watts(self) -> float:
        """Of all items whose power the list has; `without_watts` has the others."""
        return sum(row.count * row.unit_watts for row in self.rows if row.unit_watts is not None)

    @property
    def without_watts(self) -> tuple[str, ...]:
        """Active items whose power the list does not have: switches, devices, transceivers."""
        names = [
            row.item
            for row in self.rows
            if row.unit_watts is None and row.item not in ("copper", "fibre", "patch panel")
        ]
        return tuple(dict.fromkeys(names))

    @property
    def columns(self) -> Columns:
        """A row per item; ``unit_watts`` is NaN where the list does not say."""
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


def _by(counts: Mapping[int, float], priced: Callable[[int], Price]) -> list[tuple[Price, float]]:
    """Counts by the listed item that each size takes, smallest first."""
    found: dict[Price, float] = defaultdict(float)
    for size, count in sorted(counts.items()):
        found[priced(size)] += count
    return list(found.items())


def _row(item: str, size: str, count: float, price: Price) -> BillRow:
    return BillRow(item, size, count, price.cost, price.watts, price.source)


def _metres(length: int) -> str:
    return f"{length / 1000:g} m"
