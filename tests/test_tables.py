"""Check tables at any terminal width: numbers are complete and equal the JSON output, and headings keep whole words."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import sys
import termios
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tulle.cli import main
from tulle.cli.terminal import table
from tulle.cli.terminal.output import Column, print_fields
from tulle.cli.terminal.table import render
from tulle.cli.terminal.text import Screen, cells_of, fold, shorten, text
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.lab.traffic import Measured

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTHS = range(40, 201)

STUDY = """
name = "small"
title = "A study of two cases, whose title is longer than a narrow terminal is wide"
measurement = "simulate"
seeds = [1, 2]
intervals = true
figures = ["endpoints", "switches_per_endpoint", "fct_mean_us", "fct_p99_us"]
plots = []

[grid]
traffic = ["permutation:bytes=100KB"]

[[case]]
name = "Slim Fly, flowlets over minimal paths"
fabric = "slimfly:q=3"
routing = "minimal"

[[case]]
name = "Dragonfly"
fabric = "dragonfly:p=2"
routing = "minimal"

[[comparison]]
case = "Slim Fly, flowlets over minimal paths"
over = "Dragonfly"
source = "none"
most = { fct_mean_us = 100.0 }
"""

# Commands that print tables. Before such a command, a row can list commands that write its input files. F stands for a
# temporary folder.
COMMANDS: dict[str, tuple[list[str], ...]] = {
    "flit": (["flit", "slimfly:q=5", "--load", "0.1:0.2:0.1", "--vcs", "2", "--window", "2000"],),
    "flit, seeds": (["flit", "slimfly:q=3", "--load", "0.1", "--seeds", "2", "--window", "500"],),
    "tune": (["tune", "slimfly:q=3", "--layers", "2"],),
    "tune, carried": (["tune", "slimfly:q=3", "--layers", "2", "--for", "permutation"],),
    "resilience": (["resilience", "slimfly:q=3", "--seeds", "2", "--shares", "0%,10%"],),
    "compare": (["compare", "slimfly:q=3", "fattree:levels=2,radix=4", "--seeds", "1"],),
    "design": (["design", "--endpoints", "100", "--radix", "12"],),
    "design, largest": (["design", "--radix", "8"],),
    "path": (["path", "slimfly:q=5", "spread:layers=2", "0", "7", "--link", "all:latency=1234567ns,length=12345mm"],),
    "path of paths": (["path", "slimfly:q=5", "ksp:k=3", "0", "7"],),
    "route": (["route", "slimfly:q=5", "spread:layers=2"],),
    "layout": (["layout", "slimfly:q=5", "--prices", "fatpaths-100gbe"],),
    "features": (["features", "minimal"],),
    "list": (["list", "transports"],),
    "list, one": (["list", "transports", "purified"],),
    "cabling plan": (["cabling", "plan", "slimfly:q=3", "-o", "F/plan"],),
    "cabling verify": (
        ["cabling", "plan", "slimfly:q=3", "-o", "F/plan"],
        ["cabling", "verify", "F/plan", "--live", "F/plan/exports/plan.ibnet"],
    ),
    "deploy verify": (
        ["deploy", "infiniband", "slimfly:q=3", "minimal", "-o", "F/bundle"],
        ["deploy", "verify", "F/bundle", "--lfts", "F/bundle/lfts"],
    ),
    "deploy repair": (
        ["deploy", "linux", "slimfly:q=3", "minimal", "-o", "F/bundle"],
        ["deploy", "repair", "F/bundle", "--dead-switch", "s0-0-0", "--drained", "--dry-run"],
    ),
    "run": (["run", "F/small.toml", "--out", "F/runs"],),
    "run --status": (["run", "F/small.toml", "--out", "F/runs", "--status"],),
}

# Factors from units of the JSON output (ps, bit/s, mm, fractions) to units of tables (ns, Gb/s, m, %).
SCALES = (1.0, 1e-3, 1e-9, 1e2)

_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")


def call(arguments: Sequence[str], folder: Path) -> int:
    """Run a command in the test's process; return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([part.replace("F/", f"{folder}/") for part in arguments])
    return int(ended.value.code or 0)


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any]]:
    """Return a list to which the columns and rows of each later printed table are added."""
    found: list[tuple[Any, Any]] = []

    def record(columns: Any, rows: Any, width: int | None) -> Any:
        found.append((columns, rows))
        return render(columns, rows, width)

    monkeypatch.setattr(table, "render", record)
    return found


