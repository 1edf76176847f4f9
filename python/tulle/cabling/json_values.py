"""Read JSON with the position of each value in the file, for error messages."""

from __future__ import annotations

import re
from json import JSONDecodeError, decoder
from typing import TYPE_CHECKING, Any

from tulle.cabling.source import shown

if TYPE_CHECKING:
    from tulle.cabling.source import Source

_BLANK = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d{0,400})(\.\d{1,400})?([eE][-+]?\d{1,9})?")
_WORDS = {"true": True, "false": False, "null": None}
# Maximum nesting depth. No valid file is nested as deeply.
_DEEPEST = 64


class Value:
    """A JSON value with its position in a file: a text, a number, true, false, null, a list or an object of values."""

    __slots__ = ("at", "source", "value")

    def __init__(self, source: Source, at: int, value: Any) -> None:
        self.source, self.at, self.value = source, at, value

    def members(self, what: str) -> dict[str, Value]:
        """Return the members of an object. Raise an error at the position of this value if it is not an object."""
        if not isinstance(self.value, dict):
            raise self.source.error(self.at, f"{what} is not an object; legal: {{…}}")
        return self.value

    def items(self, what: str) -> list[Value]:
        """Return the values of a list. Raise an error at the position of this value if it is not a list."""
        if not isinstance(self.value, list):
            raise self.source.error(self.at, f"{what} is not a list; legal: […]")
        return self.value

    def string(self, what: str) -> str:
        """Return the string. Raise an error at the position of this value if it is not a string."""
        if not isinstance(self.value, str):
            raise self.source.error(self.at, f'{what} is not a string; legal: "…"')
        return self.value


def read_values(source: Source) -> list[Value]:
    """Read all JSON values of a file, which may follow each other."""
    values, at = [], _skip(source, 0)
    while at < len(source.text):
        value, at = _value(source, at, 0)
        values.append(value)
        at = _skip(source, at)
    if not values:
        raise source.error(0, "the file is empty; legal: JSON")
    return values


def _skip(source: Source, at: int) -> int:
    # This check saves time: most values have no blanks around them, and matching the pattern takes ten times as long.
    if source.text[at : at + 1] > " ":
        return at
    blank = _BLANK.match(source.text, at)
    return blank.end() if blank else at


def _value(source: Source, at: int, depth: int) -> tuple[Value, int]:
    text = source.text
    sign = text[at : at + 1]
    if depth == _DEEPEST and sign in ("{", "["):
        raise source.error(at, f"values are nested too deeply; legal: at most {_DEEPEST} levels")
    if sign == '"':
        text_here, end = _string(source, at)
        return Value(source, at, text_here), end
    if sign == "{":
        members: dict[str, Value] = {}
        end = _skip(source, at + 1)
        while text[end : end + 1] != "}":
            if members:
                end = _skip(source, _sign(source, end, ",", "}"))
            if text[end : end + 1] != '"':
                raise source.error(end, f"{_found(source, end)}; legal: a name in quotes")
            (name, after), place = _string(source, end), end
            if name in members:
                raise source.error(place, f"{shown(name)} comes twice; legal: once")
            end = _skip(source, _sign(source, _skip(source, after), ":"))
            members[name], end = _value(source, end, depth + 1)
            end = _skip(source, end)
        return Value(source, at, members), end + 1
    if sign == "[":
        values: list[Value] = []
        end = _skip(source, at + 1)
        while text[end : end + 1] != "]":
            if values:
                end = _skip(source, _sign(source, end, ",", "]"))
            value, end = _value(source, end, depth + 1)
            values.append(value)
            end = _skip(source, end)
        return Value(source, at, values), end + 1
    for word, meaning in _WORDS.items():
        if text.startswith(word, at):
            return Value(source, at, meaning), at + len(word)
    number = _NUMBER.match(text, at)
    if number is None:
        raise source.error(at, f"{_found(source, at)}; legal: a JSON value")
    # A float cannot hold all whole numbers above 2^53, for example seeds.
    is_float = any(number.groups())
    return Value(source, at, float(number.group()) if is_float else int(number.group())), number.end()


def _string(source: Source, at: int) -> tuple[str, int]:
    try:
        text, end = decoder.scanstring(source.text, at + 1, True)  # type: ignore[attr-defined]
    except JSONDecodeError as error:
        message = error.msg[:1].lower() + error.msg[1:]
        raise source.error(min(error.pos, len(source.text)), f"{message}; legal: a JSON string") from None
    return str(text), int(end)


def _sign(source: Source, at: int, sign: str, *others: str) -> int:
    if source.text[at : at + 1] != sign:
        legal = " or ".join((sign, *others))
        raise source.error(at, f"{_found(source, at)}; legal: {legal}")
    return at + 1


def _found(source: Source, at: int) -> str:
    found = source.text[at : at + 1]
    return shown(found) if found else "the file ends here"
