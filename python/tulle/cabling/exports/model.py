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

    `examples` are names of the files.
    """

    files: Callable[[Plan], dict[str, str]]
    """Makes the texts of the files, by file name."""
    suffixes: tuple[str, ...]
    """The suffixes of its file names; files of an earlier plan with these suffixes are removed."""
    readers: str
    """The tools that read the format, for the README of a plan; empty if the plan has these files anyway."""
    shows_neighbours: bool = False
    """Whether it lists the neighbours of switches, so that optical switches and patch panels are left out."""
    is_directed: bool = False
    """Whether it can express that a port receives from another port than it transmits to."""
