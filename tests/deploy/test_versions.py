"""Check bundles after kill -9 of `tulle deploy repair`, at random moments and before every file change."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from deploy_versions import KINDS, Case, case, judge, killed

from tulle.deploy.versions.history import roll_back, versions
from tulle.deploy.versions.layout import current

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.large

KILLS = 100


def tulle(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "tulle", *arguments]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(tulle(*arguments), capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", KINDS)
def test_large_a_repair_killed_before_every_call(tmp_path: Path, kind: str) -> None:
    """Kill a repair before each of its changes of the file system, including changes in the staging folder."""
    made = case(kind, tmp_path)
    seen, number, code = set(), 0, 9
    while code:
        number += 1
        made.restore()
        code = killed(made.write, number, staged=True)
        found = judge(kind, made.place)
        assert found in (made.old, made.new), number
        seen.add(found == made.new)
        made.write()
        assert judge(kind, made.place) == made.new
        assert [entry.name for entry in made.place.iterdir() if entry.name.startswith(".")] == []
    assert seen == {True, False}
    assert number > 50


def routes(place: Path) -> Path:
    """Write the routes of all switches as `ip route` prints them, and return their folder."""
    folder = place.parent / "routes"
    folder.mkdir(exist_ok=True)
    for switch in (place / "switches").iterdir():
        lines = (switch / "routes.batch").read_text().splitlines()
        text = "".join(f"{line.removeprefix('route replace ')}\n" for line in lines if line.startswith("route"))
        (folder / f"{switch.name}.txt").write_text(text)
    return folder


def repair(kind: str, made: Case) -> Sequence[str]:
    drained = ("--drained",) if kind == "infiniband" else ()
    return ("deploy", "repair", str(made.place), *made.failed, *drained, "-o", str(made.place))


@pytest.mark.parametrize("kind", KINDS)
def test_large_a_hundred_kills_at_random(tmp_path: Path, kind: str) -> None:
    """Check that after each kill the bundle is the old or the new version, and `verify`, `repair`, `rollback` work."""
    made = case(kind, tmp_path)
    place = str(made.place)
    command = repair(kind, made)
    began = time.monotonic()
    assert run(*command).returncode == 0
    whole = time.monotonic() - began
    draw = random.Random(7)
    outcomes = []
    for number in range(KILLS):
        made.restore()
        child = subprocess.Popen(tulle(*command), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The write takes a small part of the command's time. So that enough kills interrupt the write, every second
        # kill waits until the write has started.
        if number % 2:
            while child.poll() is None and not any(path.name.startswith(".") for path in made.place.iterdir()):
                time.sleep(0.001)
            time.sleep(draw.uniform(0, whole / 4))
        else:
            time.sleep(draw.uniform(0, whole))
        child.kill()
        child.wait()
        found = judge(kind, made.place)
        assert found in (made.old, made.new), number
        is_new = found == made.new
        outcomes.append(is_new)
        # `verify` must read the version in use, so it finds no difference from the planned tables.
        tables = ("--lfts", f"{place}/lfts") if kind == "infiniband" else ("--fib", str(routes(made.place)))
        done = run("deploy", "verify", place, *tables)
        assert done.returncode == 0, (number, done.stdout, done.stderr)
        again = run(*command[:-2], "--dry-run", "--json")
        if kind == "infiniband":
            assert again.returncode == 0, again.stderr
            assert bool(json.loads(again.stdout)["changes"]) == (not is_new), number
        else:
            # The repaired bundle does not contain the failed cable.
            assert again.returncode == (2 if is_new else 0), again.stderr
        assert [version.in_use for version in versions(made.place)].count(True) == 1
        if not is_new:
            assert run(*command).returncode == 0
            assert judge(kind, made.place) == made.new
        done = run("deploy", "rollback", place, "--drained")
        assert done.returncode == 0, (number, done.stderr)
        assert judge(kind, made.place) == made.old
        assert roll_back(made.place, versions(made.place)[-1].version) == current(made.place)
        assert judge(kind, made.place) == made.new
    assert {*outcomes} == {True, False}
