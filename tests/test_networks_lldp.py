"""Check imports of LLDP output: tulle finds each cable and device once, however neighbours announce themselves."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tulle
from tulle.cabling import read_live, read_network, read_plan, verify_cabling
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conftest import Cli

    from tulle.cabling import Verdict
    from tulle.cabling.networks import Imported

FUZZ = int(os.environ.get("TULLE_FUZZ", "60"))
DATA = Path(__file__).parent / "networks"


def files(name: str) -> list[Path]:
    return sorted((DATA / name).glob("*.json"))


def shape(imported: Imported) -> tuple[Any, ...]:
    """Return the properties in which all forms of LLDP files must agree."""
    fabric = imported.fabric
    cables = [
        sorted([(fabric.labels[a], ports[0]), (fabric.labels[b], ports[1])])
        for (a, b), ports in zip(fabric.edges.tolist(), fabric.properties["ports"], strict=True)
    ]
    at = [fabric.labels[switch] for switch in fabric.endpoint_switch.tolist()]
    return fabric.labels, sorted(cables), sorted(zip(fabric.endpoint_names, at, fabric.endpoint_ports, strict=True))


@pytest.mark.parametrize("name", ["lldp-alias", "lldp-fqdn", "lldp-json"])
def test_examples(name: str, tulle: Cli) -> None:
    paths = [str(path) for path in files(name)]
    printed = tulle("import", "lldp", *paths, "-o", "x.json", "--json")
    found = json.loads(printed.stdout)
    assert (found["switches"], found["endpoints"], found["cables"]) == (4, 1, 4)
    result = tulle("analyze", "file:edges=x.json", "connectivity", "--json")
    assert json.loads(result.stdout)["edge_connectivity"] == 2
    imported = read_network("lldp", paths)
    assert shape(imported) == (
        ("l1", "l2", "s1", "s2"),
        [
            [("l1", "Ethernet0"), ("s1", "Ethernet0")],
            [("l1", "Ethernet4"), ("s2", "Ethernet0")],
            [("l2", "Ethernet0"), ("s1", "Ethernet4")],
            [("l2", "Ethernet4"), ("s2", "Ethernet4")],
        ],
        [("h1", "l1", "Ethernet8")],
    )
    shared = [line for line in imported.warnings if "shared segment" in line]
    assert len(shared) == (name == "lldp-json")
    if shared:
        assert "4 ports have several neighbours each" in shared[0]
        assert "12 neighbours at these ports are left out" in shared[0]
    printed = tulle("cabling", "verify", str(DATA / "lldp-plan.json"), "--live", *paths)
    assert printed.returncode == 0
    assert printed.stdout.endswith("all as planned\n")


@pytest.mark.parametrize("name", ["lldp-alias", "lldp-fqdn", "lldp-json"])
@pytest.mark.parametrize("gone", ["l2", "s1", "s2"])
def test_without_the_file_of_a_switch_its_cables_are_kept(name: str, gone: str) -> None:
    imported = read_network("lldp", [path for path in files(name) if path.stem != gone])
    fabric = imported.fabric
    full = f"{gone}.pod1.example.net" if name == "lldp-fqdn" else gone
    assert (sorted(fabric.labels), fabric.num_cables) == (sorted({"l1", "l2", "s1", "s2"} - {gone} | {full}), 4)
    assert fabric.endpoint_names == ("h1",)
    message = "1 device without a file is read as a switch, because it announces its ports like"
    assert any(message in line for line in imported.warnings)


# The following tests import a network with parallel cables; they vary the port ids and file formats of LLDP output.

CABLES = [
    (("leaf1", 0), ("spine1", 0)),
    (("leaf1", 4), ("spine1", 4)),
    (("leaf1", 8), ("spine2", 0)),
    (("leaf2", 0), ("spine1", 8)),
    (("leaf2", 4), ("spine2", 8)),
    (("leaf2", 8), ("spine2", 4)),
]
HOSTS = [("leaf1", 12, "node1", "eth0"), ("leaf1", 16, "node2", "eth0"), ("leaf2", 12, "node2", "eth1")]
SWITCHES = ("leaf1", "leaf2", "spine1", "spine2")
End = tuple[str, int]
RIGHT = (
    SWITCHES,
    sorted(sorted((name, f"Ethernet{port}") for name, port in cable) for cable in CABLES),
    sorted(
        ("node1" if host == "node1" else f"{host}:{own}", switch, f"Ethernet{port}")
        for switch, port, host, own in HOSTS
    ),
)


def alias(port: int) -> str:
    return f"etp{port // 4 + 1}"


def announced(end: End, how: str) -> tuple[str, str, str]:
    """Return a port's LLDP announcement: the type of the port ID, the port ID, and the port description."""
    name, port = end
    real = f"Ethernet{port}"
    return {
        "ifname": ("ifname", real, "to somewhere"),
        "alias": ("local", alias(port), real),
        "told": ("local", alias(port), "to somewhere"),
        "swapped": ("ifalias", real, alias(port)),
        "mac": ("mac", f"02:00:00:00:{sorted(SWITCHES).index(name):02x}:{port:02x}", real),
    }[how]


