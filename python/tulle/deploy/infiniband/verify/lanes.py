"""Check SL-to-VL tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import are, counted, verb
from tulle.deploy.infiniband.intent import LEVELS, NO_LANE, Lanes
from tulle.deploy.infiniband.verify.difference import Check
from tulle.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.deploy.infiniband.intent import Intent, Links
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.read.sl2vl import Sl2vl


def check_lanes(verdict: Verdict, intent: Intent, read: Sl2vl, links: Links) -> Lanes:
    """Compare SL-to-VL rows with the plan; return the actual lanes, and planned lanes for rows that were not read.

    Raises
    ------
    tulle.InputError
        If no row belongs to a node of the bundle.
    """
    lanes, wanted = Lanes.of(intent, read), intent.lanes
    _check_whole(intent, read)
    if (lanes.switches == NO_LANE).all() and (lanes.adapters == NO_LANE).all():
        raise InputError(
            "no node of the bundle is in the SL-to-VL tables that were read; legal: the tables of its subnet"
        )
    named, has = (wanted.switches != NO_LANE).all(axis=3), (lanes.switches != NO_LANE).all(axis=3)
    equal = (lanes.switches == wanted.switches).all(axis=3)
    verdict.checks.append(_check("SL-to-VL rows of switches", equal, named & has))
    for switch in np.flatnonzero((named & has & ~equal).any(axis=(1, 2))).tolist():
        places = np.argwhere(named[switch] & has[switch] & ~equal[switch])
        in_port, out_port = places[0].tolist()
        rows = lanes.switches[switch, in_port, out_port], wanted.switches[switch, in_port, out_port]
        where = f"from port {in_port} to port {out_port} {_first(*rows)}"
        differing = f"{counted(len(places), 'SL-to-VL row')} {verb(len(places), 'differs', 'differ')}"
        text = f"{differing} from the plan, for example {where}: {_HOW}"
        verdict.add("lane", f"switch {intent.switch_name(switch)}: {text}", len(places))
    named, has = (wanted.adapters != NO_LANE).all(axis=1), (lanes.adapters != NO_LANE).all(axis=1)
    equal = (lanes.adapters == wanted.adapters).all(axis=1)
    verdict.checks.append(_check("SL-to-VL rows of hosts", equal, named & has))
    for endpoint in np.flatnonzero(named & has & ~equal).tolist():
        where = _first(lanes.adapters[endpoint], wanted.adapters[endpoint])
        text = f"its SL-to-VL table differs from the plan, {where}: {_HOW}"
        verdict.add("lane", f"host {intent.endpoint_name(endpoint)}: {text}")
    # Only rows of ports with links can be missing.
    linked = (links.to >= 0) | (links.endpoint >= 0)
    unread = (wanted.switches != NO_LANE).all(axis=3) & (lanes.switches == NO_LANE).any(axis=3) & linked[:, None, :]
    unread[:, 1:] &= linked[:, 1:, None]
    if unread.any() and _dumped(read).any():
        # A dump has all nodes that OpenSM knows, so missing rows are errors.
        for switch in np.flatnonzero(unread.any(axis=(1, 2))).tolist():
            count = int(np.count_nonzero(unread[switch]))
            text = (
                f"{are(count, 'SL-to-VL row')} missing in the dump: make a complete dump, or check that OpenSM reaches "
                "the switch"
            )
            verdict.add("lane", f"switch {intent.switch_name(switch)}: {text}", count)
    elif unread.any():
        count = int(np.count_nonzero(unread))
        unknown = f"{counted(count, 'SL-to-VL row')} {verb(count, 'was', 'were')} not read"
        verdict.notes.append(f"{unknown}, and {verb(count, 'is', 'are')} assumed as planned")
    return Lanes(
        np.where(lanes.switches == NO_LANE, wanted.switches, lanes.switches),
        np.where(lanes.adapters == NO_LANE, wanted.adapters, lanes.adapters),
        lanes.unknown,
    )


def _dumped(read: Sl2vl) -> NDArray[np.bool_]:
    """Find the rows that come from OpenSM's dump, which have both a GUID and a LID."""
    dumped: NDArray[np.bool_] = (read.guids != 0) & (read.lids != 0)
    return dumped


def _check_whole(intent: Intent, read: Sl2vl) -> None:
    """Check that OpenSM's dump has a row for every pair of ports of each switch.

    Raises
    ------
    tulle.InputError
        If rows are missing, because the dump is cut off.
    """
    dumped = _dumped(read)
    size = 1 + int(max(read.in_ports.max(initial=0), read.out_ports.max(initial=0)))
    for guid in np.unique(read.guids[dumped]).tolist():
        if guid not in intent.switch_of:
            continue
        rows = dumped & (read.guids == guid)
        has = np.zeros((size, size), np.bool_)
        has[read.in_ports[rows], read.out_ports[rows]] = True
        # OpenSM may omit rows from a port back to itself.
        has[np.arange(size), np.arange(size)] = True
        ins, outs = np.unique(read.in_ports[rows]), np.unique(read.out_ports[rows])
        lacks = np.argwhere(~has[np.ix_(ins, outs)])
        if len(lacks):
            in_port, out_port = ins[lacks[0, 0]], outs[lacks[0, 1]]
            raise InputError(
                f"the SL-to-VL tables are cut off: switch {intent.switch_name(intent.switch_of[guid])} has no row from "
                f"port {in_port} to port {out_port}; legal: a complete opensm-sl2vl.dump"
            )


_HOW = "check that the plug-in is loaded and qos is TRUE, send SIGHUP to OpenSM, and look for tulle_sl2vl in its log"


def _check(what: str, equal: NDArray[np.bool_], compared: NDArray[np.bool_]) -> Check:
    return Check(what, int(np.count_nonzero(equal & compared)), int(np.count_nonzero(compared)))


def _first(has: NDArray[np.uint8], wanted: NDArray[np.uint8]) -> str:
    level = next(level for level in range(LEVELS) if has[level] != wanted[level])
    return f"SL {level} on VL {has[level]} instead of VL {wanted[level]}"
