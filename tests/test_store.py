"""Check that a study's results stay the same if stored runs are damaged or the program that writes them is killed."""

import json
import os
import random
import re
import shutil
import signal
import time
from pathlib import Path

import pytest
from conftest import Cli
from test_interrupts import started
from test_study import results_of

import tulle
from tulle import study
from tulle.study.engine import versions
from tulle.study.engine.one_run import Bench
from tulle.study.engine.plan import Plan
from tulle.study.engine.store import build

# Number of times that the tests damage stored results, and number of kills per signal. Environment variables can set
# other numbers.
DAMAGES = int(os.environ.get("TULLE_DAMAGES", "24"))
KILLS = int(os.environ.get("TULLE_KILLS", "2"))

TEXT = """
name = "stored"
measurement = "simulate"
plots = []
seeds = [1, 2]
[common]
fabric = "star:endpoints=4"
routing = "minimal"
[grid]
traffic = ["permutation:bytes=1KiB", "permutation:bytes=2KiB"]
[[case]]
name = "a"
"""


@pytest.fixture
def planned(tmp_path: Path) -> Plan:
    path = tmp_path / "stored.toml"
    path.write_text(TEXT)
    return study.plan(study.load(path))


def pieces_of(runs: Path) -> list[Path]:
    return sorted((runs / "pieces").glob("*.npz"))


def damage(pieces: list[Path], draw: random.Random) -> tuple[set[str], int]:
    """Damage or remove stored result files; return the affected runs, and the number of files that cause a warning."""
    one, other = draw.sample(pieces, 2)
    content = bytearray(one.read_bytes())
    match draw.randrange(6):
        case 0:
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
        case 1:
            del content[draw.randrange(len(content)) :]
        case 2:
            content += draw.randbytes(draw.randrange(1, 50))
        case 3:
            one.write_bytes(other.read_bytes())
            other.write_bytes(content)
            return {one.stem, other.stem}, 2
        case 4:
            one.unlink()
            return {one.stem}, 0
        case _:
            content = bytearray(other.read_bytes())
    one.write_bytes(content)
    return {one.stem}, 1


def test_damaged_pieces_are_measured_again(planned: Plan, tmp_path: Path) -> None:
    runs, draw = tmp_path / "runs", random.Random(12)
    wanted = results_of(study.run(planned, runs, threads=1).directory)
    for _ in range(DAMAGES):
        hurt, lines = damage(pieces_of(runs), draw)
        message: list[str] = []
        done = study.run(planned, runs, threads=1, say=message.append)
        assert set(done.measured) == hurt
        assert len(message) == lines
        assert all(line.endswith("; the run is measured again") and "\n" not in line for line in message)
        assert results_of(done.directory) == wanted
        # The stored results are complete again, so no run is measured.
        assert study.run(planned, runs, threads=1, say=message.append).measured == ()


