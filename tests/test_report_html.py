"""Test reports: the content of the file for every kind of result, and the forwarding data that its scripts use."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from html.parser import HTMLParser
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import ROOT
from result_files import printed

import tulle
from tulle.cli.command import run
from tulle.design.placement import place
from tulle.design.shipped_files import find
from tulle.errors import FileError, FormatError, InputError
from tulle.report_html import Chart, Column, Drawing, Page, Section, Table, report
from tulle.report_html.cuts import chosen, cuts
from tulle.report_html.damage import damaged
from tulle.report_html.network import CHARACTERS, described
from tulle.report_html.packing import packed
from tulle.report_html.routes import fitting, routes
from tulle.report_html.wording import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

KINDS = ("compare", "design", "layout", "resilience", "run", "linux", "infiniband")
MEGABYTE = 1_000_000


class Elements(HTMLParser):
    """Collect the elements of a page with their attributes, and check that tags are balanced."""

    EMPTY = ("meta", "br", "input", "wbr")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def data(text: str) -> dict[str, Any]:
    """Return the data of a page for its scripts."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_is_one_file_with_everything(results: dict[str, Path], kind: str) -> None:
    page = report(results[kind])
    text = page.html()
    assert text == report(results[kind]).html()
    assert len(text.encode()) < 3 * MEGABYTE
    elements = Elements(text)
    # The page loads nothing: it names no file, and its links lead to places in the page.
    ids = {attributes.get("id") for _, attributes in elements.found}
    for tag, attributes in elements.found:
        assert "src" not in attributes
        assert tag not in ("link", "iframe", "object", "embed", "base", "img")
        if "href" in attributes:
            assert attributes["href"] is not None
            assert attributes["href"].startswith("#")
            assert attributes["href"][1:] in ids
    style = "".join(re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
    assert style
    assert "url(" not in style
    assert "@import" not in style
    assert any("default-src 'none'" in (of.get("content") or "") for of in elements.named("meta"))
    # The page contains every chart, network and table.
    parts = [part for section in page.sections for part in section.parts]
    loaded = data(text)
    assert len(loaded["charts"]) == sum(isinstance(part, Chart) for part in parts)
    assert len(loaded["networks"]) == sum(isinstance(part, Drawing) for part in parts) > 0
    assert len([of for of in elements.named("figure") if "data-chart" in of]) == len(loaded["charts"])
    tables = [part for part in parts if isinstance(part, Table)]
    assert len(elements.named("table")) == len(tables) + len(loaded["charts"]) + 1
    assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
    assert len(elements.named("section")) == len(page.sections) + 2
    assert page.summary
    assert all(line[-1] == "." and "None" not in line for line in page.summary)
    manifest = dict(page.manifest)
    assert manifest["report written by"] == f"tulle {tulle.__version__}"
    assert any("seed" in name for name in manifest)
    assert "slimfly:q=3" in str(manifest.values()) or kind == "design"


def test_failures_that_connect_endpoints_again(results: dict[str, Path], tmp_path: Path) -> None:
    sweep = json.loads(results["resilience"].read_text(encoding="utf-8"))
    row = sweep["rows"][0]
    shares = ((0.0, 1.0), (0.05, 0.5), (0.1, 1.0))
    sweep["rows"] = [{**row, "kind": "switches", "share": share, "connected": connected} for share, connected in shares]
    file = tmp_path / "sweep.json"
    file.write_text(json.dumps(sweep), encoding="utf-8")
    first, second, *_ = report(file, networks=0, cuts=0).summary
    assert first.startswith("In every random draw with up to 0% of the switches failed")
    assert second.startswith("With 5% of the switches failed, all remaining endpoints reach each other in 50%")


def test_several_results_make_one_report(results: dict[str, Path]) -> None:
    kinds = ("layout", "resilience", "layout")
    one = {kind: report(results[kind], cuts=0) for kind in kinds}
    page = report(*(results[kind] for kind in kinds), cuts=0)
    assert page.title == "3 results"
    assert [section.title for section in page.sections] == [
        f"Result {at}: {section.title}" for at, kind in enumerate(kinds, 1) for section in one[kind].sections
    ]
    assert page.summary[0] == f"Result 1: {one['layout'].title}."
    assert set(page.summary) >= {f"Result 2: {line}" for line in one["resilience"].summary}
    assert dict(page.manifest)["Result 2: result of"] == dict(one["resilience"].manifest)["result of"]
    assert len(data(page.html())["networks"]) == sum(
        isinstance(part, Drawing) for section in page.sections for part in section.parts
    )
    Elements(page.html())
    with pytest.raises(InputError, match="a report needs a result"):
        report()


def test_texts_of_files_cannot_become_markup(results: dict[str, Path]) -> None:
    text = report(results["run"], cuts=0).html()
    assert "alert(1)" in text
    assert "<script>alert(1)" not in text
    assert "&lt;/script&gt;" in text
    hostile = Chart("bars", "</script><b>", ({"name": "<!--</script>", "value": 1.0},), "x")
    page = Page(
        "<i>", ("<u>.",), (Section("<s>", ("<p>",), (hostile, Table("<t>", (Column("<h>"),), (("<c>",),)))),), ()
    )
    assert data(page.html())["charts"][0]["rows"][0]["name"] == "<!--</script>"
    assert not {tag for tag, _ in Elements(page.html()).found} & {"i", "u", "s", "b", "t", "h", "c"}


def test_rows_of_earlier_comparisons_keep_their_charts(results: dict[str, Path], tmp_path: Path) -> None:
    now = report(results["compare"], cuts=0)
    text = results["compare"].read_text()
    assert '"links_per_endpoint"' in text
    path = tmp_path / "earlier.json"
    path.write_text(text.replace('"links_per_endpoint"', '"cables_per_endpoint"'))
    before = report(path, cuts=0)
    assert [section.parts for section in now.sections[:3]] == [section.parts for section in before.sections[:3]]


def test_the_bill_is_that_of_the_comparison(results: dict[str, Path]) -> None:
    card = json.loads(results["compare"].read_text())
    price = next(row for row in card["rows"] if row["name"] == "cost_per_endpoint")
    page = report(results["compare"], cuts=0)
    bills = [
        part
        for section in page.sections
        for part in section.parts
        if isinstance(part, Table) and part.title.startswith("Bill of")
    ]
    for bill, band, of in zip(bills, price["bands"], card["entrants"], strict=True):
        assert bill.rows[-1][2] == pytest.approx(band["median"] * of["endpoints"])
        assert sum(float(row[2] or 0) for row in bill.rows[:-1]) == pytest.approx(bill.rows[-1][2])
    winner = "AB"[price["winners"][0]]
    assert any(line.startswith(f"{winner} has the lowest price per endpoint: ") for line in page.summary)
    # In the chart of throughputs, the upper end of a range is the upper bound, here 5% above the achieved throughput.
    brackets = next(
        part for section in page.sections for part in section.parts if getattr(part, "kind", "") == "ranges"
    )
    assert isinstance(brackets, Chart)
    whole = next(row for row in brackets.rows if row["group"] == "all-to-all, any paths")
    assert whole["high"] == pytest.approx(1.05 * float(str(whole["low"])))


def test_the_summary_of_a_layout_names_power_without_and_with_hosts(results: dict[str, Path]) -> None:
    found = json.loads(results["layout"].read_text())["power"]
    summary = " ".join(report(results["layout"], cuts=0).summary)
    assert f"The network needs {found['network_watts']:,.0f} W. With 54 hosts, the power is " in summary
    assert f"is {found['watts']:,.0f} W, and a rack needs at most {found['most_watts_per_rack']:,.0f} W." in summary
    assert found["watts"] > found["network_watts"] + 50 * 500


def test_settings_choose_networks_routing_and_prices(results: dict[str, Path]) -> None:
    assert data(report(results["compare"], networks=1, cuts=2).html())["networks"][0]["title"].startswith("A")
    assert data(report(results["compare"], networks=0).html())["networks"] == []
    shown = data(report(results["layout"], routing="random:layers=2,rho=0.8", cuts=3).html())["networks"][0]["routing"]
    assert shown["spec"].startswith("random:layers=2")
    assert len(shown["cuts"]) == 3
    without = report(results["resilience"], cuts=0).html()
    assert "Bill of" not in without
    assert "--prices LIST adds bills" in without
    assert "Bill of" in report(results["resilience"], prices="infiniband-edr", cuts=0).html()


def unpacked(part: dict[str, Any]) -> NDArray[Any]:
    """Read a packed array as the scripts of a report do."""
    kind = np.dtype(part["type"])
    raw = zlib.decompress(base64.b64decode(part["content"]), -zlib.MAX_WBITS)
    planes = np.frombuffer(raw, np.uint8).reshape(kind.itemsize, part["length"])
    values: NDArray[Any] = np.ascontiguousarray(planes.T).view(kind).reshape(-1)
    return values


@pytest.mark.parametrize("most", [0, 255, 256, 65_535, 65_536])
def test_packing(most: int) -> None:
    values = np.array([0, most, 7 % (most + 1)], dtype=np.int64)
    assert unpacked(packed(values)).tolist() == values.tolist()
    assert unpacked(packed(values[:0])).tolist() == []


def walk(fabric: tulle.Fabric, table: NDArray[Any], layer: int, source: int, target: int) -> list[int]:
    """Follow the first port of each entry, as the scripts of a report do."""
    start = np.searchsorted(fabric.channels[:, 0], np.arange(fabric.num_switches))
    path, at = [], source
    while at != target:
        path.append(int(start[at] + table[layer, at, target, 0] - 1))
        at = int(fabric.channels[path[-1], 1])
    return path


def test_tables_lead_along_the_paths_of_the_routing() -> None:
    fabric = tulle.Fabric("slimfly:q=3")
    routing = tulle.route(fabric, "random:layers=3,rho=0.7")
    found = routes(routing)
    size = fabric.num_switches
    table = unpacked(found.content["ports"]).reshape(found.kept, size, size, found.width)
    for source, target in ((0, 5), (3, 17), (17, 0)):
        paths = [path.tolist() for path in routing.paths(source, target)]
        assert [walk(fabric, table, layer, source, target) for layer in range(3)] == paths


def test_path_sets_have_all_their_paths() -> None:
    fabric = tulle.Fabric("slimfly:q=3")
    routing = tulle.route(fabric, "ksp:k=3")
    found = routes(routing)
    counts, hops, ports = (unpacked(found.content[name]) for name in ("counts", "hops", "ports"))
    first, start = np.cumsum(counts) - counts, np.cumsum(hops) - hops
    begins = np.searchsorted(fabric.channels[:, 0], np.arange(fabric.num_switches))
    pair = 2 * fabric.num_switches + 9
    paths = []
    for path in range(int(first[pair]), int(first[pair]) + int(counts[pair])):
        at, channels = 2, []
        for port in ports[start[path] : start[path] + hops[path]].tolist():
            channels.append(int(begins[at] + port))
            at = int(fabric.channels[channels[-1], 1])
        paths.append(channels)
    assert paths == [path.tolist() for path in routing.paths(2, 9)]
    fewer = routes(routing, 1)
    assert (fewer.kept, fewer.of) == (1, found.of)
    assert unpacked(fewer.content["counts"]).max() == 1


@pytest.mark.parametrize(
    ("spec", "scheme"), [("slimfly:q=3", "random:layers=3,rho=0.7"), ("fattree:levels=3,radix=4", "minimal")]
)
def test_cuts_are_the_changes_of_rerouting(spec: str, scheme: str) -> None:
    fabric = tulle.Fabric(spec)
    routing = tulle.route(fabric, scheme)
    rows = chosen(routing, 3)
    size = fabric.num_switches
    for row, found in zip(rows.tolist(), cuts(routing, rows, routing.num_layers), strict=True):
        damaged = fabric.without(links=fabric.cables[row : row + 1])
        rerouted = routing.reroute(damaged)
        assert found["touched"] == rerouted.touched > 0
        assert damaged.origin is not None
        start = np.searchsorted(fabric.channels[:, 0], np.arange(size))
        values = unpacked(found["changes"]).tolist()
        at = changed = 0
        while at < len(values):
            layer, source, target, count = values[at : at + 4]
            ports = values[at + 4 : at + 4 + count]
            new = damaged.origin["channels"][rerouted.routing.next_hops(layer, source, target)]
            assert [int(start[source]) + port for port in ports] == new.tolist()
            at += 4 + count
            changed += 1
        assert changed == rerouted.touched


def test_cables_to_cut_include_every_class() -> None:
    routing = tulle.route("dragonfly:p=2,a=4,h=2", "minimal")
    rows = chosen(routing, 4)
    classes = routing.fabric.classes[routing.fabric.cables]
    assert set(classes[rows].tolist()) == set(classes.tolist())
    assert len(set(rows.tolist())) == len(rows) == 4
    assert chosen(routing, 0).tolist() == []


def test_layers_that_do_not_fit_are_left_out_and_named() -> None:
    small, large = tulle.route("slimfly:q=3", "minimal"), tulle.route("slimfly:q=5", "random:layers=6,rho=0.7")
    whole = fitting([small, large], CHARACTERS)
    assert [of.kept for of in whole] == [1, 6]
    most = whole[0].characters + whole[1].characters // 2
    part = fitting([small, large], most)
    assert part[0] == whole[0]
    assert 0 < part[1].kept < 6
    assert part[1].of == 6
    assert sum(of.characters for of in part) <= most
    assert [of.kept for of in fitting([large, large], 10)] == [0, 0]


def test_three_networks_of_2000_hosts_need_less_than_3_megabytes() -> None:
    drawings = []
    specs = ("slimfly:q=11,p=8", "dragonfly:p=10,a=8,h=12,g=25,arrangement=relative", "fattree:levels=3,radix=20")
    fabrics = [tulle.Fabric(spec) for spec in specs]
    routings = [tulle.route(fabrics[0], "random:layers=9,rho=0.6"), *(tulle.route(of, "minimal") for of in fabrics[1:])]
    forwarding = fitting(routings, CHARACTERS)
    assert [of.kept for of in forwarding][1:] == [1, 1]
    for fabric, routing, shown in zip(fabrics, routings, forwarding, strict=True):
        found = described(fabric, place(fabric), routing, forwarding=shown, cables_to_cut=1)
        drawings.append(Drawing(fabric.spec, found))
    page = Page("Three networks", ("A sentence.",), (Section("Networks", (), tuple(drawings)),), ())
    assert len(page.html().encode()) < 2.6 * MEGABYTE


def test_positions_keep_switches_apart_and_inside() -> None:
    for spec in (
        "slimfly:q=5",
        "dragonfly:p=2,a=4,h=2",
        "fattree:levels=3,radix=4",
        "jellyfish:switches=20,degree=4,p=2",
    ):
        fabric = tulle.Fabric(spec)
        found = described(fabric, place(fabric), None, cables_to_cut=0)
        assert len(found["arrangements"]) == 2
        for at, of in enumerate(found["arrangements"]):
            places = unpacked(found["arrays"][f"places{at}"]).reshape(-1, 2) / 10
            assert (places > 0).all()
            assert (places < (of["width"], of["height"])).all()
            assert len({*map(tuple, places.tolist())}) == fabric.num_switches


def test_figures_of_a_study_are_lines_over_a_number_and_bars_otherwise(
    results: dict[str, Path], tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "manifest.json").write_bytes((results["run"] / "manifest.json").read_bytes())
    document = json.loads((results["run"] / "summary.json").read_text())
    (first, *_), figures = document["results"], document["figures"]
    key = next(name for name in figures if first["figures"].get(name, {}).get("mean") is not None)

    def charts(*coordinates: float | str) -> list[Chart]:
        numbers = {"min": 1.0, "max": 9.0, "half95": None}
        document["results"] = [
            {**first, "load": load, "figures": {key: {"mean": 2.0 + at, **numbers}}}
            for at, load in enumerate(coordinates)
        ]
        (folder / "summary.json").write_text(json.dumps(document))
        parts = [part for section in report(folder, networks=0).sections for part in section.parts]
        return [part for part in parts if isinstance(part, Chart)]

    (lines,) = charts(0.1, 0.5, 0.9)
    assert (lines.kind, lines.x, [row["x"] for row in lines.rows]) == ("curves", "load", [0.1, 0.5, 0.9])
    assert [row["value"] for row in lines.rows] == [2.0, 3.0, 4.0]
    assert [chart.kind for chart in charts("low", "middle", "high")] == ["bars"] * 3
    assert [chart.kind for chart in charts(0.1, 0.9)] == ["bars"] * 2


def test_failures_of_a_result_are_repeated() -> None:
    whole = tulle.Fabric("slimfly:q=5", 3)
    for broken in (
        whole.with_failures("links=2,switches=1", 7),
        whole.with_failures("(0,0,0)--(0,0,1)").with_failures("links=5%", 1),
        whole.without(links=whole.cables[4:6]).without(switches=[2]),
    ):
        again = damaged(whole, broken.faults)
        assert again == broken
        assert again.faults == broken.faults


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[1]", "is not a result that can be shown; legal: tulle compare --json, "),
        ("{}", "is not a result that can be shown"),
        ('{"proposals": [], "tried": 3}', "needs 'endpoints'; legal: as tulle design --endpoints N --json writes it"),
        ('{"fabric": 3, "hops": 3, "rows": [], "traffic": null}', "fabric = 3 is not a text"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "some.json"
    path.write_text(content)
    with pytest.raises(FormatError) as caught:
        report(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_values_that_do_not_fit_together_are_refused(results: dict[str, Path], tmp_path: Path) -> None:
    path = tmp_path / "some.json"
    card = json.loads(results["compare"].read_text())
    card["rows"][0]["winners"] = [7]
    path.write_text(json.dumps(card))
    with pytest.raises(FormatError, match="row cost_per_endpoint does not match the"):
        report(path)
    layout = json.loads(results["layout"].read_text())
    layout["racks"] += 1
    path.write_text(json.dumps(layout))
    with pytest.raises(FormatError, match="is no longer the network of this file"):
        report(path)
    with pytest.raises(FileError, match="has neither summary"):
        report(tmp_path)
    for settings, words in (({"cuts": 1001}, "cuts=1001 is out of range"), ({"networks": 17}, "networks=17 is out of")):
        with pytest.raises(InputError, match=words):
            report(results["compare"], **settings)  # type: ignore[arg-type]


# A ring of six switches with one cable across, and two rings of three switches with one cable between them. The
# numbers of switches, cables and endpoints are equal.
BEFORE = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 3)]
AFTER = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3)]
RESULTS = {
    "compare": ("file:edges=net.json", "clique:degree=2,p=1", "--routing", "minimal", "--seeds", "1", "--bytes", "4KB"),
    "layout": ("file:edges=net.json", "--fail", "links=1"),
    "resilience": (
        *("file:edges=net.json", "--fail", "links=1", "--link", "all:latency=5ns", "--shares", "0%"),
        *("--kinds", "links", "--seeds", "1", "--pairs", "4"),
    ),
}


