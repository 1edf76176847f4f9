"""Check that all files of a bundle agree on the gateways of hosts, for every Ethernet target."""

from __future__ import annotations

import csv
import json
import re
from ipaddress import ip_address, ip_interface
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from deploy_commands import done

from tulle.deploy.bundle_header import ETHERNET
from tulle.deploy.targets import targets

if TYPE_CHECKING:
    from conftest import Cli

Json = dict[str, Any]

RATES = ("--link", "all:rate=100Gbps,length=5m")
BUNDLES = {
    "linux": ("linux",),
    "linux-6": ("linux", "--ipv6"),
    "frr": ("frr",),
    "frr-6": ("frr", "--ipv6"),
    "frr-bgp": ("frr", "--underlay", "bgp"),
    "sonic": ("sonic", *RATES),
    "sonic-6": ("sonic", "--ipv6", *RATES),
    "sonic-prefix": ("sonic", "--prefix", "10.64.0.0/12", *RATES),
    "sonic-vlans": ("sonic", "--vlans", *RATES),
    "sonic-bgp": ("sonic", "--underlay", "bgp", *RATES),
    "sonic-lossless": ("sonic", "--deadlock", "dfsssp", *RATES),
    "ovs": ("ovs",),
    "srv6": ("srv6",),
    "containerlab": ("containerlab",),
    "containerlab-linux": ("containerlab", "--switches", "linux"),
}


def test_every_ethernet_target_has_a_case() -> None:
    assert {target.name for target in targets() if target.format == ETHERNET} == {
        words[0] for words in BUNDLES.values()
    }


@pytest.mark.parametrize("name", BUNDLES)
def test_all_files_agree_on_the_gateways(
    tulle: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Check the gateways of ``plan.json`` against the files of hosts and of switches."""
    monkeypatch.chdir(tmp_path)
    target, *options = BUNDLES[name]
    done(tulle("deploy", target, "clique:degree=3,p=2", "almost-minimal:layers=2", *options, "-o", "b"))
    plan = json.loads(Path("b/plan.json").read_text())
    assert len(plan["hosts"]) == 8
    used = of_hosts(plan)
    if target == "ovs":
        # Switches forward Ethernet frames: there are no addresses to which hosts could send packets.
        assert {(tuple(host["gateways"]), host["gateway_mac"]) for host in plan["hosts"]} == {((), None)}
        assert {switch["router"] for switch in plan["switches"]} == {None}
        assert used == {}
        return
    assert used == {host["name"]: host["gateways"] for host in plan["hosts"]}
    for host in plan["hosts"]:
        assert len(host["gateways"]) == len(host["addresses"]) == len(plan["layers"])
        own = of_switch(target, host["switch"])
        assert {*host["gateways"]} <= own.keys(), "the switch has the address of each gateway"
        for layer, (address, gateway) in enumerate(zip(host["addresses"], host["gateways"], strict=True)):
            if target == "sonic":
                # The host has no neighbour entry, so the gateway must be in the host's own subnet and VLAN.
                assert ip_address(address) in own[gateway][0].network
                assert own[gateway][1] == (f"Vlan{1001 + layer}" if name == "sonic-vlans" else "Vlan1000")
        assert (host["gateway_mac"] is None) == (target == "sonic")
    if schema := json.loads(Path("b/plan.schema.json").read_text()):
        jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
        jsonschema.Draft202012Validator(schema).validate(plan)


def of_hosts(plan: Json) -> dict[str, list[str]]:
    """The gateways of each host by layer, as the files for hosts state them."""
    found: dict[str, list[str]] = {}
    for host in plan["hosts"]:
        name = host["name"]
        if (batch := Path("b/hosts") / name / "routes.batch").is_file():
            found[name] = re.findall(r" via (\S+) ", batch.read_text())
            neighbour = (batch.parent / "neighbours.batch").read_text().split()
            assert (neighbour[2], neighbour[4]) == (host["gateways"][0], host["gateway_mac"])
    if (table := Path("b/hosts.csv")).is_file():
        for row in csv.DictReader(table.read_text().splitlines()):
            if "gateway" in row:
                assert plan["layers"][int(row["layer"])] == row["layer_prefix"]
                found.setdefault(row["host"], []).append(row["gateway"])
    if (topology := Path("b/fabric.clab.yml")).is_file():
        sections = re.split(r"^    (\S+):$", topology.read_text(), flags=re.MULTILINE)
        known = {host["name"] for host in plan["hosts"]}
        for name, text in zip(sections[1::2], sections[2::2], strict=True):
            if name in known:
                found[name] = re.findall(r"route replace \S+ via (\S+) ", text)
    return found


def of_switch(target: str, name: str) -> dict[str, tuple[Any, str]]:
    """The addresses in the files of a switch, each with its prefix and its interface."""
    folder = Path("b/switches") / name
    if target == "sonic":
        tables = json.loads((folder / "config_db.json").read_text())
        keys = [key.split("|") for table in ("VLAN_INTERFACE", "LOOPBACK_INTERFACE") for key in tables[table]]
        rows = [(address, port) for port, *rest in keys for address in rest]
    elif (folder / "addresses.batch").is_file():
        words = [line.split() for line in (folder / "addresses.batch").read_text().splitlines()]
        rows = [(line[2], line[4]) for line in words]
    else:
        text = (folder / "frr.conf").read_text()
        rows = [(address, "lo") for address in re.findall(r"^interface lo\n ip\w* address (\S+)$", text, re.MULTILINE)]
    return {str(ip_interface(address).ip): (ip_interface(address), port) for address, port in rows}
