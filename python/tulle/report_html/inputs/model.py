"""The declaration of a result that a report can show, and the settings of a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tulle.report_html.document import Page

_MAX_NETWORKS, _MAX_CUTS = 16, 1000


class Document(BaseModel):
    """Base of the models of results. Unknown keys are ignored, because later versions of tulle may add keys."""


@dataclass(frozen=True)
class Settings:
    """The settings of a report; `report` explains them."""

    routing: str | None = None
    prices: str | None = None
    networks: int = 4
    cuts: int | None = None
    progress: Callable[[int, int], object] | None = None
    results: int = 1
    """Number of results in the report. They share the space for forwarding tables."""

    def __post_init__(self) -> None:
        for name, most in (("networks", _MAX_NETWORKS), ("cuts", _MAX_CUTS)):
            value = getattr(self, name)
            if value is None and name == "cuts":
                continue
            if type(value) is not int or not 0 <= value <= most:
                raise InputError(f"{name}={value} is out of range; legal: 0 to {most}")


@dataclass(frozen=True)
class Input:
    """A kind of result. Each kind is one module in this folder."""

    command: str
    """The command that writes it."""
    keys: tuple[str, ...]
    """Keys of its JSON object. No other kind of result has all of these keys."""
    model: type[Document]
    """The values that the report needs, for checking them."""
    page: Callable[[Path, Any, Settings], Page]
    """Make the report from the path, the values and the settings."""
    file: str = ""
    """The file with the JSON object if the result is a folder."""

    def matches(self, document: object) -> bool:
        """Return whether a JSON value is a result of this kind."""
        return isinstance(document, dict) and all(key in document for key in self.keys)
