"""Test studies that reproduce papers: reference values, verdicts, study sizes, stored results, and papers' tables."""

import json
from pathlib import Path

import pytest
from conftest import ROOT, Cli, study_files

import tulle
from tulle import study
from tulle.fabric import Fabric
from tulle.study.engine.model import Comparison, Reference
from tulle.study.engine.shipped import shipped
from tulle.study.report.baseline import load_baseline, unexpected
from tulle.study.report.verdict import Spread, compare, count_words, judge, ratio_half95

BARE = 'name = "s"\nmeasurement = "quality"\n'
HEAD = BARE + '[common]\nfabric = "clique:degree=4"\n'
CASE = '[[case]]\nname = "a"\nrouting = "minimal"\n'
REFERENCE = "[[reference]]\ncase = 'a'\nsource = 'made up'\n"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(text)
    return path


def reference(**given: object) -> Reference:
    return Reference.model_validate({"case": "a", "source": "s", **given})


@pytest.mark.parametrize(
    ("given", "mean", "within", "wanted"),
    [
        ({"paper": {"x": 1.0}, "tolerance": {"x": 0.1}}, 1.1, True, "1±0.1"),
        ({"paper": {"x": 1.0}, "tolerance": {"x": 0.1}}, 1.11, False, "1±0.1"),
        ({"paper": {"x": 1.0}, "tolerance": {"x": 0.0}}, 1, True, "1±0"),
        ({"paper": {"x": 3.0}, "tolerance": {"x": 1.0}}, 9.0, False, "3±1"),
        ({"paper": {"x": 3.0}, "tolerance": {"x": 1.0}}, 2.0, True, "3±1"),
        ({"least": {"x": 2.0}}, 2.0, True, "≥ 2"),
        ({"least": {"x": 2.0}, "most": {"x": 3.0}}, 3.5, False, "≥ 2, ≤ 3"),
        ({"most": {"x": 3.0}}, None, False, "≤ 3"),
    ],
)
def test_verdicts(given: dict[str, object], mean: float | None, within: bool, wanted: str) -> None:
    verdicts = judge(reference(**given), {"x": Spread.of([mean]), "y": Spread.of([0.0])})
    assert list(verdicts) == ["x"]
    assert (verdicts["x"].agrees, verdicts["x"].wanted) == (within, wanted)


def test_values_alone_are_not_checked() -> None:
    assert judge(reference(paper={"x": 1.0}), {"x": Spread.of([5.0])}) == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + CASE + REFERENCE, "reference[0]: needs 'paper', 'least' or 'most'"),
        (HEAD + CASE + REFERENCE + "least = {hops = 1.0}\n", "reference[0]: least: unknown figure 'hops'; "),
        (
            HEAD + CASE + REFERENCE + "least = {paths = nan}\n",
            "reference[0].least.paths = nan is not a finite number",
        ),
        (
            HEAD + CASE + REFERENCE + "paper = {paths = 1}\ntolerance = {paths = -1}\n",
            "reference[0].tolerance.paths = -1 is out of range; legal: 0 or more",
        ),
        (
            HEAD + CASE + REFERENCE + "paper = {paths = 1}\ntolerance = {mean_hops = 1}\n",
            "reference[0]: tolerance: 'mean_hops' has no value in paper; legal: paths",
        ),
        (
            HEAD + CASE + 2 * (REFERENCE + "paper = {paths = 1}\n"),
            "reference[1]: a point of case 'a' has two references",
        ),
        ("figures = ['hops']\n" + HEAD + CASE, "figures: unknown figure 'hops'; did you mean "),
        (HEAD + CASE + 'size = "large"\n', "case[0].size = 'large' is unknown; legal: small, paper"),
        (HEAD + "[paper]\nrouting = []\n" + CASE, "paper.routing = [] is empty; legal: "),
        (HEAD + "[paper]\nrouting = ['minimal']\n" + CASE, "paper: 'routing' is not in the grid"),
        (
            BARE + "[grid]\nfabric = ['clique:degree=3']\n[paper]\nfabric = ['clique:degree=3']\n" + CASE,
            "paper: fabric = 'clique:degree=3' is also in the grid; legal: one of them",
        ),
        (
            BARE
            + "[grid]\nfabric = ['clique:degree=3']\n"
            + CASE
            + REFERENCE
            + "paper = {paths = 1}\nfabric = 'clique:degree=4'\n",
            "reference[0]: fabric = 'clique:degree=4' is not in the grid; did you mean clique:degree=3?",
        ),
        (HEAD + CASE + "seeds = [1, 1]\n", "case[0].seeds = [1, 1] has the same value twice; legal: "),
        ("paper_seeds = [1]\n" + HEAD + CASE, "paper_seeds: no case or grid value has size paper; legal: "),
        (
            HEAD + CASE + 'deadlock = "dfssp"\n',
            "case 'a': deadlock: unknown deadlock scheme 'dfssp'; did you mean",
        ),
        (HEAD + CASE + 'deadlock = "dfsssp:vcs=0"\n', "case 'a': deadlock: dfsssp: vcs=0 is out of range"),
        (HEAD + CASE + 'sharing = "link"\n', "case 'a': sharing = 'link' is unknown; legal: cable, channel"),
    ],
)
def test_bad_studies_are_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(tulle.StudyError) as caught:
        study.plan(study.load(path))
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)


