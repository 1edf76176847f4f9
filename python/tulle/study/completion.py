"""Figures of a simulation's flows: of all that count, and of short and long ones apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORT = 100_000
"""Bytes of a short flow at most (pFabric, SIGCOMM 2013 §5)."""

LONG = 1_000_000
"""Bytes of a long flow at least: FatPaths' long flows have 1 MiB or 2 MB (Figs. 12, 15, 16, 20)."""


def counted(start: NDArray[Any], warmup: float) -> NDArray[np.bool_]:
    """Which flows count, (n,): not those that start in the first `warmup` (a share) of the time in which flows start.

    FatPaths §VII-A8 leaves the first half out.
    """
    if len(start) == 0:
        return np.zeros(0, dtype=np.bool_)
    first, last = int(start.min()), int(start.max())
    return np.asarray(start >= first + warmup * (last - first))


def figures(size: NDArray[Any], fct_us: NDArray[np.float64]) -> dict[str, float | None]:
    """Mean, median and 99th percentile of completion times (us) and mean rates (Gb/s) of the flows that finished.

    `size` in bytes and `fct_us`, NaN for flows that did not finish, are (n,). A figure of no flows is None.
    """
    done = np.isfinite(fct_us)
    found: dict[str, float | None] = {}
    for name, own in (("", done), ("short_", done & (size <= SHORT)), ("long_", done & (size >= LONG))):
        times, none = fct_us[own], not own.any()
        found[f"fct_{name}p50_us"] = None if none else float(np.percentile(times, 50))
        found[f"fct_{name}mean_us"] = None if none else float(times.mean())
        found[f"fct_{name}p99_us"] = None if none else float(np.percentile(times, 99))
        found[f"throughput_{name}gbps"] = None if none else float((size[own] * 8e-3 / times).mean())
    return found
