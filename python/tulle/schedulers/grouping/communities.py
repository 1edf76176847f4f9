"""Find communities of switches: groups with more cables inside than a random network of the same degrees has.

The method is that of Blondel et al. (Fast unfolding of communities in large networks, 2008). Here it only proposes
groups, also for networks without known coordinates and levels. Measured throughput decides which groups are used.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A move must improve the modularity by more than rounding errors.
_LEAST = 1e-12
_ROUNDS = 50


def communities(channels: NDArray[np.int64], switches: int) -> list[NDArray[np.int64]]:
    """Return several partitions into communities, from small to large: the community of every switch.

    The result is the same for every run: switches are visited in the order of their ids.
    """
    links: list[dict[int, float]] = [defaultdict(float) for _ in range(switches)]
    for a, b in channels.tolist():
        links[a][b] += 1.0
    own = [0.0] * switches
    of = np.arange(switches)
    found: list[NDArray[np.int64]] = []
    while True:
        labels = _moved(links, own)
        merged, again = np.unique(labels, return_inverse=True)
        if len(merged) == len(links):
            return found
        of = again[of]
        found.append(of.copy())
        links, own = _joined(links, own, again.tolist(), len(merged))


def _moved(links: list[dict[int, float]], own: list[float]) -> list[int]:
    """Move every node to the neighbouring community that improves the modularity most.

    Repeat until no move helps, for at most `_ROUNDS` rounds.
    """
    degrees = [sum(of.values()) + inside for of, inside in zip(links, own, strict=True)]
    total = sum(degrees)
    label = list(range(len(links)))
    weight = degrees.copy()
    for _ in range(_ROUNDS):
        is_changed = False
        for node, of in enumerate(links):
            near: dict[int, float] = defaultdict(float)
            for other, count in of.items():
                near[label[other]] += count
            before = label[node]
            weight[before] -= degrees[node]
            gains = {at: count - weight[at] * degrees[node] / total for at, count in near.items()}
            best, gain = before, gains.get(before, -weight[before] * degrees[node] / total)
            for at in sorted(gains):
                if gains[at] > gain + _LEAST:
                    best, gain = at, gains[at]
            weight[best] += degrees[node]
            label[node] = best
            is_changed = is_changed or best != before
        if not is_changed:
            break
    return label


def _joined(
    links: list[dict[int, float]], own: list[float], of: list[int], count: int
) -> tuple[list[dict[int, float]], list[float]]:
    """Return the network whose nodes are the communities."""
    joined: list[dict[int, float]] = [defaultdict(float) for _ in range(count)]
    inside = [0.0] * count
    for node, at in enumerate(of):
        inside[at] += own[node]
        for other, weight in links[node].items():
            if of[other] == at:
                inside[at] += weight
            else:
                joined[at][of[other]] += weight
    return joined, inside
