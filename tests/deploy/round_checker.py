"""Check the rounds of an Ethernet repair without code of tulle: parse the files, load them, follow packets.

A state has all changes of the completed rounds, and any changes of the current round. While a switch changes an entry,
it may have both the old and the new next hops. In each state, no packet may loop, and packets to a destination that
both versions have must arrive. Packets to a destination that returns may be dropped only at a switch without an entry.
"""

from __future__ import annotations

import csv
import itertools
from collections import defaultdict
from ipaddress import ip_network
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Iterator
    from pathlib import Path

Table = dict[str, dict[str, list[tuple[str, str]]]]
"""Per switch and prefix: the gateways and ports of all next hops."""


class Files(NamedTuple):
    """The content of a version of a bundle."""

    table: Table
    neighbours: dict[str, set[tuple[str, ...]]]
    """Per switch: the address, MAC address and port of each permanent neighbour, and the MAC address of each port."""
    links: dict[tuple[str, str], tuple[str, str]]
    """Per switch and port: the device and its MAC address at the other end."""
    owners: dict[str, str]
    """The switch whose hosts have the addresses of a prefix."""


def _route(line: str) -> tuple[str, list[tuple[str, str]]]:
    words = line.split()
    via, ports = ([value for key, value in itertools.pairwise(words) if key == what] for what in ("via", "dev"))
    return words[2], list(itertools.zip_longest(via, ports, fillvalue=""))


def read_files(version: Path) -> Files:
    table: Table = {}
    neighbours: dict[str, set[tuple[str, ...]]] = {}
    for folder in (version / "switches").iterdir():
        lines = (folder / "routes.batch").read_text().splitlines()
        table[folder.name] = dict(_route(line) for line in lines)
        neighbours[folder.name] = _neighbours(folder / "neighbours.batch")
        neighbours[folder.name] |= {tuple(line.split()) for line in (folder / "links").read_text().splitlines()}
    rows = list(csv.DictReader((version / "ports.csv").read_text().splitlines()))
    macs = {(row["switch"], row["port"]): row["mac"] for row in rows}
    links = {(row["switch"], row["port"]): (row["to"], macs.get((row["to"], row["to_port"]), "")) for row in rows}
    routes = [(switch, prefix, hops) for switch, rows in table.items() for prefix, hops in rows.items()]
    # Routes without a gateway lead to a switch's own hosts.
    hosts = {str(ip_network(prefix).network_address): switch for switch, prefix, hops in routes if not hops[0][0]}
    prefixes = {prefix for _, prefix, hops in routes if hops[0][0]}
    owners = {}
    for prefix in prefixes:
        inside = ip_network(prefix)
        first = (str(inside.network_address + number) for number in range(1, 255))
        owners[prefix] = next(hosts[address] for address in first if address in hosts)
    return Files(table, neighbours, links, owners)


def _neighbours(file: Path) -> set[tuple[str, ...]]:
    rows = [line.split() for line in file.read_text().splitlines()]
    found: set[tuple[str, ...]] = {(row[2], row[4], row[6]) for row in rows if row[0] == "neighbour"}
    return found | {(row[3], row[5]) for row in rows if row[:2] == ["link", "set"] and row[4] == "address"}


def check_rounds(old: Path, new: Path, rng: random.Random, last_first: bool = False) -> int:
    """Check all rounds of the version `new`, which lead from the version `old`; return the number of states.

    With `last_first`, the last round is loaded first. If there is more than one round, a check must then fail.
    """
    before, after = read_files(old), read_files(new)
    changes = new / "changes"
    listed = changes / "returning"
    returning = (
        [line[9:] for line in listed.read_text().split() if line.startswith("switches/")] if listed.exists() else []
    )
    assert {*returning} == after.table.keys() - before.table.keys()
    now = {switch: dict(before.table[switch]) for switch in before.table.keys() & after.table.keys()}
    neighbours = {switch: {*before.neighbours[switch]} for switch in now}
    for switch in returning:
        now[switch], neighbours[switch] = dict(after.table[switch]), {*after.neighbours[switch]}
    for file in changes.glob("0/*.batch"):
        neighbours[file.stem] |= _neighbours(file)
    count = 0
    rounds = sorted(int(path.name) for path in changes.iterdir() if path.name.isdigit() and path.name != "0")
    for number in [*rounds[-1:], *rounds[:-1]] if last_first else rounds:
        loaded: dict[str, dict[str, list[tuple[str, str]]]] = defaultdict(dict)
        for file in (changes / str(number)).glob("*.batch"):
            for line in file.read_text().splitlines():
                prefix, hops = _route(line)
                loaded[prefix][file.stem] = [] if line.startswith("route delete") else hops
                for address, port in loaded[prefix][file.stem]:
                    mac = after.links[file.stem, port][1]
                    assert (address, mac, port) in neighbours[file.stem], (file, line)
        for prefix, entries in loaded.items():
            for some in _states(sorted(entries), rng):
                _check(prefix, {switch: {prefix: entries[switch]} for switch in some}, now, before, after)
                count += 1
            both = {one: {prefix: now[one].get(prefix, []) + hops} for one, hops in entries.items() if hops}
            _check(prefix, both, now, before, after)
        for prefix, entries in loaded.items():
            for switch, hops in entries.items():
                now[switch] |= {prefix: hops}
                if not hops:
                    del now[switch][prefix]
    assert now == after.table
    assert all(after.neighbours[switch] <= neighbours[switch] for switch in now)
    return count


def _states(switches: list[str], rng: random.Random) -> Iterator[Iterable[str]]:
    if len(switches) <= 6:
        for count in range(len(switches) + 1):
            yield from itertools.combinations(switches, count)
        return
    for _ in range(6):
        order = rng.sample(switches, len(switches))
        yield from (order[:count] for count in range(len(order) + 1))


def _check(prefix: str, changed: Table, now: Table, before: Files, after: Files) -> None:
    """Follow all packets to a prefix, from all switches."""
    owner = after.owners.get(prefix, "")
    is_present = prefix in before.owners and prefix in after.owners
    arrives: dict[str, bool] = {owner: True}

    def walk(switch: str, path: tuple[str, ...]) -> bool:
        assert switch not in path, f"loop: {prefix} {path} {switch}"
        if switch not in arrives:
            hops = changed.get(switch, now[switch]).get(prefix, [])
            ends = []
            for _, port in hops:
                # A link that the new version lacks has failed, so packets over it are lost.
                to = after.links.get((switch, port), ("", ""))[0]
                ends.append(walk(to, (*path, switch)) if to in now else None)
            # A returning switch has all its entries from the beginning. Any other switch may have an entry only if the
            # entry's packets reach the destination.
            is_lost = bool(owner) and False in ends
            assert not is_lost or switch not in before.table, f"black hole: {prefix} {path} {switch}"
            arrives[switch] = bool(hops) and not is_lost
        return arrives[switch]

    for switch in now:
        assert walk(switch, ()) or not is_present, f"black hole: {prefix} at {switch}"
