"""Numbers that a measurement finds, as metrics and studies name them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tulle.columns import Columns


@dataclass(frozen=True)
class Figure:
    """A number that every run has; printed and kept as its mean over seeds."""

    key: str
    title: str
    usually_zero: bool = False
    """Left out of the printed table where it is 0 or missing in every row."""
    on_request: bool = False
    """Printed only where a study names it."""


@dataclass(frozen=True)
class Distribution:
    """Something of the table whose distribution over all seeds can be plotted."""

    key: str
    """The name of the plot's files."""
    title: str
    sample: Callable[[Columns], tuple[NDArray[Any], NDArray[Any]]]
    """Values and how often each is there."""
    logarithmic: bool = False
    """Whether values span decades."""
