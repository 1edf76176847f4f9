"""Test that searches, comparisons, plans and bills agree with each other on a floor that is not the standard floor."""

from __future__ import annotations

import csv
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest

import tulle as library
from tulle.cabling import plan_cabling, write_plan
from tulle.cabling.diagrams import MOST_DRAWINGS, diagrams
from tulle.compare import compare
from tulle.design import design, ranked, read_prices

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

FLOOR = "column=20m,row=2m,slack=3m,copper=rack,density=1,rows=1"
PRICES = """\
title = "Quotes"
source = "offer"
currency = "EUR"
rate = "400Gbps"

[[switch]]
name = "64x400G"
ports = 64
cost = 27450.50
watts = 880

[[copper]]
name = "DAC"
length = "2m"
cost = 121

[[fibre]]
name = "AOC"
length = "30m"
cost = 720
transceivers = true

[[fibre]]
length = "300m"
cost = 90

[[transceiver]]
reach = "500m"
cost = 430
"""


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "quotes.toml"
    # Some editors begin a file with a byte order mark.
    path.write_text(f"\ufeff{PRICES}", encoding="utf-8")
    return path


def test_search_comparison_and_layout_have_the_same_price(prices: Path) -> None:
    spec = "slimfly:q=3,p=3"
    price = library.place(spec, FLOOR).bill(prices).cost_per_endpoint
    assert price is not None
    # Longer cables are more expensive.
    assert price > (library.place(spec).bill(prices).cost_per_endpoint or 0) + 10
    found = ranked(design(54, 8, families=["slimfly"], tolerance=0, prices=prices, floor=FLOOR), 1, certified=False)
    (proposal,) = found.proposals
    assert proposal.forms.spec == spec
    assert proposal.cost_per_endpoint == pytest.approx(price)
    card = compare([spec, "clique:degree=3,p=2"], routings=["minimal"], seeds=1, prices=str(prices), floor=FLOOR)
    row = next(row for row in card.rows if row.name == "cost_per_endpoint")
    assert row.bands[0] is not None
    assert row.bands[0].median == pytest.approx(price)
    assert card.floor == found.floor == library.place(spec, FLOOR).floor


def test_commands_read_the_floor_and_reports_repeat_it(tulle: Cli, tmp_path: Path, prices: Path) -> None:
    options = ("--prices", str(prices), "--floor", FLOOR)
    command = ("compare", "slimfly:q=3", "clique:degree=3,p=2", "--routing", "minimal", "--seeds", "1", *options)
    card = json.loads(tulle(*command, "--csv", "card.csv", "--json").stdout)
    (tmp_path / "card.json").write_text(json.dumps(card))
    assert tulle("report", "card.json", "-o", "card.html", "--cuts", "0").returncode == 0
    page = (tmp_path / "card.html").read_text()
    assert "the floor of the manifest" in page
    assert card["floor"] in page.replace("<wbr>", "")
    own = "column=20m, row=2m, slack=3m, density=1, rows=1, copper=rack"
    assert f"Prices and cable lengths are for a floor with {own}." in page
    with (tmp_path / "card.csv").open(newline="") as file:
        units = {row["figure"]: row["unit"] for row in csv.DictReader(file)}
    assert units["cost_per_endpoint"] == "EUR"
    assert (units["watts_per_endpoint"], units["permutation_fct_mean_us"], units["diameter"]) == ("W", "us", "")
    found = json.loads(tulle("design", "--endpoints", "54", "--radix", "8", "--no-certify", *options, "--json").stdout)
    assert found["floor"] == card["floor"]
    error = tulle("design", "--endpoints", "54", "--radix", "8", "--floor", "colum=2m").stderr
    assert error == "tulle: floor: unknown parameter 'colum=2m'; did you mean column?\n"


def test_every_cable_of_a_plan_names_its_item_of_the_bill(tmp_path: Path, prices: Path) -> None:
    listed, layout = read_prices(prices), library.place("slimfly:q=5", FLOOR)
    bill = layout.bill(listed)
    write_plan(plan_cabling(layout), tmp_path / "plan", bill, listed)
    with (tmp_path / "plan" / "cables.csv").open(newline="") as file:
        items = Counter(row["item"] for row in csv.DictReader(file))
    bought = {f"{row.item} {row.size}": row.count for row in bill.rows if row.item in ("copper", "fibre")}
    assert items == bought
    assert len(bought) == 3


def test_price_times_count_is_the_printed_sum(tulle: Cli, prices: Path) -> None:
    lines = [line.split() for line in tulle("layout", "slimfly:q=3", "--prices", str(prices)).stdout.splitlines()]
    (switch,) = [line for line in lines if line[:1] == ["switch"]]
    assert switch[-3:] == ["18", "27450.50", "494109"]
    assert "27450.50" in tulle("prices", "show", str(prices)).stdout


