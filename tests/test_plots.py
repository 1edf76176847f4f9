"""Check plots: the elements (artists) of the figures, files that are equal byte for byte, and errors."""

from __future__ import annotations

import csv
import io
import json
import sys
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conftest import ROOT

import tulle
from tulle.analysis.failure_sweep import Band, Damage, Resilience, read_sweep
from tulle.columns import Columns
from tulle.compare.card import Band as CardBand
from tulle.compare.card import Card, Entrant, Row
from tulle.flit import plot_latency_load
from tulle.plot.comparison import Compared, plot_comparison
from tulle.plot.floor import Racks, _names, trays
from tulle.plot.names import _NAMES, short_names
from tulle.plot.positions import positions
from tulle.plot.style import COLUMN, PAGE, line_style, step_style
from tulle.plot.ticks_text import size_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytest.importorskip("matplotlib")
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from tulle.plot.paths import plot_paths
from tulle.plot.ticks import RoundLocator


def svg(figure: Figure) -> str:
    file = io.BytesIO()
    figure.savefig(file, format="svg")
    return file.getvalue().decode()


def legend(figure: Figure) -> list[str]:
    found = [*figure.legends, *(one for axes in figure.axes if (one := axes.get_legend()) is not None)]
    return [text.get_text() for one in found for text in one.get_texts()]


def lines(axes: Any) -> int:
    return sum(len(one.get_segments()) for one in axes.collections if isinstance(one, LineCollection))


@pytest.fixture(scope="module")
def fabric() -> tulle.Fabric:
    return tulle.Fabric("slimfly:q=3,p=1")


@pytest.fixture(scope="module")
def routing(fabric: tulle.Fabric) -> tulle.Routing:
    return tulle.route(fabric, "random:layers=3,rho=0.7", seed=1)


@pytest.fixture(scope="module")
def result(fabric: tulle.Fabric, routing: tulle.Routing) -> tulle.Simulation:
    return tulle.simulate(fabric, routing, "uniform:arrivals=2000,duration=1ms,sizes=websearch", seed=1)


