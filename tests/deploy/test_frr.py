"""Load FRR's files into FRR, with one router per switch, and read the kernel's tables back."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest
from sandbox import Sandbox, missing

import tulle
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.failures import Failures
from tulle.deploy.ethernet.numbering import Numbering
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.ethernet.repair import repair, write_repair
from tulle.deploy.ethernet.transition import transition
from tulle.deploy.ethernet.verify import verify
from tulle.deploy.targets.frr import write_plan

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan

pytestmark = pytest.mark.skipif(
    bool(missing("ip", "unshare", "nsenter", "zebra", "vtysh")), reason=missing("ip", "zebra")
)


def meant(plan: EthernetPlan, switch: int) -> dict[str, set[tuple[str | None, str]]]:
    """Return a switch's planned gateways and ports for each prefix and for each address of its hosts."""
    links, ports = Numbering.of(plan), plan.by_number[switch]
    found: dict[str, set[tuple[str | None, str]]] = {
        address: {(None, f"eth{host.port}")} for host in plan.hosts_at[switch] for address in host.addresses
    }
    for _, _, prefix, hops in plan.entries[switch]:
        found[prefix] = {
            (links.address(plan.peer(ports[number])[1].channel), ports[number].name)  # type: ignore[arg-type]
            for number, _ in hops
        }
    return found


def loaded(path: Path) -> dict[str, set[tuple[str | None, str]]]:
    """Return the static routes of a dump: the gateways and ports of each prefix."""
    return {
        route["dst"]: {(hop.get("gateway"), hop["dev"]) for hop in route.get("nexthops", [route])}
        for route in json.loads(path.read_text())
        if route.get("protocol") == "static"
    }


def test_repairs_change_what_is_dead(tmp_path: Path) -> None:
    """Check that FRR has the tables of the repaired bundle after it runs the commands of a repair.

    The test repairs the bundle after a cable failure, and again after a switch failure. Then the switch returns.
    """
    place = tmp_path / "bundle"
    first = plan_of(tulle.route("jellyfish:switches=8,degree=3,p=1", "random:layers=3,rho=0.9"))
    write_plan(first, place)
    with Sandbox() as sandbox:
        sandbox.wire(first)
        sandbox.frr({name: place / "switches" / name for name in first.names})
        sandbox.tables(first.names, tmp_path / "fib", first.num_entries + 3 * len(first.hosts))
        for step, gone in enumerate([Failures((), (int(first.fabric.cables[5]),)), Failures((3,), ()), None]):
            bundle = read_bundle(place)
            # The returning switch still has the configuration of the second version.
            repaired = (
                transition(bundle, read_bundle(place / "versions" / "0002")) if gone is None else repair(bundle, gone)
            )
            assert repaired is not None
            write_repair(repaired, place)
            for round_ in sorted(path for path in (place / "changes").iterdir() if path.is_dir()):
                for file in sorted(round_.glob("*.conf")):
                    sandbox.run("vtysh", "-N", file.stem, "-f", str(file))
                    # A file may be loaded again. `README.md` names the message about routes that are already removed.
                    again = sandbox.run("vtysh", "-N", file.stem, "-f", str(file)).split("\n")
                    assert {*again} <= {"", "% Refusing to remove a non-existent route"}
            plan = read_bundle(place).plan
            tables = tmp_path / f"fib{step}"
            sandbox.tables(plan.names, tables, plan.num_entries + 3 * len(plan.hosts))
            verdict = verify(place, fib=[tables])
            assert verdict.agrees, verdict.differences[:3]


