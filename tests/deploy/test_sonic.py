"""Load the routes of SONiC's configuration into FRR as SONiC does, and check the configuration with SONiC's models."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from sandbox import PATH, Sandbox, kernel_lacks, missing
from sonic_yang import faults, prepare

import tulle
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.ethernet.verify import verify
from tulle.deploy.targets import target
from tulle.deploy.targets.sonic import write_plan

MODELS = os.environ.get("TULLE_SONIC_YANG", "")
WIRED = ["all:rate=100Gbps,length=5m"]

NO_VRF = not missing("ip") and kernel_lacks(
    "ip link add vrf9 type vrf table 9 && ip link add eth1 type veth peer eth2 && "
    "ip link add link eth1 name eth1.5 type vlan id 5"
)

Tables = dict[str, dict[str, dict[str, Any]]]


def configuration(bundle: Path, name: str) -> Tables:
    tables: Tables = json.loads((bundle / "switches" / name / "config_db.json").read_text())
    return tables


def as_frr(tables: Tables) -> str:
    """Return the addresses and routes of a configuration as FRR commands, in the form of SONiC's StaticRouteMgr.

    A route has a list of gateway addresses and a list of interfaces; entries at the same position form a next hop.
    SONiC gives tag 2 to routes that it does not advertise.
    """
    lines = []
    for table, port in (("INTERFACE", str), ("VLAN_SUB_INTERFACE", str), ("LOOPBACK_INTERFACE", lambda _: "lo")):
        for key in tables.get(table, {}):
            if "|" in key:
                name, address = key.split("|")
                family = "ipv6" if ":" in address else "ip"
                lines += [f"interface {port(name)}", f" {family} address {address}", "exit"]
    for key, row in tables["STATIC_ROUTE"].items():
        vrf, prefix = key.split("|")
        assert row["advertise"] == "false"
        family = "ipv6" if ":" in prefix else "ip"
        inside = "" if vrf == "default" else f" vrf {vrf}"
        gateways, ports = row["nexthop"].split(","), row["ifname"].split(",")
        hops = zip(gateways, ports, strict=True)
        lines += [f"{family} route {prefix} {gateway} {port}{inside} tag 2" for gateway, port in hops]
    return "\n".join([*lines, ""])


def layers(tables: Tables) -> list[str]:
    """Return ``ip`` commands that create the VRFs and sub-interfaces of a configuration."""
    lines = []
    for number, vrf in enumerate(tables["VRF"], 100):
        lines += [f"link add {vrf} type vrf table {number}", f"link set {vrf} up"]
    for name, row in tables["VLAN_SUB_INTERFACE"].items():
        if "|" not in name:
            port = name.split(".")[0]
            lines.append(f"link add link {port} name {name} type vlan id {row['vlan']}")
            lines.append(f"link set {name} master {row['vrf_name']} up")
    return lines


@pytest.mark.skipif(bool(missing("ip", "zebra", "vtysh")), reason=missing("ip", "zebra", "vtysh"))
@pytest.mark.parametrize(
    ("spec", "routing", "ipv6", "vlans", "some"),
    [
        ("slimfly:q=5", "almost-minimal:layers=4", False, False, range(0, 50, 7)),
        ("dragonfly:p=1", "minimal", True, False, range(6)),
        pytest.param(
            *("slimfly:q=5", "almost-minimal:layers=4", False, False, range(50)),
            marks=pytest.mark.large,
            id="large",
        ),
        pytest.param(
            *("slimfly:q=5", "almost-minimal:layers=4", False, True, range(0, 50, 7)),
            marks=pytest.mark.skipif(
                NO_VRF, reason="the kernel has no VRF (CONFIG_NET_VRF) or no 802.1Q (CONFIG_VLAN_8021Q)"
            ),
        ),
    ],
)
def test_all_routes_are_active(tmp_path: Path, spec: str, routing: str, ipv6: bool, vlans: bool, some: range) -> None:
    """Check that FRR selects and installs each route of a configuration with all its next hops."""
    plan = plan_of(tulle.route(tulle.Fabric(spec, links=WIRED), routing), ipv6=ipv6)
    bundle = tmp_path / "bundle"
    write_plan(plan, bundle, vlans=vlans)
    folders = {}
    wanted = {}
    for switch in some:
        name = plan.names[switch]
        tables = configuration(bundle, name)
        folders[name] = tmp_path / name
        folders[name].mkdir()
        (folders[name] / "frr.conf").write_text(as_frr(tables))
        (folders[name] / "vtysh.conf").write_text("service integrated-vtysh-config\n")
        wanted[name] = {
            key.split("|")[1]: {*zip(row["nexthop"].split(","), row["ifname"].split(","), strict=True)}
            for key, row in tables["STATIC_ROUTE"].items()
        }
        assert len(wanted[name]) == plan.entries_per_switch[switch]
    with Sandbox() as sandbox:
        sandbox.wire(plan, [*some], lambda port: f"Ethernet{4 * (port.number - 1)}")
        if vlans:
            for name in folders:
                sandbox.batch(layers(configuration(bundle, name)), name)
        sandbox.frr(folders)
        count = sum(map(len, wanted.values()))
        sandbox.tables(list(folders), tmp_path / "fib", count, ipv6=ipv6)
        show = f"show {'ipv6' if ipv6 else 'ip'} route {'vrf all ' if vlans else ''}static json"
        shown = {name: json.loads(sandbox.run("vtysh", "-N", name, "-c", show)) for name in folders}
    if not vlans:
        (tmp_path / "frr").mkdir()
        for name, routes in shown.items():
            (tmp_path / "frr" / f"{name}.json").write_text(json.dumps(routes))
        read = read_bundle(bundle)
        dumps = {what: [tmp_path / what / f"{name}.json" for name in folders] for what in ("fib", "frr")}
        verdict = verify(read, **dumps)
        assert verdict.agrees, verdict.differences
    for name, routes in wanted.items():
        active = {
            prefix: {
                (hop["ip"], hop["interfaceName"]) for hop in route["nexthops"] if hop.get("active") and hop.get("fib")
            }
            for table in (shown[name].values() if vlans else [shown[name]])
            for prefix, rows in table.items()
            for route in rows
            if route.get("selected") and route.get("installed")
        }
        assert active == routes


@pytest.mark.skipif(
    not MODELS, reason="TULLE_SONIC_YANG names no folder of SONiC's YANG models (src/sonic-yang-models)"
)
@pytest.mark.skipif(shutil.which("yanglint", path=PATH) is None, reason="needs the Debian package libyang2-tools")
@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize(
    ("vlans", "deadlock", "memory"),
    [(False, None, None), (True, None, None), (False, "dfsssp", 1 << 26), (False, "hops", None)],
)
def test_configurations_are_valid(
    tmp_path: Path, ipv6: bool, vlans: bool, deadlock: str | None, memory: int | None
) -> None:
    """Check configurations with yanglint against SONiC's YANG models."""
    models = prepare(Path(MODELS), tmp_path / "yang")
    routing = tulle.route(tulle.Fabric("slimfly:q=5", links=WIRED), "almost-minimal:layers=4")
    what = routing if deadlock is None else routing.assign_vcs(deadlock)
    plan = plan_of(what, ipv6=ipv6)
    write_plan(plan, tmp_path / "bundle", vlans=vlans, buffer=memory)
    for name in (plan.names[0], plan.names[37]):
        tables = configuration(tmp_path / "bundle", name)
        assert faults(tables, models, tmp_path) == ""
    tables["PORT"]["Ethernet4"]["fec"] = "firecode"
    assert "fec" in faults(tables, models, tmp_path)
    del tables["PORT"]["Ethernet4"]["fec"]
    tables["DEVICE_METADATA"]["localhost"]["type"] = "Leaf"
    assert "type" in faults(tables, models, tmp_path)
    tables["DEVICE_METADATA"]["localhost"]["type"] = "LeafRouter"
    # yanglint must find a wrong value.
    tables["PORT"]["Ethernet0"]["speed"] = "99999999"
    assert "speed" in faults(tables, models, tmp_path)


