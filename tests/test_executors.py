"""Check that studies on many machines give the results of a single machine, even if workers or drivers are killed."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import ROOT
from test_study import results_of

from tulle import study
from tulle.errors import FileError, InputError, OutOfMemoryError, StudyError
from tulle.study.engine.one_run import Bench
from tulle.study.engine.shards import read_shard
from tulle.study.engine.store import Store, build
from tulle.study.engine.versions import computing
from tulle.study.executors import batches, on_dask, slurm, worker

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conftest import Cli

    from tulle.study.engine.plan import Plan, Run

dask = pytest.importorskip("distributed")
psutil = pytest.importorskip("psutil")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the tests end processes by signals, which needs Linux")

COUNT = 100
TEXT = """
name = "many"
measurement = "simulate"
plots = []
seeds = {seeds}
[common]
fabric = "star:endpoints=6"
routing = "minimal"
[grid]
traffic = ["permutation:bytes=1KiB", "permutation:bytes=64KiB"]
[[case]]
name = "a"
[[case]]
name = "b"
transport = "tcp"
"""


def written(folder: Path, runs: int = 20) -> Path:
    path = folder / "many.toml"
    path.write_text(TEXT.format(seeds=list(range(runs // 4))))
    return path


@pytest.fixture
def planned(tmp_path: Path) -> Plan:
    return study.plan(study.load(written(tmp_path)))


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    """Write a study of many runs and run it on one thread; return the study's path and results."""
    folder = tmp_path_factory.mktemp("serial")
    path = written(folder, COUNT)
    return path, results_of(study.run(study.load(path), folder / "runs", threads=1).directory)


def pieces(runs: Path) -> dict[str, tuple[int, int]]:
    """Return the inode and modification time of each result file, to detect files that are written twice."""
    found = [(path.name, path.stat()) for path in (runs / "pieces").glob("*.npz")]
    return {name: (state.st_ino, state.st_mtime_ns) for name, state in found}


def workers(of: int) -> list[Any]:
    """Return the worker processes of a driver process."""
    found = []
    for child in psutil.Process(of).children(recursive=True):
        # Other children may end at this moment.
        with suppress(psutil.NoSuchProcess):
            if "spawn_main" in " ".join(child.cmdline()):
                found.append(child)
    return found


def wait_for(result: Any) -> None:
    deadline = time.monotonic() + 120
    while not result():
        assert time.monotonic() < deadline, "it does not come"
        time.sleep(0.02)


