"""Check the contents of files for FRR, SONiC, Open vSwitch and containerlab; no daemon runs."""

from __future__ import annotations

import ipaddress
import json
import re
import shlex
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tulle
from tulle.cli.command import run
from tulle.deploy.ethernet import frr, ovs, pfc, pfc_sonic, sonic, sonic_files, sonic_hosts
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.failures import find_failures
from tulle.deploy.ethernet.numbering import Numbering
from tulle.deploy.ethernet.plan import EthernetPlan, plan_of
from tulle.deploy.ethernet.platform_files import hardware_ports
from tulle.deploy.ethernet.repair import repair, write_repair
from tulle.deploy.targets import containerlab as containerlab_target
from tulle.deploy.targets import ovs as ovs_target
from tulle.deploy.targets import sonic as sonic_target
from tulle.deploy.targets import target
from tulle.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.pfc import Priorities

ALL = "all:rate=100Gbps,length=5m"
WIRED = [ALL]


def plan(spec: str = "slimfly:q=5", routing: str = "almost-minimal:layers=4", **options: Any) -> EthernetPlan:
    return plan_of(tulle.route(tulle.Fabric(spec, links=WIRED), routing), **options)


@pytest.mark.parametrize("ipv6", [False, True])
def test_every_link_has_a_prefix_of_its_own(ipv6: bool) -> None:
    made = plan(ipv6=ipv6)
    links = Numbering.of(made)
    seen = set()
    for channel, back in enumerate(made.fabric.reverse.tolist()):
        ends = {ipaddress.ip_interface(f"{links.address(end)}/{links.length}") for end in (channel, back)}
        assert len(ends) == 2
        (network,) = {end.network for end in ends}
        seen.add(network)
    assert len(seen) == made.fabric.num_cables
    taken = [ipaddress.ip_network(made.addressing.layer_prefix(layer)) for layer in range(4)]
    assert not any(one.overlaps(link) for one in taken for link in seen)


def test_links_keep_their_addresses_when_others_fail() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    routing = tulle.route(fabric, "minimal")
    before = plan_of(routing)
    damaged = fabric.with_failures("links=20")
    after = plan_of(routing.reroute(damaged).routing)
    first, second = Numbering.of(before), Numbering.of(after)
    assert damaged.origin is not None
    for channel, was in enumerate(damaged.origin["channels"].tolist()):
        assert second.address(channel) == first.address(was)


@pytest.mark.parametrize(
    ("prefix", "message"),
    [
        ("10.1.0.0/16", "--link-prefix 10.1.0.0/16 overlaps 10.1.0.0/16, which has the addresses of hosts or switches"),
        ("fd12::/64", "--link-prefix fd12::/64 is an IPv6 prefix; legal: an IPv4 prefix"),
        ("172.16.0.0/25", "172.16.0.0/25 has 128 addresses, but links need "),
        ("nonsense", "--link-prefix nonsense: "),
    ],
)
def test_link_prefixes_that_do_not_do(prefix: str, message: str) -> None:
    with pytest.raises(InputError, match="legal: ") as error:
        Numbering.of(plan(), prefix)
    assert str(error.value).startswith(message)


def test_links_are_behind_layers_that_leave_them_none() -> None:
    """Check that link addresses use a part of the prefix that the layers' addresses leave free."""
    made = plan("clique:degree=3", "minimal", prefix="10.64.0.0/24")
    assert (made.addressing.layer_prefix(0), made.addressing.router(3)) == ("10.64.0.0/27", "10.64.0.57")
    assert str(Numbering.of(made).base) == "10.64.0.64/27"
    many = plan("hypercube:dimensions=4", "minimal", prefix="10.64.0.0/22")
    assert str(Numbering.of(many).base) == "10.64.0.128/25"


