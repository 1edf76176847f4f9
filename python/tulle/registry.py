"""The registry of all plug-ins: their names in specs, parameters, papers and limitations."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tulle import _tulle
from tulle._internal.text import did_you_mean
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.declarations import Entry, Parameter

# Kind of plug-in that is written in Python -> module whose function `entries` lists the plug-ins of this kind.
PYTHON_KINDS = {
    "metrics": "tulle.analysis.metrics",
    "measurements": "tulle.study.measurements.listing",
    "targets": "tulle.deploy.targets",
    "imports": "tulle.cabling.networks",
    "live-tools": "tulle.cabling.live",
    "exports": "tulle.cabling.exports",
    "schedulers": "tulle.schedulers.formats",
    "executors": "tulle.study.executors",
}

KINDS = (
    "fabrics",
    "routings",
    "deadlocks",
    "traffics",
    "transports",
    "selectors",
    "queues",
    "nics",
    "faults",
    "metrics",
    "routers",
    "flit-selectors",
    "policies",
    "flit-traffics",
    "measurements",
    "executors",
    "targets",
    "imports",
    "live-tools",
    "exports",
    "schedulers",
)


def registered(kind: str) -> list[Entry]:
    """Return the entries of a kind of plug-in, in the order of the registry.

    Parameters
    ----------
    kind
        One of ``fabrics``, ``routings``, ``deadlocks``, ``traffics``, ``transports``, ``selectors``, ``queues``,
        ``nics``, ``faults`` (during a simulation), ``metrics``; for the flit simulator ``routers``, ``flit-selectors``,
        ``policies`` and ``flit-traffics`` (its patterns in addition to ``traffics``); for studies ``measurements`` and
        ``executors``; for deployment ``targets`` and ``schedulers``; for cabling ``imports``, ``live-tools`` and
        ``exports``.

    Raises
    ------
    tulle.InputError
        For any other kind.

    Examples
    --------
    >>> import tulle
    >>> [entry["name"] for entry in tulle.registered("queues")]
    ['trim', 'droptail', 'ecn', 'pfc']
    """
    if kind not in KINDS:
        raise InputError(f"unknown kind '{kind}'; {did_you_mean(kind, KINDS)}")
    if kind in PYTHON_KINDS:
        found: list[Entry] = import_module(PYTHON_KINDS[kind]).entries()
        return found
    return _tulle.registered(kind)


def schema(kind: str) -> dict[str, Any]:
    """Return a JSON Schema for the parameters of every plug-in of a kind, by plug-in name.

    A schema is an object with one property per parameter. Quantities with units are strings: ``x-kind`` names the
    quantity, ``x-minimum`` and ``x-maximum`` give the range in picoseconds, bytes or bits per second. A default that
    depends on other parameters is described in words in ``x-default``.

    Raises
    ------
    tulle.InputError
        For an unknown kind.
    """
    return {entry["name"]: _object(entry) for entry in registered(kind)}


def _object(entry: Entry) -> dict[str, Any]:
    return {
        "type": "object",
        "title": entry["name"],
        "description": entry["summary"],
        "properties": {parameter["name"]: _property(parameter) for parameter in entry["parameters"]},
        "required": [parameter["name"] for parameter in entry["parameters"] if not parameter["default"]],
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> dict[str, Any]:
    kind = parameter["kind"]
    words = []
    while kind["type"] == "or":
        words.append({"const": kind["word"]})
        kind = kind["kind"]
    value = _value(kind)
    if words:
        value = {"anyOf": [value, *words]}
    value["description"] = f"{parameter['help']}; legal: {parameter['legal']}"
    if parameter["derived"]:
        return {**value, "x-default": parameter["default"]} if parameter["default"] else value
    if not parameter["default"]:
        return value
    numbers = {"integer": int, "number": float, "fraction": float}
    read = numbers.get(kind["type"], str)
    try:
        return {**value, "default": read(parameter["default"])}
    except ValueError:
        return {**value, "default": parameter["default"]}


def _value(kind: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a value. The caller adds words that are also legal, such as ``auto``."""
    least, most = kind.get("min"), kind.get("max")
    match kind["type"]:
        case "integer" | "number":
            bounds = {"exclusiveMinimum" if kind.get("above") else "minimum": least, "maximum": most}
            return {"type": kind["type"], **{name: bound for name, bound in bounds.items() if bound is not None}}
        case "fraction":
            number = {"type": "number", "exclusiveMinimum" if kind.get("above") else "minimum": least, "maximum": most}
            return {"anyOf": [number, {"type": "string", "pattern": "%$"}]}
        case "boolean":
            return {"type": "boolean"}
        case "list":
            return {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
        case "table":
            return {"type": "object"}
        case "word" | "flag":
            return {"enum": list(kind["words"])}
        case "duration" | "length" | "bytes" | "rate" | "shape":
            ends = {"x-minimum": least, "x-maximum": most}
            return {"type": "string", "x-kind": kind["type"], **{k: end for k, end in ends.items() if end is not None}}
        case "spec":
            return {"type": "string", "x-kind": "spec", "x-of": kind["of"]}
        case other:
            return {"type": "string", "x-kind": other}