def refused(changed: tulle.Fabric, capsys: pytest.CaptureFixture[str]) -> bool:
    """Return whether the command refuses result.json after its network has changed."""
    command = ["report", "result.json", "-o", "report.html", "--cuts", "0"]
    assert run(command) == 0
    Path("report.html").unlink()
    capsys.readouterr()
    changed.write("net.json")
    return run(command) == 2 and capsys.readouterr().err == (
        "tulle: result.json: file:edges=net.json is no longer the network of this file, because an input file or tulle "
        "has changed; run the command again\n"
    )


@pytest.mark.parametrize("kind", RESULTS)
def test_a_network_that_has_changed_is_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tulle.Fabric.from_edges(BEFORE, 1).write("net.json")
    result = printed(kind, *RESULTS[kind], "--json")
    Path("result.json").write_text(result)
    assert refused(tulle.Fabric.from_edges(AFTER, 1), capsys)
    if kind != "resilience":
        # Results of earlier versions have sizes, but no fingerprint. Those of `compare` have no rate and no notes.
        tulle.Fabric.from_edges(BEFORE, 1).write("net.json")
        earlier = json.loads(result.replace("fingerprint", "unknown"))
        for key in ("rate", "notes") if kind == "compare" else ():
            del earlier[key]
        Path("result.json").write_text(json.dumps(earlier))
        assert refused(tulle.Fabric.from_edges(BEFORE, 2), capsys)


