"""Check that `tulle cabling verify` names exactly the faults of a wiring, and that bad plans are rejected."""

from __future__ import annotations

import json
import os
import random
from collections import Counter, defaultdict
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import tulle as library
from tulle.cabling import Plan, plan_cabling, read_live, read_plan, verify_cabling, write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from tulle.cabling import Verdict
    from tulle.cabling.plan import End

FUZZ = int(os.environ.get("TULLE_FUZZ", "60"))
Wires = dict[frozenset["End"], str]
"""The two ends of each existing cable, and the cable's rate."""
FAST, SLOW = "4xFDR", "1xFDR"
SPEEDS = {FAST: "56GigBase", SLOW: "14GigBase"}


@cache
def plan(q: int = 5) -> Plan:
    fabric = library.Fabric(f"slimfly:q={q}", links="all:rate=56Gbps")
    return plan_cabling(library.place(fabric))


def wires(of: Plan) -> Wires:
    return {frozenset(cable.ends): FAST for cable in of.cables}


def lines(there: Wires) -> dict[str, list[tuple[End, End, str]]]:
    found: dict[str, list[tuple[End, End, str]]] = defaultdict(list)
    for ends, rate in there.items():
        a, b = sorted(ends)
        found[a[0]].append((a, b, rate))
        found[b[0]].append((b, a, rate))
    return found


def ibnetdiscover(of: Plan, there: Wires, path: Path) -> Path:
    records = []
    for name, links in lines(there).items():
        known = of.device.get(name)
        kind = "Switch" if known is None or known.kind == "switch" else "Ca"
        rows = [f'[{a[1]}] "X-{b[0]}"[{b[1]}] # "{b[0]}" lid 0 {rate}' for a, b, rate in links]
        records.append("\n".join([f'{kind} 36 "X-{name}" # "{name}"', *rows]))
    path.write_text("\n\n".join(records) + "\n")
    return path


def lldp(of: Plan, there: Wires, folder: Path) -> list[Path]:
    found, known = [], lines(there)
    for device in of.devices:
        if device.kind == "endpoint":
            continue
        interfaces = [
            {
                "name": a[1],
                "chassis": [{"name": [{"value": b[0]}]}],
                "port": [
                    {
                        # Endpoints can use port names that differ from the plan.
                        "id": [{"type": "ifname", "value": "eth0" if b[0].startswith("node") else b[1]}],
                        "auto-negotiation": [{"current": [{"value": SPEEDS[rate]}]}],
                    }
                ],
            }
            for a, b, rate in known.get(device.name, [])
        ]
        path = folder / f"{device.name}.json"
        path.write_text(json.dumps({"lldp": [{"interface": interfaces}]}))
        found.append(path)
    return found


def reported(verdict: Verdict) -> Counter[tuple[Any, ...]]:
    """Count faults by kind and place: cables for swapped, missing and slow cables, ports for all other faults.

    A swap is counted by its two cables, because the plugs at either end of these cables can be the swapped plugs.
    """
    return Counter(
        (fault.kind, fault.cables if fault.kind in ("swap", "missing", "slow") else frozenset(fault.ends))
        for fault in verdict.miswirings
    )


def verify(of: Plan, there: Wires, folder: Path, tool: str) -> Verdict:
    paths = [ibnetdiscover(of, there, folder / "live")] if tool == "ibnetdiscover" else lldp(of, there, folder)
    return verify_cabling(of, read_live(tool, paths), tool=tool)


