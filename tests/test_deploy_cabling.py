"""Check that `tulle cabling verify` compares live files with the cabling of a bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from live_subnets import exchange, host_end, planned_subnet, switch_end, text_of
from watched_networks import neighbours

import tulle
from tulle.cli.command import run
from tulle.deploy.ethernet.bundle import read_bundle as read_ethernet
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.targets import target

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan


def test_a_subnet_is_compared_with_its_bundle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    routing = tulle.route("slimfly:q=3,p=2", "almost-minimal:layers=2")
    target("infiniband").bundle(routing, tmp_path / "b", deadlock="dfsssp")
    bundle = read_bundle(tmp_path / "b")
    subnet = planned_subnet(bundle, tmp_path / "live")
    command = ["cabling", "verify", str(tmp_path / "b"), "--live", str(tmp_path / "live")]
    assert run(command) == 0
    assert capsys.readouterr().out.endswith("all as planned\n")
    exchange(subnet, switch_end(bundle, 0, 1), switch_end(bundle, 0, 2))
    exchange(subnet, host_end(bundle, 0), host_end(bundle, 1))
    (tmp_path / "live").write_text(text_of(subnet))
    assert run([*command, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["planned"], found["agreeing"]) == ([36, 45], [34, 43])
    assert [fault["instruction"] for fault in found["faults"]] == [
        "swap the plugs at (0,0,0) port 6 and (0,0,0) port 7: their cables come from host 1 port 1 and host 0 port 1",
        "swap the plugs at (0,0,0) port 1 and (0,0,0) port 2: their cables come from (0,0,2) port 1 and (0,0,1) port 1",
    ]
    # Cables can be as planned, although a node has a new GUID.
    old = bundle.endpoint_addresses[0][0]
    new = planned_subnet(bundle, tmp_path / "planned").with_guids({old: 0x506B})
    (tmp_path / "live").write_text(text_of(new))
    assert run(command) == 0
    said = capsys.readouterr()
    assert said.out.endswith("all as planned\n")
    advice = f"`tulle deploy verify {tmp_path / 'b'} --live {tmp_path / 'live'}` says what to do"
    assert f"tulle: 1 node has a GUID that is not in the bundle: {advice}\n" in said.err


def lldp_by_alias(plan: EthernetPlan, switch: int) -> str:
    """Return the output of ``lldpctl -f json0`` on a switch whose neighbours announce the aliases of ports."""
    rows = []
    for port in plan.ports[switch]:
        if port.channel is not None:
            other, there = plan.peer(port)
            chassis = {"id": [{"type": "mac", "value": "02:00:00:00:00:01"}], "name": [{"value": plan.names[other]}]}
            far = {"id": [{"type": "local", "value": there.alias}]}
            rows.append({"name": port.name, "chassis": [chassis], "port": [far]})
    return json.dumps({"lldp": [{"interface": rows}]})


@pytest.mark.parametrize("name", ["linux", "sonic"])
def test_switches_with_lldp_are_compared_with_their_bundle(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    assert run(["deploy", name, "slimfly:q=3", "minimal", "--link", "all:rate=100Gbps", "-o", str(tmp_path / "b")]) == 0
    plan = read_ethernet(tmp_path / "b").plan
    files = [tmp_path / f"{switch}.json" for switch in plan.names]
    for switch, file in enumerate(files):
        file.write_text(lldp_by_alias(plan, switch) if name == "sonic" else neighbours(plan, switch))
    command = ["cabling", "verify", str(tmp_path / "b"), "--switches-only", "--live", *map(str, files)]
    capsys.readouterr()
    assert run(command) == 0
    assert capsys.readouterr().out.endswith("all as planned\n")
    files[0].write_text(json.dumps({"lldp": [{"interface": []}]}))
    files[plan.peer(plan.ports[0][0])[0]].write_text(json.dumps({"lldp": [{"interface": []}]}))
    assert run(command) == 1
    assert "missing: connect s0-0-0 port" in capsys.readouterr().out


def test_a_folder_without_plan_and_bundle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "live").write_text("")
    assert run(["cabling", "verify", str(tmp_path / "empty"), "--live", str(tmp_path / "live")]) == 2
    assert capsys.readouterr().err == (
        f"tulle: {tmp_path / 'empty'}: has no plan.json; legal: a folder of `tulle cabling plan` or `tulle deploy`\n"
    )


def test_a_cable_that_a_repair_removed_is_not_taken_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`tulle deploy verify` says how to use such a cable again, so the two commands must agree."""
    monkeypatch.chdir(tmp_path)
    routing = tulle.route("slimfly:q=3,p=2", "almost-minimal:layers=2")
    target("infiniband").bundle(routing, tmp_path / "b", deadlock="dfsssp")
    fabric = read_bundle("b").fabric
    fabric.write("whole", "ibnetdiscover")
    fabric.without(links=fabric.cables[:1]).write("cut", "ibnetdiscover")
    assert run(["deploy", "repair", "b", "--live", "cut", "-o", "b"]) == 0
    capsys.readouterr()
    assert run(["cabling", "verify", "b", "--live", "cut"]) == 0
    assert run(["cabling", "verify", "b", "--live", "whole"]) == 1
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("1. extra: keep the cable from ")
    # The plan of a bundle has no racks and no labels, so the line ends with the command.
    assert line.endswith("and `tulle deploy verify b --live whole` says how to use it again")
    assert "take out" not in line


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file can be cut off at the end of a line, within a line, or between two blocks."""
    target("infiniband").bundle(
        tulle.route("slimfly:q=3,p=2", "almost-minimal:layers=2"), tmp_path / "b", deadlock="dfsssp"
    )
    live = tmp_path / "live"
    planned_subnet(read_bundle(tmp_path / "b"), live)
    text = live.read_text()
    head = text.rindex("caguid")
    at_block = text.index("\n\n", len(text) // 4) + 2
    for part, problem in (
        (text[: text.index("\n", head) + 1], "the file is cut off after the line 'caguid="),
        (text[: head + 12], "the file is cut off in the line 'caguid="),
        (text[:at_block], " is missing: a file is cut off; legal: complete files"),
    ):
        live.write_text(part)
        assert run(["cabling", "verify", str(tmp_path / "b"), "--live", str(live)]) == 2
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert problem in said.err


@pytest.mark.parametrize("name", ["linux", "sonic", "infiniband"])
def test_a_plan_and_the_bundle_of_its_folder_have_the_same_ports(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table of the plan's cables agrees with this bundle; for a bundle of the file, a note says why it does not."""
    monkeypatch.chdir(tmp_path)
    Path("net.csv").write_text("source,target\nleaf1,leaf2\nleaf1,spine1\nleaf2,spine1\nleaf2,spine1\n")
    fabric, links = "file:edges=net.csv,p=1", ["--link", "all:rate=100Gbps"]
    options = ["--lmc", "0"] if name == "infiniband" else []
    assert run(["cabling", "plan", fabric, *links, "-o", "plan"]) == 0
    assert run(["deploy", name, "plan", "minimal", *options, "-o", "right"]) == 0
    assert run(["deploy", name, fabric, "minimal", *links, *options, "-o", "other"]) == 0
    note = "the table has all cables between switches, but at other ports: if it is the table of a cabling plan, write"
    capsys.readouterr()
    assert run(["cabling", "verify", "right", "--live", "plan/cables.csv"]) == 0
    assert note not in capsys.readouterr().err
    assert run(["cabling", "verify", "other", "--live", "plan/cables.csv"]) == 1
    assert note in capsys.readouterr().err
    # A cable that is missing in the table is missing, not down: no switch has reported its ports.
    rows = Path("plan/cables.csv").read_text().splitlines(keepends=True)
    Path("cut.csv").write_text("".join(rows[:-1]))
    assert run(["cabling", "verify", "right", "--live", "cut.csv"]) == 1
    said = capsys.readouterr()
    assert note not in said.err
    assert "\n1. missing: connect " in said.out
    assert "\n2. " not in said.out
