"""A plan in the formats of other tools: one file per format and a line here."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tulle.cabling.links import links_of
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.cabling.plan import Plan

# Format -> where `files(plan)` is, which gives texts by the names of files.
_MODULES = {
    "csv": "tulle.cabling.exports.table",
    "ibnetdiscover": "tulle.cabling.exports.ibnetdiscover",
    "ibdm": "tulle.cabling.exports.ibdm",
    "ptm": "tulle.cabling.exports.ptm",
    "netbox": "tulle.cabling.exports.netbox",
    "ufm": "tulle.cabling.exports.ufm",
    "sonic": "tulle.cabling.exports.sonic",
}

# Those that say what switches see of each other, whatever joins their cables; and of these, those that can say what a
# port hears without saying that it is heard there.
_SEEN = ("ibnetdiscover", "ibdm", "ptm", "ufm", "sonic")
_ONE_WAY = ("sonic",)

__all__ = ["EXPORTS", "export"]

EXPORTS = tuple(_MODULES)
"""The formats."""


def export(plan: Plan, format: str) -> dict[str, str]:
    """The files of a format: texts by name.

    Raises
    ------
    tulle.InputError
        For a format that is not known, or cannot say what the plan has.
    """
    if format not in _MODULES:
        raise InputError(f"{format} is no format of plans; legal: {', '.join(_MODULES)}")
    if plan.joins and format in _SEEN:
        links = links_of(plan)
        if links.directed and format not in _ONE_WAY:
            raise InputError("ports transmit to other switches than they receive from; legal: links both ways")
        plan = links.plan
    found: dict[str, str] = import_module(_MODULES[format]).files(plan)
    return found
