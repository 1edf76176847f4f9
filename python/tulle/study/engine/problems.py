"""Describe the first problem that pydantic finds in a study or in an executor's options, in one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tulle._internal.text import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

# pydantic gives the location of an error as a list of keys. Entries that match this pattern are not keys of the
# study, but names of pydantic's types and validators.
_BRANCH = re.compile(r"str|int|float|bool|(constrained-|tuple\[|list\[|function-|nullable|lax-or-strict).*")
# The quotation marks around the values of a list. An apostrophe within a value is not matched.
_OUTER_QUOTES = re.compile(r"""(?:^|(?<=, ))['"]|['"](?=, |$)""")
# Map from the beginning of an error type to a description of the expected value.
_WANTED = {
    "string": ("a text", "text in quotes"),
    "int": ("a whole number", "a whole number"),
    "float": ("a number", "a number"),
    "finite": ("a finite number", "a number"),
    "bool": ("true or false", "true, false"),
    "list": ("a list", "a list"),
    "tuple": ("a list", 'a list of texts, as ["a", "b"]'),
    "dict": ("a table", "a table, as {key = value}"),
    "model": ("a table", "a table"),
}
_RANGES = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")
# Map from the names of range limits in pydantic's errors to their names in JSON schemas.
_ENDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_MOST = 60
# Seeds have 64 bits.
_WORD = "2^64"


def first_problem(error: ValidationError, model: type[BaseModel]) -> str:
    """Describe the first problem of a validation in one line: the key, the value, the legal values."""
    problems = error.errors(include_url=False)
    problem, kind = problems[0], problems[0]["type"]
    key = _key(problem["loc"])
    if kind == "extra_forbidden":
        names = [name for name, field in model.model_fields.items() if not field.exclude]
        return f"unknown key '{_brief(key)}'; {did_you_mean(str(problem['loc'][-1]), names)}"
    if kind == "missing":
        return f"needs '{key}'"
    # pydantic reports an error for each branch of a union.
    same = [other for other in problems if _key(other["loc"]) == key]
    given, (wrong, legal) = f"{_brief(key)} = {_brief(_value(problem['input']))}", _words(same, model)
    if not legal:
        return f"{given} {wrong}" if wrong.startswith(("has ", "is ")) else f"{given}: {wrong}"
    return f"{given} {wrong}; legal: {legal}"


def _words(same: Sequence[ErrorDetails], model: type[BaseModel]) -> tuple[str, str]:
    """Return the problem of a value, and the legal values. Errors that a validator raised contain both."""
    problem, context = same[0], same[0].get("ctx", {})
    kind = problem["type"]
    if kind in _RANGES:
        return "is out of range", _range(problem, model)
    match kind:
        case "literal_error":
            return "is unknown", _OUTER_QUOTES.sub(
                "", re.sub(r"(?<=['\"]) or (?=['\"])", ", ", str(context["expected"]))
            )
        case "string_pattern_mismatch":
            return "is not a name", _NAME if context["pattern"] == NAME else f"texts that match {context['pattern']}"
        case "string_too_short" | "too_short":
            return "is empty", "one character or more" if kind.startswith("string") else "a list of one value or more"
        case "string_too_long" | "too_long":
            what = "characters" if kind.startswith("string") else "values"
            return f"has more than {context['max_length']} {what}", f"up to {context['max_length']} {what}"
        case "int_from_float":
            return "is not a whole number", _range(problem, model) or "a whole number"
        case "value_error" | "assertion_error":
            return problem["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, "), ""
    wanted = [_WANTED[start] for each in same if (start := each["type"].split("_")[0]) in _WANTED]
    if not wanted:
        return problem["msg"].replace("Input", "it").lower(), ""
    if len(wanted) > 1:
        return "has the wrong type", ", ".join(dict.fromkeys(legal for _, legal in wanted))
    wrong, legal = wanted[0]
    if wrong == "a list":
        legal = _listed(problem, model)
    if legal in ("a whole number", "a number"):
        legal = _range(problem, model) or legal
    return f"is not {wrong}", legal + _meant(problem, model)