def test_sizes_and_seeds_of_cases(tmp_path: Path) -> None:
    large = CASE.replace('"a"', '"b"') + 'size = "paper"\nseeds = [7, 8]\n'
    path = write(tmp_path, HEAD + CASE + large + REFERENCE.replace("'a'", "'b'") + "paper = {paths = 1}\n")
    whole = study.load(path)
    assert [(run.case, run.seed) for run in study.plan(whole).runs] == [("a", 0), ("b", 7), ("b", 8)]
    assert [run.case for run in study.plan(whole.of_size("small")).runs] == ["a"]
    assert whole.of_size("paper") == whole
    done = study.run(whole, tmp_path / "runs")
    assert [result.seeds for result in done.results] == [(0,), (7, 8)]
    with pytest.raises(tulle.StudyError, match="no case of size 'small'; legal: paper"):
        study.load(write(tmp_path, HEAD + large)).of_size("small")


def test_seeds_of_what_size_paper_adds(tmp_path: Path) -> None:
    grid = "[grid]\nfabric = ['clique:degree=3']\n[paper]\nfabric = ['clique:degree=4']\n"
    large = CASE.replace('"a"', '"b"') + 'size = "paper"\n'
    own = CASE.replace('"a"', '"c"') + 'size = "paper"\nseeds = [9]\n'
    whole = study.load(write(tmp_path, "paper_seeds = [3, 4]\n" + BARE + grid + CASE + large + own))
    done = study.run(whole, tmp_path / "runs")
    assert [result.seeds for result in done.results] == [(0,), (3, 4), (9,), (3, 4), (3, 4), (9,)]
    assert [run.seed for run in study.plan(whole.of_size("small")).runs] == [0]


def test_values_of_size_paper(tulle: Cli, tmp_path: Path) -> None:
    grid = "[grid]\nfabric = ['clique:degree=3']\n[paper]\nfabric = ['clique:degree=4']\n"
    wanted = REFERENCE + "fabric = 'clique:degree=4'\nleast = {load_mean = 2}\n"
    path = write(tmp_path, BARE + grid + CASE + wanted)
    whole = study.load(path)
    assert study.plan(whole).points == [{"fabric": "clique:degree=3"}, {"fabric": "clique:degree=4"}]
    small = whole.of_size("small")
    assert study.plan(small).points == [{"fabric": "clique:degree=3"}]
    assert small.reference == []
    printed = tulle("run", str(path), "--check")
    assert (printed.returncode, printed.stderr) == (0, "")
    assert "left out: fabric clique:degree=4; --size paper runs them too" in printed.stdout
    nothing = "check: nothing to compare, because the study has no references and no results are recorded; --record"
    assert nothing in printed.stdout
    assert json.loads(tulle("run", str(path), "--check", "--json").stdout)["compared"] == 0
    assert tulle("run", str(path), "--check", "--size", "paper").returncode == 1


def test_at_with_several_values_of_a_parameter_runs_all_of_them(tulle: Cli, tmp_path: Path) -> None:
    cliques = [f"clique:degree={degree}" for degree in (3, 4, 5)]
    path = write(tmp_path, BARE + f"[grid]\nfabric = {cliques}\n" + CASE)
    run = (
        "run",
        str(path),
        "--case",
        "a",
        "--json",
        *(word for each in cliques[:2] for word in ("--at", f"fabric={each}")),
    )
    found = json.loads(tulle(*run).stdout)
    assert [result["fabric"] for result in found["results"]] == cliques[:2]


