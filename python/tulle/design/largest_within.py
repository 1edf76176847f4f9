"""The largest member of each family that switches of some radix can build (SC15 §2.3.1 and Fig. 3).

Of random families there is none: at any radix there are graphs of any size, at the cost of what they carry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import did_you_mean
from tulle.design.candidates import ORDERS
from tulle.design.forms import ClosedForms, closed_forms
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["LARGEST", "RADIX", "largest"]

RADIX = 1024
"""The most ports of a switch."""


def _slimfly(radix: int) -> Iterator[str]:
    # k' is about 3q/2.
    orders = [q for q in ORDERS if q >= 3]
    yield from _with_endpoints(radix, (f"slimfly:q={q}" for q in orders), (3 * q // 2 for q in orders))


def _polarfly(radix: int) -> Iterator[str]:
    yield from _with_endpoints(radix, (f"polarfly:q={q}" for q in ORDERS), (q + 1 for q in ORDERS))


def _with_endpoints(radix: int, members: Iterator[str], degrees: Iterator[int]) -> Iterator[str]:
    """Each member with as many endpoints per switch as about half its degree, and as its ports allow."""
    for member, degree in zip(members, degrees, strict=True):
        for p in range(max((degree - 3) // 2, 1), min((degree + 5) // 2, radix - degree + 1) + 1):
            yield f"{member},p={p}"


def _oft(radix: int) -> Iterator[str]:
    yield from (f"oft:k={q + 1}" for q in ORDERS if q >= 2 and 2 * (q + 1) <= radix)


def _mlfm(radix: int) -> Iterator[str]:
    yield from (f"mlfm:h={h}" for h in range(1, radix // 2 + 1))


def _sspt(radix: int) -> Iterator[str]:
    for r1 in range(1, radix // 2 + 1):
        yield from (f"sspt:r1={r1},r2={r2}" for r2 in {2, 3, r1})


def _clique(radix: int) -> Iterator[str]:
    yield from (f"clique:degree={degree},p={radix - degree}" for degree in range(1, radix))


def _hyperx(radix: int) -> Iterator[str]:
    for side in range(2, radix):
        yield from _cubes(radix, side)


def _cubes(radix: int, side: int) -> Iterator[str]:
    for dimensions in (2, 3):
        spare = radix - dimensions * (side - 1)
        shape = "x".join([str(side)] * dimensions)
        yield from (f"hyperx:shape={shape},p={p}" for p in {spare, min(spare, side)} if p > 0)


def _dragonfly(radix: int) -> Iterator[str]:
    for h in range(1, radix):
        for a in (2 * h - 1, 2 * h, 2 * h + 1):
            yield from (f"dragonfly:p={p},a={a},h={h}" for p in (h - 1, h, h + 1) if p > 0 and a - 1 + h + p <= radix)


def _megafly(radix: int) -> Iterator[str]:
    yield f"megafly:leaves={radix // 2}"


def _fattree(radix: int) -> Iterator[str]:
    even = radix - radix % 2
    if even >= 4:
        yield from (f"fattree:levels={levels},radix={even}" for levels in (2, 3))


LARGEST: dict[str, Callable[[int], Iterator[str]]] = {
    "slimfly": _slimfly,
    "polarfly": _polarfly,
    "oft": _oft,
    "mlfm": _mlfm,
    "sspt": _sspt,
    "hyperx": _hyperx,
    "dragonfly": _dragonfly,
    "megafly": _megafly,
    "fattree": _fattree,
    "clique": _clique,
}
"""Per family that has a largest member, its candidates for a radix."""


def largest(radix: int, *, families: Sequence[str] | None = None, min_throughput: float = 0.9) -> list[ClosedForms]:
    """The largest network of each family and diameter on switches of `radix` ports, most endpoints first.

    Parameters
    ----------
    radix
        Ports of a switch, k.
    families
        Names; None: all of `LARGEST`.
    min_throughput
        The least all-to-all bound: without one, more endpoints could always share fewer cables.

    Raises
    ------
    tulle.InputError
        For a value out of range or an unknown family.

    Examples
    --------
    >>> [(forms.spec, forms.endpoints) for forms in largest(64, families=["oft", "mlfm"])]
    [('oft:k=32', 63552), ('mlfm:h=32', 33792)]
    """
    if not 2 <= radix <= RADIX:
        raise InputError(f"radix={radix} is out of range; legal: 2 to {RADIX}")
    if not 0 <= min_throughput <= 1:
        raise InputError(f"min_throughput={min_throughput} is out of range; legal: 0 to 1")
    found: dict[tuple[str, int | None], ClosedForms] = {}
    for family in LARGEST if families is None else families:
        if family not in LARGEST:
            raise InputError(f"'{family}' has no largest member; {did_you_mean(family, list(LARGEST))}")
        for forms in closed_forms(LARGEST[family](radix)):
            if forms is None or forms.radix > radix or (forms.all_to_all or 0.0) < min_throughput:
                continue
            # One switch alone has as many.
            if forms.endpoints <= radix:
                continue
            key = family, forms.diameter
            if key not in found or forms.endpoints > found[key].endpoints:
                found[key] = forms
    return sorted(found.values(), key=lambda forms: (-forms.endpoints, forms.spec))
