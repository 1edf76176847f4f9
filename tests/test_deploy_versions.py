"""Check the versions of bundles: a killed write or rollback leaves a complete version, the old or the new one."""

from __future__ import annotations

import json
import os
import shutil
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from deploy_commands import refused
from deploy_versions import KINDS, SPEC, Case, case, content, deploy, hold, judge, killed

from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.versions.history import delete_old, roll_back, rolled_back_from, target_of, versions
from tulle.deploy.versions.layout import CURRENT, PREVIOUS, VERSIONS, WHY, current, opened
from tulle.errors import FileError, FormatError, InputError

if TYPE_CHECKING:
    from pathlib import Path
    from subprocess import CompletedProcess

    from conftest import Cli

MOST = 500


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip fsync, which takes most of the time. It matters after a power failure, not after a kill."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="module", params=KINDS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Case]:
    """Make a bundle of each kind, together with its repair."""
    return request.param, case(request.param, tmp_path_factory.mktemp(request.param))


@pytest.fixture
def bundle(made: tuple[str, Case]) -> Case:
    made[1].restore()
    return made[1]


def flatten(bundle: Case) -> None:
    """Replace the bundle by a folder without versions, as earlier versions of tulle wrote it."""
    version = opened(bundle.place).rename(bundle.place.parent / "flat")
    shutil.rmtree(bundle.place)
    (version / PREVIOUS).unlink()
    (version / WHY).unlink(missing_ok=True)
    version.rename(bundle.place)


def every_kill(bundle: Case, kind: str, *, flat: bool) -> None:
    """Kill a repair before each file-system call outside the staging folder; check the bundle and later commands."""
    seen = []
    for number in range(1, MOST):
        bundle.restore()
        if flat:
            flatten(bundle)
        code = killed(bundle.write, number, staged=False)
        assert code in (0, 9), number
        found = judge(kind, bundle.place, is_flat=flat)
        assert found in (bundle.old, bundle.new), number
        seen.append(found == bundle.new)
        # A killed command is repeated.
        if found == bundle.old:
            # A version that was left unused is no sign of a rollback.
            assert rolled_back_from(opened(bundle.place)) == "", number
            bundle.write()
        assert judge(kind, bundle.place) == bundle.new
        newest = opened(bundle.place)
        assert rolled_back_from(newest) == "", number
        roll_back(bundle.place)
        assert judge(kind, bundle.place) == bundle.old, number
        assert rolled_back_from(opened(bundle.place)) == newest.name, number
        assert [entry.name for entry in bundle.place.iterdir() if entry.name.startswith(".")] == []
        assert [entry.name for entry in bundle.place.iterdir() if not entry.exists()] == []
        if code == 0:
            break
    assert code == 0
    # One call commits.
    assert {*seen} == {True, False}
    assert sum(one != two for one, two in pairwise(seen)) == 1


def test_a_repair_killed_at_every_call(made: tuple[str, Case], bundle: Case) -> None:
    every_kill(bundle, made[0], flat=False)


def test_a_repair_of_a_flat_bundle_killed_at_every_call(made: tuple[str, Case], bundle: Case) -> None:
    every_kill(bundle, made[0], flat=True)


def test_a_rollback_killed_at_every_call(made: tuple[str, Case], bundle: Case) -> None:
    bundle.write()
    seen = set()
    for number in range(1, MOST):
        if current(bundle.place) == "0001":
            roll_back(bundle.place, "2")
        code = killed(lambda: roll_back(bundle.place, "1"), number, staged=False)
        found = judge(made[0], bundle.place)
        assert found in (bundle.old, bundle.new)
        assert rolled_back_from(opened(bundle.place)) == ("0002" if found == bundle.old else "")
        seen.add(found == bundle.old)
        if code == 0:
            break
    assert code == 0
    assert seen == {True, False}


def test_a_first_deployment_killed_at_calls_is_repeated(tmp_path: Path, tulle: Cli) -> None:
    place = tmp_path / "bundle"
    command = ("deploy", "linux", SPEC, "minimal", "-o", "bundle")
    repeated: list[CompletedProcess[str]] = []
    for number in range(1, MOST):
        code = killed(lambda: deploy("ethernet", place), number, staged=False)
        if code == 0:
            break
        if current(place) is not None:
            judge("ethernet", place)
        elif (place / VERSIONS / "0001").is_dir():
            with pytest.raises(FileError, match="no version is in use; legal: first run `tulle deploy rollback"):
                opened(place)
            # A rollback to the complete version, or a repetition of the command, makes the bundle usable again.
            roll_back(place, "1")
            judge("ethernet", place)
            if not repeated:
                (place / CURRENT).unlink()
                repeated.append(tulle(*command))
                assert repeated[0].returncode == 0, repeated[0].stderr
        if place.is_dir():
            shutil.rmtree(place)
    assert (code, len(repeated)) == (0, 1)
    judge("ethernet", place)


