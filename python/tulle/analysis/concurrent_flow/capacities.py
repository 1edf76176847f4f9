"""Capacities of channels: given ones, or from the rates of links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.arrays import read_numbers
from tulle.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tulle.fabric import Fabric


def read_capacities(fabric: Fabric, capacity: ArrayLike | None, rate: str | None) -> NDArray[np.float64] | None:
    """Return capacities by channel in units of `rate`, also the rate of links of unknown rate; None: 1 for all.

    Without `rate` the unit is the fastest link of an endpoint, or, if no endpoint's rate is known, the fastest link.

    Raises
    ------
    tulle.InputError
        If both capacities and a rate are given, or capacities of another shape.
    tulle.SpecError
        For a rate that cannot be read.
    """
    if capacity is not None:
        if rate is not None:
            raise InputError("capacity and rate are both given; legal: either")
        return read_numbers("capacity", capacity, fabric.num_cables * 2)
    unit = None if rate is None else _tulle.read_rate("throughput", "rate", rate)
    known = fabric.link_rate
    if not (known > 0).any():
        return None
    if unit is None:
        ends = fabric.endpoint_rate
        unit = int(ends.max()) if (ends > 0).any() else int(known.max())
    return np.where(known > 0, known, unit) / float(unit)
