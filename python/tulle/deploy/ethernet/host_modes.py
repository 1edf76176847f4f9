"""The modes in which hosts use layers, and the gap between flowlets."""

from __future__ import annotations

from tulle import _tulle
from tulle.errors import InputError

MODES = ("mptcp", "flowlets", "hash")
"""The modes, the default first: a subflow per layer, a layer per flowlet, a layer per flow."""

GAP_MS = 50
"""The default flowlet gap in milliseconds. It must exceed the delay differences of paths, to avoid reordering."""


def milliseconds(gap: str) -> int:
    """Parse a gap between flowlets, in milliseconds as nftables needs it.

    Raises
    ------
    tulle.InputError
        For a time that is not a whole number of milliseconds from 1 ms to 60 s.
    """
    picoseconds = _tulle.read_duration("flowlet-gap", gap)
    if picoseconds % 10**9 or not 10**9 <= picoseconds <= 60 * 10**12:
        raise InputError(f"--flowlet-gap {gap} is out of range; legal: 1ms to 60s, in whole milliseconds")
    return picoseconds // 10**9
