"""Check the messages of `verify` and `repair` about missing folders, restored cables and hosts without a link."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from deploy_commands import refused

import tulle as library
from tulle.deploy.equal_paths import unused_equal_paths
from tulle.deploy.ethernet.bundle import read_bundle as read_ethernet
from tulle.deploy.ethernet.verify import verify as verify_ethernet
from tulle.deploy.infiniband.bundle import read_bundle

if TYPE_CHECKING:
    from conftest import Cli

SPEC = "fattree:levels=2,radix=4"


def test_a_missing_folder_is_reported_first(tulle: Cli) -> None:
    assert tulle("deploy", "frr", SPEC, "minimal", "-o", "bundle").returncode == 0
    assert tulle("deploy", "infiniband", SPEC, "minimal", "--lmc", "0", "-o", "ib").returncode == 0
    for option in ("--frr", "--fib", "--ovs", "--lfts"):
        assert "nosuch: no such folder" in refused(tulle("deploy", "verify", "nosuch", option, "ft"))
    assert "nosuch: no such file or folder" in refused(tulle("deploy", "verify", "bundle", "--frr", "nosuch/"))
    repair = ("deploy", "repair")
    assert "nosuch: no such folder" in refused(tulle(*repair, "nosuch", "--live", "live", "--dry-run"))
    assert "nosuch: no such folder" in refused(tulle(*repair, "bundle", "--to", "nosuch", "--dry-run"))
    assert "nosuch: no such file or folder" in refused(tulle(*repair, "bundle", "--live", "nosuch", "--dry-run"))


def test_a_bundle_without_its_header_is_incomplete(tmp_path: Path, tulle: Cli) -> None:
    assert tulle("deploy", "linux", SPEC, "minimal", "-o", "bundle").returncode == 0
    (tmp_path / "bundle/versions/0001/bundle.json").unlink()
    for change in (("--dead-switch", "s0"), ("--to", "bundle"), ("--live", "live")):
        assert "bundle: has no bundle.json" in refused(tulle("deploy", "repair", "bundle", *change, "--dry-run"))


def test_a_repair_of_an_earlier_version_is_not_loaded(tmp_path: Path, tulle: Cli) -> None:
    """Check that the next step after a repair of a version that is not in use is not to load its changes."""
    assert tulle("deploy", "linux", "slimfly:q=3", "minimal", "-o", "b").returncode == 0
    first = tulle("deploy", "repair", "b", "--dead-cable", "s0-0-0:s0-0-1", "-o", "b")
    assert "load the changes of all switches" in first.stdout
    other = tulle("deploy", "repair", "b/versions/0001", "--dead-cable", "s0-0-0:s1-0-0", "-o", "other")
    steps = other.stdout.partition("\nnext steps\n")[2]
    assert steps == "1. run `tulle deploy repair b --to other -o b`, which writes the changes to load\n"
    # If no part of the earlier version has failed, nothing is written, and the version itself is the target.
    up = [{"ifname": f"eth{number}", "operstate": "UP", "flags": ["UP", "LOWER_UP"]} for number in range(1, 9)]
    (tmp_path / "links").mkdir()
    for name in read_ethernet(tmp_path / "b").plan.names:
        (tmp_path / f"links/{name}.json").write_text(json.dumps(up))
    nothing = tulle("deploy", "repair", "b/versions/0001", "--live", "links", "-o", "none").stdout
    assert nothing.endswith("to use this version, run `tulle deploy repair b --to b/versions/0001 -o b`\n")
    assert not (tmp_path / "none").exists()
    # The version in use is the bundle itself.
    same = tulle("deploy", "repair", "b/versions/0002", "--dead-cable", "s0-0-0:s1-0-0", "-o", "same")
    assert "same/changes/README.md" in same.stdout


def test_a_switch_without_a_table_counts_its_hosts(tmp_path: Path, tulle: Cli) -> None:
    assert tulle("deploy", "linux", SPEC, "minimal", "-o", "bundle").returncode == 0
    plan = read_ethernet(tmp_path / "bundle").plan
    (tmp_path / "tables").mkdir()
    for name in plan.names[1:]:
        (tmp_path / "tables" / f"{name}.json").write_text("[]")
    checks = verify_ethernet(tmp_path / "bundle", fib=[tmp_path / "tables"]).checks
    assert [(check.what, check.of) for check in checks if "own hosts" in check.what] == [
        ("kernel routes of own hosts", 8)
    ]
    assert checks[-1].what == "paths by kernel routes, if unread switches are as planned"


def up(folder: Path, names: dict[str, list[str]], *down: str) -> None:
    folder.mkdir(exist_ok=True)
    for switch, ports in names.items():
        rows: list[dict[str, Any]] = [
            {"ifname": port, "flags": ["UP", "LOWER_UP"], "operstate": "UP"}
            for port in ["lo", "eth0", *ports]
            if f"{switch}/{port}" not in down
        ]
        (folder / f"{switch}.json").write_text(json.dumps(rows))


@pytest.mark.parametrize("target", ["frr", "linux"])
def test_repaired_cables_are_reported_on_ethernet(tmp_path: Path, tulle: Cli, target: str) -> None:
    assert tulle("deploy", target, SPEC, "minimal", "-o", "first").returncode == 0
    plan = read_ethernet(tmp_path / "first").plan
    names = {plan.names[switch]: [port.name for port in ports] for switch, ports in enumerate(plan.ports)}
    result = tulle("deploy", "repair", "first", "--dead-cable", "s0-0:s1-0", "-o", "second")
    assert result.returncode == 0, result.stderr
    up(tmp_path / "live", names)
    result = tulle("deploy", "repair", "second", "--live", "live", "--dry-run")
    assert result.stdout == (
        "no part of the bundle has failed, but the bundle does not use 2 live ports (s0-0/eth1, s1-0/eth1): "
        "if a cable works again, run `tulle deploy repair second --to FIRST -o second`, where FIRST is the bundle from "
        "before the failure\n"
    )
    found = json.loads(tulle("deploy", "repair", "second", "--live", "live", "--dry-run", "--json").stdout)
    assert found["unused_ports"] == ["s0-0/eth1", "s1-0/eth1"]
    # The second bundle matches the network with the failed cable. The first bundle matches the network with the
    # restored cable. So `tulle deploy repair` reports no failures.
    up(tmp_path / "live", names, "s0-0/eth1", "s1-0/eth1")
    result = tulle("deploy", "repair", "second", "--live", "live", "--dry-run")
    assert result.stdout == "no failures: the bundle stays unchanged\n"
    up(tmp_path / "live", names)
    result = tulle("deploy", "repair", "first", "--live", "live", "--dry-run")
    assert result.stdout == "no failures: the bundle stays unchanged\n"
    # A host without a link does not change the switches' tables.
    up(tmp_path / "live", names, "s0-0/eth3")
    result = tulle("deploy", "repair", "first", "--live", "live", "--dry-run")
    assert result.stdout.startswith("1 host has no link (s0-0-h1): plug it in; the bundle stays unchanged")


def test_repaired_cables_are_reported_on_infiniband(tmp_path: Path, tulle: Cli) -> None:
    assert tulle("deploy", "infiniband", SPEC, "minimal", "--lmc", "0", "-o", "first").returncode == 0
    fabric = read_bundle(tmp_path / "first").fabric
    fabric.without(links="ids:0").write(tmp_path / "damaged", "ibnetdiscover")
    fabric.write(tmp_path / "whole", "ibnetdiscover")
    result = tulle("deploy", "repair", "first", "--live", "damaged", "--drained", "-o", "second")
    assert result.returncode == 0, result.stderr
    assert "\nwritten " in result.stdout
    result = tulle("deploy", "repair", "second", "--live", "whole", "--dry-run")
    assert result.stdout == (
        "no part of the bundle has failed, but the bundle does not use 1 live link: if a cable works again, "
        "load the bundle that was in use before the cable failed, or deploy a new one\n"
    )
    found = json.loads(tulle("deploy", "repair", "second", "--live", "whole", "--dry-run", "--json").stdout)
    assert found["unknown_links"] == 1
    result = tulle("deploy", "repair", "second", "--live", "damaged", "--dry-run")
    assert result.stdout == "no failures: the bundle stays unchanged\n"
    # A dry run prints why the change is not proved safe, writes nothing and exits with 0.
    result = tulle("deploy", "repair", "first", "--live", "damaged", "--dry-run")
    assert result.returncode == 0
    assert "written" not in result.stdout


def test_verify_does_not_send_to_repair_for_a_host(tmp_path: Path, tulle: Cli) -> None:
    assert tulle("deploy", "infiniband", SPEC, "minimal", "--lmc", "0", "-o", "bundle").returncode == 0
    fabric = read_bundle(tmp_path / "bundle").fabric
    known, edge = fabric.properties, fabric.endpoint_switch
    for column in ("endpoint_names", "endpoint_ports", "endpoint_addresses", "endpoint_links", "host_ports"):
        if column in known:
            known[column] = known[column][1:]
    left = type(fabric).from_edges(
        fabric.edges, edge[1:], num_switches=fabric.num_switches, labels=fabric.labels, properties=known
    )
    left.write(tmp_path / "live", "ibnetdiscover")
    result = tulle("deploy", "verify", "bundle", "--live", "live")
    assert result.returncode == 1
    assert "is missing: check its power and cables\n" in result.stdout
    assert "tulle deploy repair" not in result.stdout
    result = tulle("deploy", "repair", "bundle", "--live", "live", "--dry-run")
    assert result.stdout.startswith(
        "1 host is missing in the live file: power it on or plug it in; the bundle stays unchanged"
    )


@pytest.mark.parametrize(
    ("target", "command"), [("frr", "vtysh -f"), ("linux", "ip -force -batch"), ("ovs", "ovs-ofctl"), ("sonic", "")]
)
def test_the_readme_of_a_repaired_bundle_lists_changes(tmp_path: Path, tulle: Cli, target: str, command: str) -> None:
    assert tulle("deploy", target, SPEC, "minimal", "--link", "all:rate=100Gbps", "-o", "bundle").returncode == 0
    assert "changes/N" not in (tmp_path / "bundle" / "README.md").read_text()
    assert tulle("deploy", "repair", "bundle", "--dead-cable", "s0-0:s1-0", "-o", "bundle").returncode == 0
    text = (tmp_path / "bundle" / "README.md").read_text()
    assert "| `changes/N/` |" in text
    before, _, after = text.partition("## Load it")
    assert "Load only `changes/`" in before
    assert "nothing is restarted" in before
    assert "set up from scratch" in before
    assert after
    assert command in (tmp_path / "bundle" / "changes" / "README.md").read_text()


def suggested(text: str) -> list[list[str]]:
    """Return the words of the commands in backticks, as a shell reads them."""
    return [shlex.split(command) for command in re.findall(r"`(tulle [^`]*)`", text)]


def test_suggested_commands_quote_names_and_folders(tmp_path: Path, tulle: Cli) -> None:
    """Check that users can copy commands with folders and switches whose names a shell would split."""
    place, to = "my bundle", "my bundle/versions/0001"
    assert tulle("deploy", "linux", "slimfly:q=3", "minimal", "-o", place).returncode == 0
    assert tulle("deploy", "repair", place, "--dead-cable", "s0-0-0:s0-0-1", "-o", place).returncode == 0
    done = tulle("deploy", "rollback", place)
    assert suggested(done.stderr) == [
        ["tulle", "deploy", "rollback", place, "--to", "0002"],
        ["tulle", "deploy", "repair", place, "--to", to, "-o", place],
    ]
    (tmp_path / place / "current").unlink()
    found = refused(tulle("deploy", "rollback", place, "--to", "9"))
    assert "there is no version 9" in found
    for command in (("deploy", "verify", place, "--fib", "f"), ("deploy", "repair", place, "--live", "l", "--dry-run")):
        assert suggested(refused(tulle(*command))) == [["tulle", "deploy", "rollback", place, "--to", "0002"]]
    bundle = "my (IB) bundle"
    assert tulle("deploy", "infiniband", SPEC, "minimal", "--lmc", "0", "-o", bundle).returncode == 0
    back = ["tulle", "deploy", "rollback", bundle, "--drained"]
    assert suggested(refused(tulle("deploy", "repair", bundle, "--to", place, "--dry-run"))) == [back]
    readme = (tmp_path / bundle / "README.md").read_text()
    whole = str(tmp_path / bundle)
    commands = [command for command in suggested(readme) if len(command) > 3]
    assert len(commands) == 5
    assert all(whole in command for command in commands)
    for line in ("opensm -F", "install -m 644", "    tulle deploy repair"):
        words = shlex.split(next(row for row in readme.splitlines() if line in row))
        assert any(word.startswith(whole) for word in words)


def test_no_message_builds_a_command_by_hand() -> None:
    """Check that commands with values are made by `tulle_command`, which quotes the values."""
    by_hand = re.compile(r"tulle (?:cabling|deploy|fabric|lab) [^`\n]*\{(?!shown\})")
    examples = {"examples.py"}
    found = [
        f"{path.name}: {line.strip()}"
        for path in (Path(__file__).parents[1] / "python/tulle").rglob("*.py")
        if path.name not in examples
        for line in path.read_text(encoding="utf-8").splitlines()
        if by_hand.search(line)
    ]
    assert not found, found


def test_a_routing_that_uses_one_of_several_equal_paths_is_noted(tulle: Cli) -> None:
    spec = "fattree:levels=2,radix=8"
    done = tulle("deploy", "infiniband", spec, "updown", "--lmc", "0", "-o", "one")
    note = "uses one of several equally short paths: if all hosts send to all others, it carries about 25.0% of the"
    assert done.stderr.count(note) == 1
    assert "; updown:layers=4 uses more of them" in done.stderr
    for routing in ("minimal", "updown:layers=4", "updown:choice=all"):
        assert unused_equal_paths(library.route(spec, routing)) is None
    # The ratio of the throughputs is exact for equal numbers of endpoints per switch.
    fabric = library.Fabric(spec)
    best, own = (
        library.analysis.throughput(fabric, "all-to-all", library.route(fabric, routing)).lower
        for routing in ("minimal", "updown")
    )
    assert own / best == pytest.approx(0.25, rel=0.03)
    # Longer paths use other links on purpose.
    assert unused_equal_paths(library.route("slimfly:q=5", "almost-minimal:layers=4")) is None


@pytest.mark.parametrize(
    ("command", "legal"),
    [
        (("linux", "--deadlock", "lash:vcs=1"), "vcs=1; legal: vcs=3 to 7, or another scheme"),
        (("infiniband", "--deadlock", "lash:vcs=1", "--vls", "4"), "vcs=1; legal: vcs=3 to 4, or another scheme"),
        (("infiniband", "--deadlock", "lash:vcs=1", "--vls", "2"), "legal: a routing that needs at most 2, or another"),
    ],
)
def test_legal_numbers_of_virtual_channels_are_those_of_the_switches(
    tulle: Cli, command: tuple[str, ...], legal: str
) -> None:
    target, *options = command
    result = refused(tulle("deploy", target, "slimfly:q=3,p=1", "almost-minimal:layers=4", *options, "-o", "b"))
    assert legal in result
