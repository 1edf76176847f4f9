"""Check forwarding tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.causes import BIND
from tulle.deploy.infiniband.verify.difference import Check
from tulle.deploy.read.lfts import NO_PORT
from tulle.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.deploy.infiniband.causes import Causes
    from tulle.deploy.infiniband.intent import Intent, Links
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.read.lfts import Lfts


def check_tables(verdict: Verdict, intent: Intent, read: Lfts, links: Links, causes: Causes) -> NDArray[np.uint8]:
    """Compare forwarding tables with the plan, and return the actual ports by switch and LID.

    Entries of unplanned LIDs are ignored, because nothing is sent to these LIDs. Switches that are missing in the
    subnet are ignored too.

    Raises
    ------
    tulle.InputError
        If no table belongs to a switch of the bundle.
    """
    there = np.isin(np.array(intent.switch_guids, np.uint64), read.guids)
    if not there.any():
        raise InputError(
            "no switch of the bundle is in the forwarding tables that were read; legal: the tables of its subnet"
        )
    ports = intent.by_switch(read.guids, read.ports)
    used = intent.lid_switch >= 0
    gone = (links.to < 0).all(axis=1) & (links.endpoint < 0).all(axis=1) & ~there
    compared = ~gone[:, None] & used[None, :] & (intent.ports != NO_PORT)
    equal = ports == intent.ports
    verdict.checks.append(
        Check("LFT entries", int(np.count_nonzero(equal & compared)), int(np.count_nonzero(compared)))
    )
    # Also compare entries that are not planned.
    compared |= ~gone[:, None] & used[None, :] & (ports != NO_PORT)
    guids = {one.old[0] for one in causes.replaced}
    addresses = [*intent.bundle.switch_addresses, *intent.bundle.endpoint_addresses]
    replaced = [address[2] + at for address in addresses if address[0] in guids for at in range(1 << address[3])]
    for switch in np.flatnonzero((~equal & compared).any(axis=1)).tolist():
        name = f"switch {intent.switch_name(switch)}"
        lids = np.flatnonzero(~equal[switch] & compared[switch])
        if not there[switch]:
            verdict.add(
                "table", f"{name}: its table was not read: dump it, or check that OpenSM reaches the switch", len(lids)
            )
            continue
        lid = int(lids[0])
        has, wanted = (
            "to no port" if port == NO_PORT else f"to port {port}"
            for port in (ports[switch, lid], intent.ports[switch, lid])
        )
        example = f"{intent.lid_name(lid)} {has} instead of {wanted}"
        wrong = f"{counted(len(lids), 'LID')} {verb(len(lids), 'is', 'are')} not forwarded as planned"
        text = f"{wrong}, for example {example}"
        # OpenSM may remove the LIDs of a node with a new GUID.
        is_replaced = bool(np.isin(lids, replaced).all())
        how = BIND if is_replaced else "send SIGHUP to OpenSM, and look for tulle_sl2vl in its log"
        verdict.add("table", f"{name}: {text}: {how}", len(lids))
    return ports
