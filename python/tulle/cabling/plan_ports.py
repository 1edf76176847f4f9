"""Numbers of ports: endpoints first, then cables inside racks and groups, then those to the other groups by rack."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# The first step whose cables go from group to group.
BETWEEN = 3


def number_ports(
    edges: Sequence[tuple[int, int]],
    steps: Sequence[int],
    racks: Sequence[int],
    groups: Sequence[int],
    endpoints: Sequence[int],
    limit: int,
) -> list[tuple[int, int]]:
    """The port at either end of every cable, from 1.

    One number per remote rack on all switches of a rack, or per remote group of racks, where none then needs more than
    `limit` ports; else ports follow each other without gaps.

    Parameters
    ----------
    edges, steps
        The two switches of every cable, and its step.
    racks, groups, endpoints
        Per switch: the rack, the group of racks, and how many endpoints it has.
    limit
        The ports of a switch.
    """
    ends: dict[int, list[tuple[int, int, int, int, int]]] = defaultdict(list)
    for row, (a, b) in enumerate(edges):
        for side, here, there in ((0, a, b), (1, b, a)):
            # Inside a group the order of switches tells more than that of racks.
            remote = racks[there] if steps[row] == BETWEEN else 0
            ends[here].append((steps[row], remote, there, row, side))
    inside = {switch: endpoints[switch] + sum(end[0] < BETWEEN for end in of) for switch, of in ends.items()}
    # What a rack's numbers go by, and where each begins.
    starts: dict[int, tuple[Sequence[int], dict[int, int]]] = {}
    for remotes in (groups, racks):
        starts |= {rack: (remotes, at) for rack, at in _starts(ends, inside, racks, remotes, limit).items()}
    found = [[0, 0] for _ in edges]
    for switch, of in ends.items():
        number = endpoints[switch]
        remotes, aligned = starts.get(racks[switch], (racks, {}))
        used: Counter[int] = Counter()
        for step, _, there, row, side in sorted(of):
            remote = remotes[there]
            if step == BETWEEN and aligned:
                used[remote] += 1
                found[row][side] = aligned[remote] + used[remote]
            else:
                number += 1
                found[row][side] = number
    return [(a, b) for a, b in found]


def _starts(
    ends: dict[int, list[tuple[int, int, int, int, int]]],
    inside: dict[int, int],
    racks: Sequence[int],
    remotes: Sequence[int],
    limit: int,
) -> dict[int, dict[int, int]]:
    """The last port before those for every remote, of racks whose switches can all have the same."""
    blocks: dict[int, Counter[int]] = defaultdict(Counter)
    base: Counter[int] = Counter()
    for switch, of in ends.items():
        rack = racks[switch]
        blocks[rack] |= Counter(remotes[end[2]] for end in of if end[0] == BETWEEN)
        base[rack] = max(base[rack], inside[switch])
    found: dict[int, dict[int, int]] = {}
    for rack, sizes in blocks.items():
        at = base[rack]
        if at + sum(sizes.values()) <= limit:
            found[rack] = {}
            for remote in sorted(sizes):
                found[rack][remote] = at
                at += sizes[remote]
    return found
