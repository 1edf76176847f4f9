"""Find the switches, cables and hosts that repairs have removed from an Ethernet bundle.

If such a part works again, the user can return to an earlier version of the bundle that uses it. To be fast, the search
does not read the fabrics and routings of other versions.
"""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from tulle._internal.reading import read_text
from tulle._internal.text import brief, tulle_command
from tulle.deploy.ethernet.bundle import read_bundle, read_header
from tulle.deploy.ethernet.failures import NO_FAILURES, Failures
from tulle.deploy.ethernet.part_names import cable_name
from tulle.deploy.ethernet.port_map import PORTS
from tulle.deploy.ethernet.transition import check_transition
from tulle.deploy.versions.history import replaced_by
from tulle.deploy.versions.layout import VERSIONS, folder_of, numbers
from tulle.errors import InputError, TulleError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["ADDED", "Removed", "check_not_removed", "find_removed", "how_to_return", "unused_parts"]


ADDED = "if it was added, deploy a new bundle that has it, and change to it with `tulle deploy repair --to`"
"""What to do with a port that is up, but that no version of the bundle uses."""


class Removed(NamedTuple):
    """Parts that repairs have removed from a bundle."""

    switches: dict[str, str]
    """The names of switches, each with the number of the version that removed it."""
    labels: dict[str, str]
    """The names of the removed switches by their labels in the fabric."""
    cables: dict[frozenset[str], str]
    """The two ports ``A/eth3`` of a cable, with the number of the version that removed it."""
    hosts: tuple[str, ...]
    """The names of hosts at the removed switches."""


class _Parts(NamedTuple):
    """The content of a ``ports.csv``."""

    switches: dict[str, str]
    """The label of each switch in the fabric, by its name."""
    cables: frozenset[frozenset[str]]
    hosts: tuple[str, ...]
    ports: frozenset[str]
    """All ports, as ``A/eth3``."""


def find_removed(bundle: EthernetBundle) -> Removed:
    """Return the parts that repairs have removed: the bundle lacks them, but versions that it replaced have them."""
    now, folder = _parts(bundle.folder), bundle.folder
    removed = Removed({}, {}, {}, ())
    hosts: dict[str, None] = {}
    while (earlier := replaced_by(folder)) is not None and read_header(earlier).fabric == bundle.header.fabric:
        had = _parts(earlier)
        for name in had.switches.keys() - now.switches.keys():
            removed.switches.setdefault(name, folder.name)
            removed.labels.setdefault(had.switches[name], name)
        for cable in had.cables - now.cables:
            removed.cables.setdefault(cable, folder.name)
        hosts |= dict.fromkeys(host for host in had.hosts if host not in now.hosts)
        folder = earlier
    return removed._replace(hosts=tuple(hosts))


def check_not_removed(bundle: EthernetBundle, cables: Sequence[str], switches: Sequence[str]) -> None:
    """Check that no given switch or cable was removed by an earlier repair; unknown names are not checked.

    Raises
    ------
    tulle.InputError
        For a part that the version in use lacks, but that an earlier version has.
    """
    gone = find_removed(bundle)
    known = {*bundle.plan.names, *bundle.plan.fabric.labels}
    pairs = {_switches_of(cable) for cable in _parts(bundle.folder).cables}

    def refuse(option: str, text: str, number: str, what: str) -> NoReturn:
        raise InputError(
            f"{option} {brief(text)}: the repair that made version {number} has removed {what} already; legal: parts "
            f"of version {bundle.folder.name}"
        )

    for option, texts in (("--dead-switch", switches), ("--dead-cable", cables)):
        for text in texts:
            for end in text.split(":"):
                name = end.partition("/")[0]
                name = gone.labels.get(name, name)
                if name not in known and name in gone.switches:
                    refuse(option, text, gone.switches[name], f"switch {name}")
    for text in cables:
        ends = frozenset(text.split(":"))
        for cable, number in gone.cables.items():
            if ends == cable or (ends == _switches_of(cable) and ends not in pairs):
                refuse("--dead-cable", text, number, "this cable")


def _switches_of(cable: frozenset[str]) -> frozenset[str]:
    return frozenset(port.partition("/")[0] for port in cable)


def unused_parts(bundle: EthernetBundle, unused: Iterable[str]) -> list[str]:
    """Return the cables and ports that are up, but that the bundle does not use.

    If both ports of a cable of another version are in `unused`, the result has the cable ``A/eth3:B/eth7``. All other
    ports stay single, as ``A/eth3``.
    """
    ports = list(dict.fromkeys(unused))
    other_end: dict[str, str] = {}
    for folder in _others(bundle) if ports else ():
        for one, other in map(sorted, _parts(folder).cables):
            for here, there in ((one, other), (other, one)):
                other_end.setdefault(here, there)
    found: dict[str, None] = {}
    named: set[str] = set()
    for port in ports:
        there = other_end.get(port, "")
        is_cable = there in ports and other_end[there] == port
        if port not in named:
            found[f"{port}:{there}" if is_cable else port] = None
        named |= {port, there} if is_cable else {port}
    return list(found)


