"""Kept results: what a study found, in a file beside it, by size.

A verdict tells ours apart from the paper's; kept results hold us to ourselves. They are what ``tulle run --check`` asks
for, and what tables of the documentation are made of without running anything. Each case has the digest of its runs: as
long as a study runs the same there, what is kept of it holds, whatever becomes of its other cases and of its claims.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, ValidationError

from tulle import __version__
from tulle._internal.reading import read_text
from tulle._internal.writing.atomic import replacing
from tulle.errors import StudyError
from tulle.study.engine.model import first_problem, shown
from tulle.study.report.results import printed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tulle.study.engine.model import Size, StudyFile, Value
    from tulle.study.engine.plan import Plan
    from tulle.study.runner import Finished

# Of a figure; runs are the same to the bit, sums of other versions of libraries need not be.
_PRECISION = 1e-6


At = tuple[str, tuple[tuple[str, str], ...]]
"""A case, and the point of the grid in words."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class KeptCase(_Table):
    """A case at a point of the grid."""

    case: str
    point: dict[str, str] = {}
    seeds: tuple[int, ...]
    digest: str
    """Of its runs, as `digests` has it."""
    date: str
    """The day of its runs."""
    processor_seconds: float | None = None
    """None where runs were measured several at a time."""
    figures: dict[str, tuple[float | None, float | None]]
    """By figure the mean over seeds, and half of its 95% interval."""
    agrees: dict[str, bool] = {}
    """The verdict by figure that is judged."""

    @property
    def at(self) -> At:
        """Where in the study it is."""
        return self.case, tuple(self.point.items())


class KeptComparison(_Table):
    """A figure of a case over another's."""

    case: str
    over: str
    point: dict[str, str] = {}
    figure: str
    ratio: float | None
    half95: float | None
    agrees: bool


class KeptSize(_Table):
    """Results of one size."""

    tulle: str
    results: tuple[KeptCase, ...]
    comparisons: tuple[KeptComparison, ...] = ()

    @property
    def verdicts(self) -> list[bool]:
        """Whether each figure that is judged agrees: of references, then of comparisons."""
        judged = [agrees for case in self.results for agrees in case.agrees.values()]
        return judged + [pair.agrees for pair in self.comparisons]


class Kept(_Table):
    """What is kept of a study."""

    study: str
    small: KeptSize | None = None
    paper: KeptSize | None = None

    def of(self, size: Size) -> KeptSize | None:
        """The results of a size, where there are any."""
        return self.small if size == "small" else self.paper


def place(study: StudyFile) -> Path:
    """Where the kept results of a study are: beside it."""
    return study.path.with_suffix(".json")


def place_of(case: str, point: Mapping[str, Value]) -> At:
    """A case at a point of the grid, as results are kept by it."""
    return case, tuple(point_words(point).items())


def digests(plan: Plan) -> dict[At, str]:
    """Per case and point 16 hexadecimal digits of the hash of its runs: parameters, seeds, files, the version of tulle.

    Not of the versions of libraries: figures are held to, whatever computed them.
    """
    runs: dict[At, list[dict[str, Any]]] = {}
    for run in plan.runs:
        told = {name: value for name, value in run.configuration.items() if name != "libraries"}
        runs.setdefault(place_of(run.case, run.point), []).append(told)
    return {at: _digest(of) for at, of in runs.items()}


