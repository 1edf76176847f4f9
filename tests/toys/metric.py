"""The metric `toy`: the number of switches of a fabric, times a given factor."""

from __future__ import annotations

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.declarations import Declaration, integer
from tulle.metric import Metric

METRIC = MetricGroup(
    Declaration(
        name="toy",
        summary="switches, several times over",
        parameters=[integer("times", 1, 9, 2, "how often they are counted")],
        paper="none",
        limitations="For tests.",
        examples=["toy:times=3"],
    ),
    (Metric("switches", "switches"),),
    lambda fabric, _, times: Finding({"switches": times * fabric.num_switches}),
)