def hosts_reach_each_other(sandbox: Sandbox, plan: EthernetPlan, bundle: Path) -> None:
    """Check that two hosts, set up by the bundle, exchange a packet in every layer."""
    hosts = plan.hosts[0], plan.hosts[-1]
    for host in hosts:
        sandbox.run("ip", "netns", "add", host.name)
        where = plan.names[host.switch]
        sandbox.run("ip", "-n", where, "link", "set", f"x{host.port}", "netns", host.name, "name", "eth0")
        sandbox.run("ip", "netns", "exec", host.name, str(bundle / "hosts" / host.name / "up"))
    for layer, address in enumerate(hosts[1].addresses):
        talk = TALK.format(at=address, source=hosts[0].addresses[layer])
        listens = f"ip netns exec {hosts[1].name} {sys.executable} -c '{talk}' listen"
        sends = f"ip netns exec {hosts[0].name} {sys.executable} -c '{talk}' send"
        assert sandbox.shell(f"{listens} & {sends}; wait") == "heard\nanswered\n"


# With `listen`, this script answers one datagram; otherwise it sends datagrams until an answer arrives. It replaces
# `ping`, which hosts may lack.
TALK = """
import socket, sys
kind = socket.AF_INET6 if ":" in "{at}" else socket.AF_INET
wire = socket.socket(kind, socket.SOCK_DGRAM)
wire.settimeout(280)
if sys.argv[1] == "listen":
    wire.bind(("{at}", 5000))
    data, sender = wire.recvfrom(99)
    print("heard", flush=True)
    wire.sendto(data, sender)
else:
    wire.bind(("{source}", 0))
    wire.settimeout(0.2)
    for _ in range(1400):
        wire.sendto(b"hello", ("{at}", 5000))
        try:
            wire.recv(99)
            print("answered")
            break
        except OSError:
            pass
"""


@pytest.mark.parametrize(
    ("spec", "routing", "ipv6"),
    [
        ("slimfly:q=3", "almost-minimal:layers=4", False),
        pytest.param("slimfly:q=5", "almost-minimal:layers=4", False, marks=pytest.mark.large, id="large-slimfly"),
        ("dragonfly:p=1", "minimal", True),
        pytest.param("dragonfly:p=2", "random:layers=4,rho=0.7", True, marks=pytest.mark.large, id="large-dragonfly"),
        pytest.param(
            "jellyfish:switches=40,degree=5,p=2",
            "random:layers=4,rho=0.7",
            False,
            marks=pytest.mark.large,
            id="large-jellyfish",
        ),
    ],
)
def test_kernel_routes_are_the_plan(tmp_path: Path, spec: str, routing: str, ipv6: bool) -> None:
    plan = plan_of(tulle.route(spec, routing), ipv6=ipv6)
    bundle = tmp_path / "bundle"
    write_plan(plan, bundle)
    with Sandbox() as sandbox:
        sandbox.wire(plan)
        sandbox.frr({name: bundle / "switches" / name for name in plan.names})
        count = plan.num_entries + plan.num_layers * len(plan.hosts)
        tables = sandbox.tables(plan.names, tmp_path / "fib", count, ipv6=ipv6)
        show = f"show {'ipv6' if ipv6 else 'ip'} route json"
        (tmp_path / "frr").mkdir()
        some = plan.names[::10]
        for name in some:
            shown = sandbox.run("vtysh", "-N", name, "-c", show)
            (tmp_path / "frr" / f"{name}.json").write_text(shown)
        hosts_reach_each_other(sandbox, plan, bundle)
    assert {name: loaded(tables / f"{name}.json") for name in plan.names} == {
        name: meant(plan, switch) for switch, name in enumerate(plan.names)
    }
    read = read_bundle(bundle)
    verdict = verify(read, fib=[tables], frr=[tmp_path / "frr" / f"{name}.json" for name in some])
    assert verdict.agrees, verdict.differences
    for name in some:
        tags = {
            prefix: route["tag"]
            for prefix, routes in json.loads((tmp_path / "frr" / f"{name}.json").read_text()).items()
            for route in routes
            if route["protocol"] == "static"
        }
        assert {tags[prefix] - 100 == layer for layer, _, prefix, _ in plan.entries[plan.names.index(name)]} == {True}
