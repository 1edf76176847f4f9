"""Check that docs/reference/columns.md names all columns and fields that commands write, and no others."""

from __future__ import annotations

import csv
import json
import re
from importlib import import_module
from typing import TYPE_CHECKING

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