@pytest.mark.parametrize(
    ("pattern", "count"), [("node-*", 200), ("node-s0-r0-i0-?", 4), ("sf-s0-r0-i0", 11), ("11", 40)]
)
def test_what_is_ignored_is_left_out_of_the_plan_as_well(tmp_path: Path, pattern: str, count: int) -> None:
    """Check that cables at ignored devices or ports are left out of the plan and are not reported as missing."""
    of = plan()
    outside = {
        frozenset(cable.ends)
        for cable in of.cables
        if any(fnmatchcase(text, pattern) for end in cable.ends for text in end)
    }
    there = wires(of)
    some = {ends: rate for ends, rate in there.items() if ends not in outside}
    assert len(outside) == count
    for left in (there, some):
        live = ibnetdiscover(of, left, tmp_path / "live.txt")
        verdict = verify_cabling(of, read_live("ibnetdiscover", [live]), ignore=[pattern])
        assert verdict.agrees
        assert sum(verdict.planned) == sum(verdict.agreeing) == len(of.cables) - count
        assert [note for note in verdict.notes if "ignored" in note] == [
            f"{count} planned cables at ignored devices or ports are not checked"
        ]
    lost = next(ends for ends in some if sum(name.startswith("sf-") for name, _ in ends) == 2)
    live = ibnetdiscover(of, {ends: rate for ends, rate in some.items() if ends != lost}, tmp_path / "live.txt")
    faults = verify_cabling(of, read_live("ibnetdiscover", [live]), ignore=[pattern]).miswirings
    assert [(fault.kind, {*fault.ends}) for fault in faults] == [("missing", {*lost})]


def test_files_without_the_network_or_cut_off_are_no_wiring(tmp_path: Path, tulle: Cli) -> None:
    assert tulle("cabling", "plan", "slimfly:q=5", "-o", "plan").returncode == 0
    whole = (tmp_path / "plan" / "exports" / "plan.ibnet").read_text()
    at = whole.index("[7]\t")
    line = whole[at : whole.index("\n", at)]
    quote = line.rindex('"')
    cut = "the file is cut off in the line '[7]"
    other = "no switch in the files ('another', 'other') is in the plan"
    none = "the files contain no devices, so no switch of the plan"
    for text, report in {
        "": none,
        "ibwarn: [31] mad_rpc: _do_madrpc failed; dport (DR path slid 0; dlid 0; 0)\n": none,
        'Switch 36 "S-000000000000abcd" # "other"\n[1] "S-000000000000abce"[1] # "another" lid 1 4xFDR\n': other,
        whole[: at + 12]: cut,
        whole[: at + line.index("#") + 5]: cut,
        whole[: at + quote - 1]: cut,
    }.items():
        (tmp_path / "live.txt").write_text(text)
        reported = tulle("cabling", "verify", "plan", "--live", "live.txt")
        assert (reported.returncode, reported.stdout, reported.stderr.count("\n")) == (2, "", 1), reported.stderr
        assert report in reported.stderr


def test_cables_that_one_end_alone_sees_are_counted(tmp_path: Path) -> None:
    """Check the note about cables that only one end reports; it counts cables whose ends both have a file."""
    of, there = plan(), wires(plan())
    live = ibnetdiscover(of, there, tmp_path / "live.txt")
    text = live.read_text()

    def notes() -> list[str]:
        verdict = verify_cabling(of, read_live("ibnetdiscover", [live]))
        assert verdict.agrees
        return [note for note in verdict.notes if "one end" in note]

    assert notes() == []
    a, b = next(cable.ends for cable in of.cables if cable.step == 1)
    line = f'[{a[1]}] "X-{b[0]}"[{b[1]}] # "{b[0]}" lid 0 {FAST}\n'
    assert text.count(line) == 1
    live.write_text(text.replace(line, ""))
    reported = f"port {a[1]} of {a[0]} does not report its cable to port {b[1]} of {b[0]}"
    assert notes() == [f"1 cable is reported by one end only: {reported}"]
    # A full dump has entries of switches and adapters. In a dump of switches only, it is normal that a host's cable is
    # reported by one end only.
    blocks = text.rstrip("\n").split("\n\n")
    endpoints = [block for block in blocks if block.startswith("Ca")]
    live.write_text("\n\n".join(block for block in blocks if block not in endpoints[:2]))
    assert [note.partition(":")[0] for note in notes()] == ["2 cables are reported by one end only"]
    live.write_text("\n\n".join(block for block in blocks if block not in endpoints))
    assert notes() == []
    files = lldp(of, there, tmp_path)
    verdict = verify_cabling(of, read_live("lldp", files), tool="lldp")
    assert (verdict.agrees, [note for note in verdict.notes if "one end" in note]) == (True, [])


