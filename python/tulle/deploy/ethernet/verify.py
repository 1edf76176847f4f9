"""Compare the tables of switches with a bundle, and report each difference as an instruction."""

from __future__ import annotations

from collections import defaultdict
from ipaddress import ip_network
from math import gcd
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.text import counted, verb
from tulle.deploy.ethernet.bundle import EthernetBundle, read_bundle
from tulle.deploy.ethernet.earlier import find_removed
from tulle.deploy.ethernet.linux import route_line
from tulle.deploy.ethernet.names import host_mac
from tulle.deploy.ethernet.numbering import numbering_of
from tulle.deploy.read.flows import read_flows
from tulle.deploy.read.routes import Way, read_frr, read_routes
from tulle.deploy.read.switch_files import files_of, is_blank
from tulle.deploy.verdict import Check, Verdict
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from os import PathLike
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan, Hops, Port

    Place = str | PathLike[str]

__all__ = ["KINDS", "verify"]

KINDS = {
    "unread": "the table of a switch was not read",
    "missing": "an entry is missing, or none of its next hops is in use",
    "extra": "an entry is not planned",
    "next-hop": "an entry has other next hops or weights than planned",
    "loop": "paths loop",
    "black-hole": "paths end at a switch that cannot forward the packets",
}

_MOST_LISTED = 8
"""Maximum number of differences of one kind that are listed one by one for a switch."""
FIRST_VLAN = 100
"""The VLAN of layer 0 if the bundle does not specify it."""


class Wanted(NamedTuple):
    """A planned entry."""

    key: str
    """The key of the entry in tables: a prefix, or the match of a flow."""
    layer: int
    destination: int
    """The destination switch of the entry; an entry for a switch's own hosts has the switch itself."""
    hops: Hops


Table = dict[str, tuple[Way, ...]]


def verify(
    bundle: EthernetBundle | Place,
    *,
    fib: Sequence[Place] = (),
    frr: Sequence[Place] = (),
    ovs: Sequence[Place] = (),
) -> Verdict:
    """Compare tables of switches with a bundle. Files are named after their switches; a place can be a folder of files.

    If a folder is given, switches without a file in it are reported. Paths are followed through the tables that were
    read; all other tables are assumed to be as planned. Files of switches that repairs have removed from the bundle are
    skipped.

    Parameters
    ----------
    bundle
        A bundle, or its folder.
    fib
        Output of ``ip -json route show table all`` or ``ip route`` on each switch (``ip -6`` for IPv6).
    frr
        Output of ``vtysh -c 'show ip route json'`` (``show ipv6 route json`` for IPv6).
    ovs
        Output of ``ovs-ofctl dump-flows``, with that of ``dump-groups`` in the same file if there are groups.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not the output of its tool.
    tulle.InputError
        For a file whose name is not the name of a switch, and for a bundle whose layers are VRFs.
    """
    bundle = bundle if isinstance(bundle, EthernetBundle) else read_bundle(bundle)
    plan = bundle.plan
    if bundle.header.options.get("vlans"):
        raise InputError(
            f"{bundle.place}: its layers are VRFs, and `tulle deploy verify` cannot read VRF tables; legal: a bundle "
            "whose layers are prefixes"
        )
    gone = find_removed(bundle)
    verdict = Verdict(removed_hosts=list(gone.hosts))
    kinds: list[tuple[str, Sequence[Place], Callable[[Path], Table]]] = [
        ("kernel routes", fib, read_routes),
        ("FRR routes", frr, read_frr),
        ("OVS flows", ovs, _flows),
    ]
    for what, places, read in kinds:
        if places:
            files = files_of(plan.names, places, removed=gone.switches)
            for path in files.unknown:
                raise files.nameless(path)
            _check(verdict, bundle, what, files.single(), files.is_whole, read)
    return verdict


def _flows(path: Path) -> Table:
    return {_flow_key(flow.vlan, flow.mac, flow.mask): flow.ways for flow in read_flows(path)}


def _flow_key(vlan: int, mac: str, mask: str | None) -> str:
    return f"dl_vlan={vlan},dl_dst={mac}" + (f"/{mask}" if mask else "")


def _wanted(bundle: EthernetBundle, switch: int, flows: bool) -> list[Wanted]:
    plan = bundle.plan
    first = bundle.header.option("first_vlan", FIRST_VLAN)
    length = plan.addressing.host_length
    rows = []
    # SONiC switches have their hosts in a connected subnet, without routes.
    for host in () if bundle.header.target == "sonic" else plan.hosts_at[switch]:
        for layer, address in enumerate(host.addresses):
            key = _flow_key(first + layer, host.mac, None) if flows else f"{address}/{length}"
            rows.append(Wanted(key, layer, switch, ((host.port, 1),)))
    numbers = plan.addressing.numbers
    for layer, destination, prefix, hops in plan.entries[switch]:
        key = prefix
        if flows:
            key = _flow_key(first + layer, host_mac(numbers[destination], 0), "ff:ff:ff:ff:00:00")
        rows.append(Wanted(key, layer, destination, hops))
    return rows