@pytest.mark.parametrize(
    ("spec", "kind", "groups"),
    [
        ("slimfly:q=5", "rings", 5),
        ("dragonfly:p=2", "rings", 9),
        ("megafly:leaves=2", "rings", 5),
        ("xpander:degree=5", "rings", 6),
        ("hyperx:shape=4x3x2", "grid", None),
        ("torus:shape=4x4", "grid", None),
        ("hypercube:dimensions=5", "grid", None),
        ("hammingmesh:board=2x2,boards=4x4", "grid", None),
        ("fattree:levels=3,radix=4", "layers", 5),
        ("oft:k=4", "layers", None),
        ("clique:degree=6", "ring", None),
        ("star:endpoints=4", "spectral", None),
        ("jellyfish:switches=36,degree=16,p=8", "spectral", None),
        ("polarfly:q=5", "spectral", None),
    ],
)
def test_layouts_of_families(spec: str, kind: str, groups: int | None) -> None:
    fabric = tulle.Fabric(spec, seed=1)
    found = positions(fabric)
    assert (found.kind, None if found.groups is None else int(found.groups.max()) + 1) == (kind, groups)
    assert np.isfinite(found.xy).all()
    # No switch hides another one.
    apart = np.hypot(*(found.xy[:, None] - found.xy).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    assert apart.min() > 1e-3 * np.ptp(found.xy) or fabric.num_switches == 1
    if kind == "layers":
        assert np.array_equal(found.xy[:, 1], fabric.levels)


def test_parts_of_a_disconnected_fabric_do_not_overlap() -> None:
    cables = [(at, (at + 1) % 8) for at in range(8)] + [(8, 9), (9, 10), (10, 8)]
    found = positions(tulle.Fabric.from_edges(cables, num_switches=13))
    large, small = found.xy[:8], found.xy[8:]
    assert small[:, 1].max() < large[:, 1].min()
    # The spectral layout of a ring is a circle.
    assert np.ptp(np.hypot(*large.T)) < 1e-6


def test_fabrics(fabric: tulle.Fabric) -> None:
    figure = fabric.plot()
    assert isinstance(figure, Figure)
    assert figure.get_figwidth() == pytest.approx(COLUMN)
    assert lines(figure.axes[0]) == fabric.num_cables
    assert [text.get_text() for text in figure.axes[0].texts] == list(fabric.labels)
    assert len(fabric.plot(names=False).axes[0].texts) == 0
    assert svg(figure) == svg(fabric.plot())
    assert figure._repr_png_()[:4] == b"\x89PNG"  # type: ignore[attr-defined]
    tree = tulle.Fabric("fattree:levels=2,radix=4")
    assert legend(tree.plot()) == ["level 0", "level 1", "without endpoints"]
    # With loads, cables have the colour of the busier direction.
    load = np.zeros(len(fabric.channels))
    load[fabric.reverse[fabric.cables[4]]] = 7
    shown = next(one for one in fabric.plot(load=load).axes[0].collections if isinstance(one, LineCollection))
    assert np.sort(np.asarray(shown.get_array())).tolist() == [0.0] * (fabric.num_cables - 1) + [7.0]


def test_adjacency() -> None:
    fabric = tulle.Fabric("dragonfly:p=2")
    figure = fabric.plot_adjacency()
    cells = np.asarray(figure.axes[0].images[0].get_array().filled(np.nan))  # type: ignore[union-attr]
    tails, heads = fabric.channels.T
    assert np.array_equal(cells[tails, heads], fabric.classes)
    assert int(np.isfinite(cells).sum()) == len(fabric.channels)
    assert legend(figure) == ["local", "global"]


def test_paths(fabric: tulle.Fabric, routing: tulle.Routing) -> None:
    figure = routing.plot_paths(0, fabric.labels[5])
    paths = {tuple(path.tolist()) for path in routing.paths(0, 5)}
    names = legend(figure)
    assert len(names) == len(paths)
    numbers = [text for name in names for text in name.partition(":")[0].split(" ", 1)[1].split(", ")]
    assert sum(len(range(int(text[0]), int(text[-1]) + 1)) for text in numbers) == routing.num_layers
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {fabric.labels[0], fabric.labels[5]} <= {*texts}
    pairs = tulle.Routing.from_paths(fabric, [[0, 1]])
    assert legend(pairs.plot_paths(0, 1)) == ["path 0: 1 hop"]


@pytest.mark.parametrize(
    "paths",
    [
        # Switch 3 must not be drawn on the line from 2 to 1, because both paths would look the same.
        [[0, 2, 1], [0, 2, 3, 1]],
        [[0, 1], [0, 2, 1], [0, 2, 3, 1], [0, 4, 3, 1], [0, 4, 5, 6, 1]],
        [[0, 2, 3, 1], [0, 2, 4, 1], [0, 5, 4, 1], [0, 5, 2, 6, 1]],
    ],
)
def test_no_line_crosses_a_switch_of_another_path(paths: list[list[int]]) -> None:
    names = [str(switch) for switch in range(7)]
    axes = plot_paths(paths, names, "path").axes[0]
    lines = [np.array(line.get_xydata()) for line in axes.lines]
    marks = np.array([line[0] for line in lines if len(line) == 1])
    assert len(marks) == len({switch for path in paths for switch in path})
    for line in (line for line in lines if len(line) > 1):
        for (x, y), (to_x, to_y) in pairwise(line[np.isin(line, marks).all(axis=1)]):
            between = marks[(marks[:, 0] > x) & (marks[:, 0] < to_x)]
            assert (abs(np.interp(between[:, 0], (x, to_x), (y, to_y)) - between[:, 1]) > 0.2).all()


def test_loads(fabric: tulle.Fabric, routing: tulle.Routing, result: tulle.Simulation) -> None:
    both = routing.plot_load()
    assert both.get_figwidth() == pytest.approx(PAGE)
    load = routing.paths_over()
    cells = np.asarray(both.axes[1].images[0].get_array().filled(np.nan))  # type: ignore[union-attr]
    assert np.array_equal(cells[tuple(fabric.channels.T)], load)
    figure = result.plot_load("drawing")
    shown = next(one for one in figure.axes[0].collections if isinstance(one, LineCollection))
    busy = 100 * result.links["utilisation"][: len(fabric.channels)]
    assert float(np.max(np.asarray(shown.get_array()))) == pytest.approx(float(busy.max()))
    assert figure.axes[1].get_ylabel() == "utilisation (% of the time)"
    flits = tulle.simulate_flits(fabric, routing, load=0.2, vcs=4, window=200, warmup=100)
    assert lines(flits.plot_load("drawing").axes[0]) == fabric.num_cables


def test_distributions(result: tulle.Simulation) -> None:
    figure = result.plot_cdf(label="_first")
    axes = figure.axes[0]
    assert result.plot_cdf(label="second", ax=axes) is figure
    assert [name.lstrip("\u200b") for name in legend(figure)] == ["_first", "second"]
    first, second = axes.lines
    assert first.get_color() != second.get_color()
    x, y = (np.asarray(part) for part in (first.get_xdata(), first.get_ydata()))
    times = np.sort(result.fct_us[~np.isnan(result.fct_us)])
    assert (x[0], x[-1], y[0]) == (times[0], times[-1], 0.0)
    # The curve shows the fraction of all flows. So if some flows have not finished, it ends below 1.
    assert y[-1] == pytest.approx(len(times) / len(result.fct_us))
    assert axes.get_xlabel() == "flow completion time (µs)"


def test_a_single_size_is_in_the_middle() -> None:
    result = tulle.simulate("clique:degree=3", "minimal", "permutation:bytes=64KiB")
    axes = result.plot_fct_by_size(label="one").axes[0]
    assert axes.get_xlim() == (32 * 1024, 128 * 1024)
    other = tulle.simulate("clique:degree=3", "minimal", "permutation:bytes=1MiB")
    other.plot_fct_by_size(label="two", ax=axes)
    left, right = axes.get_xlim()
    assert 32 * 1024 < left < 64 * 1024 < 2**20 < right < 2**21


def test_names_and_switches_of_an_irregular_graph_do_not_cover_each_other() -> None:
    import networkx as nx
    from matplotlib.collections import PathCollection

    graph = nx.connected_watts_strogatz_graph(24, 4, 0.35, seed=3)
    fabric = tulle.Fabric.from_networkx(nx.relabel_nodes(graph, {node: f"switch-{node}" for node in graph}), 1)
    figure = fabric.plot()
    figure.canvas.draw()
    axes = figure.axes[0]
    of_switches = [np.asarray(each.get_offsets()) for each in axes.collections if isinstance(each, PathCollection)]
    spots = axes.transData.transform(np.concatenate(of_switches))
    between = np.hypot(*(spots[:, None] - spots).transpose(2, 0, 1))
    np.fill_diagonal(between, np.inf)
    # The diameter of a switch is 5 points; a point is dpi / 72 pixels.
    assert between.min() > 5 * figure.dpi / 72
    boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) == 24
    overlaps = [(a, b) for at, a in enumerate(boxes) for b in boxes[:at] if a.overlaps(b)]
    covered = [(box, spot) for box in boxes for spot in spots if box.contains(*spot)]
    assert len(overlaps) <= 1
    assert not covered


