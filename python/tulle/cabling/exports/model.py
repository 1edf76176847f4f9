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
    """The tools that read the format, for the README of a plan. Empty if the files are at the top level of a plan."""
    shows_neighbours: bool = False
    """Whether the format lists the neighbours of switches. Such a format omits optical switches and patch panels."""
    is_directed: bool = False
    """Whether the format supports links with one direction: a port may send to one port and receive from another."""
