"""Check changes of a study's cases and claims: stored results of unchanged cases stay valid; only other cases run."""

import json
from pathlib import Path

import pytest
from conftest import ROOT, Cli, study_files
from hypothesis import given
from hypothesis import strategies as st

from tulle import __version__, study
from tulle.errors import StudyError
from tulle.study.engine.model import Size, StudyFile
from tulle.study.report.baseline import (
    TOLERANCE,
    BaselineSize,
    digests,
    load_baseline,
    rounded_for_baseline,
    same_figure,
)
from tulle.study.report.incremental import merged, missing_cases
from tulle.study.report.recording import write_baseline

STUDIES = study_files()
NOTHING = BaselineSize(tulle=__version__, results=())

HEAD = """
name = "s"
measurement = "simulate"
seeds = [1, 2]
plots = []
figures = ["fct_mean_us", "unfinished"]
[common]
fabric = "slimfly:q=3"
routing = "minimal"
[grid]
traffic = ["permutation:bytes=20KB", "permutation:bytes=40KB"]
[[case]]
name = "a"
[[case]]
name = "b"
selector = "spray"
"""
MORE = '[[case]]\nname = "c"\ntransport = "ndp"\n'
PAIR = "[[comparison]]\ncase = 'a'\nover = 'b'\nsource = 's'\n"
CLAIM = "[[reference]]\ncase = 'a'\nsource = 's'\n"


def kept(path: Path, size: Size = "small") -> BaselineSize:
    found = load_baseline(study.load(path))
    assert found is not None
    results = found.of(size)
    assert results is not None
    return results


class Written:
    """A study file whose text the tests change; `record` stores results and returns the number of measured runs."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "s.toml"

    def record(self, text: str, *, whole: bool = False) -> int:
        self.path.write_text(text)
        planned = study.plan(study.load(self.path))
        before = load_baseline(planned.study)
        part = planned if whole or before is None else missing_cases(planned, before.small)
        done = study.run(part, self.path.parent / "runs", fresh=True)
        write_baseline(done, "small", planned)
        return len(done.measured)

    @property
    def kept(self) -> BaselineSize:
        return kept(self.path)


@pytest.fixture
def written(tmp_path: Path) -> Written:
    found = Written(tmp_path)
    # No results are stored yet, so all 8 runs are measured.
    assert found.record(HEAD) == 8
    return found


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: f"{path.parent.stem}/{path.stem}")
def test_kept_results_match_the_studies(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that each committed study has results of all its runs, and that its verdicts follow from these results."""
    monkeypatch.chdir(ROOT)
    whole = study.load(path)
    found = load_baseline(whole)
    assert found is not None
    assert found.small is not None or not any(case.size == "small" for case in whole.case)
    for size in ("small", "paper"):
        results = found.of(size)
        if results is not None:
            plan = study.plan(whole.of_size(size))
            assert {case.at: case.digest for case in results.results} == digests(plan), size
            assert missing_cases(plan, results).runs == (), size
            assert merged(plan, NOTHING, results) == results, size
            for case in results.results:
                assert case.figures == {key: rounded_for_baseline(*figure) for key, figure in case.figures.items()}, (
                    case.at
                )


@given(st.one_of(st.just(0.0), st.floats(1e-12, 1e15), st.floats(-1e15, -1e-12)))
def test_kept_digits_are_enough_to_check(value: float) -> None:
    """Check that rounding changes a stored value by at most a tenth of the tolerance of ``--check``."""
    kept, _ = rounded_for_baseline(value, None)
    assert kept is not None
    assert abs(kept - value) <= 0.1 * TOLERANCE * abs(value)
    assert same_figure(value, kept)
    assert value == 0 or not same_figure(value * (1 + 2 * TOLERANCE), kept)


def test_a_comparison_without_results_is_refused(written: Written) -> None:
    """Check the message if results were deleted from the file, but not their comparisons."""
    written.record(HEAD + PAIR + "most = {fct_mean_us = 2}\n")
    file = written.path.with_suffix(".json")
    found = json.loads(file.read_text())
    found["small"]["results"] = [each for each in found["small"]["results"] if each["case"] != "b"]
    file.write_text(json.dumps(found))
    with pytest.raises(StudyError, match=r"not recorded results: the comparison of 'a' with 'b' lacks results of 'b'"):
        load_baseline(study.load(written.path))


def test_only_new_cases_run(written: Written) -> None:
    before = written.kept
    assert written.record(HEAD) == 0
    assert written.kept == before
    # A new case needs 4 runs: two grid points, each with two seeds.
    assert written.record(HEAD + MORE) == 4
    assert [case.case for case in written.kept.results] == ["a", "b", "c", "a", "b", "c"]
    assert [case for case in written.kept.results if case.case != "c"] == list(before.results)
    # A new grid value needs 6 runs: three cases, each with two seeds.
    longer = HEAD.replace('40KB"]', '40KB", "permutation:bytes=60KB"]')
    assert written.record(longer + MORE) == 6
    # Renaming a case needs no run.
    assert written.record(longer.replace('name = "a"', 'name = "d"') + MORE) == 0
    assert {case.case for case in written.kept.results} == {"b", "c", "d"}
    # After the selector of one case has changed, this case needs 4 runs.
    assert written.record(HEAD.replace('"spray"', '"ecmp"')) == 4
    assert [case for case in written.kept.results if case.case == "a"] == [
        case for case in before.results if case.case == "a"
    ]
    # The stored metrics equal the metrics of one complete run of the study.
    figures = [case.figures for case in written.kept.results]
    assert written.record(HEAD.replace('"spray"', '"ecmp"'), whole=True) == 8
    assert [case.figures for case in written.kept.results] == figures


