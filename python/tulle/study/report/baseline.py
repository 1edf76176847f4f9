"""Recorded results (the baseline): earlier results of a study, by size, in a file in the study's folder.

A verdict compares a result with the paper's result. ``tulle run --check`` compares a result with the recorded result,
which is tulle's earlier result. Tables of the documentation are made from recorded results, without running anything.
Each case has a digest of its runs. The recorded results of a case stay valid while its runs are unchanged, even if
other cases or claims change.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from tulle._internal.reading import read_text
from tulle.errors import StudyError
from tulle.study.engine.model import shown
from tulle.study.engine.problems import first_problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from tulle.study.engine.model import Size, StudyFile, Value
    from tulle.study.engine.plan import Plan
    from tulle.study.report.results import Result
    from tulle.study.runner import Finished

TOLERANCE = 1e-6
"""Relative tolerance for comparing a result with a recorded one. Runs are reproducible bit by bit, but sums can vary
with library versions."""
# `TOLERANCE` covers seven significant digits. One more digit keeps rounding errors far below the tolerance.
_DIGITS = 8
# Significant digits of half an interval. Intervals are not compared, and no page of the documentation needs more.
_DIGITS_OF_HALVES = 4
# Hexadecimal digits of a digest. Digests do not compress, and the wheel contains the recorded results of all studies.
_DIGITS_OF_DIGESTS = 9


At = tuple[str, tuple[tuple[str, str], ...]]
"""A key for recorded results: a case, and the grid point as text."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BaselineCase(_Table):
    """A case at a point of the grid."""

    case: str
    point: dict[str, str] = {}
    seeds: tuple[int, ...]
    digest: Annotated[str, AfterValidator(lambda digest: digest[:_DIGITS_OF_DIGESTS])]
    """The digest of the case's runs, as `digests` returns it. Earlier versions recorded more digits."""
    date: str
    """The day on which the results were recorded (UTC)."""
    processor_seconds: float | None = None
    """Processor seconds of the case's runs; None if one of them shared a process with other runs."""
    figures: dict[str, tuple[float | None, float | None]]
    """Mean over seeds, and half the width of its 95% interval, by name of the result."""
    agrees: dict[str, bool] = {}
    """Verdict by metric: whether the result agrees with the reference."""

    @property
    def at(self) -> At:
        """The case and the grid point."""
        return self.case, tuple(self.point.items())


class BaselineComparison(_Table):
    """The recorded ratio of a result between two cases."""

    case: str
    over: str
    point: dict[str, str] = {}
    figure: str
    ratio: float | None
    half95: float | None
    agrees: bool


class BaselineSize(_Table):
    """Results of one size."""

    tulle: str
    results: tuple[BaselineCase, ...]
    comparisons: tuple[BaselineComparison, ...] = ()

    @property
    def verdicts(self) -> list[bool]:
        """Return whether each judged metric agrees: first those of references, then those of comparisons."""
        judged = [agrees for case in self.results for agrees in case.agrees.values()]
        return judged + [pair.agrees for pair in self.comparisons]


class Baseline(_Table):
    """The recorded results of a study, by size."""

    study: str
    small: BaselineSize | None = None
    paper: BaselineSize | None = None

    def of(self, size: Size) -> BaselineSize | None:
        """Return the results of a size, or None."""
        return self.small if size == "small" else self.paper


def place(study: StudyFile) -> Path:
    """Return the path of a study's recorded results, beside the study."""
    return study.path.with_suffix(".json")


def place_of(case: str, point: Mapping[str, Value]) -> At:
    """Return the name under which results of a case at a grid point are recorded."""
    return case, tuple(point_words(point).items())


def digests(plan: Plan) -> dict[At, str]:
    """Return, for each case and grid point, the first nine hexadecimal digits of a hash of its runs.

    The hash covers parameters, seeds, input files and the version of tulle. Versions of libraries are left out, because
    recorded results must be valid with every version.
    """
    runs: dict[At, list[dict[str, Any]]] = {}
    for run in plan.runs:
        hashed = {name: value for name, value in run.configuration.items() if name != "libraries"}
        runs.setdefault(place_of(run.case, run.point), []).append(hashed)
    return {at: _digest(of) for at, of in runs.items()}