def test_layers_may_leave_no_room_for_links() -> None:
    made = plan("clique:degree=3", "minimal", prefix="10.0.0.0/26")
    with pytest.raises(InputError, match="has no 32 free addresses for links, besides the addresses of 1 layer;"):
        Numbering.of(made)
    assert Numbering.of(made, "172.16.0.0/24").address(0) == "172.16.0.0"


def test_frr_has_every_entry_and_host() -> None:
    made = plan()
    text = frr.frr_conf(made, Numbering.of(made), 7)
    routes = [line.split() for line in text.splitlines() if line.startswith("ip route ")]
    assert len(routes) == 196 + 4 * 4
    assert {route[-1] for route in routes} == {"100", "101", "102", "103"}
    assert f"hostname {made.names[7]}" in text.splitlines()


def test_shares_of_ports_are_refused_where_static_routes_have_none() -> None:
    made = plan_of(tulle.route(tulle.Fabric("slimfly:q=5", links=WIRED), "spread-groups").weighted(64))
    links = Numbering.of(made)
    for files in (frr.files, sonic.files):
        with pytest.raises(InputError, match=r"has next hops with weights [0-9:]+, which static routes of"):
            list(files(made, links))
    groups = dict(ovs.files(made))[f"switches/{made.names[0]}/groups"]
    assert "bucket=actions=output:1,bucket=actions=output:1," in groups


@pytest.mark.parametrize("vlans", [False, True])
def test_sonic_has_every_entry(vlans: bool) -> None:
    made = plan()
    tables = sonic.config_db(made, Numbering.of(made), 3, vlans=vlans)
    assert len(tables["STATIC_ROUTE"]) == 196
    assert len(tables["PORT"]) == 11
    other, far = made.peer(made.ports[3][1])
    assert tables["PORT"]["Ethernet4"] == {
        "alias": "Eth2",
        "lanes": "5,6,7,8",
        "index": "2",
        "speed": "100000",
        "mtu": "9100",
        "admin_status": "up",
        "fec": "rs",
        "description": f"{made.names[other]} Ethernet{4 * (far.number - 1)}",
    }
    interfaces = tables["VLAN_SUB_INTERFACE" if vlans else "INTERFACE"]
    assert len(interfaces) == 2 * 7 * (4 if vlans else 1)
    assert ("VrfLayer3" in tables["VRF"]) if vlans else ("VRF" not in tables)
    # A next hop is the address of the link's far end. The configuration of the switch at this end must contain the
    # address.
    for row in tables["STATIC_ROUTE"].values():
        name = row["ifname"]
        port = next(port for port in made.ports[3] if f"Ethernet{4 * (port.number - 1)}" == name.split(".")[0])
        theirs = sonic.config_db(made, Numbering.of(made), made.peer(port)[0], vlans=vlans)
        there = theirs["VLAN_SUB_INTERFACE" if vlans else "INTERFACE"]
        assert any(key.endswith(f"|{row['nexthop']}/31") for key in there)
        break


def test_sonic_takes_ports_of_the_platform(tmp_path: Path) -> None:
    file = tmp_path / "port_config.ini"
    rows = [f"Ethernet{8 * port} {65 + port},{66 + port} etp{port + 1} {port + 1}" for port in range(11)]
    file.write_text("# name lanes alias index\n" + "\n".join(rows) + "\n")
    made = plan()
    tables = sonic.config_db(made, Numbering.of(made), 0, hardware=hardware_ports(file))
    assert tables["PORT"]["Ethernet8"]["lanes"] == "66,67"
    file.write_text("# name lanes alias index\n" + "\n".join(rows[:4]) + "\n")
    with pytest.raises(InputError, match="uses port 5, but the platform has 4"):
        sonic.config_db(made, Numbering.of(made), 0, hardware=hardware_ports(file))
    file.write_text("no columns\n")
    with pytest.raises(tulle.FormatError, match="line 1: the columns 'name' and 'lanes' are missing"):
        hardware_ports(file)


