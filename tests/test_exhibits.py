"""Check the table of the papers' figures and tables: each has a row, no cell is empty, each difference has a cause."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import ROOT, study_files

from tulle import study
from tulle.study.report.baseline import load_baseline

sys.path.append(str(ROOT / "tools"))

from exhibit.claims import claims
from exhibit.exhibits import content, exhibits
from exhibit.pages import filled
from exhibit.plots import draw, drawings
from exhibits import problems

STUDIES = study_files()


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: f"{path.parent.stem}/{path.stem}")
def test_whatever_differs_says_why(path: Path) -> None:
    whole = study.load(path)
    kept = load_baseline(whole)
    assert kept is not None
    for size in ("small", "paper"):
        results = kept.of(size)
        if results is not None:
            assert [claim for claim in claims(whole.of_size(size), results) if not (claim.agrees or claim.why)] == []


def test_no_exhibit_is_blank() -> None:
    found = exhibits()
    assert len({(one.paper, one.name) for one in found}) == len(found) == 85
    for one in found:
        assert one.state != "missing", (one.paper, one.name)
        assert one.why or one.state == "agrees", (one.paper, one.name)
        assert not one.parts or (one.sizes and one.date), (one.paper, one.name)


def test_the_pages_have_every_exhibit() -> None:
    assert list(problems()) == []


def test_pages_explain_differences() -> None:
    pages = {
        paper: filled((ROOT / f"docs/results/reproduction/{paper}.md").read_text(encoding="utf-8"), paper)
        for paper in content()["papers"]
    }
    for one in exhibits():
        for claim in one.claims:
            if not claim.agrees and not one.listed:
                assert claim.why, (one.name, claim)
                assert claim.why.replace("|", "\\|") in pages[one.paper], (one.name, claim)


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
