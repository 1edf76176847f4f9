"""The export `toy`: a line per cable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.exports.model import Export

if TYPE_CHECKING:
    from tulle.cabling.plan import Plan


def files(plan: Plan) -> dict[str, str]:
    """Return the file `cables.toy`."""
    return {"cables.toy": "".join(f"{cable.ends[0][0]} {cable.ends[1][0]}\n" for cable in plan.cables)}


EXPORT = Export(
    name="toy",
    summary="a line per cable",
    paper="none",
    limitations="For tests.",
    examples=("cables.toy",),
    files=files,
    suffixes=(".toy",),
    readers="Toy",
)
