"""Deploy targets: the kinds of networks that `tulle deploy` supports. Each target has one file, and one line below.

A target declares its options and the files that it writes, and writes a bundle: see `model.Target`. The command
``tulle deploy NAME``, the check of what it may replace, ``tulle list targets`` and the documentation are derived from
this declaration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.plugins import find
from tulle._internal.text import did_you_mean

if TYPE_CHECKING:
    from tulle.declarations import Entry
    from tulle.deploy.targets.model import Target

# Name -> module that defines TARGET, in the order of `tulle list targets`.
_MODULES = {
    "infiniband": "tulle.deploy.targets.infiniband",
    "linux": "tulle.deploy.targets.linux",
    "frr": "tulle.deploy.targets.frr",
    "sonic": "tulle.deploy.targets.sonic",
    "ovs": "tulle.deploy.targets.ovs",
    "containerlab": "tulle.deploy.targets.containerlab",
    "srv6": "tulle.deploy.targets.srv6",
}


def target(name: str) -> Target:
    """The target of that name.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    unknown = f"unknown target '{name}'; {did_you_mean(name, list(_MODULES))}"
    found: Target = find(_MODULES, name, "TARGET", unknown)
    return found


def targets() -> list[Target]:
    """Return all targets, in the order of the registry."""
    return [target(name) for name in _MODULES]


def entries() -> list[Entry]:
    """Return the entry of every target, in the order of the registry."""
    return [each.entry for each in targets()]
