"""Check that networks and bills are made again as they were: files that a result names may have changed since."""

from __future__ import annotations

from math import isclose
from typing import TYPE_CHECKING

from tulle.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tulle.design.bill import Bill
    from tulle.fabric import Fabric


def check_unchanged(path: Path, fabric: Fabric, fingerprint: str | None, has_same_sizes: bool = True) -> None:
    """Check a fabric against the fingerprint in the result `path`; results of earlier versions of tulle have none.

    Raises
    ------
    tulle.FormatError
        If the fabric differs from that of the result.
    """
    if not has_same_sizes or fingerprint not in (None, fabric._fingerprint()):
        raise FormatError(
            f"{path}: {fabric.spec} is no longer the network of this file, because an input file or tulle has changed; "
            "run the command again"
        )


def check_costs(path: Path, costs: Iterable[tuple[Bill | None, float | None]]) -> None:
    """Check bills against the costs per endpoint in the result `path`; None stands for a network without a bill.

    Raises
    ------
    tulle.FormatError
        If a cost differs.
    """
    for bill, cost in costs:
        now = None if bill is None else bill.cost_per_endpoint
        if now != cost and (now is None or cost is None or not isclose(now, cost)):
            raise FormatError(
                f"{path}: prices are no longer those of this file, because a price list or tulle has changed; "
                "run the command again, or name a list with --prices"
            )
