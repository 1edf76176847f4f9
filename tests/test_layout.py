"""Test layouts: racks, cable lengths, costs compared with papers, cabling through devices, and `tulle layout`."""

from __future__ import annotations

import copy
import csv
import json
import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tulle as library
from tulle.design import Items, optical_switches, patch_panels, read_prices, shipped
from tulle.study.measurements.layout import cables_between_racks
from tulle.study.papers.flattened_clos import Estimate, estimate_clos, estimate_flattened_clos

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from tulle.fabric.properties import Properties

# Table 4 of the Flattened Clos paper. A row has the number of servers, then the servers per ToR switch and the cost
# (M$) of a Flattened Clos, then the same two values of a Clos.
TABLE_4 = [
    (2400, 8, 27.58, 16, 29.76),
    (2400, 12, 17.89, 22, 15.71),
    (2400, 16, 12.93, 25, 11.62),
    (4800, 8, 55.19, 16, 61.52),
    (4800, 12, 35.80, 21, 34.70),
    (4800, 16, 24.90, 25, 23.23),
    (7200, 8, 82.80, 16, 85.45),
    (7200, 12, 52.50, 21, 54.13),
    (7200, 16, 37.84, 25, 36.50),
    (24000, 8, 276.29, 16, 383.53),
    (24000, 12, 175.53, 22, 199.58),
    (24000, 16, 124.60, 25, 140.70),
    (48000, 8, 551.85, 16, 850.55),
    (48000, 12, 350.11, 21, 465.72),
    (48000, 16, 249.32, 25, 282.75),
    (72000, 8, 829.49, 16, 1471.83),
    (72000, 12, 524.91, 21, 702.92),
    (72000, 16, 374.11, 25, 468.66),
]
PRICES = "flattened-clos-400gbe"


def millions(estimate: Estimate) -> float:
    return estimate.bill(PRICES).cost / 1e6


@pytest.mark.parametrize(("servers", "ours", "ours_cost", "theirs", "theirs_cost"), TABLE_4)
def test_costs_are_those_of_table_4(servers: int, ours: int, ours_cost: float, theirs: int, theirs_cost: float) -> None:
    flat, clos = estimate_flattened_clos(servers, ours), estimate_clos(servers, theirs)
    assert millions(flat) == pytest.approx(ours_cost, rel=1e-3)
    assert millions(clos) == pytest.approx(theirs_cost, rel=1e-3)
    for estimate in (flat, clos):
        counts = {row.item: 0.0 for row in estimate.bill(PRICES).rows}
        for row in estimate.bill(PRICES).rows:
            counts[row.item] += row.count
        assert counts["transceiver"] == pytest.approx(estimate.transceivers)
        assert counts["fibre"] == pytest.approx(sum(estimate.items.fibre.values()))


def test_costs_are_those_of_table_3() -> None:
    flat, clos = estimate_flattened_clos(1152, 8), estimate_clos(1152, 18)
    assert (flat.switches, flat.transceivers, round(flat.copper_km, 1)) == (144, 3456, 2.3)
    assert (clos.switches, clos.transceivers, round(clos.copper_km, 1)) == (148, 3584, 2.3)
    assert flat.fibre_km == pytest.approx(55.5, rel=0.03)
    assert clos.fibre_km == pytest.approx(10.8, rel=0.06)
    # The paper states 13.98 and 10.77.
    assert (round(millions(flat), 2), round(millions(clos), 2)) == (13.99, 10.76)


@pytest.mark.parametrize("floor", ["flattened-clos", "clos"])
def test_equal_pitches_change_the_comparison_of_the_paper_little(floor: str) -> None:
    for servers, ours, ours_cost, theirs, theirs_cost in TABLE_4:
        flat = millions(estimate_flattened_clos(servers, ours, floor=floor))
        clos = millions(estimate_clos(servers, theirs, floor=floor))
        assert flat / clos == pytest.approx(ours_cost / theirs_cost, rel=0.007)


# Table 4 of the Slim Fly deployment paper (NSDI24): endpoints, switches, links between switches, and cost (M$).
TABLE_DEPLOYMENT = {
    "infiniband-edr": (
        36,
        [
            (648, 54, 648, 1.5),
            (972, 45, 324, 1.1),
            (11664, 1620, 23328, 45),
            (2028, 169, 2028, 4.5),
            (6144, 512, 6144, 13.8),
        ],
    ),
    "infiniband-hdr": (
        40,
        [
            (800, 60, 800, 2.4),
            (1200, 50, 400, 1.7),
            (16000, 2000, 32000, 84.2),
            (2744, 196, 2548, 7.8),
            (7514, 578, 7225, 22.4),
        ],
    ),
    "infiniband-ndr": (
        64,
        [
            (2048, 96, 2048, 9.0),
            (3072, 80, 1024, 7.2),
            (65536, 5120, 131072, 491),
            (10648, 484, 10164, 45.5),
            (32928, 1568, 32928, 146),
        ],
    ),
}


