"""Check the words of claims: how a vague word of a paper is read, and whether each reason says if it was measured."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from conftest import ROOT

from tulle.study.claims.model import Claim, load_claims

if TYPE_CHECKING:
    from collections.abc import Iterator


# Words without a bound. A claim that quotes such a word must state in `reading` which bound tulle uses.
VAGUE = re.compile(
    r"similar|comparable|approximately|≈|\b(about|around|nearly|mostly|quickly|notably|negligible|closely)\b"
    r"|significant|slight|marginal|\bmuch (better|worse|shorter)|close to\b",
    re.IGNORECASE,
)
UNMEASURED = re.compile(r"not measured|not explained")


def claims() -> Iterator[tuple[str, Claim]]:
    for path in sorted((ROOT / "studies").glob("*/*.claims.toml")):
        for claim in load_claims(path):
            yield f"{path.parent.name}/{path.name}: {claim.name}", claim


def lacks_reading(claim: Claim) -> bool:
    judged = claim.grade not in ("paper's slip", "cannot say")
    return judged and not claim.reading and VAGUE.search(claim.quote) is not None


def test_a_vague_word_has_a_reading() -> None:
    assert [place for place, claim in claims() if lacks_reading(claim)] == []


def test_a_measured_reason_does_not_say_that_it_is_not() -> None:
    """Check that no reason with the basis `measured` says that something was not measured or not explained."""
    assert [place for place, claim in claims() if claim.basis == "measured" and UNMEASURED.search(claim.why)] == []


def test_a_supposed_reason_says_what_was_not_measured() -> None:
    missing = re.compile(rf"{UNMEASURED.pattern}|not known")
    assert [place for place, claim in claims() if claim.basis == "supposed" and not missing.search(claim.why)] == []


@pytest.mark.parametrize("paper", ["fatpaths", "deployment", "flattened-clos", "diameter-two", "jellyfish"])
def test_a_paper_lists_how_words_are_read(paper: str) -> None:
    page = (ROOT / f"docs/results/reproduction/{paper}.md").read_text(encoding="utf-8")
    section = page.partition("## How words are read\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    assert len(rows) >= 5
    assert all(re.fullmatch(r"\| [^|]+ \| [^|]+ \|", row) for row in rows)


@pytest.mark.parametrize(
    ("quote", "reading", "lacking"),
    [
        ("similar cost", "", True),
        ("similar cost", "within 10%", False),
        ("≈ 20% better", "", True),
        ("three racks", "", False),
        ("a throughput of 0.98", "", False),
    ],
)
def test_vague_words_are_found(quote: str, reading: str, lacking: bool) -> None:
    claim = Claim.model_validate({"name": "c", "quote": quote, "reading": reading, "grade": "agrees"})
    assert lacks_reading(claim) is lacking
