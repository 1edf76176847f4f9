"""Check for cycles in the channel dependencies of the tables, lanes and service levels that were read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.states import cycle_words, entry_ports, sent
from tulle.deploy.infiniband.unasked import read_unasked
from tulle.deploy.infiniband.verify.difference import Check
from tulle.deploy.reach import in_cycles, one_cycle, reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.deploy.infiniband.causes import Causes
    from tulle.deploy.infiniband.intent import Intent, Lanes
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.reach import Dependencies, Wires


def check_cycles(
    verdict: Verdict,
    intent: Intent,
    ports: NDArray[np.uint8],
    lanes: Lanes,
    levels: NDArray[np.uint8],
    wires: Wires,
    causes: Causes,
) -> None:
    """Check the channel dependencies of all paths.

    If some path records wrongly have service level 0, also check the case that all hosts use it. Hosts that have not
    queried path records since a repair under traffic may use older service levels, which are included.
    """
    unasked = read_unasked(intent)
    if unasked.any():
        count = int(np.count_nonzero(unasked))
        verdict.notes.append(
            f"{counted(count, 'path record')} changed in a repair under traffic: the check assumes that hosts use both "
            "the old and the new service levels of these records"
        )

    def waits(levels: NDArray[np.uint8]) -> Dependencies:
        maps = (lanes.switches,)
        sending = sent(intent, levels)
        sending |= np.where(sending != 0, unasked, 0).astype(np.uint16)
        return reach(wires, (ports,), sending, maps, entry_ports(intent, maps))

    found = waits(levels)
    left, used = in_cycles(found.pairs), len(np.unique(found.pairs))
    verdict.checks.append(Check("virtual lanes that are in no dependency cycle", used - len(left), used))
    if found.unknown:
        verdict.notes.append(f"the lanes of {found.unknown} hops are unknown: cycles through them are not checked")
    if len(found.foreign):
        verdict.notes.append(
            f"{counted(len(found.foreign), 'port')} {verb(len(found.foreign), 'leads', 'lead')} to switches that are "
            "not planned: cycles through these switches are not checked"
        )
    if len(left):
        verdict.add(
            "credit-loop",
            f"{counted(len(left), 'lane')} of links can deadlock; "
            f"{cycle_words(intent, one_cycle(found.pairs, left))}: {stop_traffic(verdict, causes)}",
        )
    if not any(difference.kind == "level-zero" for difference in verdict.differences):
        return
    found = waits(np.zeros_like(levels))
    if len(left := in_cycles(found.pairs)):
        verdict.notes.append(
            f"with all hosts on service level 0, {counted(len(left), 'lane')} of links can deadlock; "
            f"{cycle_words(intent, one_cycle(found.pairs, left))}"
        )


def stop_traffic(verdict: Verdict, causes: Causes) -> str:
    """Return the instruction for a deadlock. If cables are wrong, tables are loaded only if they differ too."""
    load = "load the bundle's tables and service levels"
    if not (how := causes.cabling_advice):
        return f"stop traffic, and {load}"
    differs = any(difference.kind in ("table", "lane", "level") for difference in verdict.differences)
    return f"stop traffic; {how}{f', then {load}' if differs else ''}"