@pytest.mark.parametrize("kind", ["compare", "design"])
def test_a_price_list_that_has_changed_is_refused(kind: str, results: dict[str, Path], tmp_path: Path) -> None:
    result, own = json.loads(results[kind].read_text()), tmp_path / "own.toml"
    content = find("prices", "fatpaths-100gbe").read_text()
    path = tmp_path / "result.json"
    path.write_text(json.dumps({**result, "price_list": str(own)}))
    own.write_text(content)
    report(path, cuts=0)
    own.write_text(content.replace("cost_per_port = 876", "cost_per_port = 877"))
    with pytest.raises(FormatError, match="prices are no longer those of this file, because a price list or tulle"):
        report(path, cuts=0)
    report(path, cuts=0, prices=str(own))
    own.unlink()
    with pytest.raises(
        FileError, match=rf"{path}: its input file {own} does not exist; legal: .*, or name a list with"
    ):
        report(path, cuts=0)


def test_the_report_of_a_study_finds_the_files_of_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "project"
    (project / "studies").mkdir(parents=True)
    net = tulle.Fabric.from_edges(BEFORE, 1)
    net.write(project / "net.json")
    tulle.route(net, "spread:layers=2").save(project / "net.tulle")
    (project / "studies" / "own.toml").write_text(
        'name = "own"\nmeasurement = "quality"\n[[case]]\nname = "net"\n'
        'fabric = "file:edges=../net.json"\nrouting = "@../net.tulle"\n'
    )
    monkeypatch.chdir(project)
    # The runs are behind a symbolic link, over which no relative path leads back.
    (tmp_path / "disk" / "runs").mkdir(parents=True)
    (project / "runs").symlink_to(tmp_path / "disk" / "runs")
    folder = json.loads(printed("run", "studies/own.toml", "--json"))["directory"]
    for here in (project, project / "studies", tmp_path):
        monkeypatch.chdir(here)
        manifest = dict(report(project / folder, cuts=0).manifest)
        wanted = {project: "net.json", project / "studies": "../net.json", tmp_path: "project/net.json"}[here]
        assert manifest["network net"] == f"file:edges={wanted}"
        assert str(manifest["network net: routing"]).startswith("spread:layers=2")
    # A routing that the user names is relative to the working directory.
    tulle.route(net, "minimal").save("net.tulle")
    manifest = dict(report(project / folder, cuts=0, routing="@net.tulle").manifest)
    assert str(manifest["network net: routing"]).startswith("minimal")
    capsys.readouterr()
    command = ["report", str(project / folder), "-o", "report.html", "--cuts", "0"]
    for name, write in (("net.tulle", tulle.route(net, "minimal").save), ("net.json", net.without(links=1).write)):
        before = (project / name).read_bytes()
        write(project / name)
        assert run(command) == 2
        line = f"{project / folder}: project/{name} has changed since the study ran; run the study again"
        assert capsys.readouterr().err == f"tulle: {line}\n"
        (project / name).write_bytes(before)
    assert run(command) == 0


