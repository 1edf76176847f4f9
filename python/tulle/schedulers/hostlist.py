"""Slurm's bracket notation of lists of names: ``n[01-04,7],login``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tulle.cabling.natural import natural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Names with longer numbers, for example GUIDs, are not written as ranges. Slurm and topograph read numbers of at most
# 64 bits.
_NUMBERED = re.compile(r"(.*?)([0-9]{1,15})", re.DOTALL)
# Maximum number of names in a range. Slurm accepts up to 65536.
_RANGE = 10_000


def compact(names: Iterable[str]) -> str:
    """Write names as a list with ranges. The order is natural: n2 before n10.

    Examples
    --------
    >>> compact(["n3", "n1", "n2", "n07", "n08", "login"])
    'login,n[07-08,1-3]'
    """
    return ",".join(lists(names))


def lists(names: Iterable[str]) -> list[str]:
    """Write names as several lists, each with at most one bracket. `compact` joins them with commas."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names, key=natural):
        match = _NUMBERED.fullmatch(name)
        groups.setdefault(match[1] if match else name, []).append(match[2] if match else "")
    return [part for prefix, numbers in groups.items() for part in _parts(prefix, numbers)]


def _parts(prefix: str, numbers: list[str]) -> Iterator[str]:
    yield from (prefix for number in numbers if not number)
    ranges = [*_ranges(number for number in numbers if number)]
    if len(ranges) == 1 and "-" not in ranges[0]:
        yield prefix + ranges[0]
    elif ranges:
        yield f"{prefix}[{','.join(ranges)}]"


def _ranges(numbers: Iterable[str]) -> Iterator[str]:
    """Yield numbers and ranges. All numbers of a range are padded with zeros to the width of the first."""
    # 9 and 09 are different names. Ranges with leading zeros come first, because 10 can continue both 09 and 9.
    left = dict.fromkeys(sorted(numbers, key=lambda number: (number[:1] != "0", len(number), number)))
    while left:
        first = last = next(iter(left))
        del left[first]
        for _ in range(_RANGE - 1):
            following = str(int(last) + 1).zfill(len(first))
            if following not in left:
                break
            del left[following]
            last = following
        yield first if first == last else f"{first}-{last}"
