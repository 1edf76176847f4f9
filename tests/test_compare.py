"""Check `compare`: its values equal the results of separate analysis functions, and it names the right winners."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tulle as library
from tulle.compare import compare, rates
from tulle.compare.card import CardMetric, row
from tulle.compare.numbering import renumbered

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

SMALL = ["hyperx:shape=3x3", "clique:degree=8"]


def test_figures_are_those_of_the_calls() -> None:
    card = compare(SMALL, routings=["minimal"], seeds=2, size="16KiB")
    rows = {row.name: row for row in card.rows}
    for at, spec in enumerate(SMALL):
        fabric = library.Fabric(spec)
        routing = library.route(fabric, "minimal")
        bill = library.place(fabric).bill("fatpaths-100gbe")
        split = library.analysis.throughput(fabric, "all-to-all", routing, "5%")
        band = rows["all_to_all_best_split"].bands[at]
        assert band is not None
        assert band.median >= split.lower
        band = rows["cost_per_endpoint"].bands[at]
        assert band is not None
        assert (band.median, band.seeds) == (bill.cost_per_endpoint, 1)
        for name, damage in (("", False), ("failed_", True), ("failed_anew_", True)):
            times, rates, accepted = [], [], []
            for seed in range(2):
                left = fabric.with_failures("links=5%", seed) if damage else fabric
                paths = routing
                if damage:
                    paths = library.route(left, "minimal") if "anew" in name else routing.reroute(left).routing
                times.append(
                    library.simulate(left, paths, "permutation:bytes=16KiB", seed=seed).summary()["fct_us"]["p99"]
                )
                rates.append(library.analysis.throughput(left, "all-to-all", paths, method="split").lower)
                run = library.simulate_flits(
                    left,
                    paths,
                    "uniform",
                    load=1.0,
                    seed=seed,
                    vcs=16,
                    selector="ugal:via=layer,direct=shortest,candidates=4,bias=16",
                    warmup=1000,
                    window=1000,
                )
                accepted.append(run.accepted)
            band = rows[f"{name}permutation_fct_p99_us"].bands[at]
            assert band is not None
            assert (band.low, band.high, band.seeds) == (min(times), max(times), 2)
            band = rows[f"{name}all_to_all_routed"].bands[at]
            assert band is not None
            assert (band.low, band.high) == (min(rates), max(rates))
            band = rows[f"{name}saturation"].bands[at]
            assert band is not None
            assert (band.low, band.high, band.seeds) == (min(accepted), max(accepted), 2)
    assert rows["diameter"].winners == (1,)
    assert card == compare(SMALL, routings=["minimal", "minimal"], seeds=2, size="16KiB")


@pytest.mark.parametrize("spec", ["slimfly:q=5", "dragonfly:p=2"])
def test_worst_permutation_is_no_better_than_any_known(spec: str) -> None:
    card = compare([spec, "clique:degree=8"], routings=["minimal"], seeds=1, size="4KiB")
    fabric = library.Fabric(spec)
    routing = library.route(fabric, "minimal")
    band = next(row for row in card.rows if row.name == "worst_routed").bands[0]
    assert band is not None
    for known in ("longest-matching:of=switches", "permutation", "skewed"):
        messages = library.traffic(fabric, known)
        worse = library.stress(routing, messages, 2000).workload
        for of in (messages, worse):
            rate = library.analysis.throughput(fabric, of, routing, method="split").lower
            assert band.median <= rate + (1e-9 if of is messages else 0.05)
    assert card.entrants[0].worst_permutation.split(",")[0] in (
        "longest-matching:of=switches",
        "permutation",
        "skewed",
        "worst-case",
    )


def test_layers_lose_all_to_all_throughput_only_with_the_even_split() -> None:
    # Detours of layers cost throughput if traffic is split evenly. Adaptive selectors stay on minimal paths instead.
    card = compare(["slimfly:q=5", "clique:degree=8"], routings=["spread:layers=4"], seeds=1, size="4KiB")
    carried = {row.name: row.bands[0].median for row in card.rows if row.bands[0] is not None}
    assert carried["all_to_all_routed"] < 0.8 * carried["all_to_all"]
    assert 0.9 * carried["all_to_all"] < carried["all_to_all_best_split"] <= carried["all_to_all"]


def test_routings_that_could_deadlock_are_left_out() -> None:
    # A ring with paths of 20 hops needs more virtual channels than routers support, so the saturation row has no value
    # for it. All other rows of the intact networks have values. (On a ring with coordinates, the policy datelines needs
    # only two channels.)
    card = compare(["circulant:switches=40,jumps=1", "clique:degree=8"], routings=["minimal"], seeds=1, size="4KiB")
    rows = {row.name: row for row in card.rows}
    assert rows["saturation"].bands[0] is None
    assert rows["permutation_fct_mean_us"].bands[0] is not None
    assert any("circulant" in line and "saturation: " in line for line in card.left_out)


@pytest.mark.parametrize(
    ("better", "draws", "winners", "apart"),
    [
        ("low", [[1, 2, 3], [5, 6, 7]], (0,), True),
        ("high", [[1, 2, 3], [5, 6, 7]], (1,), True),
        # Three seeds of equal fabrics give bands that do not overlap in every tenth row.
        ("low", [[1, 2, 3], [4, 5, 6]], (0,), False),
        # Values of one or two seeds have no band that can be judged.
        ("low", [[1], [5]], (0,), False),
        ("low", [[1, 1], [5, 5]], (0,), False),
        ("low", [[1, 1, 1], [5, 5, 5]], (0,), True),
        ("low", [[1, 2, 5], [4, 5, 6]], (0,), False),
        ("low", [[2, 2, 2], [1, 2, 3]], (0, 1), False),
        # A fabric that lacks a result for a seed does not win, because its other seeds may be easier.
        ("low", [[1, None, 1], [4, 5, 6]], (1,), False),
        ("low", [[None, None, None], [4, 5, 6]], (1,), True),
        ("low", [[None], [None]], (), False),
        # Rounding errors do not make a winner.
        ("high", [[0.1 + 0.2] * 3, [0.3] * 3], (0, 1), False),
    ],
)
def test_winner(better: str, draws: list[list[float | None]], winners: tuple[int, ...], apart: bool) -> None:
    found = row("x", CardMetric("x", better), [[{"x": value} for value in of] for of in draws])  # type: ignore[arg-type]
    assert (found.winners, found.apart) == (winners, apart)


@pytest.mark.parametrize(("other", "apart"), [(0.94, True), (0.96, False)])
def test_a_bracket_is_no_lead(other: float, apart: bool) -> None:
    found = row("x", CardMetric("x", "high", slack=0.05), [[{"x": 1.0}], [{"x": other}]], fixed=True)
    assert (found.winners, found.apart) == ((0,), apart)


def _file(path: Path, fabric: library.Fabric, seed: int) -> str:
    """Write the graph of a fabric with its switches numbered at random, and return its spec."""
    numbers = np.random.default_rng(seed).permutation(fabric.num_switches)
    path.write_text("".join(f"{a} {b}\n" for a, b in numbers[fabric.edges]))
    return f"file:edges={path},p={fabric.num_endpoints // fabric.num_switches}"


@pytest.mark.parametrize(
    ("spec", "routing", "seeds"),
    [("slimfly:q=5", "minimal", 3), ("slimfly:q=5", "spread:layers=4", 1), ("dragonfly:p=2", "spread:layers=4", 3)],
)
def test_networks_that_differ_in_their_numbering_have_no_clear_winner(
    tmp_path: Path, spec: str, routing: str, seeds: int
) -> None:
    other = _file(tmp_path / "net.edges", library.Fabric(spec), 7)
    card = compare([spec, other], routings=routing, seeds=seeds, size="16KiB")
    assert [row.name for row in card.rows if row.apart] == []
    assert card.notes == (
        f"{card.entrants[1].fabric}: its family has no rack structure, so racks are filled in the order of switch ids; "
        "'tulle layout --parts metis' can find a cheaper layout",
    )


def test_all_fabrics_have_the_same_hop_limit_of_disjoint_paths() -> None:
    # The diameters are 2 and 3.
    specs = ["slimfly:q=5", "dragonfly:p=2"]
    card = compare(specs, routings="minimal", seeds=3, size="4KiB")
    rows = {row.name: row for row in card.rows}
    found = rows["disjoint_paths"]
    assert found.head == "disjoint paths, up to 4 hops"
    assert rows["failed_disjoint_paths"].head == "5% failed: disjoint paths, up to 4 hops"
    band = found.bands[0]
    assert band is not None
    # All pairs of the Slim Fly have seven paths, whatever the numbering of its switches.
    assert (band.low, band.high) == (7, 7)
    for number, damage in enumerate([None, "links=5%"]):
        for at, spec in enumerate(specs):
            whole = library.Fabric(spec)
            band = (found, rows["failed_disjoint_paths"])[number].bands[at]
            assert band is not None
            means = [
                library.analysis.disjoint_paths(whole if damage is None else whole.with_failures(damage, seed), 4).mean
                for seed in range(3)
            ]
            # The greedy count depends a little on the numbering.
            assert band.median == pytest.approx(sorted(means)[1], rel=0.02)


def test_fabrics_are_accepted_as_well_as_specs() -> None:
    whole = library.Fabric(SMALL[0])
    own = library.Fabric.from_edges(whole.edges, whole.endpoint_switch)
    given: list[list[str | library.Fabric]] = [[*SMALL], [whole, SMALL[1]], [own, whole]]
    cards = [compare(fabrics, routings="minimal", seeds=1, size="4KiB") for fabrics in given]
    assert cards[0] == cards[1]
    first, second = ({row.name: row.bands[at] for row in cards[2].rows} for at in (0, 1))
    for name in ("disjoint_paths", "permutation_fct_mean_us", "skewed_fct_p99_us", "all_to_all_routed"):
        assert first[name] == second[name]
    with pytest.raises(library.InputError, match="1 fabric to compare"):
        compare(whole)  # type: ignore[arg-type]
    with pytest.raises(library.InputError, match=r"fabric is an int; legal: a tulle\.Fabric or its spec"):
        compare([1, 2])  # type: ignore[list-item]


def test_tune_chooses_where_no_routing_is_given() -> None:
    card = compare(["hyperx:shape=2x2", "clique:degree=3"], seeds=1, size="4KiB")
    for entrant in card.entrants:
        fabric = library.Fabric(entrant.fabric)
        assert entrant.routing == library.tune(fabric, for_="all", patience=10).routing.spec


def test_command(tulle: Cli, tmp_path: Path) -> None:
    fabrics = ["hyperx:shape=2x2", "clique:degree=3"]
    arguments = ["compare", *fabrics, "--routing", "minimal", "--bytes", "4KiB", "--seeds", "2"]
    first = tulle(*arguments, "--csv", "a.csv", "-o", "a.svg")
    again = tulle(*arguments, "--csv", "b.csv", "-o", "b.svg", "--json")
    assert "worst permutation of A: " in first.stdout
    assert "left out" not in first.stderr
    assert "tulle: completion times (FCT): selector recycle, transport purified\n" in first.stderr
    assert "tulle: saturation: selector ugal:via=layer" in first.stderr
    for kind in ("csv", "svg"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    found = json.loads(again.stdout)
    with (tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * len(found["rows"])
    assert [float(of["median"]) for of in rows[:2]] == [band["median"] for band in found["rows"][0]["bands"]]


def test_best_of_families(tulle: Cli) -> None:
    arguments = [
        "--endpoints",
        "50",
        "--radix",
        "12",
        "--families",
        "hyperx,fattree",
        "--bytes",
        "4KiB",
        "--seeds",
        "1",
    ]
    found = json.loads(tulle("compare", *arguments, "--routing", "minimal", "--json").stdout)
    assert {of["fabric"].split(":")[0] for of in found["entrants"]} == {"hyperx", "fattree"}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ([], "0 fabrics to compare; legal: 2 to 16"),
        (["clique:degree=3"], "1 fabric to compare; legal: 2 to 16"),
        ([*SMALL, "--endpoints", "50"], "fabrics and --endpoints are both given; legal: one of them"),
        ([*SMALL, "--seeds", "0"], "seeds=0 is out of range"),
        ([*SMALL, "--routing", "a", "--routing", "b", "--routing", "c"], "3 routings for 2 fabrics"),
        ([*SMALL, "--prices", "none"], "none"),
    ],
)
def test_bad_input(tulle: Cli, arguments: list[str], error: str) -> None:
    done = tulle("compare", *arguments)
    assert done.returncode == 2
    assert error in done.stderr
    assert done.stderr.count("\n") == 1


def test_notes_say_that_link_rates_differ() -> None:
    fast = library.Fabric("clique:degree=2,p=2", links=["all:rate=100Gbps"])
    cards = [
        compare(["clique:degree=2,p=2", "clique:degree=3,p=2"], routings="minimal", seeds=1, rate=rate)
        for rate in ("10Gbps", "100Gbps")
    ]
    assert [card.notes for card in cards] == [(), ()]
    times = [{row.name: row.bands for row in card.rows}["permutation_fct_mean_us"][0] for card in cards]
    assert times[0] is not None
    assert times[1] is not None
    assert times[0].median > 5 * times[1].median
    unknown = library.Fabric("clique:degree=2,p=2")
    assert rates.notes([unknown, unknown], "10Gbps") == rates.notes([fast, fast], "10Gbps") == []
    assert rates.notes([fast, unknown], "10Gbps") == [
        f"completion times are at different link rates: {fast.spec}: 100 Gb/s; {unknown.spec}: 10Gbps (links of "
        "unknown rate)"
    ]
    # Links of unknown rate have the rate of the others.
    part = library.Fabric("clique:degree=2,p=2", links=["endpoint:rate=100Gbps"])
    assert rates.notes([fast, unknown, part], "100Gbps") == []
    # Throughput uses another rate for links of unknown rate than the packet simulations.
    assert rates.notes([part, part], "10Gbps")[:2] == [
        f"completion times are at different link rates: {part.spec}: 100 Gb/s and 10Gbps (links of unknown rate); "
        f"{part.spec}: 100 Gb/s and 10Gbps (links of unknown rate)",
        f"{part.spec}: 3 cables have an unknown rate; throughput uses 100Gbps, the rate of the fastest endpoint link",
    ]
    mixed = library.Fabric("clique:degree=2,p=2", links=["all:rate=100Gbps", "endpoint:rate=25Gbps"])
    assert rates.notes([mixed, mixed], "10Gbps") == [
        "saturation: every link carries one flit per cycle, also if link rates differ"
    ]


def test_one_name_of_cables_per_endpoint_has_one_meaning() -> None:
    spec = "clique:degree=4,p=2"
    card = compare(["clique:degree=3,p=2", spec], routings="minimal", seeds=1, size="4KiB")
    rows = {row.name: row.bands[1] for row in card.rows}
    (forms,) = library.design.closed_forms([spec])
    assert forms is not None
    band = rows["links_per_endpoint"]
    assert band is not None
    assert band.median == forms.links_per_endpoint == library.analysis.edge_density(spec) == 2
    # In results of studies, this name excludes the cable of the endpoint itself.
    assert "cables_per_endpoint" not in rows


def test_parallel_cables_stay_when_switches_are_numbered_anew() -> None:
    # The same pair of switches is listed in both orders, as often as in a symmetric matrix.
    fabric = library.Fabric.from_edges([(0, 1), (1, 0), (1, 2), (2, 1)], 1, both="parallel")
    again = renumbered(fabric, 3)
    assert (again.num_cables, again.warnings) == (4, ())
