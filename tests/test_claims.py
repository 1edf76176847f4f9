"""Check the grades of the papers' claims: each follows from stored results, and a changed result or grade is found."""

from __future__ import annotations

import json
import random
import re
import shutil
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from conftest import ROOT

import tulle
from tulle.errors import StudyError
from tulle.study.claims.checks import Check
from tulle.study.claims.grading import Folder, Graded, check_claims, counted, grade, problems
from tulle.study.claims.model import Claim, load_claims
from tulle.study.claims.sources import is_of_paper, split
from tulle.study.engine.model import load
from tulle.study.report.results import title

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

PAPERS = ("fatpaths", "deployment", "flattened-clos", "diameter-two", "jellyfish")


@cache
def graded(paper: str) -> tuple[Graded, ...]:
    return tuple(Folder(ROOT / "studies" / paper).graded())


@pytest.mark.parametrize("paper", PAPERS)
def test_every_grade_follows_from_the_kept_figures(paper: str) -> None:
    folder = Folder(ROOT / "studies" / paper)
    assert [line for one in graded(paper) for line in problems(one, folder.place(one.home))] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_every_check_of_a_paper_belongs_to_a_claim(paper: str) -> None:
    """`tools/exhibits.py claims` adds the missing claims."""
    assert [one.claim.quote for one in graded(paper) if not one.declared] == []


@pytest.mark.parametrize("paper", PAPERS)
def test_a_quote_stands_once(paper: str) -> None:
    """Two claims may have the same quote only if each claim states which part of the quote it grades."""
    quotes = [one.claim.quote for one in graded(paper)]
    for one in graded(paper):
        assert quotes.count(one.claim.quote) == 1 or one.claim.check or one.claim.counts is not None, one.place


@pytest.mark.parametrize("paper", PAPERS)
def test_no_check_of_our_own_schemes_counts(paper: str) -> None:
    assert [(one.place, check.where) for one in graded(paper) for check in one.counted if check.is_own] == []


@cache
def mutations() -> list[tuple[str, str]]:
    """Return ten random claims of all papers, each as its paper and its position in the files."""
    places = [
        (paper, one.place)
        for paper in PAPERS
        for one in graded(paper)
        if one.claim.grade in ("agrees", "agrees in direction", "contradicts")
    ]
    return random.Random(40).sample(places, 10)


# `mutations` is called in the test and not in the decorator, because it takes seconds and every worker process of
# pytest evaluates the decorator.
@pytest.mark.parametrize("number", range(10))
def test_a_mutated_claim_turns_its_check_red(number: int, tmp_path: Path) -> None:
    paper, place = mutations()[number]
    folder = tmp_path / paper
    shutil.copytree(ROOT / "studies" / paper, folder)
    one = next(each for each in graded(paper) if each.place == place)
    study = folder / f"{one.home}.toml"
    assert check_claims(study).problems == []
    if one.claim.grade == "agrees":
        # A claim agrees only if all its checks hold, so one value slightly outside its bounds must change the
        # grade. If one check is enough for the claim, all values must be outside.
        for check in one.counted if one.claim.needs == "one" else random.Random(number).sample(one.counted, 1):
            mutate_figure(folder, check, 0.02)
    elif one.claim.grade == "agrees in direction":
        for check in one.counted:
            mutate_figure(folder, check, 1e6)
    else:
        mutate_grade(folder / f"{one.home}.claims.toml", one.claim.name)
    assert any(f"claim '{one.claim.name}': graded" in line for line in check_claims(study).problems)


