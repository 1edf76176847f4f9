"""The declaration of an export format of cabling plans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle.declarations import Plugin

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.cabling.plan import Plan


@dataclass(frozen=True, kw_only=True)
class Export(Plugin):
    """A registered export format. ``tulle cabling plan`` writes its files, ``tulle list exports`` shows it.

    `examples` are file names of this format.
    """

    files: Callable[[Plan], dict[str, str]]
    """A function that returns the texts of the files, by file name."""
    suffixes: tuple[str, ...]
    """The suffixes of the files. Files of an earlier plan with these suffixes are removed."""
    readers: str
    """The tools that read the format, for the README of a plan; empty if the top level of a plan has these files."""
    shows_neighbours: bool = False
    """Whether the format lists neighbours of switches, and therefore omits optical switches and patch panels."""
    is_directed: bool = False
    """Whether the format supports ports that receive from another port than they send to."""
