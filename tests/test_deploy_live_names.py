"""`tulle deploy watch` and `repair` match the names in live files as `tulle cabling verify` does."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import preloaded
import pytest
import watched_networks

import tulle
from tulle.cabling.networks import read_network
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.failures import Failures, read_failures
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.targets.frr import write_plan
from tulle.errors import FormatError, InputError

NETWORKS = Path(__file__).parent / "networks"


def frr_bundle(folder: Path, live: Path) -> None:
    """Write a bundle of the network that the LLDP files in `live` describe."""
    fabric = read_network("lldp", sorted(live.glob("*.json"))).fabric
    write_plan(plan_of(tulle.route(fabric, "minimal")), folder)


def renamed(live: Path, old: str, new: str) -> None:
    """Give a switch another name in all files."""
    for path in live.glob("*.json"):
        path.write_text(path.read_text().replace(f'"{old}', f'"{new}'))
    (live / f"{old}.json").rename(live / f"{new}.json")


@pytest.mark.parametrize("case", ["lldp-json", "lldp-alias", "lldp-fqdn"])
def test_imported_names_are_as_planned(tmp_path: Path, case: str) -> None:
    """Check that files from which a bundle was made are as planned, although neighbours announce aliases."""
    live = NETWORKS / case
    frr_bundle(tmp_path / "bundle", live)
    found = read_failures(read_bundle(tmp_path / "bundle").plan, [live])
    assert (found, found.unused, found.notes) == (Failures((), ()), (), ())
    done = watched_networks.run("watch", "bundle", "--live-command", f"cat {live}/{{switch}}.json", cwd=tmp_path)
    assert (done.returncode, "as planned: 4 of 4 switches, 4 of 4 cables" in done.stdout) == (0, True), done.stdout


def test_files_of_aliases_are_read_too(tmp_path: Path) -> None:
    """Check that alias files may have any name, and that they resolve names that are otherwise unknown."""
    live = tmp_path / "live"
    shutil.copytree(NETWORKS / "lldp-json", live)
    frr_bundle(tmp_path / "bundle", live)
    plan = read_bundle(tmp_path / "bundle").plan
    for name in ("l1.port_config.ini", "s1-port_config.ini"):
        (live / name).write_text("# name lanes alias\nEthernet0 1,2,3,4 etp1\nEthernet4 5,6,7,8 etp2\n")
    assert read_failures(plan, [live]) == Failures((), ())
    (live / "l1.backup.json").write_text((live / "l1.json").read_text())
    with pytest.raises(InputError, match="second file of l1"):
        read_failures(plan, [live])


def test_a_cable_that_fails_is_still_found(tmp_path: Path) -> None:
    live = tmp_path / "live"
    shutil.copytree(NETWORKS / "lldp-json", live)
    frr_bundle(tmp_path / "bundle", live)
    plan = read_bundle(tmp_path / "bundle").plan
    for name, other in (("l1", "s1"), ("s1", "l1")):
        path = live / f"{name}.json"
        content = json.loads(path.read_text())
        rows = content["lldp"]["interface"]
        content["lldp"]["interface"] = [row for row in rows if other not in next(iter(row.values()))["chassis"]]
        path.write_text(json.dumps(content))
    found = read_failures(plan, [live])
    assert [plan.fabric.cable_names[cable] for cable in found.cables] == ["l1--s1"]


def test_an_unknown_switch_is_named_and_all_others_are_compared(tmp_path: Path) -> None:
    live = tmp_path / "live"
    shutil.copytree(NETWORKS / "lldp-json", live)
    frr_bundle(tmp_path / "bundle", live)
    (live / "new.json").write_text('{"lldp": [{}]}')
    (live / "README.md").write_text("notes\n")
    done = watched_networks.run("watch", "bundle", "--live-command", "cp live/* {folder}", "--json", cwd=tmp_path)
    (event,) = watched_networks.lines(done)
    assert watched_networks.kinds(event["appeared"]) == {("switch-extra", "new"), ("switch-extra", "README")}
    assert event["cables"] == {"as_planned": 4, "of": 4}
    done = watched_networks.run("repair", "bundle", "--live", "live", "--dry-run", cwd=tmp_path)
    assert done.returncode == 0
    assert "no failures" in done.stdout
    assert "no switch of the bundle is named new, so its file is skipped" in done.stderr
    with pytest.raises(InputError, match="no switch of the bundle is named new"):
        read_failures(read_bundle(tmp_path / "bundle").plan, [live / "new.json"])


def test_a_renamed_switch_is_recognised(tmp_path: Path) -> None:
    live = tmp_path / "live"
    shutil.copytree(NETWORKS / "lldp-json", live)
    frr_bundle(tmp_path / "bundle", live)
    renamed(live, "s1", "core1")
    done = watched_networks.run("watch", "bundle", "--live-command", "cp live/* {folder}", "--json", cwd=tmp_path)
    (event,) = watched_networks.lines(done)
    assert watched_networks.kinds(event["appeared"]) == {("switch-renamed", "s1")}
    assert "rename core1 to s1" in event["appeared"][0]["instruction"]
    assert event["switches"] == {"as_planned": 4, "of": 4}
    found = read_failures(read_bundle(tmp_path / "bundle").plan, [live])
    assert found == Failures((), ())
    assert len(found.notes) == 1


def test_an_empty_file_counts_as_no_file(tmp_path: Path) -> None:
    live = tmp_path / "live"
    shutil.copytree(NETWORKS / "lldp-json", live)
    frr_bundle(tmp_path / "bundle", live)
    plan = read_bundle(tmp_path / "bundle").plan
    (live / "s1.json").write_text("\n")
    assert read_failures(plan, [live]) == Failures((), (), 1)
    with pytest.raises(FormatError, match="the file is empty"):
        read_failures(plan, [live / "s1.json"])
    done = watched_networks.run("watch", "bundle", "--live-command", "cat live/{switch}.json", "--json", cwd=tmp_path)
    (event,) = watched_networks.lines(done)
    assert watched_networks.kinds(event["appeared"]) == {("unread", "s1")}
    assert "the file is empty" in event["appeared"][0]["instruction"]
    assert event["switches"] == {"as_planned": 3, "of": 4}


def test_live_is_a_folder_or_several_files(tmp_path: Path) -> None:
    shutil.copytree(NETWORKS / "lldp-json", tmp_path / "live")
    frr_bundle(tmp_path / "bundle", tmp_path / "live")
    files = sorted(f"live/{path.name}" for path in (tmp_path / "live").iterdir())
    for live in (["live"], files, ["live/l1.json", "--live", "live/s1.json"]):
        done = watched_networks.run("repair", "bundle", "--live", *live, "--dry-run", cwd=tmp_path)
        assert (done.returncode, done.stdout.split(":")[0]) == (0, "no failures"), done.stderr
        done = preloaded.run("cabling", "verify", "bundle", "--live", *live, cwd=tmp_path)
        assert ("missing" in done.stdout, done.returncode) == (False, len(live) == 3), done.stderr
    done = preloaded.run("import", "lldp", "live", "-o", "fabric.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = watched_networks.run("repair", "bundle", *files, "--dry-run", cwd=tmp_path)
    assert "live/l1.json is an extra argument" in done.stderr
    done = watched_networks.run("verify", "bundle", "--live", "live", cwd=tmp_path)
    assert "run `tulle cabling verify bundle --live live`" in done.stderr


def test_a_cable_that_was_added(tmp_path: Path) -> None:
    """Check the advice about a cable that is up, while the bundle has only one version."""
    shutil.copytree(NETWORKS / "lldp-json", tmp_path / "live")
    frr_bundle(tmp_path / "bundle", tmp_path / "live")
    for name, other in (("l1", "l2"), ("l2", "l1")):
        path = tmp_path / "live" / f"{name}.json"
        content = json.loads(path.read_text())
        row = {"chassis": {other: {}}, "port": {"id": {"type": "ifname", "value": "Ethernet40"}}}
        content["lldp"]["interface"].append({"Ethernet40": row})
        path.write_text(json.dumps(content))
    how = "if it was added, deploy a new bundle that has it, and change to it with `tulle deploy repair --to`"
    done = watched_networks.run("repair", "bundle", "--live", "live", "--dry-run", cwd=tmp_path)
    assert f"2 live ports (l1/Ethernet40, l2/Ethernet40): {how}" in done.stdout
    done = watched_networks.run("watch", "bundle", "--live-command", "cat live/{switch}.json", cwd=tmp_path)
    assert f"port l1/Ethernet40 is up, but the bundle does not use it: {how}" in " ".join(done.stdout.split())
