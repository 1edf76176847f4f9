"""State the numbers of missing switches and cables in the same words in all commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted, verb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.fabric import Fabric

__all__ = ["cables_of", "missing_parts"]


def cables_of(fabric: Fabric, switches: Sequence[int]) -> int:
    """Return the number of cables between switches that have an end at one of the given switches."""
    return int(np.isin(fabric.edges, np.array(switches, np.int64)).any(axis=1).sum())


def missing_parts(fabric: Fabric, cables: int, switches: Sequence[int]) -> str:
    """Say how many switches and cables are missing.

    `switches` are the missing switches. `cables` is the number of missing cables between the other switches.
    """
    of = fabric.num_cables
    if not switches:
        return f"{cables} of {of} cables between switches {verb(cables, 'is', 'are')} missing"
    lost = cables_of(fabric, switches)
    return (
        f"{len(switches)} of {fabric.num_switches} switches, with {lost} of the {of} cables between switches, and "
        f"{cables} of the {counted(of - lost, 'other cable')} are missing"
    )
