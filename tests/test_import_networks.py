"""Check imports of networks from the output of devices, from NetBox and from topology files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import tulle
from tulle.cabling import read_network
from tulle.cabling.json_values import read_values
from tulle.cabling.live import read_live
from tulle.cabling.source import Source

if TYPE_CHECKING:
    from conftest import Cli

ROOT = Path(__file__).parent.parent
DATA = Path(__file__).parent / "networks"
CSV = "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name"


def lldp(*ports: tuple[str, str, str], name: str | None = None) -> str:
    """Return output of lldpctl for ports; a port is given by its name, its neighbour and the neighbour's port."""
    interfaces = [
        {
            "name": port,
            "via": "LLDP",
            "chassis": [{"id": [{"type": "mac", "value": "00:01"}], "name": [{"value": neighbour}]}],
            "port": [
                {
                    "id": [{"type": "ifname", "value": other}],
                    "descr": [{"value": other}],
                    "auto-negotiation": [{"current": [{"value": "10GbaseT - Four-pair"}]}],
                }
            ],
        }
        for port, neighbour, other in ports
    ]
    local = [json.dumps({"local-chassis": [{"chassis": [{"name": [{"value": name}]}]}]})] if name else []
    return "\n".join([*local, json.dumps({"lldp": [{"interface": interfaces}]}, indent=1)])


def write_lldp(folder: Path) -> list[Path]:
    files = {
        "leaf1": lldp(("swp1", "spine", "swp1"), ("swp9", "host", "eth0")),
        "leaf2": lldp(("swp1", "spine", "swp2"), ("swp2", "spine", "swp3"), ("swp9", "host", "eth1")),
        "other": lldp(("swp1", "leaf1", "swp1"), ("swp2", "leaf2", "swp1"), ("swp3", "leaf2", "swp2"), name="spine"),
    }
    for name, text in files.items():
        (folder / f"{name}.json").write_text(text)
    return [folder / f"{name}.json" for name in files]


def test_lldp(tmp_path: Path) -> None:
    imported = read_network("lldp", write_lldp(tmp_path))
    fabric = imported.fabric
    assert (fabric.labels, fabric.edges.tolist()) == (("leaf1", "leaf2", "spine"), [[0, 2], [1, 2], [1, 2]])
    assert fabric.properties["ports"] == [("swp1", "swp1"), ("swp1", "swp2"), ("swp2", "swp3")]
    assert (fabric.endpoint_names, fabric.endpoint_ports) == (("host:eth0", "host:eth1"), ("swp9", "swp9"))
    assert set(fabric.link_rate.tolist()) == {10**10}
    several = (
        f"{tmp_path / 'leaf1.json'}: 1 host with several ports is read as one endpoint per port, for example host:eth0"
    )
    assert imported.warnings == (several,)
    (tmp_path / "leaf1.json").write_text(lldp(("swp1", "spine", "swp2")))
    with pytest.raises(
        tulle.FormatError, match=r"leaf1\.json:5:5: port 'swp1' of 'leaf1' has the neighbour 'swp2' of 'spine', whose"
    ):
        read_network("lldp", write_lldp_again(tmp_path))


def write_lldp_again(folder: Path) -> list[Path]:
    return [folder / f"{name}.json" for name in ("leaf1", "leaf2", "other")]