def interface(port: str, system: str, chassis: str, behind: tuple[str, str, str], form: str) -> dict[str, Any]:
    kind, identity, described = behind
    if form == "json0":
        return {
            "name": port,
            "via": "LLDP",
            "chassis": [{"id": [{"type": "mac", "value": chassis}], "name": [{"value": system}]}],
            "port": [{"id": [{"type": kind, "value": identity}], "descr": [{"value": described}]}],
        }
    about = {"id": {"type": "mac", "value": chassis}}
    return {
        port: {
            "via": "LLDP",
            "chassis": {system: about},
            "port": {"id": {"type": kind, "value": identity}, "descr": described},
        }
    }


def wrapped(interfaces: list[dict[str, Any]], form: str) -> dict[str, Any]:
    if form == "json0":
        return {"lldp": [{"interface": interfaces}]}
    return {"lldp": {"interface": interfaces[0] if len(interfaces) == 1 else interfaces}}


def own_names(switch: str, form: str) -> dict[str, Any]:
    """Return a switch's output of `lldpcli show interfaces`, which lists its own port names."""
    ports = sorted({port for cable in CABLES for name, port in cable if name == switch})
    inside: dict[str, Any] = {}
    listed = []
    for port in ports:
        result = {"id": {"type": "local", "value": alias(port)}, "descr": "to somewhere"}
        inside[f"Ethernet{port}"] = {"status": "RX and TX", "chassis": {switch: {}}, "port": result}
        listed.append(
            {
                "name": f"Ethernet{port}",
                "status": [{"value": "RX and TX"}],
                "chassis": [{"name": [{"value": switch}]}],
                "port": [{"id": [{"type": "local", "value": alias(port)}], "descr": [{"value": "to somewhere"}]}],
            }
        )
    return (
        {"lldp": [{"interface": listed}]}
        if form == "json0"
        else {"lldp": {"interface": [{k: v} for k, v in inside.items()]}}
    )


def all_speak(silent: dict[int, int]) -> bool:
    """Return whether each switch sees a neighbour; the port names of a switch without neighbours are unknown."""
    result = {cable[side][0] for row, cable in enumerate(CABLES) for side in (0, 1) if silent.get(row) != side}
    return result == {*SWITCHES}


@st.composite
def ways(draw: st.DrawFn) -> dict[str, Any]:
    """Generate a random form of the network's LLDP output: port ids, system names, file formats and file order."""
    return {
        "how": {name: draw(st.sampled_from(["ifname", "alias", "told", "swapped", "mac"])) for name in SWITCHES},
        "full": {name: draw(st.booleans()) for name in (*SWITCHES, "node2")},
        "form": draw(st.sampled_from(["json0", "json"])),
        "names": draw(st.sampled_from(["show interfaces", "port_config", "config_db", "one file"])),
        "silent": draw(st.dictionaries(st.integers(0, len(CABLES) - 1), st.integers(0, 1)).filter(all_speak)),
        "order": draw(st.permutations(SWITCHES)),
    }


