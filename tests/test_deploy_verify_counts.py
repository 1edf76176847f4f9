"""Compare the counts that InfiniBand verification reports for small subnets with counts made by hand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import tulle
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.intent import Intent
from tulle.deploy.infiniband.verify import verify
from tulle.deploy.infiniband.write import write_bundle

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tulle.deploy.infiniband.verify import Verdict


@pytest.fixture(scope="module")
def row(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Deploy three switches in a row with a host each.

    The switches have LIDs 1 to 3. The hosts have two LIDs each: 4 and 5, 6 and 7, 8 and 9.
    """
    fabric = tulle.Fabric.from_edges([[0, 1], [1, 2]], 1)
    place = tmp_path_factory.mktemp("row") / "bundle"
    write_bundle(deploy_infiniband(tulle.route(fabric, "minimal").assign_vcs("one-vc"), lmc=1), place)
    return place


@pytest.fixture(scope="module")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Deploy a ring of five switches (LIDs 1 to 5) with two hosts each (LIDs 6 to 15); it needs two virtual lanes."""
    place = tmp_path_factory.mktemp("ring") / "bundle"
    plan = tulle.route("torus:shape=5,p=2", "minimal").assign_vcs("dfsssp:vcs=2")
    write_bundle(deploy_infiniband(plan, lmc=0), place)
    return place


def edited(source: Path, to: Path, *edits: tuple[str, str]) -> Path:
    text = source.read_text()
    for pattern, by in edits:
        text, count = re.subn(pattern, by, text, count=1, flags=re.MULTILINE)
        assert count == 1, pattern
    to.write_text(text)
    return to


def table(place: Path, to: Path, switch: int, lid: int, port: int | None) -> Path:
    """Write the bundle's forwarding tables; at one switch, change a LID's port or remove its entry."""
    parts = (place / "lfts").read_text().split("Unicast")
    line = rf"^0x{lid:04x} \d+(.*\n)"
    by = "" if port is None else rf"0x{lid:04x} {port:03}\1"
    parts[1 + switch], count = re.subn(line, by, parts[1 + switch], flags=re.MULTILINE)
    assert count == 1
    to.write_text("Unicast".join(parts))
    return to


def reported(verdict: Verdict) -> list[tuple[str, int]]:
    return [(difference.kind, difference.count) for difference in verdict.differences]


def checks(verdict: Verdict) -> dict[str, tuple[int, int]]:
    return {check.what: (check.good, check.of) for check in verdict.checks}


def test_all_that_is_compared_is_counted(row: Path, tmp_path: Path) -> None:
    tulle.Fabric(f"file:edges={row / 'fabric.json'}").write(tmp_path / "live.ibnet")
    lfts, sl2vl = (edited(row / name, tmp_path / name) for name in ("lfts", "sl2vl"))
    verdict = verify(row, lfts=lfts, sl2vl=[sl2vl], live=tmp_path / "live.ibnet")
    assert (verdict.agrees, verdict.notes) == (True, [])
    assert checks(verdict) == {
        "nodes": (6, 6),
        "cables between switches": (2, 2),
        "cables to hosts": (3, 3),
        "ports with their LIDs": (6, 6),
        # Each of three switches has entries for nine LIDs.
        "LFT entries": (27, 27),
        # A switch has a row for each pair of input port (including the management port) and output port. The three
        # switches have 3 · 2, 4 · 3 and 3 · 2 rows.
        "SL-to-VL rows of switches": (24, 24),
        "SL-to-VL rows of hosts": (3, 3),
        # Each of three switches has paths to the two LIDs of each of two remote hosts.
        "paths to LIDs walked": (12, 12),
        "layer paths between switches": (12, 12),
        # Paths use one lane on each of the four channels.
        "virtual lanes that are in no dependency cycle": (4, 4),
    }


def test_a_table_that_was_not_read(row: Path, tmp_path: Path) -> None:
    first, *tables = (row / "lfts").read_text().split("Unicast")
    assert len(tables) == 3
    (tmp_path / "lfts").write_text("Unicast".join([first, tables[0], tables[2]]))
    verdict = verify(row, lfts=tmp_path / "lfts")
    assert reported(verdict)[0] == ("table", 9)
    assert "its table was not read" in verdict.differences[0].instruction
    assert checks(verdict)["LFT entries"] == (18, 27)


def test_lids_of_no_planned_port_do_not_count(row: Path, tmp_path: Path) -> None:
    """Check that `verify` ignores a LID that is left from an earlier subnet, because no host sends packets to it."""
    edits = [
        (r"lids \[0-9\]", "lids [0-10]"),
        (r"^(0x0009 .*\n)", r"\g<1>0x000a 001 # Channel Adapter portguid 0x7: 'old'\n"),
    ]
    verdict = verify(row, lfts=edited(row / "lfts", tmp_path / "lfts", *edits))
    assert (verdict.agrees, checks(verdict)["LFT entries"]) == (True, (27, 27))


def test_paths_that_end_without_a_port(row: Path, tmp_path: Path) -> None:
    """Check the counts if the middle switch has no entry for LID 8 (the last host): two paths end at this switch."""
    verdict = verify(row, lfts=table(row, tmp_path / "lfts", 1, 8, None))
    assert reported(verdict) == [("table", 1), ("black-hole", 2)]
    assert "1 LID is not forwarded as planned" in verdict.differences[0].instruction
    assert "to no port instead of to port 2" in verdict.differences[0].instruction
    assert verdict.differences[1].instruction.startswith("2 paths end in switch 1")
    found = checks(verdict)
    assert (found["LFT entries"], found["paths to LIDs walked"]) == ((26, 27), (10, 12))
    assert found["layer paths between switches"] == (10, 12)


def test_paths_that_end_at_the_wrong_port(row: Path, tmp_path: Path) -> None:
    # The middle switch delivers packets for LID 9 (the last host) to its own host, so two paths end at the wrong host.
    verdict = verify(row, lfts=table(row, tmp_path / "lfts", 1, 9, 3))
    assert reported(verdict) == [("table", 1), ("wrong-end", 2)]
    assert verdict.differences[1].instruction.startswith("2 paths end at switch 1")
    # The first switch has no port 7.
    verdict = verify(row, lfts=table(row, tmp_path / "lfts", 0, 9, 7))
    assert reported(verdict) == [("table", 1), ("black-hole", 1)]
    assert checks(verdict)["paths to LIDs walked"] == (11, 12)


def test_paths_that_lead_around(row: Path, tmp_path: Path) -> None:
    verdict = verify(row, lfts=table(row, tmp_path / "lfts", 1, 8, 1))
    loops = [difference for difference in verdict.differences if difference.kind == "loop"]
    assert sum(loop.count for loop in loops) == 2
    assert all("through switch" in loop.instruction for loop in loops)
    assert checks(verdict)["paths to LIDs walked"] == (10, 12)
    # Packets loop between the first two switches. The switches discard packets that turn back, so their lanes form no
    # dependency cycle.
    assert [difference.kind for difference in verdict.differences] == ["table", *["loop"] * len(loops)]


def test_long_paths_are_no_loops(tmp_path: Path) -> None:
    """Check paths of more than 64 hops, among them one path that loops."""
    place = tmp_path / "long"
    fabric = tulle.Fabric.from_edges([[at, at + 1] for at in range(79)], [0, 79])
    write_bundle(deploy_infiniband(tulle.route(fabric, "minimal").assign_vcs("one-vc"), lmc=0), place)
    assert checks(verify(place, lfts=place / "lfts"))["paths to LIDs walked"] == (2, 2)
    # The last switch but one sends packets for the last host back.
    lid = int(read_bundle(place).endpoint_addresses[1][2])
    verdict = verify(place, lfts=table(place, tmp_path / "lfts", 78, lid, 1))
    assert [(kind, count) for kind, count in reported(verdict) if kind != "table"] == [("loop", 1)]


def test_rows_of_lanes_that_differ_or_were_not_read(row: Path, tmp_path: Path) -> None:
    edits = [(r"^(slvl 0x\w+ 1 2) 0", r"\1 1"), (r"^(slvl 0x\w+ 2 1) 0", r"\1 1")]
    verdict = verify(row, sl2vl=[edited(row / "sl2vl", tmp_path / "sl2vl", *edits)])
    assert reported(verdict) == [("lane", 2)]
    assert "2 SL-to-VL rows differ from the plan" in verdict.differences[0].instruction
    assert checks(verdict)["SL-to-VL rows of switches"] == (22, 24)
    missing = edited(row / "sl2vl", tmp_path / "missing", (r"^slvl 0x\w+ 1 2 .*\n", ""))
    verdict = verify(row, sl2vl=[missing])
    assert (verdict.agrees, checks(verdict)["SL-to-VL rows of switches"]) == (True, (23, 23))
    assert verdict.notes == ["1 SL-to-VL row was not read, and is assumed as planned"]


def test_rows_that_were_not_read_are_followed_as_planned(ring: Path, tmp_path: Path) -> None:
    """Check that `verify` assumes the planned lane if an SL-to-VL row was not read."""
    whole = verify(ring, sl2vl=[ring / "sl2vl"])
    missing = edited(ring / "sl2vl", tmp_path / "sl2vl", (r"^slvl 0x\w+ 1 2 .*\n", ""))
    verdict = verify(ring, sl2vl=[missing])
    assert verdict.notes == ["1 SL-to-VL row was not read, and is assumed as planned"]
    wanted = checks(whole)["virtual lanes that are in no dependency cycle"]
    assert checks(verdict)["virtual lanes that are in no dependency cycle"] == wanted


def test_circles_are_looked_for_on_the_lanes_that_were_read(ring: Path, tmp_path: Path) -> None:
    """Check that `verify` finds deadlocks if all service levels use one lane.

    Each direction of the ring then is a dependency cycle of five channels.
    """
    rows = [line.split(" ") for line in (ring / "sl2vl").read_text().splitlines()]
    one = [" ".join([*row[:4], *["0"] * 16] if row[0] == "slvl" else row) for row in rows]
    (tmp_path / "sl2vl").write_text("\n".join([*one, ""]))
    verdict = verify(ring, sl2vl=[tmp_path / "sl2vl"])
    assert {kind for kind, _ in reported(verdict)} == {"lane", "credit-loop"}
    assert verdict.differences[-1].instruction.startswith("10 lanes of links can deadlock")
    assert checks(verdict)["virtual lanes that are in no dependency cycle"] == (0, 10)


def test_hosts_that_have_not_asked_since_a_repair_are_followed_on_their_old_levels(ring: Path, tmp_path: Path) -> None:
    """Check that `verify` finds deadlocks if all hosts keep service level 0 on a ring that needs two lanes.

    Each direction of the ring then is a dependency cycle.
    """
    made = deploy_infiniband(tulle.route("torus:shape=5,p=2", "minimal").assign_vcs("dfsssp:vcs=2"), lmc=0)
    guids = [f"0x{guid:016x}" for guid in Intent(read_bundle(ring)).switch_guids]
    text = "".join(f"{guid} {lid} 0\n" for guid in guids for lid in range(6, 16))
    write_bundle(made, tmp_path / "bundle", unasked=text)
    verdict = verify(tmp_path / "bundle")
    assert [kind for kind, _ in reported(verdict)] == ["credit-loop"]
    assert verdict.differences[0].instruction.startswith("10 lanes of links can deadlock")
    assert any("path records changed in a repair under traffic" in note for note in verdict.notes)


def test_lids_and_lmcs_that_differ(row: Path, tmp_path: Path) -> None:
    live = tmp_path / "live.ibnet"
    tulle.Fabric(f"file:edges={row / 'fabric.json'}").write(live)
    text = live.read_text()
    live.write_text(text.replace("lid 6 lmc 1", "lid 6 lmc 0"))
    verdict = verify(row, live=live)
    assert reported(verdict) == [("lid", 1)]
    assert verdict.differences[0].instruction.endswith("has LMC 0, expected 1: set lmc 1 in opensm.conf")
    assert checks(verdict)["ports with their LIDs"] == (5, 6)
    live.write_text(text.replace("lid 6 lmc 1", "lid 10 lmc 1"))
    verdict = verify(row, live=live)
    assert reported(verdict) == [("lid", 1)]
    assert "has LID 10, expected 6: " in verdict.differences[0].instruction


def perfquery(folder: Path, *ports: tuple[int, int, dict[str, int]]) -> list[Path]:
    """Write one file in the format of `perfquery` per port; a port is given by LID, port number and counter values."""
    found = []
    for number, (lid, port, counts) in enumerate(ports):
        path = folder / f"perf{number}"
        lines = [f"# Port counters: Lid {lid} port {port} (CapMask: 0x1300)"]
        path.write_text("\n".join([*lines, *(f"{name}:...{count}" for name, count in counts.items())]) + "\n")
        found.append(path)
    return found


def test_errors_are_summed_and_the_most_frequent_says_what_to_do(row: Path, tmp_path: Path) -> None:
    files = perfquery(
        tmp_path,
        (2, 1, {"SymbolErrorCounter": 2, "PortXmitDiscards": 5, "PortXmitPkts": 900}),
        (1, 2, {"SymbolErrorCounter": 0, "PortXmitPkts": 7}),
        (7, 1, {"LinkDownedCounter": 1}),
    )
    verdict = verify(row, counters=files)
    assert reported(verdict) == [("errors", 7), ("errors", 1)]
    first, second = (difference.instruction for difference in verdict.differences)
    assert re.match(
        r"switch 1.* port .* has errors, 2 SymbolErrorCounter, 5 PortXmitDiscards: look for a stalled", first
    )
    # The second line is about LID 7, the second LID of the middle host.
    assert second == "host 1 has errors, 1 LinkDownedCounter: seat or replace its cable"
    assert checks(verdict)["ports without errors"] == (1, 3)


def records(path: Path, levels: Iterable[tuple[int, int, int]]) -> list[Path]:
    """Write path records, each with a source LID, a destination LID and a service level."""
    text = "".join(
        f"PathRecord dump:\n\t\tdlid....................{there}\n\t\tslid....................{here}\n"
        f"\t\tsl......................0x{level:x}\n"
        for here, there, level in levels
    )
    path.write_text(text)
    return [path]


def planned_levels(place: Path) -> list[tuple[int, int, int]]:
    """Return the planned path records between hosts at different switches; LIDs 6 and 7 are at the same switch."""
    levels = Intent(read_bundle(place)).levels
    pairs = [(here, there) for here in range(6, 16) for there in range(6, 16) if here // 2 != there // 2]
    return [(here, there, int(levels[here // 2 - 3, there])) for here, there in pairs]


def test_service_levels_as_planned(ring: Path, tmp_path: Path) -> None:
    levels = planned_levels(ring)
    assert (len(levels), {level for *_, level in levels}) == (80, {0, 1})
    # Between hosts of one switch, any service level is correct. `verify` ignores records with unplanned LIDs.
    more = [(6, 7, 5), (15, 14, 1), (9000, 6, 3), (6, 9000, 3)]
    verdict = verify(ring, paths=records(tmp_path / "paths", [*levels, *more]))
    assert (verdict.agrees, checks(verdict)["service levels of paths"]) == (True, (82, 82))


def test_hosts_on_service_level_0_void_the_proof(ring: Path, tmp_path: Path) -> None:
    levels = planned_levels(ring)
    on_one = [path for path in levels if path[2] == 1]
    # One path with a wrong service level is a difference, but creates no dependency cycle. If all hosts use level 0,
    # each direction of the ring is a dependency cycle.
    changed = [(here, there, 0 if (here, there, level) == on_one[0] else level) for here, there, level in levels]
    verdict = verify(ring, paths=records(tmp_path / "paths", changed))
    assert reported(verdict)[0] == ("level-zero", 1)
    assert "1 path has service level 0" in verdict.differences[0].instruction
    assert "expected 1: hosts that use it void the proof" in verdict.differences[0].instruction
    assert checks(verdict)["service levels of paths"] == (79, 80)
    (note,) = verdict.notes
    assert note.startswith("with all hosts on service level 0, 10 lanes of links can deadlock; one cycle of ")
    verdict = verify(ring, paths=records(tmp_path / "paths", [(here, there, 0) for here, there, _ in levels]))
    assert reported(verdict) == [("level-zero", len(on_one)), ("credit-loop", 1)]
    assert verdict.differences[1].instruction.startswith("10 lanes of links can deadlock")
    assert checks(verdict)["virtual lanes that are in no dependency cycle"] == (0, 10)


@pytest.mark.parametrize(("wrong", "lines", "last"), [(20, 20, 1), (21, 21, 1), (25, 21, 5)])
def test_twenty_other_service_levels_are_listed_one_by_one(
    ring: Path, tmp_path: Path, wrong: int, lines: int, last: int
) -> None:
    levels = planned_levels(ring)
    # Service level 2 uses the same lanes as level 0, and level 3 the same lanes as level 1. So paths with wrong levels
    # still use the planned lanes.
    changed = [(here, there, level + 2 * (at < wrong)) for at, (here, there, level) in enumerate(levels)]
    verdict = verify(ring, paths=records(tmp_path / "paths", changed))
    assert [kind for kind, _ in reported(verdict)] == ["level"] * lines
    assert reported(verdict)[-1] == ("level", last)
    further = "other service levels than planned: send" in verdict.differences[-1].instruction
    assert (further, checks(verdict)["service levels of paths"]) == (lines > 20, (80 - wrong, 80))