def test_sonic_needs_rates() -> None:
    made = plan_of(tulle.route("slimfly:q=5", "minimal"))
    with pytest.raises(InputError, match="its rate is unknown"):
        sonic.config_db(made, Numbering.of(made), 0)


def test_gateways_are_no_hosts() -> None:
    made = plan("clique:degree=3,p=2", "minimal", prefix="10.0.0.0/24")
    with pytest.raises(InputError, match="has 2 hosts and no address left for their gateway"):
        sonic_hosts.gateway(made, 0, 0)
    wider = plan("clique:degree=3,p=2", "minimal", prefix="10.0.0.0/24", gateways=True)
    assert (wider.hosts[1].addresses[0], sonic_hosts.gateway(wider, 0, 0)) == ("10.0.0.2", "10.0.0.6/29")
    assert sonic_hosts.gateway(plan(), 2, 7) == "10.2.7.254/24"


def test_flows_match_switches_by_masked_addresses() -> None:
    made = plan()
    texts = dict(ovs.files(made))
    flows = texts[f"switches/{made.names[3]}/flows"].splitlines()
    assert len(flows) == 1 + 196 + 4 * 4
    assert len({flow.rsplit(",actions", 1)[0] for flow in flows}) == len(flows)
    assert texts[f"switches/{made.names[3]}/groups"] == ""
    with pytest.raises(
        InputError, match=r"VLANs 4093 to 4096 of 4 layers .*; legal: 1 to 4094, so the first VLAN is at most 4091$"
    ):
        list(ovs.files(made, 4093))


def test_groups_of_open_vswitch_are_seeded_by_switch() -> None:
    made = plan("hyperx:shape=3x3", "minimal")
    texts = dict(ovs.files(made))
    params = {
        switch: {line.split("selection_method_param=")[1].split(",")[0] for line in text.splitlines()}
        for switch, name in enumerate(made.names)
        if (text := texts[f"switches/{name}/groups"])
    }
    assert params == {switch: {str(switch + 1)} for switch in range(9)}


