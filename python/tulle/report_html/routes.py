"""The forwarding of a routing as compact arrays from which a report follows paths: next-hop tables or path sets.

Channels are given by their position among the channels of their source switch, because small numbers need less space.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from tulle.report_html.packing import packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing


@dataclass(frozen=True)
class Forwarding:
    """The forwarding of a routing in a report, or of a part of its layers."""

    form: Literal["layers", "paths"]
    width: int
    """Maximum number of channels in an equal-cost group; 1 for path sets."""
    kept: int
    """Number of layers, or of paths per pair, that are in the report."""
    of: int
    """Number of layers, or maximum number of paths per pair, of the routing."""
    content: dict[str, dict[str, str | int]]
    """Packed arrays. The form ``layers`` has ``ports``, by layer, switch, destination and place in the equal-cost
    group: the position of the channel plus 1; 0 means none. The form ``paths`` has ``counts`` (paths per pair),
    ``hops`` (per path) and ``ports`` (per hop: the position of the channel)."""

    @property
    def characters(self) -> int:
        """The size in a report."""
        return sum(len(str(part["content"])) for part in self.content.values())


def routes(routing: Routing, kept: int | None = None) -> Forwarding:
    """Return the forwarding of the first `kept` layers, or of the first `kept` paths of each pair; None: of all."""
    return _layers(routing, kept) if routing.num_paths is None else _paths(routing, kept)


def fitting(routings: Sequence[Routing], characters: int) -> list[Forwarding]:
    """Return the forwarding of several routings, in at most `characters` characters for all of them together.

    Each routing may use an equal part of the characters. What a small routing does not use, the other routings may use.
    If a routing is still too large, its last layers are left out, or the last paths of each pair.
    """
    whole = [routes(routing) for routing in routings]
    found = list(whole)
    left = characters
    order = sorted(range(len(whole)), key=lambda at: whole[at].characters)
    for done, at in enumerate(order):
        share = left // (len(order) - done)
        while found[at].characters > share and found[at].kept:
            fewer = found[at].kept * share // found[at].characters
            found[at] = routes(routings[at], min(found[at].kept - 1, fewer))
        left -= found[at].characters
    return found


def _layers(routing: Routing, kept: int | None) -> Forwarding:
    groups = routing.next_hop_groups
    count = len(groups) if kept is None else kept
    ports = local(routing.fabric, groups[:count]) + 1
    return Forwarding("layers", groups.shape[3], count, len(groups), {"ports": packed(ports)})


def _paths(routing: Routing, kept: int | None) -> Forwarding:
    switches = routing.fabric.num_switches
    columns = routing.path_columns()
    pair = columns.source.astype(np.int64) * switches + columns.destination
    # Paths are sorted by pair. The rank of a path counts the earlier paths of its pair.
    rank = np.arange(len(pair)) - np.searchsorted(pair, pair)
    hops = np.diff(columns.offsets)
    most = int(rank.max(initial=-1)) + 1
    count = most if kept is None else kept
    chosen = rank < count
    content = {
        "counts": packed(np.bincount(pair[chosen], minlength=switches * switches)),
        "hops": packed(hops[chosen]),
        "ports": packed(local(routing.fabric, columns.channels)[np.repeat(chosen, hops)]),
    }
    return Forwarding("paths", 1, count, most, content)


def local(fabric: Fabric, channels: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the position of channels among the channels of their source switches; −1 is not changed."""
    sources = fabric.channels[:, 0].astype(np.int64)
    position = np.arange(len(sources)) - np.searchsorted(sources, sources)
    return np.where(channels < 0, -1, position[channels])
