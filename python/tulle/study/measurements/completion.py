"""Compute statistics of a simulation's flows after the warm-up: of all, short, medium and long flows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SHORT = 100_000
"""Largest size of a short flow in bytes (pFabric, SIGCOMM 2013 §5)."""

LONG = 1_000_000
"""Smallest size of a long flow in bytes: FatPaths' long flows have 1 MiB or 2 MB (Figs. 12, 15, 16, 20)."""


def counted(start: NDArray[Any], warmup: float) -> NDArray[np.bool_]:
    """Return which flows start after the warm-up, as booleans (n,).

    The warm-up is a fraction of the time from the first to the last start of a flow. FatPaths §VII-A8 ignores
    flows that start in the first half of this time.
    """
    if len(start) == 0:
        return np.zeros(0, dtype=np.bool_)
    first, last = int(start.min()), int(start.max())
    return np.asarray(start >= first + warmup * (last - first))


def figures(size: NDArray[Any], fct_us: NDArray[np.float64]) -> dict[str, float | None]:
    """Return mean and percentiles of completion times (us) and of rates (Gb/s) of the flows that finished.

    `size` in bytes and `fct_us`, NaN for unfinished flows, have shape (n,). A metric without flows is None.
    """
    done = np.isfinite(fct_us)
    found: dict[str, float | None] = {}
    classes = {
        "": done,
        "short_": done & (size <= SHORT),
        "medium_": done & (size > SHORT) & (size < LONG),
        "long_": done & (size >= LONG),
    }
    for name, own in classes.items():
        times = fct_us[own]
        rates = size[own] * 8e-3 / times
        for key, values, percent in (
            (f"fct_{name}p1_us", times, 1),
            (f"fct_{name}p50_us", times, 50),
            (f"fct_{name}mean_us", times, None),
            (f"fct_{name}p99_us", times, 99),
            (f"throughput_{name}p1_gbps", rates, 1),
            (f"throughput_{name}gbps", rates, None),
            (f"throughput_{name}p99_gbps", rates, 99),
        ):
            found[key] = None if not len(values) else float(_of(values, percent))
    return found


def _of(values: NDArray[np.float64], percent: int | None) -> np.float64:
    """A percentile; None: the mean."""
    return np.float64(values.mean() if percent is None else np.percentile(values, percent))
