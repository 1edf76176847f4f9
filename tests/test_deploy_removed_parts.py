"""Check commands on a bundle that a repair made smaller: a removed switch returns, or another part fails."""

from __future__ import annotations

import csv
import json
import random
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parent / "deploy"))
from deploy_commands import done, refused
from round_checker import check_rounds, read_files

if TYPE_CHECKING:
    from conftest import Cli

AGAIN = "run `tulle deploy repair b --to b/versions/0001 -o b`"


def commands(text: str) -> list[list[str]]:
    """The arguments of the commands of tulle that a text names."""
    return [found.split()[1:] for found in re.findall(r"`(tulle [^`]*)`", text)]


def report(folder: Path, *, lldp: bool = False, down: tuple[str, ...] = (), only: str = "") -> None:
    """Write the ports of all switches of the first version. `down` has switches, and cables ``A:B``."""
    rows = list(csv.DictReader(Path("b/versions/0001/ports.csv").read_text().splitlines()))
    folder.mkdir()
    for switch in {row["switch"] for row in rows} - {*down}:
        if only and switch != only:
            continue
        ports: list[dict[str, Any]] = []
        for row in (row for row in rows if row["switch"] == switch):
            is_up = not {row["to"], f"{switch}:{row['to']}", f"{row['to']}:{switch}"} & {*down}
            if not lldp:
                flags = ["UP", "LOWER_UP"] if is_up else ["UP"]
                ports.append({"ifname": row["port"], "flags": flags, "operstate": "UP" if is_up else "DOWN"})
            elif is_up:
                there = {
                    "chassis": [{"name": [{"value": row["to"]}]}],
                    "port": [{"id": [{"type": "ifname", "value": row["to_port"]}]}],
                }
                ports.append({"name": row["port"], **there})
        text = json.dumps(ports)
        if lldp:
            chassis = {"local-chassis": [{"chassis": [{"name": [{"value": switch}]}]}]}
            text = f"{json.dumps(chassis)}\n{json.dumps({'lldp': [{'interface': ports}]})}"
        (folder / f"{switch}.json").write_text(text)


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tulle: Cli) -> None:
    """Make a bundle from which a repair has removed a switch."""
    monkeypatch.chdir(tmp_path)
    done(tulle("deploy", "linux", "slimfly:q=3,p=2", "minimal", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-switch", "s0-0-1", "-o", "b"))


@pytest.mark.parametrize("lldp", [False, True])
def test_a_cable_that_is_back_is_one_line(tulle: Cli, lldp: bool) -> None:
    done(tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-cable", "s0-0-0:s0-0-1", "-o", "b"))
    report(Path("live"), lldp=lldp)
    cable, again = "s0-0-0/eth1:s0-0-1/eth1", AGAIN.replace("0001", "0003")
    event = json.loads(tulle("deploy", "watch", "b", "--live-command", "cat live/{switch}.json", "--json").stdout)
    (one,) = event["appeared"]
    assert (one["kind"], one["part"]) == ("port-unused", cable)
    assert one["instruction"] == f"the cable {cable} is up, but the bundle does not use it: {again}"
    text = done(tulle("deploy", "repair", "b", "--live", "live", "--dry-run"))
    assert f"the bundle does not use 1 live cable ({cable}): {again}" in text
    if lldp:
        text = tulle("cabling", "verify", "b", "--live", *map(str, sorted(Path("live").iterdir()))).stdout
        (line,) = (line for line in text.splitlines() if line.startswith("1. "))
        assert line.endswith(f": a repair has removed it from the bundle; to use it again, {again}")
    # If only one end is read, the other end can be down.
    command = "cat live/s0-0-0.json; test {switch} = s0-0-0"
    event = json.loads(tulle("deploy", "watch", "b", "--live-command", command, "--json").stdout)
    assert [one["part"] for one in event["appeared"] if one["kind"] == "port-unused"] == ["s0-0-0/eth1"]


@pytest.mark.parametrize("lldp", [False, True])
def test_a_switch_that_is_back_is_used_again(tulle: Cli, lldp: bool) -> None:
    report(Path("live"), lldp=lldp)
    text = done(tulle("deploy", "repair", "b", "--live", "live", "--dry-run"))
    assert (
        "no part of the bundle has failed, but the bundle does not use 5 live ports (s0-0-0/eth1, s0-0-2/eth2" in text
    )
    assert AGAIN in text
    told = json.loads(done(tulle("deploy", "repair", "b", "--live", "live", "--dry-run", "--json")))
    assert AGAIN in told["instruction"]
    for command in ("cp live/* {folder}", "cat live/{switch}.json"):
        event = json.loads(tulle("deploy", "watch", "b", "--live-command", command, "--json").stdout)
        assert (event["state"], event["failures"]) == ("differs", [])
        assert {one["kind"] for one in event["appeared"]} == {"port-unused"}
        assert all(AGAIN in one["instruction"] for one in event["appeared"])
    (again,) = commands(text)
    done(tulle(*again))
    assert check_rounds(Path("b/versions/0002"), Path("b/versions/0003"), random.Random(1)) > 100
    assert "no failures" in done(tulle("deploy", "repair", "b", "--live", "live", "--dry-run"))


def test_the_switch_is_back_while_another_part_is_down(tulle: Cli) -> None:
    report(Path("live"), down=("s1-2-2", "s0-0-0:s0-0-1"))
    repair = tulle("deploy", "repair", "b", "--live", "live", "--dry-run", "--json")
    assert json.loads(done(repair))["dead_switches"] == ["s1-2-2"]
    text = tulle("deploy", "repair", "b", "--live", "live", "--dry-run").stderr
    assert "the bundle does not use 4 live ports" in text
    one, other = commands(text)
    assert one == ["deploy", "repair", "b/versions/0001", "--live", "live", "-o", "OTHER"]
    # `watch` reads no file of the user, so it names the parts that are down.
    event = json.loads(tulle("deploy", "watch", "b", "--live-command", "cat live/{switch}.json", "--json").stdout)
    (unused, *_) = (row["instruction"] for row in event["appeared"] if row["kind"] == "port-unused")
    parts = ["--dead-switch", "s1-2-2", "--dead-cable", "s0-0-0/eth1:s0-0-1/eth1"]
    assert commands(unused) == [["deploy", "repair", "b/versions/0001", *parts, "-o", "OTHER"], other]
    done(tulle(*commands(unused)[0][:-1], "named"))
    done(tulle(*one))
    named, seen = (read_files(Path(place)) for place in ("named", "OTHER"))
    assert (named.table, named.links) == (seen.table, seen.links)
    done(tulle(*other))
    table = read_files(Path("b")).table
    assert "s0-0-1" in table
    assert "s1-2-2" not in table
    assert check_rounds(Path("b/versions/0002"), Path("b/versions/0003"), random.Random(1)) > 100


def test_parts_that_were_removed_are_named(tulle: Cli) -> None:
    for name in ("s0-0-1", "(0,0,1)"):
        message = refused(tulle("deploy", "repair", "b", "--dead-switch", name, "-o", "b"))
        removed = "the repair that made version 0002 has removed switch s0-0-1 already; legal: parts of version 0002"
        assert f"--dead-switch {name}: {removed}" in message
    for cable in ("s0-0-0:s0-0-1", "s0-0-0/eth1:s0-0-1/eth1"):
        message = refused(tulle("deploy", "repair", "b", "--dead-cable", cable, "-o", "b"))
        assert f"--dead-cable {cable}: {removed}" in message
    done(tulle("deploy", "repair", "b", "--dead-cable", "s0-1-0:s0-1-1", "-o", "b"))
    for cable in ("s0-1-0:s0-1-1", "s0-1-1:s0-1-0"):
        message = refused(tulle("deploy", "repair", "b", "--dead-cable", cable, "-o", "b"))
        assert "the repair that made version 0003 has removed this cable already" in message
    assert "no switch is named 'nobody'" in refused(
        tulle("deploy", "repair", "b", "--dead-switch", "nobody", "-o", "b")
    )
    assert not Path("b/versions/0004").exists()


def test_verify_skips_removed_switches_and_lists_their_hosts(tulle: Cli) -> None:
    Path("fib").mkdir()
    for switch in Path("b/versions/0001/switches").iterdir():
        used = Path("b/switches") / switch.name
        lines = ((used if used.is_dir() else switch) / "routes.batch").read_text().splitlines()
        text = "".join(f"{line.removeprefix('route replace ')}\n" for line in lines).replace(" nexthop", "\n\tnexthop")
        (Path("fib") / f"{switch.name}.txt").write_text(text)
    text = done(tulle("deploy", "verify", "b", "--fib", "fib"))
    assert "as planned, but without 2 hosts that a repair removed: s0-0-1-h1, s0-0-1-h2" in text
    (Path("fib") / "nobody.txt").write_text("")
    message = refused(tulle("deploy", "verify", "b", "--fib", "fib"))
    assert "no switch of the bundle is named nobody" in message


def test_a_switch_returns_with_a_new_guid_after_a_repair_without_it(tulle: Cli) -> None:
    """Check on InfiniBand that the printed commands lead to a bundle with the new GUID."""
    scheme = ("--lmc", "1", "--deadlock", "colouring")
    done(tulle("deploy", "infiniband", "slimfly:q=3", "almost-minimal:layers=2", *scheme, "-o", "ib"))
    whole = ("fabric", "file:edges=ib/versions/0001/fabric.json")
    done(tulle(*whole, "--write", "whole.ibnet"))
    done(tulle(*whole, "--fail", "switches=ids:1", "--write", "dead.ibnet"))
    text = Path("whole.ibnet").read_text()
    done(tulle("deploy", "repair", "ib", "--live", "dead.ibnet", "-o", "ib"))
    Path("live").mkdir()
    Path("live/now.ibnet").write_text(text.replace("5f00000000010100", "506b4b0300a1c2e0"))
    bind = "then `tulle deploy repair ib --live live/now.ibnet --bind '(0,0,1)=0x506b4b0300a1c2e0' -o ib`"
    back = "stop traffic, and run `tulle deploy rollback ib --to 0001 --drained`"
    assert f"{back}, {bind}" in done(tulle("deploy", "repair", "ib", "--live", "live/now.ibnet", "--dry-run"))
    assert f"{back}, {bind}" in tulle("deploy", "verify", "ib", "--live", "live/now.ibnet").stdout
    # Another switch fails before the first one is used again.
    done(tulle(*whole, "--fail", "switches=ids:7", "--write", "second.ibnet"))
    second = tulle("deploy", "repair", "ib", "--live", "second.ibnet", "--dry-run")
    assert f"8 live links: to use them, {back}, then repair the bundle" in second.stderr
    done(tulle("deploy", "rollback", "ib", "--to", "0001", "--drained"))
    done(
        tulle("deploy", "repair", "ib", "--live", "live/now.ibnet", "--bind", "(0,0,1)=0x506b4b0300a1c2e0", "-o", "ib")
    )
    assert "all as planned" in done(tulle("deploy", "verify", "ib", "--live", "live/now.ibnet"))
