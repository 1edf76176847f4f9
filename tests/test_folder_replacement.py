"""Check that a folder is replaced completely or not at all, if the program is killed before any file-system call."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tulle._internal.writing.atomic import staging
from tulle._internal.writing.folders import NEW, PENDING, commit, recover
from tulle.cabling.plan_file import read_plan
from tulle.cli.command import run as run_command
from tulle.deploy.ethernet.bundle import read_bundle as read_ethernet
from tulle.deploy.ethernet.verify import verify as verify_ethernet
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.infiniband.intent import Intent
from tulle.deploy.versions.layout import opened
from tulle.errors import FileError

CALLS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "open", "os.listdir", "os.scandir"}

# The function `die_before` ends its process right before the n-th file-system call.
KILLER = """
import os, sys
def die_before(number, calls):
    seen = [0]
    def hook(event, arguments):
        if event in calls:
            seen[0] += 1
            if seen[0] == number:
                os._exit(9)
    sys.addaudithook(hook)
"""


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.relative_to(folder).parts[0].startswith(".")
    }


def make(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


OLD = {"a": "old", "inside/b": "old", "inside/users": "own", "whole/c": "old", "left": "old", "last": "old"}
NOW = {"a": "new", "inside/b": "new", "inside/users": "own", "whole/d": "new", "fresh/e": "new", "last": "new"}


def update(folder: Path) -> None:
    with staging(folder) as staged:
        make(staged / NEW, {name: text for name, text in NOW.items() if text == "new"})
        commit(staged, folder, ["a", "inside/b", "whole", "fresh/e", "last"], ["left", "never"])


def killed(folder: Path, number: int, work: str) -> int:
    """Run `work` in a child process that ends before call `number` to the file system; return the exit code."""
    child = os.fork()
    if child == 0:
        scope: dict[str, object] = {"folder": folder, "update": update, "recover": recover}
        exec(KILLER, scope)
        exec(f"die_before({number}, {CALLS!r})\n{work}(folder)", scope)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_killed_before_every_call_a_folder_is_the_old_or_the_new(tmp_path: Path) -> None:
    seen = set()
    for number in range(1, 500):
        folder = tmp_path / str(number)
        make(folder, OLD)
        code = killed(folder, number, "update")
        # The recovery from the interrupted update is itself interrupted several times.
        again = number
        while (folder / PENDING).exists() and again > 0:
            again //= 2
            killed(folder, again + 1, "recover")
        recover(folder)
        found = {name: text.decode() for name, text in content(folder).items()}
        assert found in (OLD, NOW), (number, found)
        seen.add(found == NOW)
        update(folder)
        assert {name: text.decode() for name, text in content(folder).items()} == NOW
        assert [entry.name for entry in folder.iterdir() if entry.name.startswith(".")] == []
        if code == 0:
            break
    assert code == 0
    assert seen == {True, False}


def test_ctrl_c_during_the_commit_leaves_a_complete_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename, left = Path.rename, iter([False] * 3 + [True] + [False] * 99)

    def stopped(path: Path, target: Path) -> Path:
        if next(left):
            raise KeyboardInterrupt
        return rename(path, target)

    make(tmp_path, OLD)
    monkeypatch.setattr(Path, "rename", stopped)
    with pytest.raises(KeyboardInterrupt):
        update(tmp_path)
    assert {name: text.decode() for name, text in content(tmp_path).items()} == NOW
    assert not (tmp_path / PENDING).exists()


def test_what_cannot_be_finished_is_one_line(tmp_path: Path) -> None:
    make(tmp_path, {**OLD, f"{PENDING}/moves.json": "[]"})
    with pytest.raises(FileError, match="an interrupted update of this folder cannot be finished") as error:
        recover(tmp_path)
    assert "\n" not in str(error.value)
    make(tmp_path, {"other": "x"})
    (tmp_path / "link").symlink_to(tmp_path / "other")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / PENDING).symlink_to(tmp_path)
    with pytest.raises(FileError, match="legal: a folder that tulle made"):
        recover(tmp_path / "folder")


def infiniband(place: Path) -> None:
    Intent(read_bundle(place)).levels  # noqa: B018 - files and tables are checked on the way


def ethernet(place: Path) -> None:
    bundle = read_ethernet(place)
    assert verify_ethernet(bundle).agrees


def cabling(place: Path) -> None:
    read_plan(place)


@pytest.mark.parametrize(
    ("command", "judge", "expected"),
    [
        # In `expected`, 0 is the old network and 1 the new network. A folder has the new bundle only after the last
        # rename, but the new cabling plan already after the first rename.
        ("deploy infiniband {} minimal --force --deadlock dfsssp --lmc 0 -o", infiniband, {0}),
        ("deploy linux {} minimal --force -o", ethernet, {0}),
        ("cabling plan {} --force -o", cabling, {0, 1}),
    ],
    ids=["infiniband", "ethernet", "cabling"],
)
def test_commands_killed_at_the_commit(tmp_path: Path, command: str, judge: object, expected: set[int]) -> None:
    """Check a command that is killed before a rename: the folder has the files of the old or of the new network."""
    assert callable(judge)
    specs = ["clique:degree=3,p=1", "clique:degree=4,p=1"]
    wanted = []
    for at, spec in enumerate(specs):
        place = tmp_path / f"wanted{at}" / "x"
        place.parent.mkdir()
        done = run(0, *command.format(spec).split(), str(place))
        assert done.returncode == 0, done.stderr
        wanted.append({name: text for name, text in content(opened(place)).items() if is_table(name)})
    counted = tmp_path / "counted"
    assert run(0, *command.format(specs[0]).split(), str(counted)).returncode == 0
    # The command needs --force, because the second network replaces the first network.
    renames = int(run(-1, *command.format(specs[1]).split(), str(counted), "--force").stderr.split()[-1])
    outcomes = set()
    for number in (1, 2, renames // 2, renames):
        place = tmp_path / str(number) / "x"
        place.parent.mkdir()
        assert run(0, *command.format(specs[0]).split(), str(place)).returncode == 0
        assert run(number, *command.format(specs[1]).split(), str(place), "--force").returncode == 9
        judge(place)
        found = {name: text for name, text in content(opened(place)).items() if is_table(name)}
        assert found in wanted, number
        outcomes.add(wanted.index(found))
    assert outcomes == expected
    assert judge(counted) is None
    # Without a kill, the folder has the new network.
    found = {name: text for name, text in content(opened(counted)).items() if is_table(name)}
    assert found.keys() == wanted[1].keys()


def is_table(name: str) -> bool:
    """Return whether a file's content depends only on the network, not on the path of the bundle's folder."""
    return name.rsplit("/", 1)[-1] in ("lfts", "sl2vl", "guid2lid", "routes.batch", "plan.json", "cables.csv")


def run(number: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run tulle in a child process and kill it before rename `number`.

    If `number` is 0, tulle is not killed. If it is -1, tulle is not killed and prints the number of renames. The child
    is a copy of this process, which has imported the package, so it starts faster than a new process.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile("w+", encoding="utf-8") as error:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                for target, file in enumerate((out, error), start=1):
                    os.dup2(file.fileno(), target)
                sys.stdout, sys.stderr = out, error
                scope: dict[str, object] = {}
                exec(KILLER, scope)
                exec(f"die_before({number}, {{'os.rename'}})", scope)
                renames: list[str] = []
                sys.addaudithook(lambda event, _: renames.append(event) if event == "os.rename" else None)
                code = run_command(arguments)
                if number < 0:
                    print(len(renames), file=error)
                out.flush()
                error.flush()
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        texts = []
        for file in (out, error):
            file.seek(0)
            texts.append(file.read())
    return subprocess.CompletedProcess(arguments, code, *texts)