def test_times_by_size(result: tulle.Simulation) -> None:
    figure = result.plot_fct_by_size()
    median, high = figure.axes[0].lines
    assert legend(figure) == ["median", "99th percentile"]
    sizes = np.asarray(median.get_xdata())
    assert (np.diff(sizes) > 0).all()
    assert 5 <= len(sizes) <= 10
    assert (np.asarray(high.get_ydata()) >= np.asarray(median.get_ydata())).all()
    assert not median.get_clip_on()


@pytest.fixture(scope="module")
def incast() -> tulle.Simulation:
    """Three endpoints send to one endpoint, through queues of at most six packets."""
    fabric = tulle.Fabric("clique:degree=3,p=1")
    workload = tulle.Workload([1, 2, 3], [0, 0, 0], [300_000] * 3)
    return tulle.simulate(
        fabric, "minimal", workload, queue="droptail:packets=6", sample="5us", sample_links=["to:0", "1--0", "1"]
    )


def test_links_over_time(incast: tulle.Simulation) -> None:
    samples, links = incast.link_samples, incast.links
    queue, used, sent = (samples[name].reshape(-1, 3) for name in ("queue", "utilisation", "bytes"))
    rows = samples["link"][:3]
    assert (links["target"][rows].tolist(), links["endpoint"][rows].tolist()) == ([-1, 0, 2], [0, -1, -1])
    # At most six packets of 9 KB wait at the port to endpoint 0, and at most one waits for the link from switch 1.
    assert 36_000 < queue[:, 0].max() <= 54_000
    assert 0 < queue[:, 1].max() <= 9_000
    assert not queue[:, 2].any()
    times = np.diff(samples["time"].reshape(-1, 3)[:, 0], prepend=0)
    assert np.allclose(times @ used * 10e9 / 8e12, links["bytes"][rows], atol=1)
    assert sent[-1].tolist() == links["bytes"][rows].tolist()
    figure = incast.plot_timeseries()
    top, bottom = figure.axes
    assert legend(figure) == ["0 → endpoint 0", "1 → 0", "0 → 2"]
    assert np.asarray(top.lines[0].get_ydata()).tolist() == [0, *(queue[:, 0] / 1000)]
    assert np.asarray(bottom.lines[1].get_ydata())[1:].tolist() == (100 * used[:, 1]).tolist()
    assert (top.get_ylabel(), bottom.get_xlabel()) == ("queue (kB)", "time (µs)")


