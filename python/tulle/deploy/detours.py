"""Compare the lengths of paths before and after a repair."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.html_summary import shown
from tulle._internal.text import counted, verb
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Detours", "check_hops", "detours"]


@shown
class Detours(NamedTuple):
    """Paths that a repair makes longer than the bundle's longest path of the same layer."""

    longer: int
    """The number of these paths."""
    before: int
    """Hops of the longest path of the bundle."""
    now: int
    """Hops of the longest path after the repair."""

    def __str__(self) -> str:
        paths = f"{counted(self.longer, 'path')} {verb(self.longer, 'has', 'have')}"
        longest = f"still has {self.now}" if self.now == self.before else f"has {self.now} instead of {self.before}"
        return (
            f"{paths} more hops than the longest path of the same layer before the repair; the longest path of all "
            f"layers {longest} hops"
        )


def detours(before: Sequence[NDArray[np.integer]], now: Sequence[NDArray[np.integer]]) -> Detours:
    """Compare path lengths. Each argument has an array per layer: entry h is the number of paths with h hops."""
    longer = sum(int(new[len(old) :].sum()) for old, new in zip(before, now, strict=True))
    return Detours(longer, *(max(len(counts) - 1 for counts in layers) for layers in (before, now)))


def check_hops(found: Detours, most: int | None) -> None:
    """Check that no path after a repair has more hops than allowed.

    Raises
    ------
    tulle.InputError
        For longer paths; None allows any length.
    """
    if most is not None and found.now > most:
        raise InputError(
            f"--max-hops {most}: the repair has paths of up to {found.now} hops, the bundle of up to {found.before}; "
            f"legal: {found.now} or more, or a new bundle"
        )
