"""Exports: what a format of cabling plans declares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle.declarations import Plugin

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.cabling.plan import Plan


@dataclass(frozen=True, kw_only=True)
class Export(Plugin):
    """A registered format. ``tulle cabling plan`` writes its files, ``tulle list exports`` shows it.

    `examples` are names of the files.
    """

    files: Callable[[Plan], dict[str, str]]
    """Makes the texts, by the names of files."""
    suffixes: tuple[str, ...]
    """The suffixes of those names; files of an earlier plan with them are removed."""
    readers: str
    """The tools that read it, as the README of a plan names them; empty: the plan has these files anyway."""
    shows_neighbours: bool = False
    """Whether it tells what switches see of each other, so that devices that join cables are left out."""
    is_directed: bool = False
    """Whether it can tell that a port hears another one that does not hear it."""
