"""Export the network description table (NDT) of UFM."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.exports.model import Export
from tulle.cabling.exports.table import table

if TYPE_CHECKING:
    from tulle.cabling.plan import Plan


def files(plan: Plan) -> dict[str, str]:
    """Return the table of cables in the format of UFM."""
    rows = [(*cable.ends[0], *cable.ends[1], "Active", "In-Scope") for cable in plan.cables]
    return {"ufm.csv": table("StartDevice,StartPort,EndDevice,EndPort,State,Domain", rows)}


EXPORT = Export(
    name="ufm",
    summary="the network description table of NVIDIA UFM",
    paper="NVIDIA UFM: topology comparison",
    limitations="The file lists cables without rates and lengths.",
    examples=("ufm.csv",),
    files=files,
    suffixes=(".csv",),
    readers="UFM",
    shows_neighbours=True,
)
