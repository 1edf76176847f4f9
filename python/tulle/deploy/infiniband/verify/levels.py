"""Check the service levels of path records, because the proof covers only hosts that use planned service levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.verify.difference import Check
from tulle.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.read.paths import PathLevels

# Maximum number of paths that are listed one by one.
_MOST = 20


def check_levels(verdict: Verdict, intent: Intent, read: PathLevels) -> NDArray[np.uint8]:
    """Compare path records with the plan; return their service levels, and planned service levels for all other paths.

    Raises
    ------
    tulle.InputError
        If no path record has LIDs of the plan.
    """
    sources, lids = read.sources.astype(np.int64), read.destinations.astype(np.int64)
    known = (sources <= intent.top) & (lids <= intent.top)
    known &= (intent.lid_switch[np.where(known, sources, 0)] >= 0) & (intent.lid_switch[np.where(known, lids, 0)] >= 0)
    if not known.any():
        raise InputError("no LID of the bundle is in the path records that were read; legal: the records of its subnet")
    switches, lids, has = intent.lid_switch[sources[known]], lids[known], read.levels[known]
    wanted = intent.levels[switches, lids]
    # Paths within a switch cannot be part of a cycle.
    inside = intent.lid_switch[lids] == switches
    equal = (has == wanted) | inside
    verdict.checks.append(Check("service levels of paths", int(np.count_nonzero(equal)), len(has)))
    zero = ~equal & (has == 0)
    at_zero = int(np.count_nonzero(zero))
    if zero.any():
        at = int(np.argmax(zero))
        path = f"{intent.fabric.labels[switches[at]]} to {intent.lid_name(int(lids[at]))}"
        verdict.add(
            "level-zero",
            f"{counted(at_zero, 'path')} {verb(at_zero, 'has', 'have')} service level 0, for example from {path}, "
            "expected "
            f"{wanted[at]}: hosts that use it void the proof of deadlock freedom: load the plug-in into "
            "OpenSM, and let MPI query path records",
            at_zero,
        )
    for at in np.flatnonzero(~equal & ~zero).tolist()[:_MOST]:
        path = f"{intent.fabric.labels[switches[at]]} to {intent.lid_name(int(lids[at]))}"
        text = f"the path from {path} has service level {has[at]}, expected {wanted[at]}"
        verdict.add("level", f"{text}: send SIGHUP to OpenSM")
    more = int(np.count_nonzero(~equal & ~zero)) - _MOST
    if more > 0:
        verdict.add(
            "level",
            f"{counted(more, 'further path')} {verb(more, 'has', 'have')} other service levels than planned: send "
            "SIGHUP to OpenSM",
            more,
        )
    levels = intent.levels.copy()
    levels[switches, lids] = has
    return levels
