"""Whether lanes of links can wait for each other in a circle, by tables, lanes and service levels that were read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle.deploy.infiniband.intent import NO_LANE
from tulle.deploy.infiniband.verify.difference import Check
from tulle.deploy.read.lfts import NO_PORT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tulle.deploy.infiniband.intent import Intent, Lanes, Links
    from tulle.deploy.infiniband.verify.difference import Verdict

_MOST_HOPS = 64
_LANES = 16


def check_circles(
    verdict: Verdict,
    intent: Intent,
    ports: NDArray[np.uint8],
    lanes: Lanes,
    levels: NDArray[np.uint8],
    links: Links,
) -> None:
    """Follows every path lane by lane; as a second case, with all hosts on service level 0 where some are seen."""
    waits, unknown = _waits(intent, ports, lanes, levels, links)
    left, used = _left(waits), len(np.unique(waits))
    verdict.checks.append(Check("lanes of links that wait in no circle", used - len(left), used))
    if unknown:
        verdict.notes.append(f"{unknown} hops have no known lane: circles there are not looked for")
    if len(left):
        verdict.add(
            "credit-loop",
            f"{len(left)} lanes of links can wait in circles, as {_circle(intent, waits, left)}: {_STOP}",
        )
    if not any(difference.kind == "level-zero" for difference in verdict.differences):
        return
    waits, _ = _waits(intent, ports, lanes, np.zeros_like(levels), links)
    if len(left := _left(waits)):
        verdict.notes.append(
            f"with all hosts on service level 0, {len(left)} lanes of links can wait in circles, as "
            f"{_circle(intent, waits, left)}"
        )


_STOP = "stop traffic, and load the bundle's tables and service levels"


def _waits(
    intent: Intent, ports: NDArray[np.uint8], lanes: Lanes, levels: NDArray[np.uint8], links: Links
) -> tuple[NDArray[np.int64], int]:
    """Pairs of lanes of links, the first held while the second is waited for; and the hops whose lane is not known."""
    found: list[NDArray[np.int64]] = [np.zeros((0, 2), np.int64)]
    unknown = 0
    all_lids = np.flatnonzero(intent.lid_endpoint >= 0)
    for source, first in _sources(lanes, links):
        lids = all_lids[intent.lid_switch[all_lids] != source]
        level = levels[source, lids]
        at, came = np.full(len(lids), source), np.full(len(lids), first)
        held = np.full(len(lids), -1, np.int64)
        for _ in range(_MOST_HOPS):
            out = ports[at, lids].astype(np.int64)
            known = (out != NO_PORT) & (out < intent.num_ports)
            onward = np.where(known, links.to[at, np.where(known, out, 0)], -1)
            go = onward >= 0
            at, came, out, lids, level, held, onward = (
                column[go] for column in (at, came, out, lids, level, held, onward)
            )
            if not len(at):
                break
            lane = lanes.switches[at, came, out, level].astype(np.int64)
            told = lane != NO_LANE
            unknown += int(np.count_nonzero(~told))
            now = np.where(told, (at * intent.num_ports + out) * _LANES + lane, -1)
            pair = (held >= 0) & told
            found.append(np.stack((held[pair], now[pair]), axis=1))
            came = links.port[at, out].astype(np.int64)
            held, at = now, onward.astype(np.int64)
        if len(found) > _TOGETHER:
            found = [_unique(found)]
    return _unique(found), unknown


# Parts that are made one.
_TOGETHER = 64


def _unique(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    whole = np.concatenate(parts)
    span = int(whole.max(initial=0)) + 1
    keys = np.unique(whole[:, 0] * span + whole[:, 1])
    return np.stack((keys // span, keys % span), axis=1)


def _sources(lanes: Lanes, links: Links) -> Iterator[tuple[int, int]]:
    """Switches with hosts and an in-port of every group of them whose rows are the same."""
    network = links.to >= 0
    for switch in np.flatnonzero((links.endpoint >= 0).any(axis=1)).tolist():
        seen = set()
        for port in np.flatnonzero(links.endpoint[switch] >= 0).tolist():
            rows = lanes.switches[switch, port][network[switch]]
            if (key := rows.tobytes()) not in seen:
                seen.add(key)
                yield switch, port


def _left(waits: NDArray[np.int64]) -> NDArray[np.int64]:
    """The lanes that stay when those that nothing is waited for by are taken away, again and again."""
    nodes, flat = np.unique(waits, return_inverse=True)
    held, wanted = flat.reshape(-1, 2).T
    order = np.argsort(held, kind="stable")
    starts = np.searchsorted(held[order], np.arange(len(nodes) + 1))
    indegree = np.bincount(wanted, minlength=len(nodes))
    gone = np.zeros(len(nodes), np.bool_)
    front = np.flatnonzero(indegree == 0)
    while len(front):
        gone[front] = True
        parts = [order[starts[node] : starts[node + 1]] for node in front.tolist()]
        after = wanted[np.concatenate(parts)]
        np.subtract.at(indegree, after, 1)
        after = np.unique(after)
        front = after[(indegree[after] == 0) & ~gone[after]]
    return nodes[~gone]


def _circle(intent: Intent, waits: NDArray[np.int64], left: NDArray[np.int64]) -> str:
    """A circle among the lanes that are left."""
    inside = waits[np.isin(waits[:, 0], left) & np.isin(waits[:, 1], left)]
    # Whatever is left has one that holds it and waits: backward, one comes around.
    before = {int(wanted): int(held) for held, wanted in inside[::-1]}
    trail, at = [], int(left[0])
    while at not in trail:
        trail.append(at)
        at = before[at]
    circle = trail[trail.index(at) :][::-1]
    words = []
    for node in circle[:6]:
        switch, port = divmod(node // _LANES, intent.num_ports)
        words.append(f"{intent.fabric.labels[switch]} port {port} VL {node % _LANES}")
    more = f" and {len(circle) - 6} more" if len(circle) > 6 else ""
    return ", ".join(words) + more
