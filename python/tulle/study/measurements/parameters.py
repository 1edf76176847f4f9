"""Parameters of measurements: declared once, with type, range, default and help, for parsing, listing and checking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from tulle._internal.arguments import canonical

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Spec:
    """Marks a parameter as the spec of a plug-in of the kind `kind`."""

    kind: str
    alone: bool = True
    """Whether the canonical form depends only on the spec; otherwise the measurement resolves it."""


@dataclass(frozen=True)
class Quantity:
    """Marks a parameter as a number with a unit: a ``duration``, ``bytes`` or a ``rate``. Rust code parses it."""

    of: str


@dataclass(frozen=True)
class InputFile:
    """Marks a parameter as the path of an input file. With `suffix`, only values that end in it are paths."""

    suffix: str = ""


class Parameters(BaseModel):
    """Base class of the parameters of a measurement. Unknown keys and values of other types are refused.

    The docstring of a field is its help text.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True)

    OMITTED: ClassVar[Mapping[str, Sequence[object]]] = {}
    """Parameter -> values with which a run's hash omits the parameter. Such runs keep the ids that they had before the
    parameter was introduced."""

    def canonical_specs(self) -> dict[str, Any]:
        """Return the fields that are specs, in canonical form; unset fields are left out.

        Raises
        ------
        tulle.SpecError
            For an illegal spec.
        """
        specs = {}
        for name, field in type(self).model_fields.items():
            for mark in field.metadata:
                value = getattr(self, name)
                if isinstance(mark, Spec) and mark.alone and value is not None:
                    specs[name] = canonical(mark.kind, name, value)
        return specs


def listed(value: Any) -> Any:
    """Return a single text as a list with one entry, and the tuples of a grid as lists."""
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, tuple) else value


def _rules(value: Any) -> Any:
    """Return link rules in canonical form; a single text becomes a list, and tuples of a grid become lists."""
    from tulle.fabric.link_rules import read_links

    given = [value] if isinstance(value, str) else value
    return read_links(list(given) if isinstance(given, tuple) else given)


class OnFabric(Parameters):
    """A fabric with failed links and switches."""

    fabric: Annotated[str, Spec("fabrics")]
    """the fabric"""
    links: Annotated[list[str], BeforeValidator(_rules)] = Field(default=[])
    """properties of the fabric's links by class, for example global:latency=500ns; also as a table of classes"""
    fail: Annotated[str | None, Spec("faults")] = None
    """links and switches of the fabric that failed before routing, for example links=5%"""


class Routed(OnFabric):
    """A fabric and its routing."""

    routing: Annotated[str, Spec("routings")]
    """the routing, or @FILE of a saved routing"""
