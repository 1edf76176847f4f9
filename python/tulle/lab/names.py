"""Error texts for unknown names. A bundle has too many switches and hosts to list all names."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["near"]


def near(name: str, names: Sequence[str]) -> str:
    """Return the end of an error message: the names that are similar to `name`; if none is, the first and last name."""
    like = get_close_matches(name, names, 3)
    if like:
        return f"did you mean {', '.join(like)}"
    return f"legal: names of the bundle's folders, {names[0]} to {names[-1]}"
