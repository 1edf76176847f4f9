"""Check that docs/reference/columns.md names all columns and fields that commands write, and no others."""

from __future__ import annotations

import csv
import json
import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from conftest import ROOT

import tulle
from tulle.analysis.metrics import metric
from tulle.packet.options import DEFAULTS
from tulle.study.measurements.registry import _MODULES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from conftest import Cli

PAGE = ROOT / "docs" / "reference" / "columns.md"
# This measurement needs files with measured rates.
UNMEASURED = {"lab"}


def tables(heading: str) -> list[list[list[str]]]:
    """Return the cells of the tables in a section of the page, without their heads."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = re.findall(r"^\|.*\|\n\|[-|]+\|\n((?:\|.*\|\n)+)", section + "\n", re.MULTILINE)
    return [[re.split(r" *\| *", line.strip("| ")) for line in text.splitlines()] for text in found]


def names(cells: Iterable[str]) -> list[str]:
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def by_first(rows: Iterable[list[str]]) -> dict[str, list[str]]:
    """Return the names of the second cells by the name in the first cell."""
    found: dict[str, list[str]] = {}
    for first, second, _ in rows:
        found.setdefault(first.strip("`"), []).extend(names([second]))
    return found


def head(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return next(csv.reader(file))


def test_simulate(tulle: Cli, tmp_path: Path) -> None:
    files = {
        "Flows": ("-o", "flows.csv"),
        "Links": ("--links", "links.csv"),
        "Samples": ("--samples", "samples.csv"),
        "Link samples": ("--link-samples", "link-samples.csv"),
    }
    options = [part for option, name in files.values() for part in (option, str(tmp_path / name))]
    traffic = ("-t", "permutation:bytes=4KiB", "--sample", "1us", "--sample-links", "0")
    network = ("clique:degree=3", "--transport", "dcqcn", "--deadlock", "dfsssp", "--profile", "--json")
    result = tulle("simulate", *network, *traffic, *options)
    configuration = {"fabric", "links", "faults", "routing", "traffic", *DEFAULTS, "seed"} - {"profile"}
    (table,) = tables("Fields of simulate")
    assert {name for row in table for name in names(row[:1])} == {*json.loads(result.stdout)} - configuration
    for heading, (_, name) in files.items():
        (table,) = tables(f"{heading} of simulate")
        assert names(row[0] for row in table) == head(tmp_path / name), heading


def test_simulate_with_background(tulle: Cli, tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8")
    file = tmp_path / "flows.csv"
    traffic = "with-background:of=incast:senders=3,background=permutation:bytes=4KiB"
    found = json.loads(tulle("simulate", "clique:degree=3", "-t", traffic, "-o", str(file), "--json").stdout)
    with file.open(newline="") as opened:
        parts = [row["part"] for row in csv.DictReader(opened)]
    assert head(file)[-1] == "part"
    assert parts == ["0"] * 3 + ["1"] * (found["flows"] - 3)
    alone = json.loads(tulle("simulate", "clique:degree=3", "-t", "permutation:bytes=4KiB", "--json").stdout)
    assert alone.keys() == found.keys() - {"foreground", "background"}
    assert found["flows"] == found["foreground"]["flows"] + found["background"]["flows"]
    assert found["fct_us"]["max"] == max(found[part]["fct_max_us"] for part in ("foreground", "background"))
    for name in found["foreground"]:
        assert f"`{name}`" in text.split("objects `foreground`")[1].split("\n\n")[0]


def test_flit_and_exchange(tulle: Cli, tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    result = tulle("flit", "clique:degree=3", "--load", "0.1", "--window", "300", "-o", str(file), "--json")
    columns, fields = (names(row[0] for row in table) for table in tables("Runs of flit"))
    assert columns == head(file)
    (run,) = json.loads(result.stdout)["runs"]
    assert {name.removesuffix("_cycles") for name in columns} | {*fields} == {*run}
    assert run["saturated"] is False

    assert tulle("exchange", "clique:degree=3", "-t", "permutation:bytes=64B", "-o", str(file)).returncode == 0
    (table,) = tables("Messages of exchange")
    assert names(row[0] for row in table) == head(file)[-2:]


COMMON = {
    "fabric",
    "links",
    "faults",
    "routing",
    "routing_file",
    "routing_sha256",
    "traffic",
    "fingerprint",
    "seed",
    "tulle",
}
"""Fields of `--json` that say what was computed."""


def objects(found: dict[str, Any], names: Iterable[str]) -> dict[str, dict[str, None]]:
    """Return the keys of the whole object, and of each object in it that has one of the names."""
    keys: dict[str, dict[str, None]] = {"top": dict.fromkeys(found)}
    pending: list[tuple[str, Any]] = list(found.items())
    for name, value in pending:
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                if name in names:
                    keys.setdefault(name, {}).update(dict.fromkeys(each))
                pending += [(inner, value) for inner, value in each.items() if isinstance(value, (dict, list))]
    return keys


def test_throughput_and_stress(tulle: Cli, tmp_path: Path) -> None:
    (table,) = tables("Throughput and stress")
    documented = by_first(table)
    for name, options in (
        ("throughput", ()),
        ("stress", ("--tries", "2", "--throughput", "-o", str(tmp_path / "x.csv"))),
    ):
        found = tulle(name, "slimfly:q=3", "minimal", "permutation:bytes=1KiB", *options, "--json").stdout
        assert {*documented.pop(name)} == {*json.loads(found)} - COMMON
    assert not documented


@pytest.mark.parametrize(
    ("command", "heading", "parts", "table"),
    [
        (
            "resilience clique:degree=4 --routing minimal --traffic permutation --shares 10% --seeds 1",
            "resilience",
            ("rows", "bands"),
            "",
        ),
        ("design --endpoints 64 --radix 16 --top 1", "design", ("proposals",), "-o"),
        ("compare clique:degree=3 clique:degree=4 --bytes 4KiB --seeds 1", "compare", ("entrants", "rows"), "--csv"),
        (
            "layout slimfly:q=3 --prices fatpaths-100gbe",
            "layout",
            ("lengths", "cables", "places", "bill", "power"),
            "--cables",
        ),
    ],
)
def test_fields_of(tulle: Cli, tmp_path: Path, command: str, heading: str, parts: tuple[str, ...], table: str) -> None:
    file = tmp_path / "x.csv"
    result = tulle(*command.split(), "--json", *((table, str(file)) if table else ()))
    *columns, fields = tables(f"Fields of {heading}")
    documented = by_first(fields)
    found = objects(json.loads(result.stdout), parts)
    assert documented.keys() == {"top", *parts}
    for name in documented:
        assert {*documented[name]} - COMMON == {*found[name]} - COMMON, name
    if columns:
        assert names(row[0] for row in columns[0]) == head(file)
    elif table:
        assert head(file) == [*found["proposals"], "currency"]


def test_metrics_of_analyze() -> None:
    fabric = tulle.Fabric("slimfly:q=3")
    smaller = {"disjoint-paths": "disjoint-paths:mode=exact,hops=3,pairs=9", "bisection": "bisection:tries=2"}
    fields, rows = map(by_first, tables("Metrics of analyze"))
    for entry in tulle.registered("metrics"):
        name = entry["name"]
        if name == "bisection":
            pytest.importorskip("pymetis")
        found = metric(name).parse(smaller.get(name, entry["examples"][0]))[1](fabric, 0)
        assert {*fields.pop(name)} == {*found.values}, name
        assert rows.pop(name, []) == [*(found.rows or [])], name
    assert not fields
    assert not rows


def test_rows_of_studies() -> None:
    _, rows = tables("Rows of studies")
    documented = dict(by_first(rows))
    for entry in tulle.registered("measurements"):
        name = entry["name"]
        columns = documented.pop(name, None)
        if name in UNMEASURED or name == "analyze":
            continue
        found = import_module(_MODULES[name]).MEASUREMENT
        parameters = found.resolve(found.parameters.model_validate(found.example))
        table = found.measure(parameters, 0, lambda _: None).table
        assert sorted(columns or []) == sorted(table), name
    assert not documented
