"""Check the README.md of Ethernet bundles: its commands keep the site's files, and it says what to do on failures."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deploy_commands import done

import tulle as library
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.ethernet.write import write_bundle
from tulle.deploy.targets import targets

if TYPE_CHECKING:
    from conftest import Cli

RATES = ("--link", "all:rate=100Gbps,length=5m")
REPAIRABLE = {
    "linux": ("linux",),
    "frr": ("frr",),
    "frr-bfd": ("frr", "--bfd"),
    "sonic": ("sonic", *RATES),
    "sonic-bfd": ("sonic", "--bfd", *RATES),
    "ovs": ("ovs",),
}
SONIC_FRR = "etc/sonic/frr/frr.conf"
SITE = {
    "etc/frr/frr.conf": "the site's routes\n",
    "etc/frr/daemons": "ospfd=yes\n",
    "etc/frr/vtysh.conf": "\n",
    "etc/sonic/config_db.json": "{}\n",
    SONIC_FRR: "the site's BGP\n",
}
"""The files of a site before it loads a bundle."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def deploy(tulle: Cli, *words: str) -> str:
    target, *options = words
    done(tulle("deploy", target, "slimfly:q=3,p=1", "almost-minimal:layers=2", *options, "-o", "b"))
    return Path("b/README.md").read_text()


def test_every_target_with_repairs_has_a_case() -> None:
    names = {target.name for target in targets() if target.has_transitions}
    assert names == {words[0] for words in REPAIRABLE.values()}


@pytest.mark.parametrize("name", REPAIRABLE)
def test_the_steps_after_failures_work(tulle: Cli, name: str) -> None:
    """Run the repair of a README.md, and go back to the earlier version."""
    text = deploy(tulle, *REPAIRABLE[name])
    _, _, section = text.partition("## When cables fail\n")
    repair, back = re.findall(r"^    tulle (deploy repair .*)$", section, re.MULTILINE)
    assert "`changes/README.md`" in section
    assert "Check that the cable\nworks" in section
    command = repair.replace("BUNDLE", "b").replace("A:B", "s0-0-0:s0-0-1")
    done(tulle(*command.split()))
    assert Path("b/changes/README.md").is_file()
    assert "0001" in done(tulle("deploy", "versions", "b"))
    said = tulle(*back.replace("BUNDLE", "b").replace("NUMBER", "0001").split())
    cable = r"s0-0-0/\w+:s0-0-1/\w+"
    assert re.search(rf"^returning_cables +{cable}$", done(said), re.MULTILINE)
    assert re.search(
        rf"1 cable returns \({cable}\): check that it works before you load the changes$", said.stderr, re.MULTILINE
    )
    assert re.search(
        rf"^1\. check that each of these cables works: {cable}\n2\. load the changes", said.stdout, re.MULTILINE
    )
    changes = Path("b/changes/README.md").read_text()
    assert re.search(rf"before you load\nany file.*\n\n\* {cable}\n", changes, re.DOTALL)


def test_commands_of_open_vswitch_use_the_bridge_of_the_switch(tulle: Cli) -> None:
    """Check that the commands of both README files have the bridge that `up` chooses: $BRIDGE, or `fabric`."""
    deploy(tulle, "ovs")
    done(tulle("deploy", "repair", "b", "--dead-cable", "s0-0-0:s0-0-1", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b"))
    texts = {path: path.read_text() for path in (Path("b/README.md"), Path("b/changes/README.md"))}
    commands = [line.strip() for text in texts.values() for line in text.splitlines() if line[:4] == "    "]
    ofctl = [line for line in commands if line.startswith("ovs-ofctl")]
    assert len(ofctl) == 3
    assert all('"${BRIDGE:-fabric}"' in line for line in ofctl)
    assert all(" fabric" not in line for line in commands)
    assert "run `export BRIDGE=br0` on the switch before the\ncommands" in texts[Path("b/README.md")]
    # The script for new ports uses the same variable.
    assert "bridge=${BRIDGE:-fabric}" in next(Path("b/changes/0").glob("*.sh")).read_text()


PLATFORM = """{"interfaces": {
"Ethernet0": {"index": "1,1,1,1", "lanes": "0,1,2,3", "breakout_modes": {
    "1x100G": ["etp1"], "4x25G": ["etp1a", "etp1b", "etp1c", "etp1d"]}},
"Ethernet4": {"index": "2,2,2,2", "lanes": "4,5,6,7", "breakout_modes": {
    "1x100G": ["etp2"], "4x25G": ["etp2a", "etp2b", "etp2c", "etp2d"]}}}}
"""


def test_the_steps_of_sonic_are_those_of_the_bundle(tulle: Cli) -> None:
    """Check that ``README.md`` depends on the options with which the bundle was written."""
    text = deploy(tulle, "sonic", *RATES)
    assert "tulle did not know the platform: every port has four lanes" in text
    assert "config interface breakout" not in text
    done(tulle("deploy", "repair", "b", "--dead-cable", "s0-0-0:s0-0-1", "-o", "b"))
    assert Path("b/README.md").read_text().startswith("# slimfly:q=3,p=1: almost-minimal")
    Path("platform.json").write_text(PLATFORM)
    options = ("--link", "all:rate=25Gbps", "--port-config", "platform.json", "--breakout", "4x25G")
    done(tulle("deploy", "sonic", "clique:degree=3", "minimal", *options, "-o", "c"))
    text = Path("c/README.md").read_text()
    assert "four lanes" not in text
    assert "Names and lanes are those of the platform file that `--port-config` named." in text
    assert "\n       sudo config interface breakout Ethernet0 4x25G -y -f\n" in text
    # `tulle deploy verify` cannot read the tables of VRFs.
    done(tulle("deploy", "sonic", "slimfly:q=3", "minimal", "--vlans", *RATES, "-o", "v"))
    done(tulle("deploy", "repair", "v", "--dead-cable", "s0-0-0:s0-0-1", "-o", "v"))
    assert "deploy verify" not in Path("v/changes/README.md").read_text()


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("frr", "FRR then\nprints `Refusing to remove a non-existent route`, which is harmless."),
        ("linux", "load it again.\n\n"),
    ],
)
def test_the_message_of_a_second_load_is_explained(tulle: Cli, target: str, message: str) -> None:
    deploy(tulle, target)
    done(tulle("deploy", "repair", "b", "--dead-cable", "s0-0-0:s0-0-1", "-o", "b"))
    assert message in Path("b/changes/README.md").read_text()
    if target == "linux":
        # A repair deletes routes if their destination is gone.
        done(tulle("deploy", "repair", "b", "--dead-switch", "s0-0-2", "-o", "b"))
        assert "`RTNETLINK answers: No such process`" in Path("b/changes/README.md").read_text()