def test_the_number_of_rows_has_no_effect_on_structures_with_own_columns(tulle: Cli) -> None:
    told = "33 racks in a column instead of rows=12: the structure 'levels' defines its own columns"
    tree = "fattree:levels=3,radix=64,leaves=94,uplinks=32,p=32"
    assert told in tulle("layout", tree, "--floor", "rows=12,units=48,density=1").stderr
    assert tulle("layout", "slimfly:q=5", "--floor", "rows=1").stderr == ""


GRID = "1 rack in a column instead of rows=3: the structure 'grid' defines its own columns"


@pytest.mark.parametrize(
    ("spec", "rows", "note"),
    [
        ("hyperx:dims=8x8", 3, GRID),
        ("hyperx:dims=8x8", 1, None),
        ("torus:dims=4x4x4", 3, GRID),
        ("fattree:k=16", 5, "3 racks in a column instead of rows=5: the structure 'levels' defines its own columns"),
        ("fattree:k=16", 3, None),
        # These structures have the requested columns, if there are enough racks.
        ("fattree:levels=2,radix=32", 3, None),
        ("fattree:levels=2,radix=32", 40, None),
        ("slimfly:q=11", 5, None),
        ("slimfly:q=11", 400, None),
        ("jellyfish:switches=200,degree=12,p=6", 40, None),
    ],
)
def test_layouts_say_that_the_number_of_rows_has_no_effect(spec: str, rows: int, note: str | None) -> None:
    found = library.place(spec, f"rows={rows}")
    assert found.notes == (() if note is None else (note,))
    if note is None:
        assert found.rack_places[:, 1].max() < rows
    assert library.place(spec).notes == ()


def test_all_commands_say_that_the_number_of_rows_has_no_effect(tulle: Cli, tmp_path: Path) -> None:
    grid, floor = "hyperx:dims=8x8", ("--floor", "rows=3")
    assert tulle("layout", grid, *floor).stderr == f"tulle: {GRID}\n"
    shown = tulle("layout", grid, *floor, "--json")
    assert (shown.stderr, json.loads(shown.stdout)["notes"]) == (f"tulle: {GRID}\n", [GRID])
    assert tulle("plot", "layout", grid, *floor, "-o", "floor.svg").stderr == f"tulle: {GRID}\n"
    assert GRID in tulle("cabling", "plan", grid, *floor, "-o", "plan").stderr
    small = ("--floor", "rows=2,units=12,spines=1,devices=1")
    compared = tulle("compare", "clique:degree=3,p=2", "hyperx:dims=3x3,p=2", "--routing", "minimal", *small, "--json")
    (note,) = json.loads(compared.stdout)["notes"]
    assert note.startswith("hyperx:")
    assert note.endswith(": " + GRID.replace("rows=3", "rows=2"))
    assert compared.stderr.startswith(f"tulle: {note}\n")
    (tmp_path / "compare.json").write_text(compared.stdout)
    assert tulle("report", "compare.json", "-o", "report.html").returncode == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "1 rack in a column instead of rows=2" in page
    design = ("design", "--endpoints", "200", "--radix", "16", "--family", "hyperx", "--no-certify", "--json")
    own = json.loads(tulle(*design, *floor).stdout)["notes"]
    assert len(own) == 1
    assert own[0].startswith("rows= of the floor has no effect on hyperx:")
    assert json.loads(tulle(*design).stdout)["notes"] == []


def test_racks_are_drawn_even_if_pairs_are_too_many() -> None:
    plan = plan_cabling(library.place("hyperx:shape=15x15,p=14", "units=48,density=1"))
    drawn, note = diagrams(plan)
    assert sorted(drawn) == sorted(f"{rack}.svg" for rack in plan.racks)
    assert note is not None
    assert note.startswith(f"pairs of racks are not drawn: {len(plan.racks)} racks and ")
    assert note.endswith(f"; at most {MOST_DRAWINGS} drawings are made")


def test_names_of_racks_are_no_numbers() -> None:
    """Spreadsheet programs read a rack named 1.2 or 1-2 as a date, and 1.10 as 1.1."""
    specs = ("hyperx:shape=4x4,p=2", "torus:shape=4x4x4,p=2", "hypercube:dimensions=5,p=1", "dragonfly:p=2", "oft:k=3")
    for spec in specs:
        assert all(rack[0].isalpha() for rack in library.place(spec, "units=8,spines=4,devices=4").racks), spec
