"""Deploy fabrics whose ports have names: all files, the repair and the check of tables use these names."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import tulle
from tulle import InputError
from tulle.deploy.ethernet import sonic
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.failures import Failures, find_failures, read_failures
from tulle.deploy.ethernet.numbering import Numbering, numbering_of
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.ethernet.platform_files import hardware_ports
from tulle.deploy.ethernet.port_names import LINUX, OVS, named
from tulle.deploy.ethernet.repair import repair, write_repair
from tulle.deploy.ethernet.sonic_ports import SonicNaming
from tulle.deploy.ethernet.transition import transition
from tulle.deploy.ethernet.verify import verify
from tulle.deploy.targets import linux as linux_target
from tulle.deploy.targets import sonic as sonic_target
from tulle.deploy.targets import target

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from tulle.deploy.ethernet.plan import EthernetPlan

PORT_CONFIG = """\
# name lanes alias index speed
Ethernet0 1,2,3,4 etp1 1 100000
Ethernet4 5,6,7,8 etp2 2 100000
Ethernet8 9,10,11,12 etp3 3 100000
Ethernet48 49,50,51,52 etp13 13 100000
"""
# For each port of each switch: the connected neighbour and the neighbour's port.
CABLES = {
    "l1": {"Ethernet48": ("s1", "Ethernet0"), "Ethernet8": ("h1", "ens1")},
    "l2": {"Ethernet48": ("s1", "Ethernet4"), "Ethernet8": ("h2", "eth0")},
    "s1": {"Ethernet0": ("l1", "Ethernet48"), "Ethernet4": ("l2", "Ethernet48")},
}
ALIASES = {"Ethernet0": "etp1", "Ethernet4": "etp2", "Ethernet8": "etp3", "Ethernet48": "etp13"}
TARGETS = ["sonic --port-config port_config.ini", "sonic", "frr", "linux", "containerlab", "ovs", "srv6"]


def fabric_file(folder: Path, renamed: dict[str, str] | None = None) -> Path:
    """Write the fabric of `CABLES`, in which the port numbers are not the numbers in the ports' names."""

    def port(name: str) -> dict[str, str]:
        name = (renamed or {}).get(name, name)
        return {"port": name} if name else {}

    ends = [("l1", "Ethernet48", "Ethernet0"), ("l2", "Ethernet48", "Ethernet4")]
    cables = [
        {"a": a, "b": "s1", "rate": "100Gbps"}
        | {f"source_{key}": value for key, value in port(one).items()}
        | {f"target_{key}": value for key, value in port(other).items()}
        for a, one, other in ends
    ]
    rows = [("l1", "h1", "ens1"), ("l2", "h2", "00:11:22:33:44:55")]
    hosts = [
        {"switch": switch, "name": name, "host_port": own, "rate": "100Gbps", **port("Ethernet8")}
        for switch, name, own in rows
    ]
    path = folder / "fabric.json"
    switches = [{"name": name} for name in CABLES]
    document = {"format": "tulle fabric", "version": 1, "switches": switches, "cables": cables, "endpoints": hosts}
    path.write_text(json.dumps(document))
    return path


def planned(folder: Path, renamed: dict[str, str] | None = None) -> EthernetPlan:
    return plan_of(tulle.route(f"file:edges={fabric_file(folder, renamed)}", "minimal"))


def announced(folder: Path, dead: tuple[str, ...] = (), *, by_alias: bool = False) -> Path:
    """Write each switch's output of ``lldpctl -f json0``; with `by_alias`, switches announce aliases, as SONiC does."""
    folder.mkdir()
    for switch, ports in CABLES.items():
        rows = []
        for port, (other, there) in ports.items():
            identity: dict[str, Any] = {"type": "ifname", "value": there}
            described = there
            if by_alias and other in CABLES:
                identity, described = {"type": "local", "value": ALIASES[there]}, f"{switch} {port}"
            if f"{switch}/{port}" not in dead and f"{other}/{there}" not in dead:
                row = {"name": port, "chassis": [{"name": [{"value": other}]}]}
                rows.append({**row, "port": [{"id": [identity], "descr": [{"value": described}]}]})
        (folder / f"{switch}.json").write_text(json.dumps({"lldp": [{"interface": rows}]}))
    return folder