def how_to_return(
    bundle: EthernetBundle, unused: Iterable[str], *, live: Sequence[str] = (), dead: Failures = NO_FAILURES
) -> str:
    """Say how to use ports again that are up, but that the bundle does not use; empty if no version uses them.

    Parameters
    ----------
    bundle
        The bundle.
    unused
        The ports, as ``A/eth3``.
    live
        The words of the options with the files of the live state, for the printed command; empty: it names the parts
        that are down.
    dead
        The parts of the version in use that are down.
    """
    up, now = frozenset(unused), _parts(bundle.folder).ports
    # Only ports of the bundle's switches count, because the file of a switch that has returned may be missing.
    names = {port.partition("/")[0] for port in now}
    best: tuple[int, int, Path] | None = None
    for folder in _others(bundle):
        had = _parts(folder).ports
        down = sum(port.partition("/")[0] in names for port in had - now - up)
        used = len(had & up)
        if used and (best is None or (used, -down) > best[:2]):
            best = used, -down, folder
    if best is None:
        return ""
    _, down, folder = best
    place, number = bundle.place, folder.name
    has_failures = bool(dead.switches or dead.cables)
    try:
        other = read_bundle(folder)
        check_transition(bundle, other)
    except TulleError:
        drained = ["--drained"] if bundle.header.scheme else []
        back = tulle_command("deploy", "rollback", place, "--to", number, *drained)
        then = ", repair it without the parts that are still down" if down or has_failures else ""
        return f"stop traffic, run `{back}`{then}, and load the files of all switches"
    if not down and not has_failures:
        return f"run `{tulle_command('deploy', 'repair', place, '--to', folder, '-o', place)}`"
    options = live or _dead_options(bundle.plan, dead, _parts(folder), now | up, names)
    change = tulle_command("deploy", "repair", folder, *options, "-o", "OTHER")
    return (
        f"version {number} uses them, but other parts of it are down: run `{change}`, where OTHER is a new folder, "
        f"then `{tulle_command('deploy', 'repair', place, '--to', 'OTHER', '-o', place)}`"
    )


def _dead_options(
    plan: EthernetPlan, dead: Failures, had: _Parts, up: Collection[str], names: Collection[str]
) -> Iterator[str]:
    """Return the words of the options that name the parts of an earlier version which are down.

    `dead` has the failed parts of the version in use. A cable of the earlier version is also down if one of its ports
    is not in `up`; ports of switches that are not in `names` do not count. If all cables of a switch are down, the
    switch is named instead.
    """
    gone = {plan.names[switch] for switch in dead.switches}
    down = {cable for cable in had.cables if any(port.partition("/")[0] in names and port not in up for port in cable)}
    down |= {frozenset(cable_name(plan, cable).split(":")) for cable in dead.cables}
    for switch in sorted(had.switches.keys() - gone):
        own = {cable for cable in had.cables if switch in _switches_of(cable)}
        if own and own <= down:
            gone.add(switch)
    for name in sorted(gone):
        yield from ("--dead-switch", name)
    for cable in sorted(sorted(cable) for cable in down if not _switches_of(cable) & gone):
        yield from ("--dead-cable", ":".join(cable))


def _others(bundle: EthernetBundle) -> list[Path]:
    """The folders of the other versions of the bundle's fabric, the newest first."""
    place = bundle.folder.parent.parent
    if bundle.folder.parent.name != VERSIONS:
        return []
    folders = [folder_of(place, number) for number in reversed(numbers(place)) if number != bundle.folder.name]
    return [folder for folder in folders if read_header(folder).fabric == bundle.header.fabric]


def _parts(folder: Path) -> _Parts:
    """Read ``ports.csv`` of a version. Bundles of early releases have none, and then nothing is known."""
    path = folder / PORTS
    rows = list(csv.DictReader(read_text(path).splitlines())) if path.is_file() else []
    switches = {row["switch"]: row["fabric_switch"] for row in rows}
    cables = frozenset(
        frozenset((f"{row['switch']}/{row['port']}", f"{row['to']}/{row['to_port']}"))
        for row in rows
        if row["to"] in switches
    )
    hosts = tuple(row["to"] for row in rows if row["to"] not in switches)
    return _Parts(switches, cables, hosts, frozenset(f"{row['switch']}/{row['port']}" for row in rows))