@pytest.mark.parametrize("name", TABLE_DEPLOYMENT)
def test_costs_are_near_those_of_the_deployment(name: str) -> None:
    ports, rows = TABLE_DEPLOYMENT[name]
    prices = read_prices(name)
    per_endpoint = []
    for endpoints, switches, links, cost in rows:
        items = Items(switches={ports: switches}, copper={2000: endpoints}, fibre={10_000: links}, endpoints=endpoints)
        bill = items.bill(prices)
        assert bill.cost / 1e6 == pytest.approx(cost, rel=0.04)
        per_endpoint.append(bill.cost_per_endpoint or 0.0)
    # In the Slim Fly deployment paper (NSDI24), a three-level fat tree costs 1.70 to 1.79 times as much per endpoint as
    # the Slim Fly.
    assert 1.70 * 0.9 <= per_endpoint[2] / per_endpoint[4] <= 1.79 * 1.1


def test_the_slim_fly_of_the_deployment() -> None:
    layout = library.place("slimfly:q=5")
    assert layout.racks == tuple(f"rack{rack}" for rack in range(5))
    assert np.bincount(layout.switch_rack).tolist() == [10] * 5
    assert np.bincount(layout.endpoint_rack).tolist() == [40] * 5
    assert (int(layout.cable_copper.sum()), int((~layout.cable_copper).sum())) == (75, 100)
    assert layout.endpoint_copper.all()
    cables = layout.cables
    assert len(cables) == 175 + 200
    between = cables["from_rack"] != cables["to_rack"]
    racks = np.sort(np.stack([cables["from_rack"][between], cables["to_rack"][between]]), axis=0)
    pairs, counts = np.unique(racks, axis=1, return_counts=True)
    assert pairs.shape == (2, 10)
    assert set(counts.tolist()) == {10}
    assert {*cables["medium"][between].tolist()} == {"fibre"}
    assert cables["kind"].tolist() == ["switch"] * 175 + ["endpoint"] * 200
    bill = layout.bill("infiniband-edr")
    assert [(row.item, row.count) for row in bill.rows] == [("switch", 50), ("copper", 275), ("fibre", 100)]
    assert bill.without_watts == ("switch",)
    assert bill.columns["cost"].sum() == pytest.approx(bill.cost)


def test_one_cabling_through_optical_switches_for_two_seeds() -> None:
    spec = "flattenedclos:switches=144,ports=32,layers=4,p=8"
    layouts = [library.place(spec, "flattened-clos", through="optical", seed=seed) for seed in (1, 2)]
    one, other = layouts
    assert one.circuits is not None
    assert other.circuits is not None
    # The layouts of the two seeds have the same cables; only the port maps of their optical switches differ.
    assert one.cables == other.cables
    assert not np.array_equal(one.circuits.maps, other.circuits.maps)
    for layout in (one, other):
        assert layout.circuits is not None
        assert all(np.array_equal(np.sort(row), np.arange(144)) for row in layout.circuits.maps)
        joined = layout.circuits.maps[layout.circuits.devices, layout.fabric.channels[:, 0]]
        assert np.array_equal(joined, layout.fabric.channels[:, 1])
    # The bill of the built fabric equals the closed-form estimate, including the number of fibres of each length.
    estimate = estimate_flattened_clos(1152, 8)
    built = one.bill(PRICES)
    assert built.cost == pytest.approx(estimate.bill(PRICES).cost, rel=1e-9)
    assert one.items.fibre == {length: round(count) for length, count in estimate.items.fibre.items()}
    linked = one.linked("0s")
    assert np.array_equal(linked.link_latency, linked.link_length * 5)


def test_panels_join_pairs() -> None:
    found = patch_panels("flattenedclos:switches=100,ports=32,layers=4", seed=3)
    assert found.maps.shape == (20, 100)
    ports = np.arange(100)
    assert all(np.array_equal(row[row], ports) and (row != ports).all() for row in found.maps)
    with pytest.raises(library.InputError, match="the number of switches, 51, is odd"):
        patch_panels("jellyfish:switches=51,degree=4")
    with pytest.raises(
        library.InputError, match="400 switches need optical switches with 400 ports, but these have 320"
    ):
        optical_switches("jellyfish:switches=400,degree=4")
    with pytest.raises(library.InputError, match="ports=0 is out of range; legal: 1 to"):
        optical_switches("slimfly:q=5", ports=0)


