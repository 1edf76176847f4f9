"""Check that commands reject bad outputs before any work, write complete files or none, and accept unusual names."""

import csv
import io
import json
import os
import resource
import stat
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli
from test_bad_input import refused

import tulle
from tulle import study
from tulle._internal.writing.atomic import replacing
from tulle.cli import main
from tulle.cli.command import run
from tulle.columns import Columns
from tulle.flit import sweep
from tulle.study.report import plot

# Arguments of a flit simulation that would take minutes. Commands must reject bad outputs before they simulate.
LONG = ["clique:degree=5,p=3", "--window", "100000000"]

ODD = [
    "$a_b$ \\alpha $",
    "$\\frac{$",
    "_hidden",
    'it\'s "quoted", twice',
    "two\nlines",
    "Δ≥π 🙂 :smile:",
    "[bold]x[/bold] [x]",
    "%s {0} #",
    "$",
]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["flit", *LONG, "--plot", "x.jpgg"], "x.jpgg: '.jpgg' is not a known extension; legal: .pdf, .png, .svg"),
        (["flit", *LONG, "--plot", "x"], "x: a name without an extension; legal: .pdf, .png, .svg"),
        (["flit", *LONG, "-o", "x.png"], "x.png: '.png' is not a known extension; legal: .csv"),
        (["flit", *LONG, "-o", "folder.csv"], "folder.csv: a folder; legal: a file"),
        (["flit", *LONG, "-o", "pipe.csv"], "pipe.csv: a pipe; legal: a file"),
        (["flit", *LONG, "-o", "absent/x.csv"], "absent/x.csv: there is no folder '"),
        (["flit", *LONG, "-o", "file/x.csv"], "file/x.csv: Not a directory"),
        (["flit", *LONG, "-o", "/proc/x.csv"], "/proc/x.csv: "),
        (["flit", *LONG, "-o", "x" * 300 + ".csv"], "x" * 60 + "…: File name too long"),
        (
            ["simulate", "slimfly:q=5", "-o", "x.csv", "--links", "./x.csv"],
            "x.csv: --output and --links would both write",
        ),
        (["simulate", "slimfly:q=5", "--fct", "fct.csv"], "fct.csv: '.csv' is not a known extension; legal: .txt"),
        (["simulate", "slimfly:q=5", "--samples", "x.parquet"], "x.parquet: '.parquet' is not a known extension"),
        (
            ["route", "slimfly:q=19", "minimal", "-o", "t.csv"],
            "t.csv: '.csv' is the extension of another kind of file; legal: ",
        ),
        (["route", "slimfly:q=19", "minimal", "-o", "/dev/full"], "/dev/full: a device; legal: a file"),
        (["tune", "slimfly:q=5", "-o", "t.CSV"], "t.CSV: '.CSV' is the extension of another kind of file; legal: "),
        (["stress", "slimfly:q=5", "minimal", "permutation", "-o", "."], ".: a name without an extension; legal: .csv"),
        (["exchange", "slimfly:q=5", "-o", "/dev/stdout"], "/dev/stdout: a name without an extension; legal: .csv"),
        (["analyze", "slimfly:q=5", "distances", "-o", "x.json"], "x.json: '.json' is not a known extension"),
        (["fabric", "slimfly:q=43", "--write", "folder.csv"], "folder.csv: a folder; legal: a file"),
        (["fabric", "slimfly:q=43", "--write", "pipe.edges"], "pipe.edges: a pipe; legal: a file"),
        (
            ["run", "absent.toml", "-o", "file"],
            "file: 'file' is not a folder; legal: a folder, or a name that does not exist",
        ),
        (["run", "absent.toml", "-o", "file/runs"], "file/runs: 'file' is not a folder"),
        (["run", "absent.toml", "-o", "/dev/full"], "/dev/full: '/dev/full' is not a folder"),
        (["run", "absent.toml", "-o", "/proc/runs"], "/proc/runs: "),
        (["run", "absent.toml", "-o", "absent/runs"], "absent/runs: there is no folder '"),
        (["deploy", "frr", "slimfly:q=5", "minimal", "-o", "absent/bundle"], "absent/bundle: there is no folder '"),
        (["cabling", "plan", "slimfly:q=5", "-o", "absent/plan"], "absent/plan: there is no folder '"),
        (["route", "slimfly:q=5", "minimal", "--tables", "absent/tables"], "absent/tables: there is no folder '"),
    ],
)
def test_outputs_are_checked_before_work(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "file").write_text("mine")
    for pipe in ("pipe.csv", "pipe.edges"):
        os.mkfifo(tmp_path / pipe)
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert printed.err.startswith(f"tulle: {message}")
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_text() == "mine"


