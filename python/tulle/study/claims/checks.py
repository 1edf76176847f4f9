"""Collect the checks of a study: values and ratios from its recorded results (the baseline), with a claim's bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle.errors import StudyError
from tulle.study.engine.model import Comparison, Reference, holds_at, shown
from tulle.study.engine.plan import points
from tulle.study.measurements.registry import measurement
from tulle.study.report.baseline import load_baseline, place_of, point_words
from tulle.study.report.results import title
from tulle.study.report.verdict import Spread, judge, judge_ratio

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tulle.study.claims.model import ClaimCheck
    from tulle.study.engine.model import Size, StudyFile, Value
    from tulle.study.report.baseline import At, BaselineCase, BaselineComparison, BaselineSize


@dataclass(frozen=True)
class Check:
    """A value from the recorded results, or the ratio of two such values, with its bounds."""

    study: str
    """The name of the study's file, without suffix."""
    case: str
    over: str
    """For a ratio: the case whose value is the divisor; otherwise empty."""
    point: str
    """The grid point in words."""
    figure: str
    title: str
    """The metric in words."""
    source: str
    why: str
    ours: float | None
    half95: float | None
    paper: float | None
    tolerance: float | None
    least: float | None
    most: float | None
    apart: bool
    """For a ratio: whether the 95% intervals of its two values must not overlap."""
    holds: bool
    in_bounds: bool
    """Whether the value is within its bounds; here, overlapping intervals do not matter."""
    is_large: bool
    """Whether a case or a grid value has the size ``paper``."""
    is_own: bool
    """Whether the check measures a scheme that only tulle has."""

    @property
    def cases(self) -> str:
        """The case, or both cases."""
        return f"{self.case} / {self.over}" if self.over else self.case

    @property
    def where(self) -> str:
        """The cases and the grid point."""
        return ", ".join(filter(None, [self.cases, self.point]))

    @property
    def is_printed(self) -> bool:
        """Whether the paper prints the value."""
        return self.paper is not None

    @property
    def text(self) -> str:
        """A description of the check.

        If the regular expression `counts` of a claim matches in this text, the check counts for the claim.
        """
        return f"{self.study}; {self.where}; {self.figure}; {self.source}"

    def holds_nearly(self, near: float) -> bool:
        """Whether the check holds, or at least points in the claimed direction.

        A ratio points in the claimed direction if it is within its bounds, even if the intervals overlap, or if
        it is on the same side of 1 as its bounds. Bounds that include 1 are on no side. A value points in the
        claimed direction if it misses its bound by at most the fraction `near` of the bound.
        """
        if self.holds:
            return True
        if self.ours is None:
            return False
        low, high = self._range
        if self.over:
            if self.in_bounds:
                return True
            return (low > 1 and self.ours > 1) or (high < 1 and self.ours < 1)
        return low - near * abs(low) <= self.ours <= high + near * abs(high)

    @property
    def _range(self) -> tuple[float, float]:
        low = float("-inf") if self.least is None else self.least
        high = float("inf") if self.most is None else self.most
        if self.tolerance is not None and self.paper is not None:
            low, high = max(low, self.paper - self.tolerance), min(high, self.paper + self.tolerance)
        return low, high


@dataclass(frozen=True)
class Kept:
    """A study, restricted to the largest size that has recorded results."""

    name: str
    """The name of the study's file, without suffix."""
    study: StudyFile
    """The study at this size."""
    size: Size
    results: BaselineSize


def largest(study: StudyFile) -> Kept | None:
    """Return a study at the largest size that has recorded results; None if it has none."""
    kept = load_baseline(study)
    name = study.path.stem
    if kept is None:
        return None
    if kept.paper is not None:
        return Kept(name, study, "paper", kept.paper)
    return None if kept.small is None else Kept(name, study.of_size("small"), "small", kept.small)


def checks(kept: Kept) -> Iterator[Check]:
    """Yield the checks of a study's references and comparisons, judged by its recorded results.

    Raises
    ------
    tulle.StudyError
        If the recorded results lack a checked value.
    """
    study, results = kept.study, kept.results
    at = {case.at: case for case in results.results}
    grid = {tuple(point_words(point).items()): point for point in points(study)}
    for case in results.results:
        given = study.reference_at(case.case, grid[tuple(case.point.items())])
        if given is not None:
            yield from _of_case(kept, case, given, grid[tuple(case.point.items())])
    pairs = {(pair.case, pair.over, tuple(pair.point.items()), pair.figure): pair for pair in results.comparisons}
    for compared in study.comparison:
        for point in points(study):
            if holds_at(compared.point, point):
                for key in compared.figures:
                    words = tuple(point_words(point).items())
                    pair = pairs.get((compared.case, compared.over, words, key))
                    yield _of_pair(kept, compared, at, pair, point, key)