def mutate_figure(folder: Path, check: Check, by: float) -> None:
    """Change the stored value or ratio of a check, so that it misses a bound by a fraction of the bound."""
    path = folder / f"{check.study}.json"
    words = load(path.with_suffix(".toml")).words
    kept = json.loads(path.read_text(encoding="utf-8"))
    low = [check.least] if check.least is not None else []
    high = [check.most] if check.most is not None else []
    if check.paper is not None and check.tolerance is not None:
        low, high = [*low, check.paper - check.tolerance], [*high, check.paper + check.tolerance]
    value = max(low) - by * max(abs(max(low)), 1e-3) if low else min(high) + by * max(abs(min(high)), 1e-3)
    changed = 0
    for size in ("small", "paper"):
        cases = [
            case
            for case in kept.get(size, {}).get("results", [])
            if title(case.get("point", {}), words) == check.point and check.figure in case["figures"]
        ]
        others = [case["figures"][check.figure][0] for case in cases if case["case"] == check.over]
        for case in cases:
            # The ratio of a check in a claims file is computed from the values of its two cases.
            if case["case"] == check.case and (others or not check.over):
                case["figures"][check.figure][0] = value * others[0] if check.over else value
                changed += 1
        for pair in kept.get(size, {}).get("comparisons", []):
            if (pair["case"], pair["over"], pair["figure"]) == (check.case, check.over, check.figure):
                pair["ratio"] = value
    assert changed
    path.write_text(json.dumps(kept), encoding="utf-8")


def mutate_grade(path: Path, name: str) -> None:
    text = path.read_text(encoding="utf-8")
    head, start, rest = text.partition(f'name = "{name}"\n')
    changed = re.sub(r'^grade = ".*"$', 'grade = "agrees"', rest, count=1, flags=re.MULTILINE)
    path.write_text(head + start + changed, encoding="utf-8")


def test_run_check_fails_for_a_mutated_grade(tulle: Cli, tmp_path: Path) -> None:
    for path in (ROOT / "studies/fatpaths").glob("table-5.*"):
        shutil.copy(path, tmp_path)
    printed = tulle("run", "table-5.toml", "--check", "--no-rows")
    assert (printed.returncode, printed.stderr) == (0, "")
    claims = tmp_path / "table-5.claims.toml"
    text = claims.read_text(encoding="utf-8")
    claims.write_text(
        text.replace('grade = "agrees"', 'grade = "contradicts"\nwhy = "x"\nbasis = "measured"', 1), encoding="utf-8"
    )
    printed = tulle("run", "table-5.toml", "--check", "--no-rows")
    assert printed.returncode == 1
    assert "graded 'contradicts', but its checks give 'agrees' (10 of 10 hold)" in printed.stderr


def check(ours: float | None, **given: Any) -> Check:
    """Return a check of a value, or of a ratio if `over` is given."""
    values: dict[str, Any] = {
        "study": "s", "case": "a", "over": "", "point": "", "figure": "f", "title": "f", "source": "FatPaths §I: \"x\"",
        "why": "", "half95": None, "paper": None, "tolerance": None, "least": None, "most": None, "apart": False,
        "is_large": False, "is_own": False,
    }  # fmt: skip
    values |= given
    low = float("-inf") if values["least"] is None else values["least"]
    high = float("inf") if values["most"] is None else values["most"]
    if values["tolerance"] is not None:
        low, high = values["paper"] - values["tolerance"], values["paper"] + values["tolerance"]
    inside = ours is not None and low <= ours <= high
    return Check(ours=ours, in_bounds=inside, holds=inside and not values["apart"], **values)


def claim(**given: Any) -> Claim:
    return Claim.model_validate({"name": "c", "quote": "x", "grade": "agrees", **given})