def test_check_sets_the_exit_code(tulle: Cli, tmp_path: Path) -> None:
    # In a clique, each pair of switches has one path of one hop, and each channel has one path.
    good = "paper = {paths = 1}\ntolerance = {paths = 0}\nmost = {load_mean = 1}\nwhy = 'so'\n"
    path = write(tmp_path, HEAD + CASE + REFERENCE + good)
    printed = tulle("run", str(path), "--check")
    assert printed.returncode == 0, printed.stderr
    assert "agrees 1±0" in printed.stdout
    assert "why: so (a)" in printed.stdout
    assert "verdicts: 2 agree, 0 differ" in printed.stdout
    assert "check: 2 comparisons with a reference or between cases agree; no results are recorded;" in printed.stdout
    path = write(tmp_path, HEAD + CASE + REFERENCE + good.replace("load_mean = 1", "load_mean = 0.5"))
    assert tulle("run", str(path)).returncode == 0
    printed = tulle("run", str(path), "--check", "--json")
    assert (printed.returncode, printed.stderr) == (1, "tulle: a: load_mean differs ≤ 0.5\n")
    assert "check:" not in tulle("run", str(path), "--check").stdout
    found = json.loads(printed.stdout)
    assert (found["agree"], found["differ"], found["unexpected"]) == (1, 1, ["a: load_mean differs ≤ 0.5"])
    assert found["results"][0]["verdicts"]["load_mean"] == {"agrees": False, "wanted": "≤ 0.5"}


COMPARISON = "[[comparison]]\ncase = 'a'\nover = 'b'\nsource = 's'\n"


def test_comparisons_are_judged(tulle: Cli, tmp_path: Path) -> None:
    # Paths in a clique have one hop. Most paths between edge switches of an OFT have two hops.
    other = "[[case]]\nname = 'b'\nfabric = 'oft:k=3'\nrouting = 'minimal'\n"
    wanted = COMPARISON + "most = {mean_hops = 0.6}\nleast = {mean_hops = 0.5}\n"
    path = write(tmp_path, HEAD + CASE + other + wanted)
    done = study.run(study.load(path), tmp_path / "runs")
    (compared,) = done.comparisons
    by_case = {result.case: result.figures["mean_hops"].mean for result in done.results}
    assert by_case["a"] is not None
    assert by_case["b"] is not None
    assert compared.ratio == by_case["a"] / by_case["b"]
    assert compared.verdict.wanted == "≥ 0.5, ≤ 0.6"
    assert compared.verdict.agrees == (0.5 <= compared.ratio <= 0.6)
    printed = tulle("run", str(path.rename(tmp_path / "other.toml")), "--check")
    assert f"{'agrees' if compared.verdict.agrees else 'differs'} ≥ 0.5, ≤ 0.6" in printed.stdout
    assert printed.returncode == (0 if compared.verdict.agrees else 1)
    path = write(tmp_path, HEAD + CASE + other + COMPARISON + "most = {mean_hops = 0.4}\n")
    printed = tulle("run", str(path), "--check", "--json")
    assert printed.returncode == 1
    found = json.loads(printed.stdout)
    assert (found["agree"], found["differ"]) == (0, 1)
    assert found["comparisons"][0]["ratio"] == compared.ratio


