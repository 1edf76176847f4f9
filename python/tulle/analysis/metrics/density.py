"""The metric `density`: edge density and total network load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.metrics.model import Arguments, Finding, Metric
from tulle.registry import Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from tulle.fabric import Fabric


def read(_: Arguments) -> Callable[[Fabric, int], Finding]:
    """Takes no arguments."""

    def measure(fabric: Fabric, _: int) -> Finding:
        from tulle.analysis.density import edge_density, total_network_load

        load = total_network_load(fabric)
        figures = {
            "edge_density": edge_density(fabric),
            "radix": fabric.radix,
            "total_network_load": load,
            "flows_per_endpoint": load / fabric.num_endpoints,
        }
        return Finding(figures)

    return measure


METRIC = Metric(
    Entry(
        name="density",
        summary="cables per endpoint, radix, and how many flows fit without sharing a channel",
        parameters=[],
        nested=False,
        paper="FatPaths Fig. 19 (edge density), §IV-B3 (total network load)",
        limitations="Total network load is an upper bound; it takes shortest paths between switches with endpoints.",
        examples=["density"],
    ),
    read,
)
