"""Check the table of the papers' figures and tables: each has a row, no cell is empty, each difference has a cause."""

import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import ROOT, study_files

from tulle import study
from tulle.fabric import Fabric
from tulle.study.claims.checks import checks, largest

sys.path.append(str(ROOT / "tools"))

from exhibit import headlines
from exhibit.drafts import shown
from exhibit.exhibits import claims, content, exhibits
from exhibit.headlines import headline_grades
from exhibit.pages import filled
from exhibit.plots import draw, drawings
from exhibit.reasons import miscounted, unlike_numbers, unlike_own
from exhibits import problems


@pytest.mark.parametrize("path", study_files(), ids=lambda path: f"{path.parent.stem}/{path.stem}")
def test_whatever_differs_says_why(path: Path) -> None:
    kept = largest(study.load(path))
    if kept is not None:
        assert [check for check in checks(kept) if not (check.holds or check.why)] == []


def test_no_exhibit_is_blank() -> None:
    found = exhibits()
    assert len({(one.paper, one.name) for one in found}) == len(found) == 86
    for one in found:
        assert one.state != "missing", (one.paper, one.name)
        assert one.why or all(claim.grade in ("agrees", "paper's slip") for claim in one.claims), (one.paper, one.name)
        assert not one.parts or (one.sizes and one.date), (one.paper, one.name)
        assert (one.state == "cannot be reproduced") == (not one.parts), (one.paper, one.name)


def test_a_figure_without_values_names_the_study_that_measures_it() -> None:
    page = filled("<!-- exhibit: Fig. 18 -->", "fatpaths")
    assert "**Measured, nothing to compare with: the paper draws relations without values.** Size small" in page
    assert "    tulle run studies/fatpaths/figure-18.toml\n" in page


def test_names_of_cases_have_about_the_number_of_endpoints_of_the_fabric() -> None:
    fabrics = {}
    for path in (ROOT / "studies" / "fatpaths").glob("*.toml"):
        for case in [] if path.name.endswith(".claims.toml") else study.load(path).case:
            if named := re.search(r"N ≈ ([\d,]+)", case.name):
                spec = str(case.parameters["fabric"])
                fabrics[path.stem, spec, int(named[1].replace(",", ""))] = case.name
    endpoints = {spec: Fabric(spec).num_endpoints for _, spec, _ in fabrics}
    wrong = [name for (_, spec, count), name in fabrics.items() if abs(endpoints[spec] - count) > 0.04 * count]
    assert len(fabrics) >= 20
    assert wrong == []


def test_every_claim_is_listed_at_one_exhibit() -> None:
    for paper in content()["papers"]:
        names = {one.name for one in exhibits() if one.paper == paper and not one.listed}
        assert {home for _, home in claims(paper)} <= names
        listed = [claim.place for one in exhibits() if one.paper == paper for claim in one.claims]
        assert sorted(listed) == sorted(claim.place for claim, _ in claims(paper))


def test_the_pages_have_every_exhibit() -> None:
    assert list(problems()) == []


def test_pages_show_each_claim_once_with_its_grade_and_reason() -> None:
    for paper in content()["papers"]:
        page = filled((ROOT / f"docs/results/reproduction/{paper}.md").read_text(encoding="utf-8"), paper)
        rows = [line for line in page.splitlines() if line.startswith("| ")]
        for claim, _ in claims(paper):
            quote = claim.claim.quote.replace("|", "\\|")
            own = [row for row in rows if f"“{quote}”" in row or f"| {quote}" in row]
            same = [other for other, _ in claims(paper) if other.claim.quote.startswith(claim.claim.quote)]
            assert 1 <= len(own) <= len(same), claim.place
            assert any(f"| {claim.grade} |" in row for row in own), claim.place


def test_every_headline_has_a_graded_claim_and_a_row() -> None:
    page = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and " | **" in line]
    graded = headline_grades()
    assert len(rows) == len(graded) >= 40
    for row, claim in zip(rows, graded, strict=True):
        assert f"| **{claim.grade}** |" in row
        assert claim.grade == "agrees" or not row.endswith("|  |"), claim.place


def test_the_results_of_a_paper_are_short() -> None:
    # With 28 rows, a paper's section has 1.9 screens of 1400 x 900 pixels.
    page = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    for section in page.split("\n## ")[1:]:
        rows = [line for line in section.splitlines() if line.startswith("| ") and not line.startswith("| -")]
        assert len(rows) <= 32, section.partition("\n")[0]


def test_a_headline_names_an_existing_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"paper": "jellyfish", "says": "x", "claim": "table-2#absent"}
    monkeypatch.setattr(headlines, "_content", lambda: {"headline": [wrong]})
    with pytest.raises(ValueError, match="no claim 'table-2#absent' of jellyfish"):
        headlines.headline_grades()


def test_claims_are_shown_with_their_checks() -> None:
    lines = list(shown(["fatpaths/figure-2#lat"]))
    assert lines[0] == "figure-2#latency: agrees in direction (from its checks: agrees in direction)"
    counts = [line for line in lines if line.startswith("  counts: ")]
    assert len(counts) == 2
    assert "fct_short_mean_us: 0.8486 times, wanted ≤ 0.5: does not hold" in counts[0]
    with pytest.raises(ValueError, match="no claim 'fatpaths/absent'; legal: "):
        list(shown(["fatpaths/absent"]))


def test_a_plot_shows_the_figures_that_are_kept() -> None:
    one = next(one for one in exhibits() if (one.paper, one.name) == ("fatpaths", "Fig. 10"))
    ((name, shown),) = drawings(one).items()
    assert name == "fatpaths-fig-10.svg"
    kept = {case.figures["cost_per_endpoint"][0] for case in one.parts[0].cases}
    assert {mark.value for panel in shown.panels for mark in panel.marks} == kept
    svg = draw(shown)
    ElementTree.fromstring(svg)
    assert all(case.case in svg for case in one.parts[0].cases)
    assert "dollars per endpoint" in svg
    assert len(ElementTree.fromstring(draw(shown, written=False))) == 0


def test_numbers_of_reasons_are_those_of_the_checks() -> None:
    assert unlike_numbers("1.20 and 1.36 times: many rings share links", [1.2159, 1.3565]) == ["1.20"]
    assert unlike_numbers("0.62 over 0.87 cables", [0.6154, 0.8667, 0.71]) == []
    assert unlike_numbers("12 to 18.3% longer", [1.118, 1.1828]) == []
    assert unlike_numbers("1.20 times (measured separately, not stored)", []) == []
    counts = {claim.place: [*claim.counted, *claim.others] for claim, _ in claims("fatpaths")}
    own = counts["figure-17#nearly-2"]
    assert unlike_own("0.99 times; 4.2 times with a choice per packet (tulle)", own) == []
    assert unlike_own("0.99 times; 4.4 times with a choice per packet (tulle)", own) == ["4.4"]
    checks = counts["table-4#table-iv"]
    assert list(miscounted("39 of 44 checks hold", checks, 0.1)) == []
    assert list(miscounted("38 of 44 checks hold", checks, 0.1)) == ["'38 of 44 checks hold', but it is 39 of 44"]
