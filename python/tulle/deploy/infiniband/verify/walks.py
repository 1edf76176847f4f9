"""Follow every path that hosts may use, hop by hop through tables and links."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.causes import BIND, repair_command
from tulle.deploy.infiniband.verify.difference import Check
from tulle.deploy.infiniband.wiring import counted_paths, unplug
from tulle.deploy.reach import loops
from tulle.deploy.read.lfts import NO_PORT

if TYPE_CHECKING:
    from collections.abc import Collection
    from os import PathLike

    from numpy.typing import NDArray

    from tulle.deploy.infiniband.causes import Causes
    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.infiniband.wiring import Wiring

_LOAD = "load the bundle's tables"
# Paths that have not ended after this number of hops are checked for loops.
_MOST_HOPS = 64


def check_walks(
    verdict: Verdict,
    intent: Intent,
    ports: NDArray[np.uint8],
    wiring: Wiring,
    causes: Causes,
    missing: Collection[int],
    live: str | PathLike[str] | None,
) -> None:
    """Follow the paths of `counted_paths` over the actual links.

    `missing` has the GUIDs of planned nodes that are not in the subnet.
    """
    links = wiring.links
    unplanned = np.zeros(links.to.shape, np.bool_)
    for at_port in wiring.unplanned:
        unplanned[at_port] = True
    paths = counted_paths(intent, links)
    hosts = np.flatnonzero((links.endpoint >= 0).any(axis=1))
    arrived = walked = layers = 0
    looping: NDArray[np.bool_] | None = None
    ends: dict[tuple[str, int, int], list[int]] = {}
    for source in hosts.tolist():
        to = np.flatnonzero(paths[source])
        walked += len(to)
        at = np.full(len(to), source)
        moving = np.arange(len(to))
        good = np.zeros(len(to), np.bool_)
        for hop in count():
            if hop == _MOST_HOPS and len(moving):
                if looping is None:
                    looping = loops(wiring.wires, ports, paths)
                around = looping[source, to[moving]]
                for where in moving[around].tolist():
                    ends.setdefault(("loop", int(at[where]), 0), []).extend((source, int(to[where])))
                moving = moving[~around]
            if not len(moving):
                break
            here, lid = at[moving], to[moving]
            out = ports[here, lid].astype(np.int64)
            known = (out != NO_PORT) & (out < intent.num_ports)
            safe = np.where(known, out, 0)
            endpoint = np.where(known, links.endpoint[here, safe], -1)
            onward = np.where(known, links.to[here, safe], -1)
            ended = (endpoint >= 0) | (known & unplanned[here, safe])
            right = ended & (endpoint == intent.lid_endpoint[lid])
            good[moving[right]] = True
            for kind, which in (("wrong-end", ended & ~right), ("black-hole", ~ended & (onward < 0))):
                for where in np.flatnonzero(which).tolist():
                    ends.setdefault((kind, int(here[where]), int(out[where])), []).extend((source, int(lid[where])))
            moving = moving[onward >= 0]
            at[moving] = onward[onward >= 0]
        arrived += int(np.count_nonzero(good))
        layer = to - intent.endpoint_lids[intent.lid_endpoint[to]]
        path = intent.lid_switch[to].astype(np.int64) << intent.lmc | layer
        layers += len(np.unique(path)) - len(np.unique(path[~good]))
    pairs = len(hosts) * len(np.unique(intent.endpoint_switch)) - len(np.intersect1d(hosts, intent.endpoint_switch))
    verdict.checks.append(Check("paths to LIDs walked", arrived, walked))
    verdict.checks.append(Check("layer paths between switches", layers, pairs << intent.lmc))
    # If tables also differ for another reason, it does not suffice to correct cables and to bind nodes.
    differs = any(one.kind == "table" and not one.instruction.endswith(BIND) for one in verdict.differences)
    then = f", then {_LOAD}" if differs else ""
    report = _Report(intent, wiring, causes, missing, live, then)
    for (kind, switch, port), example in sorted(ends.items()):
        verdict.add(kind, report.text(kind, switch, port, example), len(example) // 2)


class _Report:
    """Describes paths that do not arrive. Instructions for the cabling come before those for tables."""

    def __init__(
        self,
        intent: Intent,
        wiring: Wiring,
        causes: Causes,
        missing: Collection[int],
        live: str | PathLike[str] | None,
        then: str,
    ) -> None:
        self._intent, self._wiring, self._causes, self._missing, self._then = intent, wiring, causes, missing, then
        self._repair = f"run {repair_command(intent.bundle, None if live is None else str(live))}"

    def text(self, kind: str, switch: int, port: int, example: list[int]) -> str:
        """Describe the paths that end at a port, or that loop through a switch. `example` has sources and LIDs."""
        intent = self._intent
        count, source, lid = len(example) // 2, example[0], example[1]
        where = f"switch {intent.switch_name(switch)}"
        if kind == "loop":
            end, how = f"{verb(count, 'loops', 'loop')} through {where}", self._loop()
        elif port == NO_PORT:
            end = f"{verb(count, 'ends', 'end')} in {where}, which has no port for {verb(count, 'it', 'them')}"
            how = self._without_port(example[1::2])
        else:
            end = f"{verb(count, 'ends', 'end')} at {where} port {self._port(kind, switch, port)}"
            how = self._at_port(kind, switch, port)
        example_path = f"from {intent.fabric.labels[source]} to {intent.lid_name(lid)}"
        return f"{counted(count, 'path')} {end}, for example {example_path}: {how}"

    def _without_port(self, lids: list[int]) -> str:
        """Return the instruction if a switch has no entries for LIDs: OpenSM removes those of missing nodes."""
        addresses, endpoints = self._intent.bundle.endpoint_addresses, self._intent.lid_endpoint
        guids = {addresses[int(endpoints[lid])][0] for lid in lids}
        if guids <= {one.old[0] for one in self._causes.replaced}:
            return BIND + self._then
        return "check these hosts, as above" if guids <= {*self._missing} else f"{_LOAD}, or {self._repair}"

    def _port(self, kind: str, switch: int, port: int) -> str:
        """Name a port, the planned other end of its cable, and the actual one if it is another."""
        intent, links = self._intent, self._wiring.links
        name = intent.port_name(switch, port) if port < intent.num_ports else str(port)
        if kind == "black-hole":
            return f"{name}, which has no link"
        if (node := self._wiring.unplanned.get((switch, port))) is not None:
            leads = f"the unplanned node {node.name} (0x{node.guid:016x})"
        elif (endpoint := int(links.endpoint[switch, port])) != intent.links.endpoint[switch, port]:
            leads = f"host {intent.endpoint_name(endpoint)}"
        else:
            return name
        planned = intent.other_end(switch, port)
        return f"{port}, which leads to {leads}" + (f" instead of {planned}" if planned else "")

    def _at_port(self, kind: str, switch: int, port: int) -> str:
        intent, causes = self._intent, self._causes
        if how := causes.advice((intent.switch_guids[switch], port), then=self._then):
            return how
        if (node := self._wiring.unplanned.get((switch, port))) is not None:
            is_new = any(one.new[0] == node.guid for one in causes.replaced)
            return (BIND if is_new else "plug in the planned node, or plan this one") + self._then
        if kind == "wrong-end" or port >= intent.num_ports:
            return _LOAD
        to, endpoint = int(intent.links.to[switch, port]), int(intent.links.endpoint[switch, port])
        if endpoint >= 0:
            is_gone = intent.bundle.endpoint_addresses[endpoint][0] in self._missing
            return "check this host, as above" if is_gone else "replace the cable"
        if to >= 0:
            is_gone = intent.switch_guids[to] in self._missing
            return f"{'check this switch, as above' if is_gone else 'replace the cable'}, or {self._repair}"
        return _LOAD

    def _loop(self) -> str:
        if how := self._causes.cabling_advice:
            return how + self._then
        return unplug(self._wiring.misplaced) if self._wiring.misplaced else _LOAD
