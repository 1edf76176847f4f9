"""Check that `tune` chooses the best routing within the budget, and makes the same choice each time."""

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

import tulle as library
from tulle.tuning import Row, Tuning
from tulle.tuning.candidates import candidates
from tulle.tuning.score import TIE, Score
from tulle.tuning.throughput_score import TIE as THROUGHPUT_TIE
from tulle.tuning.throughput_score import TRAFFIC, ThroughputScore


@pytest.fixture(scope="module")
def tuning() -> Tuning:
    return library.tune(library.Fabric("slimfly:q=5"), layers=4, vcs=4)


def total(row: Row) -> float:
    assert row.score is not None
    return row.score.total


def test_spread_wins_on_a_slim_fly(tuning: Tuning) -> None:
    assert tuning.chosen.routing.startswith("spread:layers=4")
    assert isinstance(tuning.chosen.score, Score)
    # Only 2,100 of the 2,450 pairs of switches can have three disjoint paths of at most three hops.
    assert tuning.chosen.score.disjoint == pytest.approx(6 / 7)
    assert tuning.routing.spec == tuning.chosen.routing
    assert tuning.plan.num_vcs == 4
    assert tuning.plan.needed_vcs == tuning.chosen.vcs == 3
    assert "85.7% of pairs can have three disjoint" in tuning.reason
    assert "It needs 3 virtual channels by" in tuning.reason


def test_the_best_that_keeps_the_budget_is_chosen(tuning: Tuning) -> None:
    scored = [row for row in tuning.rows if row.score is not None]
    assert [total(row) for row in scored] == sorted(map(total, scored), reverse=True)
    kept = [row for row in scored if row.ruled_out is None]
    assert total(tuning.chosen) >= (1 - TIE) * total(kept[0])
    for row in tuning.rows:
        assert row.layers <= 4
        assert row.ruled_out is not None or (row.vcs is not None and row.vcs <= 4)
    # The values of a row equal the values of a routing that is made from the row's spec.
    row = next(row for row in kept if row.routing.startswith("random:layers=4,rho=0.8"))
    routing = library.route(tuning.fabric, row.routing)
    distance = tuning.fabric.average_path_length
    assert distance is not None
    assert row.score == Score.of(routing, routing, distance, 0)
    needs = [routing.assign_vcs(scheme).needed_vcs for scheme in ("dfsssp", "lash", "hops")]
    assert row.vcs == min(needs)


def test_ruled_out_candidates_have_a_reason(tuning: Tuning) -> None:
    reasons = {row.routing.split(",sampling")[0]: row.ruled_out for row in tuning.rows if row.ruled_out is not None}
    assert reasons["random:layers=4,rho=0.5"] == "needs 5 VCs, but the limit is 4"
    assert "has 3 edge-disjoint spanning trees, not 4" in str(reasons["edst:trees=4"])


def test_budgets_change_the_choice() -> None:
    fabric = library.Fabric("slimfly:q=5")
    two = library.tune(fabric, layers=4, vcs=2)
    assert (two.chosen.vcs, two.plan.num_vcs) == (2, 2)
    assert total(two.chosen) == pytest.approx(1 / 3)
    one = library.tune(fabric, layers=4, vcs=1)
    assert one.chosen.routing.startswith("edst")
    assert one.plan.scheme == "one-vc"
    short = library.tune(fabric, layers=4, max_hops=2)
    assert short.chosen.score is not None
    assert short.chosen.score.longest == 2
    assert any(row.ruled_out == "has paths of 3 hops, but the limit is 2" for row in short.rows)
    lash = library.tune(fabric, layers=4, deadlock=["lash"])
    assert lash.plan.scheme == "lash"


def test_equal_cost_ports_win_on_a_fat_tree() -> None:
    tuning = library.tune(library.Fabric("fattree:levels=3,radix=4"), vcs=1)
    assert tuning.chosen.routing == "minimal"
    assert tuning.plan.scheme == "one-vc"
    # Every pair of edge switches in different pods has two disjoint paths, so no draw can find three.
    assert isinstance(tuning.chosen.score, Score)
    assert tuning.chosen.score.is_lower_bound
    assert "at least 0.0% (counted over 8 random choices of one next hop per group)" in tuning.reason
    single = next(row.score for row in tuning.rows if row.routing.startswith("spread") and row.score is not None)
    assert isinstance(single, Score)
    assert not single.is_lower_bound


