"""Metrics and distributions that analyses and measurements of studies report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tulle.columns import Columns


@dataclass(frozen=True)
class Metric:
    """A number that every run reports; its mean over seeds is printed and kept."""

    key: str
    title: str
    usually_zero: bool = False
    """Whether the printed table leaves it out if it is 0 or missing in every row."""
    on_request: bool = False
    """Whether it is printed only if a study names it."""


@dataclass(frozen=True)
class Distribution:
    """A quantity of the rows whose distribution over all seeds can be plotted."""

    key: str
    """The name of the plot's files."""
    title: str
    sample: Callable[[Columns], tuple[NDArray[Any], NDArray[Any]]]
    """Return the values and their counts."""
    logarithmic: bool = False
    """Whether values span decades."""
