"""Identify devices by their short or full names, and by the IDs of their chassis."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tulle.cabling.source import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tulle.cabling.live.port_record import PortRecord


class Directory:
    """A set of known device names. A name is found by its short or full form, in upper or lower case."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names: set[str] = set()
        self._folded: dict[str, set[str]] = defaultdict(set)
        self._by_short: dict[str, set[str]] = defaultdict(set)
        for name in names:
            self.add(name)

    def add(self, name: str) -> None:
        """Add a device name."""
        self.names.add(name)
        self._folded[name.casefold()].add(name)
        if (first := short(name)) != name:
            self._by_short[first.casefold()].add(name)

    def find(self, name: str) -> list[str]:
        """Return the known names that may mean the same device as `name`, sorted.

        The result is `name` itself if it is known. Otherwise it is the known names that differ only in case. If
        there are none, it is the known names that are the short or full form of `name`.
        """
        if name in self.names:
            return [name]
        found = self._folded.get(name.casefold())
        if not found:
            first = short(name)
            among = self._by_short if first == name else self._folded
            found = among.get(first.casefold(), set())
        return sorted(found)

    def full(self, name: str) -> list[str]:
        """Return the known full names whose short form is `name`."""
        return sorted(self._by_short.get(name.casefold(), ()))


def short(name: str) -> str:
    """Return a host name without its domain. An address (``10.0.0.1``) is returned unchanged."""
    first = name.split(".")[0]
    return name if not first or first.isdigit() else first


class Devices:
    """The names of all devices.

    A device in the plan has its planned name. Any other device has the name in its own LLDP file. Without such a file,
    it has the shortest name that it announces.
    """

    def __init__(self, seen: Sequence[PortRecord], planned: Iterable[str] = ()) -> None:
        plan = Directory(planned)
        self._own: dict[str, str] = {}
        for port in seen:
            if port.device not in self._own and not port.device.startswith("*"):
                self._own[port.device] = _one(plan, port.device, port) or port.device
        self._files = Directory(self._own.values())
        known = Directory([*plan.names, *self._own.values()])
        self._neighbour_names: dict[str, str] = {}
        self._of_chassis: dict[str, set[str]] = defaultdict(set)
        self._name(seen, known)

    def own(self, name: str) -> str:
        """Return the resolved name of the device whose own file calls it `name`."""
        return self._own[name]

    def known(self, name: str) -> str | None:
        """Return the device that `name` means, if exactly one device with a file fits; otherwise None."""
        found = self._files.find(self._own.get(name, name))
        return found[0] if len(found) == 1 else None

    def neighbour(self, port: PortRecord) -> str:
        """Return the name of the device at the other end of the cable at a port."""
        name = port.neighbour or ""
        if _nameless(port):
            of = self._of_chassis.get(name, set())
            if len(of) == 1:
                return next(iter(of))
        return self._neighbour_names.get(name, name)

    def _name(self, seen: Sequence[PortRecord], known: Directory) -> None:
        full: dict[str, dict[str, PortRecord]] = defaultdict(dict)
        strangers: dict[str, PortRecord] = {}
        named = [port for port in seen if port.neighbour and not _nameless(port)]
        for port in sorted(named, key=lambda port: port.neighbour or ""):
            name = port.neighbour or ""
            if name in self._neighbour_names or name in strangers:
                continue
            if (found := _one(known, name, port)) is None:
                strangers[name] = port
                continue
            self._neighbour_names[name] = found
            if found != name and short(name) != name:
                full[found][name.casefold()] = port
        pool = Directory(strangers)
        for name, port in strangers.items():
            others = pool.full(name) if short(name) == name else []
            if len(others) > 1:
                raise _ambiguous(port, name, others)
            for other in others:
                full[name][other.casefold()] = strangers[other]
                self._neighbour_names[other] = name
        for port in named:
            if port.announced is not None and port.announced.chassis:
                self._of_chassis[port.announced.chassis].add(
                    self._neighbour_names.get(port.neighbour or "", port.neighbour or "")
                )
        for name, forms in full.items():
            chassis = {form.announced.chassis if form.announced else "" for form in forms.values()}
            if len(forms) > 1 and (len(chassis) > 1 or "" in chassis):
                raise _ambiguous(
                    next(iter(forms.values())), name, sorted(form.neighbour or "" for form in forms.values())
                )


def _nameless(port: PortRecord) -> bool:
    return port.announced is not None and bool(port.announced.chassis) and port.neighbour == port.announced.chassis


def _one(directory: Directory, name: str, port: PortRecord) -> str | None:
    found = directory.find(name)
    if len(found) > 1:
        raise _ambiguous(port, name, found)
    return found[0] if found else None


def _ambiguous(port: PortRecord, name: str, found: list[str]) -> Exception:
    those = " or ".join(shown(other) for other in found[:3]) + (" or …" if len(found) > 3 else "")
    return port.source.error(port.at, f"device {shown(name)} may mean {those}; legal: the name of one device")
