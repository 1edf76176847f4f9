"""The measurement `analyze`: a metric of a fabric, as in ``tulle analyze``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import create_model

from tulle import _tulle
from tulle.analysis.metrics import metric
from tulle.columns import Columns
from tulle.errors import InputError, SpecError
from tulle.fabric import build_with_failures
from tulle.study.measurements.parameters import OnFabric, Spec
from tulle.study.measurements.registry import Advance, Listed, Measurement, Rows

if TYPE_CHECKING:
    from tulle.analysis.metrics.model import MetricGroup
    from tulle.study.engine.model import StudyFile


class Analyze(OnFabric):
    """The arguments of ``tulle analyze``.

    Parameters of the metric can be keys of the study, or part of the metric's spec.
    """

    metric: Annotated[str, Spec("metrics", alone=False)]
    """the metric, one per study; the parameters of the metric may be separate keys of the study"""

    def spec(self, found: MetricGroup) -> str:
        """Return the metric's spec, including parameters that the study gives as separate keys."""
        name, arguments = _tulle.split_spec(self.metric)
        given = dict(arguments)
        for parameter in found.entry["parameters"]:
            value = getattr(self, parameter["name"])
            if value is None:
                continue
            if parameter["name"] in given:
                raise SpecError(f"{parameter['name']}={value}, and also in metric={self.metric}; legal: one of them")
            arguments.append((parameter["name"], str(value)))
        return _tulle.join_spec(name, arguments)


LISTED = Listed(
    name="analyze",
    example={"fabric": "slimfly:q=3", "metric": "distances"},
    summary="a metric of a fabric, as in tulle analyze",
    paper="FatPaths §IV",
    parameters=Analyze,
    note="The results depend on the metric.",
)


def measurement(study: StudyFile) -> Measurement[Analyze]:
    """Return the measurement of the study's metric.

    Raises
    ------
    tulle.InputError
        If the study names no metric, or several different ones.
    tulle.SpecError
        For an unknown metric.
    """
    tables = [study.common, *(case.parameters for case in study.case)]
    specs = [table["metric"] for table in tables if "metric" in table] + study.axes.get("metric", [])
    names = {_tulle.spec_name(str(spec)): str(spec) for spec in specs}
    if len(names) != 1:
        found = f"the metrics {' and '.join(names)}" if names else "no metric"
        raise InputError(f"measurement 'analyze' has {found}; legal: one, as metric = \"distances\"")
    return _of(*names)


# Without the cache, pydantic would create the class again for each check of a claim, which takes milliseconds.
@cache
def _of(name: str) -> Measurement[Analyze]:
    found = metric(name)
    own: dict[str, Any] = {parameter["name"]: (int | str | None, None) for parameter in found.entry["parameters"]}
    model = create_model("Analyze", __base__=Analyze, **own)

    def resolve(parameters: Analyze) -> Analyze:
        resolved = {**parameters.canonical_specs(), **dict.fromkeys(own)}
        resolved["metric"] = found.parse(parameters.spec(found))[0]
        return parameters.model_copy(update=resolved)

    def inputs(parameters: Analyze) -> list[Path]:
        return [Path(path) for path in _tulle.input_files(parameters.fabric)]

    def measure(parameters: Analyze, seed: int, advance: Advance) -> Rows:
        fabric = build_with_failures(parameters.fabric, seed, parameters.fail, parameters.links)
        advance(0.0)
        finding = found.parse(parameters.spec(found))[1](fabric, seed)
        figures = {metric.key: finding.values[metric.key] for metric in found.metrics}
        alone = {key: np.array([np.nan if value is None else value]) for key, value in figures.items()}
        return Rows(Columns(alone) if finding.rows is None else finding.rows, figures, {})

    return Measurement(
        name=LISTED.name,
        example=LISTED.example,
        summary=LISTED.summary,
        paper=found.entry["paper"],
        parameters=model,
        resolve=resolve,
        inputs=inputs,
        measure=measure,
        figures=found.metrics,
        note=found.entry["summary"][:1].upper() + found.entry["summary"][1:] + ".",
        rows_file=f"{name}.csv",
        distributions=found.distributions,
        plots=tuple(distribution.key for distribution in found.distributions),
    )
