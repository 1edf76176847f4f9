"""The forwarding of a routing as compact arrays from which a report follows paths: next-hop tables or path sets.

Channels are given by their position among the channels of their source switch, because small numbers need less space.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.report_html.packing import packed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing


def routes(routing: Routing, characters: int) -> dict[str, Any]:
    """Return the forwarding of a routing, in at most this many characters.

    If not everything fits, the last layers, or the last paths of each pair, are left out: ``kept`` of ``of`` remain.

    The form ``layers`` has ``ports``, by layer, switch, destination and place in the group of equal cost: the position
    of the channel plus 1; 0 means none. The form ``paths`` has ``counts`` (paths per pair), ``hops`` (per path) and
    ``ports`` (per hop: the position of the channel).
    """
    return _layers(routing, characters) if routing.num_paths is None else _paths(routing, characters)


def _layers(routing: Routing, characters: int) -> dict[str, Any]:
    groups = routing.next_hop_groups
    ports = local(routing.fabric, groups) + 1
    kept, content = _fitting(len(ports), characters, lambda count: {"ports": packed(ports[:count])})
    return {"form": "layers", "width": int(groups.shape[3]), "kept": kept, "of": len(ports), **content}


def _paths(routing: Routing, characters: int) -> dict[str, Any]:
    switches = routing.fabric.num_switches
    columns = routing.path_columns()
    pair = columns.source.astype(np.int64) * switches + columns.destination
    # Paths are sorted by pair. The rank of a path counts the earlier paths of its pair.
    starts = np.searchsorted(pair, pair)
    rank = np.arange(len(pair)) - starts
    hops = np.diff(columns.offsets)
    ports = local(routing.fabric, columns.channels)
    of_path = np.repeat(rank, hops)

    def first(count: int) -> dict[str, Any]:
        chosen = rank < count
        return {
            "counts": packed(np.bincount(pair[chosen], minlength=switches * switches)),
            "hops": packed(hops[chosen]),
            "ports": packed(ports[of_path < count]),
        }

    most = int(rank.max(initial=0)) + 1
    kept, content = _fitting(most, characters, first)
    return {"form": "paths", "kept": kept, "of": most, **content}


def _fitting(most: int, characters: int, pack: Any) -> tuple[int, dict[str, Any]]:
    """Return the largest number of layers, or paths per pair, whose content fits, and this content."""
    kept = most
    while True:
        content = pack(kept)
        size = sum(len(part["content"]) for part in content.values())
        if size <= characters or kept == 0:
            return kept, content
        kept = min(kept - 1, kept * characters // size)


def local(fabric: Fabric, channels: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the position of channels among the channels of their source switches; −1 stays."""
    sources = fabric.channels[:, 0].astype(np.int64)
    position = np.arange(len(sources)) - np.searchsorted(sources, sources)
    return np.where(channels < 0, -1, position[channels])