def numbers(value: object) -> Iterator[float]:
    """Yield all numbers of a JSON value, including numbers in its strings."""
    match value:
        case bool() | None:
            return
        case int() | float():
            yield value
        case str():
            yield from map(float, _NUMBER.findall(value))
        case dict():
            for key, item in value.items():
                yield from numbers(key)
                yield from numbers(item)
        case list():
            # A table can show the position of a list's item, or the number of items.
            yield from range(len(value) + 1)
            for item in value:
                yield from numbers(item)


def is_of(shown: str, known: set[float]) -> bool:
    """Return whether a printed number is a known number that was scaled and rounded to the printed digits."""
    decimals = len(shown.partition("e")[0].partition(".")[2])
    if "e" in shown:
        return any(f"{value:.{decimals}e}" == shown for value in known)
    step = 10.0**-decimals
    # The printed value is rounded once. So it differs by at most half a unit of its last digit, plus a floating-point
    # error.
    return any(abs(value * scale - float(shown)) <= step * 0.5000001 for value in known for scale in SCALES)


def kept(columns: Sequence[str | Column], count: int) -> list[int]:
    """Return the indices of the columns that a table keeps if only `count` columns fit."""
    ranks = [(at if isinstance(of, str) or of.rank is None else of.rank, at) for at, of in enumerate(columns)]
    return sorted(at for _, at in sorted(ranks)[:count])


@cache
def whole_words(names: tuple[str, ...]) -> set[str]:
    """Return the parts of a heading that consist of complete words from a column's name."""
    parts = [re.findall(r"[^ _/]*[_/]+|[^ _/]+", name) for name in names]
    return {"".join(of[start:end]) for of in parts for start in range(len(of)) for end in range(start + 1, len(of) + 1)}


Rendered = tuple[list[str], list[str], int]


def check(
    columns: Sequence[str | Column], rows: Sequence[Sequence[Any]], width: int, narrower: Rendered | None = None
) -> Rendered:
    """Render a table with a width of `width` characters, check its content, and return it.

    `narrower` is the table of a smaller width, which was checked. An equal table is not checked again.
    """
    heading, body, left_out = rendered = render(columns, rows, width)
    if rendered == narrower:
        return rendered
    assert all(cells_of(line) <= width for line in [*heading, *body]), width
    stay = kept(columns, len(columns) - left_out)
    # `texts` are the columns of strings that start with a number, for example 0.98 (0.97 to 0.99) or 25 Gb/s.
    laid = [table._Laid.of(of, at, [row[at] for row in rows]) for at, of in enumerate(columns)]
    texts = {at for at, of in enumerate(laid) if of.kind == "number"}
    names = tuple(of if isinstance(of, str) else of.name for of in (columns[at] for at in stay))
    for line in heading:
        assert {*line.split()} <= whole_words(names), (width, line, names)
    printed = "\n".join(body)
    for row in rows:
        for at in stay:
            if isinstance(row[at], (int, float)) and not isinstance(row[at], bool):
                # Spaces surround the number, so no digit is cut off.
                assert re.search(rf"(?<!\S){re.escape(text(row[at]))}(?!\S)", printed), (width, row[at])
            elif isinstance(row[at], str) and at in texts:
                assert row[at] in printed, (width, row[at])
    # A shortened cell must not end in the middle of a number.
    assert not re.search(r"(?<![\w.])\d[\d.]*…", printed), width
    return rendered