def test_files_of_users_stay(made: tuple[str, Case], bundle: Case) -> None:
    """Check that a repair keeps users' files, a version that a program still reads, and times of unchanged files."""
    kind, place = made[0], bundle.place
    folder = "plugin" if kind == "infiniband" else "hosts"
    (place / folder / "built.so").write_text("mine")
    (place / "notes.txt").write_text("mine")
    files = opened(place)
    before = {path: path.stat() for path in files.rglob("*") if path.is_file()}
    bundle.write()
    assert opened(place) != files
    assert content(files) == bundle.old
    assert content(opened(place)) == bundle.new
    same = [path for path in before if path.name in ("fabric.conf", "partitions.conf", "sysctl.conf", "guid2lid")]
    assert same
    for path in same:
        now = opened(place) / path.relative_to(files)
        assert (now.stat().st_ino, now.stat().st_mtime_ns) == (before[path].st_ino, before[path].st_mtime_ns)
    for version in ("2", "1"):
        assert (place / folder / "built.so").read_text() == "mine", version
        (place / folder / f"later{version}.so").write_text("mine")
        if version == "2":
            roll_back(place)
    # The rollback keeps a file that a user added after the repair.
    assert (place / folder / "later2.so").read_text() == "mine"
    assert (place / "notes.txt").read_text() == "mine"


