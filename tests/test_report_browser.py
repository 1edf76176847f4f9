"""Test reports in a headless Chromium: the page requests nothing, draws every chart, and reacts to input."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import chromium
import pytest

import tulle
from tulle.report_html import report

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KINDS = ("compare", "design", "layout", "resilience", "run", "linux", "infiniband")

pytestmark = pytest.mark.skipif(bool(chromium.missing()), reason=chromium.missing())


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Tab]:
    with chromium.tab(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def page(tab: chromium.Tab, results: dict[str, Path], tmp_path: Path) -> Iterator[chromium.Tab]:
    """Open the report of a comparison, and check afterwards that the page reported no error."""
    tab.errors.clear()
    path = tmp_path / "report.html"
    report(results["compare"], cuts=3).write(path)
    tab.open(path)
    yield tab
    assert tab.errors == []


@pytest.mark.parametrize("kind", KINDS)
def test_pages_load_without_a_network(tab: chromium.Tab, results: dict[str, Path], kind: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    found = report(results[kind], cuts=2)
    found.write(path)
    tab.errors.clear()
    tab.requests.clear()
    tab.open(path)
    assert tab.errors == []
    assert tab.requests == [path.resolve().as_uri()]
    charts = tab.run("document.querySelectorAll('figure[data-chart]').length")
    assert tab.run("document.querySelectorAll('.plot svg[role=img][aria-label]').length") == charts
    # Every chart shows data, not only axes and frames.
    marks = "rect, circle, path, line, g[aria-label=dot] path"
    counts = tab.run(
        f"[...document.querySelectorAll('.plot')].map((plot) => plot.querySelectorAll({json.dumps(marks)}).length)"
    )
    assert all(count > 2 for count in counts)
    networks = tab.run("[...document.querySelectorAll('.network')].map((of) => of.querySelectorAll('circle').length)")
    assert networks
    assert min(networks) > 4
    # A narrow window needs no horizontal scrolling of the page.
    tab.open(path, width=400)
    assert tab.run("document.documentElement.scrollWidth") == 400


def test_charts_show_all_networks_of_a_search(tab: chromium.Tab, results: dict[str, Path], tmp_path: Path) -> None:
    """Check that the chart also has symbols for networks that are not Pareto-optimal."""
    found = json.loads(results["design"].read_text())["proposals"]
    found[0]["pareto"], found[1]["pareto"] = True, False
    (tmp_path / "design.json").write_text(json.dumps({**json.loads(results["design"].read_text()), "proposals": found}))
    report(tmp_path / "design.json", cuts=0, networks=0).write(tmp_path / "design.html")
    tab.open(tmp_path / "design.html")
    count = "document.querySelectorAll('figure[data-chart] g[aria-label=dot] path').length"
    assert tab.run(count) == sum(each["all_to_all"] is not None for each in found) >= 2


def test_two_switches_show_the_paths_of_the_routing(page: chromium.Tab) -> None:
    page.click(".network circle", 0)
    assert page.run("document.querySelector('.panel caption').textContent") == "Cables of (0,0,0)"
    degree = tulle.Fabric("slimfly:q=3").network_radix
    assert page.run("document.querySelectorAll('.network')[0].querySelectorAll('.panel tbody tr').length") == degree
    page.click(".network circle", 16)
    status = page.run("document.querySelector('.panel [role=status]').textContent")
    fabric = tulle.Fabric("slimfly:q=3")
    hops = len(tulle.route(fabric, "minimal").paths(0, 16)[0])
    assert status == f"{fabric.labels[0]} to {fabric.labels[16]}: 1 path of {hops} {'hop' if hops == 1 else 'hops'}."
    assert page.run("document.querySelectorAll('.network')[0].querySelectorAll('path.path').length") == 1


def test_a_cut_cable_breaks_paths_and_rerouting_repairs_them(page: chromium.Tab) -> None:
    data = json.loads(page.run("document.getElementById('data').textContent"))["networks"][0]
    cut = data["routing"]["cuts"][0]
    fabric = tulle.Fabric("slimfly:q=3")
    routing = tulle.route(fabric, "minimal")
    a, b = fabric.edges[cut["cable"]].tolist()
    # The first button cuts the first cable for which the report contains a rerouting.
    page.click(".panel td button", 0)
    page.wait("document.querySelector('.panel [role=status]').textContent.includes('is cut')")
    text = page.run("document.querySelector('.panel').textContent")
    channels = {fabric.channel(a, b), fabric.channel(b, a)}

    def breaks(at: int, target: int) -> bool:
        """Return whether packets from `at` to `target` get stuck.

        Every switch sends them over its first next hop whose cable works.
        """
        while at != target:
            working = [int(each) for each in routing.next_hops(0, at, target) if int(each) not in channels]
            if not working:
                return True
            at = int(fabric.channels[working[0], 1])
        return False

    used = sum(breaks(s, t) for s in range(fabric.num_switches) for t in range(fabric.num_switches))
    assert used > 0
    assert f"{used} of {fabric.num_switches * (fabric.num_switches - 1)} pairs of switches lose a layer" in text
    assert f"{cut['touched']} of {cut['entries']} table entries change ({cut['broken']} had to)" in text
    assert page.run("document.querySelectorAll('path.cut').length") == 1
    for at in (a, b):
        page.click(".network circle", at)
    rerouted = routing.reroute(fabric.without(links=fabric.cables[cut["cable"] : cut["cable"] + 1])).routing
    hops = len(rerouted.paths(a, b)[0])
    status = page.run("document.querySelector('.panel [role=status]').textContent")
    assert status.endswith(f"1 of 1 paths work after rerouting, with {hops} hops.")
    assert "changed" in page.run("document.querySelector('.panel tbody').textContent")
    page.run("[...document.querySelectorAll('.panel button')].find((of) => /Restore/.test(of.textContent)).click()")
    assert page.run("document.querySelectorAll('path.cut').length") == 0


def test_everything_works_with_the_keyboard(page: chromium.Tab) -> None:
    page.press("Tab")
    assert page.run("document.activeElement.className") == "skip"
    reached = set()
    for _ in range(60):
        page.press("Tab")
        reached.add(page.run("document.activeElement.tagName + '/' + (document.activeElement.type ?? '')"))
    assert {"A/", "BUTTON/button", "INPUT/search", "INPUT/text", "SELECT/select-one"} <= reached
    # Every control has a name.
    unnamed = page.run(
        "[...document.querySelectorAll('button, input, select, [role=region], svg[role=img]')].filter((of) =>"
        " !of.getAttribute('aria-label') && !of.labels?.length && !of.textContent.trim()).length"
    )
    assert unnamed == 0
    page.run("document.querySelector('.canvas svg').focus()")
    transform = "document.querySelector('.canvas svg > g').getAttribute('transform')"
    for key, text, wanted in (("+", "+", "scale(1.4)"), ("0", "0", "translate(0,0) scale(1)")):
        page.press(key, text)
        page.wait(f"{transform}?.includes('{wanted}')")
    page.press("ArrowRight")
    page.wait(f"{transform}.startsWith('translate(-60,0)')")
    page.run("document.querySelector('.controls input').focus()")
    page.send("Input.insertText", text="(0,0,1)")
    page.press("Enter")
    page.wait("document.querySelector('.panel caption').textContent === 'Cables of (0,0,1)'")
    # Tab reaches one button of a table; arrow keys reach the others. After a cut, the focus is on the result.
    stops = (
        "[...document.querySelector('.panel').querySelectorAll('td button')].filter((of) => of.tabIndex === 0).length"
    )
    assert page.run(stops) == 1
    page.run("document.querySelector('.panel td button').focus()")
    for key, row in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("ArrowRight", 1)):
        page.press(key)
        assert page.run("document.activeElement.closest('tr').sectionRowIndex") == row
    assert page.run("document.activeElement.textContent") == "Cut"
    page.press("Enter")
    page.wait("document.activeElement.textContent.includes('is cut.')")


def test_tables_sort_and_filter(page: chromium.Tab) -> None:
    table = "[...document.querySelectorAll('.table')].find((of) => of.querySelector('caption').textContent === "
    metrics = f"{table}'All metrics')"
    page.run(f"{metrics}.querySelector('input').focus()")
    page.send("Input.insertText", text="failed rerouted")
    left = page.run(
        f"[...{metrics}.querySelectorAll('tbody tr')].filter((of) => !of.hidden).map((of) => of.textContent)"
    )
    assert left
    assert all("failed" in row and "rerouted" in row for row in left)
    assert re.fullmatch(r"\d+ of \d+ rows", page.run(f"{metrics}.querySelector('[role=status]').textContent"))
    networks = f"{table}'Networks')"
    column = f"[...{networks}.querySelectorAll('tbody tr')].map((of) => Number(of.cells[3].dataset.value))"
    for order, sign in (("ascending", 1), ("descending", -1)):
        page.run(f"{networks}.querySelectorAll('th button')[2].click()")
        assert page.run(f"{networks}.querySelector('[aria-sort]').getAttribute('aria-sort')") == order
        values = page.run(column)
        assert values == sorted(values, key=lambda value: sign * value)
        assert len(set(values)) == 2


def test_the_page_prints(page: chromium.Tab) -> None:
    printed = page.pdf()
    assert printed.startswith(b"%PDF")
    pages = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert 3 <= pages <= 20
