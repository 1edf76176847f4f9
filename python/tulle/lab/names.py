"""Error texts for unknown names of switches and hosts, which are too many to list."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["near"]


def near(name: str, names: Sequence[str]) -> str:
    """Return the end of an error message: the names most similar to `name`, otherwise the first and the last name."""
    like = get_close_matches(name, names, 3)
    return f"did you mean {', '.join(like)}" if like else f"legal: the folders of the bundle, {names[0]} to {names[-1]}"
