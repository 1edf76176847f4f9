"""The metric `connectivity`: edge connectivity of all pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.analysis.metrics.model import Finding, MetricGroup
from tulle.columns import Columns
from tulle.declarations import Declaration
from tulle.metric import Metric

if TYPE_CHECKING:
    from tulle.fabric import Fabric


def measure(fabric: Fabric, _: int) -> Finding:
    """Compute the edge connectivity of all pairs of switches with the equivalent-flow tree."""
    from tulle.analysis.connectivity import flow_tree

    edges = flow_tree(fabric).edges
    flows = edges[:, 2]
    values = {
        "edge_connectivity": int(flows.min()) if len(flows) else None,
        "largest": int(flows.max()) if len(flows) else None,
        "network_radix": fabric.network_radix,
    }
    return Finding(values, Columns({"switch": edges[:, 0], "above": edges[:, 1], "flow": flows}))


METRIC = MetricGroup(
    Declaration(
        name="connectivity",
        summary="edge connectivity of all pairs of switches, from the equivalent-flow tree",
        parameters=[],
        paper="FatPaths App. B-B; Gusfield, SIAM J. Comput. 19(1), 1990",
        limitations="Paths of any length count.",
        examples=["connectivity"],
    ),
    (
        Metric("edge_connectivity", "edge connectivity"),
        Metric("largest", "largest of a pair"),
        Metric("network_radix", "k'"),
    ),
    measure,
)
