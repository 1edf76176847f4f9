"""Match the reports of both ends of each cable between two devices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tulle.cabling.live.port_record import announced_port
from tulle.cabling.natural import natural

if TYPE_CHECKING:
    from tulle.cabling.identity.ports import Ports
    from tulle.cabling.live.port_record import Announced, PortRecord


@dataclass(eq=False)
class View:
    """The report of one port about its neighbour, with resolved device names."""

    device: str
    port: str
    other: str
    seen: PortRecord
    announced: Announced
    there: str | None = None
    """The port at the other end of the cable, as its own device names it; None if unknown."""
    sure: bool = False
    """Whether the announced port ID identifies the port `there`."""
    back: View | None = None
    """The report of the other end about this cable; None if unknown."""

    @property
    def announced_name(self) -> str:
        """The name that the port at the other end announces."""
        return announced_port(self.announced)


@dataclass
class Pair:
    """The reports about the cables between two devices, from both devices."""

    sides: tuple[list[View], list[View]]
    guessed: bool = False
    """Whether some reports were joined only because their ports have the same position in the order of ports."""
    spare: list[View] = field(default_factory=list)
    """Reports that cannot be assigned to a cable, although both devices report their cables."""

    def look(self, ports: dict[str, Ports], taken: dict[tuple[str, str], str]) -> None:
        """For every report, find the port at the other end of its cable.

        `taken` maps each reporting port to the neighbour device in its report.
        """
        for view in (*self.sides[0], *self.sides[1]):
            if view.back is None:
                view.there, view.sure = ports[view.other].find(view.announced)
                # An uncertain name may match a port with another neighbour. Then the name is ignored.
                hears = taken.get((view.other, view.there or ""), view.device)
                if not view.sure and hears != view.device:
                    view.there = None

    def join(self) -> bool:
        """Join the two reports of each cable whose ends are certain. Return whether any reports were joined."""
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
        """Return two reports whose port IDs contradict each other, or None."""
        for side, others in (self.sides, self.sides[::-1]):
            ends = {view.port: view for view in others}
            for view in side:
                other = ends.get(view.there or "")
                if view.back is None and view.sure and other is not None:
                    return view, other
        return None

    def settle(self) -> bool:
        """Join the remaining reports by the order of ports: the first report of one device with the first of the other.

        Usually, aliases have the same order as the ports: ``etp1``, ``etp2`` are ``Ethernet0``, ``Ethernet4``.
        Return False if the announced names have another order.
        """
        for side, others in (self.sides, self.sides[::-1]):
            ends = {view.port for view in others}
            for view in side:
                # The announced description matches a port of another cable, so the description is ignored.
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