def test_a_killed_worker_loses_no_results(serial: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    path, wanted = serial
    killed: list[int] = []
    result: list[tuple[float, int]] = []

    def watch(done: float, total: int) -> None:
        result.append((done, total))
        if not killed and len(pieces(tmp_path)) >= COUNT // 2:
            killed.append(workers(os.getpid())[0].pid)
            os.kill(killed[0], signal.SIGKILL)

    done = study.run(study.load(path), tmp_path, executor="dask:workers=2", progress=watch)
    assert killed
    assert results_of(done.directory) == wanted
    assert len(pieces(tmp_path)) == COUNT
    assert result[-1] == (COUNT, COUNT)
    # A worker measures one run at a time, so runs have durations. At most one duration is missing: that of the run
    # during which the worker was killed.
    assert len(done.processor_seconds) >= COUNT - 1
    assert not workers(os.getpid())


def test_a_driver_is_killed_and_started_again(
    serial: tuple[Path, dict[str, bytes]], tmp_path: Path, tulle: Cli
) -> None:
    path, wanted = serial
    arguments = ["run", str(path), "-o", str(tmp_path / "runs"), "--executor", "dask:workers=2"]
    command = [str(Path(sys.executable).with_name("tulle")), *arguments]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(lambda: len(pieces(tmp_path / "runs")) >= COUNT // 2)
        left = workers(process.pid)
        process.kill()
        process.wait(timeout=60)
    # Workers end after their driver was killed.
    assert left
    assert psutil.wait_procs(left, timeout=60)[1] == []
    before = pieces(tmp_path / "runs")
    again = tulle(*arguments, "--json")
    assert again.returncode == 0, again.stderr
    found = json.loads(again.stdout)
    assert found["measured"] == COUNT - len(before)
    after = pieces(tmp_path / "runs")
    assert len(after) == COUNT
    assert {name: after[name] for name in before} == before
    assert results_of(tmp_path / found["directory"]) == wanted


def test_ctrl_c_reaches_no_worker(tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    path.write_text(TEXT.format(seeds=[1]).replace("64KiB", "8GiB"))
    command = [str(Path(sys.executable).with_name("tulle")), "run", str(path), "--executor", "dask:workers=2"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        wait_for(lambda: pieces(tmp_path / "runs"))
        left = workers(process.pid)
        # All processes of the command get the signal, as when a user presses Ctrl-C in a terminal.
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, "")
    cluster, *rest = error.splitlines()
    assert re.fullmatch(r"tulle: .*http://127\.0\.0\.1:\d+/status", cluster), error
    count = len(pieces(tmp_path / "runs"))
    finished = f"tulle: {count} of 4 runs are finished; the same command continues the study"
    assert rest == [finished, "tulle: stopped"]
    assert psutil.wait_procs(left, timeout=60)[1] == []
    assert [entry.name for entry in (tmp_path / "runs").iterdir()] == ["pieces"]


def test_the_first_run_that_fails_is_reported(planned: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a later run, which fails earlier, does not hide the error of the first one."""
    runs = planned.runs[:2]

    def measure(bench: Bench, run: Run, *_: Any, **__: Any) -> float:
        time.sleep(0.3 if run is runs[0] else 0)
        raise StudyError(bench.where(run))

    monkeypatch.setattr(Bench, "measure", measure)
    with pytest.raises(StudyError) as caught:
        study.run(replace(planned, runs=runs), tmp_path, threads=2)
    assert str(caught.value).endswith(f"case '{runs[0].case}', seed {runs[0].seed}")


def test_a_run_that_fails_on_a_worker_names_itself(tmp_path: Path, tulle: Cli) -> None:
    path = tmp_path / "split.toml"
    failing = TEXT.format(seeds=[0]).replace("star:endpoints=6", "clique:degree=4")
    path.write_text(failing.replace('"tcp"', '"tcp"\nfail = "links=100%"'))
    here = tulle("run", str(path), "--threads", "1")
    there = tulle("run", str(path), "--executor", "dask:workers=1")
    assert (here.returncode, there.returncode) == (2, 2)
    assert here.stderr.startswith(f"tulle: {path}: case 'b', seed 0: ")
    assert there.stderr.splitlines()[-1] == here.stderr.rstrip()


def test_shards_make_the_whole(serial: tuple[Path, dict[str, bytes]], tmp_path: Path, tulle: Cli) -> None:
    path, wanted = serial
    half = COUNT // 2
    first = tulle("run", str(path), "--shard", "1/2")
    assert first.stdout.splitlines() == [
        f"shard 1/2: {half} runs measured, 0 reused",
        f"missing: {half} of {half} runs of shard 2/2",
    ]
    assert [entry.name for entry in (tmp_path / "runs").iterdir()] == ["pieces"]
    before = pieces(tmp_path / "runs")
    again = json.loads(tulle("run", str(path), "--shard", "1/2", "--json").stdout)
    assert again == {
        "study": "many",
        "shard": "1/2",
        "runs": half,
        "measured": 0,
        "missing": half,
        "lacking": {"2/2": half},
    }
    second = tulle("run", str(path), "--shard", "2/2")
    assert second.stdout.startswith(f"shard 2/2: {half} runs measured, 0 reused\n")
    (directory,) = (entry for entry in (tmp_path / "runs").iterdir() if entry.name != "pieces")
    assert f"run directory: runs/{directory.name} (0 runs measured, {COUNT} reused)" in second.stdout
    assert results_of(directory) == wanted
    assert {name: pieces(tmp_path / "runs")[name] for name in before} == before


def test_a_run_of_several_cases_counts_for_the_first(tmp_path: Path) -> None:
    path = tmp_path / "alike.toml"
    path.write_text(TEXT.format(seeds="[1]").replace('transport = "tcp"\n', ""), encoding="utf-8")
    found = study.status(study.plan(study.load(path)), tmp_path / "runs").by_case()
    assert [found[case]["missing"] for case in ("a", "b")] == [2, 0]


def test_shards_are_disjoint_and_of_similar_size(planned: Plan) -> None:
    for of in (1, 2, 3, 7, 50):
        shards = [study.Shard(number, of).runs(planned) for number in range(1, of + 1)]
        ids = [run.id for shard in shards for run in shard]
        assert sorted(ids) == sorted({run.id for run in planned.runs})
        assert max(map(len, shards)) - min(map(len, shards)) <= 1
    assert read_shard("2/3") == study.Shard(2, 3)


def test_status(planned: Plan, tmp_path: Path, tulle: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = tmp_path / "runs"
    empty = json.loads(tulle("run", "many.toml", "--status", "--json").stdout)
    assert (empty["finished"], empty["missing"], len(empty["to_measure"])) == (0, 20, 20)
    assert not runs.exists()
    study.run(planned, runs)
    (runs / "pieces" / f"{planned.runs[0].id}.npz").unlink()
    (runs / "pieces" / f"{planned.runs[1].id}.npz").write_bytes(b"broken")
    found = json.loads(tulle("run", "many.toml", "--status", "--json").stdout)
    assert (found["runs"], found["finished"], found["damaged"], found["missing"]) == (20, 18, 1, 1)
    assert found["to_measure"] == [run.id for run in planned.runs[:2]]
    cases = {case.pop("case"): case for case in found["cases"]}
    assert cases["b"] == {"finished": 10, "of_another_build": 0, "damaged": 0, "missing": 0}
    message = tulle("run", "many.toml", "--status").stdout
    assert message.endswith("\n18 of 20 runs are finished, 1 damaged, 1 missing\n")
    one = tulle("run", "many.toml", "--status", "--case", "b", "--seed", "1").stdout.splitlines()
    assert [line.split()[0] for line in one if line.startswith(("a ", "b "))] == ["b"]
    monkeypatch.setattr("tulle.study.engine.store.build", lambda: "another")
    other = study.status(planned, runs).by_case()
    assert other["b"] == {"finished": 0, "of another build": 10, "damaged": 0, "missing": 0}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--executor", "foo"], "unknown executor 'foo'; legal: local, dask, slurm"),
        (["--executor", "dusk"], "unknown executor 'dusk'; did you mean dask?"),
        (["--executor", "local:workers=2"], "executor local takes no parameters, but has 'workers=2'; legal: local"),
        (["--executor", "dask:workers=0"], "executor dask: workers = '0' is out of range; legal: 1 or more"),
        (["--executor", "dask:worker=2"], "executor dask: unknown key 'worker'; did you mean workers?"),
        (["--executor", "dask:workers=2,scheduler=tcp://a:1"], "executor dask: workers=2 and scheduler are both set; "),
        (["--executor", "dask", "--threads", "2"], "threads=2 needs the executor local; legal: dask:workers=N"),
        (
            ["--executor", "slurm:time=1h,memory=1GB"],
            "executor slurm: time = '1h' has the wrong form; legal: for example 90 (min",
        ),
        (
            ["--executor", "slurm:memory=lots"],
            "executor slurm: memory = 'lots' has the wrong form; legal: for example 64GB",
        ),
        (["--executor", "slurm"], "executor slurm: needs 'memory'"),
        (
            ["--executor", 'slurm:memory=1GB,queue="a b"'],
            "executor slurm: queue = 'a b' has the wrong form; legal: ",
        ),
        (["--shard", "3/2"], "shard 3/2: legal: i/2 with i from 1 to 2, for example 1/2"),
        (["--shard", "0/2"], "shard 0/2: legal: i/2 with i from 1 to 2, for example 1/2"),
        (["--shard", "half"], "shard half: legal: i/n with i from 1 to n, for example 1/4"),
        (["--shard", "1/2000000"], "shard 1/2000000: legal: i/n with i from 1 to n, n up to 1000000, for example 1/4"),
        (["--shard", "1/2", "--check"], "invalid value: --check together with --shard; legal: one of them"),
        (["--status", "--fresh"], "invalid value: --fresh together with --status; legal: one of them"),
    ],
)
@pytest.mark.usefixtures("planned")
def test_bad_input_is_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    from tulle.cli import main

    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["run", "many.toml", *arguments])
    assert ended.value.code == 2
    error = capfd.readouterr().err
    assert error.startswith(f"tulle: {message}")
    assert error.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(("name", "lacks"), [("dask", "dask"), ("slurm:memory=1GB", "dask")])
@pytest.mark.usefixtures("planned")
def test_without_the_extra(
    name: str, lacks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    from tulle.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(on_dask, "find_spec", lambda _: None)
    with pytest.raises(SystemExit) as ended:
        main(["run", "many.toml", "--executor", name])
    message = f"runs on a cluster need {lacks}; install tulle[cluster]"
    assert (ended.value.code, capfd.readouterr().err) == (2, f"tulle: invalid value: --executor {name}: {message}\n")


@pytest.fixture
def order(planned: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> worker.Order:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "pieces"
    folder.mkdir()
    runs = tuple(map(worker.send, planned.runs))
    where = (str(tmp_path), str(folder), folder.stat().st_ino)
    return worker.Order(planned.study, build(), computing(), *where, False, runs)


def test_a_worker_checks_where_it_is(order: worker.Order, tmp_path: Path) -> None:
    worker.check(order)
    for wrong, kind, message in (
        (replace(order, build="other"), InputError, f"build {build()} of tulle; legal: other, the build that started"),
        (replace(order, libraries={**computing(), "numpy": "0.1"}), InputError, "numpy .*; legal: 0.1, as in"),
        (replace(order, store=str(tmp_path / "none")), FileError, "No such file or directory; legal: a folder that"),
        (replace(order, folder=str(tmp_path / "none")), FileError, "No such file or directory; legal: a folder that"),
        (replace(order, inode=1), FileError, "pieces is a different folder on the worker; legal: a shared folder"),
    ):
        with pytest.raises(kind, match=f"^worker on .*{message}") as caught:
            worker.check(wrong)
        assert "\n" not in str(caught.value)


def test_batches_take_a_second(planned: Plan) -> None:
    runs = [run for run in planned.runs if run.case == "a"]
    waiting = batches.Batches(planned.runs)
    # At first, each case has one batch with a single run.
    ahead = waiting.take(all=True)
    assert [[run.case for run in batch] for batch in ahead] == [["a"], ["b"]]
    assert waiting.take(all=True) == []
    waiting.learn(runs[0], 0.4)
    waiting.end(ahead[0], [])
    # Runs whose parameters have no measured time are assumed to take as long as the longest measured run of their case.
    first = waiting.take(all=False)
    assert [len(batch) for batch in first] == [3, 3, 3]
    assert waiting.take(all=False) == []
    # Runs that a worker returns unmeasured go to the head of the queue.
    waiting.end(first[0], first[0][1:])
    assert waiting.take(all=False) == [first[0][1:]] or len(waiting) == 2 + 9
    # The single run of case b ended without a duration, because its results already existed. So case b has another
    # batch with a single run.
    waiting.end(ahead[1], [])
    assert [run.case for batch in waiting.take(all=True) for run in batch].count("b") == 1


@pytest.fixture
def small_and_large(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Start a Dask cluster in this process, with two workers that declare their memory; yield its address."""
    monkeypatch.setattr(worker, "_limit", lambda _: None)
    sizes = {name: {"nthreads": 1, "resources": {"memory": size}} for name, size in (("small", 1e9), ("large", 4e9))}
    workers = {name: {"cls": dask.Worker, "options": options} for name, options in sizes.items()}
    scheduler = {"cls": dask.Scheduler, "options": {"protocol": "inproc://", "dashboard_address": ":0"}}
    with dask.SpecCluster(workers=workers, scheduler=scheduler, silence_logs=50) as cluster:
        yield cluster.scheduler_address


def starving(monkeypatch: pytest.MonkeyPatch, need: float) -> list[str]:
    """Make runs of case b fail on workers with less than `need` bytes; return a list that records runs and workers."""
    measure = Bench.measure
    where: list[str] = []

    def hungry(self: Bench, run: Run, advance: Any, *, alone: Any) -> float:
        here = dask.get_worker()
        where.append(f"{run.case} on {here.name}")
        if run.case == "b" and here.state.total_resources["memory"] < need:
            raise StudyError(f"{self.where(run)}: too large") from OutOfMemoryError("too large")
        return measure(self, run, advance, alone=alone)

    monkeypatch.setattr(Bench, "measure", hungry)
    return where


def test_runs_go_to_where_memory_suffices(
    small_and_large: str, planned: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = results_of(study.run(planned, tmp_path / "here").directory)
    where = starving(monkeypatch, 2e9)
    done = study.run(planned, tmp_path / "there", executor=f"dask:scheduler={small_and_large}")
    assert results_of(done.directory) == wanted
    assert len(done.measured) == 20
    assert where.count("b on large") == 10
    # After one run of case b has failed for lack of memory, the driver sends no further runs of case b to the small
    # worker. At most four runs reach the small worker before that.
    assert where.count("b on small") <= 4


def test_no_memory_suffices(
    small_and_large: str, planned: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starving(monkeypatch, 8e9)
    with pytest.raises(StudyError, match="case 'b', seed 0: too large"):
        study.run(planned, tmp_path, executor=f"dask:scheduler={small_and_large}")


def test_an_answer_that_is_lost_before_it_arrives(
    small_and_large: str, planned: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that the driver waits for another worker's result if a worker is lost right after its answer."""
    hear = on_dask._Driver._hear
    lost: list[str] = []

    def first_lost(self: Any, future: Any, waiting: Any) -> None:
        if not lost:
            lost.append(future.key)
            # The scheduler sends the first message when a worker is lost, and the second message when another worker
            # has measured the run.
            client = future.client
            client._handle_lost_data(key=future.key)
            client.loop.call_later(1.0, client._handle_key_in_memory, future.key)
        hear(self, future, waiting)

    monkeypatch.setattr(on_dask._Driver, "_hear", first_lost)
    done = study.run(planned, tmp_path, executor=f"dask:scheduler={small_and_large}")
    assert lost
    assert len(done.measured) == 20


def test_a_missing_scheduler_is_an_error(planned: Plan, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"scheduler=nowhere://1: .*; legal: the address of a running scheduler"):
        study.run(planned, tmp_path, executor="dask:scheduler=nowhere://1")


def test_a_worker_keeps_to_its_memory() -> None:
    script = (
        "import tulle\nfrom tulle.study.executors.worker import _limit\n_limit(100 << 20)\n"
        "try:\n    tulle.Fabric('jellyfish:switches=100000,degree=32')\n"
        "except MemoryError as error:\n    print(error)\n"
    )
    message = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "(limit of the address space)" in message


# This script replaces Slurm's sbatch; it starts jobs immediately on this machine.
SBATCH = """#!/bin/sh
cp "$1" "$SCRIPTS/$$.sh"
setsid sh "$SCRIPTS/$$.sh" >/dev/null 2>&1 &
echo "Submitted batch job $!"
"""
SCANCEL = "#!/bin/sh\nkill -TERM -- -$1\n"
REFUSING = "#!/bin/sh\necho 'sbatch: error: invalid partition specified: fast' >&2\nexit 1\n"


@pytest.fixture
def no_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use the replacements of Slurm's commands in `tmp_path`, and ignore the user's Dask configuration."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("SCRIPTS", str(tmp_path))
    monkeypatch.setenv("DASK_CONFIG", str(tmp_path / "dask"))


def commands(folder: Path, **scripts: str) -> None:
    (folder / "bin").mkdir()
    for name, text in scripts.items():
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)


def normal(script: str, out: Path) -> str:
    """Replace the parts of a job script that depend on the machine or the run by fixed words."""
    script = script.replace(str(out), "OUT").replace(sys.executable, "PYTHON")
    script = re.sub(r"tls://[\d.]+:\d+", "tls://SCHEDULER", script)
    return re.sub(r"(\.dask-jobqueue\.worker\.\w+)\.\w+", r"\1.RANDOM", script)


@pytest.mark.usefixtures("no_settings")
def test_the_script_of_a_job(tmp_path: Path) -> None:
    given = {"queue": "fast", "account": "physics", "time": "02:00:00", "cores": "16", "memory": "64GB", "workers": "4"}
    options = slurm.Options.model_validate(given)
    (tmp_path / "out" / "pieces").mkdir(parents=True)
    cluster = slurm.cluster(options, Store(tmp_path / "out" / "pieces"), [])
    with cluster:
        script = normal(cluster.job_script(), tmp_path / "out")
        slurm.forget_keys(cluster)
    assert script.splitlines() == (ROOT / "tests" / "slurm_job.sh").read_text().splitlines()
    # The folder in which the TLS keys were stored is empty again.
    assert not list((tmp_path / "out" / "slurm").iterdir())


@pytest.mark.usefixtures("no_settings")
def test_jobs_measure(planned: Plan, tmp_path: Path, tulle: Cli) -> None:
    commands(tmp_path, sbatch=SBATCH, scancel=SCANCEL)
    wanted = results_of(study.run(planned, tmp_path / "here").directory)
    done = tulle("run", "many.toml", "--executor", "slurm:cores=2,memory=4GB,jobs=1", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["measured"] == 20
    assert results_of(tmp_path / found["directory"]) == wanted
    assert not list((tmp_path / "runs").rglob(".*"))


@pytest.mark.usefixtures("no_settings", "planned")
def test_jobs_that_are_refused(tmp_path: Path, tulle: Cli) -> None:
    commands(tmp_path, sbatch=REFUSING, scancel=SCANCEL)
    done = tulle("run", "many.toml", "--executor", "slurm:memory=4GB,queue=fast")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "tulle: executor slurm: sbatch: error: invalid partition specified: fast"


# This driver treats a job as lost one second after the job's last worker ended. If the driver hangs, it prints a
# traceback and exits.
DRIVER = """
import faulthandler, sys
from tulle import study
from tulle.study.executors import slurm

faulthandler.dump_traceback_later(180, exit=True)
slurm._LOST = 1.0
print(study.run(study.load(sys.argv[1]), sys.argv[2], executor="slurm:memory=4GB").directory)
"""


@pytest.mark.usefixtures("no_settings")
def test_a_job_that_is_gone_is_submitted_again(
    serial: tuple[Path, dict[str, bytes]], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, wanted = serial
    commands(tmp_path, sbatch=SBATCH.replace("echo", 'echo $! >> "$SCRIPTS/jobs"\necho'), scancel=SCANCEL)
    command = [sys.executable, "-c", DRIVER, str(path), str(tmp_path)]

    def jobs() -> list[int]:
        return [int(job) for job in (tmp_path / "jobs").read_text().split()]

    # The study has a single worker. After the kill, the remaining runs wait until the next job starts a worker.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as driver:
        wait_for(lambda: pieces(tmp_path))
        os.killpg(jobs()[-1], signal.SIGKILL)
        out, error = driver.communicate(timeout=300)
    if driver.returncode:
        # Dask can hang on a busy machine. A second run of the command then continues with the remaining runs, as the
        # documentation says.
        with capfd.disabled():
            print(error, file=sys.stderr)
        again = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        out, error = again.stdout, again.stderr
    assert results_of(Path(out.strip())) == wanted, error
    assert len(jobs()) > 1
