"""The pages of the papers' exhibits, made of tools/exhibits.toml and of what is kept beside the studies.

tools/exhibits.py write     writes the table of docs/reproduction.md, its pages and plots, and the counts of README.md
tools/exhibits.py check     exits with 1 where they have something else
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from exhibit.exhibits import ROOT, content, counts, exhibits
from exhibit.marks import drawing
from exhibit.pages import block, overview
from exhibit.plots import draw, stamp

if TYPE_CHECKING:
    from pathlib import Path

    from exhibit.exhibits import Exhibit
    from exhibit.marks import Drawing

START, END = "<!-- exhibits: written by tools/exhibits.py -->", "<!-- end of exhibits -->"
PLOTS = ROOT / "docs/reproduction/plots"


def texts() -> dict[Path, str]:
    """The files that hold what is written, as they should be.

    Raises
    ------
    ValueError
        For a page without the place of an exhibit, or for kept results that do not fit their study.
    """
    found = exhibits()
    intended = {
        path: _between(path, path.read_text(encoding="utf-8"), START, END, text)
        for path, text in ((ROOT / "docs/reproduction.md", overview(found)), (ROOT / "README.md", counts(found)))
    }
    for paper in content()["papers"]:
        path = ROOT / f"docs/reproduction/{paper}.md"
        text = path.read_text(encoding="utf-8")
        for one in found:
            if one.paper == paper:
                start, end = f"<!-- exhibit: {one.name} -->", f"<!-- end of {one.name} -->"
                text = _between(path, text, start, end, block(one, [f"plots/{path.name}" for path in drawings(one)]))
        intended[path] = text
    return intended


def drawings(one: Exhibit) -> dict[Path, Drawing]:
    """The plots of an exhibit by their files."""
    found = {}
    for number, given in enumerate(one.plots):
        part = next(part for part in one.parts if part.name == given.get("study", part.name))
        name = f"{one.paper}-{one.anchor}{f'-{number + 1}' if number else ''}.svg"
        found[PLOTS / name] = drawing(part, given)
    return found


def _between(path: Path, text: str, start: str, end: str, within: str) -> str:
    head, first, rest = text.partition(f"{start}\n")
    _, last, tail = rest.partition(end)
    if not (first and last):
        raise ValueError(f"{path.relative_to(ROOT)}: no lines {start} and {end}; legal: each once")
    return f"{head}{start}\n{within}\n{end}{tail}"


def plots(*, write: bool) -> list[Path]:
    """The files of plots that are not as they should be; where they are to be written, none."""
    wanted = {path: shown for one in exhibits() for path, shown in drawings(one).items()}
    other = [path for path, shown in wanted.items() if not path.exists() or stamp(shown) not in path.read_text("utf-8")]
    unknown = [path for path in PLOTS.glob("*") if path not in wanted]
    if not write:
        return [*other, *unknown]
    PLOTS.mkdir(exist_ok=True)
    for path in other:
        path.write_text(draw(wanted[path]), encoding="utf-8")
    for path in unknown:
        path.unlink()
    return []


def main() -> int:
    """Writes, or checks."""
    if sys.argv[1:] not in (["write"], ["check"]):
        print("usage: tools/exhibits.py write|check", file=sys.stderr)
        return 2
    try:
        intended = texts()
        other = plots(write=sys.argv[1] == "write")
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    other += [path for path, text in intended.items() if path.read_text(encoding="utf-8") != text]
    if sys.argv[1] == "write":
        for path in other:
            path.write_text(intended[path], encoding="utf-8")
        return 0
    for path in other:
        print(f"{path.relative_to(ROOT)}: not what tools/exhibits.py makes; legal: as it writes it", file=sys.stderr)
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
