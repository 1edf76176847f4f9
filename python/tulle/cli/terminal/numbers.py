"""Read numbers that users type, and reword messages about text that is not a number."""

from __future__ import annotations

import re

from tulle._internal.text import brief
from tulle.errors import InputError

__all__ = ["ENDPOINTS", "plainly", "whole"]

ENDPOINTS = 1 << 28
"""Maximum number of endpoints of a network."""
# Whole numbers may have a comma before every three digits, or k for thousands.
_WHOLE = re.compile(r"([-+]?\d+|[-+]?\d{1,3}(?:,\d{3})+)(k?)")
# Messages of the option parser about illegal numbers.
_NO_NUMBER = re.compile(r"[Ii]nvalid value for '?([^':]+)'?: '(.*)' is not a valid (int|float)(?:eger)?( range)?\.?$")
_OUTSIDE = re.compile(r"[Ii]nvalid value for '?([^':]+)'?: (\S+) is not in the range (?:x)?(.*?)\.?$")

# Legal values of options that all commands share.
_LEGAL = {"--seed": "0 to 2^64-1"}


def whole(name: str, text: str | int, least: int, most: int) -> int:
    """Return the whole number that a user typed for an option, for example ``2000``, ``2,000`` or ``2k``.

    Raises
    ------
    tulle.InputError
        For other text, and for a number that is out of range.
    """
    legal = f"legal: {least} to {most}"
    found = _WHOLE.fullmatch(str(text).strip())
    if found is None:
        raise InputError(f"{name}={brief(str(text))} is not a whole number; {legal}")
    value = int(found[1].replace(",", "")) * (1000 if found[2] else 1)
    if not least <= value <= most:
        raise InputError(f"{name}={brief(str(text))} is out of range; {legal}")
    return value


def plainly(message: str) -> str:
    """Reword a message of the option parser about a number, so that it names the typed text and the legal values."""
    if found := _NO_NUMBER.fullmatch(message):
        name, value, kind = found[1], found[2], found[3]
        what, legal = ("a whole number", "for example 5") if kind == "int" else ("a number", "for example 5 or 0.5")
        return f"{name}={brief(value)} is not {what}; legal: {_LEGAL.get(name, legal)}"
    if found := _OUTSIDE.fullmatch(message):
        words = {">=": "{} or more", ">": "above {}", "<=": "at most {}", "<": "below {}"}
        legal = found[3]
        for sign, form in words.items():
            if legal.startswith(sign):
                legal = form.format(legal.removeprefix(sign))
                break
        return f"{found[1]}={found[2]} is out of range; legal: {legal.replace('<=x<=', ' to ')}"
    return message