GRID = """
name = "grid"
measurement = "quality"
figures = ["mean_hops"]
[grid]
fabric = ["slimfly:q=3", "hyperx:shape=3x3,p=2"]
[[case]]
name = "minimal"
routing = "minimal"
[[case]]
name = "layers"
routing = "spread:layers=2"
[[comparison]]
case = "layers"
over = "minimal"
source = "none"
most = { mean_hops = 0.5 }
[[reference]]
case = "minimal"
source = "none"
paper = { mean_hops = 1.0 }
tolerance = { mean_hops = 9.0 }
"""


def test_the_report_of_a_study_names_grid_points_and_networks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = '[words]\n"slimfly:q=3" = "Slim Fly"\n"hyperx:shape=3x3,p=2" = "HyperX"\n'
    for more, networks, places in (
        ("", "AB", ("slimfly:q=3", "hyperx:shape=3x3,p=2")),
        (words, ("Slim Fly", "HyperX"), ("Slim Fly", "HyperX")),
    ):
        Path("grid.toml").write_text(GRID.replace("[grid]", f"{more}[grid]"))
        folder = Path(json.loads(printed("run", "grid.toml", "--json"))["directory"])
        page = report(folder, cuts=0)
        assert page.summary[1:3] == ("References: 2 agree, 0 differ.", "Comparisons of cases: 0 agree, 2 differ.")
        for line, point in zip(page.summary[3:], places, strict=True):
            assert line.startswith(f"layers / minimal, {point}: mean hops: the ratio 1")
            assert line.endswith(" differs from ≤ 0.5.")
        assert {f"network {name}" for name in networks} <= {name for name, _ in page.manifest}
    # Lines may break after a comma, not inside a word.
    assert "<code>hyperx:<wbr>shape=3x3,<wbr>p=2,<wbr>width=1x1</code>" in page.html()
    (folder / "manifest.json").unlink()
    with pytest.raises(FileError, match=r"grid-.*: has no manifest.json, so it is incomplete; the `tulle run` of"):
        report(folder)


