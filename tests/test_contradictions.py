"""Check the page of contradictions: its figures come from stored results, and its answers have no other numbers."""

import copy
import re
import sys
from typing import Any

import pytest
from conftest import ROOT

from tulle import study
from tulle.study.claims.checks import largest

sys.path.append(str(ROOT / "tools"))

from exhibit import contradictions
from exhibit.contradictions import problems, rows, sections

PAGE = ROOT / "docs/results/contradictions.md"


def deadlock() -> dict[str, Any]:
    return copy.deepcopy(next(one for one in sections() if one["name"] == "deadlock"))


def test_answers_have_only_numbers_of_their_section() -> None:
    assert list(problems()) == []


@pytest.mark.parametrize("part", ["answer", "unknown"])
def test_a_wrong_number_is_found(part: str) -> None:
    given = deadlock()
    given[part] += " The deadlock forms after 87 µs."
    assert list(problems((given,))) == [
        "tools/contradictions.toml: 'The time of the deadlock (Flattened Clos §6.2)': 87 is not a figure of the section"
    ]


def test_a_number_is_compared_with_the_digits_that_the_text_has() -> None:
    given = deadlock()
    value = rows(given)[0].values[0]
    given["answer"] = f"{value:.0f}, {value:.1f} and {value:.2f} µs"
    assert list(problems((given,))) == []
    given["answer"] = f"{value + 0.1:.1f} µs"
    assert len(list(problems((given,)))) == 1


def test_a_percentage_is_a_value_or_a_difference() -> None:
    given = deadlock()
    given["columns"] = [{"figure": "deadlock_us", "title": "relative", "ratio": True}]
    given["tried"] = [
        {"what": "a", "study": "deadlock-alternatives", "case": "XOFF 100 KB", "over": "as in deadlock.toml"}
    ]
    (row,) = rows(given)
    (ratio,) = row.values
    assert row.cells == (f"{ratio:.2f}",)
    given["answer"], given["unknown"] = f"{100 * ratio:.0f}% of the time, {100 * (ratio - 1):.0f}% longer", ""
    assert list(problems((given,))) == []


def test_cells_are_the_recorded_results() -> None:
    recorded = largest(study.load(ROOT / "studies/flattened-clos/deadlock-alternatives.toml"))
    assert recorded is not None
    by_name = {case.case: case.figures["deadlock_us"][0] for case in recorded.results.results}
    for row in rows(deadlock()):
        case = re.search(r"deadlock-alternatives`, “(.*)”", row.where)
        if case and by_name[case[1]] is not None:
            assert row.values[0] == by_name[case[1]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"case": "absent"}, "no stored results of flattened-clos/deadlock-alternatives, case 'absent'"),
        ({"point": {"mtu": "1B"}}, "case 'as in deadlock.toml', mtu=1B"),
    ],
)
def test_a_case_without_results_is_refused(change: dict[str, Any], message: str) -> None:
    given = deadlock()
    given["tried"][0] |= change
    with pytest.raises(ValueError, match=re.escape(message)):
        rows(given)


def test_an_unknown_claim_is_refused() -> None:
    given = deadlock()
    given["claims"] = ["deadlock#absent"]
    with pytest.raises(ValueError, match="no claim 'deadlock#absent' of flattened-clos"):
        list(problems((given,)))


def test_the_page_is_up_to_date_and_has_every_section() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert contradictions.page() in text
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert len(headings) == len(sections())
    for given in sections():
        assert all(given[part] for part in ("setup", "answer", "unknown")), given["title"]
        assert len(given["tried"]) >= 4, given["title"]
