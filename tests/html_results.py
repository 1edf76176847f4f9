"""Make a result of every class that notebooks show as HTML, for `test_html_summary`."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import watched_networks

import tulle
from tulle import analysis, cabling, study
from tulle.compare import compare
from tulle.deploy import campaign
from tulle.deploy.campaign.events import events
from tulle.deploy.detours import Detours
from tulle.deploy.ethernet import repair as ethernet_repair
from tulle.deploy.ethernet.bundle import read_bundle as read_ethernet
from tulle.deploy.ethernet.failures import find_failures
from tulle.deploy.ethernet.gateways import routed
from tulle.deploy.ethernet.import_routes import ImportedRoutes
from tulle.deploy.infiniband import repair as infiniband_repair
from tulle.deploy.infiniband.ibdmchk import Opinion
from tulle.deploy.infiniband.rebind import Replacement
from tulle.deploy.infiniband.states import PathRecord
from tulle.deploy.read import Counters, Lfts, PathLevels, Sl2vl, read_subnet
from tulle.deploy.read.flows import Flow
from tulle.deploy.verdict import Verdict
from tulle.deploy.versions.history import versions
from tulle.deploy.watch.collect import Failure, LiveCommand
from tulle.deploy.watch.watch import Watch
from tulle.deploy.wrong_ports import Move
from tulle.design import design, optical_switches, ranked
from tulle.lab.faults import cable
from tulle.lab.lab import Lab
from tulle.lab.probe import Probed, Wrong
from tulle.lab.sandbox import Sandbox
from tulle.lab.traffic import Event, Measured, Stream
from tulle.routing.features import features
from tulle.routing.trace import trace
from tulle.schedulers.tree import network_tree
from tulle.study.papers.flattened_clos import estimate_flattened_clos

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Maximum number of entries of a list in which `with_parts` looks for results.
_ENTRIES = 5


def made(folder: Path) -> Iterator[Any]:
    """Make results of every class; some classes are only parts of these results."""
    fabric = tulle.Fabric("slimfly:q=3")
    yield from _of_core(fabric)
    yield from _of_analysis(fabric)
    yield from _of_design(fabric)
    yield from _of_studies(folder / "runs")
    yield from _of_infiniband(folder / "infiniband")
    yield from _of_ethernet(folder / "ethernet")


def _of_core(fabric: tulle.Fabric) -> Iterator[Any]:
    routing = tulle.route(fabric, "spread:layers=2")
    workload = tulle.traffic(fabric, "permutation:bytes=64KiB")
    yield from (fabric, routing, workload, routing.path_columns(), routing.quality(), trace(routing, 0, 4))
    plan = routing.assign_vcs("dfsssp")
    rerouted = routing.reroute(fabric.without(links=1), plan)
    yield from (plan, rerouted, plan.routing.acyclic_together(rerouted.routing, plan, rerouted.plan))
    yield from (network_tree(tulle.route("fattree:k=4", "minimal")), features(["minimal"])[0])

    simulation = tulle.simulate(fabric, routing, workload, faults=["down:links=1,at=5us"])
    yield from (simulation, simulation.flows)
    yield tulle.simulate_exchange(fabric, "minimal", "all-to-all:bytes=1KiB", vcs=2)
    window: dict[str, Any] = {"vcs": 2, "window": 200, "warmup": 100}
    yield tulle.simulate_flits(fabric, "minimal", load=0.1, **window)
    yield tulle.flit.curve(fabric, "minimal", loads=[0.1], **window)
    yield tulle.saturation(fabric, "minimal", precision=0.5, **window)
    tuning = tulle.tune(fabric, layers=2)
    yield from (tuning, tuning.chosen, tuning.chosen.score)
    yield tulle.tune(fabric, layers=2, for_="permutation").chosen.score


def _of_analysis(fabric: tulle.Fabric) -> Iterator[Any]:
    demands = analysis.demands(fabric, tulle.traffic(fabric, "permutation:bytes=64KiB"))
    yield from (demands, analysis.throughput(fabric, demands), analysis.spectrum(fabric), analysis.flow_tree(fabric))
    yield from (analysis.distances(fabric), analysis.next_hops(fabric), analysis.disjoint_paths(fabric, 3, "exact"))
    yield from (analysis.interference(fabric, 3, quadruples=10), analysis.measures(fabric, 2))
    yield analysis.bisection(fabric)
    yield analysis.virtual_updown_paths("flattenedclos:switches=60,ports=16,layers=3,p=4", pairs=10)
    yield analysis.resilience(fabric, shares=["0%", "5%"], kinds=["links"], seeds=1)


def _of_design(fabric: tulle.Fabric) -> Iterator[Any]:
    found = design(100, radix=16, families=["slimfly"])
    (best,) = ranked(found, per_family=1).best(1)
    yield from (found, best, best.forms, best.certificate, tulle.read_prices("example-400gbe"))
    layout = tulle.place(fabric)
    bill = layout.bill("fatpaths-100gbe")
    yield from (layout, layout.items, bill, bill.rows[0], layout.power("fatpaths-100gbe"), optical_switches(fabric))
    card = compare(["clique:degree=3,p=2", "clique:degree=4,p=2"], routings=["minimal"], seeds=1, size="4KB")
    yield from (card, card.entrants[0], card.rows[0], card.rows[0].bands[0])
    wrong = cabling.Miswiring("missing", "plug in <b>", ())
    yield from (cabling.plan_cabling(layout), cabling.plan_cabling(tulle.place("hyperx:shape=2x2", through="optical")))
    yield from (wrong, cabling.Verdict((wrong,), (1,), (2,)), cabling.Imported(fabric, ("a & b",)))


def _of_studies(folder: Path) -> Iterator[Any]:
    grid = study.Grid("sizes", fabric=["slimfly:q=3", "clique:degree=3"], seeds=1)
    planned = study.plan(grid.study(folder))
    yield from (grid, planned, planned.runs[0], grid.run(folder), study.measure(planned, folder))
    yield from (study.status(planned, folder), study.run(planned, folder))
    yield estimate_flattened_clos(3000, 15)


def _of_infiniband(folder: Path) -> Iterator[Any]:
    folder.mkdir()
    bundle = watched_networks.subnet(folder)
    yield from (bundle, read_subnet(folder / "good"), versions(bundle.place)[0])
    repaired = infiniband_repair.repair(bundle, folder / "cable")
    yield from (repaired, PathRecord(0, 1, 2, 3), Opinion(False, "", 0), Replacement("s0", (1, 2), (3, 4)))
    guids, lids, ports = np.zeros(2, np.uint64), np.zeros(2, np.uint16), np.zeros(2, np.uint8)
    tables = np.zeros((2, 16), np.uint8)
    yield from (Lfts(guids, tables, ("s0", "s1")), PathLevels(lids, lids, ports))
    yield from (Sl2vl(guids, lids, ports, ports, tables), Counters(1, 0, 2, {"PortXmitPkts": 3}))
    watch = Watch(bundle.place, LiveCommand(f"cat {folder / 'switch'}", 10.0, 1))
    yield watch.check()
    yield from (
        Failure("s0", "exit code 3"),
        Detours(3, 2, 4),
        Move("exchange them back", frozenset({("switch a", "1"), ("switch b", "2")}), frozenset({0})),
    )
    rates = campaign.Rates(flaps=100.0)
    plan = tulle.route("slimfly:q=3", "almost-minimal:layers=2").assign_vcs("dfsssp")
    yield from (campaign.campaign(plan, rates=rates, failures=2), *islice(events(plan.routing.fabric, rates, 1), 1))


def _of_ethernet(folder: Path) -> Iterator[Any]:
    folder.mkdir()
    plan = watched_networks.ethernet(folder)
    bundle = read_ethernet(folder / "bundle")
    port = next(port for port in plan.ports[0] if port.channel is not None)
    failures = find_failures(plan, [f"{plan.names[0]}:{plan.names[plan.peer(port)[0]]}"])
    yield from (
        bundle,
        plan.entries[0][0],
        routed(plan, plan.hosts[0]),
        ethernet_repair.repair(bundle, failures),
        ImportedRoutes(plan.routing, (), ()),
    )
    yield Flow(1, "02:00:00:00:00:01", None, ())
    verdict = Verdict(notes=["no file of s1"])
    verdict.add("route", "load <routes>")
    yield verdict
    broken = cable(bundle.place, plan, f"{plan.names[0]}:{port.name}")
    stream = Stream(plan.hosts[0], plan.hosts[-1])
    wrong = Wrong(0, "h0", "h1", ("s0", "-"), 1, ("s1", "h1"))
    yield from (Lab(bundle, Sandbox(1, 2, {"rate": 2e7})), broken, stream, Event(1.0, broken))
    yield from (Probed(2, 3, 4, 1, (wrong,), 0.5), Measured(stream, "tcp", (10.0, 9.5, 9.0), (0.5, 1.0, 1.5), 0))


def with_parts(result: Any, depth: int = 4) -> Iterator[Any]:
    """Yield a result and the results in its fields, with the first entries of lists, tuples and dictionaries."""
    if isinstance(result, dict):
        parts = [*islice(result.values(), _ENTRIES)]
    elif isinstance(result, (list, tuple)):
        parts = [*result] if hasattr(result, "_fields") else [*result[:_ENTRIES]]
    elif is_dataclass(result):
        parts = [getattr(result, field.name) for field in fields(result) if not field.name.startswith("_")]
    else:
        parts = []
    if type(result).__module__.startswith("tulle."):
        yield result
    if depth:
        for part in parts:
            yield from with_parts(part, depth - 1)
