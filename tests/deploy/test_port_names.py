"""Load bundles of a fabric with names of ports into the kernel and FRR: tables and links agree with the bundle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from patience import LIFETIME
from sandbox import Sandbox, missing

import tulle
from tulle.cli.command import run
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.failures import Failures, read_failures
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.ethernet.verify import verify
from tulle.deploy.targets import frr, linux
from tulle.lab import lab
from tulle.lab.probe import probe

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(bool(missing("ip", "unshare", "nsenter")), reason=missing("ip", "unshare"))

# The order of these names is not the order of the ports' numbers.
NAMES = ("Ethernet48", "swp1s0", "enp65s0f0np0", "Ethernet0", "p-7.12")


def renamed(folder: Path) -> tulle.Routing:
    """Route a clique of five switches whose ports have `NAMES`, and whose hosts have the interface ens1f0."""
    fabric = tulle.Fabric("clique:degree=4,p=1")
    path = folder / "clique.json"
    fabric.write(path)
    document = json.loads(path.read_text())
    used = dict.fromkeys(range(5), 0)

    def port(switch: str) -> str:
        at = fabric.labels.index(switch) if switch in fabric.labels else int(switch)
        used[at] += 1
        return NAMES[(used[at] - 1 + at) % len(NAMES)]

    for cable in document["cables"]:
        cable["source_port"], cable["target_port"] = port(str(cable["a"])), port(str(cable["b"]))
    for endpoint in document["endpoints"]:
        endpoint["port"], endpoint["host_port"] = port(str(endpoint["switch"])), "ens1f0"
    path.write_text(json.dumps(document))
    return tulle.route(f"file:edges={path}", "random:layers=2,rho=0.8")


def test_the_kernel_has_the_names(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    linux.write_plan(plan_of(renamed(tmp_path)), place)
    try:
        one = lab.up(place, rate=1e8, lifetime=LIFETIME)
        found = probe(one.sandbox, one.bundle.plan)
        assert (found.paths, found.exact, found.wrong) == (40, 40, ())
        assert run(["lab", "fib", str(place), "-o", str(tmp_path / "tables")]) == 0
        assert run(["deploy", "verify", str(place), "--fib", str(tmp_path / "tables")]) == 0
        assert one.execute(one.bundle.plan.hosts[0].name, ["ip", "link", "show", "ens1f0"]) == 0
    finally:
        lab.down(place)


@pytest.mark.skipif(bool(missing("zebra", "vtysh")), reason=missing("zebra", "vtysh"))
def test_frr_has_the_names(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    frr.write_plan(plan_of(renamed(tmp_path)), place)
    plan = read_bundle(place).plan
    with Sandbox() as sandbox:
        sandbox.wire(plan)
        sandbox.frr({name: place / "switches" / name for name in plan.names})
        sandbox.tables(plan.names, tmp_path / "fib", plan.num_entries + 2 * len(plan.hosts))
        verdict = verify(place, fib=[tmp_path / "fib"])
        assert verdict.agrees, verdict.differences
        (tmp_path / "live").mkdir()
        for name in plan.names:
            (tmp_path / "live" / f"{name}.json").write_text(json.dumps(sandbox.ip(name, "link")))
        assert read_failures(plan, [tmp_path / "live"]) == Failures((), ())
        first = plan.channel_ports[0]
        sandbox.run("ip", "-n", plan.names[0], "link", "set", first.name, "down")
        for name in plan.names:
            (tmp_path / "live" / f"{name}.json").write_text(json.dumps(sandbox.ip(name, "link")))
        assert read_failures(plan, [tmp_path / "live"]).cables == (0,)
