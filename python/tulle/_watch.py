"""Who is told how far a long call is, if anyone: the command line, where it shows progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

watcher: Callable[[int, int, int], object] | None = None
"""Called now and then with the steps done, their total and the bytes they need; at the end of the call with 0, 0, 0."""
