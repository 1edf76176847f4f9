"""Find the largest member of each family on switches of a given radix (Kathareios et al., SC15, §2.3.1 and Fig. 3).

Random families have no largest member: with any radix, graphs can have any size, but throughput falls with size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.arguments import read_texts
from tulle._internal.text import did_you_mean
from tulle.design.candidates import BOUNDED, largest_candidates
from tulle.design.forms import ClosedForms, closed_forms
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["RADIX", "largest"]

RADIX = 1024
"""Maximum number of ports of a switch."""


def largest(
    radix: int, *, families: str | Sequence[str] | None = None, min_throughput: float = 0.9
) -> list[ClosedForms]:
    """Return the largest network of each family and diameter on switches of `radix` ports, most endpoints first.

    Parameters
    ----------
    radix
        Ports of a switch, k.
    families
        Names of families; None: all families that have a largest member.
    min_throughput
        The lowest accepted bound of all-to-all throughput. Without this limit, the largest network would be one with
        very few cables between switches.

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
    for family in BOUNDED if families is None else read_texts("families", families):
        if family not in BOUNDED:
            raise InputError(f"'{family}' has no largest member; {did_you_mean(family, BOUNDED)}")
        for forms in closed_forms(largest_candidates(family, radix)):
            if forms is None or forms.radix > radix or (forms.all_to_all or 0.0) < min_throughput:
                continue
            # Skip networks that are no larger than a single switch, which connects up to `radix` endpoints.
            if forms.endpoints <= radix:
                continue
            key = family, forms.diameter
            if key not in found or forms.endpoints > found[key].endpoints:
                found[key] = forms
    return sorted(found.values(), key=lambda forms: (-forms.endpoints, forms.spec))
