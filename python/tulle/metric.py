"""Descriptions of the metrics and distributions that analyses and measurements of studies report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from tulle.columns import Columns


@dataclass(frozen=True)
class Metric:
    """A number that every run reports. Its mean over the seeds is printed and saved."""

    key: str
    title: str
    usually_zero: bool = False
    """Whether the printed table omits this metric if it is 0 or missing in every row."""
    on_request: bool = False
    """Whether this metric is printed only if a study names it."""
    unit: str = ""
    """The unit on axes of plots, if the title does not have it."""


@dataclass(frozen=True)
class Distribution:
    """A quantity that every result row has. A study can plot its distribution over all seeds."""

    key: str
    """The name of the plot files of this distribution, without suffix."""
    title: str
    sample: Callable[[Columns], tuple[NDArray[Any], NDArray[Any]]]
    """A function that returns the values and the count of each value."""
    logarithmic: bool = False
    """Whether the plot has a logarithmic axis, because the values span several orders of magnitude."""


@dataclass(frozen=True)
class Curves:
    """A plot of metrics over a grid parameter, a panel per metric.

    By default, studies draw it if their grid has several numbers for this parameter.
    """

    key: str
    """The name of the plot files of these curves, without suffix."""
    over: str
    """The grid parameter on the x axis; its values are numbers."""
    title: str
    """The label of the x axis."""
    panels: Mapping[str, str]
    """The label of the y axis of each panel, by the key of its metric."""
    logarithmic: tuple[str, ...] = ()
    """Metrics with a logarithmic axis, because their values span several orders of magnitude."""
    beyond: str | None = None
    """The key of a metric. Markers are hollow at points where this metric is not 0, for example beyond saturation."""