@pytest.mark.parametrize("switches", ["frr", "linux"])
def test_containerlab_has_every_cable_and_host(tmp_path: Path, switches: Any) -> None:
    yaml = pytest.importorskip("yaml")
    made = plan()
    containerlab_target.write_plan(made, tmp_path, name="sf", switches=switches)
    result = yaml.safe_load((tmp_path / "fabric.clab.yml").read_text())
    nodes, links = result["topology"]["nodes"], result["topology"]["links"]
    assert result["name"] == "sf"
    assert set(nodes) == {*made.names, *(host.name for host in made.hosts)}
    ends = [end for link in links for end in link["endpoints"]]
    assert len(links) == made.fabric.num_cables + len(made.hosts)
    assert len(set(ends)) == len(ends)
    for name in made.names:
        for bind in nodes[name]["binds"]:
            assert (tmp_path / bind.split(":")[0]).exists()
    assert len(nodes[made.hosts[5].name]["exec"]) == (3 if switches == "linux" else 2) + 2 * 4 + 1 + 3
    with pytest.raises(InputError, match="is not a name of a lab"):
        containerlab_target.write_plan(made, tmp_path, name="a b")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["frr", "--link-prefix", "10.2.0.0/16"], "--link-prefix 10.2.0.0/16 overlaps"),
        (["sonic"], "its rate is unknown, and SONiC needs it; legal: --link all:rate=100Gbps, or"),
        (
            ["sonic", "--link", "endpoint:rate=100Gbps"],
            "legal: --link local:rate=100Gbps --link global:rate=100Gbps, or a fabric",
        ),
        (["sonic", "--lossless", "3"], "--lossless, --buffer and --headroom need a lossless network"),
        (["sonic", "--link", "all:rate=100Gbps", "--deadlock", "dfsssp"], "the length of the link"),
        (
            ["sonic", "--link", "all:rate=100Gbps", "--link", "endpoint:length=5m", "--deadlock", "dfsssp"],
            "legal: --link local:length=5m --link global:length=5m, or a fabric",
        ),
        (
            ["sonic", "--link", ALL, "--deadlock", "dfsssp", "--buffer", "1MB"],
            "its buffer has",
        ),
        (
            ["sonic", "--link", ALL, "--deadlock", "dfsssp", "--lossless", "2"],
            "switches have 2",
        ),
        (["sonic", "--link", ALL, "--deadlock", "dfsssp", "--lossless", "8"], "legal: 1 to 7"),
        (
            ["sonic", "--link", "all:rate=1600Gbps,length=5m", "--deadlock", "dfsssp"],
            "has no pause response time for this rate",
        ),
        (["sonic", "--link", ALL, "--deadlock", "dfsssp", "--headroom", "cells=3"], "--headroom cells=3: unknown"),
        (["sonic", "--link", ALL, "--deadlock", "dfsssp", "--headroom", "cell=0"], "--headroom cell=0 is out of range"),
        (["ovs", "--first-vlan", "4094"], "VLANs 4094 to 4097 of 4 layers are out of range"),
        (["containerlab", "--name", "-"], "is not a name of a lab"),
        (["frr", "--table-size", "100"], "needs 196 prefix entries"),
    ],
)
def test_what_cannot_be_is_one_line_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    target, *more = arguments
    place = tmp_path / "bundle"
    assert run(["deploy", target, "slimfly:q=5", "almost-minimal:layers=4", *more, "-o", str(place)]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not place.exists()


# Priority flow control.


def followed(found: Priorities, tables: dict[str, Any], hops: int) -> list[tuple[str, int]]:
    """Follow a packet through the QoS maps of switches; return its priority group and output queue at each switch."""
    dscp, kind, passed = found.of_sl[0], pfc_sonic.HOST, []
    for hop in range(hops + 1):
        leaves = pfc_sonic.CABLE if hop < hops else pfc_sonic.HOST
        number = tables["DSCP_TO_TC_MAP"][kind][str(dscp)]
        passed.append(
            (tables["TC_TO_PRIORITY_GROUP_MAP"][kind][number], int(tables["TC_TO_QUEUE_MAP"][leaves][number]))
        )
        if found.by_hop:
            dscp = int(tables["TC_TO_DSCP_MAP"][leaves][number])
        kind = leaves
    return passed


@pytest.mark.parametrize(("scheme", "vcs"), [("dfsssp", None), ("lash", None), ("hops", 3), ("colouring", 3)])
def test_a_packet_is_queued_and_paused_by_the_priority_of_its_virtual_channel(scheme: str, vcs: int | None) -> None:
    routing = tulle.route(tulle.Fabric("slimfly:q=5", links=WIRED), "almost-minimal:layers=4")
    made = plan_of(routing.assign_vcs(scheme))
    assert made.vcs is not None
    found = pfc.priorities(made.vcs)
    names = {port.number: f"Ethernet{port.number}" for port in made.ports[0]}
    tables = pfc_sonic.tables(made, 0, names, found, pfc.Headroom())
    for hops in (1, 2, 3):
        passed = followed(found, tables, hops)
        # For each cable, the output queue and the priority group at the next switch belong to the cable's virtual
        # channel.
        for hop in range(hops):
            vc = hop if vcs else 0
            assert passed[hop][1] == found.of_vc[vc]
            assert passed[hop + 1][0] == str(found.of_vc[vc])
        assert passed[-1][1] in found.lossless
    other = {
        tables["TC_TO_QUEUE_MAP"][kind][tables["DSCP_TO_TC_MAP"][kind]["0"]]
        for kind in (pfc_sonic.CABLE, pfc_sonic.HOST)
    }
    assert other == {"0"}
    assert 0 not in found.lossless


def test_what_leaves_the_plan_is_lossy() -> None:
    """Check that a packet that travels one hop further than planned leaves the lossless queues."""
    routing = tulle.route(tulle.Fabric("slimfly:q=5", links=WIRED), "almost-minimal:layers=4")
    made = plan_of(routing.assign_vcs("hops"))
    assert made.vcs is not None
    found = pfc.priorities(made.vcs)
    names = {port.number: f"Ethernet{port.number}" for port in made.ports[0]}
    tables = pfc_sonic.tables(made, 0, names, found, pfc.Headroom())
    assert followed(found, tables, 4)[3] == (str(found.of_vc[2]), 0)


def test_hosts_mark_by_the_service_level_of_each_path() -> None:
    routing = tulle.route(tulle.Fabric("slimfly:q=5", links=WIRED), "almost-minimal:layers=4")
    made = plan_of(routing.assign_vcs("dfsssp"))
    assert made.vcs is not None
    files = dict(sonic_files.files(made, Numbering.of(made)))
    host = made.hosts[30]
    rows = [row.split(",") for row in files[f"hosts/{host.name}/dscp.csv"].splitlines()[1:]]
    found = pfc.priorities(made.vcs)
    assert len(rows) == 4 * 50
    for place, (prefix, dscp, kind) in enumerate(rows):
        layer, destination = divmod(place, 50)
        assert prefix == made.addressing.prefix(layer, destination)
        assert int(kind) == 4 * int(dscp)
        if destination != host.switch:
            assert int(dscp) == found.of_vc[made.vcs.sl[layer, host.switch, destination]]
    result = json.loads(files["pfc.json"])
    assert result["virtual_channels"][1] == {"virtual_channel": 1, "priority": 4, "dscp": 4}


def test_headroom_is_the_formula() -> None:
    """Check the headroom for 100 Gb/s and 5 m against 4224 + (9100 + 631.3 + 819 + 394·64)·4, in whole KiB."""
    cable = 2 * 5 / 198e6 * 100e9 / 8
    wanted = 4224 + (9100 + cable + 819 + 394 * 64) * 4
    assert pfc.Headroom().xoff(100_000, 5) == int(np.ceil(wanted / 1024)) * 1024
    # Without small packets, less headroom is enough. A longer cable needs more headroom.
    assert pfc.Headroom(cell=96, small_packets=0.0).xoff(100_000, 5) < pfc.Headroom(cell=96).xoff(100_000, 5)
    assert pfc.Headroom().xoff(100_000, 300) > pfc.Headroom().xoff(100_000, 5)


def test_every_port_pauses_and_queues_its_priorities() -> None:
    routing = tulle.route(tulle.Fabric("slimfly:q=5", links=WIRED), "almost-minimal:layers=4")
    for scheme, at_hosts in (("dfsssp", "3,4,5,6"), ("hops", "3")):
        made = plan_of(routing.assign_vcs(scheme))
        assert made.vcs is not None
        found = pfc.priorities(made.vcs)
        names = {port.number: f"Ethernet{port.number}" for port in made.ports[0]}
        tables = pfc_sonic.tables(made, 0, names, found, pfc.Headroom(), 1 << 25)
        for port in made.ports[0]:
            at = tables["PORT_QOS_MAP"][names[port.number]]["pfc_enable"]
            assert at == (",".join(map(str, found.lossless)) if port.channel is not None else at_hosts)
            spans = {key.split("|")[1] for key in tables["BUFFER_PG"] if key.startswith(f"{names[port.number]}|")}
            first, last = at[0], at[-1]
            assert spans == {"0", first if first == last else f"{first}-{last}"}
        needed, rooms = pfc_sonic.headroom_of_switch(made, 0, found, pfc.Headroom())
        assert int(tables["BUFFER_POOL"]["ingress_lossless_pool"]["size"]) == (1 << 25) - needed
        assert {row[:2] for row in rooms.values()} == {(100_000, 5)}


# Repairs.


@pytest.mark.parametrize("target", ["sonic", "ovs"])
def test_changes_lead_from_one_bundle_to_the_next(tmp_path: Path, target: str) -> None:
    """Check that a repair's commands turn the entries of the old bundle into those of the new bundle."""
    routing = tulle.route(tulle.Fabric("hyperx:shape=3x3", links=WIRED), "minimal")
    write = {"sonic": sonic_target, "ovs": ovs_target}[target].write_plan
    write(plan_of(routing), tmp_path / "before")
    bundle = read_bundle(tmp_path / "before")
    dead = find_failures(bundle.plan, cables=["s0-0:s0-1"])
    repaired = repair(bundle, dead)
    assert repaired is not None
    write_repair(repaired, tmp_path / "after")
    after = read_bundle(tmp_path / "after")
    suffix = {"sonic": "sh", "ovs": "bundle"}[target]
    commands: dict[str, list[str]] = {}
    for path in sorted((tmp_path / "after" / "changes").glob(f"*/*.{suffix}")):
        commands.setdefault(path.stem, []).extend(path.read_text().splitlines())
    assert commands
    for name in after.plan.names:
        first, second = (
            entries(place / "switches" / name, target) for place in (tmp_path / "before", tmp_path / "after")
        )
        for command in commands.get(name, []):
            apply(first, command)
        assert first == second


def entries(folder: Path, target: str) -> dict[Any, Any]:
    """Return a switch's forwarding entries: the match and the action of each."""
    if target == "sonic":
        tables = json.loads((folder / "config_db.json").read_text())
        return {f"STATIC_ROUTE|{key}": row for key, row in tables["STATIC_ROUTE"].items()}
    groups = dict(group_of(line) for line in (folder / "groups").read_text().splitlines())
    rows = [line.split(",actions=") for line in (folder / "flows").read_text().splitlines()]
    return {key: groups.get(action, action) for key, action in rows}


def group_of(line: str) -> tuple[str, str]:
    number, rest = line.removeprefix("group_id=").split(",", 1)
    return f"group:{number}", rest


def apply(table: dict[Any, Any], command: str) -> None:
    """Apply one command of a repair to a switch's table."""
    if command.startswith("sonic-db-cli"):
        _, _, verb, key, *fields = command.replace("'", "").split()
        if verb == "hset":
            table[key] = dict(zip(fields[::2], fields[1::2], strict=True))
        else:
            del table[key]
    elif command.startswith("group add_or_mod "):
        key, rest = group_of(command.removeprefix("group add_or_mod "))
        table["group", key] = rest
    elif command.startswith("flow add "):
        key, action = command.removeprefix("flow add ").split(",actions=")
        table[key] = table.pop(("group", action), action)
    else:
        del table[command.removeprefix("flow delete_strict ")]


def test_bgp_accepts_layers_from_planned_next_hops_only(tmp_path: Path) -> None:
    """Collect the prefixes that each port accepts, and compare them with the entries of the plan."""
    target("frr").bundle(tulle.route("slimfly:q=5", "almost-minimal:layers=3"), tmp_path, underlay="bgp")
    made = read_bundle(tmp_path).plan
    assert np.array_equal(made.routing.next_hop_groups[0], tulle.route("slimfly:q=5", "minimal").next_hop_groups[0])
    for switch, name in enumerate(made.names):
        lines = (tmp_path / "switches" / name / "frr.conf").read_text().splitlines()
        accepted = {
            (words[2].removeprefix("from-"), words[6])
            for words in map(str.split, lines)
            if words[:2] == ["ip", "prefix-list"] and words[2].startswith("from-")
        }
        planned = {
            (made.by_number[switch][port].name, prefix)
            for layer, _, prefix, hops in made.entries[switch]
            for port, _ in hops
            if layer
        }
        assert accepted == planned
        assert f"router bgp {4_200_000_000 + switch}" in lines
        assert f"  network {made.addressing.prefix(2, switch)}" in lines
        assert sum(" interface peer-group fabric" in line for line in lines) == 7


def test_bgp_needs_no_repair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target("frr").bundle(tulle.route("hyperx:shape=3x3", "minimal"), tmp_path / "b", underlay="bgp")
    made = read_bundle(tmp_path / "b").plan
    cable = ":".join(made.names[:2])
    assert run(["deploy", "repair", str(tmp_path / "b"), "--dead-cable", cable, "--dry-run"]) == 2
    message = capsys.readouterr().err
    assert "BGP, which finds other paths by itself" in message
    # The command of the message writes a bundle without the failed cable.
    (command,) = re.findall(r"`tulle (.*?)`", message)
    port = made.by_number[0][1]
    words = command.replace("SWITCH/PORT", f"{made.fabric.labels[0]}/{port.number}").replace(
        "NEW", str(tmp_path / "new")
    )
    assert run(shlex.split(words.replace("(", "'(").replace(")", ")'"))) == 0
    assert read_bundle(tmp_path / "new").plan.fabric.num_cables == made.fabric.num_cables - 1


def test_sonic_with_bgp(tmp_path: Path) -> None:
    """Check that SONiC's database has the interfaces and the AS number, and that FRR's file has the BGP sessions.

    Both files use SONiC's port names.
    """
    routing = tulle.route(tulle.Fabric("slimfly:q=5", links=WIRED), "almost-minimal:layers=2")
    target("sonic").bundle(routing, tmp_path, underlay="bgp")
    made = read_bundle(tmp_path).plan
    folder = tmp_path / "switches" / made.names[3]
    tables = json.loads((folder / "config_db.json").read_text())
    assert "STATIC_ROUTE" not in tables
    assert tables["DEVICE_METADATA"]["localhost"]["bgp_asn"] == "4200000003"
    assert tables["DEVICE_METADATA"]["localhost"]["docker_routing_config_mode"] == "split-unified"
    assert [*tables["INTERFACE"].values()] == [{"ipv6_use_link_local_only": "enable"}] * 7
    lines = (folder / "frr.conf").read_text().splitlines()
    assert {f" neighbor {name} interface peer-group fabric" for name in tables["INTERFACE"]} <= {*lines}
    assert not any(line.startswith(("ip route", "interface lo")) for line in lines)
    for options in ({"vlans": True}, {"link_prefix": "172.16.0.0/16"}):
        with pytest.raises(InputError, match="with --underlay bgp"):
            target("sonic").bundle(routing, tmp_path / "other", underlay="bgp", **options)


def test_bfd_monitors_every_next_hop(tmp_path: Path) -> None:
    routing = tulle.route(tulle.Fabric("hyperx:shape=3x3", links=WIRED), "minimal")
    target("frr").bundle(routing, tmp_path / "frr", bfd=True)
    plan = read_bundle(tmp_path / "frr").plan
    for switch, name in enumerate(plan.names):
        text = (tmp_path / "frr" / "switches" / name / "frr.conf").read_text()
        cables = [port for port in plan.ports[switch] if port.channel is not None]
        assert text.count("\n peer ") == len(cables)
        routes = [line for line in text.splitlines() if line.startswith("ip route ") and " eth" in line]
        monitored = [line for line in routes if line.endswith(" bfd profile fabric")]
        assert len(monitored) == sum(len(hops) for *_, hops in plan.entries[switch])
        assert len(routes) - len(monitored) == len(plan.hosts_at[switch])
        assert "bfdd=yes" in (tmp_path / "frr" / "switches" / name / "daemons").read_text()
    target("sonic").bundle(routing, tmp_path / "sonic", bfd=True)
    for name in plan.names:
        rows = json.loads((tmp_path / "sonic" / "switches" / name / "config_db.json").read_text())["STATIC_ROUTE"]
        assert {row["bfd"] for row in rows.values()} == {"true"}
    with pytest.raises(InputError, match="only for the default VRF"):
        target("sonic").bundle(routing, tmp_path / "other", vlans=True, bfd=True)
    with pytest.raises(InputError, match="BGP always has BFD sessions"):
        target("frr").bundle(routing, tmp_path / "other", underlay="bgp", bfd=True)
    # All packets go around this triangle in one direction: from switch 0 to 1 directly, from 1 to 0 over switch 2.
    ring = tulle.Fabric.from_edges([(0, 1), (1, 2), (2, 0)], endpoint_switch=[0, 1]).with_links(WIRED)
    one_way = tulle.Routing.from_next_hop(ring, around(ring))
    with pytest.raises(InputError, match="has routes in one direction only"):
        target("sonic").bundle(one_way, tmp_path / "other", bfd=True)
    assert not (tmp_path / "other").exists()


def around(ring: tulle.Fabric) -> Any:
    """Return a table that sends everything from each switch of a ring of three to the next one."""
    after = {pair: channel for channel, pair in enumerate(map(tuple, ring.channels.tolist()))}
    table = np.full((1, 3, 3), -1, dtype=np.int32)
    for at in range(3):
        for to in range(3):
            if at != to:
                table[0, at, to] = after[at, (at + 1) % 3]
    return table


def test_sonic_trims_packets_of_full_queues(tmp_path: Path) -> None:
    routing = tulle.route(tulle.Fabric("hyperx:shape=3x3", links=WIRED), "minimal")
    target("sonic").bundle(routing, tmp_path / "bundle", trim=128)
    tables = json.loads((tmp_path / "bundle" / "switches" / "s0-0" / "config_db.json").read_text())
    assert tables["SWITCH_TRIMMING"] == {"GLOBAL": {"size": "128", "dscp_value": "48", "queue_index": "6"}}
    ports = set(tables["PORT"])
    for port in ports:
        # Data packets use a queue that trims. At the next switch, trimmed packets use the queue with strict priority.
        profile = tables["BUFFER_PROFILE"][tables["BUFFER_QUEUE"][f"{port}|0"]["profile"]]
        assert profile["packet_discard_action"] == "trim"
        maps = tables["PORT_QOS_MAP"][port]
        queue = {
            dscp: tables["TC_TO_QUEUE_MAP"][maps["tc_to_queue_map"]][group]
            for dscp, group in tables["DSCP_TO_TC_MAP"][maps["dscp_to_tc_map"]].items()
        }
        assert queue.pop("48") == "6"
        assert set(queue.values()) == {"0"}
        assert tables["SCHEDULER"][tables["QUEUE"][f"{port}|6"]["scheduler"]] == {"type": "STRICT"}
    with pytest.raises(InputError, match="lossless queues drop no packets"):
        target("sonic").bundle(routing, tmp_path / "other", trim=128, deadlock="dfsssp")
    with pytest.raises(InputError, match="trim"):
        target("sonic").bundle(routing, tmp_path / "other", trim=63)
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("routing", "options", "problem"),
    [
        ("minimal", {"deadlock": "dfsssp"}, "nothing proves them free of deadlock"),
        ("minimal", {"link_prefix": "172.16.0.0/16"}, "links have no addresses"),
        ("reversed", {}, "has paths that are not minimal"),
        ("weighted", {}, "has next hops with weights, which BGP does not support; .*, or the target linux or ovs"),
    ],
)
def test_bgp_refuses(tmp_path: Path, routing: str, options: dict[str, str], problem: str) -> None:
    made = tulle.route("slimfly:q=5", "minimal" if routing == "minimal" else "almost-minimal:layers=2")
    if routing == "reversed":
        made = tulle.Routing.from_next_hop(made.fabric, made.next_hop[::-1])
    elif routing == "weighted":
        made = tulle.route("hyperx:shape=3x3", "minimal").weighted(7)
    with pytest.raises(InputError, match=problem):
        target("frr").bundle(made, tmp_path / "b", underlay="bgp", **options)
    assert not (tmp_path / "b").exists()
