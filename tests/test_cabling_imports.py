"""Test cabling plans and layouts of imported networks: they keep known cable properties, and hosts have named ports."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tulle.cabling import plan_cabling, read_network, read_plan, write_plan
from tulle.cabling.exports import export
from tulle.design import place

if TYPE_CHECKING:
    from conftest import Cli

DATA = Path(__file__).parent / "networks"
HEAD = "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,length,length_unit\n"
ROW = "{},dcim.interface,{},{},dcim.interface,{},{},{},{}\n"


@pytest.fixture
def netbox(tmp_path: Path) -> Path:
    """Import a NetBox export of four switches, a dual-homed server and a single-homed server.

    Only some cables have a length or a type.
    """
    rows = [
        ("leaf1", "e1", "spine1", "e1", "smf-os2", 30, "m"),
        ("leaf1", "e2", "spine2", "e1", "", 7, "m"),
        ("leaf2", "e1", "spine1", "e2", "mmf-om4", "", ""),
        ("leaf2", "e2", "spine2", "e2", "", "", ""),
        ("server1", "eth0", "leaf1", "e10", "dac-passive", 250, "cm"),
        ("server1", "eth1", "leaf2", "e10", "", "", ""),
        ("server2", "eth0", "leaf2", "e11", "", "", ""),
    ]
    (tmp_path / "netbox.csv").write_text(HEAD + "".join(ROW.format(*row) for row in rows))
    read_network("netbox", [tmp_path / "netbox.csv"]).fabric.write(tmp_path / "f.json")
    return tmp_path / "f.json"


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_known_lengths_and_media_stay(tmp_path: Path, tulle: Cli, netbox: Path) -> None:
    spec = f"file:edges={netbox}"
    printed = tulle("cabling", "plan", spec, "-o", "plan", "--prices", "fatpaths-100gbe", "--json")
    assert json.loads(printed.stdout)["lengths"] == {"known": 3, "estimated": 4}
    cables = {(row["from"], row["from_port"]): row for row in rows(tmp_path / "plan" / "cables.csv")}
    result = {end: (row["length_mm"], row["medium"]) for end, row in cables.items()}
    assert result["leaf1", "e1"] == ("30000", "smf-os2")
    # At this rate, a copper cable of seven metres does not exist, so the plan uses fibre.
    assert result["leaf1", "e2"] == ("7000", "fibre")
    assert result["leaf2", "e1"][1] == "mmf-om4"
    assert result["leaf1", "e10"] == ("2500", "dac-passive")
    assert result["leaf2", "e11"][1] == "copper"
    # The bill contains the known fibre cable of 30 m.
    sizes = [(row["item"], row["size"]) for row in rows(tmp_path / "plan" / "bill.csv")]
    assert any(item == "fibre" and size.startswith("30 m") for item, size in sizes), sizes
    shown = tulle("cabling", "plan", spec, "-o", "plan").stdout
    assert "3 known, 4 estimated from the floor" in shown
    netbox_rows = rows(tmp_path / "plan" / "exports" / "netbox.csv")
    kinds = {(row["side_a_device"], row["side_a_name"]): (row["type"], row["length"]) for row in netbox_rows}
    assert kinds["leaf1", "e1"] == ("smf-os2", "30")
    assert kinds["leaf1", "e10"] == ("dac-passive", "2.5")
    # The layout lists the same cables as the plan, and writes known values unchanged.
    laid = json.loads(tulle("layout", spec, "--json", "--cables", "c.csv", "--write", "l.json").stdout)
    assert laid["lengths"] == {"known": 3, "estimated": 4}
    by_end = {(row["from"], row["to"], row["to_port"]): row for row in rows(tmp_path / "c.csv")}
    assert by_end["leaf1", "server1", "eth0"]["length_mm"] == "2500"
    links = json.loads((tmp_path / "l.json").read_text())["cables"]
    assert ("30m", "smf-os2") in {(link["length"], link["medium"]) for link in links}


def test_a_plan_of_a_family_estimates_all(tulle: Cli) -> None:
    laid = json.loads(tulle("layout", "slimfly:q=5", "--json").stdout)
    assert laid["lengths"] == {"known": 0, "estimated": 375}
    result = json.loads(
        tulle("cabling", "plan", "clique:degree=3", "-o", "p", "--link", "all:length=4m", "--json").stdout
    )
    assert result["lengths"]["estimated"] == 0


def test_exports_name_devices_and_ports_as_the_site_does(tmp_path: Path, tulle: Cli, netbox: Path) -> None:
    assert tulle("cabling", "plan", f"file:edges={netbox}", "-o", "plan").returncode == 0
    plan = read_plan(tmp_path / "plan")
    hosts = {"server1": ("eth0", "eth1"), "server2": ("eth0",)}
    assert plan.endpoint_ports == hosts
    ends = {(host, port) for host, ports in hosts.items() for port in ports}
    folder = tmp_path / "plan"
    assert {(row["to"], row["to_port"]) for row in rows(folder / "cables.csv") if row["step"] == "endpoints"} == ends
    labels = [row["text"] for row in rows(folder / "labels.csv")]
    assert any(text.endswith("server1:eth0") for text in labels)
    assert not any(":eth0:" in text or ":eth1:" in text for text in labels)
    exported = {(row["side_b_device"], row["side_b_name"]) for row in rows(folder / "exports" / "netbox.csv")}
    assert ends <= exported
    neighbours = json.loads((folder / "exports" / "lldp-neighbours.json").read_text())
    assert neighbours["leaf1"]["DEVICE_NEIGHBOR"]["e10"] == {"name": "server1", "port": "eth0"}
    assert '"leaf2":"e10" -- "server1":"eth1"' in (folder / "exports" / "topology.dot").read_text()
    # The host with two ports is a single device.
    assert len([device for device in plan.devices if device.name == "server1"]) == 1
    # The exported files, imported again, give the same network.
    again = read_network("netbox", [folder / "exports" / "netbox.csv"]).fabric
    assert {*again.endpoint_names} == {"server1:eth0", "server1:eth1", "server2"}
    again = read_network("topo", [folder / "exports" / "topology.dot"], hosts=["server*"]).fabric
    assert {*again.endpoint_names} == {"server1:eth0", "server1:eth1", "server2"}


def lldp(path: Path, neighbours: dict[str, tuple[str, str]]) -> None:
    found = [
        {port: {"via": "LLDP", "chassis": {name: {}}, "port": {"id": {"type": "ifname", "value": other}}}}
        for port, (name, other) in neighbours.items()
    ]
    path.write_text(json.dumps({"lldp": {"interface": found}}))


def test_verify_matches_devices_and_ports_of_the_site(tmp_path: Path, tulle: Cli, netbox: Path) -> None:
    assert tulle("cabling", "plan", f"file:edges={netbox}", "-o", "plan").returncode == 0
    neighbours = json.loads((tmp_path / "plan" / "exports" / "lldp-neighbours.json").read_text())
    live = []
    for device, rows in neighbours.items():
        announced = {port: (end["name"], end["port"]) for port, end in rows["DEVICE_NEIGHBOR"].items()}
        lldp(tmp_path / f"{device}.json", announced)
        live.append(f"{device}.json")
    assert "all as planned" in tulle("cabling", "verify", "plan", "--live", *live).stdout
    # At the server, the plugs of its two cables are swapped.
    swapped = {port: (end["name"], end["port"]) for port, end in neighbours["leaf1"]["DEVICE_NEIGHBOR"].items()}
    swapped["e10"] = ("server1", "eth1")
    lldp(tmp_path / "leaf1.json", swapped)
    swapped = {port: (end["name"], end["port"]) for port, end in neighbours["leaf2"]["DEVICE_NEIGHBOR"].items()}
    swapped["e10"] = ("server1", "eth0")
    lldp(tmp_path / "leaf2.json", swapped)
    result = tulle("cabling", "verify", "plan", "--live", *live)
    assert result.returncode == 1
    assert "server1 port eth0" in result.stdout
    assert "server1:eth" not in result.stdout


def test_the_places_of_an_imported_network_are_a_proposal(tmp_path: Path, tulle: Cli) -> None:
    (tmp_path / "net.csv").write_text("a,b\nleaf1,spine1\nleaf2,spine1\n")
    made = tulle("cabling", "plan", "file:edges=net.csv", "-o", "plan")
    assert "file:edges=net.csv,p=0 has no racks, so racks, rack units" in made.stderr
    assert "places     proposed" in made.stdout
    plan = read_plan(tmp_path / "plan")
    assert plan.proposed_places
    assert "Racks and rack units are a proposal" in (tmp_path / "plan" / "README.md").read_text()
    ports = {end: name for cable in plan.cables for end, name in zip(cable.ends, cable.ends[::-1], strict=True)}
    rows = [f"{one[0]},{one[1]},{two[0]},{two[1]}" for one, two in ports.items() if one < two]
    (tmp_path / "live.csv").write_text("\n".join(["from,from_port,to,to_port", *rows[1:], ""]))
    found = tulle("cabling", "verify", "plan", "--live", "live.csv")
    assert found.returncode == 1
    assert " proposed for rack0 U" in found.stdout
    # Racks of a family are part of the plan.
    assert "places     planned" in tulle("cabling", "plan", "clique:degree=3", "-o", "other").stdout
    text = (tmp_path / "plan" / "plan.json").read_text().replace('"places": "proposed"', '"places": 1')
    (tmp_path / "plan" / "plan.json").write_text(text)
    assert "unknown places; legal: proposed" in tulle("cabling", "verify", "plan", "--live", "live.csv").stderr


def test_adapters_of_several_ports_keep_their_guids(tmp_path: Path, tulle: Cli) -> None:
    """Check that plans and exports treat an HCA with two ports as one device with one GUID per port."""
    imported = read_network("ibnetdiscover", [DATA / "two-switches.ibnet"])
    names = imported.fabric.endpoint_names
    assert {"node2 HCA-1:1", "node2 HCA-1:2"} <= {*names}
    plan = plan_cabling(place(imported.fabric))
    assert plan.endpoint_ports["node2-HCA-1"] == ("1", "2")
    assert dict(plan.device["node2-HCA-1"].port_guids) == {"1": 0x5F00000000800101, "2": 0x5F00000000800102}
    write_plan(plan, tmp_path / "plan")
    assert read_plan(tmp_path / "plan") == plan
    net = export(plan, "ibnetdiscover")["plan.ibnet"]
    (tmp_path / "now").write_text(net)
    again = read_network("ibnetdiscover", [tmp_path / "now"]).fabric
    assert {*again.endpoint_names} == {*names}
    assert again.properties["endpoint_addresses"][0][:2] == imported.fabric.properties["endpoint_addresses"][0][:2]
    result = tulle("cabling", "verify", "plan", "--live", str(DATA / "two-switches.ibnet"))
    assert "all as planned" in result.stdout, result.stdout + result.stderr


def test_the_readme_of_an_ethernet_plan_lists_its_files(tmp_path: Path, tulle: Cli, netbox: Path) -> None:
    assert tulle("cabling", "plan", f"file:edges={netbox}", "-o", "plan").returncode == 0
    text = (tmp_path / "plan" / "README.md").read_text()
    assert "4 switches and 3 endpoints of 2 hosts in 1 rack, 7 cables." in text
    assert "ibnetdiscover" not in text
    assert "IBDM" not in text
    assert "lldpctl" in text
    assert tulle("cabling", "plan", "slimfly:q=5", "-o", "sf").returncode == 0
    text = (tmp_path / "sf" / "README.md").read_text()
    assert "50 switches and 200 endpoints in 5 racks, 375 cables." in text
    assert "ibnetdiscover > now.txt" in text
    assert "ibnetdiscover and ibsim, IBDM, PTM, NetBox, UFM, SONiC" in text


def test_a_panel_in_the_table_view_names_the_import_form(tmp_path: Path, tulle: Cli) -> None:
    (tmp_path / "view.csv").write_text(
        "ID,Termination A,Termination B,Device A,Device B,Status\n"
        "1,e1,1,leaf1,panel1,Connected\n2,1,1,panel1,panel2,Connected\n3,1,e1,panel2,spine1,Connected\n"
    )
    result = tulle("import", "netbox", "view.csv", "-o", "f.json")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "a second cable at port '1' of 'panel1', maybe a patch panel" in result.stderr
    assert "legal: the import form with side_a_type and side_b_type, or JSON" in result.stderr