def test_a_run_directory_without_its_study_names_the_missing_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    Path("studies").mkdir()
    tulle.Fabric.from_edges(BEFORE, 1).write("net.json")
    Path("studies/own.toml").write_text(
        'name = "own"\nmeasurement = "quality"\n[[case]]\nname = "net"\n'
        'fabric = "file:edges=../net.json"\nrouting = "minimal"\n'
    )
    folder = json.loads(printed("run", "studies/own.toml", "--json"))["directory"]
    (tmp_path / "moved").mkdir()
    Path("runs").rename(tmp_path / "moved" / "runs")
    monkeypatch.chdir(tmp_path / "moved")
    capsys.readouterr()
    assert run(["report", folder, "-o", "report.html"]) == 2
    assert capsys.readouterr().err == (
        f"tulle: {folder}: its input file ../net.json does not exist (looked for at {tmp_path}/moved/net.json); "
        "legal: the run directory at its old place relative to the study, or --networks 0 to draw no networks\n"
    )
    assert run(["report", folder, "-o", "report.html", "--networks", "0"]) == 0
    capsys.readouterr()
    assert run(["run", folder]) == 2
    assert capsys.readouterr().err == (
        f"tulle: {folder}: a run directory; legal: the file of its study; `tulle report` shows run directories\n"
    )
    # The study was copied without its input file.
    Path("own.toml").write_text((tmp_path / "project" / "studies" / "own.toml").read_text())
    assert run(["run", "own.toml"]) == 2
    assert capsys.readouterr().err == (
        f"tulle: own.toml: case 'net': ../net.json does not exist (looked for at {tmp_path}/net.json); "
        "legal: a path relative to the folder of the study\n"
    )