@pytest.mark.parametrize("target_with_options", TARGETS)
def test_every_target_uses_the_names_of_the_fabric(tmp_path: Path, tulle: Cli, target_with_options: str) -> None:
    (tmp_path / "port_config.ini").write_text(PORT_CONFIG)
    path = fabric_file(tmp_path)
    name, *options = target_with_options.split()
    done = tulle("deploy", name, f"file:edges={path}", "minimal", *options, "-o", "bundle")
    note = "the lanes and aliases of ports in config_db.json are made up"
    is_noted = name == "sonic" and "--port-config" not in options
    assert done.returncode == 0
    assert [line.startswith(f"tulle: {note}") for line in done.stderr.splitlines()] == [True] * is_noted
    bundle = tmp_path / "bundle"
    for switch, ports in CABLES.items():
        texts = [file.read_text() for file in (bundle / "switches" / switch).iterdir()]
        found = set(re.findall(r"\bE?eth(?:ernet)?[0-9]+\b|\bEthernet[0-9]+\b", "\n".join(texts)))
        # Descriptions also name the ports at the other ends.
        ends = {there for _, there in ports.values()} if name in ("frr", "sonic") or "lab" in name else set()
        assert set(ports) <= found <= {*ports, *ends}
    rows = list(csv.DictReader((bundle / "ports.csv").read_text().splitlines()))
    assert [row["port"] for row in rows] == [row["fabric_port"] for row in rows]
    connected = {(row["switch"], row["port"]): (row["to"], row["to_port"]) for row in rows}
    assert connected == {(switch, port): end for switch, ports in CABLES.items() for port, end in ports.items()}
    if name == "srv6":
        return
    announced(tmp_path / "live")
    done = tulle("deploy", "repair", "bundle", "--live", "live", "--dry-run")
    assert (done.returncode, done.stdout) == (0, "no failures: the bundle stays unchanged\n")


def test_gateways_and_hosts_are_behind_the_named_ports(tmp_path: Path) -> None:
    plan = planned(tmp_path)
    linux_target.write_plan(plan, tmp_path / "bundle")
    folder = tmp_path / "bundle" / "switches" / "l1"
    routes = (folder / "routes.batch").read_text().splitlines()
    assert routes == [
        "route replace 10.0.0.1/32 dev Ethernet8 proto 84",
        "route replace 10.0.1.0/24 proto 84 via 10.255.2.1 dev Ethernet48 onlink",
    ]
    assert (folder / "links").read_text() == "Ethernet48 02:00:00:00:00:01\nEthernet8 02:00:00:00:00:02\n"
    host = tmp_path / "bundle" / "hosts" / "h1"
    assert (host / "addresses.batch").read_text() == "address replace 10.0.0.1/32 dev ens1\n"
    assert "interface=${INTERFACE:-ens1}" in (host / "up").read_text()
    # LLDP may name a host's port by its MAC address, which is not an interface.
    assert "interface=${INTERFACE:-eth0}" in (tmp_path / "bundle" / "hosts" / "h2" / "up").read_text()


def test_sonic_keeps_names_lanes_and_neighbours(tmp_path: Path) -> None:
    (tmp_path / "port_config.ini").write_text(PORT_CONFIG)
    plan = planned(tmp_path)
    numbering, hardware = Numbering.of(plan), hardware_ports(tmp_path / "port_config.ini")
    tables = sonic.config_db(plan, numbering, 0, hardware=hardware)
    assert {name: row["lanes"] for name, row in tables["PORT"].items()} == {
        "Ethernet48": "49,50,51,52",
        "Ethernet8": "9,10,11,12",
    }
    assert tables["DEVICE_NEIGHBOR"] == {"Ethernet48": {"name": "s1", "port": "Ethernet0"}}
    assert [row["ifname"] for row in tables["STATIC_ROUTE"].values()] == ["Ethernet48"]
    assert list(tables["VLAN_MEMBER"]) == ["Vlan1000|Ethernet8"]
    # A fabric may name ports by their aliases, as LLDP announces them.
    by_alias = sonic.config_db(planned(tmp_path, ALIASES), numbering, 0, hardware=hardware)
    assert by_alias == tables
    # A port without a name gets one of the platform ports, in the order of port numbers. Platform ports that the fabric
    # names are not available.
    some = named(planned(tmp_path, {"Ethernet48": "", "Ethernet8": "Ethernet0"}), SonicNaming(hardware))
    assert [port.name for port in some.ports[0]] == ["Ethernet4", "Ethernet0"]


def test_sonic_announces_aliases(tmp_path: Path) -> None:
    (tmp_path / "port_config.ini").write_text(PORT_CONFIG)
    hardware = hardware_ports(tmp_path / "port_config.ini")
    sonic_target.write_plan(planned(tmp_path), tmp_path / "bundle", hardware=hardware)
    plan = read_bundle(tmp_path / "bundle").plan
    assert read_failures(plan, [announced(tmp_path / "live", by_alias=True)]) == Failures((), ())


