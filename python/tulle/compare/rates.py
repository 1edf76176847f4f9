"""Say where the link rates of the compared fabrics differ, because completion times depend on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._tulle import read_rate
from tulle.analysis.concurrent_flow.capacities import assumed_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.fabric import Fabric


def notes(fabrics: Sequence[Fabric], default: str) -> list[str]:
    """Return lines on fabrics whose links have different rates; links of unknown rate have the rate `default`.

    Throughput does not use `default`, so lines say which rate it uses for links of unknown rate.
    """
    found = [np.unique(np.concatenate([fabric.link_rate, fabric.endpoint_rate])) for fabric in fabrics]
    bits = read_rate("rate", "rate", default)
    used = [np.unique(np.where(rates > 0, rates, bits)) for rates in found]
    lines = []
    partly = [len(of) > 1 and (rates <= 0).any() for of, rates in zip(used, found, strict=True)]
    if any(partly) or any(not np.array_equal(rates, used[0]) for rates in used):
        each = "; ".join(
            f"{fabric.spec}: {_told(rates, default)}" for fabric, rates in zip(fabrics, found, strict=True)
        )
        lines.append(f"completion times are at different link rates: {each}")
    mixed = [fabric for fabric, is_partly in zip(fabrics, partly, strict=True) if is_partly]
    lines += dict.fromkeys(f"{fabric.spec}: {assumed_rate(fabric)}" for fabric in mixed)
    if any(len(rates) > 1 for rates in used):
        lines.append("saturation: every link carries one flit per cycle, also if link rates differ")
    return lines


def _told(rates: np.ndarray, default: str) -> str:
    known = [f"{rate / 1e9:g} Gb/s" for rate in rates if rate > 0]
    told = f"{known[0]} to {known[-1]}" if len(known) > 1 else "".join(known)
    unknown = f"{default} (links of unknown rate)" if (rates <= 0).any() else ""
    return " and ".join(filter(None, (told, unknown)))