def _digest(runs: list[dict[str, Any]]) -> str:
    whole = hashlib.sha256(json.dumps(runs, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    return whole[:_DIGITS_OF_DIGESTS]


def load_baseline(study: StudyFile) -> Baseline | None:
    """Return the recorded results of a study; None if there are none.

    Raises
    ------
    tulle.StudyError
        If the file does not contain recorded results of this study.
    """
    path = place(study)
    if not path.exists():
        return None
    try:
        kept = Baseline.model_validate(json.loads(read_text(path)))
        for size in (kept.small, kept.paper):
            _check_comparisons(size)
    except ValueError as error:
        problem = first_problem(error, Baseline) if isinstance(error, ValidationError) else str(error)
        raise StudyError(
            f"{path}: not recorded results: {problem}; --record writes results to this file: rename it, or the study"
        ) from None
    if kept.study != study.name:
        raise StudyError(f"{path}: results of study '{kept.study}'; legal: '{study.name}'")
    return kept


def _check_comparisons(size: BaselineSize | None) -> None:
    """Check that both results of every comparison are recorded. Raises ValueError."""
    there = set() if size is None else {case.at for case in size.results}
    for pair in () if size is None else size.comparisons:
        for case in (pair.case, pair.over):
            if (case, tuple(pair.point.items())) not in there:
                raise ValueError(f"the comparison of '{pair.case}' with '{pair.over}' lacks results of '{case}'")


def point_words(point: Mapping[str, Value]) -> dict[str, str]:
    """Return a grid point in the form in which it is recorded."""
    return {name: shown(value) for name, value in point.items()}


def rounded_for_baseline(mean: float | None, half95: float | None) -> tuple[float | None, float | None]:
    """Round a mean or ratio, and half the width of its 95% interval, to the digits that are recorded.

    Means have one digit more than the tolerance with which `unexpected` compares them. Intervals are not compared.
    """
    return _rounded(mean, _DIGITS), _rounded(half95, _DIGITS_OF_HALVES)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else float(f"{value:.{digits}g}")


def unexpected(done: Finished, kept: BaselineSize) -> Iterator[str]:
    """Return the differences between a finished study and its recorded results, a line each."""
    if {case.at: case.digest for case in kept.results} != digests(done.plan):
        yield f"{_changed(done, kept)}; --record writes new results"
        return
    by_place = {place_of(result.case, result.point): result for result in done.results}
    for case in kept.results:
        yield from _differences(by_place[case.at], case)
    if len(kept.comparisons) != len(done.comparisons):
        numbers = f"{len(done.comparisons)} comparisons, expected {len(kept.comparisons)}"
        yield f"the study has {numbers}; --record writes the new results"
        return
    for theirs, pair in zip(kept.comparisons, done.comparisons, strict=True):
        found = (pair.case, pair.over, pair.figure, pair.verdict.agrees)
        if (theirs.case, theirs.over, theirs.figure, theirs.agrees) != found:
            words = place_words(f"{pair.case} / {pair.over}", pair.point)
            yield f"{words}: {pair.figure} {pair.verdict}, unlike the recorded verdict; --record writes the new one"


def kept_cases(kept: Baseline) -> dict[At, BaselineCase]:
    """Return the recorded results of all cases, of the largest size that has them."""
    return {case.at: case for size in (kept.small, kept.paper) if size is not None for case in size.results}


def unexpected_cases(done: Finished, kept: Baseline) -> Iterator[str]:
    """Return the differences between some cases of a study and their recorded results, a line each."""
    there, found = kept_cases(kept), digests(done.plan)
    for result in done.results:
        at = place_of(result.case, result.point)
        case = there.get(at)
        if case is None:
            yield f"{_words(*at)}: no results are recorded; --record writes them"
        elif case.digest != found[at]:
            yield f"{_words(*at)}: its runs differ from those of the recorded results; --record writes new results"
        else:
            yield from _differences(result, case)


def recorded_metrics(done: Finished, kept: Iterable[BaselineCase]) -> int:
    """Return how many metrics of a finished study have recorded results."""
    metrics = {case.at: len(case.figures) for case in kept}
    return sum(metrics.get(place_of(result.case, result.point), 0) for result in done.results)


def place_words(case: str, point: Mapping[str, Value]) -> str:
    """Return a case, or a pair of cases, and a grid point in words."""
    return _words(*place_of(case, point))


def _words(case: str, point: tuple[tuple[str, str], ...]) -> str:
    return ", ".join([case, *(f"{name} {value}" for name, value in point)])


def _changed(done: Finished, kept: BaselineSize) -> str:
    """Return a message: how many rows have runs that differ from those of the recorded results, and one such row."""
    before, now = {case.at: case.digest for case in kept.results}, digests(done.plan)
    places = [at for at in dict.fromkeys([*now, *before]) if before.get(at) != now.get(at)]
    rows, such = ("1 row", "") if len(places) == 1 else (f"{len(places)} rows", "for example ")
    return f"the runs of {rows} differ from those of the recorded results ({such}{_words(*places[0])})"


def _differences(result: Result, case: BaselineCase) -> Iterator[str]:
    where = _words(*case.at)
    for key, (mean, _) in case.figures.items():
        ours = result.figures[key].mean
        if not same_figure(ours, mean):
            yield f"{where}: {key} is {ours}, expected {mean}"
    for key, verdict in result.verdicts.items():
        if case.agrees.get(key) is not verdict.agrees:
            yield f"{where}: {key} {verdict}, unlike the recorded verdict; --record writes the new one"


def same_figure(ours: float | None, theirs: float | None) -> bool:
    """Whether a result equals the recorded result within `TOLERANCE`."""
    if ours is None or theirs is None:
        return ours is theirs
    return abs(ours - theirs) <= TOLERANCE * max(abs(ours), abs(theirs))