def runs(**more: list[float]) -> Columns:
    columns = {"load": [0.1, 0.1, 0.9, 0.9], "latency_mean": [20, 22, 400, 600], "accepted": [0.1, 0.1, 0.8, 0.8]}
    return Columns({name: np.array(column, dtype=float) for name, column in {**columns, **more}.items()})


def test_latency_over_load() -> None:
    figure = plot_latency_load({"a": runs(saturated=[0, 0, 0, 1]), "b": runs()})
    left, right = figure.axes
    assert np.asarray(left.lines[0].get_ydata()).tolist() == [21, 500]
    # The load at which a run saturated has a hollow marker.
    assert (left.lines[1].get_markerfacecolor(), np.asarray(left.lines[1].get_xdata()).tolist()) == ("white", [0.9])
    assert len(right.lines) == 3
    assert legend(figure) == ["a", "b"]
    assert all(line.get_color() in {line_style(at)["color"] for at in range(7)} for line in left.lines)


def sweep() -> Resilience:
    def row(kind: str, share: float, value: float) -> Damage:
        band = Band(value, value - 1, value + 1, 3)
        return Damage(kind, share, 1, 3, 1.0, band, band, {"diameter": band, "all_to_all": None})

    rows = tuple(row(kind, share, 2 + share) for kind in ("links", "switches") for share in (0.0, 0.05))
    return Resilience("slimfly:q=3", None, None, 3, rows)


def test_failures(tmp_path: Path) -> None:
    found = sweep()
    figure = found.plot()
    assert legend(figure) == ["links", "switches"]
    one = found.plot("diameter")
    assert np.asarray(one.axes[0].lines[0].get_xdata()).tolist() == [0, 5]
    assert not any(line.get_clip_on() for line in one.axes[0].lines)
    path = tmp_path / "sweep.json"
    from dataclasses import asdict

    path.write_text(json.dumps({**asdict(found), "seed": 0}))
    assert read_sweep(path) == found
    for text in ("[]", "{}", '{"rows": []}', "no JSON"):
        path.write_text(text)
        with pytest.raises(
            tulle.FormatError, match=r"not a failure sweep; legal: the output of `tulle resilience --json`"
        ):
            read_sweep(path)


def test_floors() -> None:
    layout = tulle.place("slimfly:q=5", "rows=2")
    axes = layout.plot().axes[0]
    places = layout.rack_places * (2.1, 0.6)
    corners = np.array([box.get_extents().transformed(axes.transData.inverted()).get_points() for box in axes.patches])
    assert np.allclose(corners.mean(axis=1), places)
    assert axes.get_aspect() == 1
    texts = [text.get_text() for text in axes.texts]
    assert {"2.1 m", "0.6 m", "rack0\n10 switches"} <= {*texts}
    watts = layout.power("fatpaths-100gbe").racks
    priced = [text.get_text() for text in layout.plot("fatpaths-100gbe").axes[0].texts]
    assert f"rack0\n{watts[0] / 1000:.3g} kW" in priced
    # Names have two lines: on one line, the names of all racks of a pod would be cut to "pod0-le…".
    wide = tulle.place("fattree:levels=3,radix=32,leaves=125,uplinks=16,p=16").plot().axes[0]
    assert {f"pod0\nleaf{at}" for at in range(4)} <= {text.get_text() for text in wide.texts}


