"""Names of switches and hosts in words: there are too many to list."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["near"]


def near(name: str, names: Sequence[str]) -> str:
    """What of `names` is like `name`, or the first and the last of them, as the end of an error."""
    like = get_close_matches(name, names, 3)
    return f"legal: as {', '.join(like)}" if like else f"legal: {names[0]} to {names[-1]}, as the bundle's folders"