@pytest.mark.parametrize(
    ("checks", "wanted"),
    [
        ([check(1.2, over="b", least=1.15)], "agrees"),
        ([check(1.1, over="b", least=1.15)], "agrees in direction"),
        ([check(0.9, over="b", least=1.15)], "contradicts"),
        ([check(0.7, over="b", most=0.5)], "agrees in direction"),
        ([check(1.2, over="b", most=0.5)], "contradicts"),
        # A claim that two values are equal has no direction, so it cannot agree in direction only.
        ([check(1.11, over="b", least=0.9, most=1.1)], "contradicts"),
        ([check(0.97, over="b", least=0.98)], "contradicts"),
        # The ratio is within its bounds, but the confidence intervals of the two values overlap.
        ([check(1.2, over="b", least=1.15, apart=True)], "agrees in direction"),
        ([check(5.0, paper=5.2, tolerance=0.05)], "agrees in direction"),
        ([check(4.0, paper=5.2, tolerance=0.05)], "contradicts"),
        ([check(None, over="b", least=1.15)], "contradicts"),
        ([], "cannot say"),
        # If three of four checks hold, the claim agrees in direction.
        ([check(1.2, over="b", least=1.15)] * 3 + [check(0.9, over="b", least=1.15)], "agrees in direction"),
        ([check(1.2, over="b", least=1.15)] * 2 + [check(0.9, over="b", least=1.15)], "contradicts"),
    ],
)
def test_grades_follow_from_checks(checks: list[Check], wanted: str) -> None:
    assert grade(checks, claim()) == wanted


def test_up_to_needs_one_case() -> None:
    found = [check(0.9, over="b", least=1.15), check(1.2, over="b", least=1.15)]
    assert grade(found, claim(needs="one")) == "agrees"
    assert grade(found[:1], claim(needs="one")) == "contradicts"
    assert grade([*found[:1], check(1.1, over="b", least=1.15)], claim(needs="one")) == "agrees in direction"


def test_near_sets_how_far_a_value_may_be_off() -> None:
    assert grade([check(4.0, paper=5.2, tolerance=0.05)], claim(near=0.3)) == "agrees in direction"
    assert grade([check(5.0, paper=5.2, tolerance=0.05)], claim(near=0)) == "contradicts"


def test_checks_at_the_papers_size_of_the_papers_schemes_count() -> None:
    small, large, own = check(1), check(2, is_large=True), check(3, is_large=True, is_own=True)
    other = check(4, study="t")
    assert counted(claim(), [], [small, large, own, other]) == [large, other]
    assert counted(claim(), [], [small, own]) == [small]
    printed = check(5, paper=5, tolerance=0)
    assert counted(claim(), [], [small, large, printed]) == [large, printed]
    assert counted(claim(), [other], [small, large]) == [other]
    assert counted(claim(counts="^s; "), [other], [small, large]) == [other, small, large]


@pytest.mark.parametrize(
    ("source", "parts"),
    [
        ('FatPaths §I: "twice", 1.5 or more', ("§I", "twice", "1.5 or more")),
        ("Jellyfish, Table II", ("Table II", "Table II", "")),
        ('Slim Fly deployment paper, §6.1: "uses the "almost" paths"', ("§6.1", 'uses the "almost" paths', "")),
        ('diameter-two §2: "a"; §3: "b", within 5%', ("§2", "a … b", "within 5%")),
        ('Jellyfish §IV-D, Fig. 9, "as for x": "better"', ("§IV-D, Fig. 9", "better", "")),
    ],
)
def test_sources_have_section_quote_and_reading(source: str, parts: tuple[str, str, str]) -> None:
    found = split(source)
    assert (found.section, found.quote, found.reading) == parts


