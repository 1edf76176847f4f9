"""Read the fabric of a cabling plan, which deploy targets accept instead of a fabric spec."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.writing.folders import recover

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def fabric_of_plan(spec: str) -> Fabric | None:
    """Return the fabric of a cabling plan, if `spec` is its folder or its ``plan.json``; otherwise None.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a plan that cannot be read.
    """
    from tulle.cabling.exports.ibnetdiscover import as_fabric
    from tulle.cabling.plan_file import read_plan

    place = Path(spec)
    if place.is_dir():
        recover(place)
    if not (place.name == "plan.json" or (place / "plan.json").is_file()):
        return None
    return as_fabric(read_plan(place))
