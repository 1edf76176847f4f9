"""Numbers and sizes as short texts."""

from __future__ import annotations

_BINARY = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_DECIMAL = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))


def plain_number(value: float) -> str:
    """Return a number as text: whole numbers with commas between thousands, other numbers with up to six digits.

    Numbers from 0.0001 to 10¹⁵ have no exponent.
    """
    whole = round(value)
    if abs(value) >= 1000 and abs(value) < 1e15 and abs(value - whole) < 1e-6 * abs(value):
        return f"{whole:,}"
    return f"{value:g}"


def size_text(size: float) -> str:
    """Return a number of bytes as text, in binary units if that is a short number and otherwise in decimal units."""
    for unit, name in _BINARY:
        if size >= unit and size * 4 % unit == 0:
            return f"{size / unit:g} {name}"
    for unit, name in _DECIMAL:
        if size >= unit:
            return f"{float(f'{size / unit:.3g}'):g} {name}"
    return f"{size:g} B"
