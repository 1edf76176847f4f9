"""Write the table of the papers' exhibits from tools/exhibits.toml and the stored results of the studies.

tools/exhibits.py write     writes docs/results.md, docs/results/contradictions.md, the table of
                            docs/results/reproduction.md, and the counts of README.md
tools/exhibits.py check     exits with 1 if what write would write is out of date, if a page lacks an exhibit, if a
                            check has no claim, if the grade of a claim does not follow from the stored results, or if a
                            reason, or an answer in contradictions.md, has a number that its stored results do not have
tools/exhibits.py claims    adds the claims that no claims file has, with the grades that follow from their checks
tools/exhibits.py show PAPER/STUDY#CLAIM…
                            prints claims with all their checks; the beginning of a name is enough

docs/hooks.py fills the papers' pages and draws their plots when the documentation is built.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from exhibit import contradictions, reasons
from exhibit.drafts import add_claims, shown
from exhibit.exhibits import ROOT, claims, content, counts, exhibits, folder
from exhibit.headlines import results
from exhibit.pages import marked, overview
from exhibit.plots import drawings

from tulle.study.claims.grading import problems as claim_problems

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START, END = "<!-- exhibits: written by tools/exhibits.py -->", "<!-- end of exhibits -->"


def texts() -> dict[Path, str]:
    """Return the files with parts that ``write`` writes, each with its up-to-date text.

    Raises
    ------
    ValueError
        If a file lacks the marks around such a part, or if stored results do not fit their study.
    """
    found = exhibits()
    wanted = {
        ROOT / "docs/results/reproduction.md": overview(found),
        ROOT / "docs/results.md": results(),
        ROOT / "docs/results/contradictions.md": contradictions.page(),
        ROOT / "README.md": counts(found),
    }
    return {path: _between(path, text) for path, text in wanted.items()}


def _between(path: Path, within: str) -> str:
    head, first, rest = path.read_text(encoding="utf-8").partition(f"{START}\n")
    _, last, tail = rest.partition(END)
    if not (first and last):
        raise ValueError(f"{path.relative_to(ROOT)}: the line {START} or {END} is missing; legal: each line once")
    return f"{head}{START}\n{within}\n{END}{tail}"


def problems() -> Iterator[str]:
    """Yield the errors on the papers' pages, one line each; raise the errors of plots in exhibits.toml."""
    yield from contradictions.problems()
    for paper in content()["papers"]:
        path = ROOT / f"docs/results/reproduction/{paper}.md"
        own = [one for one in exhibits() if one.paper == paper]
        found, wanted = marked(path.read_text(encoding="utf-8")), [one.name for one in own]
        if found != wanted:
            yield f"{path.relative_to(ROOT)}: exhibits {found}; legal: {wanted}"
        for one in own:
            drawings(one)
        studies = folder(paper)
        for claim, _ in claims(paper):
            if claim.declared:
                yield from claim_problems(claim, studies.place(claim.home).relative_to(ROOT))
            else:
                yield f"studies/{paper}: no claim quotes '{claim.claim.quote}'; `tools/exhibits.py claims` adds one"
        yield from reasons.problems(paper)


def main() -> int:
    """Write or check; return the exit code."""
    if sys.argv[1:] not in (["write"], ["check"], ["claims"]) and sys.argv[1:2] != ["show"]:
        print("usage: tools/exhibits.py write|check|claims|show PAPER/STUDY#CLAIM…", file=sys.stderr)
        return 2
    if sys.argv[1] == "claims":
        print(*(path.relative_to(ROOT) for path in add_claims()), sep="\n")
        return 0
    try:
        if sys.argv[1] == "show":
            print(*shown(sys.argv[2:]), sep="\n")
            return 0
        other = {path: text for path, text in texts().items() if path.read_text(encoding="utf-8") != text}
        wrong = list(problems())
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    if sys.argv[1] == "write":
        for path, text in other.items():
            path.write_text(text, encoding="utf-8")
    else:
        wrong += [f"{path.relative_to(ROOT)} is out of date; tools/exhibits.py write updates it" for path in other]
    print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
