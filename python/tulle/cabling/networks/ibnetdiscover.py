"""An InfiniBand subnet as ``ibnetdiscover`` prints it: the graph format of that name, read by the core."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.cabling.networks.assembly import Imported
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def read(paths: Sequence[Path], endpoints: Sequence[str]) -> Imported:
    """The fabric of one file."""
    from tulle.fabric import Fabric

    if len(paths) > 1:
        raise InputError(f"{len(paths)} files of ibnetdiscover; legal: one, which is a whole subnet")
    if endpoints:
        raise InputError("endpoints of ibnetdiscover are its adapters; legal: without --endpoints")
    fabric = Fabric(_tulle.join_spec("file", [("edges", str(paths[0])), ("format", "ibnetdiscover")]))
    return Imported(fabric, fabric.warnings)
