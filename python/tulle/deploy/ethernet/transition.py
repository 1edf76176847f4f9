"""Change from one bundle to another of the same cabling and addresses, in an order that never makes a loop.

For example, return to the bundle before a repair once a cable or a switch works again, or change to another routing.
Each of the two bundles may have switches that the other lacks.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from tulle._internal.text import tulle_command
from tulle.deploy.ethernet.bundle import ROUTING
from tulle.deploy.ethernet.failures import Failures
from tulle.deploy.ethernet.numbering import numbering_of
from tulle.deploy.ethernet.plan import plan_ethernet
from tulle.deploy.ethernet.repair import Repair, changes_between
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.deploy.ethernet.plan import EthernetPlan, Host

__all__ = ["check_transition", "transition"]

_OF_FABRIC = {"hosts", "gap_ms", "links", "hardware"}
"""Options of a bundle that may differ: those of hosts, and those with an item for each port."""
_SAME = "legal: a bundle of the same cabling, hosts, layers and addresses, or stop traffic and load all files"


def transition(before: EthernetBundle, after: EthernetBundle) -> Repair:
    """Compute the changes from one bundle to another, in rounds like those of a repair.

    Switches that exist only in `after` are returning switches: they load all their entries before the first round. No
    entry of `before` leads to them, so their entries count as both old and new. No intermediate state loops, for the
    reason that `tulle.deploy.ethernet.repair.repair` gives. A packet from a host at a returning switch meets entries of
    returning switches first, then old entries until it meets a new one, and new entries from then on. Switches that
    exist only in `before` count as failed.

    A new switch or cable can shift the numbers of others in `after`, and numbers are parts of addresses. So switches,
    ports and links get the numbers and addresses that they have in `before`, by their names.

    Parameters
    ----------
    before
        The loaded bundle.
    after
        The bundle to load.

    Raises
    ------
    tulle.InputError
        For bundles with different addresses, layers, targets, options or cabling, or with different names or hosts of a
        switch that both have; for targets whose changes cannot be written; for BGP; and for lossless networks, because
        only `repair` proves that old and new paths together cannot deadlock.
    """
    after = check_transition(before, after)
    old, new = before.plan, after.plan
    known = {number: switch for switch, number in enumerate(old.addressing.numbers)}
    further = count(len(old.names))
    switches = tuple(known.get(number, -1) for number in new.addressing.numbers)
    switches = tuple(next(further) if switch < 0 else switch for switch in switches)
    gone = tuple(sorted({*range(len(old.names))} - {*switches}))
    lost = sum(len(old.hosts_at[switch]) for switch in gone)
    changes = changes_between(old, new, switches)
    return Repair(before, Failures(gone, ()), new, switches, changes, lost, 0, "", after.header)


def check_transition(before: EthernetBundle, after: EthernetBundle) -> EthernetBundle:
    """Check that `transition` can change from one bundle to another; return `after` with the numbers of `before`.

    Raises
    ------
    tulle.InputError
        For the same bundles as `transition`.
    """
    # circle: `ethernet` and `targets` import each other: targets write bundles, and declare whether they write changes.
    from tulle.deploy.targets import target, targets

    old, new = before.plan, after.plan
    _check_equal(before, after, "target", before.header.target, after.header.target)
    name, place = before.header.target, before.place
    if not target(name).has_transitions:
        legal = ", ".join(one.name for one in targets() if one.has_transitions)
        raise InputError(f"{place}: changes to another bundle cannot be written for the target {name}; legal: {legal}")
    if "bgp" in (before.header.options.get("underlay"), after.header.options.get("underlay")):
        raise InputError(
            f"{place}: with BGP, switches find other paths by themselves, in no known order; legal: a bundle with "
            "static routes"
        )
    if old.vcs is not None or new.vcs is not None:
        raise InputError(
            f"{place} is a bundle of a lossless network, where only repairs are proved free of deadlock; legal: "
            f"without --to, or stop traffic and run `{tulle_command('deploy', 'rollback', place, '--drained')}`"
        )
    for option in sorted((before.header.options.keys() | after.header.options.keys()) - _OF_FABRIC):
        was, now = before.header.options.get(option), after.header.options.get(option)
        _check_equal(before, after, f"option {option}", was, now)
    _check_equal(before, after, "layers", old.num_layers, new.num_layers)
    was, now = (
        (str(one.base), one.layer_shift, one.switch_shift, one.router_layer) for one in (old.addressing, new.addressing)
    )
    if was != now:
        fields = "prefix, bits after the layer field, bits of the host field, layer value of switch addresses"
        _check_equal(before, after, f"addresses ({fields})", was, now)
    after = _with_numbers(before, after)
    for one, other in _kept(before, after).items():
        _check_hosts(before, after, one, other)
        _check_ports(before, after, one, other)
    return after


def _with_numbers(before: EthernetBundle, after: EthernetBundle) -> EthernetBundle:
    """Return `after` with the numbers and link addresses that `before` has for the same names."""
    from tulle.routing.routing import Routing

    old, new, header = before.plan, after.plan, after.header
    own = dict(zip(new.names, new.addressing.numbers, strict=True))
    numbers = _numbered(dict(zip(old.names, old.addressing.numbers, strict=True)), own, 0)
    addressing = replace(new.addressing, numbers=tuple(numbers))
    if not addressing.is_valid():
        return after
    if "links" in header.options:
        header = replace(header, options={**header.options, "links": _links(before, after)})
    known = {name: {port.name: port.number for port in row} for name, row in zip(old.names, old.ports, strict=True)}
    ports = [
        dict(zip(_numbered(known.get(name, {}), {port.name: port.number for port in row}, 1), row, strict=True))
        for name, row in zip(new.names, new.ports, strict=True)
    ]
    if addressing == new.addressing and all(port.number == at for row in ports for at, port in row.items()):
        return replace(after, header=header)
    channels = {port.channel: at for row in ports for at, port in row.items()}
    endpoints = {port.endpoint: at for row in ports for at, port in row.items()}
    fabric = new.fabric._with_port_numbers(
        [channels[channel] for channel in range(len(new.fabric.channels))],
        [endpoints[endpoint] for endpoint in range(new.fabric.num_endpoints)],
    )
    plan = plan_ethernet(Routing.load(after.folder / ROUTING, fabric), addressing)
    named = tuple(
        tuple(replace(row[port.number], number=port.number, mac=port.mac) for port in made)
        for row, made in zip(ports, plan.ports, strict=True)
    )
    return replace(after, header=header, plan=replace(plan, ports=named, named_for=new.named_for, given=new.given))


def _numbered(known: Mapping[str, int], own: Mapping[str, int], first: int) -> list[int]:
    """Return the number of each name: as in `known`, otherwise a free one; as in `own`, if no number differs."""
    if all(known.get(name, number) == number for name, number in own.items()):
        return list(own.values())
    taken = {*known.values()}
    free = (number for number in count(first) if number not in taken)
    return [known[name] if name in known else next(free) for name in own]


def _links(before: EthernetBundle, after: EthernetBundle) -> list[int]:
    """Return the offset of each channel's address in `after`: as in `before`; for new links, behind all others."""
    was, now = numbering_of(before).pairs, numbering_of(after).pairs
    old, new = (
        [(plan.names[switch], port.name) for switch, port in zip(sources, plan.channel_ports, strict=True)]
        for plan in (before.plan, after.plan)
        for sources in [plan.fabric.channels[:, 0].tolist()]
    )
    known = dict(zip(old, was, strict=True))
    if all(known.get(end, offset) == offset for end, offset in zip(new, now, strict=True)):
        return list(now)
    return [
        known[new[channel]] if {new[channel], new[back]} <= known.keys() else max(was) + 1 + now[channel]
        for channel, back in enumerate(after.plan.fabric.reverse.tolist())
    ]


