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
    return f"did you mean {', '.join(like)}" if like else f"legal: the folders of the bundle, {names[0]} to {names[-1]}"
