"""Compare bills of material with counts and costs computed by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tulle import Fabric, place
from tulle.design.bill import Items
from tulle.design.prices import read_prices

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from tulle.design.prices import Prices
    from tulle.fabric.properties import Properties

LIST = """
title = "by hand"
source = "none"
currency = "USD"
switch = [{ports = 4, cost = 100, watts = 10}, {ports = 8, cost = 300}]
copper = [{length = "1m", cost = 5}, {length = "3m", cost = 9}]
fibre = [{length = "5m", cost = 7}, {length = "20m", cost = 11}]
transceiver = [{reach = "10m", cost = 40, watts = 2}, {reach = "50m", cost = 60}]
patch_panel = {ports = 16, cost = 200}
"""


@pytest.fixture
def prices(tmp_path: Path) -> Prices:
    (tmp_path / "list.toml").write_text(f"{LIST}optical_switch = {{ports = 16, cost = 5000, watts = 45}}\n")
    return read_prices(tmp_path / "list.toml")


def counts(items: Items, prices: Prices) -> list[tuple[str, str, float, float]]:
    return [(row.item, row.size, row.count, row.unit_cost) for row in items.bill(prices).rows]


def test_every_fibre_has_a_transceiver_at_both_ends(prices: Prices) -> None:
    items = Items({4: 2, 5: 1}, {1000: 3, 2000: 1}, {4000: 3, 6000: 2, 20_000: 1}, endpoints=4)
    assert counts(items, prices) == [
        ("switch", "4 ports", 2, 100),
        ("switch", "8 ports", 1, 300),
        ("copper", "1 m", 3, 5),
        ("copper", "3 m", 1, 9),
        ("fibre", "5 m", 3, 7),
        ("fibre", "20 m", 3, 11),
        # Each fibre has two transceivers. The five fibres of 4 m and 6 m need a reach of 10 m; the fibre of 20 m needs
        # 50 m.
        ("transceiver", "10 m", 10, 40),
        ("transceiver", "50 m", 2, 60),
    ]
    bill = items.bill(prices)
    cost = 200 + 300 + 15 + 9 + 21 + 33 + 400 + 120
    assert (bill.cost, bill.cost_per_endpoint) == (cost, cost / 4)
    # The price list states no power for the 8-port switch and the 50 m transceiver.
    assert (bill.watts, bill.without_watts) == (2 * 10 + 10 * 2, ("switch", "transceiver"))


def test_a_fibre_to_a_device_is_half_a_fibre(prices: Prices, tmp_path: Path) -> None:
    """Check the transceivers of fibres to an optical switch.

    Such a fibre has a transceiver only at the packet switch; its reach must be at least twice the fibre's length.
    """
    to_devices = {4000: 1, 6000: 2}
    items = Items({4: 1}, {}, {4000: 3, 6000: 2}, to_devices, devices=2, device="optical")
    assert counts(items, prices) == [
        ("switch", "4 ports", 1, 100),
        ("optical switch", "16 ports", 2, 5000),
        ("fibre", "5 m", 3, 7),
        ("fibre", "20 m", 2, 11),
        # Four 10 m transceivers are at both ends of two 4 m fibres between switches. A fifth is at the 4 m fibre to the
        # optical switch and must reach 8 m. The transceivers at the two 6 m fibres must reach 12 m.
        ("transceiver", "10 m", 5, 40),
        ("transceiver", "50 m", 2, 60),
    ]
    # If the price list states a reach for the optical switch, transceivers need only this reach.
    (tmp_path / "far.toml").write_text(f'{LIST}optical_switch = {{ports = 16, cost = 5000, reach = "9m"}}\n')
    far = counts(items, read_prices(tmp_path / "far.toml"))
    assert far[-1:] == [("transceiver", "10 m", 7, 40)]
    panels = Items({4: 1}, {}, {4000: 3}, {4000: 3}, devices=1, device="panels")
    assert counts(panels, prices)[1:] == [
        ("patch panel", "16 ports", 1, 200),
        ("fibre", "5 m", 3, 7),
        ("transceiver", "10 m", 3, 40),
    ]


def test_the_port_of_sharp_is_neither_bought_nor_used() -> None:
    """Check that the bill has a 40-port switch although ibnetdiscover lists 41 ports, because port 41 is unused."""
    known: Properties = {"switch_ports": [41, 41], "ports": [("7", "40")], "endpoint_ports": ["1", "3"]}
    found = place(Fabric.from_edges([[0, 1]], [0, 1], properties=known))
    assert found.switch_ports.tolist() == [7, 40]
    bill = found.bill("infiniband-hdr")
    assert (bill.ports_bought, bill.ports_used) == (80, 4)
    assert [(row.size, row.count) for row in bill.rows if row.item == "switch"] == [("40 ports", 2)]
    assert found.power("infiniband-hdr").watts == bill.watts
    # Each used port counts, even if its name is not a number or is a number above the switch's port count.
    known = {"switch_ports": [0, 32], "ports": [("39", "1001")], "endpoint_ports": ["swp49", "Ethernet64"]}
    assert place(Fabric.from_edges([[0, 1]], [0, 1], properties=known)).switch_ports.tolist() == [2, 2]


def test_a_note_says_that_prices_have_no_adapters(tulle: Cli) -> None:
    command = ("layout", "clique:degree=3", "--prices", "infiniband-edr")
    assert json.loads(tulle(*command, "--json").stdout)["bill"]["without_nics"] is True
    assert not place("clique:degree=3").bill("example-400gbe").without_nics
    note = "have no adapters (NICs) of hosts: costs, also per endpoint, leave them out"
    assert note in tulle(*command).stderr
    assert note in tulle("cabling", "plan", *command[1:], "-o", "plan").stderr
