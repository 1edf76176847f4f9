"""Measure completion-time rows: a permutation and skewed traffic in the packet simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tulle.compare.card import CardMetric
from tulle.compare.numbering import skewed
from tulle.packet.run import simulate

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.workload import Workload

_TRAFFICS = ("permutation", "skewed")
METRICS = {
    f"{traffic}_fct_{key}_us": CardMetric(f"{traffic}, {head} FCT (us)", "low")
    for traffic in _TRAFFICS
    for key, head in (("mean", "mean"), ("p99", "p99"))
}


class Packets(NamedTuple):
    """The settings of the packet simulations."""

    size: str
    transport: str
    selector: str
    rate: str
    """Rate of links whose rate the fabric does not define."""


def measure(fabric: Fabric, routing: Routing, packets: Packets, seed: int) -> dict[str, float | None]:
    """Return completion times; None if a flow did not finish, because a mean without it would mislead."""
    values: dict[str, float | None] = {}
    loads: dict[str, str | Workload] = {
        "permutation": f"permutation:bytes={packets.size}",
        "skewed": skewed(fabric, packets.size, seed),
    }
    for traffic, messages in loads.items():
        found = simulate(
            fabric, routing, messages, packets.transport, packets.selector, rate=packets.rate, seed=seed
        ).summary()
        done = found["completed"] == found["flows"]
        for key in ("mean", "p99"):
            values[f"{traffic}_fct_{key}_us"] = found["fct_us"][key] if done else None
    return values