@pytest.mark.parametrize("target_with_options", TARGETS[:4])
def test_repairs_keep_names(tmp_path: Path, tulle: Cli, target_with_options: str) -> None:
    (tmp_path / "port_config.ini").write_text(PORT_CONFIG)
    # Add a second cable from l1 to s1, so that a repair finds another path.
    document = json.loads(fabric_file(tmp_path).read_text())
    document["cables"].append({**document["cables"][0], "source_port": "Ethernet4", "target_port": "Ethernet48"})
    (tmp_path / "fabric.json").write_text(json.dumps(document))
    name, *options = target_with_options.split()
    done = tulle("deploy", name, f"file:edges={tmp_path / 'fabric.json'}", "minimal", *options, "-o", "bundle")
    assert done.returncode == 0, done.stderr
    before = read_bundle(tmp_path / "bundle").plan
    dead = "l1/Ethernet48:s1/Ethernet0"
    done = tulle("deploy", "repair", "bundle", "--dead-cable", dead, "-o", "repaired")
    assert done.returncode == 0, done.stderr
    assert "Ethernet4" in done.stdout
    repaired = read_bundle(tmp_path / "repaired").plan
    for old, new in zip(before.ports, repaired.ports, strict=True):
        known = {port.number: (port.name, port.alias, port.given, port.mac) for port in old}
        left = {port.number: (port.name, port.alias, port.given, port.mac) for port in new}
        assert left.items() <= known.items()
    assert [port.name for port in repaired.ports[0]] == ["Ethernet4", "Ethernet8"]
    changes = [path.read_text() for path in (tmp_path / "repaired" / "changes").rglob("*") if path.is_file()]
    assert "Ethernet4" in "\n".join(changes)
    assert not re.search(r"\beth[0-9]", "\n".join(changes))


def test_live_files_name_the_dead_cable(tmp_path: Path) -> None:
    linux_target.write_plan(planned(tmp_path), tmp_path / "bundle")
    plan = read_bundle(tmp_path / "bundle").plan
    found = read_failures(plan, [announced(tmp_path / "live", ("l1/Ethernet48",))])
    assert found.switches == (0,)
    assert find_failures(plan, ["l1/Ethernet48:s1/Ethernet0"]).switches == (0,)
    # Interfaces such as eth0 and docker0, whose names differ in form from those of the fabric, are not its ports.
    up = ["Ethernet48", "Ethernet8", "Ethernet12", "eth0", "docker0"]
    rows = [{"ifname": port, "flags": ["LOWER_UP"], "operstate": "UP"} for port in up]
    (tmp_path / "l1.json").write_text(json.dumps(rows))
    assert read_failures(plan, [tmp_path / "l1.json"]) == Failures((), (), 2)
    assert read_failures(plan, [tmp_path / "l1.json"]).unused == ("l1/Ethernet12",)


def test_tables_with_the_names_agree(tmp_path: Path) -> None:
    linux_target.write_plan(planned(tmp_path), tmp_path / "bundle")
    (tmp_path / "fib").mkdir()
    for switch in CABLES:
        routes = (tmp_path / "bundle" / "switches" / switch / "routes.batch").read_text()
        (tmp_path / "fib" / f"{switch}.txt").write_text(routes.replace("route replace ", ""))
    verdict = verify(tmp_path / "bundle", fib=[tmp_path / "fib"])
    assert verdict.agrees, verdict.differences
    wrong = (tmp_path / "fib" / "l1.txt").read_text().replace("Ethernet48", "Ethernet8")
    (tmp_path / "fib" / "l1.txt").write_text(wrong)
    verdict = verify(tmp_path / "bundle", fib=[tmp_path / "fib"])
    assert "expected Ethernet48: ip route replace 10.0.1.0/24" in str(verdict.differences)
    assert "via 10.255.2.1 dev Ethernet48 onlink" in str(verdict.differences)


def test_settings_of_names_with_dots(tmp_path: Path) -> None:
    routing = tulle.route(f"file:edges={fabric_file(tmp_path, {'Ethernet48': 'swp1.100'})}", "minimal")
    target("srv6").bundle(routing, tmp_path / "bundle")
    settings = (tmp_path / "bundle" / "switches" / "l1" / "sysctl.conf").read_text()
    # If an interface name contains a dot, sysctl needs slashes as separators.
    assert "net/ipv6/conf/swp1.100/seg6_enabled = 1\n" in settings


