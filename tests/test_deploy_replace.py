"""Check that commands never replace the user's files, the commands' input files, or folders of other networks."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from deploy_commands import refused
from deploy_versions import hold

from tulle.cli.options.replace import CABLING, bundle_for, names_written
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.targets import targets
from tulle.deploy.versions.layout import manifest

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

SPEC = "fattree:levels=2,radix=4"
LINK = ("--link", "all:rate=100Gbps,length=5m")


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    ("command", "what", "lossless"),
    [
        (("cabling", "plan", SPEC), CABLING, False),
        *(
            (("deploy", of.name, SPEC, "minimal", *LINK, *more), bundle_for(of.name), bool(more))
            for of in targets()
            for more in ((), ("--deadlock", "dfsssp"))
        ),
    ],
)
def test_the_names_that_are_checked_are_those_that_are_written(
    tmp_path: Path, tulle: Cli, command: tuple[str, ...], what: str, lossless: bool
) -> None:
    result = tulle(*command, "-o", "out")
    assert result.returncode == 0, result.stderr
    written = {path.name for path in (tmp_path / "out").iterdir()}
    # SONiC bundles have a folder `hosts` only if the routing uses several service levels.
    assert written | {"hosts"} == names_written(what, lossless=lossless) | {"hosts"}
    # A command may replace its own earlier output.
    assert tulle(*command, "-o", "out").returncode == 0


@pytest.mark.parametrize("force", [False, True])
def test_an_input_file_is_never_replaced(tmp_path: Path, tulle: Cli, force: bool) -> None:
    more = ("--force",) if force else ()
    assert tulle("fabric", SPEC, "--write", "fabric.json").returncode == 0
    before = (tmp_path / "fabric.json").read_bytes()
    for target in (("frr",), ("infiniband", "--lmc", "0")):
        name, *options = target
        result = refused(tulle("deploy", name, "file:edges=fabric.json", "minimal", *options, "-o", ".", *more))
        assert "fabric.json: this command reads this file" in result
        assert content(tmp_path) == {"fabric.json": before}
    # A cabling plan that is used as fabric is an input file, too.
    assert tulle("cabling", "plan", SPEC, "-o", "plan").returncode == 0
    kept = content(tmp_path / "plan")
    assert "plan.json: this command reads" in refused(tulle("deploy", "linux", "plan", "minimal", "-o", "plan", *more))
    assert content(tmp_path / "plan") == kept


@pytest.mark.parametrize("name", ["README.md", "plan.json", "fabric.json", "switches", "bundle.json"])
def test_a_file_of_the_user_is_not_replaced(tmp_path: Path, tulle: Cli, name: str) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / name).write_text("mine")
    commands: list[tuple[str, ...]] = [("deploy", "frr", SPEC, "minimal", "-o", "own")]
    if name in ("README.md", "plan.json"):
        commands.append(("cabling", "plan", SPEC, "-o", "own"))
    for command in commands:
        result = refused(tulle(*command))
        assert f"own/{name}: tulle did not write this file" in result
        assert "legal: a new or empty folder, or --force" in result
        assert content(own) == {name: b"mine"}
    assert tulle(*commands[0], "--force").returncode == 0
    assert (own / "bundle.json").read_bytes() != b"mine"


def test_a_folder_of_the_user_is_not_replaced_and_other_files_stay(tmp_path: Path, tulle: Cli) -> None:
    (tmp_path / "own" / "switches").mkdir(parents=True)
    (tmp_path / "own" / "notes.txt").write_text("mine")
    command = ("deploy", "frr", SPEC, "minimal", "-o", "own")
    # Files of the user and the links of a bundle would be mixed.
    result = refused(tulle(*command))
    assert "own: contains other files (notes.txt) and no bundle; legal: a new or empty folder, or --force" in result
    assert content(tmp_path / "own") == {"notes.txt": b"mine"}
    assert tulle(*command, "--force").returncode == 0
    # Files that the user adds to a bundle later stay.
    assert tulle(*command).returncode == 0
    assert "/: contains other files (" in refused(tulle(*command[:-1], "/"))
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / ".gitignore").write_text("*")
    assert tulle(*command[:-1], "hidden").returncode == 0
    assert (tmp_path / "own" / "notes.txt").read_text() == "mine"
    (tmp_path / "two" / "switches").mkdir(parents=True)
    (tmp_path / "two" / "switches" / "list.csv").write_text("mine")
    assert "two/switches: tulle did not write this file" in refused(tulle(*command[:-1], "two"))
    assert content(tmp_path / "two") == {"switches/list.csv": b"mine"}


@pytest.mark.parametrize(
    "command",
    [
        ("deploy", "frr", "file:edges=fabric.json", "minimal"),
        ("deploy", "infiniband", "file:edges=fabric.json", "minimal", "--lmc", "0"),
        ("cabling", "plan", "file:edges=fabric.json"),
    ],
)
def test_two_networks_of_one_spec_do_not_replace_each_other(tmp_path: Path, tulle: Cli, command: tuple[str]) -> None:
    run = (*command, "-o", "out")
    assert tulle("fabric", SPEC, "--write", "fabric.json").returncode == 0
    assert tulle(*run).returncode == 0
    before = content(tmp_path / "out")
    other = json.loads((tmp_path / "fabric.json").read_text())
    assert tulle("fabric", "slimfly:q=5", "--write", "fabric.json").returncode == 0
    result = refused(tulle(*run))
    assert "of another file:edges=fabric.json" in result
    assert "which has 6 switches and 8 cables" in result
    assert "--force" in result
    assert content(tmp_path / "out") == before
    # The next network has the same numbers of switches and cables. It is another network, because one cable ends at
    # another switch.
    moved = json.loads(json.dumps(other))
    moved["cables"][0]["b"], moved["cables"][0]["target_port"] = 3, "9"
    (tmp_path / "fabric.json").write_text(json.dumps(moved))
    assert "of another" in refused(tulle(*run))
    # A network may replace its own bundle even if its file lists the cables in another order.
    other["cables"].reverse()
    (tmp_path / "fabric.json").write_text(json.dumps(other))
    assert tulle(*run).returncode == 0
    (tmp_path / "fabric.json").write_text(json.dumps(moved))
    assert tulle(*run, "--force").returncode == 0


def test_two_random_fabrics_of_one_spec_do_not_replace_each_other(tmp_path: Path, tulle: Cli) -> None:
    spec = "jellyfish:switches=12,degree=3"
    assert tulle("deploy", "linux", spec, "minimal", "-o", "out").returncode == 0
    before = content(tmp_path / "out")
    assert "another" in refused(tulle("deploy", "linux", spec, "minimal", "-o", "out", "--seed", "2"))
    assert content(tmp_path / "out") == before


@pytest.mark.parametrize("name", ["linux", "frr", "sonic", "ovs", "infiniband"])
def test_changed_files_of_a_bundle_are_not_lost(tmp_path: Path, tulle: Cli, name: str) -> None:
    options = ("--lmc", "0") if name == "infiniband" else ()
    write = ("deploy", name, "clique:degree=3,p=1", "minimal", *LINK, *options, "-o")
    assert tulle(*write, "b").returncode == 0
    if name == "infiniband":
        fabric = read_bundle(tmp_path / "b").fabric
        fabric.without(links=fabric.cables[:1]).write(tmp_path / "live", "ibnetdiscover")
        failed: tuple[str, ...] = ("--live", "live")
    else:
        failed = ("--dead-cable", "s0:s1")
    one, two = [name for name in manifest(tmp_path / "b") if "s/" in name][:2]
    for edited in (one, two):
        with (tmp_path / "b" / edited).open("a") as file:
            file.write("# mine\n")
    before = content(tmp_path / "b")
    changes = [("deploy", "repair", "b", *failed, "-o", place) for place in ("new", "b")]
    for command in ((*write, "b"), *changes):
        result = refused(tulle(*command))
        assert f"b: {one}, {two} were changed after tulle wrote them, and the new version would not have" in result
        assert "legal: the files as tulle wrote them, or --force, after you have copied your changes" in result
        assert content(tmp_path / "b") == before
        assert not (tmp_path / "new").exists()
    for command in changes:
        assert tulle(*command, "--force").returncode == 0
    assert b"# mine" not in (tmp_path / "b" / one).read_bytes()
    # A missing file is no change: the next version has it again.
    (tmp_path / "b" / one).unlink()
    assert tulle(*write, "b").returncode == 0
    assert (tmp_path / "b" / one).is_file()


@pytest.mark.parametrize("command", [("deploy", "linux", SPEC, "minimal"), ("cabling", "plan", SPEC)])
def test_only_one_command_writes_a_folder(tmp_path: Path, tulle: Cli, command: tuple[str]) -> None:
    (tmp_path / "out").mkdir()
    child, end = hold(tmp_path / "out")
    try:
        result = refused(tulle(*command, "-o", "out"))
        assert "out: another command of tulle is writing this folder; legal: wait until it has ended" in result
        assert content(tmp_path / "out") == {}
    finally:
        os.close(end)
        os.waitpid(child, 0)
    assert tulle(*command, "-o", "out").returncode == 0


def test_a_command_that_fails_leaves_no_folder(tmp_path: Path, tulle: Cli) -> None:
    refused(tulle("deploy", "linux", SPEC, "nonsense", "-o", "out"))
    refused(tulle("cabling", "plan", SPEC, "--port", "x", "-o", "out"))
    assert not (tmp_path / "out").exists()
