"""Look up prefixes in the route tables of all switches, and convert next hops to channels of the fabric."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tulle.deploy.read.route_tables import Prefix, RouteTable
    from tulle.deploy.read.routes import Way
    from tulle.fabric import Fabric

__all__ = ["RouteNetwork"]

_MOST_WEIGHT = 255
_SEVERAL = -1


@dataclass
class RouteNetwork:
    """The route tables of all switches, with ports converted to channels of the fabric."""

    fabric: Fabric
    tables: Sequence[RouteTable]
    channel_of: list[dict[str, int]] = field(init=False)
    """For each switch, the channel that starts at each port."""
    _by_length: list[dict[int, list[tuple[int, dict[int, Prefix]]]]] = field(init=False)
    """The route prefixes by switch and IP version, sorted for the longest match: a pair per prefix length, the longest
    first. A pair has the length, and all prefixes of this length by their leading bits."""

    _any_switch: dict[int, list[tuple[int, dict[int, Prefix]]]] = field(init=False)
    """The same for the routes of all switches together."""
    _only_at: dict[Prefix, int] = field(init=False, default_factory=dict)
    """Prefix -> the switch that has a route for it, or `_SEVERAL` if several switches have one."""

    def __post_init__(self) -> None:
        self._by_length = [_by_length(table.routes) for table in self.tables]
        for switch, table in enumerate(self.tables):
            for prefix in table.routes:
                self._only_at[prefix] = _SEVERAL if prefix in self._only_at else switch
        self._any_switch = _by_length(self._only_at)
        self.channel_of = [{} for _ in self.tables]
        for channel, (start, _) in enumerate(self.fabric.channels.tolist()):
            self.channel_of[start][str(self.fabric.ports[channel])] = channel

    def channels(self, switch: int, way: Way) -> list[int]:
        """Return the channels of a next hop: those of a port, or of all ports of a port channel."""
        names = self.tables[switch].members.get(way.port, (way.port,))
        return [self.channel_of[switch][name] for name in names if name in self.channel_of[switch]]

    def is_local(self, switch: int, ports: set[str]) -> bool:
        """Whether all interfaces lead to hosts, so that none is a port or a port channel of the fabric."""
        known, members = self.channel_of[switch], self.tables[switch].members
        return not any(name in known for port in ports for name in members.get(port, (port,)))

    def match(self, switch: int, prefix: Prefix) -> Prefix | None:
        """Return the longest route prefix of a switch that contains `prefix`."""
        return next(_containing(self._by_length[switch], prefix), None)

    def chain(self, switch: int, prefix: Prefix) -> tuple[Prefix, ...]:
        """Return all route prefixes of other switches that contain `prefix`, the longest first.

        Two prefixes with equal results match the same route at every other switch.
        """
        return tuple(found for found in _containing(self._any_switch, prefix) if self._only_at[found] != switch)

    def hops(self, switch: int, prefix: Prefix) -> tuple[dict[int, int], int, str]:
        """Return the channels of a route with their weights, the number of its other next hops, and an error text.

        The text is empty if the route has a channel.
        """
        found, shares, outside = self.match(switch, prefix), defaultdict[int, Fraction | int](int), 0
        ways = () if found is None else self.tables[switch].routes[found]
        for way in ways:
            channels = self.channels(switch, way)
            outside += not channels
            for channel in channels:
                # A port channel distributes the packets of its next hop equally over its ports.
                shares[channel] += way.weight if len(channels) == 1 else Fraction(way.weight, len(channels))
        if shares:
            return dict(sorted(zip(shares, _whole([*shares.values()]), strict=True))), outside, ""
        name = self.fabric.labels[switch]
        if found is None:
            return {}, 0, f"switch {name} has no route to {prefix}"
        if not ways:
            return {}, 0, f"switch {name} discards packets to {prefix} (route {found})"
        return {}, 0, f"switch {name} forwards {prefix} to interface {ways[0].port}, which leads to no switch"


def _containing(by_length: dict[int, list[tuple[int, dict[int, Prefix]]]], prefix: Prefix) -> Iterator[Prefix]:
    address, whole = int(prefix.network_address), prefix.max_prefixlen
    for length, prefixes in by_length.get(prefix.version, ()):
        if length <= prefix.prefixlen and (found := prefixes.get(address >> (whole - length))) is not None:
            yield found


def _by_length(routes: Iterable[Prefix]) -> dict[int, list[tuple[int, dict[int, Prefix]]]]:
    found: dict[int, dict[int, dict[int, Prefix]]] = defaultdict(lambda: defaultdict(dict))
    for prefix in routes:
        bits = int(prefix.network_address) >> (prefix.max_prefixlen - prefix.prefixlen)
        found[prefix.version][prefix.prefixlen][bits] = prefix
    return {version: sorted(of.items(), reverse=True) for version, of in found.items()}


def _whole(shares: list[Fraction | int]) -> list[int]:
    """Return the weights of next hops as whole numbers up to 255, in lowest terms if they fit exactly."""
    common = lcm(*(share.denominator for share in shares))
    weights = [int(share * common) for share in shares]
    lowest = gcd(*weights)
    weights = [weight // lowest for weight in weights]
    most = max(weights)
    return weights if most <= _MOST_WEIGHT else [max(1, round(weight * _MOST_WEIGHT / most)) for weight in weights]
