"""Split the source of a check into section, quoted words and their interpretation (reading)."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PAPER = re.compile(r"^(FatPaths|Slim Fly deployment|deployment|Flattened Clos|diameter-two|Jellyfish)( paper)?,? ")
# Words between two quotations of one source, for example `"one part"; §2.1: "another part"`.
_BETWEEN = re.compile(r'"[;,]? (?:[^"]{1,80} )?"')
_OURS = ("ours", "our goal", "prototype", "the goal of the scheme")


@dataclass(frozen=True)
class Source:
    """The parts of a source such as ``FatPaths §I: "twice as fast", 1.5 times or more``."""

    section: str
    """The paper's section, table or figure, without the paper's name."""
    quote: str
    """The paper's words; if the source has no quotation marks, the section, for example ``Table IV``."""
    reading: str
    """How tulle interprets the quoted words, for example ``1.5 times or more``."""


def section(source: str) -> str:
    """Return a source without the paper's name."""
    return _PAPER.sub("", source)


def is_of_paper(source: str) -> bool:
    """Whether a paper is the source; other sources are requirements of this project and third-party measurements."""
    return _PAPER.match(source) is not None and not source.startswith(_OURS)


def split(source: str) -> Source:
    """Return the parts of a source."""
    text = section(source)
    before, mark, rest = text.partition('"')
    if not mark or '"' not in rest:
        return Source(text, text, "")
    inner, _, after = rest.rpartition('"')
    # `"similar to that for permutation": "the claim"` first quotes another sentence. Only the second quotation is the
    # claim.
    inner = inner.rpartition('": "')[2]
    quote = _BETWEEN.sub(" … ", inner)
    return Source(before.strip(" :,"), quote, after.strip(" ,:;"))
