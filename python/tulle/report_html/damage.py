"""Repeat the failures of a result. Each failure names its seed or the failed parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.fabric import Fabric

_DRAWN = re.compile(r"(.+),seed=(\d+)")
_LISTED = re.compile(r"(links|switches)=(ids:.+)")


def damaged(fabric: Fabric, faults: Iterable[str]) -> Fabric:
    """Return the fabric after all `faults`, which have the form of `Fabric.faults`.

    Raises
    ------
    tulle.SpecError, tulle.InputError
        For failures that do not fit this fabric.
    """
    for fault in faults:
        drawn, listed = _DRAWN.fullmatch(fault), _LISTED.fullmatch(fault)
        if drawn is not None:
            fabric = fabric.with_failures(drawn[1], int(drawn[2]))
        elif listed is not None and listed[1] == "links":
            fabric = fabric.without(links=listed[2])
        elif listed is not None:
            fabric = fabric.without(switches=listed[2])
        else:
            fabric = fabric.with_failures(fault)
    return fabric
