"""The measurement `address-space`: the largest Slim Fly that an InfiniBand subnet has addresses for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from tulle.columns import Columns
from tulle.design.address_space import largest_slim_fly
from tulle.metric import Figure
from tulle.study.measurements.parameters import Parameters
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path


class AddressSpace(Parameters):
    """The arguments of `tulle.design.largest_slim_fly`."""

    radix: int = Field(ge=3, le=4096)
    """ports of a switch"""
    lids_per_endpoint: int = Field(ge=1, le=128)
    """addresses of an endpoint, 2^LMC"""
    mode: Literal["constructible", "paper"] = "constructible"
    """Slim Flies that there are, or any q"""


def resolve(parameters: AddressSpace) -> AddressSpace:
    """The same: there is nothing to resolve."""
    return parameters


def inputs(_parameters: AddressSpace) -> list[Path]:
    """None."""
    return []


def address_space(parameters: AddressSpace, _seed: int, advance: Advance) -> Rows:
    """The largest one."""
    advance(0.0)
    found = largest_slim_fly(parameters.radix, parameters.lids_per_endpoint, parameters.mode)
    figures = {
        "q": found.q,
        "switches": found.switches,
        "endpoints": found.endpoints,
        "network_radix": found.network_radix,
        "concentration": found.concentration,
    }
    return Rows(Columns({name: np.array([value]) for name, value in figures.items()}), figures, {"sizes": 1})


MEASUREMENT = Measurement(
    name="address-space",
    summary="the largest Slim Fly that the addresses of an InfiniBand subnet suffice for",
    paper="Slim Fly deployment §5.4, Table 2",
    parameters=AddressSpace,
    resolve=resolve,
    inputs=inputs,
    measure=address_space,
    figures=(
        Figure("q", "q"),
        Figure("switches", "switches"),
        Figure("endpoints", "endpoints"),
        Figure("network_radix", "k'"),
        Figure("concentration", "p"),
    ),
    note="An endpoint has 2^LMC addresses and a switch one, of 49,151.",
    rows_file="size.csv",
)