def _check(
    verdict: Verdict,
    bundle: EthernetBundle,
    what: str,
    files: dict[int, Path],
    whole: bool,
    read: Callable[[Path], Table],
) -> None:
    plan, flows = bundle.plan, what == "OVS flows"
    # A command that fails, for example by ssh, leaves an empty file.
    blank = {switch for switch, path in files.items() if is_blank(path)}
    files = {switch: path for switch, path in files.items() if switch not in blank}
    gateway = None if flows else _gateways(bundle)
    good = of = hosts_good = hosts_of = 0
    # The ports in use by switch, layer and destination, for entries that differ from the plan.
    differs: dict[tuple[int, int, int], tuple[int, ...]] = {}
    for switch, name in enumerate(plan.names):
        if switch not in files:
            if whole or switch in blank:
                count = int(plan.entries_per_switch[switch])
                why = "its file is empty" if switch in blank else "its table was not read"
                verdict.add("unread", f"switch {name}: {why}: dump it, or check that the switch runs", count)
                of += count
                hosts_of += sum(one.destination == switch for one in _wanted(bundle, switch, flows))
            continue
        table = read(files[switch])
        texts_of: dict[str, list[str]] = defaultdict(list)
        for one in _wanted(bundle, switch, flows):
            found = table.pop(one.key, ())
            ways, same = _compare(bundle, switch, one, found, flows, gateway)
            if one.destination == switch:
                hosts_good, hosts_of = hosts_good + same, hosts_of + 1
            else:
                good, of = good + same, of + 1
                if not same:
                    differs[switch, one.layer, one.destination] = ways
            if not same:
                text = _difference(bundle, switch, one, found, flows)
                texts_of["next-hop" if found else "missing"].append(text)
        for key in sorted(table):
            if flows or _is_ours(plan, key, files[switch]):
                texts_of["extra"].append(f"{key} is not planned: {_removal(bundle, name, key, flows)}")
        for kind, texts in texts_of.items():
            for text in texts[:_MOST_LISTED]:
                verdict.add(kind, f"switch {name}: {text}")
            if len(texts) > _MOST_LISTED:
                how = "remove them" if kind == "extra" else f"load {_source(bundle, name)} again"
                verdict.add(
                    kind,
                    f"switch {name}: {len(texts) - _MOST_LISTED} more such entries: {how}",
                    len(texts) - _MOST_LISTED,
                )
    verdict.checks += [Check(what, good, of), Check(f"{what} of own hosts", hosts_good, hosts_of)]
    # Paths through a switch that was not read count as planned there, so the name of the check says so.
    unread = "" if len(files) == len(plan.names) else ", if unread switches are as planned"
    _walk(verdict, plan, f"paths by {what}{unread}", differs)


def _gateways(bundle: EthernetBundle) -> Callable[[Port], str | None] | None:
    """A function from a port to the address of its next hop; None if the bundle does not specify next hops."""
    plan = bundle.plan
    if bundle.header.target == "linux":
        return lambda port: None if port.channel is None else plan.addressing.router(plan.peer(port)[0])
    if "links" in bundle.header.options:
        links = numbering_of(bundle)
        return lambda port: None if port.channel is None else links.address(plan.peer(port)[1].channel or 0)
    return None


