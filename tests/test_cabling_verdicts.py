"""Verify the cabling of a ring of four switches. The wiring and the expected instructions are written by hand."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

import pytest

import tulle as library
from tulle.cabling import Plan, plan_cabling, read_live, verify_cabling, write_plan
from tulle.cabling.live import tool_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from conftest import Cli

    from tulle.cabling import Verdict
    from tulle.cabling.plan import End

Line = tuple["End", "End", str]
"""A port, the port at the other end of its cable, and the rate that the first port reports."""
AT_56, AT_40, AT_14 = "4xFDR", "4xQDR", "1xFDR"
# Port 1 of a switch leads to its host; the next ports lead to its neighbours in ascending order.
NEIGHBOURS = {0: (1, 3), 1: (0, 2), 2: (1, 3), 3: (0, 2)}


@cache
def plan(links: str | None = "all:rate=40Gbps") -> Plan:
    fabric = library.Fabric.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]], 1)
    return plan_cabling(library.place(fabric if links is None else fabric.with_links(links)))


def port(switch: int, number: int) -> End:
    return f"edges-{switch}", str(number)


def between(a: int, b: int) -> tuple[End, End]:
    return port(a, 2 + NEIGHBOURS[a].index(b)), port(b, 2 + NEIGHBOURS[b].index(a))


def wires(of: Plan, *changes: tuple[tuple[End, End], tuple[End, End] | None]) -> list[tuple[End, End]]:
    """Return the planned cables with changes; a change moves a cable to other ports or removes it."""
    there = {frozenset(cable.ends): cable.ends for cable in of.cables}
    added = []
    for old, new in changes:
        del there[frozenset(old)]
        added += [new] if new is not None else []
    return [*there.values(), *added]


def lines(cables: Iterable[tuple[End, End]], rate: str = AT_40) -> list[Line]:
    return [line for a, b in cables for line in ((a, b, rate), (b, a, rate))]


def verdict(of: Plan, result: list[Line], folder: Path, *, switches_only: bool = False) -> Verdict:
    devices: dict[str, list[Line]] = defaultdict(list)
    for line in result:
        devices[line[0][0]].append(line)
    records = []
    for name, ports in devices.items():
        kind = "Switch" if name.startswith("edges") else "Ca"
        rows = [f'[{a[1]}] "X-{b[0]}"[{b[1]}] # "{b[0]}" lid 0 {rate}' for a, b, rate in ports]
        records.append("\n".join([f'{kind} 36 "X-{name}" # "{name}"', *rows]))
    (folder / "live").write_text("\n\n".join(records))
    return verify_cabling(of, read_live("ibnetdiscover", [folder / "live"]), switches_only=switches_only)


def reported(found: Verdict) -> list[tuple[str, str]]:
    return [(miswiring.kind, miswiring.instruction) for miswiring in found.miswirings]


def test_as_planned(tmp_path: Path) -> None:
    found = verdict(plan(), lines(wires(plan())), tmp_path)
    assert (found.agrees, found.notes, found.agreeing[:2], found.planned[:2]) == (True, (), (4, 4), (4, 4))
    found = verdict(plan(), lines(wires(plan())), tmp_path, switches_only=True)
    assert (found.agrees, found.agreeing[:2], found.planned[:2]) == (True, (0, 4), (0, 4))


def test_cables_are_slow_below_the_planned_rate_at_either_end(tmp_path: Path) -> None:
    # Cables at the planned rate and at a higher rate agree with the plan.
    for rate in (AT_40, AT_56):
        assert verdict(plan(), lines(wires(plan()), rate), tmp_path).agrees
    a, b = between(1, 2)
    for slow in (a, b):
        result = [(here, there, AT_14 if here == slow else rate) for here, there, rate in lines(wires(plan()))]
        found = verdict(plan(), result, tmp_path)
        instruction = (
            "reseat or replace the cable from edges-1 port 3 to edges-2 port 2: it runs at 14 Gbit/s instead of 40"
        )
        assert reported(found) == [("slow", f"{instruction} Gbit/s")]
        assert found.agreeing[1] == 3


def test_plans_without_rates_note_that_slow_cables_are_not_checked(tmp_path: Path) -> None:
    of = plan(None)
    found = verdict(of, lines(wires(of), AT_14), tmp_path)
    (note,) = found.notes
    assert found.agrees
    assert note.startswith("the plan has no rates, so slow cables are not found")


def test_a_missing_cable(tmp_path: Path) -> None:
    found = verdict(plan(), lines(wires(plan(), (between(0, 3), None))), tmp_path)
    assert reported(found) == [("missing", "connect edges-0 port 3 to edges-3 port 2")]
    assert (found.agreeing[1], found.planned[1]) == (3, 4)
    # No file shows the host node-2-0.
    host = (port(2, 1), ("node-2-0", "1"))
    found = verdict(plan(), lines(wires(plan(), (host, None))), tmp_path)
    assert reported(found) == [("missing", "connect edges-2 port 1 to node-2-0 port 1; the files do not show node-2-0")]


def test_an_extra_cable(tmp_path: Path) -> None:
    found = verdict(plan(), lines([*wires(plan()), (port(0, 9), port(2, 8))]), tmp_path)
    (miswiring,) = found.miswirings
    assert (miswiring.kind, {*miswiring.ends}) == ("extra", {port(0, 9), port(2, 8)})
    assert miswiring.instruction.startswith("take out the cable from ")


def test_a_plug_in_another_port(tmp_path: Path) -> None:
    a, b = between(0, 1)
    found = verdict(plan(), lines(wires(plan(), ((a, b), (a, port(1, 9))))), tmp_path)
    result = "move the plug at edges-1 port 9 to edges-1 port 2: its cable comes from edges-0 port 2"
    assert reported(found) == [("wrong-port", result)]


def test_a_row_of_plugs_that_are_a_port_too_far(tmp_path: Path) -> None:
    # On switch 1, the cable to switch 0 is in the port that is planned for the cable to switch 2. The cable to switch 2
    # is in a port that should be free.
    (zero, one), (other, two) = between(0, 1), between(1, 2)
    changes = ((zero, one), (zero, other)), ((other, two), (port(1, 9), two))
    found = verdict(plan(), lines(wires(plan(), *changes)), tmp_path)
    assert reported(found) == [
        ("wrong-port", "move the plug at edges-1 port 3 to edges-1 port 2: its cable comes from edges-0 port 2"),
        ("wrong-port", "move the plug at edges-1 port 9 to edges-1 port 3: its cable comes from edges-2 port 2"),
    ]


def test_two_plugs_in_each_others_ports(tmp_path: Path) -> None:
    # On switch 1, the plugs of the cables from switches 0 and 2 are swapped.
    (zero, one), (other, two) = between(0, 1), between(1, 2)
    found = verdict(plan(), lines(wires(plan(), ((zero, one), (zero, other)), ((other, two), (one, two)))), tmp_path)
    (miswiring,) = found.miswirings
    assert (miswiring.kind, {*miswiring.ends}, miswiring.cables) == ("swap", {one, other}, (4, 6))


def test_plugs_are_moved_within_a_device_rather_than_to_another(tmp_path: Path) -> None:
    # On switch 1, the cable from switch 0 is in the port that is planned for the cable from switch 2, which is missing.
    (zero, one), (other, two) = between(0, 1), between(1, 2)
    found = verdict(plan(), lines(wires(plan(), ((zero, one), (zero, other)), ((other, two), None))), tmp_path)
    assert reported(found) == [
        ("wrong-port", "move the plug at edges-1 port 3 to edges-1 port 2: its cable comes from edges-0 port 2"),
        ("missing", "connect edges-1 port 3 to edges-2 port 2"),
    ]
    # On switch 2, the cable from switch 3 is in the port that is planned for the cable from switch 1, which is missing.
    (one, two), (other, three) = between(1, 2), between(2, 3)
    found = verdict(plan(), lines(wires(plan(), ((one, two), None), ((other, three), (two, three)))), tmp_path)
    assert reported(found) == [
        ("wrong-port", "move the plug at edges-2 port 2 to edges-2 port 3: its cable comes from edges-3 port 3"),
        ("missing", "connect edges-1 port 3 to edges-2 port 2"),
    ]


def test_ports_with_two_reported_cables_are_listed_once(tmp_path: Path) -> None:
    """Check that two files that contradict each other about a port cause one fault, a conflict."""
    here, there = between(0, 1)
    astray, _ = between(2, 3)
    cables = wires(plan(), (between(2, 3), None))
    found = verdict(plan(), [*lines(cables), (astray, here, AT_40)], tmp_path)
    result = (
        "according to different files, edges-0 port 2 leads to edges-1 port 2 and to edges-2 port 3: "
        "collect all files again at the same time"
    )
    assert reported(found) == [("conflict", result)]
    assert found.miswirings[0].ends == (here, there, astray)


def files_of(of: Plan, first: str, cables: Iterable[tuple[End, End]], folder: Path) -> Verdict:
    """Verify a plan with a single LLDP file, from device `first`; the first end of each cable is a port of `first`."""
    interfaces = [
        {
            "name": a[1],
            "chassis": [{"name": [{"value": b[0]}]}],
            "port": [{"id": [{"type": "ifname", "value": b[1]}]}],
        }
        for a, b in cables
    ]
    (folder / f"{first}.json").write_text(json.dumps({"lldp": [{"interface": interfaces}]}))
    return verify_cabling(of, read_live("lldp", [folder / f"{first}.json"]), tool="lldp")


def ring(switches: int) -> tuple[Plan, str, list[tuple[End, End]]]:
    """Return the plan of a ring without hosts, its first switch, and the two cables of this switch."""
    of = plan_cabling(library.place(f"torus:shape={switches},p=0"))
    first = of.devices[0].name
    cables = [cable.ends for cable in of.cables if first in dict(cable.ends)]
    assert len(cables) == 2
    return of, first, [ends if ends[0][0] == first else ends[::-1] for ends in cables]


def test_one_end_is_enough_to_say_that_a_cable_is_missing(tmp_path: Path) -> None:
    of, first, (seen, missing) = ring(4)
    found = files_of(of, first, [seen], tmp_path)
    assert [miswiring.kind for miswiring in found.miswirings] == ["missing", "unseen"]
    assert {*found.miswirings[0].ends} == {*missing}
    assert found.miswirings[0].instruction.endswith(f"; the files do not show {missing[1][0]}")


@pytest.mark.parametrize(("switches", "shown", "more"), [(9, 8, ""), (10, 8, ", …")])
def test_cables_without_a_file_are_one_line(tmp_path: Path, switches: int, shown: int, more: str) -> None:
    """Check that cables without a file at either end are reported as unchecked in one line.

    Only the first switch of the ring has a file, so all cables except the two cables of this switch are unchecked.
    """
    of, first, own = ring(switches)
    found = files_of(of, first, own, tmp_path)
    (miswiring,) = found.miswirings
    rest = sorted(device.name for device in of.devices if device.name != first)
    result = f"{switches - 2} cables are not checked: there is no file of {', '.join(rest[:shown])}{more}"
    assert (miswiring.kind, miswiring.instruction, len(miswiring.cables)) == ("unseen", result, switches - 2)


def installed(of: Plan, cables: Iterable[tuple[End, End]], separator: str = ",", newline: str = "\n") -> str:
    """Return a table of installed cables, as a spreadsheet program saves it."""
    numbers = {frozenset(cable.ends): row for row, cable in enumerate(of.cables, 1)}
    rows = [["cable", "From", "from_port", "to", "to_port", "remark"]]
    rows += [[str(numbers.get(frozenset((a, b)), "")), *a, *b, "ok"] for a, b in cables]
    return newline.join(separator.join(row) for row in [*rows, [""] * 6])


@pytest.mark.parametrize(("separator", "newline", "mark"), [(",", "\n", ""), (";", "\r\n", "\ufeff"), ("\t", "\n", "")])
def test_tables_of_installed_cables(tmp_path: Path, tulle: Cli, separator: str, newline: str, mark: str) -> None:
    of = plan()
    path, folder = tmp_path / "installed.csv", tmp_path / "plan"
    write_plan(of, folder)
    command = ("cabling", "verify", str(folder), "--live", str(path))
    path.write_text(mark + installed(of, wires(of), separator, newline), newline="")
    assert tulle(*command).stdout.endswith("all as planned\n")
    # Two faults: the cable between switches 0 and 1 is missing, and two plugs are exchanged at switch 2.
    one, other = between(1, 2), between(2, 3)
    swapped = ((one, (one[0], other[0])), (other, (one[1], other[1])), (between(0, 1), None))
    path.write_text(mark + installed(of, wires(of, *swapped), separator, newline), newline="")
    result = tulle(*command)
    assert result.returncode == 1
    missing = of.at[between(0, 1)[0]] + 1
    lines = result.stdout.splitlines()
    (line,) = [line for line in lines if "missing: connect edges-0 port 2 to edges-1 port 2" in line]
    assert f"(cable {missing}; edges-0 proposed for {of.device['edges-0'].rack} U" in line
    (line,) = [line for line in lines if "swap the plugs at edges-2" in line]
    assert f"cables {', '.join(str(of.at[end] + 1) for end in sorted((one[1], other[0])))}" in line
    found = json.loads(tulle(*command, "--json").stdout)
    assert found["tool"] == "table"
    assert {tuple(fault["cable_numbers"]) for fault in found["faults"]} >= {(missing,)}
    assert all([row + 1 for row in fault["cables"]] == fault["cable_numbers"] for fault in found["faults"])


def test_a_dead_switch_is_one_miswiring(tmp_path: Path) -> None:
    of = plan()
    gone = [cable.ends for cable in of.cables if any(name == "edges-3" for name, _ in cable.ends)]
    assert len(gone) == 3
    found = verdict(of, lines(wires(of, *((ends, None) for ends in gone))), tmp_path)
    (one,) = found.miswirings
    assert (one.kind, one.ends, len(one.cables)) == ("absent", (("edges-3", ""),), 3)
    assert one.instruction.startswith("check whether switch edges-3 runs and has this name: the files show neither")
    assert not found.agrees
    # A fault elsewhere is still an instruction.
    lost = between(0, 1)
    found = verdict(of, lines(wires(of, *((ends, None) for ends in [*gone, lost]))), tmp_path)
    assert sorted(one.kind for one in found.miswirings) == ["absent", "missing"]
    # If most switches are absent, the wiring is incomplete, and every cable is listed.
    only = [cable.ends for cable in of.cables if {name for name, _ in cable.ends} <= {"edges-0", "node-0-0"}]
    rest = [cable.ends for cable in of.cables if cable.ends not in only]
    found = verdict(of, lines(wires(of, *((ends, None) for ends in rest))), tmp_path)
    assert {one.kind for one in found.miswirings} == {"missing"}
    # A table of installed cables says nothing about running switches.
    rows = [f"{a[0]},{a[1]},{b[0]},{b[1]}" for a, b in wires(of, *((ends, None) for ends in gone))]
    (tmp_path / "installed.csv").write_text("\n".join(["from,from_port,to,to_port", *rows]))
    seen = read_live("table", [tmp_path / "installed.csv"])
    assert [one.kind for one in verify_cabling(of, seen, tool="table").miswirings] == ["missing"] * 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "item,size,count,cost\nswitch,64,3,4\n",
            "csv:1:1: column from is missing in 'item, size, count, cost'; legal: from, from_port, to, to_port",
        ),
        ("from,from_port,to,to_port,to\na,1,b,2,c\n", "column to appears twice"),
        ("from,from_port,to,to_port\na,1,b\n", "csv:2:1: to_port is empty; legal: a row per installed cable"),
        ("from,from_port,to,to_port\na,1,b,2\nc,1,a,1\n", "csv:3:1: port '1' of 'a' already has the cable in line 2"),
        ('from;from_port;to;to_port\n"a"x;1;b;2\n', "text after a closing quote; legal: ';', or the end of the row"),
    ],
)
def test_wrong_tables_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "installed.csv"
    path.write_text(text)
    assert tool_of(path) == "table"
    with pytest.raises(library.FormatError) as refused:
        read_live("table", [path])
    assert words in str(refused.value)