@pytest.mark.parametrize("tool", ["ibnetdiscover", "lldp"])
def test_a_renamed_switch_is_one_fault(tmp_path: Path, tool: str) -> None:
    of, there = plan(), wires(plan())

    def verdict(moved: frozenset[End] = frozenset(), *, switches_only: bool = False) -> Verdict:
        kept = [ends for ends in there if ends != moved]
        if switches_only:
            # With --switches-only, `verify` does not expect the cables of hosts.
            kept = [ends for ends in kept if all(name.startswith("sf-") for name, _ in ends)]
        names = {"sf-s0-r0-i0": "swX", "sf-s1-r4-i4": "swY"}
        renamed = {frozenset((names.get(name, name), port) for name, port in ends): FAST for ends in kept}
        if tool == "ibnetdiscover":
            live = [ibnetdiscover(of, renamed, tmp_path / "live.txt")]
            return verify_cabling(of, read_live(tool, live), switches_only=switches_only)
        known = [replace(device, name=names.get(device.name, device.name)) for device in of.devices]
        files = lldp(replace(of, devices=tuple(known)), renamed, tmp_path)
        return verify_cabling(of, read_live(tool, files), tool=tool, switches_only=switches_only)

    faults = verdict().miswirings
    assert [fault.kind for fault in faults] == ["renamed", "renamed"]
    assert faults[0].instruction.startswith("sf-s0-r0-i0 is missing, and 'swX' has all its cables")
    assert [len(fault.cables) for fault in faults] == [11, 11]
    faults = verdict(switches_only=True).miswirings
    assert [fault.kind for fault in faults] == ["renamed", "renamed"]
    # A fault at a switch that was not renamed is still reported.
    moved = next(ends for ends in there if all(name.startswith(("sf-s0-r2", "node-s0-r2")) for name, _ in ends))
    kinds = [fault.kind for fault in verdict(moved).miswirings]
    assert kinds == ["renamed", "renamed", "missing"]


def test_the_intact_wiring_has_one_cable_more_than_a_plan_with_a_failed_cable(tmp_path: Path) -> None:
    of = plan_cabling(library.place(library.Fabric("slimfly:q=5").with_failures("links=1")))
    live = ibnetdiscover(plan(), wires(plan()), tmp_path / "live.txt")
    verdict = verify_cabling(of, read_live("ibnetdiscover", [live]))
    assert [fault.kind for fault in verdict.miswirings] == ["extra"]
    assert {*verdict.miswirings[0].ends} in [{*cable.ends} for cable in plan().cables]


@pytest.mark.parametrize("tool", ["ibnetdiscover", "lldp"])
def test_each_fault_is_named_once(tool: str, tmp_path: Path) -> None:
    of = plan()
    there = wires(of)
    between = [cable for cable in of.cables if cable.step == 3]
    (a, b), (c, d) = between[0].ends, between[17].ends
    del there[frozenset((a, b))], there[frozenset((c, d))]
    there[frozenset((a, d))] = there[frozenset((c, b))] = FAST
    del there[frozenset(between[40].ends)]
    there[frozenset((("sf-s0-r0-i0", "20"), ("sf-s0-r1-i0", "21")))] = FAST
    there[frozenset(between[60].ends)] = SLOW
    verdict = verify(of, there, tmp_path, tool)
    assert Counter(fault.kind for fault in verdict.miswirings) == {"swap": 1, "missing": 1, "extra": 1, "slow": 1}
    by = {fault.kind: fault for fault in verdict.miswirings}
    assert set(by["swap"].cables) == {of.at[a], of.at[c]}
    assert set(by["swap"].ends) in ({a, c}, {b, d})
    assert by["missing"].ends == between[40].ends
    assert set(by["extra"].ends) == {("sf-s0-r0-i0", "20"), ("sf-s0-r1-i0", "21")}
    assert by["slow"].ends == between[60].ends
    assert "14 Gbit/s instead of 56 Gbit/s" in by["slow"].instruction
    assert verdict.agreeing == (200, 50, 25, 96)