def test_intervals_that_do_not_touch() -> None:
    pair = Comparison.model_validate({"case": "a", "over": "b", "source": "s", "most": {"x": 1.0}, "apart": ["x"]})
    wide, narrow = Spread.of([0.0, 2.0]), Spread.of([1.9, 1.91])
    (_, close), (_, far) = (
        compare(pair, {"x": Spread.of(values)}, {"x": narrow})["x"] for values in ([1.7, 1.9], [1.0, 1.01])
    )
    assert (close.agrees, far.agrees, far.wanted) == (False, True, "≤ 1, 95% intervals apart")
    # If only one of two criteria holds, the verdict says which.
    (_, above), (_, both) = (
        compare(pair, {"x": Spread.of(values)}, {"x": narrow})["x"] for values in ([2.5, 2.51], [1.8, 2.1])
    )
    assert [str(each) for each in (far, close, above, both)] == [
        "agrees ≤ 1, 95% intervals apart",
        "differs ≤ 1, 95% intervals apart (only ≤ 1 holds)",
        "differs ≤ 1, 95% intervals apart (only 95% intervals apart holds)",
        "differs ≤ 1, 95% intervals apart",
    ]
    assert not wide.apart_from(narrow)
    # A single seed gives no confidence interval, so the means are not proven to differ.
    assert not Spread.of([1.0]).apart_from(narrow)
    assert not narrow.apart_from(Spread.of([1.0]))
    # The ratio is 2 for each of the two seeds. So its confidence interval has width 0, although the values of the seeds
    # differ.
    assert ratio_half95([2.0, 20.0], [1.0, 10.0]) == pytest.approx(0)
    assert ratio_half95([2.0, 3.0], [1.0, 1.0]) == pytest.approx(12.7062 * 0.5, rel=1e-4)
    assert ratio_half95([2.0, 3.0], [1.0, None]) is None
    assert ratio_half95([2.0], [1.0]) is None


def test_comparisons_are_over_common_seeds(tmp_path: Path) -> None:
    def ratios(seeds: str) -> list[float | None]:
        path = write(
            tmp_path,
            'name = "s"\nmeasurement = "simulate"\nseeds = [1, 2]\nplots = []\n'
            '[common]\nfabric = "slimfly:q=3"\nrouting = "minimal"\ntraffic = "permutation:bytes=20KB"\n'
            f"[[case]]\nname = 'a'\n[[case]]\nname = 'b'\nselector = 'spray'\n{seeds}"
            + COMPARISON
            + "most = {fct_mean_us = 9.0}\n",
        )
        (pair,) = study.run(study.load(path), tmp_path / "runs").comparisons
        return [pair.ratio, pair.half95]

    both, one = ratios(""), ratios("seeds = [2]\n")
    assert both[1] is not None
    assert one[1] is None
    assert both[0] != one[0]
    # If the two cases have no common seed, the comparison uses the mean over all seeds of each case.
    assert ratios("seeds = [3]\n")[0] is not None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (COMPARISON, "comparison[0]: unknown case 'b'; "),
        (
            COMPARISON.replace("'b'", "'a'"),
            "comparison[0]: case 'a' is compared with itself; legal: two different cases",
        ),
        ("{b}" + COMPARISON, "comparison[0]: needs 'least', 'most' or 'apart'"),
        ("{b}" + COMPARISON + "apart = ['hops']\n", "comparison[0]: apart: unknown figure 'hops'; "),
        ("{b}" + COMPARISON + "least = {hops = 1.0}\n", "comparison[0]: least: unknown figure 'hops'; "),
        ("{b}" + COMPARISON + "fabric = 'x'\nleast = {paths = 1.0}\n", "comparison[0]: unknown key 'fabric'; "),
    ],
)
def test_comparisons_of_nothing_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + CASE + text.replace("{b}", CASE.replace('"a"', '"b"')))
    with pytest.raises(tulle.StudyError) as caught:
        study.plan(study.load(path))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_only_chosen_figures_are_printed(tulle: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, "figures = ['mean_hops']\n" + HEAD + CASE + 'size = "small"\n')
    path.write_text(path.read_text() + CASE.replace('"a"', '"b"') + 'size = "paper"\n')
    printed = tulle("run", str(path))
    table = printed.stdout.split("\n\n")[1].splitlines()
    assert table[0].split() == ["case", "mean", "hops"]
    assert table[1].split() == ["a", "1.000"]
    assert len(table) == 2
    assert "left out: 1 large case;" in printed.stdout


def takes_seconds(path: Path) -> bool:
    """Return whether the small size of a study runs no simulation and took less than 10 s, by its stored results."""
    whole = study.load(path)
    kept = load_baseline(whole)
    if whole.measurement in ("simulate", "ebb", "flit", "flit-saturation", "flit-exchange") or kept is None:
        return False
    return kept.small is not None and sum(case.processor_seconds or 0 for case in kept.small.results) < 10


