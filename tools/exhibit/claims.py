"""Compare the claims of a paper with the stored results of studies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from exhibit.words import number, section, spread, where
from tulle.study.engine.model import holds_at
from tulle.study.engine.plan import points
from tulle.study.measurements.registry import measurement
from tulle.study.report.baseline import point_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tulle.study.engine.model import Comparison, Reference, StudyFile
    from tulle.study.report.baseline import BaselineCase, BaselineComparison, BaselineSize


@dataclass(frozen=True)
class Claim:
    """A metric whose value is compared with a paper's claim or with a requirement of this project."""

    source: str
    """The paper's section or figure that makes the claim, and the claim in words."""
    where: str
    """Name of the study's case, or of two compared cases, and the grid point."""
    figure: str
    wanted: str
    ours: str
    agrees: bool
    why: str
    of_paper: bool
    """Whether the paper makes the claim; otherwise the claim is a requirement of this project."""


def claims(study: StudyFile, kept: BaselineSize) -> Iterator[Claim]:
    """Yield the claims that a study checks at one size; `study` and `kept` are of this size.

    Raises
    ------
    ValueError
        If the stored claims differ from the claims in the study file.
    """
    titles = {figure.key: figure.title for figure in measurement(study).figures}
    for case in kept.results:
        yield from _of_case(study, case, titles)
    kept_pairs = iter(kept.comparisons)
    for given in study.comparison:
        for point in points(study):
            if holds_at(given.point, point):
                for key in given.figures:
                    pair = next(kept_pairs, None)
                    if pair is None or (pair.case, pair.over, pair.figure) != (given.case, given.over, key):
                        raise ValueError(
                            f"{study.path}: stored comparisons differ from the study; legal: run it with --record"
                        )
                    yield _of_pair(study, given, pair, titles[key])


def _of_case(study: StudyFile, case: BaselineCase, titles: Mapping[str, str]) -> Iterator[Claim]:
    given = reference(study, case)
    for key, agrees in case.agrees.items():
        if given is None or not (key in given.tolerance or key in given.least or key in given.most):
            raise ValueError(
                f"{study.path}: {case.case}: stored references differ from the study; legal: run it with --record"
            )
        yield Claim(
            section(given.source),
            where(case.case, case.point, study.words),
            titles[key],
            wanted(given, key),
            spread(*case.figures[key]),
            agrees,
            given.why,
            not _is_ours(given.source),
        )


def _of_pair(study: StudyFile, given: Comparison, pair: BaselineComparison, title: str) -> Claim:
    return Claim(
        section(given.source),
        where(f"{pair.case} / {pair.over}", pair.point, study.words),
        title,
        wanted(given, pair.figure),
        f"{spread(pair.ratio, pair.half95)} times",
        pair.agrees,
        given.why,
        not _is_ours(given.source),
    )


def _is_ours(source: str) -> bool:
    return source.startswith(("ours", "our goal", "prototype"))


def reference(study: StudyFile, case: BaselineCase) -> Reference | None:
    """Return the paper's values for a recorded case; None if the study has none."""
    return study.reference_at(case.case, next(point for point in points(study) if point_words(point) == case.point))


def wanted(given: Reference | Comparison, key: str) -> str:
    """Format the wanted value: the paper's value with its tolerance, or bounds of the value (comparisons: ratio)."""
    if key in getattr(given, "tolerance", {}):
        paper, tolerance = given.paper[key], given.tolerance[key]  # type: ignore[union-attr]
        return f"{number(paper)} ± {number(tolerance)}" if tolerance else number(paper)
    low, high = given.least.get(key), given.most.get(key)
    bounds = [f"≥ {number(low)}"] if low is not None else []
    bounds += [f"≤ {number(high)}"] if high is not None else []
    if low is not None and high is not None:
        bounds = [f"{number(low)} to {number(high)}"]
    if key in getattr(given, "apart", []):
        bounds.append("intervals apart")
    return ", ".join(bounds)
