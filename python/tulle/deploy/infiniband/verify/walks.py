"""Follow every path that hosts may use, hop by hop through tables and links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.verify.difference import Check
from tulle.deploy.infiniband.wiring import unplug
from tulle.deploy.read.lfts import NO_PORT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.infiniband.wiring import Wiring

_LOAD_OR_REPAIR = "load the bundle's tables, or run `tulle deploy repair`"
# Longer paths count as loops.
_MOST_HOPS = 64


def check_walks(verdict: Verdict, intent: Intent, ports: NDArray[np.uint8], wiring: Wiring) -> None:
    """Follow the paths from every switch with hosts to every LID of hosts at other switches, over the actual links."""
    links, foreign = wiring.links, wiring.wires.foreign
    hosts = np.flatnonzero((links.endpoint >= 0).any(axis=1))
    lids = np.flatnonzero(intent.lid_endpoint >= 0)
    arrived = walked = layers = 0
    ends: dict[tuple[str, int, int], list[int]] = {}
    for source in hosts.tolist():
        to = lids[intent.lid_switch[lids] != source]
        walked += len(to)
        at = np.full(len(to), source)
        moving = np.arange(len(to))
        good = np.zeros(len(to), np.bool_)
        for _ in range(_MOST_HOPS):
            here, lid = at[moving], to[moving]
            out = ports[here, lid].astype(np.int64)
            known = (out != NO_PORT) & (out < intent.num_ports)
            safe = np.where(known, out, 0)
            endpoint = np.where(known, links.endpoint[here, safe], -1)
            onward = np.where(known, links.to[here, safe], -1)
            ended = (endpoint >= 0) | (known & foreign[here, safe])
            right = ended & (endpoint == intent.lid_endpoint[lid])
            good[moving[right]] = True
            for kind, which in (("wrong-end", ended & ~right), ("black-hole", ~ended & (onward < 0))):
                for where in np.flatnonzero(which).tolist():
                    ends.setdefault((kind, int(here[where]), int(out[where])), []).extend((source, int(lid[where])))
            moving = moving[onward >= 0]
            at[moving] = onward[onward >= 0]
            if not len(moving):
                break
        for where in moving.tolist():
            ends.setdefault(("loop", int(at[where]), 0), []).extend((source, int(to[where])))
        arrived += int(np.count_nonzero(good))
        layer = to - intent.endpoint_lids[intent.lid_endpoint[to]]
        path = intent.lid_switch[to].astype(np.int64) << intent.lmc | layer
        layers += len(np.unique(path)) - len(np.unique(path[~good]))
    pairs = len(hosts) * len(np.unique(intent.endpoint_switch)) - len(np.intersect1d(hosts, intent.endpoint_switch))
    verdict.checks.append(Check("paths to LIDs walked", arrived, walked))
    verdict.checks.append(Check("layer paths between switches", layers, pairs << intent.lmc))
    for (kind, switch, port), example in sorted(ends.items()):
        _report(verdict, intent, wiring, kind, switch, port, example)


def _report(
    verdict: Verdict, intent: Intent, wiring: Wiring, kind: str, switch: int, port: int, example: list[int]
) -> None:
    count, source, lid = len(example) // 2, example[0], example[1]
    where = f"switch {intent.switch_name(switch)}"
    if kind == "loop":
        end, how = f"{verb(count, 'loops', 'loop')} through {where}", "load the bundle's tables"
        if wiring.misplaced:
            how = unplug(wiring.misplaced)
    elif port == NO_PORT:
        end, how = f"{verb(count, 'ends', 'end')} in {where}, which has no port for them", _LOAD_OR_REPAIR
    else:
        end = (
            f"{verb(count, 'ends', 'end')} at {where} port "
            f"{intent.port_name(switch, port) if port < intent.num_ports else port}"
        )
        how = "load the bundle's tables"
        if kind == "black-hole":
            is_host = port < intent.num_ports and intent.links.endpoint[switch, port] >= 0
            end = f"{end}, which has no link"
            how = "replace the cable" + ("" if is_host else ", or run `tulle deploy repair`")
    example_path = f"from {intent.fabric.labels[source]} to {intent.lid_name(lid)}"
    verdict.add(kind, f"{counted(count, 'path')} {end}, for example {example_path}: {how}", count)
