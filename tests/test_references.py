"""Check references of the committed studies: each paper value has a verdict, and each wide range has a reason."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import study_files

from tulle import study
from tulle.study.engine.model import Reference

STUDIES = study_files()
# Folders of papers for which all ranges of references have been checked.
GONE_OVER = {"deployment", "diameter-two", "fatpaths", "flattened-clos", "jellyfish", "spread"}
# This study has measurements of Linux, not values of a paper.
NOT_OF_A_PAPER = {"linux-kernel"}


def wide(reference: Reference) -> Iterator[str]:
    """Yield metrics whose range is wider than half a unit of the paper's last digit, if no reason is stated."""
    for key, tolerance in reference.tolerance.items():
        exponent = Decimal(repr(reference.paper[key])).normalize().as_tuple().exponent
        assert isinstance(exponent, int)
        if tolerance > float(Decimal(1).scaleb(min(exponent, 0))) / 2 and not reference.why:
            yield key


def test_wide_ranges_are_seen() -> None:
    given = {"case": "a", "source": "s", "paper": {"x": 0.78, "y": 12.0}}
    assert not list(wide(Reference.model_validate({**given, "tolerance": {"x": 0.005, "y": 0.5}})))
    assert list(wide(Reference.model_validate({**given, "tolerance": {"x": 0.006, "y": 1.0}}))) == ["x", "y"]
    assert not list(wide(Reference.model_validate({**given, "tolerance": {"x": 0.1}, "why": "so"})))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_figures_of_papers_are_judged(path: Path) -> None:
    for reference in study.load(path).reference:
        judged = {*reference.tolerance, *reference.least, *reference.most}
        assert set(reference.paper) <= judged, f"{reference.case}: without a verdict"
        if path.parent.name in GONE_OVER and path.stem not in NOT_OF_A_PAPER:
            assert not list(wide(reference)), f"{reference.case}: a wide range without a reason"
