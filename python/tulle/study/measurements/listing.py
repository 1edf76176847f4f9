"""Make the registry entries of measurements from their declared parameters, for lists, schema and documentation."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt

from tulle.declarations import Entry, Parameter
from tulle.study.measurements.parameters import Quantity, Spec
from tulle.study.measurements.registry import listed

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from tulle.study.measurements.registry import Listed


_OF = {"faults": "faults", "policies": "policy"}
_SPECS = {"faults": "links= and switches= that failed, for example links=5%"}
_QUANTITIES = {
    "duration": "a time, for example 2us",
    "bytes": "a size, for example 4KiB",
    "rate": "a rate, for example 100Gbps",
}


def entries() -> list[Entry]:
    """Return all measurements, in the order of the registry."""
    return [_entry(measurement) for measurement in listed()]


def _entry(measurement: Listed[Any]) -> Entry:
    return Entry(
        name=measurement.name,
        aliases=[],
        summary=measurement.summary,
        parameters=parameters_of(measurement.parameters),
        nested=False,
        paper=measurement.paper,
        limitations=measurement.note,
        examples=[f'measurement = "{measurement.name}"'],
    )


def parameters_of(model: type[BaseModel]) -> list[Parameter]:
    """Return the fields of a model as parameters."""
    return [_parameter(name, field) for name, field in model.model_fields.items()]


def _parameter(name: str, field: FieldInfo) -> Parameter:
    kind, legal = _kind(field)
    unsaid = field.default is None
    default = "" if field.is_required() else "none" if unsaid else _text(field.default)
    return Parameter(
        name=name,
        alias="",
        kind=kind,
        note="",
        legal=legal,
        default=default,
        # `None` is not a value that a user can give.
        derived=unsaid or isinstance(field.default, list),
        help=field.description or "",
    )


def _kind(field: FieldInfo) -> tuple[dict[str, Any], str]:
    """Return the type of a field with its range, and a description of it."""
    for mark in field.metadata:
        if isinstance(mark, Spec):
            return {"type": "spec", "of": _OF.get(mark.kind, mark.kind.removesuffix("s"))}, _SPECS.get(
                mark.kind, f"of tulle list {mark.kind}"
            )
        if isinstance(mark, Quantity):
            return {"type": mark.of}, _QUANTITIES[mark.of]
    plain = _plain(field.annotation)
    if get_origin(plain) is Literal:
        words = list(get_args(plain))
        return {"type": "word", "words": words}, ", ".join(words)
    if plain is bool:
        return {"type": "boolean"}, "true, false"
    if plain in (int, float):
        return _number("integer" if plain is int else "number", field)
    origin = get_origin(plain)
    if origin is list:
        return {"type": "list"}, "a text, or a list of them"
    if origin is dict:
        return {"type": "table"}, "a table"
    return {"type": "text"}, "text"


def _number(kind: str, field: FieldInfo) -> tuple[dict[str, Any], str]:
    found: dict[str, Any] = {"type": kind}
    words = "a whole number" if kind == "integer" else "a number"
    for mark in field.metadata:
        match mark:
            case Ge(ge=least):
                found["min"] = least
                words += f" from {least:g}" if isinstance(least, float) else f" from {least}"
            case Gt(gt=least):
                found |= {"min": least, "above": True}
                words += f" above {least}"
            case Le(le=most):
                found["max"] = most
                words += f" to {most}"
            case Lt(lt=most):
                found |= {"max": most, "below": True}
                words += f" to below {most}"
    return found, words


def _plain(annotation: Any) -> Any:
    """The type without None."""
    if get_origin(annotation) in (Union, UnionType):
        given = [kind for kind in get_args(annotation) if kind is not NoneType]
        return given[0] if len(given) == 1 else annotation
    return annotation


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