def write(folder: Path, way: dict[str, Any], cables: Sequence[tuple[End, End]] = CABLES) -> list[Path]:
    """Write the LLDP files of the network in the form `way`; return their paths."""

    def system(name: str) -> str:
        return f"{name}.pod1.example.net" if way["full"].get(name) else name

    announcements: dict[str, list[dict[str, Any]]] = {name: [] for name in SWITCHES}
    for row, cable in enumerate(cables):
        for side, (here, there) in enumerate((cable, cable[::-1])):
            if way["silent"].get(row) != side:
                chassis = f"02:00:00:00:00:{SWITCHES.index(there[0]):02x}"
                behind = announced(there, way["how"][there[0]])
                port = f"Ethernet{here[1]}"
                announcements[here[0]].append(interface(port, system(there[0]), chassis, behind, way["form"]))
    for switch, number, host, own in HOSTS:
        behind = ("mac", f"0a:00:00:00:{number:02x}:{int(host[4:]):02x}", own)
        chassis = f"0a:00:00:00:00:{int(host[4:]):02x}"
        # Only in the file of leaf2, a host can have its full name; in the files of all other switches, it has its short
        # name.
        message = system(host) if switch == "leaf2" else host
        announcements[switch].append(interface(f"Ethernet{number}", message, chassis, behind, way["form"]))
    paths = []
    for name in way["order"]:
        path = folder / f"{name}.json"
        path.write_text(json.dumps(wrapped(announcements[name], way["form"])))
        paths.append(path)
        if way["how"][name] != "told":
            continue
        if way["names"] == "show interfaces":
            path.write_text(f"{path.read_text()}\n{json.dumps(own_names(name, way['form']))}")
        elif way["names"] == "port_config":
            paths.append(port_config(folder / f"{name}.port_config.ini"))
        elif way["names"] == "config_db":
            paths.append(folder / f"{name}.config_db.json")
            table = {f"Ethernet{port}": {"alias": alias(port), "lanes": "1"} for port in range(0, 20, 4)}
            paths[-1].write_text(json.dumps({"PORT": table}))
        elif not (folder / "port_config.ini").exists():
            paths.append(port_config(folder / "port_config.ini"))
    return paths


def port_config(path: Path) -> Path:
    rows = [f"Ethernet{port}  1,2,3,4  {alias(port)}  {port // 4}  100000" for port in range(0, 20, 4)]
    path.write_text("\n".join(["# name  lanes  alias  index  speed", *rows, ""]))
    return path