def _check_equal(before: EthernetBundle, after: EthernetBundle, what: str, was: object, now: object) -> None:
    if was != now:
        raise InputError(
            f"{after.place} differs from {before.place} in {what}: {now} (in {before.place}: {was}); {_SAME}"
        )


def _kept(before: EthernetBundle, after: EthernetBundle) -> dict[int, int]:
    """The id in `after` of each switch that both have, by its id in `before`.

    Switches of the two bundles are the same switch if they have the same number in addresses.

    Raises
    ------
    tulle.InputError
        If a switch has another name, or a name belongs to another switch.
    """
    old, new = before.plan, after.plan
    numbers = {number: switch for switch, number in enumerate(old.addressing.numbers)}
    names = dict(zip(old.names, old.addressing.numbers, strict=True))
    kept = {}
    for switch, (number, name) in enumerate(zip(new.addressing.numbers, new.names, strict=True)):
        _check_equal(before, after, f"the number of switch {name} in addresses", names.get(name, number), number)
        if (was := numbers.get(number)) is not None:
            what = f"the name of the switch with number {number} in addresses"
            _check_equal(before, after, what, old.names[was], name)
            kept[was] = switch
    if not kept:
        raise InputError(f"{after.place} has no switch of {before.place}; {_SAME}")
    return kept


def _check_hosts(before: EthernetBundle, after: EthernetBundle, one: int, other: int) -> None:
    """Check that a switch has the same hosts in both bundles, at the same ports: rounds do not move hosts."""
    # Renamed ports are reported by `_check_ports`.
    names = {port.number: port.name for port in (*after.plan.ports[other], *before.plan.ports[one])}
    was, now = (
        {host.name: _where(host, names[host.port], plan.names[switch]) for host in plan.hosts_at[switch]}
        for plan, switch in ((before.plan, one), (after.plan, other))
    )
    absent = f"not at switch {before.plan.names[one]}"
    for name in (*was, *now):
        _check_equal(before, after, f"host {name}", was.get(name, absent), now.get(name, absent))


def _where(host: Host, port: str, switch: str) -> str:
    return f"at port {port} of {switch}, with address {host.addresses[0]}"


def _check_ports(before: EthernetBundle, after: EthernetBundle, one: int, other: int) -> None:
    """Check that each port of a switch that both bundles use has the same name and is connected to the same device."""
    old, new = before.plan, after.plan
    known = old.by_number[one]
    for port in new.ports[other]:
        was = known.get(port.number)
        if was is None:
            continue
        if was.name != port.name:
            raise InputError(
                f"{after.place}: port {port.number} of {old.names[one]} is named {port.name}, but {was.name} in "
                f"{before.place}; legal: a bundle with the same port names"
            )
        ends = _end(old, one, was.number), _end(new, other, port.number)
        if ends[0] != ends[1]:
            raise InputError(
                f"{after.place}: port {port.name} of {old.names[one]} is connected to {ends[1]}, but to {ends[0]} in "
                f"{before.place}; legal: a bundle of the same cabling"
            )


def _end(plan: EthernetPlan, switch: int, number: int) -> str:
    """The device and the port at the other end of a port's cable."""
    port = plan.by_number[switch][number]
    if port.endpoint is not None:
        return f"host {plan.hosts[port.endpoint].name}"
    there, end = plan.peer(port)
    return f"port {end.name} of {plan.names[there]}"