def _digest(runs: list[dict[str, Any]]) -> str:
    return hashlib.sha256(json.dumps(runs, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]


def load_kept(study: StudyFile) -> Kept | None:
    """What is kept of a study; None where nothing is.

    Raises
    ------
    tulle.StudyError
        For a file that is not one of kept results of this study.
    """
    path = place(study)
    if not path.exists():
        return None
    try:
        kept = Kept.model_validate(json.loads(read_text(path)))
    except ValueError as error:
        problem = first_problem(error, Kept) if isinstance(error, ValidationError) else str(error)
        raise StudyError(f"{path}: not kept results: {problem}") from None
    if kept.study != study.name:
        raise StudyError(f"{path}: results of study '{kept.study}'; legal: '{study.name}'")
    return kept


def keep(done: Finished, size: Size, whole: Plan) -> Path:
    """Writes what a study has found beside it, in place of what was kept of that size.

    The runs of `whole` that `incremental.rest` names must have finished. Other figures stay as they are kept, and are
    judged anew.

    Raises
    ------
    tulle.FileError
        If the system refuses.
    tulle.StudyError
        For a file in that place that is something else.
    """
    from tulle.study.report.incremental import joined

    study = done.plan.study
    before = load_kept(study) or Kept(study=study.name)
    kept = before.model_copy(update={size: joined(whole, _found(done), before.of(size))})
    with replacing(place(study)) as file:
        content = kept.model_dump(mode="json", exclude_none=False)
        file.write((_text({name: value for name, value in content.items() if value is not None}) + "\n").encode())
    return place(study)


def _found(done: Finished) -> KeptSize:
    plan, seconds, digest = done.plan, _seconds(done), digests(done.plan)
    keys = [figure.key for figure in printed(plan, done.results)]
    today = datetime.now(timezone.utc).date().isoformat()
    cases = []
    for result in done.results:
        at = place_of(result.case, result.point)
        pairs_of = [pair for pair in plan.study.comparison if result.case in (pair.case, pair.over)]
        compared = [key for pair in pairs_of for key in pair.figures]
        wanted = dict.fromkeys([*keys, *result.reference, *result.verdicts, *compared])
        took = seconds.get(at)
        cases.append(
            KeptCase(
                case=result.case,
                point=dict(at[1]),
                seeds=result.seeds,
                digest=digest[at],
                date=today,
                processor_seconds=None if took is None else float(f"{took:.3g}"),
                figures={key: (_short(result.figures[key].mean), _short(result.figures[key].half95)) for key in wanted},
                agrees={key: verdict.agrees for key, verdict in result.verdicts.items()},
            )
        )
    pairs = tuple(
        KeptComparison(
            case=pair.case,
            over=pair.over,
            point=point_words(pair.point),
            figure=pair.figure,
            ratio=_short(pair.ratio),
            half95=_short(pair.half95),
            agrees=pair.verdict.agrees,
        )
        for pair in done.comparisons
    )
    return KeptSize(tulle=__version__, results=tuple(cases), comparisons=pairs)


def point_words(point: Mapping[str, Value]) -> dict[str, str]:
    """A point of the grid as it is kept."""
    return {name: shown(value) for name, value in point.items()}


def _short(value: float | None) -> float | None:
    """A figure in as many digits as are held to, and some."""
    return None if value is None else float(f"{value:.9g}")


def _seconds(done: Finished) -> dict[At, float]:
    """Processor seconds by case and point, of those of whose runs they are all known."""
    found: dict[At, float] = {}
    missing = set()
    for run in done.plan.runs:
        at = place_of(run.case, run.point)
        if run.id not in done.processor_seconds:
            missing.add(at)
        else:
            found[at] = found.get(at, 0.0) + done.processor_seconds[run.id]
    return {at: seconds for at, seconds in found.items() if at not in missing}


def unexpected(done: Finished, kept: KeptSize) -> Iterator[str]:
    """How a study that has run differs from what was kept of it, a line each."""
    if {case.at: case.digest for case in kept.results} != digests(done.plan):
        yield "the study runs something else than what was kept; --record keeps it anew"
        return
    by_place = {place_of(result.case, result.point): result for result in done.results}
    for case in kept.results:
        result = by_place[case.at]
        where = ", ".join([case.case, *(f"{name} {value}" for name, value in case.point.items())])
        for key, (mean, _) in case.figures.items():
            ours = result.figures[key].mean
            if not _same(ours, mean):
                yield f"{where}: {key} is {ours}, expected {mean}"
        for key, verdict in result.verdicts.items():
            if case.agrees.get(key) is not verdict.agrees:
                yield f"{where}: {key} {verdict}, expected otherwise; --record keeps a new verdict"
    if len(kept.comparisons) != len(done.comparisons):
        yield f"{len(done.comparisons)} comparisons, expected {len(kept.comparisons)}; --record keeps them anew"
        return
    for theirs, pair in zip(kept.comparisons, done.comparisons, strict=True):
        found = (pair.case, pair.over, pair.figure, pair.verdict.agrees)
        if (theirs.case, theirs.over, theirs.figure, theirs.agrees) != found:
            words = ", ".join([f"{pair.case} / {pair.over}", *point_words(pair.point).values()])
            yield f"{words}: {pair.figure} {pair.verdict}, expected otherwise; --record keeps a new verdict"


def _same(ours: float | None, theirs: float | None) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return abs(ours - theirs) <= _PRECISION * max(abs(ours), abs(theirs))


def _text(value: object, depth: int = 0) -> str:
    """JSON with a line per case and per comparison, so that changes of files are read line by line."""
    if depth < 2 and isinstance(value, dict):
        lines = (f"{' ' * depth}{json.dumps(name)}: {_text(inner, depth + 1)}" for name, inner in value.items())
        return "{\n" + ",\n".join(lines) + "\n" + " " * max(depth - 1, 0) + "}"
    if depth == 2 and isinstance(value, list):
        return "[\n" + ",\n".join(f"  {_text(inner, depth + 1)}" for inner in value) + "\n ]" if value else "[]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