@settings(max_examples=FUZZ, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(way=ways())
def test_every_way_of_announcing_is_the_same_network(
    way: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    paths = write(tmp_path_factory.mktemp("lldp"), way)
    imported = read_network("lldp", paths)
    assert shape(imported) == RIGHT
    one_sided = [line for line in imported.warnings if "by one end only" in line]
    count = len(way["silent"])
    cables = "1 cable between switches is" if count == 1 else f"{count} cables between switches are"
    assert one_sided == ([f"{cables} reported by one end only"] if count else [])
    assert sum("1 host with several ports is read as one endpoint per port" in line for line in imported.warnings) == 1


def test_a_plan_of_every_way_is_kept(tmp_path: Path) -> None:
    """Check that the cabling plan of an imported network agrees with the imported files.

    After two plugs have been swapped, the plan must not agree with the network.
    """
    for number, how in enumerate(["ifname", "alias", "told", "mac"]):
        folder = tmp_path / how
        folder.mkdir()
        way = {
            "how": dict.fromkeys(SWITCHES, how),
            "full": dict.fromkeys((*SWITCHES, "node2"), number % 2 == 0),
            "form": "json",
            "names": "port_config",
            "silent": {},
            "order": SWITCHES,
        }
        paths = write(folder, way)
        fabric = read_network("lldp", paths).fabric
        plan = tulle.cabling.plan_cabling(tulle.place(fabric))
        assert verify(plan, paths).agrees
        # The switch spine1 has no file, but its neighbours report all its cables.
        assert verify(plan, [path for path in paths if not path.name.startswith("spine1")]).agrees
        # The plugs at Ethernet0 and Ethernet4 of leaf2 are swapped.
        wrong = [*CABLES[:3], (("leaf2", 4), ("spine1", 8)), (("leaf2", 0), ("spine2", 8)), CABLES[5]]
        paths = write(folder, way, wrong)
        assert [miswiring.kind for miswiring in verify(plan, paths).miswirings] == ["swap"], how


def verify(plan: Any, paths: Sequence[Path]) -> Verdict:
    return verify_cabling(plan, read_live("lldp", paths), tool="lldp")


def entry(
    port: str, system: str, other: str, *, kind: str = "ifname", chassis: str = "", caps: Any = None, **more: str
) -> Any:
    """Return an interface with its neighbour, in the format of lldpctl's option json0."""
    about: dict[str, Any] = {"name": [{"value": system}]} if system else {}
    if chassis:
        about["id"] = [{"type": "mac", "value": chassis}]
    if caps is not None:
        about["capability"] = [
            {"type": name, "enabled": name in caps} for name in ("Bridge", "Router", "Wlan", "Station")
        ]
    behind = {"id": [{"type": kind, "value": other}]}
    if "descr" in more:
        behind["descr"] = [{"value": more["descr"]}]
    return {"name": port, "via": more.get("via", "LLDP"), "chassis": [about], "port": [behind]}


def put(folder: Path, **devices: list[Any]) -> list[Path]:
    paths = []
    for name, entries in devices.items():
        paths.append(folder / f"{name.replace('_', '.')}.json")
        paths[-1].write_text(json.dumps({"lldp": [{"interface": entries}]}))
    return paths


def test_abbreviated_ports_are_the_same(tmp_path: Path) -> None:
    """Check that abbreviated and full port names, as NX-OS, IOS and EOS print them, are the same port."""
    for short, full in (
        ("Eth1/47", "Ethernet1/47"),
        ("Et47", "Ethernet47"),
        ("Gi0/1", "GigabitEthernet0/1"),
        ("Te1/1/2", "TenGigabitEthernet1/1/2"),
        ("Hu0/0/0/1", "HundredGigE0/0/0/1"),
        ("Fo1/0/3", "FortyGigabitEthernet1/0/3"),
        ("Twe1/0/1", "TwentyFiveGigE1/0/1"),
    ):
        paths = put(tmp_path, a=[entry("p1", "b", short)], b=[entry(full, "a", "p1")])
        imported = read_network("lldp", paths)
        assert imported.fabric.properties["ports"] == [("p1", full)]
        assert imported.warnings == ()
    # Linux's eth0 and SONiC's Ethernet0 are different ports.
    paths = put(
        tmp_path,
        a=[entry("swp1", "b", "eth0"), entry("swp2", "b", "Ethernet0")],
        b=[entry("eth0", "a", "swp1"), entry("Ethernet0", "a", "swp2")],
    )
    assert read_network("lldp", paths).fabric.properties["ports"] == [("swp1", "eth0"), ("swp2", "Ethernet0")]


def test_names_that_several_devices_may_have_are_refused(tmp_path: Path) -> None:
    rows = [entry("p1", "leaf", "p9")]
    paths = put(tmp_path, leaf_a_net=[entry("p9", "spine", "p1")], leaf_b_net=[entry("p9", "spine", "p2")], spine=rows)
    with pytest.raises(tulle.FormatError, match=r"spine.*device 'leaf' may mean 'leaf\.a\.net' or 'leaf\.b\.net'"):
        read_network("lldp", paths)
    paths = put(
        tmp_path, spine=[entry("p1", "leaf.a", "p9"), entry("p2", "leaf.b", "p9")], leaf=[entry("p9", "spine", "p1")]
    )
    with pytest.raises(
        tulle.FormatError, match=r"device 'leaf' may mean 'leaf\.a' or 'leaf\.b'; legal: the name of one device"
    ):
        read_network("lldp", paths)
    # Device names may be shortened at the first dot, but IP addresses may not.
    paths = put(tmp_path, spine=[entry("p1", "10.0.0.1", "a"), entry("p2", "10.0.0.2", "a")])
    assert read_network("lldp", paths).fabric.endpoint_names == ("10.0.0.1", "10.0.0.2")


def test_segments_protocols_and_loopbacks(tmp_path: Path) -> None:
    """Check that tulle leaves out neighbours on shared segments.

    A neighbour that two discovery protocols report counts once.
    """
    paths = put(
        tmp_path,
        a=[
            entry("eth0", "b", "eth0"),
            entry("p1", "b", "p1"),
            entry("p1", "b", "Ethernet 1", via="CDPv2"),
            entry("p7", "a", "p8"),
            entry("p8", "a", "p7"),
        ],
        b=[entry("eth0", "a", "eth0"), entry("eth0", "c", "eth0"), entry("p1", "a", "p1")],
    )
    imported = read_network("lldp", paths)
    assert (imported.fabric.num_cables, imported.fabric.num_endpoints) == (1, 0)
    assert [line for line in imported.warnings if "neighbour" in line] == [
        "1 port has several neighbours each, because it is on a shared segment (eth0 of b): 3 neighbours at these "
        "ports are left out",
        "2 ports have their own device as neighbour: loopback cables are left out",
    ]
    imported = read_network("lldp", paths, ignore=["eth*", "p7", "p8"])
    assert (imported.fabric.num_cables, imported.warnings) == (1, ())


def test_capabilities_identify_switches_without_files_and_hosts_with_files(tmp_path: Path) -> None:
    paths = put(
        tmp_path,
        l1=[entry("p1", "s1", "p1", caps=["Bridge", "Router"]), entry("p9", "srv", "e1", caps=["Station"])],
        l2=[entry("p1", "s1", "p2", caps=["Bridge", "Router"]), entry("p9", "srv", "e2", caps=["Station"])],
        srv=[entry("e1", "l1", "p9", caps=["Router"]), entry("e2", "l2", "p9", caps=["Router"])],
    )
    imported = read_network("lldp", paths)
    assert (imported.fabric.labels, imported.fabric.endpoint_names) == (("l1", "l2", "s1"), ("srv:e1", "srv:e2"))
    otherwise = "; --endpoints selects the endpoints instead"
    assert imported.warnings[:2] == (
        "1 device without a file is read as a switch, because it announces that it bridges or routes ('s1')"
        f"{otherwise}",
        "1 device with a file is read as a host, because it announces that it neither bridges nor routes ('srv')"
        f"{otherwise}",
    )
    # The host k8 announces that it is a router, because it routes for its containers. Its port names show that it is a
    # host.
    docker: dict[str, Any] = {"caps": ["Bridge", "Router"], "kind": "mac"}
    more = put(
        tmp_path,
        l3=[entry("p1", "s1", "p3", caps=["Router"]), entry("p5", "k8", "02:01", descr="ens1f0", **docker)],
        l4=[entry("p1", "s1", "p4", caps=["Router"]), entry("p5", "k8", "02:02", descr="ens1f1", **docker)],
    )
    assert read_network("lldp", more).fabric.endpoint_names == ("k8:ens1f0", "k8:ens1f1")
    assert read_network("lldp", paths, hosts=["s1", "srv"]).fabric.labels == ("l1", "l2")
    with pytest.raises(InputError, match="no device matches --endpoints 'nobody'"):
        read_network("lldp", paths, ["nobody"])


def test_one_file_shows_its_switches_by_name_and_capabilities(tmp_path: Path) -> None:
    both = ["Bridge", "Router"]
    paths = put(
        tmp_path,
        leaf1=[
            entry("p49", "spine1", "p1", caps=both),
            entry("p50", "spine2", "p1"),
            entry("p51", "spine3", "p1", caps=[]),
            entry("p1", "node1", "eth0", caps=[]),
            entry("p2", "node2", "eth0", caps=both),
            entry("p3", "x7", "a1", caps=both),
            entry("p4", "x8", "a1"),
        ],
    )
    imported = read_network("lldp", paths)
    assert imported.fabric.labels == ("leaf1", "spine1", "spine2")
    assert imported.fabric.endpoint_names == ("node1", "node2", "x7", "x8", "spine3")
    otherwise = "; --endpoints selects the endpoints instead"
    assert imported.warnings == (
        "1 device without a file is read as a switch, because it announces that it bridges or routes ('spine1')"
        f"{otherwise}",
        f"1 device without a file is read as a switch, because of its name ('spine2'){otherwise}",
        "1 device without a file is read as a host, because it has one cable, although it announces bridging or "
        f"routing ('x7'){otherwise}",
    )


def test_a_neighbour_without_a_name_is_known_by_its_chassis(tmp_path: Path) -> None:
    paths = put(
        tmp_path,
        a=[entry("p1", "", "p1", chassis="02:01"), entry("p2", "b", "p2", chassis="02:01")],
        b=[entry("p1", "a", "p1"), entry("p2", "a", "p2")],
    )
    assert read_network("lldp", paths).fabric.num_cables == 2
    # A neighbour without a name is also identified if the neighbour's own file lists the cable.
    paths = put(tmp_path, a=[entry("p1", "", "p2", chassis="02:07")], b=[entry("p2", "a", "p1")])
    imported = read_network("lldp", paths)
    assert (imported.fabric.labels, imported.fabric.num_endpoints, imported.warnings) == (("a", "b"), 0, ())


def test_parallel_cables_by_other_names_are_joined_in_order(tmp_path: Path) -> None:
    """Check parallel cables whose far ports are known only by aliases: tulle joins them in the order of their ports."""
    paths = put(
        tmp_path,
        a=[entry("Ethernet0", "b", "etp2", kind="local"), entry("Ethernet4", "b", "etp1", kind="local")],
        b=[entry("Ethernet0", "a", "etp2", kind="local"), entry("Ethernet4", "a", "etp1", kind="local")],
    )
    imported = read_network("lldp", paths)
    assert imported.fabric.properties["ports"] == [("Ethernet0", "Ethernet4"), ("Ethernet4", "Ethernet0")]
    assert [
        line
        for line in imported.warnings
        if "the ends of 2 cables are matched only by the order of their ports" in line
    ]
    plan = tulle.cabling.plan_cabling(tulle.place(imported.fabric))
    verdict = verify(plan, paths)
    assert verdict.agrees
    assert any("matched only by the order" in line for line in verdict.notes)
    paths = put(
        tmp_path,
        a=[entry("Ethernet0", "b", "etp2", kind="local"), entry("Ethernet4", "b", "etp1", kind="local")],
        b=[entry("Ethernet0", "a", "etp1", kind="local"), entry("Ethernet4", "a", "etp2", kind="local")],
    )
    assert read_network("lldp", paths).fabric.num_cables == 2
    with pytest.raises(tulle.FormatError, match="the ends of 2 cables from 'a' to 'b' cannot be matched"):
        verify(plan, paths)


def test_a_plan_by_names_reads_files_by_others(tmp_path: Path) -> None:
    """Check that a plan with fully qualified names agrees with LLDP files that have short names."""
    plan = read_plan(DATA / "lldp-plan.json")
    text = (DATA / "lldp-plan.json").read_text()
    for name in ("l1", "l2", "s1", "s2"):
        text = text.replace(f'"{name}"', f'"{name}.pod1"')
    (tmp_path / "plan.json").write_text(text)
    assert verify(plan, files("lldp-alias")).agrees
    assert verify(read_plan(tmp_path / "plan.json"), files("lldp-alias")).agrees
