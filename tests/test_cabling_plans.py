"""Test cabling plans: counts of the deployed Slim Fly, failures, hosts with several ports, folders and exports."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest

import tulle as library
from tulle.cabling import diagrams, plan_cabling, read_live, read_network, read_plan, verify_cabling, write_plan
from tulle.cabling.exports import export
from tulle.cabling.invariants import invariants, pair_counts, remote_ports

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli


from test_cabling import plan


@pytest.mark.parametrize(
    "spec", ["slimfly:q=5", "fattree:levels=3,radix=4", "dragonfly:p=2", "jellyfish:switches=12,degree=4,p=2"]
)
@pytest.mark.parametrize("faults", ["links=1", "links=10%", "switches=2", "links=2,switches=1"])
def test_what_fails_renumbers_no_port(spec: str, faults: str) -> None:
    fabric = library.Fabric(spec, 3)
    intact = plan_cabling(library.place(fabric))
    for damaged in (
        fabric.with_failures(faults, 1),
        fabric.with_failures("links=1", 4).with_links("all:rate=1Gbps").with_failures(faults),
    ):
        of = plan_cabling(library.place(damaged))
        assert of.faults == tuple(damaged.faults)
        assert len(of.cables) == damaged.num_cables + damaged.num_endpoints < len(intact.cables)
        assert {cable.ends for cable in of.cables} < {cable.ends for cable in intact.cables}
        assert set(of.devices) <= set(intact.devices)
        kinds = [device.kind for device in of.devices]
        assert kinds.count("switch") == damaged.num_switches
        # For each pair of switches, the plan has as many cables as the damaged fabric.
        left = Counter(frozenset(name for name, _ in cable.ends) for cable in of.cables if cable.step)
        names = [device.name for device in of.devices if device.kind == "switch"]
        assert left == Counter(frozenset((names[a], names[b])) for a, b in damaged.edges.tolist())
        assert export(of, "ibnetdiscover")


@pytest.mark.parametrize(
    ("spec", "nics", "hosts"), [("slimfly:q=5", 4, 50), ("slimfly:q=5", 3, 70), ("fattree:levels=2,radix=16", 8, 16)]
)
def test_a_host_of_several_nics_is_one_device(spec: str, nics: int, hosts: int) -> None:
    found = library.place(spec, nics_per_host=nics, host_units=4)
    of = plan_cabling(found)
    assert len(of.endpoint_ports) == hosts == found.power("example-400gbe").hosts
    assert sum(device.kind == "endpoint" for device in of.devices) == hosts
    assert sum(map(len, of.endpoint_ports.values())) == found.fabric.num_endpoints
    assert max(map(len, of.endpoint_ports.values())) == nics
    for name, ports in of.endpoint_ports.items():
        assert ports == tuple(str(number + 1) for number in range(len(ports)))
        assert of.device[name].ports == len(ports)
    places = [(device.rack, device.unit, device.slot) for device in of.devices if device.kind == "endpoint"]
    assert len({*places}) == hosts


def test_copper_is_counted_as_in_the_layout_whatever_its_word(tulle: Cli) -> None:
    links = ("--link", "all:medium=dac-passive")
    found = json.loads(tulle("cabling", "plan", "slimfly:q=5", *links, "-o", "plan", "--json").stdout)
    assert [step["copper"] for step in found["steps"]] == [200, 50, 25, 100]
    links = ("--link", "all:medium=mmf-om4")
    found = json.loads(tulle("cabling", "plan", "slimfly:q=5", *links, "-o", "plan", "--json").stdout)
    assert [step["copper"] for step in found["steps"]] == [0, 0, 0, 0]


def test_deployed_slim_fly() -> None:
    """Check the plan of the deployed Slim Fly against Blach et al. (NSDI24), §3.2 to 3.4, Figs. 3 and 4."""
    of = plan()
    assert len(of.racks) == 5
    assert of.counts() == [200, 50, 25, 100]
    assert Counter(cable.medium for cable in of.cables if cable.step) == {"copper": 75, "fibre": 100}
    ports: dict[int, set[int]] = defaultdict(set)
    for cable in of.cables:
        for name, port in cable.ends:
            if name.startswith("sf-"):
                ports[cable.step].add(int(port))
    assert ports == {0: {1, 2, 3, 4}, 1: {5, 6}, 2: {7}, 3: {8, 9, 10, 11}}
    assert set(pair_counts(of).values()) == {10}
    assert len(pair_counts(of)) == 10
    assert remote_ports(of)["rack0", "rack2"] == "9"
    assert remote_ports(of)["rack4", "rack0"] == "8"
    assert "The cables of this step are identical in every rack: same units, same ports." in invariants(of, 1)
    assert {of.device[f"sf-s0-r3-i{at}"].unit for at in range(5)} == {38, 39, 40, 41, 42}
    assert of.other(("sf-s0-r0-i0", "5")) == ("sf-s0-r0-i1", "5")


@pytest.mark.parametrize("q", [7, 9, 11, 16])
def test_one_port_per_remote_rack(q: int) -> None:
    """Check for Slim Flies of several q that no port has two cables and that no port number exceeds the radix."""
    of = plan(q)
    assert remote_ports(of)
    if q == 7:
        # For q = 7, the switches of a column fill two racks, one rack for each of the Slim Fly's two subgraphs.
        assert "There are 2 kinds of racks" in "".join(invariants(of, 1))
    used: dict[str, set[int]] = defaultdict(set)
    for cable in of.cables:
        for name, port in cable.ends:
            assert int(port) not in used[name]
            used[name].add(int(port))
    assert max(max(ports) for ports in used.values()) == library.Fabric(f"slimfly:q={q}").radix


SPECS = [
    "dragonfly:p=2",
    "hyperx:shape=3x3",
    "jellyfish:switches=20,degree=4,p=2",
    "fattree:levels=3,radix=4",
    "torus:shape=3x3x3",
]


@pytest.mark.parametrize("spec", SPECS)
def test_plans_of_all_families_agree_with_themselves(spec: str, tmp_path: Path) -> None:
    fabric = library.Fabric(spec)
    of = plan_cabling(library.place(fabric))
    assert len(of.cables) == fabric.num_cables + fabric.num_endpoints
    assert max(device.ports for device in of.devices) <= fabric.radix
    write_plan(of, tmp_path)
    assert read_plan(tmp_path) == of
    live = read_live("ibnetdiscover", [tmp_path / "exports" / "plan.ibnet"])
    assert verify_cabling(of, live).agrees


def test_folder(tulle: Cli, tmp_path: Path) -> None:
    place = tmp_path / "plan"
    arguments = ("cabling", "plan", "slimfly:q=5", "-o", str(place), "--prices", "infiniband-edr", "--json")
    assert tulle(*arguments).returncode == 0
    (place / "diagrams" / "racks-77-78.svg").write_text("of an earlier plan with more racks")
    # Plans of earlier versions have no checksums, so that all drawings count as those of the plan.
    (place / "SHA256SUMS").unlink()
    result = json.loads(tulle(*arguments).stdout)
    assert [step["cables"] for step in result["steps"]] == [200, 50, 25, 100]
    with (place / "cables.csv").open(newline="") as file:
        assert len([*csv.DictReader(file)]) == 375
    with (place / "labels.csv").open(newline="") as file:
        assert len([*csv.DictReader(file)]) == 750
    assert (place / "bill.csv").is_file()
    drawn = sorted(path.name for path in (place / "diagrams").iterdir())
    assert len(drawn) == 5 + 10
    for path in (place / "diagrams").iterdir():
        ElementTree.fromstring(path.read_text())
    ends = ElementTree.fromstring((place / "diagrams" / "rack0--rack2.svg").read_text())
    assert len([node for node in ends.iter() if node.tag.endswith("line")]) == 10
    assert sorted(path.name for path in place.iterdir() if path.name.startswith(".")) == []
    assert "| rack1 | 8 | - | 9 | 10 | 11 |" in (place / "README.md").read_text()
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    tulle(*arguments)
    assert before == {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_changed_files_of_a_plan_are_not_lost(tulle: Cli, tmp_path: Path) -> None:
    place = tmp_path / "plan"
    write = ("cabling", "plan", "slimfly:q=3", "-o", "plan")
    assert tulle(*write, "--prices", "infiniband-edr").returncode == 0
    sums = [line.split("  ") for line in (place / "SHA256SUMS").read_text().splitlines()]
    files = {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}
    assert {name: digest for digest, name in sums} == {
        name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != "SHA256SUMS"
    }
    (place / "diagrams" / "own.svg").write_text("<svg/>")
    for names in (["README.md"], ["cables.csv", "diagrams/rack0.svg"], ["bill.csv", "plan.json"]):
        before = [(place / name).read_text() for name in names]
        for name, text in zip(names, before, strict=True):
            (place / name).write_text(text + " ")
        refused = tulle(*write)
        assert refused.returncode == 2
        assert f"plan: {' and '.join(names)} " in refused.stderr.replace(", ", " and ")
        assert refused.stderr.endswith("or --force, after you have copied your changes\n")
        assert all((place / name).read_text() == text + " " for name, text in zip(names, before, strict=True))
        for name, text in zip(names, before, strict=True):
            (place / name).write_text(text)
    (place / "README.md").write_text("own notes")
    assert tulle(*write, "--force").returncode == 0
    assert (place / "README.md").read_bytes() == files["README.md"].replace(
        b"* `bill.csv`: the bill of materials\n", b""
    )
    assert not (place / "bill.csv").exists()
    assert (place / "diagrams" / "own.svg").read_text() == "<svg/>"
    # A file of the user that has the name of a file that only some plans have.
    (place / "bill.csv").write_text("own")
    assert tulle(*write).returncode == 0
    assert (place / "bill.csv").read_text() == "own"
    refused = tulle(*write, "--prices", "infiniband-edr")
    assert (refused.returncode, (place / "bill.csv").read_text()) == (2, "own")
    assert "bill.csv: tulle did not write this file and would replace it" in refused.stderr
    # A missing file is no change: the next plan has it again.
    (place / "labels.csv").unlink()
    assert tulle(*write).returncode == 0
    assert (place / "labels.csv").is_file()


@pytest.mark.parametrize(
    ("format", "kind"), [("ibdm", "topo"), ("ptm", "topo"), ("netbox", "netbox"), ("ibnetdiscover",) * 2]
)
def test_exports_are_read_back(format: str, kind: str, tmp_path: Path) -> None:
    of = plan()
    for name, text in export(of, format).items():
        (tmp_path / name).write_text(text)
    name = {"ibdm": "plan.topo", "ptm": "topology.dot", "netbox": "netbox.csv", "ibnetdiscover": "plan.ibnet"}[format]
    imported = read_network(kind, [tmp_path / name], ["node-*"] if kind == "netbox" else ())
    assert kind != "netbox" or imported.warnings == ()
    fabric = imported.fabric
    assert (fabric.num_switches, fabric.num_endpoints, fabric.num_cables) == (50, 200, 175)
    found = set()
    ports = fabric.properties["ports"]
    for (a, b), names in zip(fabric.edges.tolist(), ports, strict=True):
        found.add(frozenset([(fabric.labels[a], names[0]), (fabric.labels[b], names[1])]))
    assert found == {frozenset(cable.ends) for cable in of.cables if cable.step}
    again = plan_cabling(library.place(fabric))
    assert {frozenset(cable.ends) for cable in again.cables if cable.step} == found


def test_other_exports() -> None:
    of = plan()
    (table,) = export(of, "ufm").values()
    assert table.splitlines()[:2] == [
        "StartDevice,StartPort,EndDevice,EndPort,State,Domain",
        "sf-s0-r0-i0,1,node-s0-r0-i0-0,1,Active,In-Scope",
    ]
    (text,) = export(of, "sonic").values()
    expected = json.loads(text)
    assert len(expected) == 50
    assert expected["sf-s0-r0-i0"]["DEVICE_NEIGHBOR"]["8"] == {"name": "sf-s1-r1-i0", "port": "8"}
    with pytest.raises(library.errors.InputError, match="legal: csv"):
        export(of, "gexf")
    named = plan_cabling(library.place("slimfly:q=5"), "swp{}")
    assert '"sf-s0-r0-i0":"swp8" -- "sf-s1-r1-i0":"swp8"' in export(named, "ptm")["topology.dot"]
    with pytest.raises(library.errors.InputError, match="not an InfiniBand port"):
        export(named, "ibdm")


def test_given_port_names_are_kept_if_other_ports_have_none(tmp_path: Path) -> None:
    """Check that ports without names get free numbers, also if given names are numbers or match the pattern."""
    (tmp_path / "n.csv").write_text(
        "source,target,source_port,target_port\nleaf1,spine1,swp5,3\nleaf1,spine1,swp9,2\nleaf1,spine1,,\n"
    )
    fabric = library.Fabric(f"file:edges={tmp_path / 'n.csv'},p=2")
    layout = library.place(fabric)
    for pattern, free in (
        ("{}", {"leaf1": "1 2 5", "spine1": "1 4 5"}),
        ("swp{}", {"leaf1": "swp1 swp2 swp6", "spine1": "swp1 swp2 swp5"}),
        ("swp5{}", {"leaf1": "swp51 swp52 swp55", "spine1": "swp51 swp52 swp55"}),
    ):
        cables = plan_cabling(layout, pattern).cables
        found: dict[str, list[str]] = defaultdict(list)
        for cable in cables:
            for name, port in cable.ends:
                found[name].append(port)
        for name, given in (("leaf1", ["swp5", "swp9"]), ("spine1", ["3", "2"])):
            assert sorted(found[name]) == sorted([*given, *free[name].split()])
        assert (("leaf1", "swp5"), ("spine1", "3")) in [cable.ends for cable in cables]
    # Two ports have the first two names of the pattern, so the others get the next ones.
    (tmp_path / "n.csv").write_text("source,target,source_port,target_port\na,b,swp1,swp1\na,b,swp2,swp3\na,b,,\n")
    fabric = library.Fabric(f"file:edges={tmp_path / 'n.csv'},p=1")
    cables = plan_cabling(library.place(fabric), "swp{}").cables
    assert [cable.ends for cable in cables if cable.step] == [
        (("a", "swp1"), ("b", "swp1")),
        (("a", "swp2"), ("b", "swp3")),
        (("a", "swp4"), ("b", "swp4")),
    ]
    assert [cable.ends[0] for cable in cables if not cable.step] == [("a", "swp3"), ("b", "swp2")]
    # The switches have four ports, and port 3 is given, so the last port without a name gets a smaller number.
    (tmp_path / "n.csv").write_text("source,target,source_port,target_port\na,b,3,3\na,b,,\na,b,,\na,b,,\n")
    (tmp_path / "nodes.csv").write_text("node,switch,ports\n,a,4\n,b,4\n")
    fabric = library.Fabric(f"file:edges={tmp_path / 'n.csv'},nodes={tmp_path / 'nodes.csv'}")
    cables = plan_cabling(library.place(fabric)).cables
    assert [cable.ends for cable in cables] == [(("a", port), ("b", port)) for port in "3124"]


@pytest.mark.parametrize(
    ("known", "problem"),
    [
        ({"ports": [("p1", "p1"), ("p1", "p2")]}, "port p1 of switch x has two cables, to y and z"),
        (
            {"ports": [("p1", ""), ("", "")], "endpoint_ports": ["p1", ""]},
            "port p1 of switch x has two cables, to y and h",
        ),
        ({"endpoint_ports": ["n", "n"]}, "port n of switch x has two cables, to h and 1"),
        ({"cable_names": ["c", "c"]}, "two cables are named c: between x and y, and between x and z"),
        ({"ports": [("p1", "p1"), ("", "p1")], "endpoint_ports": ["p2", ""], "cable_names": ["c", ""]}, ""),
    ],
)
def test_two_cables_at_one_port_are_no_plan(known: Any, problem: str) -> None:
    known["endpoint_names"] = ["h", ""]
    fabric = library.Fabric.from_edges([[0, 1], [0, 2]], [0, 0], labels=["x", "y", "z"], properties=known)
    layout = library.place(fabric)
    if problem:
        with pytest.raises(library.InputError, match=f"{problem}; legal: one cable per port"):
            plan_cabling(layout)
    else:
        ends = [end for cable in plan_cabling(layout).cables for end in cable.ends]
        assert len(ends) == len({*ends})


def test_commands_name_the_file_with_two_cables_at_one_port(tmp_path: Path, tulle: Cli) -> None:
    """Check that reading warns, because files of other programs can be like that, and that planning refuses."""
    (tmp_path / "n.csv").write_text("source,target,source_port,target_port\nx,y,p1,p1\nx,z,p1,p2\n")
    done = tulle("fabric", "file:edges=n.csv")
    assert (done.returncode, done.stderr) == (0, "tulle: n.csv: port p1 of switch x has two cables, to y and z\n")
    # `tulle deploy` prints each warning once.
    (tmp_path / "m.csv").write_text("source,target,weight\nx,y,1\n")
    done = tulle("deploy", "linux", "file:edges=m.csv,p=1", "minimal", "-o", "bundle")
    assert (done.returncode, done.stderr) == (0, "tulle: m.csv: column 'weight' is ignored\n")
    done = tulle("cabling", "plan", "file:edges=n.csv", "-o", "plan")
    assert done.returncode == 2
    assert "port p1 of switch x has two cables, to y and z; legal: one cable per port" in done.stderr
    assert not (tmp_path / "plan").exists()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a" * 18, "a" * 18),
        ("a" * 19, "a" * 17 + "…"),
        ("交" * 9, "交" * 9),
        ("交" * 10, "交" * 8 + "…"),
        ("", ""),
    ],
)
def test_names_in_diagrams_fit_their_box(name: str, shown: str) -> None:
    assert diagrams._short(name) == shown