def test_netbox(tmp_path: Path) -> None:
    path = tmp_path / "cables.csv"
    i = "dcim.interface"
    path.write_text(
        f"{CSV},type,length,length_unit,label,colour\n"
        f'leaf1,{i},"swp""1",spine,{i},swp1,smf,10,m,c1,red\nleaf2,{i},swp1,spine,{i},swp2,,,,,\n'
        f"leaf1,{i},swp2,h1,{i},eth0,dac-passive,200,cm,,\nleaf2,dcim.consoleport,c,x,{i},y,,,,,\n"
        f"leaf2,{i},swp2,h2,{i},eth0,,,,,\n"
    )
    imported = read_network("netbox", [path])
    fabric = imported.fabric
    assert (fabric.labels, fabric.endpoint_names) == (("leaf1", "leaf2", "spine"), ("h1", "h2"))
    assert fabric.properties["ports"][0] == ('swp"1', "swp1")
    assert fabric.properties["links"][0] == (None, None, 10_000, "smf")
    assert int(fabric.endpoint_length[0]) == 2000
    assert imported.warnings == (
        f"{path}: column 'colour' is ignored",
        f"{path}: 1 cable with ends that are not interfaces is ignored",
    )
    assert read_network("netbox", [path], ["h1"]).fabric.labels == ("h2", "leaf1", "leaf2", "spine")
    for row, message in (
        (f"a,{i},p,b,{i},q\na,{i},p,c,{i},q", ":3:1: a second cable at port 'p' of 'a'; legal: one cable per port"),
        (f"a,{i},p,b,{i}", ":2:1: the row has 5 values; legal: 6"),
        (f'a,{i},p,"b,{i},q', ":2:20: an unterminated quote"),
    ):
        path.write_text(f"{CSV}\n{row}\n")
        with pytest.raises(tulle.FormatError, match=re.escape(f"cables.csv{message}")):
            read_network("netbox", [path])


TOPO = """MTS3600 S-1
   P1 -4x-10G-> MT23108 H-1 P1
   P2 -4x-10G-> MT23108 H-1 P2
   P24 -4x-14G-> MTS3600 S-2 P3

MTS3600 S-2
   P3 -4x-14G-> MTS3600 S-1 P24
"""


def test_topologies(tmp_path: Path) -> None:
    path = tmp_path / "net.topo"
    path.write_text(TOPO)
    (tmp_path / "MT23108.ibnl").write_text("TOPSYSTEM MT23108\n\nNODE CA 2 MT23108 U1\n1 -4x-> P1\n2 -4x-> P2\n")
    (tmp_path / "MTS3600.ibnl").write_text("TOPSYSTEM MTS3600\n\nNODE SW 36 MT48436 U1\n1 -4x-> P1\n")
    imported = read_network("topo", [path])
    assert (imported.fabric.labels, imported.fabric.endpoint_names) == (("S-1", "S-2"), ("H-1:1", "H-1:2"))
    assert imported.fabric.properties["ports"] == [("24", "3")]
    assert (imported.fabric.link_rate[0], imported.fabric.endpoint_rate[0]) == (56 * 10**9, 40 * 10**9)
    path.write_text(TOPO.replace("S-1 P24", "S-1 P23"))
    with pytest.raises(tulle.FormatError, match=r"net\.topo:7:4: port '3' of 'S-2' has another cable"):
        read_network("topo", [path])
    path = tmp_path / "topology.dot"
    path.write_text(
        'graph G {\n "l1":"swp1" -- "s1":"swp1"\n "l2":"swp1" -- "s1":"swp2"\n "l1":"swp2" -- "h":"eth0"\n'
        ' "l2":"swp2" -- "h2":"eth0"\n}\n'
    )
    fabric = read_network("topo", [path]).fabric
    assert (fabric.labels, fabric.endpoint_names) == (("l1", "l2", "s1"), ("h", "h2"))


def test_import(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "net").write_text((DATA / "two-switches.ibnet").read_text())
    printed = tulle("import", "ibnetdiscover", "net", "-o", "fabric.json", "--json")
    several = "tulle: net: 1 host with several ports is read as one endpoint per port, for example node2 HCA-1:1\n"
    assert (printed.returncode, printed.stderr) == (0, several)
    assert {key: json.loads(printed.stdout)[key] for key in ("switches", "endpoints", "cables")} == {
        "switches": 2,
        "endpoints": 3,
        "cables": 2,
    }
    assert tulle("fabric", "file:edges=fabric.json").returncode == 0
    assert tulle("route", "file:edges=fabric.json", "minimal").returncode == 0
    expected = json.loads((tmp_path / "fabric.json").read_text())
    assert expected["endpoints"][2] == {
        "switch": "sf-s0-r0-i0", "name": "node2 HCA-1:2", "port": "2", "host_port": "2", "rate": "56Gbps",
        "node_guid": "0x5f00000000800100", "port_guid": "0x5f00000000800102", "lid": 12, "lmc": 2, "adapter_port": 2,
    }  # fmt: skip
    printed = tulle("import", "pajek", "net", "-o", "fabric.json")
    assert (printed.returncode, printed.stderr.count("\n")) == (2, 1)