@pytest.mark.parametrize(
    ("spec", "floor"), [("slimfly:q=5", "rows=1"), ("slimfly:q=7", "rows=7"), ("slimfly:q=9", "rows=1")]
)
def test_distances_of_floors_are_inside_the_frame(spec: str, floor: str) -> None:
    figure = tulle.place(spec, floor).plot()
    figure.draw_without_rendering()
    (axes,) = figure.axes
    frame = axes.get_window_extent()
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text() in ("2.1 m", "0.6 m")]
    assert boxes
    for box in boxes:
        assert frame.x0 < box.x0 < box.x1 < frame.x1
        assert frame.y0 < box.y0 < box.y1 < frame.y1


def test_trays_carry_every_cable_over_its_whole_distance() -> None:
    places = np.array([[0, 0], [2, 1], [2, 3]], dtype=np.int32)
    none = np.zeros(3, dtype=np.int64)
    cables = np.array([[0, 1, 4], [1, 2, 6]])
    along, across = trays(Racks(["a", "b", "c"], places, none, none, none, None, cables))
    assert sum(along.values()) == 4 * 1 + 6 * 2
    assert sum(across.values()) == 4 * 2
    assert along[2, 1] == 6
    assert across[0, 0] == across[0, 1] == 2


def card() -> Card:
    def entrant(spec: str) -> Entrant:
        return Entrant(spec, 10, 2, 3, 4, "minimal", "none")

    def row(name: str, better: str, *medians: float) -> Row:
        bands = tuple(CardBand(value, value, value, 2) for value in medians)
        best = (min if better == "low" else max)(medians)
        return Row(name, name, better, bands, (medians.index(best),), True)

    rows = (row("cost_per_endpoint", "low", 100, 130), row("paths", "high", 5, 10), row("worst", "high", 1, 28))
    specs = ("slimfly:q=5,p=4", "slimfly:q=7,p=4")
    return Card(tuple(map(entrant, specs)), "USD", "list", "spray", "ndp", 2, rows, ())


def test_comparisons() -> None:
    figure = card().plot()
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["cost_per_endpoint (USD)", "paths", "worst"]
    drawn = [np.asarray(line.get_xdata()) for line in axes.lines if line.get_marker() in ("o", "s")]
    marks = sorted(float(x[0]) for x in drawn if len(x))
    assert marks == pytest.approx([1, 1, 1, 1.3, 2])
    # A distant value is a text, so that the axis shows the differences between the other values.
    assert [text.get_text() for text in axes.texts] == ["28×"]
    assert axes.get_xlim()[1] <= 6
    assert max(axes.get_xticks()) <= 4
    assert legend(figure) == ["Slim Fly q=5", "Slim Fly q=7"]


def test_distant_values_of_a_row_do_not_overlap() -> None:
    best, distant = (1.0, 1.0, 1.0), [(ratio, ratio, ratio) for ratio in (16.2, 22.3, 13.6, 1234.0, 5.0)]
    for count in (3, 5):
        fabrics = [f"slimfly:q={q}" for q in (3, 4, 5, 7, 8, 9)[: count + 1]]
        figure = plot_comparison(fabrics, [Compared("price", 3.0, (best, *distant[:count]))])
        figure.canvas.draw()
        boxes = [text.get_window_extent() for text in figure.axes[0].texts]
        frame = figure.axes[0].get_window_extent()
        assert len(boxes) == count
        assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
        assert all(frame.x0 < box.x0 and box.x1 < frame.x1 + 2 for box in boxes)


def test_names_of_racks_fit_and_keep_their_numbers() -> None:
    assert _names(["rack0", "rack0.1", "rack12"], 17, 8)[0] == [["0"], ["0.1"], ["12"]]
    assert _names(["rack0", "rack0.1"], 60, 8)[0] == [["rack0"], ["rack0.1"]]
    # The prefix stays if a name has nothing else, or if names begin with different words.
    assert _names(["rack", "rack.1"], 11, 8)[0] == [["rack"], ["…k.1"]]
    assert _names(["pod0-leaf12", "spine1"], 20, 30)[0] == [["…leaf12"], ["spine1"]]
    assert _names(["pod0-aggregation", "spine1"], 24, 30)[0] == [["pod0-ag…"], ["spine1"]]
    for names, width, points in ((["rack12.3"] * 3, 30, 20), (["spine1"], 200, 40)):
        lines, size = _names(names, width, points)
        assert 4.5 <= size <= 6.5
        assert all(len(line) * 0.62 * size <= width + 1e-9 for of in lines for line in of)


