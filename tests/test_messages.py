"""Check that error messages shorten long input when they quote it."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import pytest

import tulle
from tulle._internal.text import abridged
from tulle.cli import main
from tulle.cli.app import command
from tulle.deploy.targets import targets
from tulle.schedulers.formats import schedulers

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LONG = {"word": "x" * 300, "digits": "9" * 300, "words": "a b " * 80, "letters": "é" * 300}


def message(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must fail; return its one-line error."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2, arguments
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1, printed.err
    return printed.err


# The tests replace X by a long value.
ENTRIES = [
    ["X"],
    ["fabric", "X"],
    ["fabric", "slimfly:q=X"],
    ["fabric", "slimfly:X=5"],
    ["fabric", "slimfly:X"],
    ["fabric", "file:edges=X.csv"],
    ["fabric", "slimfly:q=5", "--seed", "X"],
    ["fabric", "slimfly:q=5", "--fail", "X"],
    ["fabric", "slimfly:q=5", "--fail", "links=X"],
    ["fabric", "slimfly:q=5", "--fail", "X=5%"],
    ["fabric", "slimfly:q=5", "--link", "X"],
    ["fabric", "slimfly:q=5", "--link", "all:latency=X"],
    ["fabric", "slimfly:q=5", "--write", "x.json", "--format", "X"],
    ["fabric", "slimfly:q=5", "--X"],
    ["fabric", "slimfly:q=5", "X"],
    ["list", "X"],
    ["list", "fabrics", "X"],
    ["help", "X"],
    ["import", "X", "x.json", "-o", "y.json"],
    ["import", "lldp", "X", "-o", "y.json"],
    ["route", "slimfly:q=3", "X"],
    ["route", "slimfly:q=3", "random:layers=X"],
    ["route", "slimfly:q=3", "@X"],
    ["path", "slimfly:q=3", "minimal", "X", "1"],
    ["analyze", "slimfly:q=3", "X"],
    ["throughput", "slimfly:q=3", "X"],
    ["throughput", "slimfly:q=3", "all-to-all", "--gap", "Xx"],
    ["simulate", "slimfly:q=3", "--traffic", "X"],
    ["simulate", "slimfly:q=3", "--traffic", "permutation:bytes=X"],
    ["simulate", "slimfly:q=3", "--traffic", "permutation:bytes=1KB", "--rate", "X"],
    ["simulate", "slimfly:q=3", "--traffic", "permutation:bytes=1KB", "--mtu", "X"],
    ["simulate", "slimfly:q=3", "--traffic", "permutation:bytes=1KB", "--transport", "X"],
    ["simulate", "slimfly:q=3", "--traffic", "permutation:bytes=1KB", "--selector", "flowlet:gap=X"],
    ["flit", "slimfly:q=3", "--load", "X"],
    ["flit", "slimfly:q=3", "--load", "0.1:X:0.1"],
    ["flit", "slimfly:q=3", "--class-latency", "X"],
    ["flit", "slimfly:q=3", "--router", "X"],
    ["tune", "slimfly:q=3", "--for", "X"],
    ["resilience", "slimfly:q=3", "--shares", "X"],
    ["resilience", "slimfly:q=3", "--kinds", "X"],
    ["design", "--endpoints", "X"],
    ["layout", "slimfly:q=3", "--floor", "X"],
    ["layout", "slimfly:q=3", "--prices", "X"],
    ["run", "X"],
    ["run", "X.toml"],
]


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("entry", ENTRIES, ids=" ".join)
def test_no_message_repeats_a_long_value(
    entry: list[str], kind: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    value = LONG[kind]
    line = message([part.replace("X", value) for part in entry], capsys)
    assert line.startswith("tulle: ")
    # A message quotes at most 60 characters of a value, but can quote the value twice.
    assert value[:61] not in line, line
    assert len(line) < 1000, line


CALLS: list[Callable[[str], Any]] = [
    tulle.Fabric,
    lambda value: tulle.Fabric(f"slimfly:q={value}"),
    lambda value: tulle.Fabric("slimfly:q=3").with_failures(value),
    lambda value: tulle.route("slimfly:q=3", value),
    lambda value: tulle.route(tulle.Fabric("slimfly:q=3"), value),
    lambda value: tulle.traffic(tulle.Fabric("slimfly:q=3"), value),
    lambda value: tulle.simulate(tulle.Fabric("slimfly:q=3"), "minimal", "permutation:bytes=1KB", rate=value),
    lambda value: tulle.Fabric("slimfly:q=3", seed=value),  # type: ignore[arg-type]
]


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("at", range(len(CALLS)))
def test_no_exception_repeats_a_long_value(at: int, kind: str) -> None:
    value = LONG[kind]
    with pytest.raises(tulle.TulleError) as refused:
        CALLS[at](value)
    assert value[:61] not in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (
            ["fabric", "slimfly:q=5", "--fail", "5%"],
            "faults: '5%' does not say what fails; legal: links=5%, switches=2, both as links=5%,switches=2, names"
            " joined by + as leaf1/3+spine2, or any name as names:NAME",
        ),
        (
            ["fabric", "slimfly:q=5", "--fail", "links=5%,7"],
            "faults: 'links=5%,7' cannot be read: '7' is not key=value; legal: links=5%, switches=2, both as"
            " links=5%,switches=2, names joined by + as leaf1/3+spine2, or any name as names:NAME",
        ),
        (
            ["import", "sonic"],
            "import: 'sonic' is not an import format; legal: ibnetdiscover, lldp, netbox, topo; specs such as"
            " file:edges=FILE read lists of cables and graphs, without an import",
        ),
        (["help", "simulat"], "no help on 'simulat'; did you mean simulate or circulant?"),
        (["fabric", "file:edges=none.csv"], "none.csv: No such file or directory"),
        (
            ["fabric", "file:none.csv"],
            "'file:none.csv' is not a spec: 'none.csv' is not key=value (did you mean edges=none.csv?); a spec reads"
            " name:key=value,key=value",
        ),
        (
            ["fabric", "file:edges=row,1/none.csv"],
            "'file:edges=row,1/none.csv' is not a spec: '1/none.csv' is not key=value (quotes enclose a value with a"
            ' comma: edges="row,1/none.csv"); a spec reads name:key=value,key=value',
        ),
        (["simulate", "slimfly:q=3", "--traffic", "file:none.csv"], "none.csv: No such file or directory"),
        (
            ["simulate", "slimfly:q=3", "--traffic", "permutation:bytes=1KB", "--rate", "10000000000"],
            "rate=10000000000 has no unit; did you mean 10Gbps?",
        ),
    ],
)
def test_messages_quote_the_input(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message(arguments, capsys) == f"tulle: {line}\n"


def test_a_file_in_place_of_a_spec_is_named_in_a_spec(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "apart.csv").write_text("source,target\na,b\nc,d\n", encoding="utf-8")
    assert message(["fabric", "apart.csv"], capsys) == (
        "tulle: apart.csv is a file, not a spec; legal: for example file:edges=apart.csv\n"
    )
    # A text that is too long for a path is not a file.
    long = "a." * 3000
    assert "is not a spec: it does not start with a name" in message(["fabric", long], capsys)
    with pytest.raises(SystemExit, match="0"):
        main(["fabric", "file:edges=apart.csv"])
    why = "no diameter and no average path length, because some pairs of switches are not connected"
    assert why in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("--endpoints abc", "--endpoints=abc is not a whole number; legal: 1 to 268435456"),
        ("--endpoints 1,00", "--endpoints=1,00 is not a whole number; legal: 1 to 268435456"),
        ("--endpoints 100000000000", "--endpoints=100000000000 is out of range; legal: 1 to 268435456"),
        ("--endpoints -5", "--endpoints=-5 is out of range; legal: 1 to 268435456"),
        ("--endpoints 100 --radix 1", "--radix=1 is out of range; legal: 2 to 4096"),
        ("--radix 2000", "--radix=2000 is out of range; legal: 2 to 1024"),
        ("--endpoints 100 --top -1", "--top=-1 is out of range; legal: 0 to 268435456"),
        ("--endpoints 100 --cable 1e9", "--cable=1e9 is out of range; legal: 0m to 10000m"),
        ("--endpoints 100 --min-throughput nan", "--min-throughput=nan is out of range; legal: 0 to 1"),
        ("--endpoints 100 --lids-per-endpoint 2.5", "--lids-per-endpoint=2.5 is not a whole number; legal: 1 to 128"),
        ("--endpoints 100 --tolerance x%", "--tolerance=x% is not a number; legal: 0 to 1"),
    ],
)
def test_numbers_of_design_are_refused_as_typed(arguments: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message(["design", *arguments.split()], capsys) == f"tulle: {line}\n"


def test_endpoints_are_read_as_people_write_them(capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    for text in ("2000", "2,000", "2k"):
        with pytest.raises(SystemExit) as ended:
            main(["design", "--endpoints", text, "--family", "slimfly", "--no-certify", "--json"])
        assert ended.value.code == 0
        rows.append(capsys.readouterr().out)
    assert rows[0] == rows[1] == rows[2]


def test_every_number_of_every_command_is_refused_as_typed(capsys: pytest.CaptureFixture[str]) -> None:
    seen = 0
    commands = [([name], of) for name, of in command([]).commands.items()]
    while commands:
        names, of = commands.pop()
        commands += [([*names, name], inner) for name, inner in getattr(of, "commands", {}).items()]
        for option in of.params:
            kind = option.type.name.split()[0].replace("integer", "int")
            if kind not in ("int", "float") or not option.opts[0].startswith("--"):
                continue
            seen += 1
            line = message([*names, option.opts[0], "abc"], capsys)
            what = "number" if kind == "float" else "whole number"
            assert re.fullmatch(rf"tulle: {option.opts[0]}=abc is not a {what}; legal: [^;]+\n", line), line
    assert seen > 30
    # The option --table-size has its own range check.
    line = message(["deploy", "linux", "slimfly:q=3", "minimal", "-o", "x", "--table-size", "0"], capsys)
    assert line == "tulle: --table-size=0 is out of range; legal: 1 or more\n"


def test_values_of_other_types_are_named() -> None:
    with pytest.raises(
        tulle.InputError, match=r"^graph is a str; legal: a networkx graph, for example networkx\.petersen_graph"
    ):
        tulle.Fabric.from_networkx("x")
    load: Any = {"rate": 10e9}
    with pytest.raises(tulle.SpecError, match=r"rate=10000000000\.0 has no unit; did you mean 10Gbps\?$"):
        tulle.simulate(tulle.Fabric("slimfly:q=3"), "minimal", "permutation:bytes=1KB", **load)


def test_what_is_cut_and_what_is_not() -> None:
    long = "y" * 61
    assert abridged(f"unknown '{long}'; legal: a") == f"unknown '{'y' * 60}…'; legal: a"
    assert abridged(f"{long}?") == f"{'y' * 60}…?"
    # tulle must not treat apostrophes as quotes, nor shorten text between two quoted values.
    sentence = "the family's k' is 'a b', the switches' ports are 'c d', and this goes on for over sixty characters"
    assert abridged(sentence) == sentence
    path = "/".join(["folder"] * 20) + "/net.csv:7: bad"
    assert abridged(path) == path
    assert abridged(f"/tmp/{long}/net.csv: bad") == f"/tmp/{'y' * 60}…/net.csv: bad"
    assert len(abridged("a/" * 3000)) < 100
    # Suggested commands stay complete.
    command = f"`tulle deploy rollback '/tmp/{long} {long}/my bundle'`"
    assert abridged(f"unknown '{long}'; legal: run {command}") == f"unknown '{'y' * 60}…'; legal: run {command}"
    assert abridged("x=" + "a b " * 20 + "is wrong", ["a b " * 20]) == "x=" + "a b " * 15 + "…is wrong"


@pytest.mark.parametrize("group", [[], ["deploy"], ["lab"], ["cabling"]])
def test_nothing_but_tulle_prints_help(group: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(group)
    alone = capsys.readouterr()
    assert ended.value.code == 0
    assert alone.err == ""
    with pytest.raises(SystemExit):
        main([*group, "--help"])
    assert alone.out == capsys.readouterr().out
    assert alone.out.startswith(f"Usage: tulle {' '.join(group)}".rstrip() + " [OPTIONS] COMMAND")
    assert f"{os.linesep}{'Commands' if group else 'Build'}:" in alone.out


# Every command with the argument SPEC; the other words are its further required arguments.
WITH_SPEC = {
    "fabric": [],
    "route": ["minimal"],
    "path": ["minimal", "0", "1"],
    "tune": [],
    "analyze": ["distances"],
    "throughput": ["uniform"],
    "stress": ["minimal", "uniform"],
    "resilience": [],
    "simulate": [],
    "flit": [],
    "exchange": ["-t", "permutation"],
    "compare": ["slimfly:q=3"],
    "layout": [],
    "cabling plan": ["-o", "plan"],
    "plot fabric": ["-o", "x.svg"],
    "plot adjacency": ["-o", "x.svg"],
    "plot paths": ["minimal", "0", "1", "-o", "x.svg"],
    "plot load": ["minimal", "-o", "x.svg"],
    "plot layout": ["-o", "x.svg"],
    **{f"deploy {target.name}": ["minimal", "-o", "bundle"] for target in targets()},
    **{f"export {scheduler.name}": ["-o", "topology"] for scheduler in schedulers()},
}


def with_spec(of: Any, *path: str) -> list[str]:
    """Return the commands with an argument SPEC."""
    if subcommands := getattr(of, "commands", {}):
        return [found for name, each in subcommands.items() for found in with_spec(each, *path, name)]
    return [" ".join(path)] if {"spec", "specs"} & {each.name for each in of.params} else []


def test_every_command_with_a_spec_is_listed() -> None:
    assert set(with_spec(command([]))) == set(WITH_SPEC)


@pytest.mark.parametrize("words", WITH_SPEC)
def test_every_command_names_a_file_in_a_spec(
    words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, spec in (
        ("net.csv", "file:edges=net.csv"),
        ("net", "file:edges=net"),
        ("a,b.csv", "'file:edges=\"a,b.csv\"'"),
    ):
        (tmp_path / name).write_text("source,target\na,b\nb,c\n", encoding="utf-8")
        told = message([*words.split(), name, *WITH_SPEC[words]], capsys)
        assert told == f"tulle: {name} is a file, not a spec; legal: for example {spec}\n"


@pytest.mark.parametrize(
    ("arguments", "spec"),
    [
        (["simulate", "clique:degree=3", "-t", "net.csv"], "file:messages=net.csv"),
        (["throughput", "clique:degree=3", "net.csv"], "file:messages=net.csv"),
        (["simulate", "clique:degree=3", "-r", "net.csv"], "@net.csv"),
        (["route", "clique:degree=3", "net.csv"], "@net.csv"),
    ],
)
def test_a_file_in_place_of_a_traffic_or_a_routing_is_named_in_a_spec(
    arguments: list[str], spec: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.csv").write_text("source,target\na,b\n", encoding="utf-8")
    assert message(arguments, capsys) == f"tulle: net.csv is a file, not a spec; legal: for example {spec}\n"


def test_the_command_that_runs_a_study_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a study.toml").write_text('name = "mine"\n', encoding="utf-8")
    told = "tulle: a study.toml is a file, not a spec; if it is a study, use tulle run 'a study.toml'\n"
    assert message(["simulate", "a study.toml"], capsys) == told


def test_a_file_with_the_name_of_a_family_is_not_meant(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clique").write_text("a b\n", encoding="utf-8")
    assert message(["fabric", "clique"], capsys).startswith("tulle: clique: needs degree=")