def test_a_piece_of_another_run_is_detected_by_its_configuration(planned: Plan, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    study.run(planned, runs)
    one, other = (runs / "pieces" / f"{run.id}.npz" for run in planned.runs[:2])
    shutil.copy(one, other)
    with pytest.warns(UserWarning, match="it holds another run, of 'a'; the run is measured again"):
        assert study.run(planned, runs).measured == (other.stem,)


def test_a_piece_that_cannot_be_read(planned: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = tmp_path / "runs"
    wanted = results_of(study.run(planned, runs).directory)
    piece, read = pieces_of(runs)[0], Path.read_bytes

    def broken(path: Path) -> bytes:
        if path == piece and not message:
            raise OSError(5, "Input/output error")
        return read(path)

    message: list[str] = []
    monkeypatch.setattr(Path, "read_bytes", broken)
    done = study.run(planned, runs, say=message.append)
    assert (done.measured, results_of(done.directory)) == ((piece.stem,), wanted)
    assert message == [f"{piece}: cannot be read: Input/output error; the run is measured again"]


@pytest.mark.parametrize("taken", ["pieces", "{}"])
def test_folders_that_cannot_be_are_found_before_anything_runs(planned: Plan, tmp_path: Path, taken: str) -> None:
    place = tmp_path / "runs" / taken.format(planned.directory)
    place.parent.mkdir()
    place.write_text("mine")
    with pytest.raises(
        tulle.FileError, match=f"'{place}' is not a folder; legal: a folder, or a name that does not exist"
    ):
        study.run(planned, tmp_path / "runs", progress=lambda *_: pytest.fail("it runs"))
    assert list((tmp_path / "runs").iterdir()) == [place]


def test_links_in_a_run_folder_are_not_followed(planned: Plan, tmp_path: Path) -> None:
    done = study.run(planned, tmp_path / "runs")
    kept = {path.name: path.read_bytes() for path in done.directory.iterdir() if path.name != "manifest.json"}
    mine = tmp_path / "mine"
    for folder in (done.directory, tmp_path / "runs" / "pieces"):
        for path in list(folder.iterdir()):
            mine.write_text("mine")
            path.unlink()
            path.symlink_to(mine)
    again = study.run(planned, tmp_path / "runs", say=lambda _: None)
    assert len(again.measured) == len(planned.runs)
    assert mine.read_text() == "mine"
    for folder in (done.directory, tmp_path / "runs" / "pieces"):
        assert not [path for path in folder.iterdir() if path.is_symlink()]
    assert {name: (done.directory / name).read_bytes() for name in kept} == kept
    # Symbolic links to a missing path or to a device are replaced, too.
    for at, path in enumerate(sorted((tmp_path / "runs" / "pieces").iterdir())):
        path.unlink()
        path.symlink_to("/dev/null" if at % 2 else tmp_path / "none")
    study.run(planned, tmp_path / "runs", say=lambda _: None)
    assert not (tmp_path / "none").exists()


@pytest.mark.usefixtures("planned")
def test_command_says_what_is_damaged(tulle: Cli, tmp_path: Path) -> None:
    assert tulle("run", "stored.toml").returncode == 0
    piece = pieces_of(tmp_path / "runs")[0]
    piece.write_bytes(piece.read_bytes()[:-1])
    again = tulle("run", "stored.toml")
    assert again.returncode == 0
    assert (
        again.stderr == f"tulle: runs/pieces/{piece.name}: damaged, as its checksum shows; the run is measured again\n"
    )


def test_pieces_of_another_build_are_one_line(planned: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study.run(planned, tmp_path / "runs")
    monkeypatch.setattr("tulle.study.engine.store.build", lambda: "another")
    message: list[str] = []
    assert len(study.run(planned, tmp_path / "runs", say=message.append).measured) == 4
    pieces = tmp_path / "runs" / "pieces"
    assert message == [f"{pieces}: 4 stored runs are of another build of tulle; runs are measured again"]


def test_libraries_are_part_of_a_run(planned: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = study.run(planned, tmp_path / "runs")
    manifest = json.loads((done.directory / "manifest.json").read_text())
    assert manifest["libraries"]["numpy"] == versions.computing()["numpy"] is not None
    assert set(manifest["libraries"]) == {"numpy", "scipy", "highspy", "igraph", "pymetis", "matplotlib"}
    assert planned.runs[0].configuration["libraries"] == versions.computing()
    monkeypatch.setattr(versions, "_version", lambda _: "0.1")
    assert study.plan(planned.study).runs[0].id != planned.runs[0].id


def test_an_input_that_changes_during_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edges = tmp_path / "net.csv"
    edges.write_text("a,b\n0,1\n")
    path = tmp_path / "file.toml"
    path.write_text(
        'name = "file"\nmeasurement = "simulate"\nplots = []\n[[case]]\nname = "a"\nrouting = "minimal"\n'
        f'traffic = "permutation"\nfabric = \'file:edges="{edges}",p=1\'\n'
    )
    plan = study.plan(study.load(path))
    measured = Bench.check_inputs

    def change(self: Bench, run: study.Run) -> None:
        edges.write_text("a,b\n0,1\n1,2\n")
        measured(self, run)

    with monkeypatch.context() as patch:
        patch.setattr(Bench, "check_inputs", change)
        with pytest.raises(tulle.StudyError, match=r"case 'a', seed 0: .*net\.csv changed while the study ran; "):
            study.run(plan, tmp_path / "runs")
    assert not list((tmp_path / "runs").rglob("*.npz"))
    # The run of the study has another id after the network file has changed.
    assert study.run(study.plan(study.load(path)), tmp_path / "runs").plan.runs[0].id != plan.runs[0].id


def test_a_run_directory_is_refused_as_the_folder_of_run_directories(planned: Plan, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    done = study.run(planned, runs)
    for folder, what in ((done.directory, "the run directory of a study"), (runs / "pieces", "the folder of finished")):
        before = sorted(folder.rglob("*"))
        for call in (study.run, study.measure, study.status):
            with pytest.raises(tulle.FileError, match=rf"{folder.name}: {what}.*; legal: .*, here {runs}$"):
                call(planned, folder)
        assert sorted(folder.rglob("*")) == before
    # The manifest of another program does not matter.
    (runs / "manifest.json").write_text("{}")
    assert study.run(planned, runs).measured == ()


def test_remains_of_a_killed_run_are_removed(planned: Plan, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    done = study.run(planned, runs)
    (done.directory / ".staging-old").mkdir()
    (done.directory / ".staging-old" / "flows.csv").write_text("half")
    left = runs / "pieces" / f".{planned.runs[0].id}.npz.abc.part"
    left.write_bytes(b"half")
    other = runs / "pieces" / ".gitignore"
    other.write_text("*")
    study.run(planned, runs)
    assert not left.exists()
    assert other.exists()
    assert {path.name for path in done.directory.iterdir()} == {"flows.csv", "summary.json", "manifest.json"}


def test_files_of_running_programs_are_not_removed(planned: Plan, tmp_path: Path) -> None:
    from tulle._internal.writing.atomic import replacing, staging

    runs = tmp_path / "runs"
    done = study.run(planned, runs)
    with staging(done.directory) as folder, replacing(runs / "pieces" / f"{planned.runs[0].id}.npz") as file:
        study.run(planned, runs)
        assert folder.is_dir()
        assert len(list((runs / "pieces").glob(".*.part"))) == 1
        file.write((runs / "pieces" / f"{planned.runs[0].id}.npz").read_bytes())
    assert study.run(planned, runs).measured == ()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_ended_at_any_moment_it_goes_on(how: signal.Signals, planned: Plan, tmp_path: Path) -> None:
    command = ["run", "stored.toml", "--threads", "1"]
    draw, wanted = random.Random(12), results_of(study.run(planned, tmp_path / "whole").directory)
    with started([*command, "-o", "timed"], tmp_path) as process:
        began = time.monotonic()
        process.communicate(timeout=120)
        whole = time.monotonic() - began
    for _ in range(KILLS):
        with started(command, tmp_path) as process:
            time.sleep(draw.uniform(0, whole))
            process.send_signal(how)
            _, error = process.communicate(timeout=120)
        # While the study is read, the number of finished runs is not known yet.
        error = re.sub(r"^tulle: [0-4] of 4 runs are finished; the same command continues the study\n", "", error)
        # If the process stops before the finished runs are counted, the message has no number.
        error = error.replace("tulle: finished runs are stored; the same command continues the study\n", "")
        assert (process.returncode, error) in [(-signal.SIGKILL, ""), (130, "tulle: stopped\n"), (0, "")]
        done = study.run(planned, tmp_path / "runs")
        assert results_of(done.directory) == wanted
        assert len(pieces_of(tmp_path / "runs")) == 4
        assert not list((tmp_path / "runs").rglob(".*"))
        shutil.rmtree(tmp_path / "runs")


def test_a_changed_data_file_of_tulle_changes_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tulle"
    for folder in ("__pycache__", "studies"):
        (package / folder).mkdir(parents=True)
    monkeypatch.setattr(tulle, "__file__", str(package / "__init__.py"))
    builds = []
    for name, text in [("__init__.py", ""), ("prices.toml", "a = 1"), ("prices.toml", "a = 2")]:
        (package / name).write_text(text, encoding="utf-8")
        builds.append(build.__wrapped__())
    assert len(set(builds)) == 3
    # Copies of Python files, also while Python writes them; files of editors; results that `--record` writes.
    for name in ("core.pyc", "__pycache__/core.cpython-311.pyc.140", ".prices.toml.swp", "studies/demo.json"):
        (package / name).write_text("x", encoding="utf-8")
        assert build.__wrapped__() == builds[-1], name