def test_parts_from_outside() -> None:
    fabric = library.Fabric("jellyfish:switches=24,degree=5,p=4")
    parts = np.arange(24) % 4
    layout = library.place(fabric, parts=parts)
    assert layout.structure == "parts"
    assert np.array_equal(layout.rack_groups[layout.switch_rack], parts)
    with pytest.raises(library.InputError, match="parts has 3 entries, but must have one per switch; legal: 24"):
        library.place(fabric, parts=[0, 1, 2])
    with pytest.raises(library.InputError, match="parts='racks' is not a partition; legal: metis"):
        library.place(fabric, parts="racks")
    pytest.importorskip("pymetis")
    by_metis = library.place("jellyfish:switches=60,degree=6,p=6", "units=40", parts="metis")
    by_ids = library.place("jellyfish:switches=60,degree=6,p=6", "units=40")
    assert by_metis.cable_copper.sum() > by_ids.cable_copper.sum()
    assert {*np.bincount(by_metis.rack_groups).tolist()} == {1}
    # A part fits in a rack also if hosts are higher than 1 U, or have several NICs.
    for floor, fewest in (("host=4", 24), ("nics=4,host=4", 8), ("nics=2", 3)):
        found = library.place("jellyfish:switches=60,degree=6,p=4", floor, parts="metis")
        assert {*np.bincount(found.rack_groups).tolist()} == {1}, floor
        assert fewest <= len(found.racks) <= 1.3 * fewest + 1, floor
    with pytest.raises(library.InputError, match="a switch with 4 endpoints needs 49 rack units, but a rack of the"):
        library.place("jellyfish:switches=60,degree=6,p=4", "host=12", parts="metis")


def test_lengths_become_latencies() -> None:
    layout = library.place("dragonfly:p=2")
    linked = layout.linked("100ns")
    assert np.array_equal(linked.link_length[linked.cables], layout.cable_length)
    assert np.array_equal(linked.link_latency, 100_000 + 5 * linked.link_length)
    assert np.array_equal(linked.endpoint_latency, 100_000 + 5 * layout.endpoint_length)
    assert {linked.link_medium[int(cable)] for cable in linked.cables} == {"copper", "fibre"}
    assert (layout.linked().link_latency == -1).all()
    assert pickle.loads(pickle.dumps(linked)) == linked
    run = library.simulate(linked, "minimal", "permutation:bytes=20KB")
    assert run.flows["finish"].min() > 0


