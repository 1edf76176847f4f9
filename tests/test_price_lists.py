"""Test price lists: tulle's lists are complete, wrong lists give a one-line error, and bills use the lists' items."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tulle as library
from tulle import design
from tulle.design import (
    read_prices,
    shipped,
)

if TYPE_CHECKING:
    from conftest import Cli

FUZZ = int(os.environ.get("TULLE_FUZZ", "60"))


@pytest.mark.parametrize("name", shipped("prices"))
def test_price_lists_are_whole(name: str) -> None:
    prices = read_prices(name)
    assert prices.currency == "USD"
    for price in (*prices.switches, *prices.copper, *prices.fibre, *prices.transceivers):
        assert price.source
    assert prices.switch(8).cost > 0
    assert prices.fibre_cable(50_000).cost > 0


LIST = 'title = "t"\nsource = "s"\ncurrency = "USD"\n[[switch]]\nports = 32\ncost = 5\n'


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("title = \n", "p.toml:1:9: is not TOML: invalid value; legal: "),
        ("", "p.toml: title is missing; legal: title = …"),
        (LIST + "[[fibr]]\n", "p.toml: fibr is unknown; did you mean fibre"),
        (LIST + "watt = 3\n", "p.toml: switch[0].watt is unknown; did you mean watts"),
        (LIST.replace("5", "-5"), "p.toml: switch[0].cost -5 is out of range; legal: a number from 0 to 1000000000000"),
        (LIST.replace("cost = 5", "cost = nan"), "p.toml: switch[0].cost nan is out of range; legal: a number from 0"),
        (LIST.replace("32", "0"), "p.toml: switch[0].ports 0 is out of range; legal: a whole number from 1 to"),
        (LIST.replace("32", "true"), "p.toml: switch[0].ports True is out of range; legal: a whole number from 1 to"),
        (
            LIST + '[[copper]]\nlength = "5"\ncost = 1\n',
            "p.toml: copper[0].length=5 has no unit; did you mean 5m or 5mm?",
        ),
        (
            LIST + '[[copper]]\nlength = "0m"\ncost = 1\n',
            "p.toml: copper[0].length '0m' is out of range; legal: above 0",
        ),
        (
            LIST + "[[switch]]\nports = 16\ncost = 1\n",
            "p.toml: switch[1].ports 16 does not ascend; legal: sizes in ascending order",
        ),
        (
            LIST.replace("cost", 'name = "a"\ncost') + '[[switch]]\nports = 64\nname = "a"\ncost = 1\n',
            "p.toml: switch[1].name 'a' is the name of two switches; legal: different names",
        ),
        (LIST + '[fibre_beyond]\nstep = "1m"\ncost = 1\n', "p.toml: fibre_beyond extends [[fibre]], which is missing"),
        (LIST.replace("[[switch]]", "[switch]"), "p.toml: switch is not a list of tables; legal: [[switch]]"),
        ('rate = "fast"\n' + LIST, "p.toml: rate=fast is not a rate; legal: above 0, for example 100Gbps"),
        (
            LIST.replace("cost", "name = 3\ncost"),
            "p.toml: switch[0].name 3 is not a text; legal: a text",
        ),
        ("example = 1\n" + LIST, "p.toml: example 1 is not a choice; legal: true or false"),
        (LIST + "[[copper]]\ntransceivers = true\n", "p.toml: copper[0].transceivers is unknown"),
        ("optical_switch = 3\n" + LIST, "p.toml: optical_switch 3 is not a table; legal: [optical_switch]"),
    ],
)
def test_wrong_price_lists_are_one_line(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(library.FormatError) as raised:
        read_prices(path)
    assert problem in str(raised.value)
    assert "\n" not in str(raised.value)


@settings(max_examples=2 * FUZZ, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), name=st.sampled_from(shipped("prices") + shipped("floors")))
def test_damaged_files_are_one_line_or_read(data: st.DataObject, name: str, tmp_path: Path) -> None:
    kind = "prices" if name in shipped("prices") else "floors"
    whole = (Path(design.__file__).parent / kind / f"{name}.toml").read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    much = data.draw(st.integers(0, 12))
    put = data.draw(
        st.binary(max_size=6) | st.sampled_from([b"-", b"1e999", b"[[", b'"', b"= nan\n", b"\nwatts = 3\n"])
    )
    path = tmp_path / "damaged.toml"
    path.write_bytes(whole[:at] + put + whole[at + much :])
    message = f"{path}"
    try:
        read_prices(path) if kind == "prices" else library.place("slimfly:q=3", path)
    except library.TulleError as error:
        message = str(error)
    assert message.startswith(f"{path}")
    assert "\n" not in message


def test_items_that_a_list_lacks_are_refused() -> None:
    layout = library.place("slimfly:q=5")
    with pytest.raises(
        library.InputError, match="have no switch of 84 ports; legal: at most 36 ports, the largest size in the list"
    ):
        library.place("star:endpoints=84").bill("infiniband-edr")
    with pytest.raises(library.InputError, match="have no switch '84'; legal: 36"):
        layout.bill("infiniband-edr", "84")
    with pytest.raises(library.InputError, match="has 32 ports, the network needs 84; legal"):
        library.place("star:endpoints=84").bill("example-400gbe", "32x400G")
    with pytest.raises(library.InputError, match=r"have no optical_switch; legal: a price list with a table \[optical"):
        library.place("slimfly:q=5", through="optical").bill("infiniband-edr")
    with pytest.raises(library.InputError, match="unknown price list 'infiniband'; did you mean"):
        layout.bill("infiniband")


def test_copper_beyond_the_list_is_bought_as_fibre(tmp_path: Path) -> None:
    """Check that the bill replaces copper cables that are longer than the list's longest copper cable of 2 m.

    The bill has fibres of 5 m in place of 25 copper cables of up to 2.822 m.
    """
    layout = library.place("slimfly:q=5")
    bill = layout.bill("flattened-clos-400gbe")
    rows = {(row.item, row.size): row.count for row in bill.rows}
    assert bill.as_fibre == int((layout.cable_length[layout.cable_copper] > 2000).sum()) == 25
    assert rows["copper", "2 m"] == 250
    assert rows["fibre", "5 m"] == 125
    assert rows["transceiver", "100 m"] == 250
    # If the list has no fibre, copper cannot be replaced, and the error names the list's longest copper cable.
    path = tmp_path / "p.toml"
    path.write_text(LIST + '[[copper]]\nlength = "2m"\ncost = 1\n', encoding="utf-8")
    with pytest.raises(
        library.InputError, match=r"have no copper of 2.\d+ m; legal: at most 2 m, the largest size in the list"
    ):
        layout.bill(path)


def test_a_search_leaves_out_what_the_list_cannot_price(tulle: Cli, tmp_path: Path) -> None:
    """Check that a configuration with longer cables than the list has does not end the search of the others."""
    path = tmp_path / "p.toml"
    items = '[[copper]]\nlength = "3m"\ncost = 1\n[[fibre]]\nlength = "10m"\ncost = 2\n'
    path.write_text(LIST + items + '[[transceiver]]\nreach = "100m"\ncost = 1\n', encoding="utf-8")
    arguments = ("design", "--endpoints", "162", "--radix", "24", "--prices", str(path))
    for more in ((), ("--top", "2")):
        run = tulle(*arguments, "--family", "hypercube,hyperx", *more, "--json")
        found = json.loads(run.stdout)
        assert found["proposals"]
        assert found["unpriced"]
        for line in found["unpriced"]:
            assert re.fullmatch(r"hyperx:\S+: prices 't' have no fibre of \d\S* m; legal: at most 10 m, the .*", line)
    noted = tulle(*arguments, "--family", "hypercube,hyperx", "--top", "2").stderr
    assert re.search(r"left out: hyperx:\S+: prices .* list \(and \d+ others, see --json\)", noted)
    # If no configuration is left, the command ends with the reason.
    path.write_text(path.read_text().replace("10m", "2m").replace("3m", "1m"), encoding="utf-8")
    none = tulle(*arguments, "--family", "slimfly", "--cable", "1")
    assert none.returncode == 2
    assert re.fullmatch(r"tulle: slimfly:\S+: prices 't' have no (fibre|copper) of .*", none.stderr.strip())


def test_the_example_list_is_marked_and_whole() -> None:
    prices = read_prices("example-400gbe")
    assert (prices.date, prices.example, prices.rate) == ("2025-06", True, 400 * 10**9)
    assert {price.name: price.size for price in prices.switches} == {
        "32x400G": 32,
        "64x400G": 64,
        "128x400G": 128,
        "64x800G": 128,
    }
    # The list states the power of each switch, transceiver and NIC.
    assert all(price.watts for price in (*prices.switches, *prices.transceivers, *prices.nics))
    assert prices.switch(128).name == "128x400G"
    assert prices.switch(65, "64x800G").name == "64x800G"
    bill = library.place("slimfly:q=5").bill(prices)
    assert bill.example
    assert not bill.without_watts
    assert (bill.ports_bought, bill.ports_used) == (50 * 32, 50 * 11)
    # The bill has no transceivers, because all cables are short and have fixed ends. With 40 m of slack, each cable
    # between racks is a fibre with two transceivers.
    assert "transceiver" not in {row.item for row in bill.rows}
    long = library.place("slimfly:q=5", "slack=40m").bill(prices)
    assert {(row.size, row.count) for row in long.rows if row.item == "transceiver"} == {("50 m VR4", 200)}


def test_price_lists_from_the_command_line(tulle: Cli, tmp_path: Path) -> None:
    found = json.loads(tulle("prices", "list", "--json").stdout)["prices"]
    assert [of["name"] for of in found] == shipped("prices")
    shown = json.loads(tulle("prices", "show", "flattened-clos-400gbe", "--json").stdout)
    assert {(item["item"], item["size"], item["cost"]) for item in shown["items"]} >= {
        ("switch", "32 ports", 59099.0),
        ("copper", "2 m", 189.0),
        ("fibre", "each 50 m beyond", 6.3),
        ("optical switch", "320 ports", 60000.0),
    }
    assert "and each port" in tulle("prices", "show", "fatpaths-100gbe").stdout
    assert tulle("prices", "new", "mine.toml").returncode == 0
    assert read_prices(tmp_path / "mine.toml") == read_prices("example-400gbe")
    assert "# An EXAMPLE list" in (tmp_path / "mine.toml").read_text(encoding="utf-8")
    again = tulle("prices", "new", "mine.toml")
    assert (again.returncode, again.stderr) == (
        2,
        "tulle: mine.toml exists, and may have been edited; legal: a file that does not exist yet\n",
    )
    wrong = tulle("prices", "new", "mine.txt")
    assert (wrong.returncode, wrong.stderr) == (2, "tulle: mine.txt: '.txt' is not a known extension; legal: .toml\n")
    unknown = tulle("prices", "show", "fatpath")
    assert (unknown.returncode, unknown.stdout) == (2, "")
    assert "unknown price list 'fatpath'; did you mean fatpaths-100gbe" in unknown.stderr


@pytest.mark.parametrize("reach", ["", ', reach = "500m"'])
def test_power_of_racks_is_that_of_the_bill(reach: str, tmp_path: Path) -> None:
    (tmp_path / "list.toml").write_text(
        f"""title = "all has power"