def _compare(
    bundle: EthernetBundle,
    switch: int,
    one: Wanted,
    found: tuple[Way, ...],
    flows: bool,
    gateway: Callable[[Port], str | None] | None,
) -> tuple[tuple[int, ...], bool]:
    """Return the ports in use, and whether the ports, their weights and their gateways are as planned."""
    plan = bundle.plan
    numbers = {port.name: port.number for port in plan.ports[switch]}
    if flows:
        numbers |= {str(port.number): port.number for port in plan.ports[switch]}
    shares: dict[int, int] = defaultdict(int)
    same = True
    for way in found:
        number = numbers.get(way.port, 0)
        shares[number] += way.weight
        if gateway is not None and one.destination != switch and number:
            same &= way.gateway == gateway(plan.by_number[switch][number])
    common = gcd(*shares.values()) or 1
    have = {number: weight // common for number, weight in shares.items()}
    return tuple(sorted(have)), same and have == dict(one.hops)


def _difference(bundle: EthernetBundle, switch: int, one: Wanted, found: tuple[Way, ...], flows: bool) -> str:
    plan = bundle.plan
    ports = plan.by_number[switch]
    toward = "its own host" if one.destination == switch else f"layer {one.layer} toward {plan.names[one.destination]}"
    has = " and ".join(_way(way) for way in found)
    planned = " and ".join(
        ports[port].name + (f" (weight {weight})" if len(one.hops) > 1 and weight > 1 else "")
        for port, weight in one.hops
    )
    is_so = f"uses {has}, expected {planned}" if found else f"is missing, expected {planned}"
    how = _whole(plan.names[switch]) if flows else f"load {_source(bundle, plan.names[switch])} again"
    if bundle.header.target == "linux" and not flows:
        if one.destination == switch:
            how = f"ip route replace {one.key} dev {ports[one.hops[0][0]].name} proto 84"
        else:
            how = "ip " + route_line(plan, switch, one.key, one.hops).strip()
    return f"{one.key} ({toward}) {is_so}: {how}"


def _way(way: Way) -> str:
    weight = f" (weight {way.weight})" if way.weight > 1 else ""
    return f"{way.port}{f' via {way.gateway}' if way.gateway else ''}{weight}"


def _source(bundle: EthernetBundle, name: str) -> str:
    """The file of the bundle that has the entries of a switch."""
    known = [file for file in bundle.header.files if file.startswith(f"switches/{name}/")]
    for last in ("routes.batch", "frr.conf", "config_db.json"):
        if f"switches/{name}/{last}" in known:
            return f"switches/{name}/{last}"
    return f"switches/{name}"


def _whole(name: str) -> str:
    """Return the instruction to load all flows of a switch. ``ovs-ofctl del-flows`` could also remove planned flows."""
    return f"run switches/{name}/up again, which replaces all groups and flows"


def _removal(bundle: EthernetBundle, name: str, key: str, flows: bool) -> str:
    if flows:
        return _whole(name)
    family = "ip -6" if bundle.plan.addressing.version == 6 else "ip"
    return f"{family} route del {key}" if bundle.header.target == "linux" else "remove it"


def _is_ours(plan: EthernetPlan, key: str, path: Path) -> bool:
    """Whether the prefix of a route contains addresses of hosts."""
    try:
        network = ip_network(key, strict=False)
    except ValueError:
        raise FormatError(
            f"{path}: '{key[:60]}' is not a prefix; legal: IPv4 or IPv6 routes, as ip route or vtysh prints them"
        ) from None
    if network.version != plan.addressing.version:
        return False
    layers = (ip_network(plan.addressing.layer_prefix(layer)) for layer in range(plan.num_layers))
    return any(network.overlaps(layer) for layer in layers)


def _walk(
    verdict: Verdict, plan: EthernetPlan, what: str, differs: dict[tuple[int, int, int], tuple[int, ...]]
) -> None:
    """Follow the paths from every switch to every destination in every layer, over all ports in use."""
    ends: dict[tuple[str, int], list[tuple[int, int, int]]] = defaultdict(list)
    # Only destinations with an entry that differs from the plan are checked. All other paths are those of the plan,
    # which were checked before.
    for layer, destination in sorted({(layer, destination) for _, layer, destination in differs}):
        ways = [_ways(plan, differs, switch, layer, destination) for switch in range(len(plan.names))]
        arrives = _arriving(ways, destination)
        for source in range(len(plan.names)):
            if source not in arrives:
                ends[_end(ways, arrives, source)].append((layer, source, destination))
    total = plan.walked.paths
    verdict.checks.append(Check(what, total - sum(map(len, ends.values())), total))
    for (kind, at), paths in sorted(ends.items()):
        layer, source, destination = paths[0]
        count = len(paths)
        how = f"{verb(count, 'loops', 'loop')} through" if kind == "loop" else f"{verb(count, 'ends', 'end')} at"
        verdict.add(
            kind,
            f"{counted(count, 'path')} {how} switch {plan.names[at]}, for example in layer {layer} from "
            f"{plan.names[source]} to "
            f"{plan.names[destination]}: correct the entries above",
            count,
        )


_NOWHERE = -1


def _ways(
    plan: EthernetPlan, differs: dict[tuple[int, int, int], tuple[int, ...]], switch: int, layer: int, destination: int
) -> list[int]:
    """The next switches of packets at `switch`; `_NOWHERE` means that the packets are lost."""
    if switch == destination:
        return []
    ports = differs.get((switch, layer, destination))
    if ports is None:
        ports = tuple(port for port, _ in plan.hops(switch, layer, destination))
    known = [plan.by_number[switch].get(port) for port in ports]
    return [_NOWHERE if port is None or port.channel is None else plan.peer(port)[0] for port in known] or [_NOWHERE]


def _arriving(ways: list[list[int]], destination: int) -> set[int]:
    """The switches from which every path leads to the destination."""
    before: dict[int, list[int]] = defaultdict(list)
    left = [len(onward) for onward in ways]
    for switch, onward in enumerate(ways):
        for to in onward:
            before[to].append(switch)
    arrives, queue = {destination}, [destination]
    while queue:
        for switch in before[queue.pop()]:
            left[switch] -= 1
            if not left[switch]:
                arrives.add(switch)
                queue.append(switch)
    return arrives


def _end(ways: list[list[int]], arrives: set[int], source: int) -> tuple[str, int]:
    """The switch where a path that does not arrive ends, or the first switch that it visits twice."""
    at, seen = source, set()
    while at not in seen:
        seen.add(at)
        onward = next(to for to in ways[at] if to not in arrives)
        if onward == _NOWHERE:
            return "black-hole", at
        at = onward
    return "loop", at