@pytest.mark.parametrize("name", COMMANDS)
def test_every_table_at_every_width(
    name: str, tmp_path: Path, recorded: list[tuple[Any, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "small.toml").write_text(STUDY)
    *before, command = COMMANDS[name]
    for arguments in before:
        assert call(arguments, tmp_path) == 0
    check_command(command, tmp_path, recorded, capsys)


def check_command(
    command: list[str], folder: Path, recorded: list[tuple[Any, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that a command's tables contain only numbers of its JSON output, and are complete at every width."""
    capsys.readouterr()
    recorded.clear()
    code = call(command, folder)
    assert recorded, capsys.readouterr()
    capsys.readouterr()
    tables = list(recorded)
    assert call([*command, "--json"], folder) == code
    known = set(numbers(json.loads(capsys.readouterr().out)))
    for columns, rows in tables:
        for row in rows:
            for value in row:
                figures = [value] if isinstance(value, (int, float)) and not isinstance(value, bool) else []
                # The test also checks numbers in strings such as `0.98 (0.97 to 0.99)`, but not numbers in names.
                texts = _NUMBER.findall(value) if isinstance(value, str) and re.match(r"[≤≥]?[\d.]", value) else []
                for shown in [*map(text, figures), *texts]:
                    assert is_of(shown, known), (shown, row)
        narrower = None
        for width in WIDTHS:
            narrower = check(columns, rows, width, narrower)
        narrow = len(columns) - render(columns, rows, 40)[2]
        assert narrow >= min(2, len(columns)), "the table must show at least a name and a metric"


def test_traffic_of_a_lab(
    tmp_path: Path,
    recorded: list[tuple[Any, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Check the table of `tulle lab traffic` with a real bundle and forecast, but with made-up results of iperf3."""
    assert call(["deploy", "linux", "slimfly:q=3", "minimal", "-o", "F/bundle"], tmp_path) == 0
    bundle = read_bundle(tmp_path / "bundle")
    lab = SimpleNamespace(bundle=bundle, place=bundle.place, rate=20e6, sandbox=None)

    def measured(*arguments: Any, seconds: float, **_: Any) -> list[Measured]:
        streams, kind = arguments[3:]
        rates = [(17.03, 18.96, 19.25, 12345.678)[at % 4] for at in range(int(seconds))]
        ends = tuple(float(at + 1) for at in range(len(rates)))
        return [Measured(stream, kind, tuple(rates), ends, len(kind) - 3) for stream in streams]

    monkeypatch.setattr("tulle.lab.lab.find", lambda _: lab)
    monkeypatch.setattr("tulle.lab.traffic.measure", measured)
    first, last = bundle.plan.hosts[0].name, bundle.plan.hosts[-1].name
    pairs = [f"{first}:{last}", f"{last}:{first}"]
    check_command(["lab", "traffic", "F/bundle", *pairs, "--seconds", "3"], tmp_path, recorded, capsys)
    ((columns, rows),) = recorded[:1]
    assert [column.name for column in columns][-3:] == ["of tcp", "forecast of tcp", "last 2 s mbps"]
    assert [row[:3] for row in rows] == [[*pair.split(":"), kind] for kind in ("tcp", "mptcp") for pair in pairs]


def on_terminal(arguments: Sequence[str], width: int, folder: Path) -> str:
    """Run a command on a terminal of the given width; return its output without escape codes and progress bars."""
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
        os.chdir(folder)
        command = str(Path(sys.executable).with_name("tulle"))
        # The library readline sets COLUMNS in the process's environment. The child process must not get COLUMNS, so it
        # gets a copy of os.environ, which lacks it.
        os.execve(command, [command, *arguments], dict(os.environ))
    printed = bytearray()
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not part:
            break
        printed += part
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    shown = re.sub(r"[^\n]*\x1b\[2K", "", printed.decode().replace("\r\n", "\n"))
    return re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", shown)


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("width", [40, 80, 100, 120])
def test_a_real_terminal(width: int, tmp_path: Path) -> None:
    command = ["flit", "slimfly:q=5", "--load", "0.1:0.2:0.1", "--vcs", "2", "--window", "2000"]
    shown = on_terminal(command, width, tmp_path).splitlines()
    start = next(at for at, line in enumerate(shown) if line.split()[:1] == ["load"])
    lines = [line for line in shown[start:] if line.strip()]
    assert all(len(line) <= width for line in lines)
    first = next(line for line in lines if line.strip().startswith("0.1000"))
    if width >= 80:
        assert "2530" in first.split()
        assert "cycles" in lines[0].split()
    # One line states how many columns are left out, and how to see all columns.
    assert re.search(r"\(\d+ columns are left out; --wide, --json, -o to see all\)", " ".join(lines))
    assert int(re.search(r"\((\d+) columns", " ".join(lines))[1]) == 14 - len(first.split())  # type: ignore[index]


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_wide_prints_all(tmp_path: Path) -> None:
    command = ["path", "slimfly:q=5", "spread:layers=2", "0", "7", "--link", "all:latency=1us,length=5m"]
    narrow = on_terminal(command, 40, tmp_path)
    assert "left out" in narrow
    wide = on_terminal([*command, "--wide"], 40, tmp_path)
    assert "left out" not in wide
    assert any(len(line) > 40 for line in wide.splitlines())


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_compare_keeps_both_fabrics_in_a_narrow_terminal(tmp_path: Path) -> None:
    command = ["compare", "hyperx:shape=3x3,p=2", "jellyfish:switches=9,degree=4,p=2", "--routing", "minimal"]
    command += ["--bytes", "4KiB"]
    for width, heading in ((80, ["A", "B", "best"]), (60, ["A", "B"])):
        shown = [line.split() for line in on_terminal(command, width, tmp_path).splitlines()]
        assert heading in shown
        assert ["average", "path", "1.500", "1.500", *(["AB", "~"] if width == 80 else [])] in shown


ROWS = [["slimfly:q=11,p=9", 2178, 0.8671, "0.98 (0.97 to 0.99)"], ["dragonfly:p=29,a=2,h=34", 1972, 0.0711, "-"]]
NAMED: list[str | Column] = [
    Column("fabric", rank=0),
    "endpoints",
    Column("all to all", rank=0.5),
    Column("re/routed_share", rank=9),
]


def test_the_least_important_column_goes_first() -> None:
    gone = [render(NAMED, ROWS, width)[2] for width in WIDTHS]
    assert gone == sorted(gone, reverse=True)
    assert (gone[0], gone[-1]) == (1, 0)
    heading = render(NAMED, ROWS, 40)[0]
    assert "all to" in heading[0]
    assert "re/" not in heading[0]
    assert render(NAMED, ROWS, 30)[0][0].split() == ["fabric", "all", "to"]


def test_specs_are_the_last_to_be_broken_and_never_cut() -> None:
    spec, routing = "megafly:leaves=10,h=10,p=10,g=100,arrangement=relative", "spread:layers=4,aim=disjoint"
    columns = [
        Column("", 0),
        Column("fabric", 1, "spec"),
        Column("endpoints", 2),
        Column("routing", 3, "spec"),
        Column("cables", 4),
    ]
    rows = [["A", spec, 10000, routing, 15000], ["B", "slimfly:q=5", 200, "minimal", 175]]
    for width in WIDTHS:
        check(columns, rows, width)
        _, body, left_out = render(columns, rows, width)
        printed = "\n".join(body)
        assert "…" not in printed, width
        # A column is not shortened as long as the table shows a less important column.
        assert spec in printed or left_out >= 3, width
        assert spec in printed or "".join(printed.split()).find(spec) > 0, width
    assert routing in "\n".join(render(columns, rows, 110)[1])
    assert routing not in "\n".join(render(columns, rows, 95)[1])


def test_random_tables_stay_whole() -> None:
    from random import Random

    draw = Random(1)
    words = ["mean", "latency_p99", "all-to-all", "USD each", "rate/link", "x"]
    for _ in range(60):
        count = draw.randint(2, 9)
        columns: list[str | Column] = [Column("name", rank=0, kind="name")]
        columns += [Column(draw.choice(words), rank=draw.choice([None, 1, 5, 9])) for _ in range(count - 1)]
        rows = [
            ["torus:shape=" + "x".join(str(draw.randint(2, 99)) for _ in range(draw.randint(1, 6)))]
            + [
                draw.choice([draw.random() * 10 ** draw.randint(-9, 12), draw.randint(0, 10**9), None])
                for _ in columns[1:]
            ]
            for _ in range(4)
        ]
        for width in (*range(40, 81), 200):
            check(columns, rows, width)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.1, "0.1000"),
        (999.96, "1000"),
        (99.996, "100.0"),
        # Floating-point errors around 17/16 must not change the printed number.
        (1.0625, "1.062"),
        (1.0625000000000002, "1.062"),
        (1.0624999999999998, "1.062"),
        (1234.5678, "1235"),
        (2178, "2178"),
        (123456789012, "123456789012"),
        (1.5e14, "150000000000000"),
        (0.00001234, "0.00001234"),
        (-0.00099996, "-0.001000"),
        (1.5e-9, "1.500e-09"),
        (0.0, "0.000"),
        (float("nan"), "-"),
        (None, "-"),
        (True, "yes"),
        ([1, 0.5], "1, 0.5000"),
    ],
)
def test_numbers_as_text(value: object, shown: str) -> None:
    assert text(value) == shown


def test_names_end_in_an_ellipsis_but_not_in_a_number() -> None:
    for width in range(1, 40):
        for name in (
            "slimfly:q=11,p=9",
            "torus:shape=10x12x14",
            "1,234 of 5,678",
            "leaf-12:Ethernet48",
            "日本語のスイッチ12",
        ):
            cut = shorten(name, width)
            assert cells_of(cut) <= width
            kept = cut.removesuffix("…")
            assert name.startswith(kept)
            assert kept == name or not re.search(r"(^|[^\w.])\d[\w.]*$", kept), cut
            assert not (re.search(r"\d,?$", kept) and re.match(r",?\d", name[len(kept) :])), cut


def test_text_folds_between_words() -> None:
    words = "spread:layers=4,limit=auto,aim=disjoint,effort=8 scores 12345678 of 1,234,567 pairs, written to out/b.csv"
    for width in range(20, 120):
        lines = fold(words, width, 2)
        # A line is longer than the width only if it has no space at which it can be broken.
        assert all(len(line) <= width or " " not in line.strip() for line in lines)
        assert " ".join(lines).split() == re.sub(r",(?=\w+=)", ", ", words).split() or "".join(lines).replace(
            " ", ""
        ) == words.replace(" ", "")
        assert any("1,234,567" in line for line in lines)
        assert any("12345678" in line for line in lines)


def test_fields_keep_their_values(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(Screen, "width", classmethod(lambda _: 40))
    print_fields({"cables": 123456789, "all of the failed cables": list(range(1000, 1040))})
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 40 for line in lines)
    assert " ".join(lines).replace(",", "").split()[-40:] == [str(at) for at in range(1000, 1040)]


def test_every_command_with_json_has_wide(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from tulle.cli.app import command

    def walk(of: Any) -> Iterator[Any]:
        for each in getattr(of, "commands", {}).values():
            yield from walk(each)
        if not hasattr(of, "commands"):
            yield of

    for each in walk(command([])):
        options = {option for parameter in each.params for option in parameter.opts}
        assert ("--json" in options) == ("--wide" in options), each.name
    # The option --wide applies to one command only.
    call(["list", "fabrics", "--wide"], tmp_path)
    assert Screen.wide
    call(["list", "fabrics"], tmp_path)
    assert not Screen.wide
    capsys.readouterr()


@pytest.mark.parametrize("width", [None, 60, 30])
def test_columns_are_aligned_if_names_have_wide_letters(width: int | None) -> None:
    columns = [Column("switch", 0, "name"), Column("cables", 1), Column("rôle", 2, "name")]
    names = ["leaf1", "交换机一", "スイッチ・2", "a--b", "🙂", "é́"]
    heading, body, _ = render(columns, [[name, 12, "葉"] for name in names], width)
    # Every number ends at the same column of the terminal.
    assert {cells_of(line[: line.index("12") + 2]) for line in body} == {
        cells_of(heading[0][: heading[0].index("cables") + 6])
    }


def test_fields_are_aligned_if_their_names_have_wide_letters(capsys: pytest.CaptureFixture[str]) -> None:
    print_fields({"fabric": "a", "交换机": "a", "switches": "a"})
    assert {cells_of(line[: line.rindex("a")]) for line in capsys.readouterr().out.splitlines()} == {10}
