"""Number the ports of switches: first endpoints, then cables inside racks and groups, then cables to other groups."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

# The step of cables between groups.
BETWEEN = 3


def number_ports(
    edges: Sequence[tuple[int, int]],
    steps: Sequence[int],
    racks: Sequence[int],
    groups: Sequence[int],
    endpoints: Sequence[int],
    limit: int,
) -> list[tuple[int, int]]:
    """Return the port numbers at both ends of every cable. Numbers start at 1.

    If possible, all switches of a rack use the same port numbers for a remote rack, or for a remote group of racks.
    This may leave gaps. If a switch would then need more than `limit` ports, the rack's ports are numbered without
    gaps.

    Parameters
    ----------
    edges, steps
        The two switches of every cable, and the step of every cable.
    racks, groups, endpoints
        The rack, the group of racks, and the number of endpoints of every switch.
    limit
        The number of ports of a switch.
    """
    ends: dict[int, list[tuple[int, int, int, int, int]]] = defaultdict(list)
    for row, (a, b) in enumerate(edges):
        for side, here, there in ((0, a, b), (1, b, a)):
            # Cables inside a group of racks are sorted by remote switch. Other cables are sorted by remote rack first.
            remote = racks[there] if steps[row] == BETWEEN else 0
            ends[here].append((steps[row], remote, there, row, side))
    inside = {switch: endpoints[switch] + sum(end[0] < BETWEEN for end in of) for switch, of in ends.items()}
    # Rack -> the racks or the groups by which its port numbers are aligned, and the port offset of each of them.
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


def first_ports(switches: Iterable[int]) -> list[int]:
    """Return the port number of every endpoint at its switch in `switches`. Numbers start at 1 on every switch."""
    taken: Counter[int] = Counter()
    ports = []
    for switch in switches:
        taken[switch] += 1
        ports.append(taken[switch])
    return ports


def name_ports(
    switches: Sequence[int], numbers: Sequence[int], given: Sequence[str], pattern: str, limits: Sequence[int]
) -> list[str]:
    """Return the name of every port: the given name, or `pattern` with the port's number.

    If another port of the switch has that name, the port gets the next free number. If the switch has too few ports
    for that, its ports get the smallest free numbers. The order of ports stays the same.

    Parameters
    ----------
    switches, numbers, given
        The switch, the number and the given name of every port; the name is empty if none is given.
    pattern
        The pattern of names, with ``{}`` for the number.
    limits
        The number of ports of every switch, 0 if it is unknown; empty if it is unknown for all switches.
    """
    taken: dict[int, set[str]] = defaultdict(set)
    unnamed: dict[int, list[int]] = defaultdict(list)
    for row, (switch, name) in enumerate(zip(switches, given, strict=True)):
        if name:
            taken[switch].add(name)
        else:
            unnamed[switch].append(row)
    names = [*given]
    for switch, rows in unnamed.items():
        rows.sort(key=numbers.__getitem__)
        found = _free([numbers[row] for row in rows], taken[switch], pattern)
        if limits and 0 < limits[switch] < found[-1]:
            found = _free([1] * len(rows), taken[switch], pattern)
        for row, number in zip(rows, found, strict=True):
            names[row] = pattern.replace("{}", str(number))
    return names


def _free(wanted: Iterable[int], taken: Container[str], pattern: str) -> list[int]:
    """Return numbers in ascending order, each at least the wanted one, whose names are not taken."""
    found: list[int] = []
    for least in wanted:
        number = max(least, found[-1] + 1 if found else 1)
        while pattern.replace("{}", str(number)) in taken:
            number += 1
        found.append(number)
    return found


def _starts(
    ends: dict[int, list[tuple[int, int, int, int, int]]],
    inside: dict[int, int],
    racks: Sequence[int],
    remotes: Sequence[int],
    limit: int,
) -> dict[int, dict[int, int]]:
    """Return the port offset of every remote rack or group, for each rack whose switches all have enough ports.

    All switches of such a rack use the same offsets. The result does not contain other racks.
    """
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
