"""Check nodes, cables and LIDs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.cabling.observed import aggregation_note
from tulle.cabling.verify import NO_RATES
from tulle.deploy.infiniband.causes import planned_cables, planned_rates, repair_command
from tulle.deploy.infiniband.earlier import find_earlier, has_unknown
from tulle.deploy.infiniband.verify.difference import Check
from tulle.deploy.infiniband.wiring import wiring_of
from tulle.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    from tulle.deploy.infiniband.causes import Causes
    from tulle.deploy.infiniband.earlier import Earlier
    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.infiniband.wiring import Wiring
    from tulle.deploy.read.subnet import Node, Subnet

    End = tuple[int, int]


def check_subnet(verdict: Verdict, intent: Intent, subnet: Subnet, causes: Causes, live: str | PathLike[str]) -> Wiring:
    """Compare the output of ``ibnetdiscover`` with the bundle, and return the actual links.

    Causes come first: cables at wrong ports, and nodes with new GUIDs.

    Raises
    ------
    tulle.InputError
        If the subnet has none of the planned GUIDs.
    """
    bundle = intent.bundle
    adapters = dict.fromkeys(address[0] for address in bundle.endpoint_addresses)
    planned = {**dict.fromkeys(intent.switch_guids, ""), **dict.fromkeys(adapters, "")}
    seen = [guid for guid in planned if guid in subnet.nodes]
    if not seen:
        raise InputError(
            f"the subnet ({len(subnet.nodes)} nodes) has no GUID of the bundle; legal: the subnet of the bundle, or a "
            "bundle with the subnet's GUIDs"
        )
    file = str(live)
    for text in causes.wrong_ports:
        verdict.add("wrong-port", text)
    for text in causes.replaced_texts(bundle, file):
        verdict.add("node-replaced", text)
    old = {one.old[0] for one in causes.replaced}
    repair = f", or run {repair_command(bundle, file)}"
    for guid in planned:
        if guid not in subnet.nodes and guid not in old:
            # No change of tables makes a missing host reachable.
            how = "check its power and cables" + (repair if guid in intent.switch_of else "")
            verdict.add("node-missing", f"{_node(intent, guid)} is missing: {how}")
    new = {one.new[0] for one in causes.replaced}
    # Earlier versions are searched only if the subnet has parts that the bundle lacks.
    earlier = find_earlier(bundle, subnet, live) if has_unknown(bundle, subnet) else None
    for guid, node in subnet.nodes.items():
        if guid not in planned and guid not in new:
            how = "unplug it, or plan it"
            if earlier is not None and guid in earlier.guids:
                how = f"no path leads to it: {earlier.instruction}"
            verdict.add("node-extra", f"{_unplanned(intent, node)} is not planned: {how}")
    verdict.checks.append(Check("nodes", len(seen), len(planned)))
    _cables(verdict, intent, subnet, causes, repair, earlier)
    _lids(verdict, intent, subnet)
    return wiring_of(intent, subnet)


def _node(intent: Intent, guid: int) -> str:
    if guid in intent.switch_of:
        return f"switch {intent.switch_name(intent.switch_of[guid])}"
    endpoints = [at for at, address in enumerate(intent.bundle.endpoint_addresses) if address[0] == guid]
    return f"host {intent.endpoint_name(endpoints[0])} (0x{guid:016x})"


def _unplanned(intent: Intent, node: Node) -> str:
    """Name a node outside the bundle. For a host, also name the switch port that leads to it."""
    text = f"{'switch' if node.switch else 'host'} {node.name} (0x{node.guid:016x})"
    ends = [end for end in node.links.values() if end[0] in intent.switch_of]
    if node.switch or not ends:
        return text
    return f"{text} at switch {intent.fabric.labels[intent.switch_of[ends[0][0]]]} port {ends[0][1]}"


def _cables(
    verdict: Verdict, intent: Intent, subnet: Subnet, causes: Causes, repair: str, earlier: Earlier | None
) -> None:
    """Report missing and unplanned cables, except cables at wrong ports and those of missing or unplanned nodes."""
    actual = subnet.links()
    good = {False: 0, True: 0}
    of = {False: 0, True: 0}
    for here, other in planned_cables(intent.bundle):
        is_between = other[0] in intent.switch_of
        of[is_between] += 1
        good[is_between] += (min(here, other), max(here, other)) in actual
    for slow in causes.slow:
        good[slow.is_between] -= 1
        verdict.add("cable-slow", slow.instruction)
    if max(planned_rates(intent.bundle), default=-1) < 0 and any(node.rates for node in subnet.nodes.values()):
        verdict.notes.append(f"{NO_RATES}; to add rates, write the bundle again with --link all:rate=…")
    if subnet.left_out:
        verdict.notes.append(aggregation_note(subnet.left_out))
    for here, other in causes.missing:
        text = f"{_end(intent, here)} and {_end(intent, other)}"
        how = "plug it in or replace it" + (repair if other[0] in intent.switch_of else "")
        verdict.add("cable-missing", f"the cable between {text} is missing: {how}")
    for one, other in causes.extra:
        how = "unplug it" if earlier is None else f"it is not used: {earlier.instruction}"
        verdict.add(
            "cable-extra", f"the cable between {_end(intent, one)} and {_end(intent, other)} is not planned: {how}"
        )
    verdict.checks += [
        Check("cables between switches", good[True], of[True]),
        Check("cables to hosts", good[False], of[False]),
    ]


def _end(intent: Intent, end: End) -> str:
    guid, port = end
    if guid in intent.switch_of:
        return f"switch {intent.fabric.labels[intent.switch_of[guid]]} port {port}"
    at = intent.adapter_of.get(end)
    return f"host {intent.endpoint_name(at)}" if at is not None else f"{_node(intent, guid)} port {port}"


def _lids(verdict: Verdict, intent: Intent, subnet: Subnet) -> None:
    how = "put guid2lid into OpenSM's cache folder, and restart OpenSM"
    good = of = unknown = 0
    for switch, guid in enumerate(intent.switch_guids):
        node, wanted = subnet.nodes.get(guid), int(intent.switch_lids[switch])
        if node is None:
            continue
        of += 1
        good += node.lid == wanted
        unknown += node.lid == 0
        if node.lid not in (0, wanted):
            verdict.add("lid", f"switch {intent.switch_name(switch)} has LID {node.lid}, expected {wanted}: {how}")
    for endpoint, address in enumerate(intent.bundle.endpoint_addresses):
        node, wanted = subnet.nodes.get(address[0]), int(intent.endpoint_lids[endpoint])
        if node is None or address[4] not in node.lids:
            continue
        of += 1
        lid, lmc = node.lids[address[4]]
        good += (lid, lmc) == (wanted, intent.lmc)
        host = f"host {intent.endpoint_name(endpoint)} (port 0x{address[1]:016x})"
        unknown += lid == 0
        if lid not in (0, wanted):
            verdict.add("lid", f"{host} has LID {lid}, expected {wanted}: {how}")
        elif lid == wanted and lmc != intent.lmc:
            verdict.add("lid", f"{host} has LMC {lmc}, expected {intent.lmc}: set lmc {intent.lmc} in opensm.conf")
    if unknown:
        ports = counted(unknown, "port")
        verdict.add(
            "lid",
            f"{ports} {verb(unknown, 'has', 'have')} no LID (0) in the live file: {how}, then run ibnetdiscover again",
            unknown,
        )
    verdict.checks.append(Check("ports with their LIDs", good, of))
