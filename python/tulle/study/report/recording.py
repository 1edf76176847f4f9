"""Write recorded results next to their study file: new results, and earlier results that are still valid."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from tulle import __version__
from tulle._internal.writing.atomic import replacing
from tulle.study.report.baseline import (
    Baseline,
    BaselineCase,
    BaselineComparison,
    BaselineSize,
    digests,
    load_baseline,
    place,
    place_of,
    point_words,
    rounded_for_baseline,
)
from tulle.study.report.incremental import merged
from tulle.study.report.results import printed

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.study.engine.model import Size
    from tulle.study.engine.plan import Plan
    from tulle.study.report.baseline import At
    from tulle.study.runner import Finished


def write_baseline(done: Finished, size: Size, whole: Plan) -> Path:
    """Write the results of a study next to its file; they replace the recorded results of the same size.

    The runs of `whole` that `incremental.missing_cases` returns must have finished. Other recorded results do not
    change, except that they get new verdicts.

    Raises
    ------
    tulle.FileError
        If the operating system refuses to write the file.
    tulle.StudyError
        If the file exists, but does not have recorded results of this study.
    """
    study = done.plan.study
    before = load_baseline(study) or Baseline(study=study.name)
    kept = before.model_copy(update={size: merged(whole, _found(done), before.of(size))})
    with replacing(place(study)) as file:
        content = kept.model_dump(mode="json", exclude_none=False)
        file.write((_text({name: value for name, value in content.items() if value is not None}) + "\n").encode())
    return place(study)


def _found(done: Finished) -> BaselineSize:
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
            BaselineCase(
                case=result.case,
                point=dict(at[1]),
                seeds=result.seeds,
                digest=digest[at],
                date=today,
                processor_seconds=None if took is None else float(f"{took:.3g}"),
                figures={
                    key: rounded_for_baseline(result.figures[key].mean, result.figures[key].half95) for key in wanted
                },
                agrees={key: verdict.agrees for key, verdict in result.verdicts.items()},
            )
        )
    pairs = []
    for pair in done.comparisons:
        ratio, half95 = rounded_for_baseline(pair.ratio, pair.half95)
        pairs.append(
            BaselineComparison(
                case=pair.case,
                over=pair.over,
                point=point_words(pair.point),
                figure=pair.figure,
                ratio=ratio,
                half95=half95,
                agrees=pair.verdict.agrees,
            )
        )
    return BaselineSize(tulle=__version__, results=tuple(cases), comparisons=tuple(pairs))


def _seconds(done: Finished) -> dict[At, float]:
    """Return processor seconds by case and grid point, if those of all its runs are known."""
    found: dict[At, float] = {}
    missing = set()
    for run in done.plan.runs:
        at = place_of(run.case, run.point)
        if run.id not in done.processor_seconds:
            missing.add(at)
        else:
            found[at] = found.get(at, 0.0) + done.processor_seconds[run.id]
    return {at: seconds for at, seconds in found.items() if at not in missing}


def _text(value: object, depth: int = 0) -> str:
    """Write JSON with a line per case and per comparison, so that a diff shows changed cases."""
    if depth < 2 and isinstance(value, dict):
        lines = (f"{' ' * depth}{json.dumps(name)}: {_text(inner, depth + 1)}" for name, inner in value.items())
        return "{\n" + ",\n".join(lines) + "\n" + " " * max(depth - 1, 0) + "}"
    if depth == 2 and isinstance(value, list):
        return "[\n" + ",\n".join(f"  {_text(inner, depth + 1)}" for inner in value) + "\n ]" if value else "[]"
    # The wheel contains the recorded results of all studies, so lines have no blanks.
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
