"""Check CSV files of commands: whole numbers, units in column names, and no cell that a spreadsheet would execute."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tulle
from tulle._internal.text import csv_cells, csv_number, csv_row
from tulle.cli import main
from tulle.columns import Columns

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert not ended.value.code


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_times_have_their_unit_in_the_header(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: str(tmp_path / f"{name}.csv") for name in ("flows", "links", "samples", "messages", "runs", "loads")}
    traffic = ["--traffic", "permutation:bytes=10KB"]
    run(
        *("simulate", "slimfly:q=3", *traffic, "-o", files["flows"], "--links", files["links"]),
        *("--sample", "10us", "--samples", files["samples"]),
    )
    run("exchange", "slimfly:q=3", *traffic, "-o", files["messages"])
    run("flit", "slimfly:q=3", "--load", "0.1:0.2:0.1", "--window", "500", "-o", files["runs"])
    run("stress", "slimfly:q=3", "minimal", "permutation:bytes=1KB", "--tries", "10", "-o", files["loads"])
    capsys.readouterr()
    found = {name: rows_of(tmp_path / f"{name}.csv") for name in files}
    assert {"start_ps", "delivered_ps", "finish_ps", "bytes"} <= found["flows"][0].keys()
    assert "peak_ps" in found["links"][0]
    assert {"time_ps", "backlog_ps", "longest_ps"} <= found["samples"][0].keys()
    assert {"start_ps", "first_cycle", "arrival_cycle"} <= found["messages"][0].keys()
    assert {"latency_mean_cycles", "latency_p99_cycles", "cycles"} <= found["runs"][0].keys()
    assert list(found["loads"][0]) == ["source", "destination", "bytes", "start_ps"]
    # The p99 latency is a whole number of cycles in a column of floats, which always have a decimal point.
    assert all(re.fullmatch(r"[0-9]+\.0", row["latency_p99_cycles"]) for row in found["runs"])
    # tulle can read the output of `tulle stress` as traffic.
    read = tulle.traffic(tulle.Fabric("slimfly:q=3"), f"file:{files['loads']}")
    assert len(read) == len(found["loads"])


def test_names_in_python_stay(tmp_path: Path) -> None:
    load = tulle.Workload([0, 1], [1, 0], 10, start=[5, 0])
    assert list(load.columns) == ["source", "destination", "bytes", "start"]
    assert dict(load.columns.units) == {"start": "ps"}
    load.columns.write_csv(tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text() == "source,destination,bytes,start_ps\n0,1,10,5\n1,0,10,0\n"
    twice = Columns({"end_us": np.array([0.5]), "length_mm": np.array([3])}, {"end_us": "us"})
    assert twice.to_csv() == "end_us,length_mm\n0.5,3\n"


def test_counts_of_a_bill_are_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("cabling", "plan", "slimfly:q=3", "--prices", "fatpaths-100gbe", "-o", str(tmp_path / "plan"))
    capsys.readouterr()
    bill = rows_of(tmp_path / "plan" / "bill.csv")
    assert bill
    assert all(row["count"].isdigit() for row in bill)
    assert [name for name in bill[0] if "cost" in name] == ["unit_cost_USD", "cost_USD"]
    for row in bill:
        assert float(row["count"]) * float(row["unit_cost_USD"]) == pytest.approx(float(row["cost_USD"]))


def test_numbers_of_several_kinds() -> None:
    assert [csv_number(value) for value in (94.0, 47.5, None, 7, -0.0, 1e300)] == [94, 47.5, "", 7, 0, 1e300]
    whole = Columns({"a": np.array([1.0, np.nan, 3.0]), "b": np.array([0.5, 1.0, 2.0])})
    assert whole.to_csv() == "a,b\n1.0,0.5\nnan,1.0\n3.0,2.0\n"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=HYPERLINK(1)", "'=HYPERLINK(1)"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-leaf", "'-leaf"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\tx", "'\tx"),
        ("=a,b", '"\'=a,b"'),
        ("leaf-1", "leaf-1"),
        ("-1.5e3", "-1.5e3"),
        ("-", "-"),
        ("+7", "+7"),
        ("gpj\u202egnp.exe", "gpj\\u202egnp.exe"),
        ("\u2066=1", "\\u2066=1"),
        ("שרת-1", "שרת-1"),
    ],
)
def test_a_name_is_never_a_formula(text: str, cell: str) -> None:
    assert csv_row([text]) == cell
    assert list(csv_cells([text], np.dtype("U9"))) == [cell]
    # Negative numbers stay numbers, although they begin with a minus sign.
    assert csv_row([-1, -0.5, "x"]) == "-1,-0.5,x"


def test_names_of_others_are_neutral_in_every_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evil, turned = "=cmd|'/C calc'!A0", "leaf\u202e1"
    edges = np.array([[0, 1], [1, 2], [0, 2]])
    fabric = tulle.Fabric.from_edges(edges, endpoint_switch=[0, 1, 2], labels=[evil, turned, "@x"])
    place = tmp_path / "net.json"
    fabric.write(place)
    spec = f"file:edges={place}"
    run("layout", spec, "--cables", str(tmp_path / "layout.csv"))
    run("route", spec, "minimal", "--tables", str(tmp_path / "tables"))
    run("cabling", "plan", spec, "-o", str(tmp_path / "plan"))
    capsys.readouterr()
    written = sorted(tmp_path.rglob("*.csv"))
    assert {path.name for path in written} >= {"layout.csv", "forwarding.csv", "cables.csv", "labels.csv", "netbox.csv"}
    seen = 0
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert "\u202e" not in text, path
        with path.open(newline="", encoding="utf-8") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not [cell for cell in cells if cell[:1] in "=+-@" and cell[:1] and len(cell) > 1], path
        seen += sum("cmd" in cell for cell in cells)
    assert seen > 5
    # Only CSV files escape names that look like formulas; the fabric's own names stay unchanged.
    assert list(tulle.Fabric(spec).labels) == [evil, turned, "@x"]


def test_types_of_columns_do_not_depend_on_their_values() -> None:
    table = Columns({"whole": np.array([0.0, 2.0]), "large": np.array([1e22, -0.0]), "count": np.array([0, 2])})
    assert table.to_csv() == "whole,large,count\n0.0,1e+22,0\n2.0,-0.0,2\n"
