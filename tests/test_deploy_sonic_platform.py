"""Check SONiC bundles: ports from a platform's files, breakout modes, forward error correction, roles of devices."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import tulle
from tulle import InputError
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.failures import find_failures
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.ethernet.platform_files import hardware_ports, platform_ports, read_modes
from tulle.deploy.ethernet.repair import repair, write_repair
from tulle.deploy.ethernet.sonic_platform import Platform, parse_mode
from tulle.deploy.ethernet.sonic_ports import HardwarePort, fec_of
from tulle.deploy.ethernet.sonic_roles import device_types
from tulle.deploy.targets import target

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

# Ports of four lanes, as in platform.json of switches with 32 QSFP28 ports.
MODES = {"1x100G[50G,40G,25G,10G]": 1, "2x50G[25G,10G]": 2, "4x25G[10G]": 4, "2x25G(2)+1x50G(2)": 3}
WIRED = ["all:rate=25Gbps"]


def platform(folder: Path, ports: int = 8) -> Path:
    """Write a ``platform.json``."""
    interfaces = {
        f"Ethernet{4 * at}": {
            "index": ",".join([str(at + 1)] * 4),
            "lanes": ",".join(str(4 * at + lane) for lane in range(4)),
            "breakout_modes": {
                mode: [f"etp{at + 1}{chr(97 + port) if count > 1 else ''}" for port in range(count)]
                for mode, count in MODES.items()
            },
        }
        for at in range(ports)
    }
    path = folder / "platform.json"
    path.write_text(json.dumps({"chassis": {"name": "toy"}, "interfaces": interfaces}))
    return path


def fabric(folder: Path, ports: dict[str, str], rates: tuple[str, str] = ("25Gbps", "25Gbps")) -> str:
    """Write two switches a and b with two cables; `ports` renames the ports a1, a2, b1 and b2."""
    cables = [
        {"a": "a", "b": "b", "rate": rates[at], "source_port": ports[f"a{at + 1}"], "target_port": ports[f"b{at + 1}"]}
        for at in range(2)
    ]
    hosts = [{"switch": name, "name": f"h{name}", "rate": rates[0]} for name in "ab"]
    switches = [{"name": "a"}, {"name": "b"}]
    path = folder / "fabric.json"
    document = {"format": "tulle fabric", "version": 1, "switches": switches, "cables": cables, "endpoints": hosts}
    path.write_text(json.dumps(document))
    return f"file:edges={path}"


def tables(bundle: Path, name: str) -> dict[str, dict[str, dict[str, Any]]]:
    found: dict[str, dict[str, dict[str, Any]]] = json.loads(
        (bundle / "switches" / name / "config_db.json").read_text()
    )
    return found


def test_breakout_modes_have_their_ports(tmp_path: Path) -> None:
    made = platform_ports(platform(tmp_path))
    assert isinstance(made, Platform)
    modes = made.modes["Ethernet4"]
    whole = HardwarePort(
        "Ethernet4",
        "4,5,6,7",
        "etp2",
        2,
        100000,
        "",
        "0",
        "100000,50000,40000,25000,10000",
        "Ethernet4",
        next(iter(MODES)),
    )
    assert modes["1x100G[50G,40G,25G,10G]"] == (whole,)
    rows = [(port.name, port.lanes, port.alias, port.subport, port.speed) for port in modes["4x25G[10G]"]]
    assert rows[0] == ("Ethernet4", "4", "etp2a", "1", 25000)
    assert rows[3] == ("Ethernet7", "7", "etp2d", "4", 25000)
    mixed = [(port.name, port.lanes, port.speeds) for port in modes["2x25G(2)+1x50G(2)"]]
    assert mixed == [("Ethernet4", "4", "25000"), ("Ethernet5", "5", "25000"), ("Ethernet6", "6,7", "50000")]
    assert [part.speeds for part in parse_mode("1x1000[100,10]", 1)] == [(1000, 100, 10)]
    assert [part.lanes for part in parse_mode("4x25G[10G](4)", 8)] == [1, 1, 1, 1]
    for wrong in ("25G", "0x25G", "4x25G+", "8x25G"):
        with pytest.raises(ValueError, match="breakout mode"):
            parse_mode(wrong, 4)


def test_a_note_says_that_lanes_and_aliases_are_made_up(tmp_path: Path, tulle: Cli) -> None:
    platform(tmp_path)
    options = ["clique:degree=3", "minimal", "--link", "all:rate=100Gbps", "-o", "bundle"]
    done = tulle("deploy", "sonic", *options)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("the lanes and aliases of ports in config_db.json are made up") == 1
    assert "write the bundle with --port-config" in done.stderr
    assert "made up" not in tulle("deploy", "sonic", *options, "--port-config", "platform.json", "--force").stderr


def test_names_and_rates_of_the_fabric_choose_the_mode(tmp_path: Path, tulle: Cli) -> None:
    platform(tmp_path)
    # Ethernet1 exists only if Ethernet0 is broken out into four ports. The fabric can also name ports by their aliases.
    spec = fabric(tmp_path, {"a1": "Ethernet0", "a2": "Ethernet1", "b1": "etp2a", "b2": "etp2b"})
    done = tulle("deploy", "sonic", spec, "minimal", "--port-config", "platform.json", "-o", "bundle")
    assert done.returncode == 0, done.stderr
    made = tables(tmp_path / "bundle", "a")
    assert made["BREAKOUT_CFG"]["Ethernet0"] == {"brkout_mode": "4x25G[10G]"}
    assert {name: (row["lanes"], row["alias"], row["subport"]) for name, row in made["PORT"].items()} == {
        "Ethernet0": ("0", "etp1a", "1"),
        "Ethernet1": ("1", "etp1b", "2"),
        "Ethernet2": ("2", "etp1c", "3"),
    }
    # The aliases name two ports at 25 Gb/s. The first mode that has these two ports is 2x50G[25G,10G].
    made = tables(tmp_path / "bundle", "b")
    assert made["BREAKOUT_CFG"]["Ethernet4"] == {"brkout_mode": "2x50G[25G,10G]"}
    assert made["PORT"]["Ethernet6"]["lanes"] == "6,7"
    assert made["DEVICE_NEIGHBOR"]["Ethernet6"] == {"name": "a", "port": "Ethernet1"}
    # A repair keeps modes, lanes and names.
    bundle = read_bundle(tmp_path / "bundle")
    found = repair(bundle, find_failures(bundle.plan, ["a/Ethernet0:b/Ethernet4"]))
    assert found is not None
    write_repair(found, tmp_path / "repaired")
    before, after = (tables(tmp_path / name, "a")["PORT"] for name in ("bundle", "repaired"))
    assert after == {name: row for name, row in before.items() if name != "Ethernet0"}
    assert (tmp_path / "repaired" / "changes" / "1" / "a.sh").read_text().count("Ethernet1") == 1


def test_names_count_before_aliases(tmp_path: Path) -> None:
    # Some platforms call the port Ethernet0 "Ethernet1" on its front panel.
    text = platform(tmp_path).read_text().replace('"etp1"', '"Ethernet1"').replace('"etp2"', '"Ethernet5"')
    (tmp_path / "platform.json").write_text(text)
    spec = fabric(tmp_path, {"a1": "Ethernet0", "a2": "Ethernet1", "b1": "Ethernet8", "b2": "Ethernet12"})
    target("sonic").bundle(tulle.route(spec, "minimal"), tmp_path / "bundle", port_config=tmp_path / "platform.json")
    made = tables(tmp_path / "bundle", "a")
    assert made["BREAKOUT_CFG"]["Ethernet0"] == {"brkout_mode": "4x25G[10G]"}
    assert made["PORT"]["Ethernet1"]["lanes"] == "1"


def test_speeds_must_be_those_of_the_mode(tmp_path: Path, tulle: Cli) -> None:
    platform(tmp_path)
    options = ("--port-config", "platform.json", "-o", "bundle")
    names = {"a1": "Ethernet0", "a2": "Ethernet2", "b1": "Ethernet0", "b2": "Ethernet4"}
    spec = fabric(tmp_path, names, ("50Gbps", "40Gbps"))
    done = tulle("deploy", "sonic", spec, "minimal", *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert (
        "a: no breakout mode of Ethernet0 has the ports Ethernet0 (50000 Mb/s), Ethernet2 (40000 Mb/s); " in done.stderr
    )
    assert f"legal: {', '.join(MODES)}" in done.stderr
    done = tulle("deploy", "sonic", "clique:degree=3", "minimal", "--link", "all:rate=400Gbps", *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "port Ethernet0: 400000 Mb/s is not a speed of its breakout mode 1x100G[50G,40G,25G,10G]" in done.stderr
    (tmp_path / "port_config.ini").write_text("# name lanes speed\nEthernet0 0,1,2,3 100000\n")
    spec = fabric(tmp_path, {"a1": "Ethernet0", "a2": "", "b1": "", "b2": ""}, ("400Gbps", "400Gbps"))
    done = tulle("deploy", "sonic", spec, "minimal", "--port-config", "port_config.ini", "-o", "bundle")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "bundle").exists()


def test_ports_without_names_are_broken_out_on_demand(tmp_path: Path, tulle: Cli) -> None:
    platform(tmp_path, 2)
    clique = ("deploy", "sonic", "clique:degree=3", "minimal", "--link", "all:rate=25Gbps", "-o", "bundle")
    options = ("--port-config", "platform.json")
    done = tulle(*clique, *options)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "uses port 3, but the platform has 2 ports" in done.stderr
    done = tulle(*clique, *options, "--breakout", "4x25G")
    assert done.returncode == 0, done.stderr
    made = tables(tmp_path / "bundle", read_bundle(tmp_path / "bundle").plan.names[0])
    assert {name: row["lanes"] for name, row in made["PORT"].items()}["Ethernet3"] == "3"
    assert made["BREAKOUT_CFG"] == {name: {"brkout_mode": "4x25G[10G]"} for name in {*made["BREAKOUT_CFG"]}}
    done = tulle(*clique, *options, "--breakout", "8x25G")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "--breakout 8x25G: no port has this mode; legal: 1x100G[50G,40G,25G,10G], " in done.stderr
    for flag, value in (("--breakout", "4x25G"), ("--hwsku", "hwsku.json")):
        (tmp_path / "hwsku.json").write_text('{"interfaces": {"Ethernet0": {"default_brkout_mode": "4x25G[10G]"}}}')
        done = tulle(*clique, flag, value)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert f"{flag} needs the platform's breakout modes; legal: with --port-config platform.json" in done.stderr


def test_the_hwsku_has_default_modes(tmp_path: Path) -> None:
    made = platform_ports(platform(tmp_path, 3))
    assert isinstance(made, Platform)
    file = tmp_path / "hwsku.json"
    rows = {
        # SONiC accepts a mode with the same ports, lanes and speeds, whatever its default speed is.
        "Ethernet0": {"default_brkout_mode": "2x25G[50G, 10G]", "fec": "fc"},
        "Ethernet4": {"default_brkout_mode": "4x25G[10G]", "fec": "N/A"},
    }
    file.write_text(json.dumps({"interfaces": rows}))
    chosen = made.with_modes(read_modes(file))
    # A port that is not in hwsku.json does not exist on the switch.
    assert [*chosen.modes] == ["Ethernet0", "Ethernet4"]
    ports = chosen.of(plan_of(tulle.route(tulle.Fabric("clique:degree=3", links=WIRED), "minimal")))
    assert [(port.name, port.speed, port.fec) for port in ports["s0"]][:3] == [
        ("Ethernet0", 25000, "fc"),
        ("Ethernet2", 25000, "fc"),
        ("Ethernet4", 25000, ""),
    ]
    file.write_text('{"interfaces": {"Ethernet0": {"default_brkout_mode": "1x400G"}}}')
    with pytest.raises(InputError, match="--hwsku: Ethernet0 has no mode 1x400G; legal: 1x100G"):
        made.with_modes(read_modes(file))
    file.write_text('{"interfaces": {"Ethernet64": {"default_brkout_mode": "1x100G"}}}')
    with pytest.raises(InputError, match="--hwsku names no port of the platform"):
        made.with_modes(read_modes(file))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON"),
        ("[]", "no object 'interfaces'"),
        ('{"interfaces": {}}', "no ports in 'interfaces'"),
        ('{"interfaces": {"Ethernet0": {"lanes": "0"}}}', "port Ethernet0 is invalid"),
        (
            '{"interfaces": {"Ethernet0": {"lanes": "0", "index": "x", "breakout_modes": {}}}}',
            "port Ethernet0 is invalid",
        ),
        (
            '{"interfaces": {"Ethernet0": {"lanes": "0", "index": "1", "breakout_modes": {"2x1G": ["a", "b"]}}}}',
            "breakout mode 2x1G: 2 ports cannot share 1 lanes",
        ),
        (
            '{"interfaces": {"Ethernet0": {"lanes": "0,1", "index": "1,1", "breakout_modes": {"2x1G": ["a"]}}}}',
            "breakout mode 2x1G needs 2 aliases and 2 lanes, but the file lists 1 and 2",
        ),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "platform.json"
    file.write_text(text)
    with pytest.raises(tulle.FormatError, match=message) as error:
        platform_ports(file)
    assert "\n" not in str(error.value)


def test_port_config_has_speeds_and_fec(tmp_path: Path) -> None:
    file = tmp_path / "port_config.ini"
    file.write_text(
        "# name lanes alias index speed fec\n"
        "Ethernet0 0,1,2,3 etp1 1 100000 none\n"
        "Ethernet4 4,5,6,7 etp2 2 400000 N/A\n"
        "Ethernet-BP0 8,9 Eth0-ASIC0 3 100000 rs\n"
    )
    # Ports between the chips of a chassis are not ports for cables.
    one, other = hardware_ports(file)
    assert (one.speed, one.fec) == (100000, "none")
    assert (other.speed, other.fec) == (400000, "")
    # At its default speed, a port has the platform's error correction mode.
    assert [fec_of(one, speed) for speed in (100_000, 200_000, 40_000, 25_000)] == ["none", "rs", "", ""]
    assert [fec_of(other, speed) for speed in (400_000, 100_000, 40_000)] == ["rs", "rs", ""]


def test_both_ends_of_a_cable_have_one_fec(tmp_path: Path, tulle: Cli) -> None:
    (tmp_path / "port_config.ini").write_text(
        "# name lanes alias index speed fec\nEthernet0 0,1,2,3 etp1 1 100000 rs\nEthernet4 4,5,6,7 etp2 2 100000 none\n"
        "Ethernet8 8,9,10,11 etp3 3 100000 none\n"
    )
    names = {"a1": "Ethernet0", "a2": "Ethernet4", "b1": "Ethernet0", "b2": "Ethernet4"}
    options = ("--port-config", "port_config.ini", "-o", "bundle")
    rates = ("100Gbps", "100Gbps")
    done = tulle("deploy", "sonic", fabric(tmp_path, names, rates), "minimal", *options)
    assert done.returncode == 0, done.stderr
    made = tables(tmp_path / "bundle", "a")["PORT"]
    assert {name: row["fec"] for name, row in made.items()} == {
        "Ethernet0": "rs",
        "Ethernet4": "none",
        "Ethernet8": "none",
    }
    crossed = fabric(tmp_path, {**names, "b1": "Ethernet4", "b2": "Ethernet0"}, rates)
    done = tulle("deploy", "sonic", crossed, "minimal", *options, "--force")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "cable a/Ethernet0:b/Ethernet4: forward error correction is rs at one end and none at the" in done.stderr
    done = tulle("deploy", "sonic", crossed, "minimal", *options, "--force", "--fec", "rs")
    assert done.returncode == 0, done.stderr
    assert {row["fec"] for row in tables(tmp_path / "bundle", "b")["PORT"].values()} == {"rs"}
    assert tulle("deploy", "repair", "bundle", "--dead-cable", "a/Ethernet0:b/Ethernet4", "-o", "next").returncode == 0
    assert {row["fec"] for row in tables(tmp_path / "next", "b")["PORT"].values()} == {"rs"}


def test_the_platform_has_speeds_that_the_fabric_lacks(tmp_path: Path) -> None:
    platform(tmp_path)
    routing = tulle.route("clique:degree=3", "minimal")
    target("sonic").bundle(routing, tmp_path / "bundle", port_config=tmp_path / "platform.json")
    name = read_bundle(tmp_path / "bundle").plan.names[0]
    assert {row["speed"] for row in tables(tmp_path / "bundle", name)["PORT"].values()} == {"100000"}
    with pytest.raises(InputError, match="port Ethernet0: its rate is unknown"):
        target("sonic").bundle(routing, tmp_path / "other")


def test_device_types_follow_roles_or_distances(tmp_path: Path) -> None:
    tree = plan_of(tulle.route("fattree:k=4", "minimal"))
    levels = tree.routing.fabric.levels.tolist()
    assert [*device_types(tree)] == [["ToRRouter", "LeafRouter", "SpineRouter"][level] for level in levels]
    flat = plan_of(tulle.route("slimfly:q=5", "minimal"))
    assert {*device_types(flat)} == {"ToRRouter"}
    roles = ["Leaf switch", "spine", "BackEndToRRouter", "top-of-rack", "Storage"]
    document = {
        "format": "tulle fabric",
        "version": 1,
        "switches": [{"name": f"s{at}", "role": role} for at, role in enumerate(roles)],
        "cables": [{"a": "s1", "b": f"s{at}", "rate": "100Gbps"} for at in (0, 2, 3, 4)],
        "endpoints": [{"switch": f"s{at}", "name": f"h{at}", "rate": "100Gbps"} for at in (0, 2, 3)],
    }
    (tmp_path / "roles.json").write_text(json.dumps(document))
    routing = tulle.route(f"file:edges={tmp_path / 'roles.json'}", "minimal")
    plan = plan_of(routing)
    assert device_types(plan) == ("LeafRouter", "SpineRouter", "BackEndToRRouter", "ToRRouter", "SpineRouter")
    target("sonic").bundle(routing, tmp_path / "bundle")
    made = tables(tmp_path / "bundle", "s0")
    assert made["DEVICE_METADATA"]["localhost"]["type"] == "LeafRouter"
    assert made["DEVICE_NEIGHBOR_METADATA"] == {"s1": {"lo_addr": plan.addressing.router(1), "type": "SpineRouter"}}


def test_rates_are_those_of_ports(tmp_path: Path, tulle: Cli) -> None:
    command = ["deploy", "sonic", "slimfly:q=3,p=1", "minimal", "-o", str(tmp_path / "b"), "--link"]
    done = tulle(*command, "all:rate=123Gbps")
    assert done.returncode == 2
    assert "123 Gb/s is not a speed of a SONiC port; legal: 0.01, 0.1, 1, 2.5, 5, 10" in done.stderr
    assert not (tmp_path / "b").exists()
    done = tulle(*command, "all:rate=100Gbps", "--underlay", "bgp")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "b" / "README.md").read_text()
    # The title has the routing that the user gave, although BGP computes its own paths.
    assert text.startswith("# slimfly:q=3,p=1: minimal on SONiC\n")
    assert "BFD reports a failed cable within 300 ms" in text