ROUTED = {
    "compare": (
        *("file:edges=net.json", "clique:degree=2,p=1", "--bytes", "4KB"),
        *("--routing", "@own.routing", "--routing", "minimal"),
    ),
    "resilience": (
        *("file:edges=net.json", "--routing", "@own.routing", "--shares", "0%"),
        *("--kinds", "links", "--pairs", "4"),
    ),
}


@pytest.mark.parametrize("kind", ROUTED)
@pytest.mark.parametrize("form", ["saved", "text"])
def test_a_routing_that_was_read_from_a_file_is_read_again(
    kind: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    net = tulle.Fabric.from_edges(BEFORE, 1)
    net.write("net.json")
    # The command uses another seed than the file.
    own = tulle.route(net, "random:layers=2,rho=0.8", seed=6)
    assert own != tulle.route(net, own.spec)
    if form == "saved":
        own.save("own.routing")
    else:
        pairs = [(a, b) for a in range(6) for b in range(6) if a != b]
        steps = [own.paths(*pair)[0].tolist() for pair in pairs]
        ends = net.channels
        lines = [" ".join(map(str, [ends[path[0]][0], *(ends[at][1] for at in path)])) for path in steps]
        Path("own.routing").write_text("\n".join(lines) + "\n")
    wanted = described(net, place(net), tulle.route(net, "@own.routing"), cables_to_cut=0)["routing"]
    Path("result.json").write_text(printed(kind, *ROUTED[kind], "--seeds", "1", "--json"))
    assert data(report("result.json", cuts=0).html())["networks"][0]["routing"] == json.loads(json.dumps(wanted))
    command = ["report", "result.json", "-o", "report.html", "--cuts", "0"]
    content = Path("own.routing").read_bytes()
    tulle.route(net, "minimal").save("own.routing")
    capsys.readouterr()
    assert run(command) == 2
    assert capsys.readouterr().err == (
        "tulle: result.json: own.routing is no longer the routing of this file; run the command again\n"
    )
    Path("own.routing").unlink()
    assert run(command) == 2
    assert capsys.readouterr().err == (
        f"tulle: result.json: its input file own.routing does not exist (looked for at {tmp_path}/own.routing); "
        "legal: the folder in which the result was made, or make the result again\n"
    )
    Path("own.routing").write_bytes(content)
    if form == "text":
        # Results of earlier versions do not name the file.
        Path("result.json").write_text(Path("result.json").read_text().replace("routing_file", "unknown"))
        assert run(command) == 2
        assert "result.json: does not name the file of its routing; legal: run the" in capsys.readouterr().err


def test_the_command_writes_a_report_or_nothing(
    results: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.html"
    assert run(["report", str(results["layout"]), "-o", str(out), "--cuts", "0", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["bytes"] == out.stat().st_size
    assert found["title"] == "Layout of slimfly:q=3,p=3"
    named = ["report", str(results["layout"]), "-o", str(out), "--cuts", "0", "--networks", "0", "--title"]
    assert run([*named, "Hall <2> & 3"]) == 0
    assert "<h1>Hall &lt;2&gt; &amp; 3</h1>" in out.read_text()
    out.unlink()
    for wrong in ("", " ", "two\nlines", "x" * 201):
        capsys.readouterr()
        assert run([*named, wrong]) == 2
        assert "is not a heading; legal: one line of 1 to 200 characters\n" in capsys.readouterr().err
    assert run(["report", str(tmp_path / "missing.json"), "-o", str(out)]) == 2
    assert run(["report", str(results["layout"]), "-o", str(tmp_path / "report.pdf")]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["tulle", "tulle"]
    assert "legal: .html" in lines[1]
    assert list(tmp_path.iterdir()) == []


def test_vendored_scripts_are_those_of_the_registry_with_their_licences() -> None:
    hashes = {
        "d3-7.9.0.min.js": "f2094bbf6141b359722c4fe454eb6c4b0f0e42cc10cc7af921fc158fceb86539",
        "plot-0.6.17.umd.min.js": "4358086467740777dd788d6b27a95cebdbaefdd50c730a3060117073bd7134cb",
    }
    vendor = files("tulle.report_html") / "vendor"
    scripts = {file.name: file.read_bytes() for file in vendor.iterdir() if file.name.endswith(".js")}
    assert {name: hashlib.sha256(content).hexdigest() for name, content in scripts.items()} == hashes
    licences = (vendor / "LICENSES.txt").read_text()
    assert licences in (ROOT / "THIRD-PARTY-LICENSES.txt").read_text()
    assert "d3 7.9.0: ISC" in licences
    assert "@observablehq/plot 0.6.17: ISC" in licences


def test_numbers() -> None:
    values = (0, 12, 1234.5, 0.99999, 0.012345, 386.04, 1e-7, -2.5)
    assert [number(value) for value in values] == ["0", "12", "1,234", "1", "0.01235", "386", "1e-07", "-2.5"]
    ascending = [number(10.0**power) for power in range(-3, 7)]
    assert all(a != b for a, b in pairwise(ascending))
