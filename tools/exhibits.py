"""The table of all exhibits of the papers, of tools/exhibits.toml and what is kept beside the studies.

tools/exhibits.py write     writes it into docs/reproduction.md, and the counts into README.md
tools/exhibits.py check     exits with 1 where they have another
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tulle.study import load
from tulle.study.kept import Kept, KeptSize, load_kept

if TYPE_CHECKING:
    from tulle.study.model import StudyFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
START, END = "<!-- exhibits: written by tools/exhibits.py -->", "<!-- end of exhibits -->"
State = Literal["agrees", "differs", "not reproducible", "missing"]


@dataclass(frozen=True)
class Row:
    """An exhibit as the table has it."""

    paper: str
    name: str
    shows: str
    state: State
    why: str
    claims: str
    sizes: str
    date: str
    seconds: float | None
    studies: tuple[str, ...]


def rows() -> list[Row]:
    """The exhibits, in the order of the file."""
    content = tomllib.loads((ROOT / "tools/exhibits.toml").read_text(encoding="utf-8"))
    return [_row(exhibit) for exhibit in content["exhibit"]]


def _row(exhibit: dict[str, Any]) -> Row:
    named = (exhibit["paper"], exhibit["name"], exhibit["shows"])
    if "studies" not in exhibit:
        state: State = "not reproducible" if "because" in exhibit else "missing"
        return Row(*named, state, exhibit.get("because") or exhibit["missing"], "", "", "", None, ())
    studies = [load(ROOT / "studies" / f"{name}.toml") for name in exhibit["studies"]]
    kept = [(study, of) for study in studies if (of := load_kept(study)) is not None]
    sizes = [size for _, of in kept for size in (of.small, of.paper) if size is not None]
    verdicts = [agrees for size in sizes for agrees in size.verdicts]
    names = tuple(exhibit["studies"])
    if not verdicts:
        return Row(*named, "missing", "no claim of the paper is judged yet", "", "", "", None, names)
    whys = dict.fromkeys(why for study, of in kept for why in _whys(study, of))
    known = [case.processor_seconds for size in sizes for case in size.results]
    seconds = None if any(one is None for one in known) else sum(one for one in known if one is not None)
    judged = f"{verdicts.count(True)} of {len(verdicts)}"
    of_sizes = [name for name in ("small", "paper") if any(of.of(name) for _, of in kept)]
    date = max(size.date for size in sizes)
    state = "agrees" if all(verdicts) else "differs"
    return Row(*named, state, "; ".join(whys), judged, ", ".join(of_sizes), date, seconds, names)


def _whys(study: StudyFile, kept: Kept) -> list[str]:
    """Why figures differ, of references and comparisons that do."""
    differing: set[tuple[str, ...]] = set()
    for size in (kept.small, kept.paper):
        if size is not None:
            differing |= _differing(size)
    references = [given.why for given in study.reference if (given.case,) in differing]
    pairs = [given.why for given in study.comparison if (given.case, given.over) in differing]
    return [why for why in references + pairs if why]


def _differing(size: KeptSize) -> set[tuple[str, ...]]:
    cases: set[tuple[str, ...]] = {(case.case,) for case in size.results if not all(case.agrees.values())}
    return cases | {(pair.case, pair.over) for pair in size.comparisons if not pair.agrees}


def table() -> str:
    """The table in Markdown, a part per paper."""
    content = tomllib.loads((ROOT / "tools/exhibits.toml").read_text(encoding="utf-8"))
    found, parts = rows(), []
    for key, title in content["papers"].items():
        parts += [
            f"\n**{title}**\n",
            "| exhibit | shows | verdict | claims that agree | why not | size | run | processor seconds | study |",
            "|---|---|---|---|---|---|---|---|---|",
        ]
        for row in found:
            if row.paper == key:
                files = ", ".join(f"`{name.split('/')[1]}`" for name in row.studies)
                seconds = "" if row.seconds is None else f"{row.seconds:.0f}" if row.seconds >= 1 else "< 1"
                why = row.why.replace("|", "\\|")
                cells = (row.name, row.shows, row.state, row.claims, why, row.sizes, row.date, seconds, files)
                parts.append(f"| {' | '.join(cells)} |")
    return "\n".join(parts)


def counts() -> str:
    """How many exhibits agree, in a sentence."""
    states = Counter(row.state for row in rows())
    return (
        f"Of {states.total()} tables and figures {states['agrees']} agree in all that is judged, "
        f"{states['differs']} differ in some of it, {states['not reproducible']} cannot be reproduced, "
        f"and {states['missing']} are still without a study."
    )


def texts() -> dict[Path, str]:
    """The files that hold what is written, as they should be."""
    intended = {}
    for name, text in (("docs/reproduction.md", f"{counts()}\n{table()}\n"), ("README.md", f"{counts()}\n")):
        path = ROOT / name
        before = path.read_text(encoding="utf-8")
        head, _, rest = before.partition(f"{START}\n")
        _, _, tail = rest.partition(END)
        intended[path] = f"{head}{START}\n{text}{END}{tail}"
    return intended


def main() -> int:
    """Writes, or checks."""
    if sys.argv[1:] not in (["write"], ["check"]):
        print("usage: tools/exhibits.py write|check", file=sys.stderr)
        return 2
    other = [path for path, text in texts().items() if path.read_text(encoding="utf-8") != text]
    if sys.argv[1] == "write":
        for path in other:
            path.write_text(texts()[path], encoding="utf-8")
        return 0
    for path in other:
        print(
            f"{path.relative_to(ROOT)}: not the table that tools/exhibits.py makes; legal: as it writes it",
            file=sys.stderr,
        )
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main())
