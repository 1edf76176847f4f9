"""A plug-in in Python takes one file and one line, too: a metric and a measurement, as short as can be."""

from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

import tulle
from tulle.analysis import metrics
from tulle.study.measurements import registry as measurement

if TYPE_CHECKING:
    from tulle.study.engine.model import StudyFile

METRIC = """
    from tulle.metric import Figure
    from tulle.analysis.metrics.model import Finding, Metric
    from tulle.declarations import integer
    from tulle.declarations import Declaration

    METRIC = Metric(
        Declaration(
            name="toy",
            summary="switches, some times over",
            parameters=[integer("times", 1, 9, 2, "how often")],
                paper="none",
            limitations="For tests.",
            examples=["toy:times=3"],
        ),
        (Figure("switches", "switches"),),
        lambda fabric, _, times: Finding({"switches": times * fabric.num_switches}),
    )
"""

MEASUREMENT = """
    import numpy as np
    from pydantic import Field

    from tulle.metric import Figure
    from tulle.columns import Columns
    from tulle.study.measurements.registry import Measurement, Rows
    from tulle.study.measurements.parameters import Parameters


    class Toy(Parameters):
        number: int = Field(default=2, description="a number")


    MEASUREMENT = Measurement(
        name="toy",
        summary="a number",
        paper="none",
        parameters=Toy,
        resolve=lambda parameters: parameters,
        inputs=lambda parameters: [],
        measure=lambda parameters, seed, advance: Rows(
            Columns({"seed": np.array([seed])}), {"number": parameters.number}, {}
        ),
        figures=(Figure("number", "number"),),
        note="",
        rows_file="seeds.csv",
    )
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose files can be imported."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_a_metric(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "toy_metric.py").write_text(dedent(METRIC), encoding="utf-8")
    monkeypatch.setitem(metrics._MODULES, "toy", "toy_metric")
    assert tulle.registered("metrics")[-1]["name"] == "toy"
    canonical, measure = metrics.metric("toy").parse("toy")
    assert canonical == "toy:times=2"
    assert measure(tulle.Fabric("clique:degree=3"), 0).figures == {"switches": 8}
    with pytest.raises(tulle.SpecError, match="times=10 is out of range; legal: 1 to 9"):
        metrics.metric("toy").parse("toy:times=10")


def test_a_measurement(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "toy_measurement.py").write_text(dedent(MEASUREMENT), encoding="utf-8")
    monkeypatch.setitem(measurement._MODULES, "toy", "toy_measurement")
    assert tulle.registered("measurements")[-1]["parameters"][0]["help"] == "a number"
    study = cast("StudyFile", SimpleNamespace(measurement="toy"))
    measured = measurement.measurement(study)
    rows = measured.measure(measured.parameters(number=7), 1, lambda _: None)
    assert rows.figures == {"number": 7}
