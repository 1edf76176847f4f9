"""Sort names with numbers in natural order: leaf2 before leaf10."""

from __future__ import annotations

import re


def natural(name: str) -> list[tuple[int, int, str]]:
    """Return the sort key of a name in natural order."""
    parts = re.split(r"([0-9]{1,18})", name)
    return [(0, int(part), "") if at % 2 else (1, 0, part) for at, part in enumerate(parts)]
