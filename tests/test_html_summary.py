"""Check the HTML of results in notebooks: every result class has HTML, which is well-formed and shows the metrics."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass, field
from pkgutil import walk_packages
from typing import TYPE_CHECKING, Any, TypeAlias
from xml.etree import ElementTree

import html_results
import numpy as np
import pytest

import tulle
from tulle import analysis
from tulle._internal.html_summary import Overview, Shown, flat, text
from tulle.typed_specs import MODULES

if TYPE_CHECKING:
    from collections.abc import Iterator

# Reason why notebooks do not show some public classes as HTML -> these classes. All other public classes must have
# HTML.
REASONS = {
    "a setting, which users write": """
        deploy.campaign.rates.Rates deploy.ethernet.pfc.Headroom deploy.watch.collect.LiveCommand
        design.candidates.Wanted study.engine.model.StudyFile study.engine.shards.Shard
    """,
    "an argument of callbacks": "_tulle.FlitProgress _tulle.Progress",
    "the declaration of a metric": "compare.card.CardMetric",
    "a running program": """
        deploy.watch.ethernet.EthernetWatch deploy.watch.infiniband.InfinibandWatch deploy.watch.watch.Watch
        lab.sandbox.Sandbox
    """,
    "a part of an HTML document": """
        report_html.document.Page report_html.model.Chart report_html.model.Column report_html.model.Drawing
        report_html.model.Picture report_html.model.Section report_html.model.Table
    """,
    "an internal step of `campaign`, whose result is `Campaign`": """
        deploy.campaign.network.Failed deploy.campaign.network.Network deploy.campaign.network.Tables
    """,
    "an internal step of `verify` and `repair`, whose results are `Verdict` and `Repair`": """
        deploy.ethernet.failures.Report deploy.infiniband.intent.Intent deploy.infiniband.intent.Links
        deploy.infiniband.states.Loaded deploy.infiniband.wiring.Wiring deploy.reach.Dependencies deploy.reach.Wires
        deploy.infiniband.earlier.Earlier deploy.infiniband.loading.Settings deploy.infiniband.unloaded.Unloaded
        deploy.ethernet.earlier.Removed deploy.ethernet.failures.Dump deploy.ethernet.failures.Dumps
        deploy.ethernet.lldp.Matched deploy.wrong_ports.WrongPorts
    """,
    "an internal step of writing a bundle, which `EthernetPlan` describes": """
        deploy.ethernet.addressing.Addressing deploy.ethernet.numbering.Numbering deploy.ethernet.pfc.Priorities
        deploy.ethernet.port_names.Naming deploy.ethernet.sonic_platform.Platform deploy.ethernet.sonic_platform.Setting
        deploy.ethernet.sonic_ports.HardwarePort deploy.ethernet.sonic_ports.SonicNaming deploy.ethernet.usid.Block
        deploy.ethernet.source_routes.SourceRoute deploy.ethernet.source_routes.SourceRoutes lab.recipe.Node
    """,
    "an internal step of reading files, whose result is a fabric, a routing or a verdict": """
        cabling.identity.resolution.Resolved deploy.ethernet.route_network.RouteNetwork
        deploy.cabling.BundleCabling deploy.read.route_tables.RouteTable deploy.read.routes.Way
        deploy.read.switch_files.SwitchFiles
    """,
}

Results: TypeAlias = dict[type, Any]


def public_modules() -> Iterator[Any]:
    """Yield the modules that name public classes, except the compiled core and typed specs."""
    skipped = {"_internal", "_tulle", "cli", "__main__", "studies", *MODULES.values()}
    yield tulle
    for found in walk_packages(tulle.__path__, "tulle."):
        # The modules below `lab.inside` run in the sandbox of a lab.
        if found.name.split(".")[1] not in skipped and not found.name.startswith("tulle.lab.inside"):
            yield importlib.import_module(found.name)


def public_classes() -> list[type]:
    """Return the classes that modules make public, except errors and typed dictionaries."""
    found = {}
    for module in public_modules():
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if inspect.isclass(value) and not issubclass(value, Exception) and not hasattr(value, "__required_keys__"):
                found[f"{value.__module__}.{value.__qualname__}"] = value
    return [*found.values()]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    found: Results = {}
    for result in html_results.made(tmp_path_factory.mktemp("results")):
        for part in html_results.with_parts(result):
            found.setdefault(type(part), part)
    return found


def test_every_public_class_has_html_or_a_reason() -> None:
    """Check that a new public class gets HTML or a reason, and that no reason is outdated."""
    classes = public_classes()
    assert len(classes) >= 150
    without = {f"{each.__module__}.{each.__qualname__}" for each in classes if not hasattr(each, "_repr_html_")}
    assert without == {f"tulle.{name}" for names in REASONS.values() for name in names.split()}


def cells(html: str) -> dict[str, str]:
    """Return the named values of the first table."""
    table = ElementTree.fromstring(html).find("table")
    assert table is not None
    return {"".join(row[0].itertext()): "".join(row[1].itertext()) for row in table.findall("tr")}


def test_html_of_every_class_is_well_formed(results: Results) -> None:
    classes = [each for each in public_classes() if hasattr(each, "_repr_html_")]
    assert [each.__qualname__ for each in classes if each not in results] == []
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
