"""The metric `density`: edge density and total network load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.declarations import Declaration
from tulle.metric import Metric

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def measure(fabric: Fabric, _: int) -> Finding:
    """Compute edge density and total network load. The edge density includes the cables of endpoints."""
    from tulle.analysis.density import edge_density, total_network_load

    load = total_network_load(fabric)
    return Finding(
        {
            "endpoints": fabric.num_endpoints,
            "radix": fabric.radix,
            "diameter": fabric.diameter,
            "edge_density": edge_density(fabric),
            "total_network_load": load,
            "flows_per_endpoint": load / fabric.num_endpoints,
        }
    )


METRIC = MetricGroup(
    Declaration(
        name="density",
        summary="links per endpoint, radix, and the number of flows that fit without sharing a channel",
        parameters=[],
        paper="FatPaths Fig. 19 (edge density), §IV-B3 (total network load)",
        limitations="The number of flows is an upper bound; it assumes shortest paths between switches with endpoints.",
        examples=["density"],
    ),
    (
        Metric("endpoints", "endpoints N"),
        Metric("radix", "radix k"),
        Metric("diameter", "diameter"),
        Metric("edge_density", "links / endpoint"),
        Metric("total_network_load", "total network load", on_request=True),
        Metric("flows_per_endpoint", "total load / N"),
    ),
    measure,
)