def test_a_lossless_network_goes_back_without_traffic(tulle: Cli) -> None:
    _, _, section = deploy(tulle, "linux", "--deadlock", "dfsssp").partition("## When cables fail\n")
    assert "--to" not in section
    assert "stop lossless traffic, go back by `tulle deploy rollback BUNDLE --drained`" in section


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        (("frr",), ""),
        (("frr", "--underlay", "bgp"), ""),
        (("sonic", *RATES), ""),
        (("sonic", "--vlans", *RATES), ""),
        (("sonic", "--underlay", "bgp", *RATES), ""),
        (("sonic", "--underlay", "bgp", *RATES), SONIC_FRR),
        (("srv6", "--sonic", *RATES), ""),
        (("srv6", "--sonic", *RATES), SONIC_FRR),
    ],
)
def test_a_site_gets_its_files_back(tulle: Cli, words: tuple[str, ...], missing: str) -> None:
    """Run the commands of ``README.md`` twice, and then those that go back; the file `missing` does not exist."""
    text = deploy(tulle, *words)
    site = {name: content for name, content in SITE.items() if name != missing}
    for name in SITE:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
    for name, content in site.items():
        Path(name).write_text(content)
    Path("etc/sysctl.d").mkdir()
    load, back = text.split("To go back", 1)
    commands = [
        line.strip() for line in load.splitlines() if re.match(r" +(sudo|test|install|systemctl|docker) ", line)
    ]
    assert any("cp -a" in line for line in commands)
    for _ in range(2):
        shell(commands)
        assert {name: Path(name).read_text() for name in site} != site
    assert not Path("etc/frr.before/frr").exists()
    after, _, _ = back.partition("\n## ")
    lines = [line.strip() for line in after.splitlines() if line.startswith("    ")]
    shell(lines)
    assert {name: Path(name).read_text() for name in site} == site
    assert not [path for path in Path("etc").rglob("*") if "before" in path.name], "a saved file is left"
    assert not missing or not Path(missing).exists() or not Path(missing).read_text()
    # Without a copy, the commands must not remove the site's files.
    shell(lines, codes=(0, 1))
    assert {name: Path(name).read_text() for name in site} == site


def shell(lines: list[str], codes: tuple[int, ...] = (0,)) -> None:
    """Run commands in the folder of a switch, with stand-ins for the programs that need a real switch."""
    programs = {
        # The owner of files cannot be changed without root rights.
        "install": 'while [ "$1" = -o ] || [ "$1" = -g ]; do shift 2; done; exec /usr/bin/install "$@"',
        "sudo": 'exec "$@"',
        "systemctl": "",
        "sysctl": "",
        # `config load` changes the database; `config save` writes it to the file.
        "config": 'if [ "$1" = save ]; then echo "{loaded}" > etc/sonic/config_db.json; fi',
        "docker": 'if [ "$4" = -c ]; then mkdir -p etc/sonic/frr; echo loaded > etc/sonic/frr/frr.conf; fi',
    }
    folder = Path.cwd() / "programs"
    folder.mkdir(exist_ok=True)
    for name, text in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n".replace(" etc/", f" {Path.cwd()}/etc/"))
        (folder / name).chmod(0o755)
    place = next(Path("b/switches").iterdir())
    script = "\n".join(lines).replace("/etc/", f"{Path.cwd()}/etc/")
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    ran = subprocess.run(["sh", "-c", script], cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode in codes, ran.stderr


@pytest.mark.parametrize("name", REPAIRABLE)
def test_a_repaired_bundle_names_the_fabric_of_the_first(tulle: Cli, name: str) -> None:
    deploy(tulle, *REPAIRABLE[name])
    done(tulle("deploy", "repair", "b", "--dead-cable", "s0-0-0:s0-0-1", "-o", "c"))
    assert Path("c/README.md").read_text().startswith("# slimfly:q=3,p=1: almost-minimal")
    assert json.loads(Path("c/plan.json").read_text())["fabric"] == "slimfly:q=3,p=1"


@pytest.mark.parametrize(
    ("readme", "expected"),
    [
        (
            "# clique:degree=3,p=3: minimal\n\n# clique:degree=3,p=3: ports\n",
            "# mine: minimal\n\n# clique:degree=3,p=3: ports\n",
        ),
        ("# A title\n\n# clique:degree=3,p=3: ports\n", None),
        ("## clique:degree=3,p=3: ports\n", None),
    ],
)
def test_only_the_first_heading_gets_another_name_of_the_fabric(readme: str, expected: str | None) -> None:
    plan = plan_of(library.route("clique:degree=3", "minimal"))
    write_bundle(plan, "b", "linux", [], readme, spec="mine")
    assert Path("b/README.md").read_text() == (expected or readme)