@pytest.mark.parametrize("purpose", ["permutation", "skewed", "worst", "all"])
def test_throughput_scores_equal_throughput(purpose: Any) -> None:
    fabric = library.Fabric("slimfly:q=4")
    tuning = library.tune(fabric, for_=purpose, layers=4)
    chosen = tuning.chosen.score
    assert isinstance(chosen, ThroughputScore)
    judged = ["permutation", "skewed", "worst"] if purpose == "all" else [purpose]
    assert list(chosen.best) == list(chosen.fixed) == judged
    for name in judged:
        best = library.analysis.throughput(fabric, TRAFFIC[name], tuning.routing, gap=0.001)
        assert chosen.best[name] == pytest.approx((best.lower + best.upper) / 2, rel=0.03)
        assert chosen.fixed[name] <= chosen.best[name] * 1.03
    kept = [row for row in tuning.rows if row.ruled_out is None and row.score is not None]
    assert total(tuning.chosen) >= (1 - THROUGHPUT_TIE) * max(map(total, kept))
    assert tuning.chosen.entries == tuning.routing.entries.max()
    assert f"{tuning.chosen.entries} entries a switch" in tuning.reason
    if purpose == "worst":
        assert library.tune(fabric, for_=purpose, layers=4).rows == tuning.rows


def test_groups_and_weights_are_offered_where_switches_have_them() -> None:
    fabric = library.Fabric("slimfly:q=5")
    groups = library.tune(fabric, for_="skewed", layers=8)
    assert groups.chosen.routing.startswith("spread-groups")
    assert any("shares=64" in row.routing for row in groups.rows)
    trees = library.tune(fabric, for_="skewed", layers=8, groups=False)
    assert trees.chosen.routing.startswith("spread:")
    assert not any(row.routing.startswith(("spread-groups", "minimal")) for row in trees.rows)
    assert total(trees.chosen) < total(groups.chosen)
    # With eight layers, a routing along trees needs one entry per layer and destination.
    few = library.tune(fabric, for_="skewed", layers=8, entries=8 * 49)
    assert few.chosen.entries == 8 * 49
    assert any(f"entries, but the limit is {8 * 49}" in str(row.ruled_out) for row in few.rows)


def test_patience_is_an_estimate_and_not_a_clock(tuning: Tuning) -> None:
    tried = list(candidates(tuning.fabric, 4, None, 2450))
    assert sum(candidate.seconds for candidate in tried) < 10
    least = library.tune(tuning.fabric, patience=tried[0].seconds * 1.01)
    assert least.chosen.routing == "minimal"
    assert all("s of patience are left" in str(row.ruled_out) for row in least.rows if row.score is None)
    again = library.tune(tuning.fabric, layers=4, vcs=4)
    assert (again.rows, again.chosen, again.reason) == (tuning.rows, tuning.chosen, tuning.reason)


def test_hopeless_candidates_are_skipped_only_if_slow(tuning: Tuning, monkeypatch: pytest.MonkeyPatch) -> None:
    # With two layers, a pair of switches has at most two disjoint paths, so the score is at most 2/3. The best
    # candidate has more layers and the score 0.714.
    monkeypatch.setattr("tulle.tuning.choose._CHEAP", 0.0)
    seen: list[Row] = []
    steps: list[tuple[int, int]] = []
    quick = library.tune(tuning.fabric, vcs=4, observe=seen.append, progress=lambda *step: steps.append(step))
    assert (quick.chosen, quick.reason) == (tuning.chosen, tuning.reason)
    passed = [row for row in quick.rows if "at most with" in str(row.ruled_out)]
    assert {(row.layers, row.ruled_out) for row in passed} == {(2, "scores 0.6667 at most with 2 layers")}
    figures = {row.routing.split(",sampling")[0].split(",effort")[0]: row for row in tuning.rows if row.score}
    found = [total(figures[row.routing]) for row in passed if row.routing in figures]
    assert len(found) > 8
    assert max(found) < total(tuning.chosen)
    assert len(seen) == len(quick.rows) == len(tuning.rows)
    assert steps == [(at, len(seen) + 1) for at in range(len(seen) + 1)]


