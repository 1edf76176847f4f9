"""Whether lanes of links can wait for each other in a circle, by tables, lanes and service levels that were read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.states import circle_words, entry_ports, sent
from tulle.deploy.infiniband.unasked import read_unasked
from tulle.deploy.infiniband.verify.difference import Check
from tulle.deploy.reach import in_circles, one_circle, reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.deploy.infiniband.intent import Intent, Lanes
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.reach import Waits, Wires


def check_circles(
    verdict: Verdict,
    intent: Intent,
    ports: NDArray[np.uint8],
    lanes: Lanes,
    levels: NDArray[np.uint8],
    wires: Wires,
) -> None:
    """Follows every path lane by lane; as a second case, with all hosts on service level 0 where some are seen.

    Hosts that have not asked since a repair in traffic may be on older service levels; these are followed, too.
    """
    unasked = read_unasked(intent)
    if unasked.any():
        count = int(np.count_nonzero(unasked))
        verdict.notes.append(
            f"{counted(count, 'path record')} changed in a repair in traffic: hosts that have not asked again "
            "are taken to use old and new service levels"
        )

    def waits(levels: NDArray[np.uint8]) -> Waits:
        maps = (lanes.switches,)
        sending = sent(intent, levels)
        sending |= np.where(sending != 0, unasked, 0).astype(np.uint16)
        return reach(wires, (ports,), sending, maps, entry_ports(intent, maps))

    found = waits(levels)
    left, used = in_circles(found.pairs), len(np.unique(found.pairs))
    verdict.checks.append(Check("lanes of links that wait in no circle", used - len(left), used))
    if found.unknown:
        verdict.notes.append(f"{found.unknown} hops have no known lane: circles there are not looked for")
    if len(found.strange):
        verdict.notes.append(
            f"{counted(len(found.strange), 'port')} {verb(len(found.strange), 'leads', 'lead')} to switches that are "
            "not planned: circles there are not looked for"
        )
    if len(left):
        verdict.add(
            "credit-loop",
            f"{counted(len(left), 'lane')} of links can wait in circles, as "
            f"{circle_words(intent, one_circle(found.pairs, left))}: {_STOP}",
        )
    if not any(difference.kind == "level-zero" for difference in verdict.differences):
        return
    found = waits(np.zeros_like(levels))
    if len(left := in_circles(found.pairs)):
        verdict.notes.append(
            f"with all hosts on service level 0, {counted(len(left), 'lane')} of links can wait in circles, as "
            f"{circle_words(intent, one_circle(found.pairs, left))}"
        )


_STOP = "stop traffic, and load the bundle's tables and service levels"