def faulty(of: Plan, draw: random.Random) -> tuple[Wires, Counter[tuple[Any, ...]]]:
    """Return the planned cables with random faults, and the faults that `verify` must report."""
    there, expected = wires(of), Counter[tuple[Any, ...]]()
    rows = draw.sample(range(len(of.cables)), 40)
    free = [(device.name, str(port)) for device in of.devices if device.kind == "switch" for port in range(40, 46)]
    draw.shuffle(free)
    for _ in range(draw.randrange(1, 9)):
        kind = draw.choice(("swap", "missing", "extra", "slow", "wrong-port"))
        row = rows.pop()
        a, b = of.cables[row].ends
        if kind == "swap":
            other = rows.pop()
            ends = [*of.cables[other].ends]
            draw.shuffle(ends)
            c, d = ends
            # The swap must not create a cable between two endpoints, because no switch reports such a cable.
            hosts = [{end[0].startswith("node") for end in ends} for ends in ((a, d), (c, b))]
            if {a[0], b[0]} & {c[0], d[0]} or {True} in hosts:
                continue
            del there[frozenset((a, b))], there[frozenset((c, d))]
            there[frozenset((a, d))] = there[frozenset((c, b))] = FAST
            expected[kind, tuple(sorted((row, other)))] += 1
        elif kind == "missing":
            del there[frozenset((a, b))]
            expected[kind, (row,)] += 1
        elif kind == "slow":
            there[frozenset((a, b))] = SLOW
            expected[kind, (row,)] += 1
        elif kind == "wrong-port":
            # One plug of the cable moves to a wrong port; the cable's other plug stays.
            to = free.pop()
            if to[0] == b[0]:
                continue
            del there[frozenset((a, b))]
            there[frozenset((to, b))] = FAST
            expected[kind, frozenset((a, to))] += 1
        else:
            ends = [free.pop(), free.pop()]
            if ends[0][0] == ends[1][0]:
                continue
            there[frozenset(ends)] = FAST
            expected[kind, frozenset(ends)] += 1
    return there, expected


