"""The measurement `address-space`: the largest Slim Fly within an InfiniBand subnet's address space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from tulle.columns import Columns
from tulle.design.search import LIDS
from tulle.errors import InputError
from tulle.metric import Metric
from tulle.study.measurements.parameters import Parameters
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class LargestSlimFly:
    """The size of a Slim Fly. Made by `largest_slim_fly`."""

    q: int
    switches: int
    endpoints: int
    network_radix: int
    concentration: int


def largest_slim_fly(
    radix: int, lids_per_endpoint: int, mode: Literal["constructible", "paper"] = "constructible"
) -> LargestSlimFly:
    """Return the Slim Fly with the most endpoints at full bandwidth on switches of `radix` ports.

    Full bandwidth means p = ⌈k'/2⌉ endpoints per switch, if a switch has k' ports to other switches.

    Parameters
    ----------
    radix
        Ports of a switch, k.
    lids_per_endpoint
        Addresses of an endpoint, 2^LMC; a switch has one.
    mode
        ``constructible`` uses only q for which a Slim Fly exists: prime powers from 3 on. ``paper`` uses any q, as
        Table 2 of Blach et al. (NSDI24) does, although no Slim Fly exists for the values 6, 12, 15, 20, 21 and 28 in
        that table.

    Raises
    ------
    tulle.InputError
        If a value is out of range, or no Slim Fly fits.

    Examples
    --------
    >>> largest_slim_fly(36, 4).endpoints, largest_slim_fly(64, 4, mode="paper").endpoints
    (6144, 12000)
    """
    for value, what, low, high in ((radix, "radix", 3, 4096), (lids_per_endpoint, "lids_per_endpoint", 1, 128)):
        if not low <= value <= high:
            raise InputError(f"{what}={value} is out of range; legal: {low} to {high}")
    if mode not in ("constructible", "paper"):
        raise InputError(f"mode='{mode}' is unknown; legal: constructible, paper")
    sizes = [_size(q) for q in range(2, radix) if mode == "paper" or (q > 2 and _is_prime_power(q))]
    fitting = [
        size
        for size in sizes
        if size.network_radix + size.concentration <= radix
        and size.endpoints * lids_per_endpoint + size.switches <= LIDS
    ]
    if not fitting:
        raise InputError(f"no Slim Fly fits switches of {radix} ports and {lids_per_endpoint} addresses per endpoint")
    return max(fitting, key=lambda size: size.endpoints)


def _size(q: int) -> LargestSlimFly:
    delta = {0: 0, 1: 1, 2: 0, 3: -1}[q % 4]
    network_radix = (3 * q - delta) // 2
    concentration = -(-network_radix // 2)
    return LargestSlimFly(q, 2 * q * q, 2 * q * q * concentration, network_radix, concentration)


def _is_prime_power(q: int) -> bool:
    prime = next(d for d in range(2, q + 1) if q % d == 0)
    while q % prime == 0:
        q //= prime
    return q == 1


class AddressSpace(Parameters):
    """The arguments of `largest_slim_fly`."""

    radix: int = Field(ge=3, le=4096)
    """ports of a switch"""
    lids_per_endpoint: int = Field(ge=1, le=128)
    """addresses of an endpoint, 2^LMC"""
    mode: Literal["constructible", "paper"] = "constructible"
    """only q for which a Slim Fly exists, or any q"""


def resolve(parameters: AddressSpace) -> AddressSpace:
    """Return the parameters unchanged, because they contain no specs."""
    return parameters


def inputs(_parameters: AddressSpace) -> list[Path]:
    """Return no files."""
    return []


def address_space(parameters: AddressSpace, _seed: int, advance: Advance) -> Rows:
    """Find the largest Slim Fly."""
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
    example={"radix": 36, "lids_per_endpoint": 4},
    summary="the largest Slim Fly within an InfiniBand subnet's address space",
    paper="Slim Fly deployment §5.4, Table 2",
    parameters=AddressSpace,
    resolve=resolve,
    inputs=inputs,
    measure=address_space,
    figures=(
        Metric("q", "q"),
        Metric("switches", "switches"),
        Metric("endpoints", "endpoints"),
        Metric("network_radix", "k'"),
        Metric("concentration", "p"),
    ),
    note="An endpoint has 2^LMC addresses and a switch has one; a subnet has 49,151.",
    rows_file="size.csv",
)
