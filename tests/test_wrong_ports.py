"""Check the search for exchanged cables, with random cablings."""

from __future__ import annotations

import random

import pytest

from tulle.deploy.wrong_ports import find_wrong_ports

End = tuple[str, str]


def planned_cables(rng: random.Random, switches: int, ports: int) -> list[tuple[End, End]]:
    """Return cables between random ports of different switches, and some to hosts."""
    ends = [(f"switch s{switch}", str(port)) for switch in range(switches) for port in range(1, ports + 1)]
    rng.shuffle(ends)
    pairs = [pair for pair in zip(ends[::2], ends[1::2], strict=False) if pair[0][0] != pair[1][0]]
    hosts = [(end, (f"host {number}", "")) for number, (end, _) in enumerate(pairs[: len(pairs) // 4])]
    return hosts + pairs[len(pairs) // 4 :]


@pytest.mark.parametrize("seed", range(40))
def test_every_exchanged_cable_is_in_one_move(seed: int) -> None:
    rng = random.Random(seed)
    planned = planned_cables(rng, rng.randrange(4, 12), rng.randrange(4, 12))
    count = rng.randrange(1, 6)
    rows = rng.sample(range(len(planned)), count)
    plugs = [planned[row][0] for row in rows]
    turned = plugs[1:] + plugs[:1]
    actual = [(plug, planned[row][1]) for plug, row in zip(turned, rows, strict=True)]
    actual += [pair for row, pair in enumerate(planned) if row not in rows]
    found = find_wrong_ports(planned, actual)
    assert (found.missing, found.extra) == ((), ())
    moved = sorted(row for move in found.moves for row in move.cables)
    assert moved == (sorted(rows) if count > 1 else [])


@pytest.mark.parametrize("seed", range(20))
def test_missing_and_unplanned_cables_are_no_moves(seed: int) -> None:
    rng = random.Random(seed)
    planned = planned_cables(rng, 8, 8)
    gone = rng.sample(range(len(planned)), 3)
    unplanned = (("switch s0", "90"), ("switch s1", "90"))
    found = find_wrong_ports(planned, [pair for row, pair in enumerate(planned) if row not in gone] + [unplanned])
    assert (found.moves, found.missing, found.extra) == ((), tuple(sorted(gone)), (unplanned,))


def test_contradictions_are_left_out() -> None:
    a, b, c, d = ((f"switch {name}", "1") for name in "abcd")
    found = find_wrong_ports([(a, b), (c, d)], [(a, d), (b, d), (b, c)])
    assert found.moves == ()
    assert found.missing == (0, 1)
