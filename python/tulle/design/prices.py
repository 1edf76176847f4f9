"""Price lists: cost and power of switches, cables, transceivers and devices."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tulle import _tulle
from tulle._internal.html_summary import Overview, Shown
from tulle._internal.text import counted, did_you_mean, verb
from tulle.design.shipped_files import find, read_toml
from tulle.errors import FormatError, InputError, SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from pathlib import Path

    from tulle.fabric import Fabric

__all__ = ["Line", "Price", "Prices", "read_prices"]

_MOST = 1e12


@dataclass(frozen=True)
class Price(Shown):
    """An item of a list."""

    size: int
    """Number of ports of a switch or device; length of a cable or reach of a transceiver in millimetres."""
    cost: float
    """Cost in the currency of the price list."""
    watts: float | None
    """Power in watts; None if the list gives none."""
    source: str
    """The source of the cost and the power."""
    reach: int | None = None
    """For a device: the reach in millimetres that a transceiver needs at the other end of a fibre to this device."""
    name: str | None = None
    """Name of the item; for a cable, its kind."""
    has_ends: bool = False
    """For a fibre cable: whether its price includes transceivers."""


@dataclass(frozen=True)
class Line(Shown):
    """A cost that grows linearly with the size, in ports or metres: ``cost + per · size``."""

    cost: float
    per: float
    watts_per: float | None
    most: int | None
    """The largest size, in ports or millimetres; None: no limit."""
    source: str


@dataclass(frozen=True)
class Prices(Shown):
    """A price list. Made by `read_prices`."""

    title: str
    source: str
    currency: str
    rate: int | None
    """Rate of the equipment in bits per second."""
    switches: tuple[Price, ...]
    copper: tuple[Price, ...]
    fibre: tuple[Price, ...]
    transceivers: tuple[Price, ...]
    """Transceivers for fibre cables that do not include them; empty if there are no such cables."""
    switch_line: Line | None
    copper_line: Line | None
    fibre_line: Line | None
    fibre_beyond: tuple[int, float] | None
    """Price of fibres longer than the longest listed fibre: the length of a step in millimetres, and its cost."""
    optical_switch: Price | None
    patch_panel: Price | None
    nics: tuple[Price, ...] = ()
    """NICs; empty if they are not part of the network's price."""
    date: str | None = None
    """When prices were collected."""
    example: bool = False
    """Whether the prices are an example, to be replaced by quotes."""

    def _overview(self) -> Overview:
        values: dict[str, object] = {
            "source": self.source,
            "currency": self.currency,
            "rate_gbps": None if self.rate is None else self.rate / 10**9,
            "date": self.date,
            "prices are an example": self.example,
        }
        lists = {
            "switch": self.switches,
            "copper": self.copper,
            "fibre": self.fibre,
            "transceiver": self.transceivers,
            "NIC": self.nics,
        }
        rows = [
            {
                "item": item,
                "size": f"{price.size} ports" if item in ("switch", "NIC") else f"{price.size / 1000:g} m",
                "name": price.name,
                "cost": price.cost,
                "power": price.watts,
            }
            for item, prices in lists.items()
            for price in prices
        ]
        lines = {"switch": self.switch_line, "copper": self.copper_line, "fibre": self.fibre_line}
        values["linear prices"] = [item for item, line in lines.items() if line is not None]
        return Overview("Prices", self.title, values, units={"cost": self.currency, "power": "W"}, rows=rows)

    def other_rates(self, fabric: Fabric) -> str:
        """Return a sentence about links whose known rate is not the rate of the list; empty if there are none."""
        rates = np.concatenate([fabric.link_rate[np.asarray(fabric.cables)], fabric.endpoint_rate])
        others = rates[(rates >= 0) & (rates != self.rate)]
        if self.rate is None or not len(others):
            return ""
        own, *ends = (f"{rate / 1e9:.12g}" for rate in (self.rate, others.min(), others.max()))
        return (
            f"prices '{self.title}' are for {own} Gb/s, but {counted(len(others), 'link')} "
            f"{verb(len(others), 'has', 'have')} another rate ({' to '.join(dict.fromkeys(ends))} Gb/s); the bill does "
            "not depend on rates of links"
        )

    def switch(self, ports: int, name: str | None = None) -> Price:
        """Return the smallest switch with enough ports, or the switch that `name` gives by name or number of ports."""
        if name is None:
            return self._of("switch", "ports", self.switches, self.switch_line, ports, 1)
        found = self._named(name)
        if found.size < ports:
            raise InputError(
                f"switch '{name}' of prices '{self.title}' has {found.size} ports, the network needs {ports}; "
                f"legal: a switch with at least {ports} ports"
            )
        return found

    def _named(self, name: str) -> Price:
        number = int(name) if name.isascii() and name.isdigit() else None
        for price in self.switches:
            if name == price.name or number == price.size:
                return price
        if self.switch_line is not None and number:
            return self._of("switch", "ports", (), self.switch_line, number, 1)
        names = [price.name or str(price.size) for price in self.switches]
        legal = ", ".join(names) if names else "a number of ports"
        raise InputError(f"prices '{self.title}' have no switch '{name[:60]}'; legal: {legal}")

    def is_copper(self, length: int, wanted: bool) -> bool:
        """Return whether a cable is bought as copper; fibre replaces copper if all copper cables are too short."""
        if not wanted or not (self.fibre or self.fibre_line):
            return wanted
        if self.copper_line is not None and (self.copper_line.most is None or length <= self.copper_line.most):
            return True
        return bool(self.copper) and length <= self.copper[-1].size

    def nics_of(self, endpoints: int, per_host: int) -> list[tuple[Price, int]]:
        """Return the cheapest NICs that give every host `per_host` ports, each with its count.

        The result is empty if the price list has no NICs.
        """
        if not self.nics or not endpoints:
            return []
        # Entry n: the cost of the cheapest set of NICs with at least n ports, and the NIC that was added last.
        best: list[tuple[float, Price | None]] = [(0.0, None)]
        for ports in range(1, per_host + 1):
            best.append(
                min(((best[max(ports - nic.size, 0)][0] + nic.cost, nic) for nic in self.nics), key=lambda of: of[0])
            )
        counts: dict[Price, int] = {}
        hosts, left = -(-endpoints // per_host), per_host
        while left > 0:
            nic = best[left][1]
            assert nic is not None
            counts[nic] = counts.get(nic, 0) + hosts
            left -= nic.size
        return sorted(counts.items(), key=lambda item: item[0].size)

    def copper_cable(self, length: int) -> Price:
        """Return the shortest copper cable of at least `length` millimetres."""
        return self._of("copper", "m", self.copper, self.copper_line, length, 1000)

    def fibre_cable(self, length: int) -> Price:
        """Return the shortest fibre cable of at least `length` millimetres."""
        if self.fibre_beyond is not None and self.fibre and length > self.fibre[-1].size:
            longest, (step, cost) = self.fibre[-1], self.fibre_beyond
            steps = -(-(length - longest.size) // step)
            return Price(longest.size + steps * step, longest.cost + steps * cost, longest.watts, longest.source)
        return self._of("fibre", "m", self.fibre, self.fibre_line, length, 1000)

    def transceiver(self, length: int) -> Price:
        """Return the transceiver with the shortest reach of at least `length` millimetres."""
        return self._of("transceiver", "m", self.transceivers, None, length, 1000)

    def device(self, kind: str) -> Price:
        """Return the price of an optical switch or a patch panel."""
        price = self.optical_switch if kind == "optical" else self.patch_panel
        if price is None:
            key = "optical_switch" if kind == "optical" else "patch_panel"
            raise InputError(f"prices '{self.title}' have no {key}; legal: a price list with a table [{key}]")
        return price

    def _of(self, what: str, unit: str, listed: tuple[Price, ...], line: Line | None, size: int, scale: int) -> Price:
        if line is not None and (line.most is None or size <= line.most):
            watts = None if line.watts_per is None else line.watts_per * size / scale
            return Price(size, line.cost + line.per * size / scale, watts, line.source)
        at = bisect_left([price.size for price in listed], size)
        if at < len(listed):
            return listed[at]
        most = max(
            [*([line.most] if line is not None and line.most else []), *(price.size for price in listed[-1:])],
            default=None,
        )
        legal = "a list with this item"
        if most is not None:
            legal = f"at most {most / scale:g} {unit}, the largest size in the list"
        raise InputError(f"prices '{self.title}' have no {what} of {size / scale:g} {unit}; legal: {legal}")


def read_prices(name: str | PathLike[str]) -> Prices:
    """Read a price list, from a ``.toml`` file or included in tulle.

    The function ``tulle.design.shipped("prices")`` returns the names of included lists.

    Raises
    ------
    tulle.InputError
        For a name that is neither an included list nor a ``.toml`` file.
    tulle.FileError
        If the file cannot be read.
    tulle.FormatError
        If the file is not a price list; the message names key, value and legal range.

    Examples
    --------
    >>> import tulle
    >>> tulle.read_prices("infiniband-hdr").currency
    'USD'
    """
    path = find("prices", name)
    return _Reader(path, read_toml(path)).prices()


# For each table of a price list: the key of its size, and whether the size is a length. For lines, also the
# unit of size to which the second cost refers.
_LISTED = {
    "switch": ("ports", False),
    "copper": ("length", True),
    "fibre": ("length", True),
    "transceiver": ("reach", True),
    "nic": ("ports", False),
}
_LINES = {
    "switch_line": ("ports", False, "port"),
    "copper_line": ("length", True, "metre"),
    "fibre_line": ("length", True, "metre"),
}
_DEVICES = ("optical_switch", "patch_panel")
_TEXTS = ("title", "source", "currency", "rate")
_KEYS = (*_TEXTS, "date", "example", *_LISTED, *_LINES, "fibre_beyond", *_DEVICES)


class _Reader:
    """Reads a price list strictly."""

    def __init__(self, path: Path, content: Mapping[str, Any]) -> None:
        self._path, self._content = path, content

    def prices(self) -> Prices:
        content = self._content
        self._known("", content, _KEYS)
        texts = {name: self._text("", content, name) for name in _TEXTS[:3]}
        listed = {name: self._listed(name, texts["source"]) for name in _LISTED}
        lines = {name: self._line(name, texts["source"]) for name in _LINES}
        if not listed["switch"] and lines["switch_line"] is None:
            raise self._bad("switch", "is missing", "legal: [[switch]] with ports= and cost=, or [switch_line]")
        beyond = None
        if "fibre_beyond" in content:
            table = self._table("fibre_beyond", content["fibre_beyond"])
            self._known("fibre_beyond.", table, ("step", "cost", "source"))
            if not listed["fibre"]:
                raise self._bad(
                    "fibre_beyond", "extends [[fibre]], which is missing", "legal: both, or no [fibre_beyond]"
                )
            beyond = (self._length("fibre_beyond.", table, "step"), self._number("fibre_beyond.", table, "cost"))
        rate = self._text("", content, "rate") if "rate" in content else None
        return Prices(
            title=texts["title"],
            source=texts["source"],
            currency=texts["currency"],
            rate=None if rate is None else self._read("rate", rate, _tulle.read_rate),
            switches=listed["switch"],
            copper=listed["copper"],
            fibre=listed["fibre"],
            transceivers=listed["transceiver"],
            switch_line=lines["switch_line"],
            copper_line=lines["copper_line"],
            fibre_line=lines["fibre_line"],
            fibre_beyond=beyond,
            optical_switch=self._device("optical_switch", texts["source"]),
            patch_panel=self._device("patch_panel", texts["source"]),
            nics=listed["nic"],
            date=self._text("", content, "date") if "date" in content else None,
            example=self._flag("", content, "example"),
        )

    def _listed(self, name: str, source: str) -> tuple[Price, ...]:
        size, is_length = _LISTED[name]
        tables = self._content.get(name, [])
        if not isinstance(tables, list):
            raise self._bad(name, "is not a list of tables", f"legal: [[{name}]]")
        found = []
        for at, given in enumerate(tables):
            where = f"{name}[{at}]"
            table = self._table(where, given)
            ends = ("transceivers",) if name == "fibre" else ()
            self._known(f"{where}.", table, (size, "name", "cost", "watts", "source", *ends))
            found.append(
                Price(
                    self._size(f"{where}.", table, size, is_length),
                    self._number(f"{where}.", table, "cost"),
                    self._number(f"{where}.", table, "watts") if "watts" in table else None,
                    self._text(f"{where}.", table, "source") if "source" in table else source,
                    name=self._text(f"{where}.", table, "name") if "name" in table else None,
                    has_ends=self._flag(f"{where}.", table, "transceivers"),
                )
            )
            name_of = found[-1].name
            # `switch` finds a switch by its name.
            if name == "switch" and name_of is not None and name_of in (price.name for price in found[:-1]):
                raise self._bad(f"{where}.name", f"'{name_of}' is the name of two switches", "legal: different names")
            # Several switches or NICs may have the same number of ports if they have names.
            least = found[-2].size + (0 if found[-1].name is not None and not is_length else 1) if at else 0
            if found[-1].size < least:
                raise self._bad(f"{where}.{size}", f"{table[size]} does not ascend", "legal: sizes in ascending order")
        return tuple(found)

    def _line(self, name: str, source: str) -> Line | None:
        if name not in self._content:
            return None
        size, is_length, per = _LINES[name]
        table = self._table(name, self._content[name])
        self._known(f"{name}.", table, (size, "cost", f"cost_per_{per}", f"watts_per_{per}", "source"))
        watts = f"watts_per_{per}"
        return Line(
            # The fixed cost may be negative: the line need not hold for switches smaller than those on sale.
            self._number(f"{name}.", table, "cost", least=-_MOST),
            self._number(f"{name}.", table, f"cost_per_{per}"),
            self._number(f"{name}.", table, watts) if watts in table else None,
            self._size(f"{name}.", table, size, is_length) if size in table else None,
            self._text(f"{name}.", table, "source") if "source" in table else source,
        )

    def _device(self, name: str, source: str) -> Price | None:
        if name not in self._content:
            return None
        table = self._table(name, self._content[name])
        self._known(f"{name}.", table, ("ports", "cost", "watts", "reach", "source"))
        return Price(
            self._size(f"{name}.", table, "ports", is_length=False),
            self._number(f"{name}.", table, "cost"),
            self._number(f"{name}.", table, "watts") if "watts" in table else None,
            self._text(f"{name}.", table, "source") if "source" in table else source,
            self._length(f"{name}.", table, "reach") if "reach" in table else None,
        )

    def _size(self, where: str, table: Mapping[str, Any], key: str, is_length: bool) -> int:
        if is_length:
            return self._length(where, table, key)
        value = self._given(where, table, key)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1 << 24:
            raise self._bad(where + key, f"{value!r} is out of range", f"legal: a whole number from 1 to {1 << 24}")
        return value

    def _length(self, where: str, table: Mapping[str, Any], key: str) -> int:
        value = self._read(where + key, self._text(where, table, key), _tulle.read_length)
        if not 0 < value <= 10**9:
            raise self._bad(where + key, f"'{table[key]}' is out of range", "legal: above 0, at most 1000km")
        return value

    def _number(self, where: str, table: Mapping[str, Any], key: str, least: float = 0.0) -> float:
        value = self._given(where, table, key)
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not least <= value <= _MOST:
            raise self._bad(
                where + key, f"{value!r} is out of range", f"legal: a number from {least:.0f} to {_MOST:.0f}"
            )
        return float(value)

    def _text(self, where: str, table: Mapping[str, Any], key: str) -> str:
        value = self._given(where, table, key)
        if not isinstance(value, str) or not value.strip():
            raise self._bad(where + key, f"{value!r} is not a text", "legal: a text that is not empty")
        return value

    def _flag(self, where: str, table: Mapping[str, Any], key: str) -> bool:
        value = table.get(key, False)
        if not isinstance(value, bool):
            raise self._bad(where + key, f"{value!r} is not a choice", "legal: true or false")
        return value

    def _given(self, where: str, table: Mapping[str, Any], key: str) -> Any:
        if key not in table:
            raise self._bad(where + key, "is missing", f"legal: {key} = …")
        return table[key]

    def _table(self, where: str, value: Any) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self._bad(where, f"{value!r} is not a table", f"legal: [{where}]")
        return value

    def _known(self, where: str, table: Mapping[str, Any], keys: tuple[str, ...]) -> None:
        for key in table:
            if key not in keys:
                raise self._bad(where + key, "is unknown", did_you_mean(key, keys))

    def _read(self, key: str, text: str, read: Any) -> int:
        try:
            value: int = read("prices", key, text)
        except (InputError, SpecError) as error:
            raise FormatError(f"{self._path}: {str(error).removeprefix('prices: ')}") from None
        return value

    def _bad(self, key: str, problem: str, legal: str) -> FormatError:
        return FormatError(f"{self._path}: {key} {problem}; {legal}")