def test_the_same_bundle_adds_no_version_and_a_changed_file_is_restored(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    deploy("infiniband", place)
    deploy("infiniband", place)
    assert [version.version for version in versions(place)] == ["0001"]
    (place / "lfts").write_text("mine")
    deploy("infiniband", place)
    assert [(version.version, version.in_use) for version in versions(place)] == [("0001", False), ("0002", True)]
    read_bundle(place)
    with pytest.raises(
        FormatError, match=r"versions/0001/lfts: the file has 4 bytes .* legal: the file as tulle wrote it"
    ):
        roll_back(place)
    assert current(place) == "0002"


def test_a_rollback_follows_the_order_of_use(tmp_path: Path) -> None:
    made = case("ethernet", tmp_path)
    place = made.place
    with pytest.raises(InputError, match="there is no other version"):
        roll_back(place)
    made.write()
    assert roll_back(place) == "0001"
    with pytest.raises(InputError, match="version 0001 is the first one; legal: --to 0002"):
        roll_back(place)
    # The next version replaces the version in use, not the version with the highest number.
    (place / "README.md").write_text("mine")
    made.write()
    assert [(version.version, version.replaced, version.in_use) for version in versions(place)] == [
        ("0001", "", False),
        ("0002", "0001", False),
        ("0003", "0001", True),
    ]
    assert target_of(place, None) == "0001"
    for wrong in ("9", "0003", "one"):
        with pytest.raises(InputError, match="legal: 0001, 0002"):
            target_of(place, wrong)
    assert delete_old(place, 1) == ["0001", "0002"]
    with pytest.raises(InputError, match="there is no other version"):
        roll_back(place)
    judge("ethernet", place)


def test_a_second_command_is_refused_while_one_writes(tmp_path: Path, tulle: Cli) -> None:
    made = case("ethernet", tmp_path)
    child, end = hold(made.place)
    try:
        for command in (
            ("deploy", "repair", "bundle", "--dead-switch", "s0", "-o", "bundle"),
            ("deploy", "linux", SPEC, "minimal", "-o", "bundle"),
        ):
            assert "bundle: another command of tulle is writing this folder; legal: wait" in refused(tulle(*command))
        # Commands that only read are not refused.
        assert tulle("deploy", "repair", "bundle", "--dead-switch", "s0", "--dry-run").returncode == 0
        assert judge("ethernet", made.place) == made.old
    finally:
        os.close(end)
        os.waitpid(child, 0)
    assert tulle("deploy", "repair", "bundle", "--dead-switch", "s0", "-o", "bundle").returncode == 0


def test_the_commands(made: tuple[str, Case], bundle: Case, tulle: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(bundle.place.parent)
    bundle.write()
    place = str(bundle.place)
    if made[0] == "infiniband":
        # Hosts may still use service levels of the version in use, so the rollback needs --drained.
        assert "legal: stop traffic, repeat with --drained" in refused(tulle("deploy", "rollback", place), 1)
        assert judge(made[0], bundle.place) == bundle.new
    done = tulle("deploy", "rollback", place, "--drained", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"bundle": place, "version": "0001", "before": "0002"})
    assert judge(made[0], bundle.place) == bundle.old
    done = tulle("deploy", "versions", place, "--json")
    rows = json.loads(done.stdout)["versions"]
    assert [(row["version"], row["in_use"], row["cables"]) for row in rows] == [("0001", True, 6), ("0002", False, 5)]
    if made[0] == "ethernet":
        # Each version is a complete bundle, so `repair --to` can write the changes that lead to it.
        assert tulle("deploy", "rollback", place, "--to", "2").returncode == 0
        back = ("deploy", "repair", place, "--to", f"{place}/versions/0001", "-o", place)
        assert tulle(*back).returncode == 0
        assert (bundle.place / "changes" / "0").is_dir()
        assert "which never changes; legal: " in refused(tulle(*back[:-1], f"{place}/versions/0001"))


def test_a_version_that_was_never_in_use(made: tuple[str, Case], bundle: Case, tulle: Cli) -> None:
    """Check the commands after a repair that was killed between the last two renames."""
    kind, place = made[0], str(bundle.place)
    for number in range(1, MOST):
        bundle.restore()
        assert killed(bundle.write, number, staged=False) == 9
        if (bundle.place / VERSIONS / "0002").is_dir():
            break
    rows = [line.split()[:3] for line in tulle("deploy", "versions", place).stdout.splitlines() if line[:1] == "0"]
    assert [row[:2] for row in rows] == [["0001", "yes"], ["0002", "never"]]
    if kind == "infiniband":
        done = tulle("deploy", "repair", place, *bundle.failed, "--dry-run", "--json")
        assert json.loads(done.stdout)["rolled_back_from"] == ""
        assert "rollback" not in tulle("deploy", "repair", place, *bundle.failed, "--dry-run").stderr
    roll_back(bundle.place, "2")
    roll_back(bundle.place, "1")
    assert [version.was_used for version in versions(bundle.place)] == [True, True]
    assert rolled_back_from(opened(bundle.place)) == "0002"


@pytest.mark.parametrize("dead", ["--dead-cable=s0-0-0:s0-0-1", "--dead-switch=s0-0-1"])
def test_a_rollback_names_a_way_that_works(tulle: Cli, dead: str) -> None:
    assert tulle("deploy", "linux", "slimfly:q=3,p=1", "minimal", "-o", "b").returncode == 0
    assert tulle("deploy", "repair", "b", dead, "-o", "b").returncode == 0
    how = "run `tulle deploy rollback b --to 0002`, then `tulle deploy repair b --to b/versions/0001 -o b`"
    assert how in tulle("deploy", "rollback", "b").stderr
    assert tulle("deploy", "rollback", "b", "--to", "2").returncode == 0
    assert tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b").returncode == 0


def test_what_is_not_a_version_is_one_line(tmp_path: Path, tulle: Cli) -> None:
    place = tmp_path / "bundle"
    deploy("ethernet", place)
    shutil.copytree(place, tmp_path / "copy")
    # In a copy of a bundle, links may have become files. Commands can read such a copy, but refuse to write to it.
    judge("ethernet", tmp_path / "copy")
    repair = ("deploy", "repair", "copy", "--dead-switch", "s0", "-o", "copy")
    assert "copy/current: tulle did not write this file" in refused(tulle(*repair))
    result = refused(tulle(*repair, "--force"))
    assert "copy/current: not made by tulle; legal: a bundle copied with its symbolic links" in result
    (place / CURRENT).unlink()
    (place / CURRENT).symlink_to("versions/0007")
    with pytest.raises(
        FileError, match=r"version 0007 is missing; legal: first run `tulle deploy rollback .* --to 0001"
    ):
        opened(place)
    roll_back(place, "1")
    judge("ethernet", place)
    (place / CURRENT).unlink()
    (place / CURRENT).symlink_to("/etc")
    with pytest.raises(FormatError, match="a link to '/etc'; legal: a link to a version"):
        opened(place)
