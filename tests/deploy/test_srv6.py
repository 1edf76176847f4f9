"""Check that packets with SRv6 source routes in the kernel cross exactly the cables of their paths.

A further test loads the SRv6 locators into FRR 8.4."""

from __future__ import annotations

import json
import sys
from ipaddress import IPv6Address
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sandbox import Sandbox, kernel_lacks, missing

import tulle
from tulle.deploy.ethernet.source_routes import source_routes
from tulle.deploy.targets.srv6 import write_routes

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import Host
    from tulle.deploy.ethernet.source_routes import SourceRoutes

LACKS = missing("ip", "unshare", "nsenter")
HERE = Path(__file__).parent
SEG6 = (
    "ip link add eth1 type veth peer eth2 && ip link set eth1 up && "
    "ip -6 route add fd00:5::/64 encap seg6 mode encap.red segs fd00:6::,fd00:7:: dev eth1 && "
    "ip -6 route add fd00:6::/48 encap seg6local action End.X nh6 fe80::1 flavors next-csid lblen 32 nflen 16 dev eth1"
)
if not LACKS and kernel_lacks(SEG6):
    LACKS = "the kernel has no segment routing (CONFIG_IPV6_SEG6_LWTUNNEL), or no NEXT-CSID of ports (Linux 6.6)"


def parallel_cables() -> tulle.Fabric:
    """Return a ring of four switches; two pairs of neighbours have two parallel cables each."""
    edges = [(0, 1), (0, 1), (1, 2), (2, 3), (2, 3), (3, 0)]
    return tulle.Fabric.from_edges(edges, endpoint_switch=[0, 1, 2, 3])


def probe(made: SourceRoutes, source: Host, other: Host, path: int) -> str:
    """Return the Ethernet, IPv6 and UDP headers of a frame between two hosts; the addresses select the given path."""
    port = made.plan.by_number[source.switch][source.port]
    addresses = IPv6Address(source.addresses[path]).packed + IPv6Address(other.addresses[path]).packed
    length = 8 + 22
    inside = b"\x60\x00\x00\x00" + length.to_bytes(2, "big") + b"\x11\x40" + addresses
    udp = (5000).to_bytes(2, "big") + (9).to_bytes(2, "big") + length.to_bytes(2, "big") + b"\x12\x34"
    ethernet = bytes.fromhex(port.mac.replace(":", "") + source.mac.replace(":", "")) + b"\x86\xdd"
    return (ethernet + inside + udp).hex()


@pytest.mark.skipif(bool(LACKS), reason=LACKS)
@pytest.mark.parametrize(
    ("fabric", "routing", "most"),
    [
        ("hyperx:shape=3x3,p=1", "redksp:k=3", 1),
        ("torus:shape=14,p=1", "minimal", 2),
        (None, "ksp:k=4", 2),
    ],
)
def test_packets_take_their_paths(tmp_path: Path, fabric: str | None, routing: str, most: int) -> None:
    made = source_routes(tulle.route(fabric or parallel_cables(), routing))
    plan = made.plan
    assert max(len(route.addresses) for routes in made.routes for route in routes) == most
    write_routes(made, tmp_path / "bundle")
    ports = [(name, f"x{plan.hosts_at[switch][0].port}") for switch, name in enumerate(plan.names)]
    ports += [
        (plan.names[int(plan.fabric.channels[channel, 0])], port.name)
        for channel, port in enumerate(plan.channel_ports)
    ]
    asked, frames = [], []
    for source, routes in enumerate(made.routes):
        for route in routes:
            one, other = plan.hosts_at[source][0], plan.hosts_at[route.destination][0]
            asked.append(route)
            frames.append((source, probe(made, one, other, route.path)))
    with Sandbox() as sandbox:
        sandbox.wire(plan)
        for name in plan.names:
            sandbox.run("ip", "netns", "exec", name, str(tmp_path / "bundle" / "switches" / name / "up"))
        text = json.dumps({"ports": ports, "frames": frames})
        found = json.loads(sandbox.run(sys.executable, str(HERE / "frames.py"), text=text))
        name = plan.names[0]
        sandbox.run("ip", "netns", "exec", name, str(tmp_path / "bundle" / "switches" / name / "undo"))
        left = sandbox.run("ip", "-6", "-n", name, "route", "show", "proto", "84")
        assert left == ""
    for route, rows in zip(asked, found, strict=True):
        came = [port for port, leaves, _ in rows if not leaves and port < len(plan.names)]
        passed = [port - len(plan.names) for port, leaves, _ in rows if leaves and port >= len(plan.names)]
        assert came == [route.destination]
        assert sorted(passed) == sorted(route.channels)


FRR_LACKS = missing("ip", "zebra", "vtysh")


@pytest.mark.skipif(bool(FRR_LACKS), reason=FRR_LACKS)
def test_frr_has_the_locator(tmp_path: Path) -> None:
    """Check that FRR 8.4 loads SRv6 locators; it supports neither static segments nor routes that use segments."""
    made = source_routes(tulle.route("hyperx:shape=3x3,p=1", "ksp:k=2"))
    plan = made.plan
    write_routes(made, tmp_path / "bundle")
    name = plan.names[4]
    folder = tmp_path / "bundle" / "switches" / name
    (folder / "vtysh.conf").write_text("service integrated-vtysh-config\n")
    with Sandbox() as sandbox:
        sandbox.wire(plan, [4])
        sandbox.frr({name: folder})
        shown = sandbox.run("vtysh", "-N", name, "-c", "show segment-routing srv6 locator json")
        tables = sandbox.tables([name], tmp_path / "fib", 4 + 2, ipv6=True)
    (locator,) = json.loads(shown)["locators"]
    assert (locator["prefix"], locator["statusUp"]) == ("fcbb:bb00:5::/48", True)
    routes = {route["dst"]: route["dev"] for route in json.loads((tables / f"{name}.json").read_text())}
    assert {routes[f"fcbb:bb00:{node}::/48"] for node in ("2", "4", "6", "8")} == {"eth1", "eth2", "eth3", "eth4"}