NAME = r"^[a-z0-9][a-z0-9._-]*$"
"""The pattern of the names of studies and claims."""
_NAME = "lower-case letters, digits, '.', '_' and '-', of which the first is a letter or a digit"


def _meant(problem: ErrorDetails, model: type[BaseModel]) -> str:
    """Describe the text that a parameter takes, for example a size, in parentheses; empty if any text will do."""
    # Loaded only for errors.
    from tulle.study.measurements.listing import parameters_of
    from tulle.study.measurements.parameters import Parameters

    if not issubclass(model, Parameters) or not problem["type"].startswith("string"):
        return ""
    legal = {of["name"]: of["legal"] for of in parameters_of(model)}.get(str(problem["loc"][0]), "text")
    if legal == "text" or len(problem["loc"]) > 1:
        return ""
    return f" ({legal.replace('of tulle list', 'a spec of tulle list')})"


def _listed(problem: ErrorDetails, model: type[BaseModel]) -> str:
    """Describe the list that a key takes by an example."""
    schema = model.model_json_schema()
    for found in _schemas(schema, [*problem["loc"]], schema.get("$defs", {})):
        items = found.get("items", {})
        if "$ref" in items:
            return f"tables that begin with [[{problem['loc'][0]}]]"
        if items.get("type") in ("integer", "number"):
            return "a list, as [1, 2]"
        if items.get("type") == "string":
            return 'a list of texts, as ["a", "b"]'
    return 'a list, as ["a", "b"]'


def _range(problem: ErrorDetails, model: type[BaseModel]) -> str:
    """Describe the range of a number; empty if the number has no range."""
    schema = model.model_json_schema()
    ends: dict[str, float] = {}
    for found in _schemas(schema, [*problem["loc"]], schema.get("$defs", {})):
        ends |= {name: value for name, value in found.items() if name in _ENDS.values()}
    # If the schema of the location is not found, the error itself still has one limit of the range.
    ends = ends or {_ENDS[name]: value for name, value in problem.get("ctx", {}).items() if name in _ENDS}
    words = {name: _number(value) for name, value in ends.items()}
    low = words.get("minimum") or (f"above {words['exclusiveMinimum']}" if "exclusiveMinimum" in words else "")
    if "maximum" in words:
        joined = " to " if "minimum" in words else " and at most " if low else "at most "
        return f"{low}{joined}{words['maximum']}"
    if "exclusiveMaximum" in words:
        below = words["exclusiveMaximum"]
        return f"{low}{' to ' if low else ''}{'2^64-1' if below == _WORD else f'below {below}'}"
    return f"{low} or more" if "minimum" in words else low


def _schemas(
    schema: Mapping[str, Any], parts: list[int | str], known: Mapping[str, Any]
) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON schemas at a location, following references, unions, lists and tables."""
    if "$ref" in schema:
        schema = known[schema["$ref"].rpartition("/")[2]]
    for branch in schema.get("anyOf", ()):
        yield from _schemas(branch, parts, known)
    if not parts:
        yield schema
        return
    part, rest = parts[0], parts[1:]
    if isinstance(part, int):
        if "items" in schema:
            yield from _schemas(schema["items"], rest, known)
    elif part in schema.get("properties", {}):
        yield from _schemas(schema["properties"][part], rest, known)
    elif _BRANCH.fullmatch(part):
        yield from _schemas(schema, rest, known)
    elif isinstance(schema.get("additionalProperties"), dict):
        yield from _schemas(schema["additionalProperties"], rest, known)


def _number(value: float) -> str:
    return _WORD if value == 1 << 64 else f"{value:g}" if isinstance(value, float) else str(value)


def _key(location: Sequence[int | str]) -> str:
    # Integers in a location are positions in lists.
    parts = [f"[{part}]" if isinstance(part, int) else part for part in location]
    return ".".join(part for part in parts if not _BRANCH.fullmatch(part)).replace(".[", "[")


def _value(value: object) -> str:
    """Format a value approximately as in a study file."""
    return repr(value) if isinstance(value, (str, float, int, list, tuple, dict)) else str(value)


def _brief(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[:_MOST]}…"