@pytest.mark.parametrize(
    ("name", "port", "message"),
    [
        ("linux", "Ethernet1/48", "l1: port 'Ethernet1/48' has the character '/', which Linux does not allow"),
        ("frr", "Ethernet 48", "port 'Ethernet 48' has the character ' '"),
        ("srv6", "HundredGigE1.48.1", "port 'HundredGigE1.48.1' has 17 bytes, which Linux does not allow; legal: at"),
        ("containerlab", "Eingänge1", "port 'Eingänge1' has the character 'ä'"),
        ("linux", "-x1", "port '-x1' begins with '-'"),
        ("linux", "1.1", "port '1.1' has no letter, which Linux does not allow"),
        ("linux", "lo", "port 'lo' is reserved"),
        ("frr", "Null0", "port 'Null0' is reserved"),
        ("linux", "swp$(id)", r"has the character '\$'"),
        ("ovs", "fabric", "port 'fabric' is reserved, which Open vSwitch does not allow"),
        ("ovs", "swp1:2", "has the character ':'"),
        ("sonic", "swp5", "l1: port 'swp5' is not named Ethernet<N>, which SONiC does not allow; legal: Ethernet<N>"),
        ("sonic", "Ethernet048", "is not named Ethernet<N>"),
        ("sonic", "Ethernet3", "is not the first of four lanes"),
        ("linux", "Ethernet8", "would both be named Ethernet8"),
    ],
)
def test_illegal_names_are_refused(tmp_path: Path, name: str, port: str, message: str) -> None:
    routing = tulle.route(f"file:edges={fabric_file(tmp_path, {'Ethernet48': port})}", "minimal")
    with pytest.raises(InputError, match=message) as error:
        target(name).bundle(routing, tmp_path / "bundle")
    assert "\n" not in str(error.value)
    assert not (tmp_path / "bundle").exists()


