"""Exports: cabling plans in the formats of other tools. One file per format, and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.plugins import find
from tulle.cabling.links import links_of
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.cabling.exports.model import Export
    from tulle.cabling.plan import Plan
    from tulle.declarations import Entry

# Name -> module that defines EXPORT; in the order of `tulle list exports`.
_MODULES = {
    "csv": "tulle.cabling.exports.table",
    "ibnetdiscover": "tulle.cabling.exports.ibnetdiscover",
    "ibdm": "tulle.cabling.exports.ibdm",
    "ptm": "tulle.cabling.exports.ptm",
    "netbox": "tulle.cabling.exports.netbox",
    "ufm": "tulle.cabling.exports.ufm",
    "sonic": "tulle.cabling.exports.sonic",
}

__all__ = ["EXPORTS", "entries", "export", "export_format", "export_formats"]

EXPORTS = tuple(_MODULES)
"""The formats."""


def export_format(name: str) -> Export:
    """Find a format by name.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    unknown = f"{name} is not an export format; legal: {', '.join(_MODULES)}"
    found: Export = find(_MODULES, name, "EXPORT", unknown)
    return found


def export_formats() -> list[Export]:
    """All formats, in the order of the registry."""
    return [export_format(name) for name in _MODULES]


def entries() -> list[Entry]:
    """The entry of every format, in the order of the registry."""
    return [format.entry for format in export_formats()]


def export(plan: Plan, format: str) -> dict[str, str]:
    """Write the files of a format, as texts by file name.

    Raises
    ------
    tulle.InputError
        For an unknown format, or a format that cannot express the plan.
    """
    of = export_format(format)
    if plan.joins and of.shows_neighbours:
        links = links_of(plan)
        if links.directed and not of.is_directed:
            raise InputError(
                "ports transmit to other switches than they receive from; legal: links with both directions"
            )
        plan = links.plan
    return of.files(plan)