def test_live_ports() -> None:
    ports = read_live("iblinkinfo", [DATA / "iblinkinfo.txt"])
    states = [(port.device, port.port, port.neighbour, port.neighbour_port, port.state) for port in ports]
    assert states == [
        ("node1 HCA-1", "1", "sf-s0-r0-i0", "1", "up"),
        ("sf-s0-r0-i0", "1", "node1 HCA-1", "1", "up"),
        ("sf-s0-r0-i0", "5", "sf-s0-r0-i1", "5", "up"),
        ("sf-s0-r0-i0", "6", None, None, "down"),
        ("sf-s0-r0-i0", "7", None, None, "disabled"),
    ]
    assert [(port.rate, port.best_rate) for port in ports[:3]] == [
        (56 * 10**9, None),
        (56 * 10**9, None),
        (14 * 10**9, 56 * 10**9),
    ]
    assert [port.switch for port in ports] == [False, True, True, True, True]
    ports = read_live("ibnetdiscover", [DATA / "two-switches.ibnet"])
    assert [(port.device, port.port, port.neighbour, port.neighbour_port) for port in ports[:2]] == [
        ("sf-s0-r0-i0", "1", "node1 HCA-1", "1"),
        ("sf-s0-r0-i0", "2", "node2 HCA-1", "2"),
    ]
    assert ports[0].rate == 56 * 10**9


def test_live_ports_line_by_line(tmp_path: Path) -> None:
    """Check the ports that tulle reads from the output of `iblinkinfo -l`: one is up, and one has no cable."""
    path = tmp_path / "links"
    path.write_text(
        '0x5f00000000010700 "                           sw7"      0    8[  ] ==( 4X       14.0625 Gbps Initialize/'
        '  LinkUp)==>  0x5f00000000010f00      0    6[  ] "sw15" (Could be 12X Could be 53.125 Gbps)\n'
        '0x5f00000000010700 "                           sw7"      0    9[  ] ==(                Down/ Polling)==>'
        '             [  ] "" ( )\n'
    )
    up, down = read_live("iblinkinfo", [path])
    assert (up.device, up.port, up.neighbour, up.neighbour_port, up.switch) == ("sw7", "8", "sw15", "6", None)
    assert (up.rate, up.best_rate) == (56 * 10**9, 600 * 10**9)
    assert (down.device, down.port, down.neighbour, down.state) == ("sw7", "9", None, "down")
    path.write_text('Switch 36 "S-1" # "sf" base port 0\n[7] "S-2"[9] # "other" lid 3 4xHDR\n')
    (alone,) = read_live("ibnetdiscover", [path])
    assert (alone.device, alone.port, alone.neighbour, alone.neighbour_port) == ("sf", "7", "other", "9")
    assert alone.rate == 200 * 10**9
    with pytest.raises(
        tulle.InputError, match=r"pajek is not a supported tool; legal: ibnetdiscover, iblinkinfo, lldp"
    ):
        read_live("pajek", [path])


def test_values_of_a_file_have_at_most_64_levels(tmp_path: Path) -> None:
    path = tmp_path / "network.json"
    path.write_text("[" * 64 + "1" + "]" * 64, encoding="utf-8")
    assert len(read_values(Source(path))) == 1
    path.write_text("[" * 65 + "]" * 65, encoding="utf-8")
    with pytest.raises(tulle.FormatError, match="nested too deeply; legal: at most 64 levels"):
        read_values(Source(path))
