"""Check that deploy commands reject folders of other networks, unknown ports and unknown schemes before any work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deploy_commands import refused

from tulle.deploy.infiniband.bundle import read_bundle

if TYPE_CHECKING:
    from subprocess import CompletedProcess

    from conftest import Cli

DATA = Path(__file__).parent / "networks"
COMMANDS = {
    "infiniband": ("deploy", "infiniband", "{}", "minimal", "--lmc", "0"),
    "linux": ("deploy", "linux", "{}", "minimal"),
    "srv6": ("deploy", "srv6", "{}", "minimal"),
    "cabling": ("cabling", "plan", "{}"),
}


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_folder_of_another_fabric_is_not_replaced(tmp_path: Path, tulle: Cli, kind: str) -> None:
    def run(spec: str, *more: str) -> CompletedProcess[str]:
        return tulle(*(word.format(spec) for word in COMMANDS[kind]), "-o", "out", *more)

    assert run("clique:degree=3").returncode == 0
    before = content(tmp_path / "out")
    result = refused(run("clique:degree=4"))
    assert "clique:degree=3" in result
    assert "--force" in result
    assert content(tmp_path / "out") == before
    # The same fabric may replace the folder. A different fabric may replace it only with --force.
    assert run("clique:degree=3").returncode == 0
    assert run("clique:degree=4", "--force").returncode == 0
    assert content(tmp_path / "out") != before


def test_a_plan_of_another_damage_or_seed_is_not_replaced(tmp_path: Path, tulle: Cli) -> None:
    command = ("cabling", "plan", "jellyfish:switches=8,degree=3,p=1", "-o", "out")
    assert tulle(*command).returncode == 0
    before = content(tmp_path / "out")
    for other in (("--fail", "links=1"), ("--seed", "1")):
        result = refused(tulle(*command, *other))
        assert "(seed 0)" in result
        assert "--force" in result
        assert content(tmp_path / "out") == before
    assert tulle(*command, "--fail", "links=1", "--force").returncode == 0
    assert "(seed 0; links=1,seed=0)" in refused(tulle(*command))
    # Different port names do not make a different fabric.
    assert tulle(*command, "--fail", "links=1", "--port", "swp{}").returncode == 0


def test_a_folder_of_another_kind_is_not_replaced(tmp_path: Path, tulle: Cli) -> None:
    spec = "clique:degree=3"
    assert tulle("cabling", "plan", spec, "-o", "out").returncode == 0
    assert "contains a cabling plan of clique" in refused(tulle("deploy", "linux", spec, "minimal", "-o", "out"))
    assert tulle("deploy", "linux", spec, "minimal", "-o", "bundle").returncode == 0
    result = refused(tulle("deploy", "frr", spec, "minimal", "-o", "bundle"))
    assert "contains a bundle for linux" in result
    # A repair can replace its own bundle, but not another bundle.
    assert tulle("deploy", "linux", "clique:degree=4", "minimal", "-o", "other").returncode == 0
    repaired = ("deploy", "repair", "bundle", "--dead-cable", "0:1", "-o")
    before = content(tmp_path / "other")
    names = json.loads((tmp_path / "bundle" / "plan.json").read_text())["switches"]
    cable = f"{names[0]['name']}:{names[1]['name']}"
    repaired = ("deploy", "repair", "bundle", "--dead-cable", cable, "-o")
    assert "clique:degree=4" in refused(tulle(*repaired, "other"))
    assert content(tmp_path / "other") == before
    assert tulle(*repaired, "bundle").returncode == 0


def test_ports_of_ethernet_are_no_ports_of_infiniband(tmp_path: Path, tulle: Cli) -> None:
    assert tulle("import", "topo", str(DATA / "dual-homed.dot"), "-o", "f.json").returncode == 0
    result = refused(tulle("deploy", "infiniband", "file:edges=f.json", "minimal", "-o", "bundle"))
    assert "'swp" in result
    assert "1 to 254" in result
    assert "for Ethernet use `tulle deploy linux`" in result
    assert not (tmp_path / "bundle").exists()


def test_a_scheme_is_read_before_anything_else(tmp_path: Path, tulle: Cli) -> None:
    deploy = ("deploy", "infiniband", "clique:degree=3", "minimal", "--lmc", "0", "-o", "bundle")
    assert tulle(*deploy).returncode == 0
    read_bundle(tmp_path / "bundle").fabric.write(tmp_path / "live", "ibnetdiscover")
    repair = ("deploy", "repair", "bundle", "--live", "live", "-o", "bundle")
    assert "no failures" in tulle(*repair, "--deadlock", "lash").stdout
    assert "unknown deadlock scheme 'foo'" in refused(tulle(*repair, "--deadlock", "foo"))
    assert tulle("deploy", "linux", "clique:degree=3", "minimal", "-o", "ethernet").returncode == 0
    result = refused(tulle("deploy", "repair", "ethernet", "--dead-cable", "a:b", "--dry-run", "--deadlock", "lash"))
    assert "the network of the bundle is not lossless" in result


def test_a_live_file_without_lids_is_one_difference(tmp_path: Path, tulle: Cli) -> None:
    deploy = ("deploy", "infiniband", "slimfly:q=5", "minimal", "--lmc", "0", "-o", "bundle")
    assert tulle(*deploy).returncode == 0
    fabric = read_bundle(tmp_path / "bundle").fabric
    properties = fabric.properties
    for column in ("switch_addresses", "endpoint_addresses"):
        properties[column] = [(node, port, 0, 0, own) for node, port, _, _, own in properties[column]]

    def write_live() -> None:
        bare = type(fabric).from_edges(
            fabric.edges,
            fabric.endpoint_switch,
            num_switches=fabric.num_switches,
            labels=fabric.labels,
            properties=properties,
        )
        bare.write(tmp_path / "live", "ibnetdiscover")

    write_live()
    result = tulle("deploy", "verify", "bundle", "--live", "live")
    assert result.returncode == 1
    assert "250 ports have no LID" in result.stdout
    assert result.stdout.count("lid:") == 1
    found = json.loads(tulle("deploy", "verify", "bundle", "--live", "live", "--json").stdout)["differences"]
    assert [(difference["kind"], difference["count"]) for difference in found] == [("lid", 250)]
    # If the LID of each host differs, and the switches have no LIDs, there are 201 differences. The command prints the
    # first 20, and the number of the others. Its JSON output has all differences.
    properties["endpoint_addresses"] = [
        (node, port, 1000 + at, 0, own) for at, (node, port, _, _, own) in enumerate(properties["endpoint_addresses"])
    ]
    write_live()
    result = tulle("deploy", "verify", "bundle", "--live", "live")
    assert result.stdout.count("lid:") == 20
    assert "… and 181 more; --json has all" in result.stdout
    found = json.loads(tulle("deploy", "verify", "bundle", "--live", "live", "--json").stdout)["differences"]
    assert len(found) == 201


def test_a_drained_repair_prints_the_next_steps_once(tmp_path: Path, tulle: Cli) -> None:
    deploy = (
        "deploy",
        "infiniband",
        "slimfly:q=5,p=1",
        "almost-minimal:layers=4",
        "--deadlock",
        "dfsssp:vcs=4",
        "-o",
        "bundle",
    )
    assert tulle(*deploy).returncode == 0
    readme = (tmp_path / "bundle" / "README.md").read_text()
    assert "--drained" in readme[readme.index("## When cables or switches fail") : readme.index("## Go back")]
    fabric = read_bundle(tmp_path / "bundle").fabric
    fabric.without(links=fabric.cables[:1]).write(tmp_path / "live", "ibnetdiscover")
    repair = ("deploy", "repair", "bundle", "--live", "live", "-o", "bundle")
    result = tulle(*repair)
    assert (result.returncode, result.stderr.count("\n")) == (1, 1)
    assert result.stderr.startswith("tulle: not proved safe under traffic: ")
    result = tulle(*repair, "--drained")
    assert result.returncode == 0
    steps, longer = result.stderr.splitlines()
    assert steps == "tulle: not proved safe under traffic: start traffic after the next steps below"
    assert result.stdout.count("\nnext steps\n") == 1
    assert result.stdout.endswith(". start traffic\n")
    assert "more hops than the longest path of the same layer" in longer
