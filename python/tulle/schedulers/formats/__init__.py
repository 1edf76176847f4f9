"""Schedulers that `tulle export` supports. Each scheduler has one file, and one line below.

A scheduler declares its options and how it describes the tree of a network: see `tulle.schedulers.model.Scheduler`. The
command ``tulle export NAME``, ``tulle list schedulers`` and the documentation are derived from this declaration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.plugins import find
from tulle._internal.text import did_you_mean

if TYPE_CHECKING:
    from tulle.declarations import Entry
    from tulle.schedulers.model import Scheduler

# Name -> module that defines SCHEDULER, in the order of `tulle list schedulers`.
_MODULES = {
    "slurm": "tulle.schedulers.formats.slurm",
    "topograph": "tulle.schedulers.formats.topograph",
    "kubernetes": "tulle.schedulers.formats.kubernetes",
}


def scheduler(name: str) -> Scheduler:
    """Return the scheduler of that name.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    unknown = f"unknown scheduler '{name}'; {did_you_mean(name, list(_MODULES))}"
    found: Scheduler = find(_MODULES, name, "SCHEDULER", unknown)
    return found


def schedulers() -> list[Scheduler]:
    """Return all schedulers, in the order of the registry."""
    return [scheduler(name) for name in _MODULES]


def entries() -> list[Entry]:
    """Return the entry of every scheduler, in the order of the registry."""
    return [each.entry for each in schedulers()]
