"""Match the two views of each cable between two devices that both report it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tulle.cabling.live.lldp import announced_port
from tulle.cabling.natural import natural

if TYPE_CHECKING:
    from tulle.cabling.identity.ports import Ports
    from tulle.cabling.live.port_record import Announced, PortRecord


@dataclass(eq=False)
class View:
    """The neighbour of a port, by the resolved names of devices."""

    device: str
    port: str
    other: str
    seen: PortRecord
    announced: Announced
    there: str | None = None
    """The port at the other end, by its own device's name for it."""
    sure: bool = False
    """Whether the port ID identifies that port."""
    back: View | None = None
    """The view of the same cable from the other end."""

    @property
    def announced_name(self) -> str:
        """The announced name of the port at the other end."""
        return announced_port(self.announced)


@dataclass
class Pair:
    """The views of the cables between two devices, from each of them."""

    sides: tuple[list[View], list[View]]
    guessed: bool = False
    """Whether the order of ports decided which ends belong together."""
    spare: list[View] = field(default_factory=list)
    """Views of cables that the other side reports too, but which cannot be assigned."""

    def look(self, ports: dict[str, Ports], taken: dict[tuple[str, str], str]) -> None:
        """Find the port at the other end of every view; `taken` has the neighbour of every port."""
        for view in (*self.sides[0], *self.sides[1]):
            if view.back is None:
                view.there, view.sure = ports[view.other].find(view.announced)
                # A name that is not an ID may belong to a port with another neighbour. Then it is useless.
                hears = taken.get((view.other, view.there or ""), view.device)
                if not view.sure and hears != view.device:
                    view.there = None

    def join(self) -> bool:
        """Join views of the same cable; return whether any were joined."""
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
        """Return two views whose port IDs contradict each other, if there are any."""
        for side, others in (self.sides, self.sides[::-1]):
            ends = {view.port: view for view in others}
            for view in side:
                other = ends.get(view.there or "")
                if view.back is None and view.sure and other is not None:
                    return view, other
        return None

    def settle(self) -> bool:
        """Join the remaining views by the order of ports; return False if it contradicts the order of announced names.

        In every system, aliases have the order of the ports: ``etp1``, ``etp2`` are ``Ethernet0``, ``Ethernet4``.
        """
        for side, others in (self.sides, self.sides[::-1]):
            ends = {view.port for view in others}
            for view in side:
                # A description that names the port of another cable is not the name of this port.
                if view.back is None and not view.sure and view.there in ends:
                    view.there = None
        left, right = ([view for view in side if view.back is None and view.there is None] for side in self.sides)
        if not left or not right:
            return True
        self.guessed = True
        if len(left) != len(right):
            self.spare += left if len(left) < len(right) else right
            return True
        left.sort(key=lambda view: (natural(view.announced_name), natural(view.port)))
        right.sort(key=lambda view: natural(view.port))
        names = [
            natural(b.announced_name)
            for _, b in sorted(zip(left, right, strict=True), key=lambda ends: natural(ends[0].port))
        ]
        fits = names == sorted(names) and len({view.announced_name for view in left}) == len(left) == len(
            {b.announced_name for b in right}
        )
        for a, b in zip(left, right, strict=True):
            self._join(a, b)
        return fits

    def _join(self, a: View, b: View) -> bool:
        a.back, b.back, a.there, b.there = b, a, b.port, a.port
        return True
