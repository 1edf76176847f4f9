"""Check which study files tulle accepts, which stored results it reuses, and what it writes."""

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli

import tulle
from tulle import study
from tulle.cli import command
from tulle.errors import StudyError
from tulle.study.report import plot
from tulle.study.report import results as report

SMALL = """
name = "small"
title = "Two ways to route"
measurement = "simulate"
seeds = [1, 2]

[common]
fabric = "slimfly:q=3"
transport = "purified"

[grid]
traffic = ["skewed:bytes=16KiB", "permutation:bytes=16KiB"]

[[case]]
name = "layers, flowlets"
routing = "random:layers=3,rho=0.7"

[[case]]
name = "minimal"
routing = "minimal"
selector = "ecmp"

[[reference]]
case = "minimal"
traffic = "skewed:bytes=16KiB"
source = "made up"
paper = { fct_mean_us = 12.5 }
"""


# Plots take most of the time of small studies, so only the tests that need plots draw them.
UNPLOTTED = SMALL.replace("[common]", "plots = []\n[common]", 1)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def unplotted(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(UNPLOTTED)
    return path


def test_a_run_without_rows_has_the_same_summary(unplotted: Path, tmp_path: Path, tulle: Cli) -> None:
    whole = study.run(study.load(unplotted), tmp_path / "runs")
    done = tulle("run", str(unplotted), "--no-rows", "--out", str(tmp_path / "bare"))
    assert done.returncode == 0, done.stderr
    bare = tmp_path / "bare" / whole.directory.name
    assert not (bare / "flows.csv").exists()
    assert (bare / "summary.json").read_bytes() == (whole.directory / "summary.json").read_bytes()
    listed = json.loads((bare / "manifest.json").read_text())["files"]
    assert {path.name for path in bare.iterdir()} == {*listed, "manifest.json"}


def test_run_writes_everything(small: Path, tmp_path: Path) -> None:
    done = study.run(study.load(small), tmp_path / "runs")
    assert len(done.measured) == 8
    assert done.directory == tmp_path / "runs" / done.plan.directory
    names = {path.name for path in done.directory.iterdir()}
    assert names == {"manifest.json", "flows.csv", "summary.json", "fct_us.png", "fct_us.pdf", "fct_us.svg"}
    with (done.directory / "flows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    endpoints = tulle.Fabric("slimfly:q=3").num_endpoints
    assert len(rows) == 8 * endpoints
    runs = {run.id: run for run in done.plan.runs}
    assert {row["run"] for row in rows} == set(runs)
    for row in rows:
        run = runs[row["run"]]
        assert (row["case"], row["traffic"], int(row["seed"])) == (run.case, run.point["traffic"], run.seed)
        assert float(row["fct_us"]) == pytest.approx((int(row["finish_ps"]) - int(row["start_ps"])) / 1e6)
    # The metrics in summary.json equal the metrics that the test computes from the rows of flows.csv.
    summary = json.loads((done.directory / "summary.json").read_text())
    for result in summary["results"]:
        means = []
        for seed in (1, 2):
            own = [
                float(row["fct_us"])
                for row in rows
                if (row["case"], row["traffic"], row["seed"]) == (result["case"], result["traffic"], str(seed))
            ]
            means.append(sum(own) / len(own))
        assert result["figures"]["fct_mean_us"]["mean"] == pytest.approx(sum(means) / 2)
        assert result["figures"]["fct_mean_us"]["min"] == pytest.approx(min(means))
    assert [result["reference"] for result in summary["results"]] == [
        None,
        {"source": "made up", "fct_mean_us": 12.5},
        None,
        None,
    ]
    manifest = json.loads((done.directory / "manifest.json").read_text())
    assert manifest["tulle"] == tulle.__version__
    assert [run["run"] for run in manifest["runs"]] == [run.id for run in done.plan.runs]
    assert manifest["runs"][0]["configuration"]["parameters"]["traffic"] == "skewed:bytes=16KiB,mapping=linear"


def results_of(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in directory.iterdir() if path.name != "manifest.json"}


def test_same_bytes_for_any_number_of_threads(unplotted: Path, tmp_path: Path) -> None:
    # Plots depend only on rows and metrics. The test of an interrupted study compares plots.
    one = study.run(study.load(unplotted), tmp_path / "one", threads=1)
    two = study.run(study.load(unplotted), tmp_path / "two", threads=2)
    assert results_of(one.directory) == results_of(two.directory)
    assert one.directory.name == two.directory.name


def test_finished_runs_are_reused(small: Path, tmp_path: Path) -> None:
    # Here only rows and metrics are compared; the test of an interrupted study also compares plots of reused runs.
    text = UNPLOTTED
    small.write_text(text)
    runs = tmp_path / "runs"
    first = study.run(study.load(small), runs)
    before = results_of(first.directory)
    assert study.run(study.load(small), runs).measured == ()
    assert results_of(first.directory) == before
    # After a new case is added, only the new case's runs are measured, and the results are in another directory.
    small.write_text(text + '\n[[case]]\nname = "third"\nrouting = "minimal"\nselector = "spray"\n')
    more = study.run(study.load(small), runs)
    assert len(more.measured) == 4
    assert more.directory != first.directory
    # A run whose stored result is damaged is measured again.
    small.write_text(text)
    (runs / "pieces" / f"{first.plan.runs[0].id}.npz").write_bytes(b"broken")
    with pytest.warns(UserWarning, match="damaged, as its checksum shows; the run is measured again"):
        again = study.run(study.load(small), runs)
    assert again.measured == (first.plan.runs[0].id,)
    assert results_of(again.directory) == before
    assert len(study.run(study.load(small), runs, fresh=True).measured) == 8


def test_flows_that_count(tmp_path: Path) -> None:
    path = tmp_path / "half.toml"
    path.write_text(
        'name = "half"\nmeasurement = "simulate"\nplots = []\nfigures = ["fct_mean_us", "fct_short_p99_us"]\n[common]\n'
        'fabric = "star:endpoints=12"\nrouting = "minimal"\n'
        'traffic = "uniform:sizes=websearch,arrivals=2000,duration=10ms"\n'
        '[[case]]\nname = "all"\n[[case]]\nname = "half"\nwarmup = 0.5\n'
    )
    done = study.run(study.load(path), tmp_path / "runs")
    with (done.directory / "flows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    starts = [int(row["start_ps"]) for row in rows]
    middle = (min(starts) + max(starts)) / 2
    for result in done.results:
        own = [row for row in rows if row["case"] == result.case]
        counted = [row for row in own if result.case == "all" or int(row["start_ps"]) >= middle]
        assert [row for row in own if row["counted"] == "1"] == counted
        assert 0 < len(counted) <= len(own)
        for name, low, high in (("", 1, 1e9), ("short_", 1, 1e5), ("medium_", 1e5 + 1, 1e6 - 1), ("long_", 1e6, 1e9)):
            chosen = [row for row in counted if low <= int(row["bytes"]) <= high]
            times = np.array([float(row["fct_us"]) for row in chosen])
            rates = [8e-3 * int(row["bytes"]) / float(row["fct_us"]) for row in chosen]
            means = {key: spread.mean for key, spread in result.figures.items()}
            assert means[f"fct_{name}mean_us"] == pytest.approx(times.mean())
            assert means[f"fct_{name}p99_us"] == pytest.approx(np.percentile(times, 99))
            assert means[f"throughput_{name}gbps"] == pytest.approx(np.mean(rates))
            assert means[f"fct_{name}p1_us"] == pytest.approx(np.percentile(times, 1))
            for percent in (1, 99):
                tail = means[f"throughput_{name}p{percent}_gbps"]
                assert tail == pytest.approx(np.percentile(rates, percent))
        assert result.figures["end_us"].mean == max(int(row["finish_ps"]) for row in own) / 1e6
    # The table has the metrics that the study lists in `figures`. Without `figures`, the table has all metrics except
    # metrics that are shown only on request.
    assert report.table(done.plan, done.results)[0] == ["case", "mean FCT (us)", "p99 FCT of short flows (us)"]
    usual = report.table(study.plan(study.load(path).model_copy(update={"figures": []})), done.results)[0]
    assert "p99 FCT (us)" in usual
    assert not any("short" in title or "long" in title for title in usual)


def test_intervals_and_words(
    small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = '[words]\n"skewed:bytes=16KiB" = "the $worst$ one"\n'
    small.write_text(SMALL.replace("[common]", f"intervals = true\n{words}[common]"))
    done = study.run(study.load(small), tmp_path / "runs")
    names = report.table(done.plan, done.results)[0]
    assert names[names.index("mean FCT (us)") + 1] == "±"
    # This metric has the same value for every seed, so the table has no interval.
    assert names[names.index("endpoints") + 1] != "±"
    by_case: dict[object, list[float]] = {}
    for run in json.loads((done.directory / "summary.json").read_text())["runs"]:
        by_case.setdefault((run["case"], run["traffic"]), []).append(run["figures"]["fct_mean_us"])
    for result in done.results:
        values = by_case[result.case, result.point["traffic"]]
        spread = result.figures["fct_mean_us"]
        # 12.706 is Student's t at 97.5% with one degree of freedom.
        assert spread.half95 == pytest.approx(12.706 * np.std(values, ddof=1) / np.sqrt(2), rel=1e-4)
    monkeypatch.setenv("COLUMNS", "200")
    assert command.run(["run", str(small), "-o", str(tmp_path / "runs")]) == 0
    printed = capsys.readouterr().out
    assert "the $worst$ one (traffic skewed:bytes=16KiB)" in printed
    assert "means over 2 seeds; ±: 95% confidence intervals\n" in printed
    assert "<!-- the $worst$ one -->" in (done.directory / "fct_us.svg").read_text(encoding="utf-8")
    assert (done.directory / "fct_us.pdf").read_bytes().startswith(b"%PDF")
    small.write_text(SMALL.replace("[common]", '[words]\n"skewed:bytes=16KB" = "x"\n[common]'))
    with pytest.raises(StudyError, match="words: 'skewed:bytes=16KB' is not in the grid; did you mean"):
        study.plan(study.load(small))


def test_a_file_or_a_name_stands_for_a_study(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(UNPLOTTED)
    done = study.run(path, tmp_path / "runs", rows=False)
    assert study.run(str(path), tmp_path / "runs").directory == done.directory
    with pytest.raises(StudyError, match="no study 'quickstrat'; did you mean quickstart"):
        study.run("quickstrat", tmp_path / "runs")


def test_panels_fit_a_page() -> None:
    assert [plot.panels(points) for points in (1, 2, 3, 4, 5, 7)] == [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]


def test_bands_over_seeds() -> None:
    parts = [(np.array([2, 1]), np.array([1, 3])), (np.array([1, 2]), np.array([1, 1])), (np.zeros(0), np.zeros(0))]
    values, share, half = plot.curve(parts)
    assert values.tolist() == [1, 2]
    assert share.tolist() == pytest.approx([0.625, 1])
    assert half.tolist() == pytest.approx([12.7062 * 0.125, 0], rel=1e-4)
    values, share, half = plot.curve(parts[:1])
    assert (share.tolist(), half.tolist()) == ([0.75, 1], [0, 0])


def test_equal_points_run_once(tmp_path: Path) -> None:
    path = tmp_path / "twice.toml"
    path.write_text(
        'name = "twice"\nmeasurement = "simulate"\nplots = []\n[common]\nfabric = "slimfly:q=3"\nrouting = "minimal"\n'
        '[grid]\ntraffic = ["permutation:bytes=1KiB", "permutation:bytes=1024B"]\n[[case]]\nname = "a"\n'
    )
    done = study.run(study.load(path), tmp_path / "runs")
    assert len(done.measured) == 1
    assert len({run.id for run in done.plan.runs}) == 1
    assert len(done.results) == 2
    assert done.results[0].figures == done.results[1].figures


def test_input_files_count(tmp_path: Path) -> None:
    edges = tmp_path / "net.csv"
    tulle.Fabric("clique:degree=4").write(edges)
    path = tmp_path / "file.toml"
    path.write_text(
        'name = "file"\nmeasurement = "simulate"\n[common]\nrouting = "minimal"\ntraffic = "permutation:bytes=1KiB"\n'
        f'[[case]]\nname = "a"\nfabric = \'file:edges="{edges}",nodes="{tmp_path / "net.nodes.csv"}"\'\n'
    )
    one = study.plan(study.load(path))
    assert [len(run.configuration["inputs"]) for run in one.runs] == [2]
    assert study.plan(study.load(path)).id == one.id
    tulle.Fabric("clique:degree=5").write(edges)
    assert study.plan(study.load(path)).id != one.id


def test_command_prints_the_table(tulle: Cli, unplotted: Path) -> None:
    printed = tulle("run", str(unplotted), "--threads", "1")
    assert printed.returncode == 0, printed.stderr
    assert printed.stderr == ""
    tables = printed.stdout.split("traffic ")
    assert len(tables) == 3
    for table in tables[1:]:
        assert sum(line.startswith(("layers, flowlets ", "minimal ")) for line in table.splitlines()) == 2
    assert "reference" in tables[1]
    assert "12.5" in tables[1]
    assert "reference" not in tables[2].split("\n\n")[0]
    assert "(8 runs measured, 0 reused)" in printed.stdout
    # The same study with plots has the same runs.
    unplotted.write_text(SMALL)
    found = json.loads(tulle("run", str(unplotted), "--json").stdout)
    assert (found["study"], found["runs"], found["measured"]) == ("small", 8, 0)
    assert len(found["results"]) == 4
    assert len(found["plots"]) == 3


def test_interrupted_study_goes_on(small: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    pieces = runs / "pieces"

    def interrupt(done: float, total: int) -> None:
        assert total == 8
        if done >= 1 and list(pieces.glob("*.npz")):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.run(study.load(small), runs, threads=1, progress=interrupt)
    kept = {piece.stem for piece in pieces.glob("*.npz")}
    assert kept
    assert [entry.name for entry in runs.iterdir()] == ["pieces"]
    done = study.run(study.load(small), runs)
    assert {run.id for run in done.plan.runs} == kept | set(done.measured)
    assert not kept & set(done.measured)
    fresh = study.run(study.load(small), tmp_path / "fresh")
    assert results_of(fresh.directory) == results_of(done.directory)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "1 of 2 runs are finished; the same command continues the study"),
        (("--shard", "1/1"), "1 of 2 runs are finished; the same command continues the study"),
        # Runs that an earlier command has stored can be among the finished ones, so they are not counted.
        (
            ("--fresh",),
            "finished runs are stored; without --fresh, the command uses them, and also runs of earlier commands",
        ),
    ],
)
def test_ctrl_c_keeps_finished_runs(options: tuple[str, ...], said: str, tmp_path: Path) -> None:
    path = tmp_path / "long.toml"
    # The second case takes minutes, so Ctrl-C interrupts it.
    path.write_text(
        'name = "long"\nmeasurement = "simulate"\n[common]\nfabric = "slimfly:q=5"\nrouting = "minimal"\n'
        '[[case]]\nname = "short"\ntraffic = "permutation:bytes=1KiB"\n'
        '[[case]]\nname = "long"\ntraffic = "permutation:bytes=8GiB"\n'
    )
    command = [str(Path(sys.executable).with_name("tulle")), "run", str(path), "--threads", "1", *options]
    pieces = tmp_path / "runs" / "pieces"
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not list(pieces.glob("*.npz")) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert (process.returncode, out, error) == (130, "", f"tulle: {said}\ntulle: stopped\n")
    plan = study.plan(study.load(path))
    assert [piece.stem for piece in pieces.glob("*.npz")] == [plan.runs[0].id]
    assert [entry.name for entry in (tmp_path / "runs").iterdir()] == ["pieces"]


CASE = '[[case]]\nname = "a"\nfabric = "slimfly:q=3"\nrouting = "minimal"\ntraffic = "permutation"\n'
HEAD = 'name = "s"\nmeasurement = "simulate"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = ", 'is not TOML: invalid value (at end of document); legal: lines like key = "text"'),
        (f"name = {'[' * 2000}{']' * 2000}\n", "tables and lists are nested too deeply; legal: at most 32 levels"),
        (f"{'a.' * 2000}a = 1\n", "tables and lists are nested too deeply; legal: at most 32 levels"),
        (HEAD + f"{'x' * 300} = 1\n" + CASE, f"unknown key '{'x' * 60}…'; "),
        (
            HEAD.replace('"s"', f'"{"s" * 300}"') + CASE,
            f"name = '{'s' * 59}… has more than 100 characters; legal: ",
        ),
        (CASE, "needs 'name'"),
        (HEAD, "needs 'case'"),
        (HEAD + "case = []\n", "case = [] is empty; legal: a list of one value or more"),
        (
            HEAD.replace('"s"', '"S s"') + CASE,
            "name = 'S s' is not a name; legal: lower-case letters, digits, '.', ",
        ),
        (HEAD + 'tittle = "x"\n' + CASE, "unknown key 'tittle'; did you mean title?"),
        (HEAD + 'path = "x"\n' + CASE, "unknown key 'path'"),
        (HEAD + "seeds = [1, 1]\n" + CASE, "seeds = [1, 1] has the same value twice; legal: different values"),
        (HEAD + "seeds = [-1]\n" + CASE, "seeds[0] = -1 is out of range; legal: 0 to 2^64-1"),
        (HEAD + 'seeds = ["1"]\n' + CASE, "seeds[0] = '1' is not a whole number; legal: 0 to 2^64-1"),
        (HEAD + "seeds = 5\n" + CASE, "seeds = 5 is not a list; legal: a list, as [1, 2]"),
        (HEAD + "case = 5\n", "case = 5 is not a list; legal: tables that begin with [[case]]"),
        (HEAD + "case = [5]\n", "case[0] = 5 is not a table; legal: a table"),
        (HEAD + "title = 5\n" + CASE, "title = 5 is not a text; legal: text in quotes"),
        (HEAD + "intervals = 1\n" + CASE, "intervals = 1 is not true or false; legal: true, false"),
        (
            HEAD + "common = { traffic = 2020-01-01 }\n" + CASE,
            "common.traffic = 2020-01-01 has the wrong type; ",
        ),
        (HEAD + "grid = { traffic = [] }\n" + CASE, "grid.traffic = [] is empty; legal: a list of one value or more"),
        (HEAD.replace("simulate", "simulat") + CASE, "unknown measurement 'simulat'; did you mean simulate?"),
        (HEAD + "[common]\nroutng = 'x'\n" + CASE, "common: unknown key 'routng'; did you mean routing?"),
        (HEAD + "[grid]\ntraffic = ['permutation']\n" + CASE, "case 'a': 'traffic' is also in the grid"),
        (HEAD + CASE + CASE, "case 'a' appears 2 times"),
        (
            HEAD + CASE.replace("slimfly:q=3", "slimfly:q=6"),
            "case 'a': fabric: slimfly: q=6 is not a prime power; nearest 5, 7",
        ),
        (
            HEAD + CASE + "mtu = 9000\n",
            "case 'a': mtu = 9000 is not a text; legal: text in quotes (a size, for example",
        ),
        (HEAD + CASE + "warmup = 1.0\n", "case 'a': warmup = 1.0 is out of range; legal: 0 to below 1"),
        (HEAD + CASE + "warmup = 'x'\n", "case 'a': warmup = 'x' is not a number; legal: 0 to below 1"),
        (HEAD + CASE + 'rate = "9"\n', "case 'a': rate=9 has no unit"),
        (HEAD + CASE + 'selector = "flowlet:gap=x"\n', "case 'a': flowlet: gap=x is not a duration"),
        (HEAD + CASE + 'fail = "links=200%"\n', "case 'a': fail: faults: links=200% is out of range"),
        (HEAD + CASE.replace("routing", "#"), "case 'a': needs 'routing'"),
        (
            HEAD + CASE + "[[reference]]\ncase = 'b'\nsource = 's'\npaper = {fct_mean_us = 1.0}\n",
            "reference[0]: unknown case 'b'",
        ),
        (
            HEAD + CASE + "[[reference]]\ncase = 'a'\nsource = 's'\npaper = {fct = 1.0}\n",
            "reference[0]: paper: unknown figure 'fct'",
        ),
        (
            HEAD + CASE + "[[reference]]\ncase = 'a'\nsource = 's'\nload = 1\npaper = {fct_p99_us = 1.0}\n",
            "reference[0]: unknown key 'load'",
        ),
    ],
)
def test_bad_studies_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(tulle.StudyError) as caught:
        study.plan(study.load(path))
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_a_run_that_fails_names_itself(tulle: Cli, tmp_path: Path) -> None:
    path = tmp_path / "split.toml"
    path.write_text(HEAD + CASE + 'fail = "links=100%"\n')
    printed = tulle("run", str(path))
    assert printed.returncode == 2
    assert printed.stderr.startswith(f"tulle: {path}: case 'a', seed 0: minimal: ")
    assert printed.stderr.count("\n") == 1
    assert not (tmp_path / "runs" / "pieces").exists()


FLITS = """
name = "flits"
measurement = "flit"
seeds = [1, 2]

[common]
fabric = "slimfly:q=3"
routing = "minimal"
warmup = 300
window = 600

[grid]
load = [0.2, 1.0]

[[case]]
name = "minimal"
vcs = 2
traffic = "worst-case"

[[case]]
name = "two buffers"
vcs = 3
"""


def test_flit_studies_draw_latency_over_load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tulle.plot.sheet import save as saved

    sheets: list[Any] = []

    def save(sheet: Any, *to: Any) -> None:
        sheets.append(sheet)
        saved(sheet, *to)

    monkeypatch.setattr("tulle.study.report.curves.save", save)
    path = tmp_path / "flits.toml"
    path.write_text(FLITS)
    done = study.run(study.load(path), tmp_path / "runs", threads=1)
    assert [plotted.name for plotted in done.plots] == [f"latency_load{suffix}" for suffix in plot.SUFFIXES]
    latency, accepted = sheets[0].axes
    for axes, key in ((latency, "latency_mean"), (accepted, "accepted")):
        lines = [line for line in axes.lines if len(line.get_xdata()) == 2]
        for line, case in zip(lines, ("minimal", "two buffers"), strict=True):
            own = [result for result in done.results if result.case == case]
            assert line.get_ydata().tolist() == [result.figures[key].mean for result in own]
    # Loads at which a seed saturated have hollow markers.
    hollow = [line.get_xdata().tolist() for line in latency.lines if line.get_markerfacecolor() == "white"]
    beyond = [result.point["load"] for result in done.results if result.figures["saturated"].max]
    assert hollow == [[load] for load in beyond] == [[1.0]]
    band = latency.collections[0].get_paths()[0].vertices[:, 1]
    mean, half = (getattr(done.results[0].figures["latency_mean"], name) for name in ("mean", "half95"))
    assert band.min() == pytest.approx(mean - half)

    path.write_text('plots = ["latency_load"]\n' + FLITS.replace("load = [0.2, 1.0]", "load = [0.2]"))
    with pytest.raises(StudyError, match=r"plots: 'latency_load' needs several numbers as values of load in the grid"):
        study.plan(study.load(path))
    path.write_text("plots = []\n" + FLITS)
    assert study.plan(study.load(path)).curves == []
