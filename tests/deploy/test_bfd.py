"""Load FRR's files with static routes and BFD into FRR 8.5 or later: BFD alone removes the next hops of a cut cable."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from sandbox import PATH, Sandbox, missing
from test_bgp import CUT, Table, waited

import tulle
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.targets import target

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan

STATIC = ("static", "196")
"""FRR's protocol number of static routes, with and without a name in iproute2's table."""


def lacks() -> str:
    """Return why the test cannot run; an empty string if it can."""
    if reason := missing("ip", "unshare", "nsenter", "nft", "zebra", "vtysh"):
        return reason
    zebra = shutil.which("zebra", path=PATH) or ""
    shown = subprocess.run([zebra, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"version (\d+)\.(\d+)", shown)
    if version and (int(version[1]), int(version[2])) >= (8, 5):
        return ""
    return f"needs FRR 8.5 or later for BFD with static routes; this one is {shown.splitlines()[0] if shown else '?'}"


LACKS = lacks()


def tables(sandbox: Sandbox, plan: EthernetPlan) -> list[Table]:
    """Read the static routes to other switches from each switch's kernel."""
    found = []
    for name in plan.names:
        routes = sandbox.ip(name, "-6" if plan.addressing.version == 6 else "-4", "route", "show")
        table: Table = {}
        for route in routes:
            if "/" in route["dst"] and route["protocol"] in STATIC:
                table[route["dst"]] = {hop["dev"] for hop in route.get("nexthops", [route])}
        found.append(table)
    return found


def sessions(sandbox: Sandbox, plan: EthernetPlan) -> list[dict[str, set[str]]]:
    """Read the state of the BFD session of each port from each switch's daemon."""
    found = []
    for name in plan.names:
        peers = json.loads(sandbox.run("ip", "netns", "exec", name, "vtysh", "-N", name, "-c", "show bfd peers json"))
        found.append({peer["interface"]: {peer["status"]} for peer in peers})
        assert len(found[-1]) == len(peers)
    return found


def planned(plan: EthernetPlan, gone: frozenset[tuple[int, str]] = frozenset()) -> list[Table]:
    """Return the planned next hops without those of a cut cable, whose ends are `gone`."""
    found: list[Table] = []
    for switch, entries in enumerate(plan.entries):
        table: Table = {}
        for _, _, prefix, hops in entries:
            names = {plan.by_number[switch][port].name for port, _ in hops}
            if alive := {name for name in names if (switch, name) not in gone}:
                table[prefix] = alive
        found.append(table)
    return found


@pytest.mark.skipif(bool(LACKS), reason=LACKS)
@pytest.mark.parametrize(("spec", "ipv6"), [("slimfly:q=3,p=1", False), ("clique:degree=4,p=1", True)])
def test_bfd_removes_next_hops_of_a_cut_cable(tmp_path: Path, spec: str, ipv6: bool) -> None:
    bundle = tmp_path / "bundle"
    target("frr").bundle(tulle.route(spec, "almost-minimal:layers=3"), bundle, bfd=True, ipv6=ipv6)
    plan = read_bundle(bundle).plan
    cable = int(plan.fabric.cables[0])
    ends = [
        (switch, port.name)
        for switch, ports in enumerate(plan.ports)
        for port in ports
        if port.channel in (cable, int(plan.fabric.reverse[cable]))
    ]
    with Sandbox() as sandbox:
        sandbox.wire(plan)
        folders = {name: bundle / "switches" / name for name in plan.names}
        for name, folder in folders.items():
            sandbox.run("ip", "netns", "exec", name, "sysctl", "-qp", str(folder / "sysctl.conf"))
        sandbox.frr(folders, ("staticd", "bfdd"))
        loaded = waited(lambda: tables(sandbox, plan), planned(plan))
        up = [{port.name: {"up"} for port in ports if port.channel is not None} for ports in plan.ports]
        # On a busy machine, a session can be down for a moment.
        waited(lambda: sessions(sandbox, plan), up)
        for switch, port in ends:
            for hook in ("input", "forward"):
                sandbox.run("ip", "netns", "exec", plan.names[switch], "nft", CUT.format(hook, port))
        removed = waited(lambda: tables(sandbox, plan), planned(plan, frozenset(ends)))
        for switch, _ in ends:
            sandbox.run("ip", "netns", "exec", plan.names[switch], "nft", "delete table inet cut")
        returned = waited(lambda: tables(sandbox, plan), planned(plan))
    print(f"{spec}: loaded {loaded:.1f} s, removed {removed:.1f} s, returned {returned:.1f} s")
