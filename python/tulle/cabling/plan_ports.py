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
    endpoints: Sequence[int],
    limit: int,
) -> list[tuple[int, int]]:
    """The port at either end of every cable, from 1.

    One number per remote rack on all switches of a rack, where none then needs more than `limit` ports; else ports
    follow each other without gaps.

    Parameters
    ----------
    edges, steps
        The two switches of every cable, and its step.
    racks, endpoints
        Per switch: the rack, and how many endpoints it has.
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
    blocks: dict[int, Counter[int]] = defaultdict(Counter)
    base: Counter[int] = Counter()
    for switch, of in ends.items():
        counts = Counter(end[1] for end in of if end[0] == BETWEEN)
        blocks[racks[switch]] |= counts
        base[racks[switch]] = max(base[racks[switch]], inside[switch])
    starts: dict[int, dict[int, int]] = {}
    for rack, sizes in blocks.items():
        if base[rack] + sizes.total() <= limit:
            at, starts[rack] = base[rack], {}
            for remote in sorted(sizes):
                starts[rack][remote] = at
                at += sizes[remote]
    found = [[0, 0] for _ in edges]
    for switch, of in ends.items():
        number, aligned = endpoints[switch], starts.get(racks[switch])
        used: Counter[int] = Counter()
        for step, remote, _, row, side in sorted(of):
            if step == BETWEEN and aligned is not None:
                found[row][side] = aligned[remote] + used[remote] + 1
                used[remote] += 1
            else:
                number += 1
                found[row][side] = number
    return [(a, b) for a, b in found]