@pytest.mark.parametrize("q", [5, 7])
def test_random_faults_are_named_exactly(q: int, tmp_path: Path) -> None:
    of, draw, named = plan(q), random.Random(q), Counter[str]()
    for number in range(FUZZ // 4):
        there, expected = faulty(of, draw)
        found = verify(of, there, tmp_path, "lldp" if number % 10 == 0 else "ibnetdiscover")
        assert reported(found) == expected, number
        named.update(kind for kind, _ in expected.elements())
    assert min(named.values()) > FUZZ // 15
    assert len(named) == 5


def apply(there: Wires, verdict: Verdict) -> Wires:
    """Follow the repair instructions one by one; return the resulting cables."""
    peers = {a: b for ends in there for a, b in (sorted(ends), sorted(ends)[::-1])}
    for fault in verdict.miswirings:
        ends = fault.ends
        if fault.kind == "extra":
            assert peers.pop(ends[0]) == ends[1]
            del peers[ends[1]]
        elif fault.kind == "missing":
            assert not {*ends} & {*peers}
            peers[ends[0]], peers[ends[1]] = ends[1], ends[0]
        elif fault.kind == "wrong-port":
            assert ends[1] not in peers
            far = peers.pop(ends[0])
            peers[far], peers[ends[1]] = ends[1], far
        else:
            assert fault.kind == "swap"
            one, two = (peers[end] for end in ends)
            peers[one], peers[two] = ends[1], ends[0]
            peers[ends[1]], peers[ends[0]] = one, two
    return {frozenset(pair): FAST for pair in peers.items()}


def test_instructions_repair_any_wiring(tmp_path: Path) -> None:
    """Check that the repair instructions restore the plan after plugs were moved to random ports and cables removed."""
    of, draw = plan(), random.Random(3)
    for _ in range(20):
        there = wires(of)
        rows = draw.sample([row for row, cable in enumerate(of.cables) if cable.step], draw.randrange(2, 60))
        ends = [end for row in rows for end in of.cables[row].ends]
        ends += [
            (f"sf-s{draw.randrange(2)}-r{draw.randrange(5)}-i{draw.randrange(5)}", str(at)) for at in range(30, 36)
        ]
        for row in rows:
            del there[frozenset(of.cables[row].ends)]
        draw.shuffle(ends)
        for a, b in list(zip(ends[::2], ends[1::2], strict=False))[: draw.randrange(len(ends) // 2 + 1)]:
            if a[0] != b[0]:
                there[frozenset((a, b))] = FAST
        verdict = verify(of, there, tmp_path, "ibnetdiscover")
        assert apply(there, verdict).keys() == wires(of).keys()


def test_half_done(tulle: Cli, tmp_path: Path) -> None:
    """Check `verify` after step 1 of the plan: it reports the cables of later steps as missing.

    If iblinkinfo reports a port as down, `verify` reports this port as down, too.
    """
    of = plan()
    write_plan(of, tmp_path / "plan")
    there = {ends: rate for ends, rate in wires(of).items() if of.cables[of.at[min(ends)]].step < 2}
    path = ibnetdiscover(of, there, tmp_path / "now.txt")
    result = tulle("cabling", "verify", str(tmp_path / "plan"), "--live", str(path), "--json")
    assert result.returncode == 1
    found = json.loads(result.stdout)
    assert found["agreeing"] == [200, 50, 0, 0]
    assert {fault["kind"] for fault in found["faults"]} == {"missing"}
    assert len(found["faults"]) == 125
    rows = [
        "Switch 0x5f00000000010000 sf-s0-r0-i0:",
        '    1    7[  ] ==(                Down/ Polling)==>             [  ] "" ( )',
        '    1    5[  ] ==( 4X 14.0625 Gbps Active/  LinkUp)==>       2    5[  ] "sf-s0-r0-i1" ( )',
    ]
    link = tmp_path / "link.txt"
    link.write_text("\n".join(rows))
    result = tulle("cabling", "verify", str(tmp_path / "plan"), "--live", str(link), "--json")
    kinds = Counter(fault["kind"] for fault in json.loads(result.stdout)["faults"])
    assert kinds == {"down": 1, "missing": 373}


def test_rates_that_could_be_better(tmp_path: Path) -> None:
    """Check that `verify` compares a cable's rate with the planned rate.

    If the plan has no rates, `verify` compares a cable's rate with the highest rate that its two ends support.
    """
    path = tmp_path / "link.txt"
    row = '  1  5[  ] ==( 4X 14.0625 Gbps Active/  LinkUp)==>  2  5[  ] "sf-s0-r0-i1" ( Could be 25.78125 Gbps)'
    path.write_text("\n".join(["Switch 0x5f00000000010000 sf-s0-r0-i0:", row]))
    seen = read_live("iblinkinfo", [path])
    for of, slow in ((plan(), 0), (plan_cabling(library.place("slimfly:q=5")), 1)):
        kinds = Counter(fault.kind for fault in verify_cabling(of, seen, tool="iblinkinfo").miswirings)
        assert (kinds["slow"], kinds["missing"]) == (slow, 374)


def test_good_wiring_and_exit_codes(tulle: Cli, tmp_path: Path) -> None:
    of = plan()
    write_plan(of, tmp_path)
    result = tulle("cabling", "verify", str(tmp_path), "--live", str(tmp_path / "exports" / "plan.ibnet"))
    assert result.stdout.endswith("all as planned\n")
    folder = tmp_path / "lldp"
    folder.mkdir()
    paths = [str(path) for path in lldp(of, wires(of), folder)]
    result = tulle("cabling", "verify", str(tmp_path / "plan.json"), "--live", *paths)
    assert result.stdout.endswith("all as planned\n")
    alone = tulle("cabling", "verify", str(tmp_path), "--live", paths[0], "--json")
    assert [fault["kind"] for fault in json.loads(alone.stdout)["faults"]] == ["unseen"]
    # The switch sf-s0-r0-i0 has a file without neighbours, so its cables to endpoints are reported as missing. Without
    # this file, they would be reported as unseen.
    (folder / "sf-s0-r0-i0.json").write_text('{"lldp": [{}]}')
    silent = tulle("cabling", "verify", str(tmp_path), "--live", *paths, "--json")
    faults = json.loads(silent.stdout)["faults"]
    assert [fault["kind"] for fault in faults] == ["missing"] * 4
    assert all(["sf-s0-r0-i0", str(port)] in faults[port - 1]["ends"] for port in range(1, 5))
    nothing = folder / "empty.json"
    nothing.write_text("")
    refused = tulle("cabling", "verify", str(tmp_path), "--live", *paths, str(nothing))
    assert refused.returncode == 2
    assert "empty.json:1:1: the file is empty; legal: JSON" in refused.stderr


BAD = [
    (lambda value: value.pop("steps"), "has no 'steps'"),
    (lambda value: value.update(more=1), "has 'more'"),
    (lambda value: value.update(format="other"), "unknown format"),
    (lambda value: value["cables"].append(value["cables"][0]), "a second cable at port"),
    (lambda value: value["cables"][0].update({"from": ["nobody", "1"]}), "'nobody' is not in devices"),
    (lambda value: value["cables"][0].update(step=9), "step 9 is not in steps; legal: 0 to 3"),
    (lambda value: value["cables"][0].update(length_mm=-1), "length_mm is out of range; legal: a whole number"),
    (lambda value: value["cables"][0].update(length_mm=1.5), "length_mm is not a count"),
    (lambda value: value["cables"][0].update(to=value["cables"][0]["from"]), "to itself"),
    (lambda value: value["devices"].append(value["devices"][0]), "is listed twice"),
    (lambda value: value["devices"][0].update(kind="router"), "legal: switch, endpoint"),
]


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_plans_are_refused_in_one_line(change: Any, message: str, tulle: Cli, tmp_path: Path) -> None:
    write_plan(plan_cabling(library.place("hyperx:shape=3x3")), tmp_path)
    path = tmp_path / "plan.json"
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))
    result = tulle("cabling", "verify", str(path), "--live", str(tmp_path / "exports" / "plan.ibnet"))
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert message in result.stderr


def test_another_network_is_refused(tulle: Cli, tmp_path: Path) -> None:
    write_plan(plan_cabling(library.place("hyperx:shape=3x3")), tmp_path / "one")
    write_plan(plan(), tmp_path / "two")
    live = str(tmp_path / "two" / "exports" / "plan.ibnet")
    result = tulle("cabling", "verify", str(tmp_path / "one"), "--live", live)
    assert result.returncode == 2
    assert "is in the plan" in result.stderr
    result = tulle("cabling", "plan", "slimfly:q=5", "-o", str(tmp_path / "x"), "--port", "swp")
    assert result.returncode == 2
    assert "legal: exactly one {}" in result.stderr


@pytest.mark.parametrize("through", [None, "optical"])
def test_mutated_plans_are_read_or_refused_in_one_line(through: str | None, tmp_path: Path) -> None:
    write_plan(plan_cabling(library.place("hyperx:shape=2x2", through=through)), tmp_path)
    path, draw = tmp_path / "plan.json", random.Random(0)
    text, refused = path.read_text(), []
    for _ in range(3 * FUZZ):
        at = draw.randrange(len(text))
        replaced = draw.choice(("", '"', "}", "]", "0", "-1", "1e999", "null", ",", "\u0000", "[" * 80, "ü"))
        path.write_text(text[:at] + replaced + text[at + draw.randrange(4) :])
        try:
            read_plan(path)
        except library.errors.FormatError as error:
            refused.append(str(error))
    assert len(refused) > FUZZ
    assert all(line.startswith(f"{path}:") and "\n" not in line for line in refused)