def test_claims_are_judged_again(written: Written) -> None:
    mean = written.kept.results[0].figures["fct_mean_us"][0]
    assert mean is not None
    for bound, agrees in ((mean + 1, False), (mean - 1, True)):
        assert written.record(HEAD + CLAIM + f"least = {{fct_mean_us = {bound}}}\nwhy = 'so'\n") == 0
        assert written.kept.results[0].agrees == {"fct_mean_us": agrees}
    # A claim about a metric that is not stored needs new runs of the claim's case.
    assert written.record(HEAD + CLAIM + "least = {fct_p50_us = 1.0}\n") == 4
    assert written.kept.results[0].agrees == {"fct_p50_us": True}
    assert "fct_p50_us" not in written.kept.results[1].figures


def test_comparisons_are_judged_again(written: Written) -> None:
    means = [case.figures["fct_mean_us"][0] for case in written.kept.results[:2]]
    assert written.record(HEAD + PAIR + "least = {fct_mean_us = 0.1}\n") == 0
    new, _ = written.kept.comparisons
    assert new.agrees
    assert new.ratio == pytest.approx(means[0] / means[1])  # type: ignore[operator]

    # The ratio's confidence interval needs the results of each seed, so it is known only after the two cases have run.
    assert new.half95 is None
    assert written.record(HEAD + PAIR + "least = {fct_mean_us = 0.1}\n", whole=True) == 8
    whole = written.kept.comparisons
    assert whole[0].half95 is not None
    assert whole[0].ratio == pytest.approx(new.ratio)
    # The stored ratio stays valid if only the claim's bound changes.
    assert written.record(HEAD + MORE + PAIR + "least = {fct_mean_us = 9.0}\nwhy = 'so'\n") == 4
    assert [(pair.ratio, pair.half95) for pair in written.kept.comparisons] == [
        (pair.ratio, pair.half95) for pair in whole
    ]
    assert not any(pair.agrees for pair in written.kept.comparisons)
    # The compared metric is not stored, so the two cases run.
    assert written.record(HEAD + PAIR + "least = {fct_p50_us = 0.1}\n") == 8
    fewer = HEAD + "seeds = [2]\n"
    assert written.record(fewer) == 2
    assert written.record(fewer + PAIR + "least = {fct_mean_us = 0.1}\n") == 6


def test_two_claims_on_the_same_two(written: Written) -> None:
    claims = PAIR + "least = {fct_mean_us = 0.1}\n" + PAIR + "most = {fct_mean_us = 0.1}\nwhy = 'so'\n"
    for whole in (False, True, True):
        written.record(HEAD + claims, whole=whole)
        assert [pair.agrees for pair in written.kept.comparisons] == [True, True, False, False]


def test_repeated_cases_repeat_their_comparisons(written: Written) -> None:
    """Check which cases run: only the changed case, or both cases of a comparison by a metric that is not stored."""
    assert written.record(HEAD + PAIR + "least = {fct_p50_us = 0.1}\n") == 8
    assert "fct_p50_us" in written.kept.results[0].figures
    other = HEAD.replace('"spray"', '"ecmp"')
    assert written.record(other + PAIR + "least = {fct_p50_us = 0.1}\n") == 4
    assert [pair.half95 for pair in written.kept.comparisons] == [None, None]
    assert written.record(other + PAIR + "least = {fct_p50_us = 0.1, fct_p99_us = 0.1}\n") == 8
    assert all(pair.half95 is not None for pair in written.kept.comparisons)


def test_cases_of_size_paper(written: Written) -> None:
    large = HEAD + MORE + 'size = "paper"\n'
    assert written.record(HEAD) == 0
    written.path.write_text(large)
    whole: StudyFile = study.load(written.path)
    assert missing_cases(study.plan(whole.of_size("small")), written.kept).runs == ()
    assert {run.case for run in missing_cases(study.plan(whole), written.kept).runs} == {"c"}


def test_the_command_runs_the_rest(tulle: Cli, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(HEAD)
    assert tulle("run", str(path), "--record").returncode == 0
    path.write_text(HEAD + MORE)
    result = tulle("run", str(path), "--record", "--rest")
    assert result.returncode == 0, result.stderr
    assert "(4 runs measured, 0 reused)" in result.stdout
    assert [case.case for case in kept(path).results] == ["a", "b", "c", "a", "b", "c"]
    assert "nothing left to run" in tulle("run", str(path), "--record", "--rest").stdout


@pytest.mark.parametrize(
    ("options", "result"),
    [
        (["--rest"], "--rest without --record; legal: both"),
        (
            ["--rest", "--record", "--check"],
            "--check together with --rest, which does not run all cases; legal: one of them",
        ),
    ],
)
def test_bad_input_is_one_line(options: list[str], result: str, tulle: Cli, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(HEAD)
    refused = tulle("run", str(path), *options)
    assert (refused.returncode, refused.stderr) == (2, f"tulle: invalid value: {result}\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["s.toml"]