def test_names() -> None:
    assert {entry["name"] for entry in tulle.registered("fabrics")} <= {*_NAMES}
    assert short_names(["dragonfly:p=2", "my-plug-in:x=1"]) == ["Dragonfly", "my-plug-in"]
    own = ["file:edges=mine/hs.json", 'file:edges="a,b=c.csv",p=4', "slimfly:q=5,p=4"]
    assert short_names(own) == ["hs", "a,b=c", "Slim Fly"]
    assert short_names(["file:edges=a/x.json", "file:edges=b/x.json"]) == ["x edges=a/x.json", "x edges=b/x.json"]
    assert short_names(["edges", "file:edges=sf.edges,p=4"]) == ["network", "sf"]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (24.1, 31, [26, 28, 30]),
        (26.5, 28.9, [26.5, 27, 27.5, 28, 28.5]),
        (225, 700, [300, 400, 500, 600, 700]),
        (1, 9, [1, 2, 3, 5, 7]),
        (20, 1000, [20, 50, 100, 200, 500, 1000]),
        (3, 1e5, [10, 100, 1000, 1e4, 1e5]),
        (1e-9, 1e9, [1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9]),
    ],
)
def test_ticks_of_logarithmic_axes(low: float, high: float, ticks: list[float]) -> None:
    assert RoundLocator().tick_values(low, high).tolist() == pytest.approx(ticks)


def test_sizes_as_text() -> None:
    assert [size_text(size) for size in (1, 1536, 2**20, 1e6, 123_456)] == ["1 B", "1.5 KiB", "1 MiB", "1 MB", "123 kB"]