@pytest.mark.skipif(
    not MODELS, reason="TULLE_SONIC_YANG names no folder of SONiC's YANG models (src/sonic-yang-models)"
)
@pytest.mark.skipif(shutil.which("yanglint", path=PATH) is None, reason="needs the Debian package libyang2-tools")
def test_trimming_segments_and_bfd_are_valid(tmp_path: Path) -> None:
    """Check trimming, BFD and the micro segments of SRv6 with yanglint, which must also find wrong values."""
    models = prepare(Path(MODELS), tmp_path / "yang")
    routing = tulle.route(tulle.Fabric("hyperx:shape=2x2x2", links=WIRED), "minimal")
    target("sonic").bundle(routing, tmp_path / "bundle", bfd=True, trim=128)
    name = read_bundle(tmp_path / "bundle").plan.names[0]
    tables = configuration(tmp_path / "bundle", name)
    assert faults(tables, models, tmp_path) == ""
    tables["SWITCH_TRIMMING"]["GLOBAL"]["dscp_value"] = "64"
    assert "dscp" in faults(tables, models, tmp_path).lower()
    del tables["SWITCH_TRIMMING"]
    edges = [(0, 1), (0, 1), (1, 2), (2, 3), (2, 3), (3, 0)]
    ring = tulle.Fabric.from_edges(edges, endpoint_switch=[0, 1, 2, 3]).with_links(WIRED)
    target("srv6").bundle(tulle.route(ring, "ksp:k=4"), tmp_path / "srv6", sonic=True)
    target("sonic").bundle(tulle.route(ring, "minimal"), tmp_path / "ports")
    for name in read_bundle(tmp_path / "ports").plan.names:
        more = json.loads((tmp_path / "srv6" / "switches" / name / "sonic-srv6.json").read_text())
        assert any(row["action"] == "uA" for row in more["SRV6_MY_SIDS"].values())
        both = {"PORT": configuration(tmp_path / "ports", name)["PORT"], **more}
        assert faults(both, models, tmp_path) == ""
    next(row for row in both["SRV6_MY_SIDS"].values() if row["action"] == "uA")["interface"] = "Ethernet999"
    assert "Ethernet999" in faults(both, models, tmp_path)


