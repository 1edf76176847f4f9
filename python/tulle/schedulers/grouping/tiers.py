"""Choose the tiers of a tree: nested groupings whose groups have the least throughput between them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tulle.schedulers.grouping.candidates import Grouping, numbered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from tulle.schedulers.grouping.measure import Measure

# Maximum number of pairs of groups that are measured: to choose tiers, and for the printed values.
_CHOICE_PAIRS, _FIGURE_PAIRS = 60, 500
# For the choice of tiers: the number of groups inside which throughput is measured, and of random groupings to compare.
_CHOICE_GROUPS, _DRAWS = 20, 3
# A tier is used if throughput between its groups is lower by at least `_LEAST_LOSS` (a fraction) than between random
# groups. If the difference is below `_EQUAL`, a tier is used if paths between its groups are longer than inside a group
# by at least `_LEAST_HOPS` hops.
_LEAST_LOSS, _EQUAL, _LEAST_HOPS = 0.1, 0.02, 1.0


class Pairs(NamedTuple):
    """Measured exchanges between groups that have the same parent."""

    total: int
    """The number of pairs of groups that have the same parent."""
    groups: NDArray[np.int64]
    """The numbers of the two groups of every measured pair, (pairs, 2)."""
    sustained: NDArray[np.float64]
    implied: NDArray[np.float64]
    hops: NDArray[np.float64]


class Worth(NamedTuple):
    """The measured reasons for a tier."""

    loss: float
    """The fraction by which throughput between two groups is lower than between two random groups of the same sizes."""
    hops: float
    """Mean hops between two groups, minus mean hops between two parts of a group."""
    is_sound: bool
    """Whether throughput inside a group is at least that inside a random group, and throughput between parts of a group
    at least that between groups; up to `_EQUAL` less is allowed. Otherwise, a scheduler that places a job in a single
    group makes the job slower."""

    @property
    def is_used(self) -> bool:
        """Whether the tier is used."""
        return self.is_sound and (self.loss >= _LEAST_LOSS or (abs(self.loss) < _EQUAL and self.hops >= _LEAST_HOPS))


def choose(measure: Measure, proposed: Sequence[Grouping], units: int, seed: int) -> list[Grouping]:
    """Return the chosen groupings from small to large groups, without single units and without the whole network.

    A grouping is used if its `Worth.is_used` is true. The grouping whose throughput between groups is lowest, compared
    with random groups, is chosen first. All chosen groupings are nested.
    """
    chain = _chain([], units)
    known: dict[tuple[bytes, ...], Worth] = {}

    def worth(below: Grouping, grouping: Grouping, above: Grouping) -> Worth:
        key = tuple(of.of.tobytes() for of in (below, grouping, above))
        if key not in known:
            known[key] = _worth(measure, below, grouping, above, np.random.default_rng(seed))
        return known[key]

    while True:
        best: tuple[Worth, int, Grouping] | None = None
        for candidate in proposed:
            for at, (below, above) in enumerate(pairwise(chain)):
                if not (below.is_finer(candidate) and candidate.is_finer(above)):
                    continue
                found = worth(below, candidate, above)
                # With the new tier, the conditions for the tiers above and below it must still hold.
                holds = (above is chain[-1] or worth(candidate, above, chain[at + 2]).is_used) and (
                    at == 0 or worth(chain[at - 1], below, candidate).is_used
                )
                if found.is_used and holds and (best is None or found > best[0]):
                    best = found, at, candidate
        if best is None:
            return chain[1:-1]
        chain.insert(best[1] + 1, best[2])


def _worth(
    measure: Measure, below: Grouping, grouping: Grouping, above: Grouping, random: np.random.Generator
) -> Worth:
    """Compare a grouping with random groupings, which swap the parts `below` only inside each larger group `above`."""
    drawn = [_shuffled(below, grouping, above, random) for _ in range(_DRAWS)]
    between = measured(measure, grouping, above, _CHOICE_PAIRS, random)
    others = [measured(measure, of, above, _CHOICE_PAIRS // _DRAWS, random).sustained for of in drawn]
    parts = measured(measure, below, grouping, _CHOICE_PAIRS, random)
    if not between.total or not parts.total:
        return Worth(0.0, 0.0, is_sound=False)
    around = np.mean([_inside(measure, of) for of in drawn])
    sustained, least = float(between.sustained.mean()), 1 - _EQUAL
    is_sound = _inside(measure, grouping) >= around * least and parts.sustained.mean() >= sustained * least
    loss = 1 - sustained / float(np.concatenate(others).mean())
    return Worth(round(loss, 2), float(between.hops.mean() - parts.hops.mean()), bool(is_sound))


def _inside(measure: Measure, grouping: Grouping) -> float:
    """Return the mean throughput inside groups, weighted by the number of units in each group."""
    members = grouping.members()[:_CHOICE_GROUPS]
    weights = [len(units) for units in members]
    return float(np.average([measure.inside(units) for units in members], weights=weights))


def _shuffled(below: Grouping, grouping: Grouping, above: Grouping, random: np.random.Generator) -> Grouping:
    """Return a random grouping: the parts `below` swap their groups, but only inside each larger group `above`."""
    first = [int(units[0]) for units in below.members()]
    labels, larger = grouping.of[first], above.of[first]
    for group in range(above.size):
        places = np.flatnonzero(larger == group)
        labels[places] = labels[random.permutation(places)]
    return numbered("random", labels[below.of])


def _chain(tiers: Sequence[Grouping], units: int) -> list[Grouping]:
    """Return the tiers with two more: single units below them, and the whole network above."""
    return [Grouping("leaf", np.arange(units)), *tiers, Grouping("root", np.zeros(units, dtype=np.int64))]


def measured(measure: Measure, parts: Grouping, parents: Grouping, most: int, random: np.random.Generator) -> Pairs:
    """Measure exchanges between two groups of the same parent, for at most `most` pairs, which are chosen at random."""
    members = parts.members()
    of_parent: list[list[int]] = [[] for _ in range(parents.size)]
    for group, units in enumerate(members):
        of_parent[int(parents.of[units[0]])].append(group)
    counts = np.array([len(groups) * (len(groups) - 1) // 2 for groups in of_parent])
    total = int(counts.sum())
    chosen = np.arange(total) if total <= most else np.sort(random.choice(total, most, replace=False))
    ends = np.cumsum(counts)
    rows = []
    for number in chosen.tolist():
        parent = int(np.searchsorted(ends, number, side="right"))
        rows.append(_pair(of_parent[parent], number - int(ends[parent] - counts[parent])))
    found = [measure.exchange(members[a], members[b]) for a, b in rows]
    columns = np.array(found, dtype=np.float64).reshape(-1, 3)
    return Pairs(total, np.array(rows, dtype=np.int64).reshape(-1, 2), *columns.T)


def figures(measure: Measure, tiers: Sequence[Grouping], units: int, seed: int) -> Iterator[tuple[Grouping, Pairs]]:
    """Yield every tier from the units to the largest groups, with the exchanges between groups of the same parent."""
    chain = _chain(tiers, units)
    for parts, parents in pairwise(chain):
        yield parts, measured(measure, parts, parents, _FIGURE_PAIRS, np.random.default_rng(seed))


def _pair(groups: list[int], number: int) -> tuple[int, int]:
    """Return a pair of groups by its number, from 0."""
    first = 0
    while number >= (more := len(groups) - 1 - first):
        number, first = number - more, first + 1
    return groups[first], groups[first + 1 + number]
