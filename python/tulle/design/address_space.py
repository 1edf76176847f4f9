"""The largest Slim Fly that an InfiniBand subnet has addresses for (deployment §5.4, Table 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tulle.errors import InputError

__all__ = ["LIDS", "LargestSlimFly", "largest_slim_fly"]

LIDS = 49151
"""Unicast addresses of a subnet: 1 to 0xBFFF."""


@dataclass(frozen=True)
class LargestSlimFly:
    """A size. Made by `largest_slim_fly`."""

    q: int
    switches: int
    endpoints: int
    network_radix: int
    concentration: int


def largest_slim_fly(
    radix: int, lids_per_endpoint: int, mode: Literal["constructible", "paper"] = "constructible"
) -> LargestSlimFly:
    """The Slim Fly with the most endpoints of full bandwidth, p = ⌈k'/2⌉, on switches of `radix` ports.

    Parameters
    ----------
    radix
        Ports of a switch, k.
    lids_per_endpoint
        Addresses of an endpoint, 2^LMC; a switch has one.
    mode
        ``constructible`` takes q for which there is a Slim Fly: prime powers. ``paper`` takes any q, as Table 2 does:
        there is none of its q of 6, 12, 15, 20, 21 and 28.

    Raises
    ------
    tulle.InputError
        For values out of range, or where none fits.

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