def limited(size: int) -> Callable[[], None]:
    """Return a function that limits the size of files that a child process can write."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("option", [["-o", "x.csv"], ["--plot", "x.svg"]])
def test_no_room_is_found_at_once(tmp_path: Path, option: list[str]) -> None:
    command = [str(Path(sys.executable).with_name("tulle")), "flit", *LONG, *option]
    printed = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=60, preexec_fn=limited(1000), check=False
    )
    assert (printed.returncode, printed.stdout) == (2, "")
    assert printed.stderr == f"tulle: {option[1]}: File too large\n"
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("tulle")), "simulate", "slimfly:q=5", "-o", "x.csv"]
    (tmp_path / "x.csv").write_text("before")
    printed = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, timeout=60, preexec_fn=limited(5000), check=False
    )
    assert (printed.returncode, printed.stdout) == (2, "")
    assert printed.stderr == "tulle: x.csv: File too large\n"
    assert [path.read_text() for path in tmp_path.iterdir()] == ["before"]


def test_a_file_that_is_read_only_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tulle._internal.writing.checks import check_file

    path = tmp_path / "x.csv"
    path.write_text("mine")
    # If root runs the tests, root can write everywhere. So the test replaces `os.access`.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(tulle.FileError, match=r"x\.csv: the file is read-only"):
        check_file(path)


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "x.csv").symlink_to("far/y.csv")
    for content in (b"one", b"two"):
        with replacing(tmp_path / "x.csv") as file:
            file.write(content)
        assert (tmp_path / "x.csv").is_symlink()
        assert (tmp_path / "far" / "y.csv").read_bytes() == content
    assert [path.name for path in (tmp_path / "far").iterdir()] == ["y.csv"]


def test_files_are_on_the_disk_before_they_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def watch(descriptor: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        synced.append(f"{kind}, seen: {(tmp_path / 'x.csv').exists()}")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watch)
    Columns({"a": np.arange(3)}).write_csv(str(tmp_path / "x.csv"))
    assert synced == ["file, seen: False", "folder, seen: True"]


# Many machines have no font with the emoji of a name.
@pytest.mark.filterwarnings("ignore::tulle.errors.FontWarning")
@pytest.mark.parametrize("suffix", [".pdf", ".png", ".svg", ".SVG"])
def test_plots_have_the_format_of_their_suffix(tmp_path: Path, suffix: str) -> None:
    columns = {name: np.array([0.1, 0.2]) for name in ("load", "latency_mean", "accepted")}
    begins = {".pdf": b"%PDF", ".png": b"\x89PNG", ".svg": b"<?xml"}
    drawn = []
    # Only the name of the file distinguishes .SVG from .svg, so a second plot would show nothing new.
    for name in ("a",) if suffix == ".SVG" else ("a", "b"):
        path = tmp_path / f"{name}{suffix}"
        sweep.draw({odd: Columns(columns) for odd in ODD}, path)
        drawn.append(path.read_bytes())
    assert drawn[0].startswith(begins[suffix.lower()])
    assert len({*drawn}) == 1
    if suffix.lower() == ".svg":
        # Comments in the SVG file contain all names unchanged.
        assert all(f"<!-- {line} -->" in drawn[0].decode() for odd in ODD for line in odd.split("\n"))


def odd_study(path: Path) -> Path:
    cases = "".join(
        f'[[case]]\nname = {json.dumps(odd, ensure_ascii=False)}\nfabric = "star:endpoints={at + 3}"\n'
        for at, odd in enumerate(ODD)
    )
    path.write_text(
        f'name = "odd"\ntitle = {json.dumps(" ".join(ODD), ensure_ascii=False)}\nmeasurement = "simulate"\n'
        f'[common]\nrouting = "minimal"\n[grid]\ntraffic = ["permutation:bytes=1KiB"]\n{cases}'
        f'[[reference]]\ncase = "$"\nsource = "[x] $y_1$"\npaper = {{ fct_mean_us = 1.0 }}\nwhy = "_a\\n[b]"\n',
        encoding="utf-8",
    )
    return path


def test_odd_names_survive_every_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    path = odd_study(tmp_path / "odd.toml")
    assert run(["run", path.name]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    for odd in [*ODD, "[x] $y_1$"]:
        for line in odd.split("\n"):
            assert line in printed.out
    (directory,) = (tmp_path / "runs").glob("odd-*")
    with (directory / "flows.csv").open(newline="", encoding="utf-8") as file:
        assert list(dict.fromkeys(row["case"] for row in csv.DictReader(file))) == ODD
    summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    assert [result["case"] for result in summary["results"]] == ODD
    drawing = (directory / "fct_us.svg").read_text(encoding="utf-8")
    ET.fromstring(drawing)
    assert all(f"<!-- {line} -->" in drawing for odd in ODD for line in odd.split("\n"))


def test_a_plot_never_costs_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = study.plan(study.load(odd_study(tmp_path / "odd.toml")))

    def fail(*_: object, **__: object) -> None:
        raise ValueError("cannot\ndraw")

    with monkeypatch.context() as patch:
        patch.setattr(plot, "name_lines", fail)
        done = study.run(planned, tmp_path / "runs")
    assert done.unplotted == "no plots: matplotlib cannot draw this: cannot\\ndraw"
    names = {"flows.csv", "summary.json", "manifest.json"}
    assert {path.name for path in done.directory.iterdir()} == names
    assert set(json.loads((done.directory / "manifest.json").read_text())["files"]) == names - {"manifest.json"}
    done = study.run(planned, tmp_path / "runs")
    assert (done.measured, done.unplotted) == ((), None)
    assert set(json.loads((done.directory / "manifest.json").read_text())["files"]) >= {"flows.csv", "fct_us.svg"}


def test_csv_and_html_of_odd_columns() -> None:
    columns = Columns({"a,b": np.array(ODD), "<b>": np.arange(len(ODD))})
    rows = list(csv.reader(io.StringIO(columns.to_csv(), newline="")))
    assert rows == [["a,b", "<b>"], *([odd, str(at)] for at, odd in enumerate(ODD))]
    html = columns._repr_html_()
    assert "<th>&lt;b&gt;</th>" in html
    assert "it&#x27;s &quot;quoted&quot;, twice" in html


@pytest.mark.parametrize("arguments", [["list", "fabrics"], ["fabric", "slimfly:q=5", "--json"], ["--help"]])
def test_full_standard_output_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [str(Path(sys.executable).with_name("tulle")), *arguments]
        printed = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert printed.returncode == 2
    assert printed.stderr == "tulle: standard output: No space left on device\n"


@pytest.mark.parametrize("stream", [1, 2])
def test_closed_streams_are_no_error(stream: int) -> None:
    command = [str(Path(sys.executable).with_name("tulle")), "fabric", "slimfly:q=5", "--json"]
    printed = subprocess.run(
        command, capture_output=True, text=True, timeout=60, preexec_fn=lambda: os.close(stream), check=False
    )
    assert (printed.returncode, printed.stderr) == (0, "")


def test_any_locale_prints(tulle: Cli, tmp_path: Path) -> None:
    path = odd_study(tmp_path / "odd.toml")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    for arguments in (["list", "fabrics"], ["features", "minimal"], ["run", "odd.toml"]):
        printed = tulle(*arguments, **plain)
        # Many machines have no font with the emoji of a name. A note then says so.
        notes = [line for line in printed.stderr.splitlines() if "the picture shows boxes instead of " not in line]
        assert (printed.returncode, notes) == (0, []), arguments
        assert (printed.stdout + printed.stderr).isascii()
    # The run above has drawn the plots, so this run draws none.
    path.write_text("plots = []\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    found = json.loads(tulle("run", "odd.toml", "--json", **plain).stdout)
    assert [result["case"] for result in found["results"]] == ODD


def test_errors_stay_one_line_whatever_a_name_holds(tulle: Cli) -> None:
    assert refused(tulle, "run", "two\nlines\x1b[31m.toml") == r"two\nlines\x1b[31m.toml: No such file or directory"


def test_tables_of_flows_and_links_have_names_if_the_fabric_has_names(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "net.csv").write_text("a,b\nleaf1,spine\nleaf2,spine\n")
    (tmp_path / "net.nodes.csv").write_text("node,switch\n=h1,leaf1\nh2,leaf2\n")
    named = "file:edges=net.csv,nodes=net.nodes.csv"
    sampled = ["--sample", "1us", "--sample-links", "leaf1--spine", "--link-samples", "samples.csv"]
    traffic = ["-t", "permutation:bytes=1KB"]
    done = tulle("simulate", named, *traffic, "-o", "flows.csv", "--links", "links.csv", *sampled)
    assert done.returncode == 0, done.stderr
    assert tulle("exchange", named, *traffic, "-o", "messages.csv").returncode == 0
    for name in ("flows.csv", "messages.csv"):
        with (tmp_path / name).open(newline="") as file:
            rows = [*csv.DictReader(file)]
        # A spreadsheet would run a name that starts with '=' as a formula.
        assert [(row["source"], row["source_name"]) for row in rows] == [("0", "'=h1"), ("1", "h2")]
        assert [(row["destination"], row["destination_name"]) for row in rows] == [("1", "h2"), ("0", "'=h1")]
        assert list(rows[0])[-2:] == ["source_name", "destination_name"]
    with (tmp_path / "links.csv").open(newline="") as file:
        ends = [(row["source_name"], row["target_name"]) for row in csv.DictReader(file)]
    assert ends[:4] == [("leaf1", "spine"), ("leaf2", "spine"), ("spine", "leaf1"), ("spine", "leaf2")]
    assert ends[4:] == [("'=h1", "leaf1"), ("h2", "leaf2"), ("leaf1", "'=h1"), ("leaf2", "h2")]
    with (tmp_path / "samples.csv").open(newline="") as file:
        assert {(row["source_name"], row["target_name"]) for row in csv.DictReader(file)} == {("leaf1", "spine")}
    # Generated fabrics have only ids.
    done = tulle("simulate", "slimfly:q=3", *traffic, "-o", "flows.csv", "--links", "links.csv")
    assert done.returncode == 0, done.stderr
    for name in ("flows.csv", "links.csv"):
        assert "_name" not in (tmp_path / name).read_text()