QUICK = [
    path for paper in ("deployment", "jellyfish") for path in study_files(f"{paper}/*.toml") if takes_seconds(path)
]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for the runs of several studies. Some studies have common runs, which are measured once."""
    return tmp_path_factory.mktemp("runs")


@pytest.mark.parametrize("name", shipped())
def test_studies_are_legal(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # File names in a study are relative to the study, so the current folder does not matter.
    monkeypatch.chdir(tmp_path)
    assert study.plan(study.load(name)).runs


@pytest.mark.parametrize("path", QUICK, ids=lambda path: path.stem)
def test_tables_of_papers(path: Path, runs: Path) -> None:
    whole = study.load(path)
    done = study.run(whole.of_size("small"), runs)
    kept = load_baseline(whole)
    assert kept is not None
    assert kept.small is not None
    assert done.verdicts
    assert list(unexpected(done, kept.small)) == []


# A guide of the documentation checks fatpaths/figure-10.
CHANGED = (
    "deployment/racks",
    "deployment/table-2",
    "deployment/table-4",
    "diameter-two/figure-3",
    "diameter-two/saturation",
    "fatpaths/table-5",
    "flattened-clos/figure-5",
    "flattened-clos/table-4",
    "jellyfish/table-2",
)


@pytest.mark.parametrize("name", CHANGED)
def test_expected_figures_can_fail(name: str, runs: Path) -> None:
    """Check that a change of one stored value by 0.1% is reported, and nothing else."""
    whole = study.load(ROOT / "studies" / f"{name}.toml")
    done = study.run(whole.of_size("small"), runs)
    kept = load_baseline(whole)
    assert kept is not None
    assert kept.small is not None
    assert list(unexpected(done, kept.small)) == []
    content = kept.small.model_dump()
    case, key = next(
        (case, key) for case in content["results"] for key, (mean, _) in sorted(case["figures"].items()) if mean
    )
    mean, half = case["figures"][key]
    case["figures"][key] = (mean * 1.001, half)
    (line,) = unexpected(done, type(kept.small).model_validate(content))
    assert line.startswith(case["case"])
    assert f": {key} is " in line


def test_a_check_of_expected_figures_fails(tulle: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + CASE)
    assert tulle("run", str(path), "--record").returncode == 0
    beside = path.with_suffix(".json")
    kept = json.loads(beside.read_text())
    figures = kept["small"]["results"][0]["figures"]
    for options in ((), ("--case", "a")):
        printed = tulle("run", str(path), "--check", *options)
        assert printed.returncode == 0
        assert f"check: {len(figures)} metrics agree with the recorded results\n" in printed.stdout
    assert "no results of size paper are recorded" in tulle("run", str(path), "--check", "--size", "paper").stdout
    key = next(name for name, (mean, _) in sorted(figures.items()) if mean)
    figures[key][0] *= 1.001
    beside.write_text(json.dumps(kept))
    printed = tulle("run", str(path), "--check")
    assert printed.returncode == 1
    assert f"a: {key} is " in printed.stderr
    assert ", expected " in printed.stderr


def test_kept_results_are_whole(tulle: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + CASE + REFERENCE + "paper = {paths = 2}\ntolerance = {paths = 0}\nwhy = 'so'\n")
    # --record stores a difference from the paper together with its reason. Then --check still reports the difference,
    # but no longer fails.
    assert tulle("run", str(path), "--check").returncode == 1
    assert tulle("run", str(path), "--record", "--fresh").returncode == 0
    printed = tulle("run", str(path), "--check")
    assert printed.returncode == 0, printed.stderr
    for text in ("differs 2±0", "why: so (a)", "verdicts: 0 agree, 1 differ"):
        assert text in printed.stdout
    found = json.loads(tulle("run", str(path), "--json").stdout)
    summary = json.loads((tmp_path / found["directory"] / "summary.json").read_text())
    assert summary["results"][0]["verdicts"]["paths"] == {"agrees": False, "wanted": "2±0"}
    kept = load_baseline(study.load(path))
    assert kept is not None
    assert kept.small is not None
    assert (kept.small.verdicts, kept.small.results[0].seeds) == ([False], (0,))
    assert kept.small.results[0].processor_seconds is not None
    # If the stored results belong to another study, --check and --record fail and leave the file unchanged.
    path.write_text(path.read_text().replace("degree=4", "degree=5"))
    other = tulle("run", str(path), "--check")
    assert other.returncode == 1
    assert "--record writes new results" in other.stderr
    path.write_text(path.read_text().replace('name = "s"', 'name = "t"'))
    for command in ("--check", "--record"):
        refused = tulle("run", str(path), command)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
        assert "results of study 's'; legal: 't'" in refused.stderr
    path.with_suffix(".json").write_text('{"study": "t", "small": {"digest": 1}}')
    refused = tulle("run", str(path), "--check")
    assert refused.returncode == 2
    assert "not recorded results: " in refused.stderr


def test_a_file_beside_the_study_is_refused_before_the_runs(tulle: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + CASE)
    beside = path.with_suffix(".json")
    Fabric("slimfly:q=3").write(beside)
    content = beside.read_bytes()
    for option in ("--record", "--check"):
        refused = tulle("run", str(path), option)
        assert (refused.returncode, refused.stderr) == (
            2,
            f"tulle: {beside}: not recorded results: needs 'study'; --record writes results to this file: rename it, "
            "or the study\n",
        )
        assert not (tmp_path / "runs").exists()
    assert beside.read_bytes() == content
    beside.unlink()
    # A link that leads nowhere cannot be written.
    beside.symlink_to(tmp_path / "missing" / "s.json")
    refused = tulle("run", str(path), "--record")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "there is no folder" in refused.stderr
    assert not (tmp_path / "runs").exists()


def test_layers_are_before_minimal_paths_on_skewed_traffic(tmp_path: Path) -> None:
    """Check FatPaths Fig. 11 on the Slim Fly with one seed; the complete study has all networks and five seeds."""
    whole = study.load(ROOT / "studies/fatpaths/figure-11.toml").of_size("small")
    names = {"SF, as published", "SF, minimal paths"}
    slim_fly = whole.model_copy(
        update={
            "seeds": [1],
            "case": [case for case in whole.case if case.name in names],
            "comparison": [pair for pair in whole.comparison if {pair.case, pair.over} == names],
        }
    )
    done = study.run(slim_fly, tmp_path)
    assert {pair.figure for pair in done.comparisons} == {"fct_mean_us", "fct_p99_us", "fct_short_p99_us"}
    assert all(pair.ratio is not None and pair.ratio >= 2 for pair in done.comparisons)
    assert all(verdict.agrees for verdict in done.verdicts)


@pytest.mark.parametrize("path", study_files("**/*.toml"), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_figure_of_a_paper_is_checked_or_says_why_not(path: Path) -> None:
    for given in study.load(path).reference:
        where = f"{path.name}: {given.case}, {given.source}"
        for name, value in given.paper.items():
            ranged = name in given.tolerance or name in given.least or name in given.most
            assert ranged or given.why, f"{where}: {name} has neither a range nor a reason"
            wide = given.tolerance.get(name, 0.0) > 0.2 * abs(value)
            # For a value of 0, a range of 20% has no width, so any absolute range is allowed.
            assert not (wide and value) or given.why, f"{where}: the range of {name} exceeds 20% and has no reason"
        for name in set(given.least) & set(given.most):
            low, high = given.least[name], given.most[name]
            assert high - low <= 0.4 * abs(high + low) / 2 or given.why, f"{where}: {name} is from {low} to {high}"


def test_claims_without_values_or_intervals_cannot_be_judged() -> None:
    given = Comparison(case="a", over="b", source="s", least={"x": 0.5}, apart=["y"])
    one = {"x": Spread.of([None]), "y": Spread.of([2.0])}
    other = {"x": Spread.of([1.0]), "y": Spread.of([1.0])}
    verdicts = [verdict for _, verdict in compare(given, one, other).values()]
    assert [str(verdict) for verdict in verdicts] == [
        "cannot be judged: ≥ 0.5 (no ratio: a value is missing, or the divisor is 0)",
        "cannot be judged: 95% intervals apart (no intervals; these need at least two seeds)",
    ]
    assert count_words(verdicts) == "0 agree, 0 differ, 2 cannot be judged"
    assert not any(verdict.agrees for verdict in verdicts)
    # With two seeds and a divisor other than 0, both are judged.
    one, other = {"x": Spread.of([1.0, 1.0]), "y": Spread.of([2.0, 2.0])}, dict.fromkeys("xy", Spread.of([1.0, 1.0]))
    verdicts = [verdict for _, verdict in compare(given, one, other).values()]
    assert count_words(verdicts) == "2 agree, 0 differ"
    reference = Reference(case="a", source="s", most={"x": 1.0})
    assert str(judge(reference, {"x": Spread.of([None])})["x"]) == "cannot be judged: ≤ 1 (no value)"