@pytest.mark.skipif(
    not MODELS, reason="TULLE_SONIC_YANG names no folder of SONiC's YANG models (src/sonic-yang-models)"
)
@pytest.mark.skipif(shutil.which("yanglint", path=PATH) is None, reason="needs the Debian package libyang2-tools")
def test_platform_ports_are_valid(tmp_path: Path) -> None:
    """Check ports of a platform with breakout modes, device types and forward error correction with yanglint."""
    models = prepare(Path(MODELS), tmp_path / "yang")
    interfaces = {
        f"Ethernet{8 * at}": {
            "index": ",".join([str(at + 1)] * 8),
            "lanes": ",".join(str(8 * at + lane) for lane in range(8)),
            "breakout_modes": {
                "1x400G[200G]": [f"etp{at + 1}"],
                "4x100G[50G](8)": [f"etp{at + 1}{part}" for part in "abcd"],
            },
        }
        for at in range(4)
    }
    file = tmp_path / "platform.json"
    file.write_text(json.dumps({"interfaces": interfaces}))
    routing = tulle.route(tulle.Fabric("fattree:k=4", links=WIRED), "minimal")
    target("sonic").bundle(routing, tmp_path / "bundle", port_config=file, breakout="4x100G")
    types = set()
    for name in read_bundle(tmp_path / "bundle").plan.names:
        tables = configuration(tmp_path / "bundle", name)
        assert faults(tables, models, tmp_path) == ""
        types.add(tables["DEVICE_METADATA"]["localhost"]["type"])
        assert {row["brkout_mode"] for row in tables["BREAKOUT_CFG"].values()} == {"4x100G[50G](8)"}
        assert {(row["fec"], len(row["lanes"].split(","))) for row in tables["PORT"].values()} == {("rs", 2)}
    assert types == {"ToRRouter", "LeafRouter", "SpineRouter"}
