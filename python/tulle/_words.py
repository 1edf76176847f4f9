"""Text from files and arguments as it can be shown: nothing in it moves the cursor or ends a line."""

from __future__ import annotations


def plain(text: str) -> str:
    """The same text with control characters, but line ends, and lone surrogates as escapes."""
    return "".join(
        c if c.isprintable() or c == "\n" or (c.isspace() and c not in _MOVING) else _escape(c) for c in text
    )


def one_line(text: str) -> str:
    """The same as `plain`, in one line."""
    return plain(text).replace("\n", "\\n")


# White space that is more than a distance.
_MOVING = "\r\t\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode()
