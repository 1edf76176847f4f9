"""Natural order of names with numbers."""

from __future__ import annotations

import re


def natural(name: str) -> list[tuple[int, int, str]]:
    """The sort key of a name, so that leaf2 comes before leaf10."""
    parts = re.split(r"([0-9]{1,18})", name)
    return [(0, int(part), "") if at % 2 else (1, 0, part) for at, part in enumerate(parts)]