def test_requirements_of_tulle_are_no_claims_of_papers() -> None:
    assert not is_of_paper("ours: also with four tables")
    assert not is_of_paper("Linux 6.18.44, linux-kernel/mptcp.csv: mean ratio to TCP")
    assert is_of_paper("FatPaths Table V: N_r")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            'grade = "agree"',
            "claim 'c': claim[0].grade = 'agree' is unknown; legal: agrees, agrees in direction, contradicts, paper's",
        ),
        ('grade = "contradicts"', "'why' and 'basis'"),
        ('grade = "paper\'s slip"', "without 'proof'; legal: with 'proof'"),
        ('grade = "cannot say"', "without 'needed'; legal: with 'needed'"),
        ('grade = "agrees"\ncounts = "("', "is not a regular expression"),
        ('grade = "agrees"\n[[claim.check]]\ncase = "a"\nfigure = "f"', "has no bound"),
        ('grade = "agrees"\n[[claim.check]]\ncase = "a"\nfigure = "f"\npaper = 1.0', "legal: both"),
        (
            'grade = "agrees"\n[[claim.check]]\ncase = "a"\nover = "b"\nfigure = "f"\npaper = 1.0\ntolerance = 0.1',
            "'paper' for a ratio; legal: 'least' or 'most'",
        ),
        ('grade = "agrees"\n[[claim]]\nname = "c"\nquote = "y"\ngrade = "agrees"', "claim 'c' appears 2 times"),
    ],
)
def test_illegal_claims_files_are_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "s.claims.toml"
    path.write_text(f'[[claim]]\nname = "c"\nquote = "x"\n{text}\n', encoding="utf-8")
    with pytest.raises(tulle.StudyError) as refused:
        load_claims(path)
    assert message in str(refused.value)
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('studies = ["tabel-5"]', "unknown study 'tabel-5'"),
        ('[[claim.check]]\ncase = "X"\nfigure = "switches"\nleast = 1.0', "no recorded case 'X'"),
        ('[[claim.check]]\ncase = "Slim Fly q = 9"\nfigure = "x"\nleast = 1.0', "unknown figure 'x'"),
        (
            '[[claim.check]]\ncase = "Slim Fly q = 9"\nfigure = "switches"\nleast = 1.0\nsize = "a"',
            "unknown key 'size'",
        ),
        ("", "no check counts; legal: a check, or the grade 'cannot say'"),
    ],
)
def test_claims_that_name_what_does_not_exist_are_reported(text: str, message: str, tmp_path: Path) -> None:
    for name in ("table-5.toml", "table-5.json"):
        shutil.copy(ROOT / "studies/fatpaths" / name, tmp_path)
    path = tmp_path / "table-5.claims.toml"
    path.write_text(f'[[claim]]\nname = "c"\nquote = "x"\ngrade = "agrees"\n{text}\n', encoding="utf-8")
    (line,) = check_claims(tmp_path / "table-5.toml").problems
    assert message in line


def test_a_claims_file_without_its_study_fails_no_other_study(tmp_path: Path, tulle: Cli) -> None:
    # Even an illegal file: it has no study, so nothing depends on it.
    for text in ("", "[[claim]]"):
        folder = tmp_path / f"folder{len(text)}"
        folder.mkdir()
        for name in ("table-5.toml", "table-5.json", "table-5.claims.toml"):
            shutil.copy(ROOT / "studies/fatpaths" / name, folder)
        (folder / "gone.claims.toml").write_text(text)
        found = check_claims(folder / "table-5.toml")
        note = f"{folder / 'gone.claims.toml'}: no study gone.toml is beside it; its claims are not checked"
        assert (found.problems, found.notes) == ([], [note])
        assert found.checked == len(load_claims(folder / "table-5.claims.toml"))
        # All claims of a folder include those of this file.
        with pytest.raises(StudyError, match=r"no study gone\.toml is beside it"):
            Folder(folder).graded()
    printed = tulle("run", str(folder / "table-5.toml"), "--check")
    assert (printed.returncode, note in printed.stderr.replace("\n", " ")) == (0, True), printed.stderr
    assert f"check: {found.checked} claims have the grades that follow from the recorded results\n" in printed.stdout
    (folder / "table-5.claims.toml").unlink()
    assert "check: no claims of a paper to check" in tulle("run", str(folder / "table-5.toml"), "--check").stdout


