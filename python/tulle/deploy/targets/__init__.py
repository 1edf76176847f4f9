"""Targets: the kinds of networks that `tulle deploy` writes for; one file and one line here each.

A target says what it is (its `Declaration`) and gives the files for a plan of virtual channels.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.text import did_you_mean
from tulle.errors import SpecError

if TYPE_CHECKING:
    from tulle.declarations import Entry
    from tulle.deploy.targets.model import Target

# Name -> module that defines TARGET; in the order of `tulle list targets`.
_MODULES = {
    "infiniband": "tulle.deploy.targets.infiniband",
    "linux": "tulle.deploy.targets.linux",
    "frr": "tulle.deploy.targets.frr",
    "sonic": "tulle.deploy.targets.sonic",
    "ovs": "tulle.deploy.targets.ovs",
    "containerlab": "tulle.deploy.targets.containerlab",
    "srv6": "tulle.deploy.targets.srv6",
}


def target(spec: str) -> Target:
    """The target that a spec names.

    Raises
    ------
    tulle.SpecError
        For an unknown name.
    """
    name = _tulle.spec_name(spec)
    if name not in _MODULES:
        raise SpecError(f"unknown target '{name}'; {did_you_mean(name, list(_MODULES))}")
    found: Target = import_module(_MODULES[name]).TARGET
    return found


def entries() -> list[Entry]:
    """The entry of every target, in the order of the registry."""
    return [target(name).entry for name in _MODULES]