def test_a_refused_name_is_one_line_and_exit_2(tmp_path: Path, tulle: Cli) -> None:
    path = fabric_file(tmp_path, {"Ethernet48": "Ethernet1/48"})
    done = tulle("deploy", "ovs", f"file:edges={path}", "minimal", "-o", "bundle")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert not (tmp_path / "bundle").exists()
    (tmp_path / "port_config.ini").write_text(PORT_CONFIG)
    path = fabric_file(tmp_path, {"Ethernet48": "Ethernet12"})
    options = ("--port-config", "port_config.ini", "-o", "bundle")
    done = tulle("deploy", "sonic", f"file:edges={path}", "minimal", *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "'Ethernet12' is not a port of the platform" in done.stderr
    assert "legal: a name or an alias of --port-config: Ethernet0, Ethernet4, …, Ethernet48" in done.stderr


def test_ports_without_a_name_get_free_names(tmp_path: Path) -> None:
    # The first port of l1 has no name. Its default name, eth1, is already the name of the second port.
    plan = planned(tmp_path, {"Ethernet48": "", "Ethernet8": "eth1", "Ethernet0": "7", "Ethernet4": "8"})
    for naming in (LINUX, OVS):
        made = named(plan, naming)
        assert [port.name for port in made.ports[0]] == ["eth2", "eth1"]
        assert [port.name for port in made.ports[2]] == ["eth7", "eth8"]
    assert named(made, OVS) is made
    linux_target.write_plan(plan, tmp_path / "bundle")
    assert read_bundle(tmp_path / "bundle").plan.ports == named(plan, LINUX).ports


def test_notes_count_ports_that_the_fabric_does_not_name(tmp_path: Path, tulle: Cli) -> None:
    path = fabric_file(tmp_path, {"Ethernet8": ""})
    done = tulle("deploy", "frr", f"file:edges={path}", "minimal", "-o", "bundle")
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert (
        "2 of 6 ports have no name in the fabric, so their names in the files follow from their numbers (for example "
        "port 2 of l1)" in done.stderr
    )
    path = fabric_file(tmp_path, {"Ethernet8": "1", "Ethernet48": "0", "Ethernet0": "0", "Ethernet4": "1"})
    done = tulle("deploy", "frr", f"file:edges={path}", "minimal", "-o", "zero")
    assert "6 of 6 ports have another number in the fabric" in done.stderr
    assert tulle("deploy", "frr", "slimfly:q=5", "minimal", "-o", "own").stderr == ""


def test_transitions_need_equal_names(tmp_path: Path) -> None:
    linux_target.write_plan(planned(tmp_path), tmp_path / "one")
    linux_target.write_plan(planned(tmp_path, {"Ethernet8": "Ethernet12"}), tmp_path / "other")
    with pytest.raises(InputError, match="port 2 of l1 is named Ethernet12, but Ethernet8 in"):
        transition(read_bundle(tmp_path / "one"), read_bundle(tmp_path / "other"))


@pytest.mark.parametrize("name", ["linux", "frr"])
def test_a_bundle_with_one_more_cable_and_switch(tmp_path: Path, name: str) -> None:
    """Check that added parts change no number and no address of the others, wherever the file lists them."""
    document = json.loads(fabric_file(tmp_path).read_text())
    for a, one, b, other in (("l1", 0, "l2", 0), ("l0", 0, "s1", 8), ("l1", 4, "s1", 12)):
        ends = {"source_port": f"Ethernet{one}", "target_port": f"Ethernet{other}"}
        document["cables"].insert(0, {"a": a, "b": b, "rate": "25Gbps", **ends})
    document["switches"].insert(0, {"name": "l0"})
    (tmp_path / "added.json").write_text(json.dumps(document))
    for each in ("fabric", "added"):
        target(name).bundle(tulle.route(f"file:edges={tmp_path}/{each}.json", "minimal"), tmp_path / each)
    before = read_bundle(tmp_path / "fabric")
    change = transition(before, read_bundle(tmp_path / "added"))
    added = ("l0/Ethernet0:s1/Ethernet8", "l1/Ethernet0:l2/Ethernet0", "l1/Ethernet4:s1/Ethernet12")
    assert {*change.cables_back} == {*added}
    rates = change.plan.fabric.link_rate
    slow = {
        f"{change.plan.names[switch]}/{port.name}"
        for switch, ports in enumerate(change.plan.ports)
        for port in ports
        if port.channel is not None and rates[port.channel] < 1e11
    }
    assert slow == {end for cable in added for end in cable.split(":")}
    assert [change.plan.names[switch] for switch in change.returning] == ["l0"]
    write_repair(change, tmp_path / "next")
    write_repair(transition(before, read_bundle(tmp_path / "added")), tmp_path / "again")
    for file in ("routing.tulle", "fabric.json", "plan.json", "ports.csv"):
        assert (tmp_path / "next" / file).read_bytes() == (tmp_path / "again" / file).read_bytes()
    after = read_bundle(tmp_path / "next")
    old, new = (
        {(row["switch"], row["port"]): row for row in port_rows(tmp_path / each)} for each in ("fabric", "next")
    )
    assert {end: new[end] for end in old} == old
    assert [host.addresses for host in after.plan.hosts] == [host.addresses for host in before.plan.hosts]
    if name == "frr":
        was, now = (
            {
                (bundle.plan.names[switch], port.name): numbering_of(bundle).address(port.channel)
                for switch, ports in enumerate(bundle.plan.ports)
                for port in ports
                if port.channel is not None
            }
            for bundle in (before, after)
        )
        assert {end: now[end] for end in was} == was
        assert len({*now.values()}) == len(now) == 10
    # The next change, back to the bundle without the added parts, finds the same numbers.
    assert transition(after, before).plan.ports == before.plan.ports


def port_rows(bundle: Path) -> list[dict[str, str]]:
    return list(csv.DictReader((bundle / "ports.csv").read_text().splitlines()))


def test_a_damaged_map_is_refused(tmp_path: Path) -> None:
    linux_target.write_plan(planned(tmp_path), tmp_path / "bundle")
    path = tmp_path / "bundle" / "ports.csv"
    path.write_text(path.read_text().replace("Ethernet48", "Ethernet40"))
    with pytest.raises(tulle.FormatError, match=r"ports\.csv: .* legal: the file as tulle wrote it"):
        read_bundle(tmp_path / "bundle")


def test_repairs_of_repairs_keep_names(tmp_path: Path) -> None:
    fabric = tulle.Fabric("torus:dims=4x4")
    linux_target.write_plan(plan_of(tulle.route(fabric, "minimal")), tmp_path / "0")
    first = read_bundle(tmp_path / "0").plan
    for order in range(2):
        bundle = read_bundle(tmp_path / str(order))
        a, b = bundle.plan.fabric.edges[0].tolist()
        found = repair(bundle, find_failures(bundle.plan, [f"{bundle.plan.names[a]}:{bundle.plan.names[b]}"]))
        assert found is not None
        write_repair(found, tmp_path / str(order + 1))
    last = read_bundle(tmp_path / "2").plan
    assert sum(map(len, last.ports)) == sum(map(len, first.ports)) - 4
    for old, new in zip(first.ports, last.ports, strict=True):
        assert {(port.number, port.name) for port in new} <= {(port.number, port.name) for port in old}
