"""SL-to-VL tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.deploy.infiniband.intent import LEVELS, NO_LANE, Lanes
from tulle.deploy.infiniband.verify.difference import Check
from tulle.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.deploy.infiniband.intent import Intent, Links
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.read.sl2vl import Sl2vl


def check_lanes(verdict: Verdict, intent: Intent, read: Sl2vl, links: Links) -> Lanes:
    """Compares the rows that were read; the lanes as they are, as planned where no row was read.

    Raises
    ------
    tulle.InputError
        Where the rows are of other nodes.
    """
    lanes, wanted = Lanes.of(intent, read), intent.lanes
    if (lanes.switches == NO_LANE).all() and (lanes.adapters == NO_LANE).all():
        raise InputError("no node of the bundle is in the SL-to-VL tables that were read; legal: those of its subnet")
    named, has = (wanted.switches != NO_LANE).all(axis=3), (lanes.switches != NO_LANE).all(axis=3)
    equal = (lanes.switches == wanted.switches).all(axis=3)
    verdict.checks.append(_check("SL-to-VL rows of switches", equal, named & has))
    for switch in np.flatnonzero((named & has & ~equal).any(axis=(1, 2))).tolist():
        places = np.argwhere(named[switch] & has[switch] & ~equal[switch])
        in_port, out_port = places[0].tolist()
        rows = lanes.switches[switch, in_port, out_port], wanted.switches[switch, in_port, out_port]
        where = f"from port {in_port} to port {out_port} {_first(*rows)}"
        text = f"{len(places)} SL-to-VL rows are others than planned, as {where}: {_HOW}"
        verdict.add("lane", f"switch {intent.switch_name(switch)}: {text}", len(places))
    named, has = (wanted.adapters != NO_LANE).all(axis=1), (lanes.adapters != NO_LANE).all(axis=1)
    equal = (lanes.adapters == wanted.adapters).all(axis=1)
    verdict.checks.append(_check("SL-to-VL rows of hosts", equal, named & has))
    for endpoint in np.flatnonzero(named & has & ~equal).tolist():
        where = _first(lanes.adapters[endpoint], wanted.adapters[endpoint])
        text = f"its SL-to-VL table is another one than planned, {where}: {_HOW}"
        verdict.add("lane", f"host {intent.endpoint_name(endpoint)}: {text}")
    # Rows of links that are there.
    linked = (links.to >= 0) | (links.endpoint >= 0)
    unread = (wanted.switches != NO_LANE).all(axis=3) & (lanes.switches == NO_LANE).any(axis=3) & linked[:, None, :]
    unread[:, 1:] &= linked[:, 1:, None]
    if unread.any():
        verdict.notes.append(f"{np.count_nonzero(unread)} SL-to-VL rows were not read, and are taken as planned")
    return Lanes(
        np.where(lanes.switches == NO_LANE, wanted.switches, lanes.switches),
        np.where(lanes.adapters == NO_LANE, wanted.adapters, lanes.adapters),
        lanes.unknown,
    )


_HOW = "is the plugin loaded, and qos TRUE? send SIGHUP to OpenSM, and see its log for tulle_sl2vl"


def _check(what: str, equal: NDArray[np.bool_], compared: NDArray[np.bool_]) -> Check:
    return Check(what, int(np.count_nonzero(equal & compared)), int(np.count_nonzero(compared)))


def _first(has: NDArray[np.uint8], wanted: NDArray[np.uint8]) -> str:
    level = next(level for level in range(LEVELS) if has[level] != wanted[level])
    return f"SL {level} on VL {has[level]} instead of VL {wanted[level]}"
