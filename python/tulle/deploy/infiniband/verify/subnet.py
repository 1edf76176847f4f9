"""Check nodes, cables and LIDs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.earlier import find_earlier, has_unknown
from tulle.deploy.infiniband.rebind import find_replaced
from tulle.deploy.infiniband.verify.difference import Check
from tulle.deploy.infiniband.wiring import wiring_of
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.deploy.infiniband.earlier import Earlier
    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.infiniband.wiring import Wiring
    from tulle.deploy.read.subnet import Subnet

    End = tuple[int, int]


def check_subnet(verdict: Verdict, intent: Intent, subnet: Subnet) -> Wiring:
    """Compare the output of ``ibnetdiscover`` with the bundle, and return the actual links.

    Raises
    ------
    tulle.InputError
        If the subnet has none of the planned GUIDs.
    """
    bundle = intent.bundle
    adapters = {address[0] for address in bundle.endpoint_addresses}
    planned = {**dict.fromkeys(intent.switch_guids, ""), **dict.fromkeys(adapters, "")}
    seen = [guid for guid in planned if guid in subnet.nodes]
    if not seen:
        raise InputError(
            f"the subnet ({len(subnet.nodes)} nodes) has no GUID of the bundle; legal: the subnet of the bundle, or a "
            "bundle with the subnet's GUIDs"
        )
    for guid in planned:
        if guid not in subnet.nodes:
            # No change of tables makes a missing host reachable.
            how = "check its power and cables" + (", or run `tulle deploy repair`" if guid in intent.switch_of else "")
            verdict.add("node-missing", f"{_node(intent, guid)} is missing: {how}")
    replaced = {one.new[0]: one for one in find_replaced(bundle, subnet)}
    # Earlier versions are searched only if the subnet has parts that the bundle lacks.
    earlier = find_earlier(bundle, subnet) if has_unknown(bundle, subnet) else None
    for guid, node in subnet.nodes.items():
        if guid not in planned:
            kind, how = "switch" if node.switch else "host", "unplug it, or plan it"
            if guid in replaced:
                name, bind = replaced[guid].name, f"--bind '{replaced[guid].binding}'"
                how = f"it has the links of {name}; if it replaces {name}, run `tulle deploy repair` with {bind}"
            elif earlier is not None and guid in earlier.guids:
                how = f"no path leads to it: {earlier.instruction}"
            verdict.add("node-extra", f"{kind} {node.name} (0x{guid:016x}) is not planned: {how}")
    verdict.checks.append(Check("nodes", len(seen), len(planned)))
    _links(verdict, intent, subnet, earlier, frozenset(replaced))
    _lids(verdict, intent, subnet)
    return wiring_of(intent, subnet)


def _node(intent: Intent, guid: int) -> str:
    if guid in intent.switch_of:
        return f"switch {intent.switch_name(intent.switch_of[guid])}"
    endpoints = [at for at, address in enumerate(intent.bundle.endpoint_addresses) if address[0] == guid]
    return f"host {intent.endpoint_name(endpoints[0])} (0x{guid:016x})"


def _links(
    verdict: Verdict, intent: Intent, subnet: Subnet, earlier: Earlier | None, replacing: frozenset[int]
) -> None:
    links, bundle = intent.links, intent.bundle
    # A missing node is reported once, so its cables are not reported.
    gone = {guid for guid in intent.switch_guids if guid not in subnet.nodes}
    gone |= {address[0] for address in bundle.endpoint_addresses if address[0] not in subnet.nodes}
    planned: set[tuple[End, End]] = set()
    actual = subnet.links()
    good = 0
    for switch, port in np.argwhere((links.to >= 0) | (links.endpoint >= 0)).tolist():
        here = intent.switch_guids[switch], port
        if links.to[switch, port] >= 0:
            other = intent.switch_guids[links.to[switch, port]], int(links.port[switch, port])
        else:
            address = bundle.endpoint_addresses[links.endpoint[switch, port]]
            other = address[0], address[4]
        cable = min(here, other), max(here, other)
        if cable in planned:
            continue
        planned.add(cable)
        if cable in actual:
            good += 1
        elif here[0] not in gone and other[0] not in gone:
            text = f"{_end(intent, subnet, here)} and {_end(intent, subnet, other)}"
            is_between = links.to[switch, port] >= 0
            how = "plug it in or replace it" + (", or run `tulle deploy repair`" if is_between else "")
            verdict.add("cable-missing", f"the cable between {text} is missing: {how}")
    how = "unplug it, or see `tulle cabling verify`" if earlier is None else f"it is not used: {earlier.instruction}"
    for one, other in sorted(actual - planned):
        # The report of a replacing node already says what to do, and its cables are in the right ports.
        if {one[0], other[0]} & replacing:
            continue
        if one[0] in intent.switch_of or other[0] in intent.switch_of:
            text = f"{_end(intent, subnet, one)} and {_end(intent, subnet, other)}"
            verdict.add("cable-extra", f"the cable between {text} is not planned: {how}")
    verdict.checks.append(Check("cables", good, len(planned)))


def _end(intent: Intent, subnet: Subnet, end: End) -> str:
    guid, port = end
    if guid in intent.switch_of:
        return f"switch {intent.fabric.labels[intent.switch_of[guid]]} port {port}"
    at = intent.adapter_of.get(end)
    if at is not None:
        return f"host {intent.endpoint_name(at)}"
    node = subnet.nodes.get(guid)
    return f"{node.name if node else f'0x{guid:016x}'} port {port}"


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