@pytest.mark.parametrize(
    ("draw", "error", "message"),
    [
        (
            lambda f, _: f.plot("green"),
            tulle.SpecError,
            "colour=green is not a choice; legal: level, group, role, load",
        ),
        (lambda f, _: f.plot("load"), tulle.InputError, "colour=load needs loads; legal: load="),
        (lambda f, _: f.plot("role"), tulle.InputError, "has no roles; legal: level, group or load"),
        (lambda f, _: f.plot(load=[1, 2]), tulle.InputError, r"load has shape \(2,\); legal: \(90,\), one number per"),
        (lambda f, _: f.plot("level", load=[1.0]), tulle.InputError, "colour=level does not show load=; legal: load="),
        (lambda f, _: f.plot(load=np.full(90, -1)), tulle.InputError, "channel 0 has load -1.0; legal: finite"),
        (lambda f, _: f.plot(load="many"), tulle.InputError, "load is not an array of numbers"),
        (lambda f, _: f.plot(ax=3), tulle.InputError, "ax is an int; legal: an Axes of matplotlib"),
        (lambda _, r: r.plot_load("wall"), tulle.SpecError, "on=wall is not a choice; legal: drawing, matrix"),
        (lambda _, r: r.plot_paths(2, 2), tulle.InputError, "legal: two switches"),
        (lambda _, r: r.plot_paths(0, "x"), tulle.InputError, "x"),
        (lambda *_: tulle.Fabric("torus:shape=4x4").plot("group"), tulle.InputError, "has no groups"),
        (
            lambda *_: tulle.Fabric("slimfly:q=37").plot(),
            tulle.InputError,
            "2,738 switches is not readable; legal: up to",
        ),
        (lambda *_: tulle.Fabric.from_edges([]).plot(), tulle.InputError, "no switches; legal: one or more"),
        (lambda *_: sweep().plot("diametre"), tulle.SpecError, "did you mean diameter"),
        (
            lambda f, r: tulle.simulate(f, r, "permutation:bytes=1KB").plot_timeseries(),
            tulle.InputError,
            "no samples of links; legal: a simulation with sample= and sample_links=",
        ),
        (lambda *_: plot_latency_load({}), tulle.InputError, "no curves; legal: one or more"),
        (
            lambda *_: plot_latency_load({"a": runs()}, "cost"),
            tulle.SpecError,
            "of=cost is not a choice; legal: latency",
        ),
        (lambda _, r: r.plot_load("a.pdf"), tulle.SpecError, r"on=a.pdf is a file; write .*: .savefig\('a.pdf'\)"),
        (lambda f, _: f.plot("a.PNG"), tulle.SpecError, r"colour=a.PNG is a file; write the returned figure"),
    ],
)
def test_bad_input(
    fabric: tulle.Fabric, routing: tulle.Routing, draw: Callable[..., Figure], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        draw(fabric, routing)
    assert "\n" not in str(caught.value)


def test_two_panels_need_a_choice(routing: tulle.Routing) -> None:
    axes = Figure().add_subplot()
    with pytest.raises(tulle.InputError, match=r"ax has room for one panel only; legal: on='drawing' or on='matrix'"):
        routing.plot_load(ax=axes)
    with pytest.raises(tulle.InputError, match=r"ax has room for one panel only; legal: of="):
        sweep().plot(ax=axes)
    figure = routing.plot_load("matrix", ax=axes)
    assert figure is axes.figure


def test_without_matplotlib(fabric: tulle.Fabric, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(tulle.MissingDependencyError, match=r"drawing needs matplotlib; install tulle\[plot\]"):
        fabric.plot()


def test_commands_draw_result_files(
    tmp_path: Path, result: tulle.Simulation, incast: tulle.Simulation, capsys: pytest.CaptureFixture[str]
) -> None:
    from tulle.cli import main

    def run(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            main(arguments)
        printed = capsys.readouterr()
        return int(end.value.code or 0), printed.out + printed.err

    flows, table, out = tmp_path / "a.csv", tmp_path / "runs.csv", tmp_path / "x.svg"
    links = tmp_path / "links.csv"
    incast.link_samples.write_csv(links)
    Columns({**result.flows, "slowdown": result.slowdown}, result.flows.units).write_csv(flows)
    Columns(dict(runs(saturated=[0, 0, 0, 1])), {"latency_mean": "cycles"}).write_csv(table)
    commands = [
        ("fabric", "fattree:levels=2,radix=4", "--colour", "load", "-r", "minimal"),
        ("adjacency", "slimfly:q=3"),
        ("paths", "slimfly:q=3", "minimal", "0", "5"),
        ("load", "slimfly:q=3", "minimal", "--on", "matrix"),
        ("layout", "slimfly:q=3"),
        ("cdf", f"one={flows}", f"two={flows}", "--of", "slowdown"),
        ("fct-by-size", str(flows)),
        ("timeseries", str(links)),
        ("latency-load", str(table)),
    ]
    for command in commands:
        assert run("plot", *command, "-o", str(out)) == (0, f"{out}\n")
        first = out.read_bytes()
        run("plot", *command, "-o", str(out))
        assert out.read_bytes() == first
    assert b"<!-- two -->" not in first
    wrong = [
        (
            ("cdf", str(table)),
            "no column bytes, start_ps, finish_ps, slowdown; legal: a table that tulle simulate -o wrote",
        ),
        (("cdf", str(flows), str(flows)), "two files named 'a'"),
        (("cdf", str(flows), "--of", "cost"), "of=cost is not a choice; legal: fct, slowdown, throughput"),
        (("cdf", str(tmp_path / "none.csv")), "No such file"),
        (
            ("fabric", "slimfly:q=3", "--colour", "load"),
            "--colour load and --routing go together; legal: both or neither",
        ),
    ]
    out.unlink()
    for command, message in wrong:
        code, printed = run("plot", *command, "-o", str(out))
        assert (code, printed.count("\n")) == (2, 1)
        assert message in printed
    assert not out.exists()
    table.write_text("load,accepted,latency_mean_cycles,saturated\n1,1,x,0\n")
    assert "runs.csv:2: not a row of numbers" in run("plot", "latency-load", str(table), "-o", str(out))[1]


STUDY = """
name = "lines"
measurement = "simulate"
seeds = [1, 2]

[common]
routing = "minimal"
traffic = "uniform:bytes=4KiB,arrivals=20000,duration=100us"
warmup = 0.5

[grid]
selector = ["spray", "ecmp"]

[[case]]
name = "Slim Fly"
fabric = "slimfly:q=3"

[[case]]
name = "clique"
fabric = "clique:degree=4,p=2"
"""


def test_flows_of_a_study_are_a_line_per_case_and_grid_point(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tulle import study
    from tulle.cli import main
    from tulle.plot.flows import plot_all_by_size, plot_cdfs
    from tulle.plot.result_files import read_flows

    (tmp_path / "lines.toml").write_text(STUDY)
    table = study.run(tmp_path / "lines.toml", tmp_path / "runs").directory / "flows.csv"
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    found = read_flows([str(table)])
    assert list(found) == [
        f"{case}, selector={selector}" for selector in ("spray", "ecmp") for case in ("Slim Fly", "clique")
    ]
    times = [
        float(row["fct_us"])
        for row in rows
        if (row["case"], row["selector"], row["counted"]) == ("clique", "ecmp", "1")
    ]
    assert found["clique, selector=ecmp"]["fct"] == pytest.approx(times)
    # The flows of the warm-up are not drawn.
    assert 0 < sum(len(line["fct"]) for line in found.values()) < len(rows)

    assert list(read_flows([str(table)], ["clique"])) == ["selector=spray", "selector=ecmp"]
    assert list(read_flows([str(table)], ["clique"], ["selector=spray"])) == ["flows"]
    assert list(read_flows([f"a={table}", f"b={table}"], at=["selector=spray"])) == [
        "a, Slim Fly",
        "a, clique",
        "b, Slim Fly",
        "b, clique",
    ]
    # A name that the user gave is kept.
    assert list(read_flows([f"a={table}"], ["clique"])) == ["a, selector=spray", "a, selector=ecmp"]
    # A run directory means its table of flows.
    assert list(read_flows([str(table.parent)], ["clique"])) == ["selector=spray", "selector=ecmp"]
    with pytest.raises(tulle.FileError, match=r"runs: has no flows.csv; legal: a file of flows, or a run dir"):
        read_flows([str(tmp_path / "runs")])
    named = [
        plot_cdfs({name: line["fct"] for name, line in found.items()}, "fct"),
        plot_all_by_size({name: (line["bytes"], line["fct"]) for name, line in found.items()}, "fct"),
    ]
    # The legend of four lines is inside the plot, and the legend of eight lines below it.
    assert [len(figure.legends) for figure in named] == [0, 1]
    assert len(named[1].legends[0].get_texts()) == 8
    # Long names would hide the lines.
    long = {f"{name}, fabric=hyperx:shape=3x3,p=2": line["fct"] for name, line in list(found.items())[:2]}
    assert len(plot_cdfs(long, "fct").legends) == 1

    for options, message in [
        (["--case", "clik"], "flows.csv: no case 'clik'; did you mean clique?"),
        (["--at", "selector=x"], "flows.csv: no selector 'x'; legal: spray, ecmp"),
        (["--at", "routing=x"], "flows.csv: no 'routing' to select; legal: case, selector"),
        (["--at", "selector"], "--at selector: no '='; legal: NAME=VALUE"),
        ([f"{name}={table}" for name in "abcd"], "20 lines: one per file, case and grid point; legal: at most 16"),
    ]:
        with pytest.raises(SystemExit) as end:
            main(["plot", "fct-by-size", str(table), *options, "-o", str(tmp_path / "x.svg")])
        assert end.value.code == 2
        assert message in capsys.readouterr().err
    plain = tmp_path / "a.csv"
    plain.write_text("bytes,start_ps,finish_ps,slowdown\n1,0,1,1\n")
    with pytest.raises(tulle.InputError, match=r"a.csv: no 'case' to select; legal: the flows.csv of a study"):
        read_flows([str(plain)], ["x"])


def test_many_lines_differ_in_colour_or_dash() -> None:
    assert len({str(step_style(at)) for at in range(49)}) == 49


def test_options_draw(tmp_path: Path) -> None:
    from tulle.cli import main

    files = [tmp_path / name for name in ("a.svg", "b.svg", "c.svg")]
    options = [
        text for pair in zip(("--plot", "--plot-by-size", "--plot-load"), map(str, files), strict=True) for text in pair
    ]
    with pytest.raises(SystemExit) as end:
        main(["simulate", "slimfly:q=3,p=1", "--traffic", "permutation:bytes=10KB", *options])
    assert not end.value.code
    assert ["message size" in path.read_text(encoding="utf-8") for path in files] == [False, True, False]


def test_every_command_on_the_page_of_plots_draws_a_picture() -> None:
    sys.path.append(str(ROOT / "docs"))
    import pictures

    text = pictures.PAGE_OF_PLOTS.read_text(encoding="utf-8")
    written = {part for command in pictures.commands() for part in command}
    shown = pictures._MARKER.findall(text)
    assert shown
    assert {*shown} <= written
    assert "![cdf](plots/cdf.svg)" in pictures.shown(text)