def own_checks(kept: Kept, given: ClaimCheck, source: str) -> Iterator[Check]:
    """Yield the checks that an entry of a claims file declares: one per grid point to which the entry applies.

    Raises
    ------
    tulle.StudyError
        For an unknown case, metric or grid value, or if the recorded results lack the value.
    """
    study, found = kept.study, False
    at = {case.at: case for case in kept.results.results}
    if given.figure not in _titles(study):
        raise StudyError(f"unknown figure '{given.figure}'; legal: {', '.join(_titles(study))}")
    for name in given.point:
        if name not in study.grid:
            raise StudyError(f"unknown key '{name}'; legal: {', '.join(study.grid) or 'no parameter is in the grid'}")
    bounds = {name: {given.figure: value} for name in ("least", "most") if (value := getattr(given, name)) is not None}
    for point in points(study):
        if not holds_at(given.point, point):
            continue
        found = True
        if given.over:
            compared = Comparison.model_validate({"case": given.case, "over": given.over, "source": source, **bounds})
            yield _of_pair(kept, compared, at, None, point, given.figure)
            continue
        values = {
            name: {given.figure: value}
            for name in ("paper", "tolerance")
            if (value := getattr(given, name)) is not None
        }
        reference = Reference.model_validate({"case": given.case, "source": source, **bounds, **values})
        yield from _of_case(kept, _kept_case(kept, at, given.case, point, given.figure), reference, point)
    if not found:
        legal = "; ".join(f"{name} {', '.join(map(shown, study.axes[name]))}" for name in given.point)
        raise StudyError(f"no grid point has {title(given.point)}; legal: {legal}")


def _titles(study: StudyFile) -> dict[str, str]:
    return {figure.key: figure.title for figure in measurement(study).figures}


def _of_case(kept: Kept, case: BaselineCase, given: Reference, point: Mapping[str, Value]) -> Iterator[Check]:
    judged = [*given.tolerance, *given.least, *given.most]
    lacking = [key for key in judged if key not in case.figures]
    if lacking:
        missing = f"{kept.study.path}: {case.case}: no recorded '{lacking[0]}'"
        raise StudyError(f"{missing}; `tulle run --record --rest` adds it")
    values = {key: Spread(*case.figures[key][:1], None, None, case.figures[key][1]) for key in dict.fromkeys(judged)}
    for key, verdict in judge(given, values).items():
        yield Check(
            study=kept.name,
            case=case.case,
            over="",
            point=title(point, kept.study.words),
            figure=key,
            title=_titles(kept.study)[key],
            source=given.source,
            why=given.why,
            ours=values[key].mean,
            half95=values[key].half95,
            paper=given.paper.get(key),
            tolerance=given.tolerance.get(key),
            least=given.least.get(key),
            most=given.most.get(key),
            apart=False,
            holds=verdict.agrees,
            in_bounds=verdict.agrees,
            is_large=_is_large(kept.study, point, case.case),
            is_own=_is_own(kept.study, case.case),
        )


def _of_pair(
    kept: Kept,
    given: Comparison,
    at: Mapping[At, BaselineCase],
    pair: BaselineComparison | None,
    point: Mapping[str, Value],
    key: str,
) -> Check:
    one, other = (_kept_case(kept, at, case, point, key) for case in (given.case, given.over))
    ours, others = (Spread(case.figures[key][0], None, None, case.figures[key][1]) for case in (one, other))
    # Only a recorded ratio can have an interval, because an interval needs the values of every seed.
    ratio = ours.over(others) if pair is None else pair.ratio
    in_bounds = judge_ratio(given.model_copy(update={"apart": []}), key, ratio, apart=False).agrees
    return Check(
        study=kept.name,
        case=given.case,
        over=given.over,
        point=title(point, kept.study.words),
        figure=key,
        title=_titles(kept.study)[key],
        source=given.source,
        why=given.why,
        ours=ratio,
        half95=None if pair is None else pair.half95,
        paper=None,
        tolerance=None,
        least=given.least.get(key),
        most=given.most.get(key),
        apart=key in given.apart,
        holds=judge_ratio(given, key, ratio, apart=ours.apart_from(others)).agrees,
        in_bounds=in_bounds,
        is_large=_is_large(kept.study, point, given.case, given.over),
        is_own=_is_own(kept.study, given.case, given.over),
    )


def _kept_case(
    kept: Kept, at: Mapping[At, BaselineCase], case: str, point: Mapping[str, Value], key: str
) -> BaselineCase:
    found = at.get(place_of(case, point))
    if found is None:
        known = ", ".join(dict.fromkeys(name for name, _ in at))
        raise StudyError(f"{kept.study.path}: no recorded case '{case}'; legal: {known}")
    if key not in found.figures:
        raise StudyError(f"{kept.study.path}: {case}: no recorded '{key}'; legal: {', '.join(found.figures)}")
    return found


def _is_large(study: StudyFile, point: Mapping[str, Value], *cases: str) -> bool:
    sizes = {case.name: case.size for case in study.case}
    large = {name: {shown(value) for value in values} for name, values in study.paper.items()}
    at_large = any(shown(value) in large.get(name, ()) for name, value in point.items())
    return at_large or any(sizes[case] == "paper" for case in cases)


def _is_own(study: StudyFile, *cases: str) -> bool:
    """Whether one of the cases uses a routing or a selector that only tulle has."""
    given = {case.name: {**study.common, **case.parameters} for case in study.case}
    for case in cases:
        routing, selector = (str(given[case].get(name, "")) for name in ("routing", "selector"))
        if routing.startswith("spread") or selector.partition(":")[0] == "recycle":
            return True
    return False
