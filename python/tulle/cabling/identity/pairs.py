"""The cables between two devices that both tell of them: which port of the one leads to which of the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tulle.cabling.live.lldp import told_port
from tulle.cabling.natural import natural

if TYPE_CHECKING:
    from tulle.cabling.identity.ports import Ports
    from tulle.cabling.live.seen import Announced, Seen


@dataclass(eq=False)
class View:
    """What a port of a device hears, by the names that devices have here."""

    device: str
    port: str
    other: str
    seen: Seen
    announced: Announced
    there: str | None = None
    """The port at the other end, by the name that its own device has for it."""
    sure: bool = False
    """Whether the ID of that port says so."""
    back: View | None = None
    """What that port hears: the same cable."""

    @property
    def told(self) -> str:
        """What the port at the other end is called, if nothing else is known of it."""
        return told_port(self.announced)


@dataclass
class Pair:
    """The views of the cables between two devices, from the one and from the other."""

    sides: tuple[list[View], list[View]]
    guessed: bool = False
    """Whether the order of ports decided which ends belong together."""
    spare: list[View] = field(default_factory=list)
    """Views of cables that the other side tells of as well, without a way to say of which."""

    def look(self, ports: dict[str, Ports], taken: dict[tuple[str, str], str]) -> None:
        """Finds the port at the other end of every view; `taken`: the device that every port hears."""
        for view in (*self.sides[0], *self.sides[1]):
            if view.back is None:
                view.there, view.sure = ports[view.other].find(view.announced)
                # A name that is not an ID may be that of another port: then it tells nothing.
                hears = taken.get((view.other, view.there or ""), view.device)
                if not view.sure and hears != view.device:
                    view.there = None

    def join(self) -> bool:
        """Joins views of the same cable; whether there were any."""
        joined = False
        here, there = ({view.port: view for view in side} for side in self.sides)
        both = [(view, there.get(view.there or "")) for view in self.sides[0]]
        for a, b in both:
            if b is not None and b.there == a.port and a.back is None and b.back is None:
                joined |= self._join(a, b)
        for side, others in ((self.sides[0], there), (self.sides[1], here)):
            claims: dict[str, list[View]] = {}
            for view in side:
                if view.back is None and view.there in others:
                    claims.setdefault(view.there, []).append(view)
            for port, views in claims.items():
                other = others[port]
                sure = [view for view in views if view.sure] or views
                if other.back is None and len(sure) == 1 and not (other.sure and other.there is not None):
                    joined |= self._join(sure[0], other)
        open_views = [[view for view in side if view.back is None and view.there is None] for side in self.sides]
        if len(open_views[0]) == len(open_views[1]) == 1:
            joined |= self._join(open_views[0][0], open_views[1][0])
        return joined

    def contradiction(self) -> tuple[View, View] | None:
        """Two views that name different ends, each by the ID of a port."""
        for side, others in (self.sides, self.sides[::-1]):
            ends = {view.port: view for view in others}
            for view in side:
                other = ends.get(view.there or "")
                if view.back is None and view.sure and other is not None:
                    return view, other
        return None

    def settle(self) -> bool:
        """Joins what is left by the order of ports; False where it contradicts the order of the names told.

        Aliases are in the order of ports in every system: ``etp1``, ``etp2`` are ``Ethernet0``, ``Ethernet4``.
        """
        for side, others in (self.sides, self.sides[::-1]):
            ends = {view.port for view in others}
            for view in side:
                # A description that names a port of another cable is no name of the port.
                if view.back is None and not view.sure and view.there in ends:
                    view.there = None
        left, right = ([view for view in side if view.back is None and view.there is None] for side in self.sides)
        if not left or not right:
            return True
        self.guessed = True
        if len(left) != len(right):
            self.spare += left if len(left) < len(right) else right
            return True
        left.sort(key=lambda view: (natural(view.told), natural(view.port)))
        right.sort(key=lambda view: natural(view.port))
        told = [
            natural(b.told) for _, b in sorted(zip(left, right, strict=True), key=lambda ends: natural(ends[0].port))
        ]
        fits = told == sorted(told) and len({view.told for view in left}) == len(left) == len({b.told for b in right})
        for a, b in zip(left, right, strict=True):
            self._join(a, b)
        return fits

    def _join(self, a: View, b: View) -> bool:
        a.back, b.back, a.there, b.there = b, a, b.port, a.port
        return True
