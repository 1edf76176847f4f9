"""Read capacities of channels, or derive them from the rates of links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.arrays import read_numbers
from tulle.errors import InputError
from tulle.fabric.link_rules import partly_unknown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tulle.fabric import Fabric


def read_capacities(fabric: Fabric, capacity: ArrayLike | None, rate: str | None) -> NDArray[np.float64] | None:
    """Return the capacity of every channel in units of `rate`. None means that all capacities are 1.

    Links of unknown rate have the capacity 1. Without `rate`, the unit is the rate of the fastest endpoint link, or of
    the fastest link if no endpoint link has a known rate.

    Raises
    ------
    tulle.InputError
        If both capacities and a rate are given, or the capacities have a wrong shape.
    tulle.SpecError
        For a rate that cannot be read.
    """
    if capacity is not None:
        if rate is not None:
            raise InputError("capacity and rate are both given; legal: one of them")
        return read_numbers("capacity", capacity, fabric.num_cables * 2)
    unit = None if rate is None else _tulle.read_rate("throughput", "rate", rate)
    known = fabric.link_rate
    if not (known > 0).any():
        return None
    if unit is None:
        unit, _ = _fastest(fabric)
    return np.where(known > 0, known, unit) / float(unit)


def assumed_rate(fabric: Fabric) -> str:
    """Return a sentence on the rate that `read_capacities` uses for unknown rates if it gets no rate.

    It is empty if all rates are known, or none.
    """
    links, cables = partly_unknown(fabric, "rate"), partly_unknown(fabric, "rate", endpoints=False)
    if not links:
        return ""
    unit, of = _fastest(fabric)
    used = f"{unit / 1e9:.12g}Gbps, the rate of the fastest {of}"
    # Endpoint links are not modelled.
    return (
        f"{cables}; throughput uses {used}"
        if cables
        else f"{links}; at throughput 1, the busiest endpoint sends at {used}"
    )


def _fastest(fabric: Fabric) -> tuple[int, str]:
    """Return the rate that is the unit of capacities, and which links have it."""
    ends = fabric.endpoint_rate
    return (int(ends.max()), "endpoint link") if (ends > 0).any() else (int(fabric.link_rate.max()), "link")