def test_layouts_are_values() -> None:
    layout = library.place("jellyfish:switches=20,degree=4,p=2", through="panels", parts=np.arange(20) // 5)
    assert layout == library.place("jellyfish:switches=20,degree=4,p=2", through="panels", parts=np.arange(20) // 5)
    assert layout != library.place("jellyfish:switches=20,degree=4,p=2", parts=np.arange(20) // 5)
    for twin in (pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout)):
        assert twin == layout
        assert twin.cables == layout.cables
    assert repr(layout) == "<Layout of jellyfish:switches=20,degree=4,p=2: 5 racks>"


@pytest.mark.parametrize("name", shipped("floors"))
def test_floors_are_whole(name: str) -> None:
    assert library.place("slimfly:q=3", name).floor.startswith("column=")


@pytest.mark.parametrize("more", [("--nics-per-host", "2"), ("--floor", "nics=2")])
def test_hosts_that_a_network_names_are_not_merged(tmp_path: Path, tulle: Cli, more: tuple[str, str]) -> None:
    """Check that a network of ten named servers with two ports each has ten hosts, and that no option changes this."""
    names = [f"srv{server}:eth{port}" for server in range(10) for port in range(2)]
    known: Properties = {"endpoint_names": names, "host_ports": [name.partition(":")[2] for name in names]}
    fabric = library.Fabric.from_edges([[0, 1]], [0, 1] * 10, properties=known)
    fabric.write(tmp_path / "dual.json")
    command = ("layout", "file:edges=dual.json", "--host-watts", "1000", "--prices", "example-400gbe")
    assert json.loads(tulle(*command, "--json").stdout)["power"]["hosts"] == 10
    answer = tulle(*command, *more)
    assert (answer.returncode, answer.stdout, answer.stderr.count("\n")) == (2, "", 1)
    assert "nics=2: the network already assigns its endpoints to named hosts, for example 'srv0:eth0'" in answer.stderr
    assert tulle("cabling", "plan", "file:edges=dual.json", "--floor", "nics=2", "-o", "plan").returncode == 2
    assert not (tmp_path / "plan").exists()


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        (("layout", "--host-watts", "1000"), "--host-watts adds to the power of a price list; legal: with --prices"),
        (("layout", "--ports", "64"), "--ports is for optical switches or patch panels; legal: with --through"),
        (("cabling", "plan", "-o", "plan", "--ports", "64"), "--ports is for optical switches or patch panels"),
        (("layout", "--format", "dot"), "--format is only for a file that is written; legal: with --write"),
        (("fabric", "--format", "dot"), "--format is only for a file that is written; legal: with --write"),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    tmp_path: Path, tulle: Cli, command: tuple[str, ...], answer: str
) -> None:
    result = tulle(*command, "clique:degree=3")
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert answer in result.stderr
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(("density", "units"), [(None, 2), (2, 2), (1, 4)])
def test_hosts_of_one_unit_share_it_as_density_says(density: int | None, units: int) -> None:
    floor = None if density is None else {"density": density}
    layout = library.place("clique:degree=3,p=4", floor, host_units=1)
    of_one = layout.endpoint_unit[layout.fabric.endpoint_switch == 0]
    assert len(np.unique(of_one)) == units


def test_hosts_of_several_nics_fill_racks(tulle: Cli) -> None:
    """Check the rack positions and the power of 16 hosts that have 8 NICs and take 8 rack units each."""
    layout = library.place("fattree:levels=2,radix=16", nics_per_host=8, host_units=8)
    places = np.column_stack([layout.endpoint_rack, layout.endpoint_unit])
    hosts, counts = np.unique(places, axis=0, return_counts=True)
    assert (len(hosts), set(counts.tolist())) == (128 // 8, {8})
    for rack in np.unique(hosts[:, 0]):
        tops = np.sort(hosts[hosts[:, 0] == rack, 1])
        assert (np.diff(tops) >= 8).all()
        assert tops[0] >= 8
        taken = {unit for top in tops.tolist() for unit in range(top - 7, top + 1)}
        assert not taken & set(layout.switch_unit[layout.switch_rack == rack].tolist())
    power = layout.power("example-400gbe", host_watts=8000)
    bill = layout.bill("example-400gbe")
    assert power.hosts == 16
    assert power.watts == pytest.approx(bill.watts + 16 * 8000)
    assert {(row.size, row.count) for row in bill.rows if row.item == "NIC"} == {("2x400G", 64)}
    most = np.bincount(hosts[:, 0]).max()
    assert most * (8000 + 4 * 40) <= power.racks.max() <= most * (8000 + 4 * 40) + 12 * 600 + 400 * 15
    assert power.cooling_tons == pytest.approx(power.watts / 3516.85)
    arguments = ("--nics-per-host", "8", "--host-units", "8", "--host-watts", "8000", "--prices", "example-400gbe")
    found = json.loads(tulle("layout", "fattree:levels=2,radix=16", *arguments, "--json").stdout)
    assert found["racks"] == len(layout.racks) > len(library.place("fattree:levels=2,radix=16").racks)
    assert found["power"]["watts"] == pytest.approx(power.watts)
    assert found["power"]["rack_watts"] == power.racks.tolist()
    assert found["power"]["network_watts"] == pytest.approx(bill.watts)
    spread = [found["power"][f"{name}_watts_per_rack"] for name in ("least", "mean", "most")]
    assert spread == [power.racks.min(), power.racks.mean(), power.racks.max()]
    printed = tulle("layout", "fattree:levels=2,radix=16", *arguments).stdout
    # Without --json, the command prints the power with and without hosts, but not the power of each rack.
    assert f"power  {bill.watts:,.0f} W of switches, NICs, cables and transceivers\n" in printed
    assert f"       {power.watts:,.0f} W with 16 hosts of 8000 W\n" in printed
    least, mean, most = (f"{watts / 1000:.1f} kW" for watts in spread)
    assert f"racks  {least} minimum, {mean} mean, {most} maximum\n" in printed
    assert "rack_watts" not in printed
    assert "tons of refrigeration" in printed


@pytest.mark.parametrize(
    ("floor", "problem"),
    [
        ("column=2", "floor: column=2 has no unit; did you mean 2m or 2mm?"),
        ("pitch=2m", "floor: unknown parameter 'pitch=2m'"),
        ("attic", "unknown floor 'attic'; legal: clos, flattened-clos, standard; or a .toml file"),
        ({"units": 0}, "floor: units=0 is out of range; legal: 1 to 1000"),
        ({"units": 1.5}, "units=1.5 is not a legal value; legal: a text like '2m', or a whole number"),
        (3, "floor=3 is not a floor; legal:"),
    ],
)
def test_wrong_floors_are_one_line(floor: object, problem: str) -> None:
    with pytest.raises(library.TulleError) as raised:
        library.place("slimfly:q=5", floor)  # type: ignore[arg-type]
    assert problem in str(raised.value)


def test_command(tulle: Cli, tmp_path: Path) -> None:
    command = ("layout", "slimfly:q=5", "--prices", "infiniband-edr")
    found = json.loads(tulle(*command, "--plot", "f.svg", "--cables", "c.csv", "--json").stdout)
    assert (found["racks"], found["structure"], found["bill"]["rows"][0]["count"]) == (5, "columns", 50)
    assert [(row["medium"], row["count"]) for row in found["cables"]] == [
        ("copper", 75),
        ("fibre", 100),
        ("copper", 200),
    ]
    drawn = (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert all(f"<!-- rack{rack} -->" in drawn for rack in range(5))
    with (tmp_path / "c.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 375
    assert rows[0].keys() >= {"from", "from_port", "to_rack", "to_unit", "length_mm", "medium"}
    printed = tulle(*command)
    assert printed.returncode == 0
    assert "between switches" in printed.stdout
    title = "InfiniBand EDR, 36-port switches"
    assert printed.stderr.splitlines() == [
        f"tulle: prices '{title}' have no adapters (NICs) of hosts: costs, also per endpoint, leave them out",
        f"tulle: prices '{title}' do not list the power of: switch",
    ]
    assert found["places"][1] == {
        "rack": "rack1",
        "column": 0,
        "row": 1,
        "group": 1,
        "switches": 10,
        "endpoints": 40,
        "devices": 0,
    }
    wrote = json.loads(tulle("layout", "slimfly:q=5", "--write", "n.csv", "--latency", "100ns", "--json").stdout)
    assert wrote["written"] == ["n.csv", "n.nodes.csv"]
    fabric = library.Fabric(f"file:edges={tmp_path / 'n.csv'},nodes={tmp_path / 'n.nodes.csv'}")
    assert np.array_equal(fabric.link_length, library.place("slimfly:q=5").linked().link_length)
    assert np.array_equal(fabric.link_latency, 100_000 + 5 * fabric.link_length)
    other = tulle("layout", "slimfly:q=5", "--write", "n.graph", "--format", "evalnet", "--json")
    assert json.loads(other.stdout)["written"] == ["n.graph", "n.nodes.csv"]
    assert (
        "n.graph: left out, because this format (adjacency of EvalNet) cannot store it: lengths, media" in other.stderr
    )
    through = json.loads(tulle("layout", "slimfly:q=5", "--through", "panels", "--json").stdout)
    assert (through["devices"], through["cables"][0]["cables"]) == (7, "to devices")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--floor", "row=2"), "floor: row=2 has no unit; did you mean 2m or 2mm?"),
        (("--prices", "none.toml"), "none.toml: No such file or directory"),
        (("--through", "mirrors"), "through='mirrors' is not a kind of device; legal: optical, panels"),
        (("--latency", "100ns"), "--latency applies only to links that --write writes; legal: with --write FILE"),
        (("--write", "n.csv", "--format", "none"), "none"),
        (("--plot", "plan.jpg"), "plan.jpg: '.jpg' is not a known extension; legal: .pdf, .png, .svg"),
        (
            ("--through", "optical", "--ports", "49"),
            "50 switches need optical switches with 50 ports, but these have 49",
        ),
    ],
)
def test_wrong_options_are_one_line(tulle: Cli, arguments: tuple[str, ...], problem: str) -> None:
    printed = tulle("layout", "slimfly:q=5", *arguments)
    assert (printed.returncode, printed.stdout) == (2, "")
    assert printed.stderr.startswith("tulle: ")
    assert problem in printed.stderr
    assert printed.stderr.count("\n") == 1


def test_cables_between_racks_count_both_directions() -> None:
    one, other = np.array(["a", "b", "c", "a"]), np.array(["b", "a", "c", "c"])
    assert cables_between_racks(one, other, ["a", "b", "c"]).tolist() == [2, 1, 0]
    assert cables_between_racks(one[:0], other[:0], ["a"]).tolist() == []
