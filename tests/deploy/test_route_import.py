"""Check that imported route tables of real kernels and of FRR give the routing that the bundle deploys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import labs
import pytest
import sandbox as sandboxes
from route_dumps import ends, fabric_of
from sandbox import Sandbox

import tulle
from tulle.deploy.ethernet.import_routes import read_routing
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.targets.frr import write_plan
from tulle.errors import InputError
from tulle.lab import fib

if TYPE_CHECKING:
    from pathlib import Path

needs_lab = pytest.mark.skipif(bool(labs.missing()), reason=labs.missing() or "-")
FRR = "ip", "unshare", "nsenter", "zebra", "vtysh"
needs_frr = pytest.mark.skipif(bool(sandboxes.missing(*FRR)), reason=sandboxes.missing("ip", "zebra"))


@needs_lab
@pytest.mark.parametrize("ipv6", [False, True])
def test_kernel_routes_of_a_lab(tmp_path: Path, ipv6: bool) -> None:
    """Check the import of all kernels' tables, and the error if one kernel has lost a route."""
    with labs.built(tmp_path / "bundle", "slimfly:q=5,p=1", "almost-minimal:layers=4", ipv6=ipv6) as one:
        plan, place = one.bundle.plan, tmp_path / "routes"
        fabric = fabric_of(plan)
        place.mkdir()

        def dump() -> None:
            for name, text in fib.tables(one.sandbox, plan).items():
                (place / f"{name}.json").write_text(text)

        dump()
        found = read_routing(fabric, [place])
        assert ends(found.routing) == ends(plan.routing)
        assert found.notes == ()
        assert found.destinations[7][2] == f"{plan.hosts_at[7][0].addresses[2]}/{plan.addressing.host_length}"
        family = ["ip", "-6"] if ipv6 else ["ip"]
        assert one.execute(plan.names[3], [*family, "route", "del", plan.addressing.prefix(1, 9)]) == 0
        dump()
        with pytest.raises(InputError, match=f"switch {plan.names[3]} has no route to "):
            read_routing(fabric, [place])


@needs_frr
@pytest.mark.parametrize("ipv6", [False, True])
def test_routes_of_frr(tmp_path: Path, ipv6: bool) -> None:
    """Check the import of FRR's own output, and of the routes that FRR loads into the kernels."""
    plan = plan_of(tulle.route("dragonfly:p=1", "spread:layers=2"), ipv6=ipv6)
    write_plan(plan, tmp_path / "bundle")
    with Sandbox() as sandbox:
        sandbox.wire(plan)
        sandbox.frr({name: tmp_path / "bundle" / "switches" / name for name in plan.names})
        count = plan.num_entries + plan.num_layers * len(plan.hosts)
        sandbox.tables(plan.names, tmp_path / "fib", count, ipv6=ipv6)
        for tool in ("frr", "ip"):
            (tmp_path / tool).mkdir()
            for name in plan.names:
                show = f"show {'ipv6' if ipv6 else 'ip'} route json"
                family = "-6" if ipv6 else "-4"
                command = ["vtysh", "-N", name, "-c", show]
                if tool == "ip":
                    command = ["ip", family, "-n", name, "-json", "route", "show", "table", "all"]
                text = sandbox.run(*command)
                assert json.loads(text)
                (tmp_path / tool / f"{name}.json").write_text(text)
    for tool in ("frr", "ip"):
        found = read_routing(fabric_of(plan), [tmp_path / tool])
        assert ends(found.routing) == ends(plan.routing), tool
