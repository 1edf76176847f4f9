"""Name the hosts that failures cut off, and refuse repairs of a fabric that falls into parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted, listed, verb
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.deploy.infiniband.bundle import Bundle

__all__ = ["check_connected", "hosts_of"]


def hosts_of(bundle: Bundle, switches: Iterable[int]) -> tuple[str, ...]:
    """Return the names of hosts at these switches."""
    here = np.isin(bundle.fabric.endpoint_switch, np.array([*switches], np.int64))
    return tuple(bundle.fabric.endpoint_names[at] for at in np.flatnonzero(here))


def check_connected(bundle: Bundle, dead_switches: Iterable[int], dead_cables: Iterable[int]) -> None:
    """Check that the remaining switches are connected.

    A live file from the subnet manager's host has only the switches that this host reaches; all other switches count as
    failed. So this error occurs only if a live file has switches of several unconnected parts.

    Raises
    ------
    tulle.InputError
        If some switches are cut off from the largest part; the message names them and their hosts.
    """
    fabric, gone, dead = bundle.fabric, {*dead_switches}, {*dead_cables}
    near: dict[int, list[int]] = {at: [] for at in range(fabric.num_switches) if at not in gone}
    for cable, (a, b) in zip(fabric.cables.tolist(), fabric.edges.tolist(), strict=True):
        if cable not in dead and a in near and b in near:
            near[a].append(b)
            near[b].append(a)
    parts: list[list[int]] = []
    unseen = set(near)
    while unseen:
        part = [min(unseen)]
        unseen -= {*part}
        for at in part:
            found = sorted(unseen.intersection(near[at]))
            part += found
            unseen.difference_update(found)
        parts.append(part)
    if len(parts) < 2:
        return
    largest = max(parts, key=len)
    away = sorted(at for part in parts if part is not largest for at in part)
    hosts = hosts_of(bundle, away)
    with_hosts = f" with {counted(len(hosts), 'host')} ({listed(hosts)})" if hosts else ""
    switches = f"{counted(len(away), 'switch', 'switches')} ({listed([fabric.labels[at] for at in away])})"
    raise InputError(
        f"{switches}{with_hosts} {verb(len(away), 'is', 'are')} cut off, so no tables can reach them; legal: plug in "
        "a cable to them, or give a live file with only the switches that the subnet manager reaches"
    )