def quick_cases() -> list[tuple[str, str, dict[str, str]]]:
    """Return three random cases of all studies among the cases whose run took at most a second."""
    found = []
    for path in sorted((ROOT / "studies").glob("*/*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        for size in ("small", "paper"):
            found += [
                (f"{path.parent.name}/{path.stem}", case["case"], case.get("point", {}))
                for case in kept.get(size, {}).get("results", [])
                if (case["processor_seconds"] or 99) <= 1
            ]
    return random.Random(3).sample(found, 3)


@pytest.mark.parametrize(("name", "case", "point"), quick_cases())
def test_one_case_agrees_with_its_kept_figures(name: str, case: str, point: dict[str, str], tulle: Cli) -> None:
    at = [word for key, value in point.items() for word in ("--at", f"{key}={value}")]
    printed = tulle(
        "run", str(ROOT / "studies" / f"{name}.toml"), "--case", case, *at, "--check", "--json", "--no-rows"
    )
    assert (printed.returncode, printed.stderr) == (0, "")
    (result,) = json.loads(printed.stdout)["results"]
    assert result["case"] == case


def test_a_changed_figure_of_a_case_is_noticed(tulle: Cli, tmp_path: Path) -> None:
    for name in ("table-5.toml", "table-5.json"):
        shutil.copy(ROOT / "studies/fatpaths" / name, tmp_path)
    kept = json.loads((tmp_path / "table-5.json").read_text(encoding="utf-8"))
    first, second = kept["small"]["results"][:2]
    for size in ("small", "paper"):
        kept[size]["results"][0]["figures"]["switches"][0] += 1
    (tmp_path / "table-5.json").write_text(json.dumps(kept), encoding="utf-8")
    printed = tulle("run", "table-5.toml", "--case", first["case"], "--check")
    assert printed.returncode == 1
    assert f"{first['case']}: switches is " in printed.stderr
    assert tulle("run", "table-5.toml", "--case", second["case"], "--check").returncode == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seed", "3"], "--seed without --case; legal: both"),
        (["--case", "?"], "--case: unknown case '?'; legal: Slim Fly q = 9, Slim Fly q = 19, "),
        (["--at", "a=b"], "--at without --case; legal: both"),
        (["--case", "Slim Fly q = 8"], "--case: unknown case 'Slim Fly q = 8'; did you mean Slim Fly q = 9"),
        (
            ["--case", "Slim Fly q = 9", "--record"],
            "--record together with --case, which runs one case; legal: one of them",
        ),
        (["--case", "Slim Fly q = 9", "--at", "a"], "--at a: the study has no grid; legal: without --at"),
        (["--case", "Slim Fly q = 9", "--at", "a=b"], "--at a=b: the study has no grid"),
        (["--case", "Slim Fly q = 9", "--seed", "7", "--check"], "the recorded results are means over seed 1; legal"),
    ],
)
def test_options_that_need_a_case(options: list[str], message: str, tulle: Cli) -> None:
    printed = tulle("run", "fatpaths/table-5", *options)
    assert printed.returncode == 2
    assert message in printed.stderr
    assert printed.stderr.count("\n") == 1


def test_names_of_cases_that_contain_commas_are_quoted(tulle: Cli) -> None:
    printed = tulle("run", "fatpaths/figure-10", "--case", "?")
    assert "legal: 'Slim Fly', 'Dragonfly', " in printed.stderr
    assert ", 'fat tree', 'fat tree, 2:1'\n" in printed.stderr


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("a", "--at a: no '='; legal: NAME=VALUE, for example traffic=skewed"),
        ("a=b", "--at a=b: unknown parameter 'a'"),
    ],
)
def test_grid_points_of_a_case(value: str, message: str, tulle: Cli) -> None:
    printed = tulle("run", "quickstart", "--case", "Slim Fly, tulle", "--at", value)
    assert (printed.returncode, printed.stderr.count("\n")) == (2, 1)
    assert message in printed.stderr


def test_grid_points_can_be_given_in_the_words_of_the_tables(tulle: Cli) -> None:
    command = ["run", "quickstart", "--status", "--json", "--case", "Slim Fly, tulle", "--at"]
    named, written = (
        json.loads(tulle(*command, f"traffic={value}").stdout)["to_measure"]
        for value in ("random permutation", "permutation:bytes=1MiB")
    )
    assert (len(named), named) == (5, written)
    refused = tulle(*command, "traffic=uniform, 70% load")
    assert "is not in the grid; did you mean uniform, 80% load" in refused.stderr
