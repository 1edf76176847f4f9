"""Export cabling plans in the formats of other tools. Each format has a module and a line in this file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.plugins import find
from tulle.cabling.links import links_of
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.cabling.exports.model import Export
    from tulle.cabling.plan import Plan
    from tulle.declarations import Entry

# Name of an export format -> module that defines EXPORT. The order is that of `tulle list exports`.
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
"""Names of the export formats."""


def export_format(name: str) -> Export:
    """Find an export format by name.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    unknown = f"{name} is not an export format; legal: {', '.join(_MODULES)}"
    found: Export = find(_MODULES, name, "EXPORT", unknown)
    return found


def export_formats() -> list[Export]:
    """Return all export formats, in the order of the registry."""
    return [export_format(name) for name in _MODULES]


def entries() -> list[Entry]:
    """Return the registry entries of all export formats."""
    return [format.entry for format in export_formats()]


def export(plan: Plan, format: str) -> dict[str, str]:
    """Export a plan in a format. Return the texts of the files by file name.

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
                f"{format} needs links in both directions, but some ports of the plan send to one switch and receive "
                "from another; legal: a plan with patch panels, or another format"
            )
        plan = links.plan
    return of.files(plan)
