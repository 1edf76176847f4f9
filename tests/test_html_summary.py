"""Check the HTML of results in notebooks: every result class has HTML, which is well-formed and shows the metrics."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias
from xml.etree import ElementTree

import numpy as np
import pytest

import tulle
from tulle import analysis, cabling, study
from tulle._internal.html_summary import Overview, Shown, flat, text
from tulle.compare import compare
from tulle.design import design, optical_switches, ranked

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGES = ("", ".analysis", ".cabling", ".compare", ".design", ".flit", ".packet", ".routing", ".study", ".tuning")
# Public classes that are not results: settings, and arguments of callbacks.
OTHERS = {"FlitProgress", "Progress", "Shard", "StudyFile"}

Results: TypeAlias = dict[type, Any]


def result_classes() -> list[type]:
    """Return the public classes of results."""
    found = {}
    for package in PACKAGES:
        module = importlib.import_module(f"tulle{package}")
        for name in module.__all__:
            value = getattr(module, name)
            if not inspect.isclass(value) or issubclass(value, Exception) or name in OTHERS:
                continue
            if not hasattr(value, "__required_keys__"):  # not a typed dictionary
                found[f"{value.__module__}.{value.__qualname__}"] = value
    return [*found.values()]


def _made(folder: Any) -> Iterator[Any]:
    """Make a result of every class."""
    fabric = tulle.Fabric("slimfly:q=3")
    routing = tulle.route(fabric, "spread:layers=2")
    workload = tulle.traffic(fabric, "permutation:bytes=64KiB")
    yield from (fabric, routing, workload, routing.path_columns(), routing.quality())
    plan = routing.assign_vcs("dfsssp")
    rerouted = routing.reroute(fabric.without(links=1), plan)
    yield from (plan, rerouted, plan.routing.acyclic_together(rerouted.routing, plan, rerouted.plan))

    simulation = tulle.simulate(fabric, routing, workload, faults=["down:links=1,at=5us"])
    yield from (
        simulation,
        simulation.flows,
        tulle.simulate_exchange(fabric, "minimal", "all-to-all:bytes=1KiB", vcs=2),
    )
    window: dict[str, Any] = {"vcs": 2, "window": 200, "warmup": 100}
    yield tulle.simulate_flits(fabric, "minimal", load=0.1, **window)
    yield tulle.flit.curve(fabric, "minimal", loads=[0.1], **window)
    yield tulle.saturation(fabric, "minimal", precision=0.5, **window)

    demands = analysis.demands(fabric, workload)
    yield from (demands, analysis.throughput(fabric, demands), analysis.spectrum(fabric), analysis.flow_tree(fabric))
    yield from (analysis.distances(fabric), analysis.next_hops(fabric), analysis.disjoint_paths(fabric, 3, "exact"))
    yield from (
        analysis.interference(fabric, 3, quadruples=10),
        analysis.measures(fabric, 2),
        analysis.bisection(fabric),
    )
    yield analysis.virtual_updown_paths("flattenedclos:switches=60,ports=16,layers=3,p=4", pairs=10)
    yield analysis.resilience(fabric, shares=["0%", "5%"], kinds=["links"], seeds=1)

    found = design(100, radix=16, families=["slimfly"])
    (best,) = ranked(found, per_family=1).best(1)
    yield from (found, best, best.forms, best.certificate, tulle.read_prices("fatpaths-100gbe"))
    layout = tulle.place(fabric)
    bill = layout.bill("fatpaths-100gbe")
    yield from (layout, layout.items, bill, bill.rows[0], optical_switches(fabric))
    card = compare(["clique:degree=3,p=2", "clique:degree=4,p=2"], routings=["minimal"], seeds=1, size="4KB")
    yield from (card, card.entrants[0], card.rows[0], card.rows[0].bands[0])
    tuning = tulle.tune(fabric, layers=2)
    yield from (tuning, tuning.chosen, tuning.chosen.score)
    yield tulle.tune(fabric, layers=2, for_="permutation").chosen.score
    cables = cabling.plan_cabling(layout)
    wrong = cabling.Miswiring("missing", "plug in <b>", ())
    yield from (cables, wrong, cabling.Verdict((wrong,), (1,), (2,)), cabling.Imported(fabric, ("a & b",)))

    grid = study.Grid("sizes", fabric=["slimfly:q=3", "clique:degree=3"], seeds=1)
    planned = study.plan(grid.study(folder))
    yield from (grid, planned, planned.runs[0], grid.run(folder), study.measure(planned, folder))
    yield from (study.status(planned, folder), study.run(planned, folder))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return {type(result): result for result in _made(tmp_path_factory.mktemp("runs"))}


def cells(html: str) -> dict[str, str]:
    """Return the named values of the first table."""
    table = ElementTree.fromstring(html).find("table")
    assert table is not None
    return {"".join(row[0].itertext()): "".join(row[1].itertext()) for row in table.findall("tr")}


def test_every_class_of_results_has_well_formed_html(results: Results) -> None:
    classes = result_classes()
    assert len(classes) >= 55
    assert {each.__name__ for each in classes} - {each.__name__ for each in results} == set()
    assert {*classes} <= {*results}
    for kind in classes:
        html = results[kind]._repr_html_()
        root = ElementTree.fromstring(html)
        assert root.tag == "table" or root.find("table") is not None, kind
        assert len(html) < 10_000, kind
        assert "object at 0x" not in html, kind
        assert html == results[kind]._repr_html_()


@pytest.mark.parametrize("name", ["Simulation", "FlitSimulation", "ExchangeSimulation"])
def test_figures_are_those_of_the_summary(results: Results, name: str) -> None:
    result = results[getattr(tulle, name)]
    shown = cells(result._repr_html_())
    summary = flat(result.summary(), without=("counters", "faults_in_time"))
    assert len(summary) > 5
    numbers = [value for value in summary.values() if isinstance(value, (int, float)) and not isinstance(value, bool)]
    left = [*shown.values()]
    for number in numbers:
        matching = [cell for cell in left if cell.split(" ")[0] == text(number)]
        assert matching, (number, left)
        left.remove(matching[0])


def test_units_stand_behind_the_values(results: Results) -> None:
    shown = cells(results[tulle.Simulation]._repr_html_())
    mean = results[tulle.Simulation].summary()["fct_us"]["mean"]
    assert shown["FCT mean"] == f"{mean:,.6g} µs"
    flits = results[tulle.FlitSimulation]
    assert cells(flits._repr_html_())["accepted"] == f"{flits.accepted:,.6g} flits per cycle and endpoint"
    bill = results[tulle.Bill]
    assert cells(bill._repr_html_())["total cost"] == f"{bill.cost:,.6g} USD"


def test_sizes_of_fabric_and_fields_of_a_dataclass(results: Results) -> None:
    fabric = results[tulle.Fabric]
    shown = cells(fabric._repr_html_())
    assert (shown["switches"], shown["cables"]) == (str(fabric.num_switches), str(fabric.num_cables))
    throughput = results[analysis.Throughput]
    shown = cells(throughput._repr_html_())
    assert shown["lower"] == text(throughput.lower, "× demands")
    # The HTML shows no elapsed time, so that equal results have equal HTML.
    assert "seconds" not in shown


@dataclass
class Toy(Shown):
    """A result with one field of each kind."""

    spec: str
    name: str
    rate_gbps: float
    count: int
    good: bool
    unknown: float
    nothing: None
    array: Any
    few: tuple[int, ...]
    many: tuple[int, ...]
    by_name: dict[str, float]
    _hidden: int = 1
    seconds: float = field(default=1.0, compare=False)


def test_values_are_escaped_and_formatted() -> None:
    toy = Toy("a<b", "<i>&", 1234.5, 1234567, True, float("nan"), None, np.zeros((2, 3)), (1, 2), (1,) * 9, {"x": 0.5})
    html = toy._repr_html_()
    assert "<code>a&lt;b</code>" in html
    assert cells(html) == {
        "name": "<i>&",
        "rate": "1,234.5 Gb/s",
        "count": "1,234,567",
        "good": "yes",
        "unknown": "–",
        "nothing": "–",
        "array": "float64, 2 × 3",
        "few": "1, 2",
        "many": "9 entries",
        "by name": "x: 0.5",
    }


def test_long_tables_say_what_they_leave_out() -> None:
    rows = [{"cost": number, "name": "<"} for number in range(12)]
    html = Overview("Toy", "", {}, units={"cost": "USD"}, rows=rows).html()
    second = ElementTree.fromstring(html).findall("table")[1]
    assert second.findtext("caption") == "first 10 of 12 rows"
    assert [head.text for head in second.iter("th")] == ["cost (USD)", "name"]
    assert len(second.findall("tr")) == 11
    whole = Overview("Toy", "", {}, rows=rows, all_rows=True).html()
    assert len(ElementTree.fromstring(whole).findall("table")[1].findall("tr")) == 13
