"""Import real networks from the output of NetBox, PTM and InfiniBand tools: recognise hosts and plan cabling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx
import pytest

import tulle
from tulle.cabling import plan_cabling, read_live, read_network, read_plan, verify_cabling, write_plan
from tulle.cabling.exports import export
from tulle.errors import InputError

if TYPE_CHECKING:
    from conftest import Cli

    from tulle.cabling.networks import Imported

DATA = Path(__file__).parent / "networks"
FOUR = [("leaf1", "spine1"), ("leaf1", "spine2"), ("leaf2", "spine1"), ("leaf2", "spine2")]


def cables(imported: Imported) -> list[tuple[str, str]]:
    fabric = imported.fabric
    return sorted((fabric.labels[a], fabric.labels[b]) for a, b in fabric.edges.tolist())


def between(fabric: tulle.Fabric, here: str, there: str) -> set[str]:
    """Return the intermediate switches of all shortest paths between two switches."""
    a, b = fabric.labels.index(here), fabric.labels.index(there)
    found = networkx.all_shortest_paths(fabric.to_networkx(), a, b)
    return {fabric.labels[switch] for path in found for switch in path[1:-1]}


# Hosts and switches.


@pytest.mark.parametrize(("kind", "name", "hosts"), [("topo", "dual-homed.dot", 3), ("netbox", "dual-homed.csv", 2)])
def test_a_host_with_two_ports_is_never_transit(kind: str, name: str, hosts: int) -> None:
    imported = read_network(kind, [DATA / name])
    fabric = imported.fabric
    assert (fabric.labels, cables(imported)) == (("leaf1", "leaf2", "spine1", "spine2"), FOUR)
    assert fabric.num_endpoints == hosts
    server = "server1" if kind == "topo" else "srv1"
    assert {f"{server}:eth1", f"{server}:eth2"} <= {*fabric.endpoint_names}
    assert between(fabric, "leaf1", "leaf2") == {"spine1", "spine2"}
    result = [
        line for line in imported.warnings if "1 host with several ports is read as one endpoint per port" in line
    ]
    assert len(result) == 1


def test_a_role_of_a_file_needs_no_guess(tmp_path: Path) -> None:
    path = tmp_path / "t.dot"
    text = (DATA / "dual-homed.dot").read_text()
    path.write_text(
        text.replace('"server1" [function="host"]', '"x" [function="host"]\n"leaf1" [function="leaf"]').replace(
            "server1", "x"
        )
    )
    imported = read_network("topo", [path])
    assert imported.fabric.labels == ("leaf1", "leaf2", "spine1", "spine2")
    assert not [line for line in imported.warnings if "treated as hosts" in line or "function" in line]
    assert imported.fabric.roles == ("leaf", "", "", "")


def rows(*ends: tuple[str, str, str, str]) -> str:
    head = "side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name"
    return "\n".join([head, *(f"{a},dcim.interface,{p},{b},dcim.interface,{q}" for a, p, b, q in ends), ""])


def test_what_marks_a_host(tmp_path: Path) -> None:
    """Check that tulle recognises hosts by their names or port names.

    Any other device with two cables, for example a spine, is a switch.
    """
    path = tmp_path / "c.csv"
    pod = [(leaf, f"u{at}", spine, leaf) for leaf in ("t1", "t2") for at, spine in enumerate(("x1", "x2"))]

    def read(*more: tuple[str, str, str, str], **options: Any) -> Imported:
        path.write_text(rows(*pod, *more))
        return read_network("netbox", [path], **options)

    assert read().fabric.labels == ("t1", "t2", "x1", "x2")
    assert read(("gpu-7", "a", "t1", "d"), ("gpu-7", "b", "t2", "d")).fabric.labels == ("t1", "t2", "x1", "x2")
    assert read(("box", "ens1f0", "t1", "d"), ("box", "ens1f1", "t2", "d")).fabric.labels == ("t1", "t2", "x1", "x2")
    # A device without the name or the port names of a host is a switch, unless --hosts names the device.
    twice = (("box", "a", "t1", "d"), ("box", "b", "t2", "d"))
    assert read(*twice).fabric.labels == ("box", "t1", "t2", "x1", "x2")
    result = read(*twice, hosts=["box"])
    assert (result.fabric.labels, result.fabric.endpoint_names) == (("t1", "t2", "x1", "x2"), ("box:a", "box:b"))
    assert not [line for line in result.warnings if "treated as hosts" in line]
    with pytest.raises(InputError, match=r"no device matches --hosts 'bx\*'; legal: a pattern of the names 'box'"):
        read(*twice, hosts=["bx*"])
    # A device with a cable to a host is a switch, even if it has the name of a server.
    carrier = (("server9", "eth0", "t1", "d"), ("server9", "eth1", "t2", "d"), ("server9", "eth2", "h", "eth0"))
    assert "server9" in read(*carrier).fabric.labels
    # If all ports of a network have names of host ports, as in containerlab, port names do not identify hosts.
    path.write_text(rows(*((a, f"eth{b[-1]}", b, f"eth{a[-1]}") for a in ("r1", "r2") for b in ("q1", "q2"))))
    assert read_network("netbox", [path]).fabric.num_endpoints == 0
    # If all devices have names of servers, they are all switches.
    ring = [(f"node{at}", "eth1", f"node{(at + 1) % 4}", "eth2") for at in range(4)]
    path.write_text(rows(*ring))
    assert (read_network("netbox", [path]).fabric.num_switches, read_network("netbox", [path]).fabric.num_cables) == (
        4,
        4,
    )
    left = read(*twice, ignore=["box"])
    assert (left.fabric.num_switches, left.warnings) == (
        4,
        (f"{path}: 2 cables at ignored devices or ports are left out",),
    )


# NetBox.


@pytest.mark.parametrize("name", ["netbox-panel", "netbox-bare-interface", "netbox-v3.3"])
def test_netbox_examples(name: str) -> None:
    imported = read_network("netbox", [DATA / f"{name}.csv"])
    assert (cables(imported), imported.fabric.num_endpoints, imported.warnings) == (FOUR, 0, ())
    if name == "netbox-v3.3":
        assert imported.fabric.properties["links"][0] == (None, None, 3000, "CAT6a")


def end(kind: str, device: str, port: str, *, version: int) -> Any:
    thing = {"id": 1, "device": {"id": 1, "name": device}, "name": port}
    return thing if version == 3 else [{"object_type": f"dcim.{kind}", "object_id": 1, "object": thing}]


def answer(
    version: int, *links: tuple[tuple[str, str, str], tuple[str, str, str]], status: str = "connected"
) -> dict[str, Any]:
    """Return a response of NetBox's /api/dcim/cables/.

    In version 3, each side of a cable has one termination, as before NetBox 3.3; in version 4, each side has a list of
    terminations.
    """
    results = []
    for number, (a, b) in enumerate(links):
        cable: dict[str, Any] = {"id": number, "type": "smf", "label": f"c{number}", "length": 2.5}
        if version == 3:
            cable |= {"termination_a_type": f"dcim.{a[0]}", "termination_a": end(*a, version=3)}
            cable |= {"termination_b_type": f"dcim.{b[0]}", "termination_b": end(*b, version=3)}
        else:
            cable |= {"a_terminations": end(*a, version=4), "b_terminations": end(*b, version=4)}
        cable |= {
            "status": {"value": status, "label": status.title()},
            "length_unit": {"value": "m", "label": "Meters"},
        }
        results.append(cable)
    return {"count": len(results), "next": None, "previous": None, "results": results}


@pytest.mark.parametrize("version", [3, 4])
def test_netbox_rest(version: int, tmp_path: Path) -> None:
    """Check the import of a cable through a patch panel, devices with roles, a power cable and a planned cable."""
    links = [
        (("interface", "leaf1", "e1"), ("frontport", "pp1", "1")),
        (("rearport", "pp1", "1"), ("interface", "spine1", "e1")),
        *((("interface", a, f"e{b}"), ("interface", b, f"e{a}")) for a, b in FOUR[1:]),
        (("interface", "a7", "p0"), ("interface", "leaf1", "e9")),
        (("interface", "a7", "p1"), ("interface", "leaf2", "e9")),
        (("powerport", "leaf1", "psu"), ("poweroutlet", "pdu", "1")),
    ]
    pages = [
        answer(version, *links),
        answer(version, (("interface", "leaf1", "e7"), ("interface", "leaf2", "e7")), status="planned"),
    ]
    path = tmp_path / "cables.json"
    path.write_text(json.dumps(pages))
    roles = {"leaf1": "Leaf Switch", "spine1": "spine", "a7": "Compute Server"}
    key = "device_role" if version == 3 else "role"
    devices = [
        {"name": name, "device_type": {"model": "x"}, key: {"id": 1, "name": role}} for name, role in roles.items()
    ]
    (tmp_path / "devices.json").write_text(json.dumps({"results": devices}))
    imported = read_network("netbox", [path, tmp_path / "devices.json"])
    assert (cables(imported), imported.fabric.endpoint_names) == (FOUR, ("a7:p0", "a7:p1"))
    assert imported.fabric.roles == ("Leaf Switch", "", "spine", "")
    through = imported.fabric.edges.tolist().index([0, 2])
    assert imported.fabric.properties["links"][through] == (None, None, 5000, "smf")
    assert [line.split(": ", 1)[1] for line in imported.warnings] == [
        "1 cable with ends that are not interfaces is ignored",
        "1 cable that is not connected is ignored",
        "1 host with several ports is read as one endpoint per port, for example a7:p0",
    ]


def panel(*links: str) -> str:
    """Return a NetBox table of cables from texts such as ``leaf1.a - p/1``.

    A separator stands before each port's name: ``.`` for interfaces, ``/`` for front ports, ``\\`` for rear ports.
    """
    lines = ["side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name"]
    for link in links:
        ends = []
        for text in link.split(" - "):
            for mark, kind in (("/", "dcim.frontport"), ("\\", "dcim.rearport"), (".", "dcim.interface")):
                if mark in text:
                    device, port = text.split(mark)
                    ends.append(f"{device},{kind},{port}")
                    break
        lines.append(",".join(ends))
    return "\n".join([*lines, ""])


def test_panels_in_a_row_and_trunks(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    # A path crosses two panels. Each front port has a rear port, and the two ports have different names.
    path.write_text(
        panel(
            "leaf1.a - p/Front 1", "p\\Rear 1 - q\\R1", "q/F1 - spine1.a", "leaf1.b - p/Front 2", "p\\Rear 2 - spine2.a"
        )
    )
    imported = read_network("netbox", [path])
    assert (cables(imported), imported.warnings) == ([("leaf1", "spine1"), ("leaf1", "spine2")], ())
    # The trunk cable between two panels carries two links: each rear port belongs to two front ports.
    trunk = ["leaf1.a - p/1", "leaf2.a - p/2", "p\\T - q\\T", "q/1 - spine1.a", "q/2 - spine1.b"]
    path.write_text(panel(*trunk))
    imported = read_network("netbox", [path])
    assert cables(imported) == [("leaf1", "spine1"), ("leaf2", "spine1")]
    assert imported.fabric.properties["ports"] == [("a", "a"), ("a", "b")]
    # A table of front ports states the position of each front port on its rear port.
    (tmp_path / "f.csv").write_text("Name,Device,Rear port,Position\n1,p,T,2\n2,p,T,1\n1,q,T,1\n2,q,T,2\n")
    crossed = read_network("netbox", [path, tmp_path / "f.csv"])
    assert crossed.fabric.properties["ports"] == [("a", "b"), ("a", "a")]
    # In this network, a trunk cable carries another trunk.
    inner = [
        "leaf1.a - p/1",
        "p\\T - m/1",
        "leaf2.a - p/2",
        "m\\B - n\\B",
        "n/1 - q\\T",
        "q/1 - spine1.a",
        "q/2 - spine1.b",
    ]
    path.write_text(panel(*inner))
    assert read_network("netbox", [path]).fabric.properties["ports"] == [("a", "a"), ("a", "b")]
    # One of the new cables ends at a panel, and two cables form a ring of two panels.
    path.write_text(panel(*trunk, "leaf1.z - p/3", "r/1 - s/1", "r\\1 - s\\1"))
    imported = read_network("netbox", [path])
    assert (imported.fabric.num_cables, imported.warnings) == (
        2, (f"{path}: 3 cables at patch panels lead to no other interface and are left out",)
    )  # fmt: skip


def test_netbox_tables_of_other_columns(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    # The table has the format of NetBox before version 3.3. One side of a cable has two ends, as with a breakout cable.
    path.write_text(
        "ID,Label,Side A,Termination A,Side B,Termination B,Status,Type,Length\n1,,leaf1,e1,spine1,e1,Connected,,\n"
        '2,,leaf2,e1,spine1,"e2,e3",Connected,,\n3,,leaf1,e5,leaf2,e5,Planned,,\n'
    )
    imported = read_network("netbox", [path])
    assert cables(imported) == [("leaf1", "spine1"), ("leaf2", "spine1"), ("leaf2", "spine1")]
    assert imported.fabric.properties["ports"][1:] == [("e1:1", "e2"), ("e1:2", "e3")]
    for header, message in (
        (
            "termination_a_type,termination_a_id,termination_b_type,termination_b_id",
            "the ends have only IDs (termination_a_id)",
        ),
        (
            "ID,Label,Termination A,Termination B,Status",
            "no column 'side_a_device', 'side_a_name', 'side_b_device', 'side_b_name'; legal: ",
        ),
    ):
        path.write_text(f"{header}\n")
        with pytest.raises(tulle.FormatError) as refused:
            read_network("netbox", [path])
        assert message in str(refused.value)


# InfiniBand.


def test_aggregation_nodes_are_no_hosts(tulle: Cli) -> None:
    live = str(DATA / "ib-sharp.txt")
    printed = tulle("import", "ibnetdiscover", live, "-o", "f.json", "--json")
    assert {key: json.loads(printed.stdout)[key] for key in ("switches", "endpoints", "cables")} == {
        "switches": 4, "endpoints": 2, "cables": 4,
    }  # fmt: skip
    assert "4 aggregation nodes (SHARP) are left out" in printed.stderr
    assert printed.stderr.count("\n") == 1
    result = tulle("throughput", "file:edges=f.json", "all-to-all", "--json")
    assert json.loads(result.stdout)["lower"] == pytest.approx(2.0, rel=0.02)
    # The four switches form a cycle. Only two of them have hosts, so one virtual lane is enough.
    result = tulle(
        *("deploy", "infiniband", "file:edges=f.json", "minimal", "--deadlock", "one-vc", "-o", "bundle", "--json")
    )
    assert json.loads(result.stdout)["vls"] == 1
    kept = tulle("import", "ibnetdiscover", live, "-o", "g.json", "--keep-aggregation", "--json")
    assert (json.loads(kept.stdout)["endpoints"], kept.stderr) == (6, "")
    refused = tulle("import", "lldp", live, "-o", "h.json", "--keep-aggregation")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    # The plan has no cables to aggregation nodes, and `verify` does not report these cables as faults.
    assert tulle("cabling", "plan", "file:edges=f.json", "-o", "plan").returncode == 0
    checked = tulle("cabling", "verify", "plan", "--live", live)
    assert (checked.returncode, "4 aggregation nodes (SHARP) are left out" in checked.stderr) == (0, True)


@pytest.mark.parametrize("name", ["ib-managed", "ib-unnamed", "ib-group", "loopback", "two-switches"])
def test_a_plan_of_an_import_is_kept(name: str, tulle: Cli, tmp_path: Path) -> None:
    live = str(DATA / f"{name}.{'ibnet' if name == 'two-switches' else 'txt'}")
    assert tulle("import", "ibnetdiscover", live, "-o", "f.json").returncode == 0
    assert tulle("cabling", "plan", "file:edges=f.json", "-o", "plan").returncode == 0
    for path in (live, "plan/exports/plan.ibnet"):
        checked = tulle("cabling", "verify", "plan", "--live", path)
        assert (checked.returncode, checked.stdout.endswith("all as planned\n")) == (0, True), checked.stdout
    plan = read_plan(tmp_path / "plan")
    write_plan(plan, tmp_path / "again")
    assert read_plan(tmp_path / "again") == plan
    assert all(device.node_guid for device in plan.devices)
    if name == "ib-managed":
        assert [device.known_as for device in plan.devices] == [
            "MF0;leaf01:MQM8700/U1", "MF0;leaf02:MQM8700/U1", "n1 mlx5_0", "n2 mlx5_0",
        ]  # fmt: skip


def test_switches_with_equal_descriptions_are_distinguished_by_guid(tmp_path: Path) -> None:
    fabric = tulle.Fabric(f"file:edges={DATA / 'ib-unnamed.txt'},format=ibnetdiscover")
    plan = plan_cabling(tulle.place(fabric))
    text = (DATA / "ib-unnamed.txt").read_text()
    live = tmp_path / "live.txt"
    # The plugs at the two hosts are swapped.
    records = text.replace('[1]\t"H-0000000000000020"[1](20)', '[1]\t"H-@"').replace(
        '[1]\t"H-0000000000000030"[1](30)', '[1]\t"H-0000000000000020"[1](20)'
    )
    records = records.replace('[1]\t"H-@"', '[1]\t"H-0000000000000030"[1](30)')
    records = (
        records.replace('n1 mlx5_0" lid 3', "@")
        .replace('n2 mlx5_0" lid 4', 'n1 mlx5_0" lid 3')
        .replace("@", 'n2 mlx5_0" lid 4')
    )
    a, b = '[1](20) \t"S-0000000000000010"', '[1](30) \t"S-0000000000000011"'
    records = (
        records.replace(a, '[1](20) \t"S-@')
        .replace(b, '[1](30) \t"S-0000000000000010"')
        .replace('"S-@', '"S-0000000000000011"')
    )
    live.write_text(records)
    faults = verify_cabling(plan, read_live("ibnetdiscover", [live])).miswirings
    assert [fault.kind for fault in faults] == ["swap"]
    # The second plan has no GUIDs, so two live switches with the name of one planned device are an error.
    two = tmp_path / "two.txt"
    two.write_text(text.replace("Quantum Mellanox Technologies", "sw"))
    one = plan_cabling(tulle.place(tulle.Fabric.from_edges([[0, 1]], [0, 1], labels=["sw", "other"])))
    with pytest.raises(tulle.InputError, match=r"2 switches are named 'sw' \(GUIDs 0x0+10, 0x0+11\), but"):
        verify_cabling(one, read_live("ibnetdiscover", [two]))


def test_groups_complaints_and_loops_are_read(tmp_path: Path) -> None:
    def read(path: Path) -> Imported:
        return read_network("ibnetdiscover", [path])

    group = read(DATA / "ib-group.txt")
    assert (group.fabric.labels, group.fabric.endpoint_names) == (("SwA", "SwB"), ("n1 mlx5_0", "n2 mlx5_0"))
    assert group.warnings == ()
    loop = read(DATA / "loopback.txt")
    assert (loop.fabric.num_cables, loop.fabric.num_endpoints) == (1, 1)
    assert [line.split(": ", 1)[1] for line in loop.warnings] == ["1 cable from a switch to itself is left out"]
    path = tmp_path / "x.txt"
    complaint = "ibwarn: [2817] mad_rpc: _do_madrpc failed; dport (DR path slid 0; dlid 0; 0,1,3)\n"
    other = (
        "src/query_smp.c:227; umad (DR path slid 0; dlid 0; 0,1,3 Attr 0x11:0) bad status 110; Connection timed out\n"
    )
    lines = (DATA / "ib-managed.txt").read_text().splitlines(keepends=True)
    path.write_text("".join([complaint, *lines[:2], other, *lines[2:]]))
    assert read(path).fabric.num_cables == 1
    assert "ignored 2 lines of warnings from ibnetdiscover" in read(path).warnings[0]
    assert len(read_live("ibnetdiscover", [path])) == 6
    # Patterns.
    managed = DATA / "ib-managed.txt"
    left = read_network("ibnetdiscover", [managed], ignore=["n2*"])
    assert (left.fabric.num_endpoints, left.fabric.num_cables) == (1, 1)
    assert left.fabric.properties["switch_addresses"][0][0] == 0x10
    host = read_network("ibnetdiscover", [managed], hosts=["MF0;leaf02*"])
    assert (host.fabric.num_switches, host.fabric.endpoint_names) == (1, ("n1 mlx5_0", "MF0;leaf02:MQM8700/U1"))


def test_the_report_of_ports(tmp_path: Path) -> None:
    """Check the import of ``ibnetdiscover -p`` with an unconnected port and an adapter with two ports."""
    path = tmp_path / "p.txt"
    path.write_text(
        "SW     1  1 0x0000000000000010 4x EDR - CA     3  1 0x0000000000000021 ( 'leaf1' - 'n1 HCA-1' )\n"
        "SW     1  2 0x0000000000000010 4x EDR - SW     2  2 0x0000000000000011 ( 'leaf1' - 'leaf2' )\n"
        "SW     1  3 0x0000000000000010 4x SDR                                    'leaf1'\n"
        "CA     3  1 0x0000000000000021 4x EDR - SW     1  1 0x0000000000000010 ( 'n1 HCA-1' - 'leaf1' )\n"
        "CA     4  2 0x0000000000000022 4x EDR - SW     2  1 0x0000000000000011 ( 'n1 HCA-1' - 'leaf2' )\n"
        "SW     2  1 0x0000000000000011 4x EDR - CA     4  2 0x0000000000000022 ( 'leaf2' - 'n1 HCA-1' )\n"
        "SW     2  2 0x0000000000000011 4x EDR - SW     1  2 0x0000000000000010 ( 'leaf2' - 'leaf1' )\n"
    )
    imported = read_network("ibnetdiscover", [path])
    fabric = imported.fabric
    assert (fabric.labels, fabric.endpoint_names, fabric.num_cables) == (
        ("leaf1", "leaf2"),
        ("n1 HCA-1:1", "n1 HCA-1:2"),
        1,
    )
    assert {*fabric.link_rate.tolist()} == {100_000_000_000}
    assert fabric.properties["switch_ports"] == [3, 2]
    plan = plan_cabling(tulle.place(fabric))
    assert verify_cabling(plan, read_live("ibnetdiscover", [path])).agrees
    path.write_text("SW 1 1 0x10 4x EDR - CA 3\n")
    with pytest.raises(tulle.FormatError, match=r"p\.txt:1:1"):
        read_network("ibnetdiscover", [path])


def test_iblinkinfo_forms(tulle: Cli, tmp_path: Path) -> None:
    live = DATA / "iblinkinfo-fdr10.txt"
    printed = tulle(
        "cabling", "verify", str(DATA / "iblinkinfo-plan.json"), "--live", str(live), "--tool", "iblinkinfo"
    )
    assert (printed.returncode, printed.stdout.endswith("all as planned\n")) == (0, True)
    # This output has additional port states, an error line, and a router, whose record begins with "Router".
    more = tmp_path / "more.txt"
    text = live.read_text().replace("LinkUp)==>      20", "LinkUp)(HOQ:16 VL_Stall:7)==>      20")
    router = (
        "Router: 0x0002c90300000090 gw1:\n"
        '      0x0002c90300000091     90    1[  ] ==( 4X 25.78125 Gbps Active/  LinkUp)==>      10    3[  ] "swA" ( )\n'
    )
    more.write_text(f"ibwarn: [12] _do_madrpc: recv failed: Connection timed out\n{text}\n{router}")
    seen = read_live("iblinkinfo", [more])
    assert [(port.device, port.switch) for port in seen][-1] == ("gw1", False)
    assert {port.neighbour_guid for port in seen if port.neighbour == "swA"} == {0x0002C90300000010}
    assert [port.rate for port in seen] == [40_000_000_000, 40_000_000_000, 40_000_000_000, 100_000_000_000]


def test_iblinkinfo_distinguishes_nodes_with_equal_descriptions(tmp_path: Path) -> None:
    """Check that devices with equal names are distinguished in the output of iblinkinfo.

    Switches are identified by the GUIDs in headers and by LIDs, adapters by the GUIDs of their ports.
    """
    text = (DATA / "ib-unnamed.txt").read_text().replace("n1 mlx5_0", "MT4123").replace("n2 mlx5_0", "MT4123")
    dump = tmp_path / "live.txt"
    dump.write_text(text)
    plan = plan_cabling(tulle.place(read_network("ibnetdiscover", [dump]).fabric))
    lines, link, name = [], "4X 53.125 Gbps Active/  LinkUp", "Quantum Mellanox Technologies"
    for switch, other, host in ((0x10, 0x11, 0x20), (0x11, 0x10, 0x30)):
        lines += [
            f'CA: MT4123:\n 0x{host:016x} {host} 1[  ] ==( {link})==> {switch} 1[  ] "{name}" ( )',
            f"Switch: 0x{switch:016x} {name}:",
            f' {switch} 1[  ] ==( {link})==> {host} 1[  ] "MT4123" ( )',
            f' {switch} 2[  ] ==( {link})==> {other} 2[  ] "{name}" ( )',
        ]
    live = tmp_path / "links.txt"
    live.write_text("\n".join(lines))
    assert verify_cabling(plan, read_live("iblinkinfo", [live]), tool="iblinkinfo").agrees
    wrong = "\n".join(lines).replace("==> 32 1", "==> @").replace("==> 48 1", "==> 32 1").replace("==> @", "==> 48 1")
    wrong = wrong.replace("==> 16 1", "==> @").replace("==> 17 1", "==> 16 1").replace("==> @", "==> 17 1")
    live.write_text(wrong)
    faults = verify_cabling(plan, read_live("iblinkinfo", [live]), tool="iblinkinfo").miswirings
    assert [fault.kind for fault in faults] == ["swap"]


# Topologies.


def test_types_of_systems_are_names_of_files(tulle: Cli, tmp_path: Path) -> None:
    for kind in ("a/b", "x" * 300, "../../etc/passwd"):
        (tmp_path / "t.topo").write_text(f"{kind} S-1\n   P1 -4x-10G-> {kind} S-2 P1\n")
        printed = tulle("import", "topo", "t.topo", "-o", "f.json")
        assert (printed.returncode, printed.stdout, printed.stderr.count("\n")) == (2, "", 1)
        assert printed.stderr.startswith("tulle: t.topo:1:1: invalid type '")
        assert len(printed.stderr) < 250
    (tmp_path / "t.topo").write_text(f"SW S-1\n   P1 -4x-10G-> SW {'y' * 300} P1\n")
    printed = tulle("import", "topo", "t.topo", "-o", "f.json")
    assert (printed.returncode, printed.stderr.count("\n"), (tmp_path / "f.json").exists()) == (2, 1, False)


def test_a_cable_that_one_end_alone_knows_of_is_imported_with_a_line(tmp_path: Path) -> None:
    plan = plan_cabling(tulle.place("slimfly:q=5"))
    text = export(plan, "ibnetdiscover")["plan.ibnet"]
    dump = tmp_path / "dump.txt"
    dump.write_text(text)
    whole = read_network("ibnetdiscover", [dump])
    assert whole.warnings == ()
    line = next(line for line in text.splitlines(keepends=True) if line.startswith("[9]"))
    dump.write_text(text.replace(line, "", 1))
    imported = read_network("ibnetdiscover", [dump])
    assert imported.fabric.num_cables == whole.fabric.num_cables == 175
    (result,) = imported.warnings
    assert result.startswith(f"{dump}: 1 cable is reported by one end only: port 9 of 'sf-s0-r0-i0' does not report")
    # An ignored device does not cause a second warning of this kind.
    ignored = read_network("ibnetdiscover", [dump], ignore=["node-s0-r0-i0-0"])
    assert sum("by one end only" in warning for warning in ignored.warnings) == 1