source = "none"
currency = "USD"
rate = "400Gbps"
switch = [{{ports = 64, cost = 100, watts = 10}}]
copper = [{{length = "20m", cost = 1, watts = 1}}]
fibre = [{{length = "200m", cost = 4, watts = 3}}]
transceiver = [{{reach = "500m", cost = 40, watts = 2}}]
optical_switch = {{ports = 320, cost = 5000, watts = 45{reach}}}
"""
    )
    for through in (None, "optical"):
        layout = library.place("jellyfish:switches=36,degree=16,p=8", through=through)
        power, bill = layout.power(tmp_path / "list.toml", host_watts=100), layout.bill(tmp_path / "list.toml")
        assert power.network_watts == pytest.approx(bill.watts)
        assert power.watts == pytest.approx(bill.watts + 288 * 100)
        assert not power.without_watts


@pytest.mark.parametrize("command", ["layout", "cabling"])
def test_a_note_says_if_links_have_another_rate_than_the_price_list(tulle: Cli, tmp_path: Path, command: str) -> None:
    (tmp_path / "net.csv").write_text("a,b,rate\nleaf1,spine,100Gbps\nleaf2,spine,400Gbps\nleaf3,spine,200Gbps\n")
    words = ["layout"] if command == "layout" else ["cabling", "plan", "-o", "plan"]
    note = (
        "tulle: prices 'InfiniBand HDR, 40-port switches' are for 200 Gb/s, but 2 links have another rate (100 to 400 "
        "Gb/s); the bill does not depend on rates of links"
    )
    for edges, prices, expected in (
        ("file:edges=net.csv,p=1", ["--prices", "infiniband-hdr"], True),
        ("file:edges=net.csv,p=1", [], False),
        ("clique:degree=3", ["--prices", "infiniband-hdr"], False),
    ):
        done = tulle(words[0], *words[1:2], edges, *words[2:], *prices, *(["--force"] if command == "cabling" else []))
        assert done.returncode == 0, done.stderr
        assert (note in done.stderr.splitlines()) == expected


def test_a_comparison_says_if_links_have_another_rate_than_the_price_list() -> None:
    fabric = library.Fabric("clique:degree=3,p=1", links=["all:rate=100Gbps"])
    assert read_prices("infiniband-hdr").other_rates(fabric) == (
        "prices 'InfiniBand HDR, 40-port switches' are for 200 Gb/s, but 10 links have another rate (100 Gb/s); the "
        "bill does not depend on rates of links"
    )
    assert read_prices("fatpaths-100gbe").other_rates(fabric) == ""
