"""How hosts use layers: the modes, and the gap between flowlets."""

from __future__ import annotations

from tulle import _tulle
from tulle.errors import InputError

MODES = ("mptcp", "flowlets", "hash")
"""The default first: a subflow per layer, a layer per flowlet, a layer per flow."""

GAP_MS = 50
"""Milliseconds that a flow is silent for before it may take another layer: longer than paths differ by."""


def milliseconds(gap: str) -> int:
    """A gap between flowlets as nftables takes it.

    Raises
    ------
    tulle.InputError
        For a time that is no whole number of milliseconds, 1 ms to 60 s.
    """
    picoseconds = _tulle.read_duration("flowlet-gap", gap)
    if picoseconds % 10**9 or not 10**9 <= picoseconds <= 60 * 10**12:
        raise InputError(f"--flowlet-gap {gap} is out of range; legal: 1ms to 60s, in whole milliseconds")
    return picoseconds // 10**9
