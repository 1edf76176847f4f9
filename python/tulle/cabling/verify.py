"""Compare a plan with the actual cables, even if wiring is incomplete, and report each miswiring as an instruction.

The algorithm uses a graph whose nodes are ports. Every port has at most one planned cable and at most one actual cable.
If planned and actual cables differ, they form paths and cycles that alternate between both. A cycle means that k plugs
are exchanged, which k - 1 swaps correct. A path begins or ends at a port that is free, or that should not be used.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tulle._internal.arguments import read_texts
from tulle._internal.text import are, counted, verb
from tulle.cabling.identity import resolve
from tulle.cabling.link_segments import by_cable
from tulle.cabling.links import RECEIVE, links_of, whole
from tulle.cabling.live import live_tool
from tulle.cabling.miswirings import Miswiring, Verdict
from tulle.cabling.observed import Observed, is_ignored, observe
from tulle.cabling.source import shown
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tulle.cabling.live.port_record import PortRecord
    from tulle.cabling.plan import End, Plan

__all__ = ["compare_cables", "renamed_switches", "slow_text", "verify_cabling"]

NO_RATES = "the plan has no rates, so slow cables are not found"
"""The note about plans without rates."""
# Maximum number of characters of a name in an error.
_SHOWN = 60


def verify_cabling(
    plan: Plan,
    seen: Iterable[PortRecord],
    *,
    tool: str = "ibnetdiscover",
    switches_only: bool = False,
    ignore: str | Sequence[str] = (),
) -> Verdict:
    """Compare a plan with the port records that tools report, and return the miswirings.

    Parameters
    ----------
    plan, seen
        The plan, and the port records from `tulle.cabling.live.read_live`.
    tool
        The tool that wrote the files, for example ``lldp``; see ``tulle list live-tools``.
    switches_only
        Whether to ignore cables to endpoints, for example if endpoints do not use LLDP.
    ignore
        Patterns (``eth*``) of devices and ports to ignore.

    Raises
    ------
    tulle.InputError
        For an unknown tool, for a file that is cut off, or if no switch of the plan is in the records.
    """
    ignore = read_texts("ignore", ignore)
    alone = live_tool(tool).is_per_device
    links = links_of(plan)
    seen = [*seen]
    unmatched = _unmatched(plan, seen, ignore)
    notes: list[str] = []
    if alone:
        resolved = resolve(seen, planned=_ports(links.plan), ignore=ignore, directed=links.directed)
        seen, notes = resolved.ports, resolved.notes
        unmatched = [pattern for pattern in unmatched if pattern in resolved.unmatched]
    found = observe(links.plan, seen, by_number=not alone, ignore=ignore, directed=links.directed)
    found.notes += notes
    found.notes += [f"no device or port matches --ignore {shown(pattern)}" for pattern in unmatched]
    if not _switches(plan, found.devices):
        if not found.devices:
            raise InputError("the files contain no devices, so no switch of the plan; legal: complete files")
        names = ", ".join(ascii(name[:_SHOWN]) for name in sorted(found.devices)[:3])
        raise InputError(f"no switch in the files ({names}) is in the plan; legal: names as in plan.json")
    # `iblinkinfo -S GUID` prints only one switch.
    if tool == "ibnetdiscover" or (tool == "iblinkinfo" and len(_switches(plan, found.reporters)) > 1):
        _check_complete(plan, found)
    hosts = {row for row, cable in enumerate(links.plan.cables) if switches_only and cable.step == 0}
    ignored = _ignored(links.plan, found, ignore) - hosts
    renamed = _renamed(links.plan, found, ignored | hosts)
    verdict = _Comparison(links.plan, found, alone, hosts, ignored).verdict()
    # A table lists installed cables, whether the switches run or not.
    keeps_cables = plan.joins or tool == "table"
    miswirings = verdict.miswirings if keeps_cables else _absent(plan, found, verdict.miswirings)
    verdict = replace(verdict, miswirings=(*renamed, *miswirings))
    return by_cable(plan, links, verdict) if plan.joins else verdict


def _switches(plan: Plan, names: Iterable[str]) -> list[str]:
    return [name for name in names if name in plan.device and plan.device[name].kind == "switch"]


def _check_complete(plan: Plan, found: Observed) -> None:
    """Refuse output of InfiniBand tools that has a cable to a planned switch, but no block of this switch.

    ibnetdiscover and iblinkinfo write a block for every switch. Blocks of adapters may be missing.
    """
    for (name, port_name), (other, far) in sorted(found.peers.items()):
        is_switch = other in plan.device and plan.device[other].kind == "switch"
        if is_switch and name in found.reporters and other not in found.reporters:
            raise InputError(
                f"port {port_name} of {name} leads to port {far} of {other}, but switch {other} is missing: a file is "
                "cut off; legal: complete files"
            )


def compare_cables(plan: Plan, found: Observed) -> tuple[Miswiring, ...]:
    """Return the miswirings of actual cables. Devices and ports in `found` have the names of the plan."""
    return _Comparison(plan, found, alone=False, hosts=set(), ignored=set()).verdict().miswirings


def _unmatched(plan: Plan, seen: Sequence[PortRecord], patterns: Sequence[str]) -> list[str]:
    """Return the patterns that match no device and no port, neither in the plan nor in the records."""
    names = {text for cable in plan.cables for end in cable.ends for text in end}
    names |= {text for port in seen for text in (port.device, port.port, port.neighbour, port.neighbour_port) if text}
    return [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in names)]


def _ports(plan: Plan) -> dict[str, set[str]]:
    """Return the devices of a plan with the ports of switches and of hosts with several ports."""
    ports: dict[str, set[str]] = {device.name: set() for device in plan.devices}
    for cable in plan.cables:
        for name, of in map(whole, cable.ends):
            if plan.device[name].kind == "switch" or len(plan.endpoint_ports.get(name, ())) > 1:
                ports[name].add(of)
            elif ":" in name:
                host, _, own = name.rpartition(":")
                ports.setdefault(host, set()).add(own)
    return ports


def _ignored(plan: Plan, found: Observed, patterns: Sequence[str]) -> set[int]:
    """Return the rows of planned cables at ignored devices or ports."""
    return {
        row
        for row, cable in enumerate(plan.cables)
        if any(
            end in found.ignored or is_ignored(end, plan.device[end[0]].known_as, patterns)
            for end in map(whole, cable.ends)
        )
    }


def renamed_switches(plan: Plan, found: Observed, left_out: set[int]) -> dict[str, str]:
    """Find renamed switches: the name in the files -> the planned name.

    A switch counts as renamed if it has exactly the cables of a missing planned switch, at the same ports. Cables in
    the rows `left_out` are ignored.
    """
    without = {end for row in left_out for end in plan.cables[row].ends}
    cables: dict[str, dict[str, End]] = {}
    for row, cable in enumerate(plan.cables):
        if row not in left_out:
            for (name, port), other in (cable.ends, cable.ends[::-1]):
                cables.setdefault(name, {})[port] = other
    there: dict[str, dict[str, End]] = {}
    for (name, port), other in found.peers.items():
        if name not in plan.device and other not in without:
            there.setdefault(name, {})[port] = other
    names: dict[str, str] = {}
    for device in plan.devices:
        if device.kind == "switch" and device.name not in found.devices and device.name in cables:
            alike = [name for name, of in there.items() if of == cables[device.name]]
            if len(alike) == 1:
                names[alike[0]] = device.name
    return names


def _renamed(plan: Plan, found: Observed, left_out: set[int]) -> list[Miswiring]:
    """Return the miswirings of renamed switches, and change `found` to their planned names."""
    names = renamed_switches(plan, found, left_out)
    if not names:
        return []

    def named(end: End) -> End:
        return names.get(end[0], end[0]), end[1]

    found.peers = {named(end): named(other) for end, other in found.peers.items()}
    found.rates = {named(end): of for end, of in found.rates.items()}
    found.best = {named(end): of for end, of in found.best.items()}
    found.down = {named(end): of for end, of in found.down.items()}
    found.reporters = {names.get(name, name) for name in found.reporters}
    found.devices = {names.get(name, name) for name in found.devices}
    return [
        Miswiring(
            "renamed",
            f"{planned} is missing, and {shown(name)} has all its cables: rename {shown(name)} to {planned}, or change "
            "the name in the plan",
            ((name, ""), (planned, "")),
            tuple(row for row, cable in enumerate(plan.cables) if planned in (cable.ends[0][0], cable.ends[1][0])),
        )
        for name, planned in sorted(names.items(), key=lambda pair: pair[1])
    ]


def _absent(plan: Plan, found: Observed, miswirings: Sequence[Miswiring]) -> list[Miswiring]:
    """Replace the missing cables of a switch that no file shows by one miswiring, because the switch is the cause.

    If most switches are absent, the wiring is incomplete, and every missing cable stays an instruction.
    """
    rows: dict[str, list[int]] = {}
    for one in miswirings:
        if one.kind in ("missing", "down"):
            for name in {name for name, _ in one.ends if name not in found.devices}:
                if plan.device[name].kind == "switch":
                    rows.setdefault(name, []).extend(one.cables)
    rows = {name: of for name, of in rows.items() if len(of) > 1}
    if 2 * len(rows) > sum(device.kind == "switch" for device in plan.devices):
        return [*miswirings]
    told: set[str] = set()
    kept = []
    for one in miswirings:
        names = [name for name, _ in one.ends if name in rows] if one.kind in ("missing", "down") else []
        if not names:
            kept.append(one)
        for name in names:
            if name not in told:
                told.add(name)
                text = (
                    f"check whether switch {name} runs and has this name: the files show neither the switch nor its "
                    f"{len(rows[name])} cables, which may be in place"
                )
                kept.append(Miswiring("absent", text, ((name, ""),), tuple(sorted(rows[name]))))
    return kept


class _Comparison:
    def __init__(self, plan: Plan, found: Observed, alone: bool, hosts: set[int], ignored: set[int]) -> None:
        self.plan, self.found, self.alone = plan, found, alone
        self.rows = [row for row in range(len(plan.cables)) if row not in ignored and row not in hosts]
        if ignored:
            count = len(ignored)
            found.notes.append(
                f"{counted(count, 'planned cable')} at ignored devices or ports {verb(count, 'is', 'are')} not checked"
            )
            # If a planned cable is ignored, the actual cable between its ports is ignored too.
            ends = {end for row in ignored for end in plan.cables[row].ends}
            found.peers = {
                end: other
                for end, other in found.peers.items()
                if not (end in ends and plan.at[end] in ignored and plan.other(end) == other)
            }
        self.looked = {end for row in self.rows for end in plan.cables[row].ends}
        self.miswirings: list[tuple[int, Miswiring]] = []
        """All miswirings, each with a row of the plan. The report is sorted by these rows."""
        self.unseen: list[int] = []
        if hosts:
            leaves = {device.name for device in plan.devices if device.kind == "endpoint"}
            found.peers = {
                end: other for end, other in found.peers.items() if end[0] not in leaves and other[0] not in leaves
            }

    def verdict(self) -> Verdict:
        agreeing = [0] * len(self.plan.steps)
        planned = [0] * len(self.plan.steps)
        hidden = self._conflicts()
        open_rows = []
        for row in self.rows:
            cable = self.plan.cables[row]
            planned[cable.step] += 1
            a, b = cable.ends
            if self.found.peers.get(a) == b:
                agreeing[cable.step] += not self._slow(row)
            elif not hidden & {a, b}:
                open_rows.append(row)
        self._walk(open_rows)
        if self.unseen:
            self._unseen()
        miswirings = tuple(miswiring for _, miswiring in sorted(self.miswirings, key=lambda pair: pair[0]))
        notes = [*self.found.notes]
        if all(self.plan.cables[row].rate is None for row in self.rows) and not self.found.best:
            notes.append(f"{NO_RATES}; to add rates, write the plan or the bundle again with --link all:rate=…")
        return Verdict(miswirings, tuple(agreeing), tuple(planned), tuple(notes))

    def _conflicts(self) -> set[End]:
        """Report every port for which the files name several cables. Return all ports of these cables."""
        hidden: set[End] = set()
        for end, others in sorted(self.found.conflicts.items()):
            hidden |= {end, *others}
            ends = [port(other) for other in sorted(others)]
            text = (
                f"according to different files, {port(end)} leads to {' and to '.join(ends)}: "
                "collect all files again at the same time"
            )
            self.miswirings.append((self._row(end, *others), Miswiring("conflict", text, (end, *sorted(others)))))
        return hidden

    def _row(self, *ends: End) -> int:
        rows = [self.plan.at[end] for end in ends if end in self.plan.at]
        return min(rows, default=len(self.plan.cables))

    def _slow(self, row: int) -> bool:
        cable, found = self.plan.cables[row], self.found
        a, b = cable.ends
        rates = [rate for end in cable.ends for rate in found.rates.get(end, ())]
        best = [found.best[end] for end in cable.ends if end in found.best]
        # If a rate is planned, only the planned rate counts, because it may be below the best rate of the ports.
        wanted = max(best, default=0) if cable.rate is None else cable.rate
        if not rates or min(rates) >= wanted:
            return False
        text = slow_text(port(a), port(b), min(rates), wanted)
        self.miswirings.append((row, Miswiring("slow", text, (a, b), (row,))))
        return True

    def _walk(self, rows: list[int]) -> None:
        """Follow the paths and cycles in which planned and actual cables alternate, and report their miswirings."""
        planned: dict[End, End] = {}
        for row in rows:
            a, b = self.plan.cables[row].ends
            planned[a], planned[b] = b, a
        there = {
            end: other
            for end, other in self.found.peers.items()
            if self.plan.other(end) != other or end not in self.looked
        }
        done: set[End] = set()
        ends = sorted({*planned, *there}, key=lambda end: (self._row(end), end))
        # Paths are followed first, each from one of its ends. All remaining ports are in cycles.
        for start in ends:
            if start not in done and not (start in planned and start in there):
                path = _follow(start, planned, there)
                done |= {*path}
                self._path(path, start in planned)
        cycles = []
        for start in ends:
            if start not in done:
                cycles.append(_follow(start, planned, there))
                done |= {*cycles[-1]}
        self._cycles(cycles)

    def _path(self, path: list[End], first: bool) -> None:
        """Report a path of ports. `first` tells whether the cable between the first two ports is a planned one."""
        last = first if len(path) % 2 == 0 else not first
        ways = []
        if first or not last:
            ways.append(path)
        if last or not first:
            ways.append(path[::-1])
        self.miswirings += min((self._moves(way, first or last) for way in ways), key=lambda found: found[0])[1]

    def _moves(self, path: list[End], planned: bool) -> tuple[tuple[int, list[End]], list[tuple[int, Miswiring]]]:
        """Return the instructions along a path, and their cost: the number of plugs that move to another device."""
        at, cost = self._row(*path), 0
        found = []
        if not planned:
            found.append((at, self._extra(path[0], path[1])))
            path = path[1:]
        # The free port. The next wrong plug on the path moves to this port.
        free = path[0]
        for near, far in zip(path[1::2], path[2::2], strict=False):
            cost += free[0] != far[0]
            text = f"move the plug at {port(far)} to {port(free)}: its cable comes from {port(near)}"
            found.append((at, Miswiring("wrong-port", text, (far, free), (self.plan.at[near],))))
            free = far
        if len(path) % 2 == 0 and len(path) > 1:
            row = self.plan.at[path[-1]]
            gone = self._gone(row)
            if gone is None:
                self.unseen.append(row)
            else:
                found.append((at, gone))
        return (cost, path), found

    def _cycles(self, paths: list[list[End]]) -> None:
        """Report cycles of ports. Every second plug is in a wrong port. A planned cable joins the first two ports."""
        pairs = [(path[1::2], path[0::2][:1] + path[0::2][:0:-1]) for path in paths]
        # A cycle does not show at which ends of its cables the plugs are exchanged. If links have directions, exchanged
        # plugs appear twice: in a cycle of transmit ports and in a cycle of receive ports.
        sides = Counter(_plugs(side) for pair in pairs for side in pair)
        done: set[frozenset[End]] = set()
        for path, pair in zip(paths, pairs, strict=True):
            ends = min(
                pair,
                key=lambda side: (
                    *(-sides[_plugs(side)], len({name for name, _ in side})),
                    *(len({*map(self._rack, side)}), side),
                ),
            )
            plugs = _plugs(ends)
            if plugs not in done:
                self._swaps(self._row(*path), ends, both=sides[plugs] > 1)
            if sides[plugs] > 1:
                done.add(plugs)

    def _swaps(self, at: int, ends: list[End], *, both: bool) -> None:
        """Report the swaps along a cycle. `both`: the transmit sides and the receive sides of ports are exchanged."""
        hub = ends[0]
        for other in ends[1:]:
            plugs = (whole(hub), whole(other)) if both else (hub, other)
            text = f"swap the plugs at {port(plugs[0])} and {port(plugs[1])}"
            if len(ends) == 2 and not both:
                far = [self.found.peers[end] for end in (hub, other)]
                text += f": their cables come from {port(far[0])} and {port(far[1])}"
            rows = (self.plan.at[hub], self.plan.at[other])
            self.miswirings.append((at, Miswiring("swap", text, plugs, tuple(sorted(rows)))))

    def _rack(self, end: End) -> str:
        return self.plan.device[end[0]].rack

    def _extra(self, a: End, b: End) -> Miswiring:
        return Miswiring("extra", f"take out the cable from {port(a)} to {port(b)}: it is not planned", (a, b))

    def _gone(self, row: int) -> Miswiring | None:
        """Return the miswiring for a missing cable; None if neither end has the file that its device should have."""
        a, b = self.plan.cables[row].ends
        reporters, devices = self.found.reporters, self.found.devices
        telling = (b,) if b[1].endswith(RECEIVE) else (a, b)
        if self.alone and all(name not in reporters for name, _ in telling):
            return None
        states = {self.found.down[end] for end in (a, b) if end in self.found.down}
        if states:
            which = "disabled: enable it" if "disabled" in states else "down: reseat, replace or insert the cable"
            return Miswiring("down", f"the link from {port(a)} to {port(b)} is {which}", (a, b), (row,))
        text = f"connect {port(a)} to {port(b)}"
        away = [name for name, _ in (a, b) if name not in devices]
        if away:
            text += f"; the files do not show {' and '.join(away)}"
        return Miswiring("missing", text, (a, b), (row,))

    def _unseen(self) -> None:
        rows = sorted({*self.unseen})
        names = sorted({name for row in rows for name, _ in self.plan.cables[row].ends})
        switches = [name for name in names if self.plan.device[name].kind == "switch"]
        shown = ", ".join(switches[:8]) + (", …" if len(switches) > 8 else "")
        text = f"{are(len(rows), 'cable')} not checked: there is no file of {shown}"
        self.miswirings.append((len(self.plan.cables), Miswiring("unseen", text, (), tuple(rows))))


def _follow(start: End, planned: dict[End, End], there: dict[End, End]) -> list[End]:
    """Return the ports from `start` on, along planned and actual cables alternately."""
    path, end = [start], start
    turn = planned if start in planned else there
    while end in turn:
        end = turn[end]
        if end == start:
            break
        path.append(end)
        turn = there if turn is planned else planned
    return path


def _plugs(side: Sequence[End]) -> frozenset[End]:
    return frozenset(map(whole, side))


def port(end: End) -> str:
    """Return a port as messages show it, for example ``leaf1 port 3``."""
    return f"{end[0]} port {end[1]}"


def slow_text(one: str, other: str, rate: int, wanted: int) -> str:
    """Return the instruction for a cable between two ports that runs at a lower rate than wanted."""
    speed = f"{_gigabits(rate)} instead of {_gigabits(wanted)}"
    return f"reseat or replace the cable from {one} to {other}: it runs at {speed}"


def _gigabits(rate: int) -> str:
    return f"{rate / 1e9:g} Gbit/s"