def test_the_slowest_scheme_comes_last_on_large_fabrics(monkeypatch: pytest.MonkeyPatch) -> None:
    from tulle.routing.fewest_vcs import fewest
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan
    from tulle.tuning.choose import DEADLOCK

    routing = library.route(library.Fabric("slimfly:q=4"), "random:layers=3,rho=0.6", 1)
    tried: list[str] = []
    real = Routing.assign_vcs

    def noted(self: Routing, scheme: str) -> VcPlan:
        tried.append(scheme)
        return real(self, scheme)

    monkeypatch.setattr(Routing, "assign_vcs", noted)
    small = fewest(routing, DEADLOCK)
    assert tried == list(DEADLOCK)
    monkeypatch.setattr("tulle.routing.fewest_vcs._SLOW_PATHS", 100)
    tried.clear()
    large = fewest(routing, DEADLOCK)
    assert tried == [scheme for scheme in DEADLOCK if scheme != "dfsssp"]
    assert small is not None
    assert large is not None
    # `fewest` tries the slow scheme `dfsssp` only if all faster schemes need too many virtual channels, or if no other
    # scheme is given.
    tried.clear()
    fewest(routing, DEADLOCK, large.needed_vcs - 1)
    assert tried[-1] == "dfsssp"
    only = fewest(routing, ["dfsssp"])
    assert only is not None
    assert only.scheme == "dfsssp"


def test_an_interrupted_run_prints_its_results(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import tulle.tuning
    from tulle.cli.routing.tune import tune

    real = tulle.tuning.tune

    def stopped(*arguments: Any, **options: Any) -> Tuning:
        def progress(done: int, _: int) -> None:
            if done == 3:
                raise KeyboardInterrupt

        return real(*arguments, **{**options, "progress": progress})

    monkeypatch.setattr("tulle.tuning.tune", stopped)
    with pytest.raises(KeyboardInterrupt):
        tune("slimfly:q=4")
    printed = capsys.readouterr().out
    assert "3 candidates measured or skipped before the stop, without virtual channels" in printed
    assert "minimal" in printed
    assert "balanced:layers=1" in printed
    with pytest.raises(KeyboardInterrupt):
        tune("slimfly:q=4", json=True)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"layers": 0}, "layers=0 is out of range; legal: 1 to 255"),
        ({"vcs": 256}, "vcs=256 is out of range; legal: 1 to 255"),
        ({"max_hops": 1}, "max_hops=1 is below the diameter of slimfly:q=5,p=4; legal: 2 or more"),
        ({"patience": 0}, "patience=0 is out of range"),
        (
            {"layers": 1, "vcs": 1},
            "no routing of slimfly:q=5,p=4 is within the limits layers=1, vcs=1; legal: vcs=2 or more",
        ),
        ({"deadlock": ["dfsssq"]}, "did you mean dfsssp"),
        ({"for_": "latency"}, "for=latency is not a choice; legal: paths, permutation, skewed, worst, all"),
        ({"entries": 0}, "entries=0 is out of range; legal: 1 or more"),
        (
            {"entries": 10, "for_": "skewed"},
            "no routing of slimfly:q=5,p=4 is within the limits layers=4, entries=10; legal: entries=49 or more",
        ),
    ],
)
def test_refuses(arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message) as error:
        library.tune(library.Fabric("slimfly:q=5"), **arguments)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)


def test_refuses_what_is_cut_apart() -> None:
    with pytest.raises(library.InputError, match="switches without a path between them; legal: connected"):
        library.tune(library.Fabric.from_edges([(0, 1), (2, 3)], 1))


def test_command(tulle: Cli, tmp_path: Path) -> None:
    arguments = ["tune", "slimfly:q=4", "--layers", "3", "--vcs", "3", "-o", "chosen.routing"]
    printed = tulle(*arguments)
    assert printed.stderr == ""
    assert "ruled out" in printed.stdout
    found = json.loads(tulle(*arguments, "--json").stdout)
    assert found["reason"] in printed.stdout
    assert found["rows"][0]["score"]["total"] > 0
    loaded = library.Routing.load(tmp_path / "chosen.routing", library.Fabric("slimfly:q=4"))
    assert loaded.spec == found["routing"]
    failed = tulle("tune", "slimfly:q=4", "--max-hops", "1")
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr.count("\n") == 1
