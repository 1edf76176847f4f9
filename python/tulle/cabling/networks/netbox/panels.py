"""Trace links through patch panels: from an interface over cables, front ports and rear ports to the next interface.

A rear port may have several front ports, each at a position. A signal that enters a panel at a front port leaves the
panel at the rear port, at the position of the front port. The cable between the rear ports of two panels is a trunk.
The signal arrives at the other end of the trunk at the same position, and leaves that panel at the front port of this
position. NetBox traces paths in the same way.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.cabling.networks.assembly import Cable
from tulle.cabling.networks.netbox.records import Termination
from tulle.cabling.source import shown

if TYPE_CHECKING:
    from tulle.cabling.networks.netbox.records import Inventory, Record

_NUMBER = re.compile(r"(\d{1,9})\D*$")


def links(inventory: Inventory) -> list[Cable]:
    """Return the links between interfaces. A chain of cables through patch panels is one link.

    Raises
    ------
    tulle.FormatError
        For a port with two cables.
    """
    return _Panels(inventory).links()


class _Panels:
    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self.at: dict[Termination, Record] = {}
        self.fronts: dict[str, set[str]] = defaultdict(set)
        self.rears: dict[str, set[str]] = defaultdict(set)
        for record in inventory.records:
            for end in record.ends:
                if end in self.at:
                    problem = f"a second cable at port {shown(end.port)} of {shown(end.device)}"
                    legal = "one cable per port"
                    if record.source in inventory.views:
                        # A front port and a rear port of a panel may have the same name.
                        problem += ", maybe a patch panel: this view does not distinguish front ports and rear ports"
                        legal = "the import form with side_a_type and side_b_type, or JSON"
                    raise record.source.error(record.at, f"{problem}; legal: {legal}")
                self.at[end] = record
                if end.kind != "interface":
                    (self.fronts if end.kind == "front" else self.rears)[end.device].add(end.port)
        for (device, front), (rear, _) in inventory.rear.items():
            self.fronts[device].add(front)
            self.rears[device].add(rear)

    def links(self) -> list[Cable]:
        found, done, joined = [], set(), set()
        for record in self.inventory.records:
            for start, after in (record.ends, record.ends[::-1]):
                if start.kind != "interface" or start in done:
                    continue
                traced = self._trace(record, after)
                if traced is not None:
                    path, end, port = traced
                    # The path from the other interface has the same cables, so it is not traced again.
                    done |= {start, end}
                    joined |= {id(part) for part in path}
                    ends = (start, Termination(end.device, port, end.kind))
                    found.append(_cable(path, ends if start is record.ends[0] else ends[::-1]))
        if left := len(self.inventory.records) - len(joined):
            self.inventory.warnings.append(
                f"{self.inventory.records[0].source.path}: {counted(left, 'cable')} at patch panels "
                f"{verb(left, 'leads to no other interface and is', 'lead to no other interface and are')} left out"
            )
        return found

    def _trace(self, record: Record, end: Termination) -> tuple[list[Record], Termination, str] | None:
        """Follow cables to the next interface. Return the cables, the interface and its port; None if there is none.

        If an interface is connected to a rear port with several front ports, it gets one port per position, like a
        breakout cable.
        """
        path: list[Record] = [record]
        positions: list[int] = []
        while end.kind != "interface":
            across = self._across(end, positions)
            following = None if across is None else self.at.get(across)
            if following is None or following in path:
                return None
            path.append(following)
            a, b = following.ends
            end = b if across == a else a
        return path, end, ":".join([end.port, *map(str, positions)])

    def _across(self, end: Termination, positions: list[int]) -> Termination | None:
        """Return the port on the other side of a panel; None if there is none.

        `positions` is the stack of positions in the trunks so far.
        """
        if end.kind == "front":
            rear = self._rear(end.device, end.port)
            if rear is None:
                return None
            name, position = rear
            if self._shared(end.device, name):
                positions.append(position)
            return Termination(end.device, name, "rear")
        of = self._fronts(end.device, end.port)
        if not self._shared(end.device, end.port):
            return Termination(end.device, next(iter(of.values())), "front") if of else None
        front = of.get(positions.pop()) if positions else None
        return None if front is None else Termination(end.device, front, "front")

    def _fronts(self, device: str, rear: str) -> dict[int, str]:
        """Return the front ports of a rear port, by position."""
        of = [(front, self._rear(device, front)) for front in sorted(self.fronts[device])]
        return {found[1]: front for front, found in of if found is not None and found[0] == rear}

    def _shared(self, device: str, rear: str) -> bool:
        """Return whether a rear port, or the rear port at the other end of its trunk, has several front ports."""
        if len(self._fronts(device, rear)) > 1:
            return True
        record = self.at.get(Termination(device, rear, "rear"))
        far = [end for end in record.ends if end.kind == "rear" and end.device != device] if record else []
        return any(len(self._fronts(end.device, end.port)) > 1 for end in far)

    def _rear(self, device: str, front: str) -> tuple[str, int] | None:
        """Return the rear port and the position of a front port; None if unknown.

        The files may list the rear port. Otherwise it has the same name or number, or it is the only rear port.
        """
        if (device, front) in self.inventory.rear:
            return self.inventory.rear[device, front]
        rears = self.rears[device]
        if front in rears:
            return front, 1
        number = _number(front)
        if len(rears) == 1:
            return next(iter(rears)), number if number is not None else sorted(self.fronts[device]).index(front) + 1
        alike = [rear for rear in rears if number is not None and _number(rear) == number]
        return (alike[0], 1) if len(alike) == 1 else None


def _number(name: str) -> int | None:
    match = _NUMBER.search(name)
    return int(match[1]) if match else None


def _cable(path: list[Record], ends: tuple[Termination, Termination]) -> Cable:
    lengths = [record.length for record in path]
    media = {record.medium for record in path}
    names = [record.name for record in path if record.name]
    first = path[0]
    return Cable(
        ((ends[0].device, ends[0].port), (ends[1].device, ends[1].port)),
        first.source,
        first.at,
        length=None if None in lengths else sum(length for length in lengths if length is not None),
        medium=first.medium if len(media) == 1 else None,
        name=names[0] if len(names) == 1 else "",
    )
