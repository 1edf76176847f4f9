"""Load FRR's files with BGP into FRR: layers converge to the plan, and BFD and BGP alone route around a cut cable."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from patience import PATIENCE
from sandbox import Sandbox, missing

import tulle
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.verify import verify
from tulle.deploy.targets import target

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan

LACKS = missing("ip", "unshare", "nsenter", "nft", "zebra", "vtysh")
pytestmark = pytest.mark.skipif(bool(LACKS), reason=LACKS)

# The cable drops all packets, but its ends stay up. So only BFD detects the failure.
CUT = "add table inet cut; add chain inet cut {0} {{ type filter hook {0} priority 0; iifname {1} drop; }}"

Table = dict[str, set[str]]
"""The interfaces of the next hops, by prefix."""


def tables(sandbox: Sandbox, plan: EthernetPlan, folder: Path) -> list[Table]:
    """Read the kernel routes of each switch that BGP installed."""
    folder.mkdir(exist_ok=True)
    version = plan.addressing.version
    show = "".join(f"ip -{version} -n {name} -json route show > {folder}/{name}.json\n" for name in plan.names)
    sandbox.shell(show)
    return [
        {
            route["dst"]: {hop["dev"] for hop in route.get("nexthops", [route])}
            for route in json.loads((folder / f"{name}.json").read_text())
            if route.get("protocol") == "bgp" and "/" in route["dst"]
        }
        for name in plan.names
    ]


def planned(plan: EthernetPlan, gone: set[tuple[int, int]] = frozenset()) -> list[Table]:  # type: ignore[assignment]
    """Return, for each switch, the planned interfaces of every prefix. Each layer and destination switch has a prefix.

    `gone` has the two ends of a cut cable as (switch, port). Layer 0 then has the minimal paths of the remaining
    fabric. The other layers have only paths without the cable.
    """
    found: list[Table] = [{} for _ in plan.names]
    for destination in plan.destinations:
        for layer in range(plan.num_layers):
            hops = {
                switch: {port for port, _ in plan.hops(switch, layer, destination)} if switch != destination else set()
                for switch in range(len(plan.names))
            }
            if gone and layer == 0:
                hops = minimal(plan, destination, gone)
            reaches = {destination}
            while True:
                more = {
                    switch
                    for switch, ports in hops.items()
                    if switch not in reaches
                    and any((switch, port) not in gone and after(plan, switch, port) in reaches for port in ports)
                }
                if not more:
                    break
                reaches |= more
            for switch, ports in hops.items():
                alive = {port for port in ports if (switch, port) not in gone and after(plan, switch, port) in reaches}
                if switch != destination and alive:
                    names = {plan.by_number[switch][port].name for port in alive}
                    found[switch][plan.addressing.prefix(layer, destination)] = names
    return found


def after(plan: EthernetPlan, switch: int, port: int) -> int:
    return plan.peer(plan.by_number[switch][port])[0]


def minimal(plan: EthernetPlan, destination: int, gone: set[tuple[int, int]]) -> dict[int, set[int]]:
    """Return the ports of every switch on minimal paths, by breadth-first search without the cut cable."""
    ports = {
        switch: [
            port.number for port in plan.ports[switch] if port.channel is not None and (switch, port.number) not in gone
        ]
        for switch in range(len(plan.names))
    }
    far = {destination: 0}
    for switch in (order := [destination]):
        for port in ports[switch]:
            other = after(plan, switch, port)
            if other not in far:
                far[other] = far[switch] + 1
                order.append(other)
    return {
        switch: {port for port in ports[switch] if far[after(plan, switch, port)] == far[switch] - 1} for switch in far
    }


def waited(read: Callable[[], list[Table]], expected: list[Table], seconds: float = PATIENCE) -> float:
    """Wait until what is read is as expected; return how long this took."""
    start = time.monotonic()
    while True:
        found = read()
        if found == expected or time.monotonic() > start + seconds:
            assert found == expected
            return time.monotonic() - start
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("spec", "ipv6"),
    [
        ("slimfly:q=3,p=1", False),
        pytest.param("slimfly:q=5,p=1", False, marks=pytest.mark.large),
        ("clique:degree=4,p=1", True),
    ],
)
def test_bgp_converges_and_heals(tmp_path: Path, spec: str, ipv6: bool) -> None:
    bundle = tmp_path / "bundle"
    routing = tulle.route(spec, "almost-minimal:layers=3")
    target("frr").bundle(routing, bundle, underlay="bgp", ipv6=ipv6)
    plan = read_bundle(bundle).plan
    assert np.array_equal(plan.routing.next_hop_groups[0], tulle.route(spec, "minimal").next_hop_groups[0])
    cable = int(plan.fabric.cables[0])
    ends = [
        (switch, port)
        for switch, ports in enumerate(plan.ports)
        for port in ports
        if port.channel in (cable, int(plan.fabric.reverse[cable]))
    ]
    gone = {(switch, port.number) for switch, port in ends}
    with Sandbox() as sandbox:
        sandbox.wire(plan)
        folders = {name: bundle / "switches" / name for name in plan.names}
        for name, folder in folders.items():
            sandbox.run("ip", "netns", "exec", name, "sysctl", "-qp", str(folder / "sysctl.conf"))
        sandbox.frr(folders, ("staticd", "bgpd", "bfdd"))

        def read() -> list[Table]:
            return tables(sandbox, plan, tmp_path / "fib")

        converged = waited(read, planned(plan))
        verdict = verify(bundle, fib=[tmp_path / "fib"])
        assert verdict.agrees, verdict.differences[:3]
        for switch, port in ends:
            for hook in ("input", "forward"):
                sandbox.run("ip", "netns", "exec", plan.names[switch], "nft", CUT.format(hook, port.name))
        healed = waited(read, planned(plan, gone))
        for switch, _ in ends:
            sandbox.run("ip", "netns", "exec", plan.names[switch], "nft", "delete table inet cut")
        returned = waited(read, planned(plan))
    print(f"{spec}: converged {converged:.1f} s, healed {healed:.1f} s, returned {returned:.1f} s")
