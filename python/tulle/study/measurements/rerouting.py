"""The measurement `rerouting`: packets that meet a failed cable and continue on an up-down path.

Source: Flattened Clos Fig. 10.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

import tulle
from tulle._internal.arguments import canonical, input_files
from tulle.columns import Columns
from tulle.errors import InputError
from tulle.fabric import build_with_failures
from tulle.metric import Metric
from tulle.study.measurements.parameters import Routed
from tulle.study.measurements.registry import Advance, Measurement, Rows

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

_NONE = 1 << 14
"""A number above all layer numbers. It means that no path continues."""


class Rerouting(Routed):
    """A fabric with virtual layers or levels of switches, and its up-down routing.

    Fabric, routing and failures use the seed of the run.
    """

    packets: int = Field(default=2000, ge=1, le=1_000_000)
    """number of random hops of paths; for each hop, only its cable fails"""
    lost: str = "5%"
    """share of cables that fail before the fabric is routed again"""


def resolve(parameters: Rerouting) -> Rerouting:
    """Return the parameters with canonical specs."""
    canonical("faults", "lost", f"links={parameters.lost}")
    return parameters.model_copy(update=parameters.canonical_specs())


def inputs(parameters: Rerouting) -> list[Path]:
    """The files that fabric and routing are read from."""
    return input_files(parameters.fabric, parameters.routing)


def measure(parameters: Rerouting, seed: int, advance: Advance) -> Rows:
    """Check which packets continue past a failed cable, and whether a new routing closes cycles with the old one.

    In the first part, only the cable of one random hop fails at a time. The second part starts again from the fabric
    without these failures, and a share of all cables fails at once.
    """
    fabric = build_with_failures(parameters.fabric, seed, parameters.fail, parameters.links)
    advance(0.0)
    routing = tulle.route(fabric, parameters.routing, seed)
    advance(0.2)
    layered = _Layered(fabric)
    columns = routing.path_columns()
    path_of_hop = np.repeat(np.arange(len(columns.source)), np.diff(columns.offsets))
    edge = np.bincount(fabric.endpoint_switch, minlength=fabric.num_switches) > 0
    hops = np.flatnonzero((edge[columns.source] & edge[columns.destination])[path_of_hop])
    if not len(hops):
        raise InputError(f"'{parameters.routing}' has no paths between endpoints of '{parameters.fabric}'")
    drawn = np.random.default_rng(seed).choice(hops, size=parameters.packets)
    path = path_of_hop[drawn]
    before = np.where(drawn > columns.offsets[path], columns.channels[drawn - 1], -1)
    upward = np.zeros(len(drawn), dtype=np.bool_)
    kept = np.zeros(len(drawn), dtype=np.bool_)
    for place, channel in enumerate(columns.channels[drawn]):
        upward[place] = layered.upward[channel]
        kept[place] = layered.goes_on(int(channel), int(before[place]), int(columns.destination[path[place]]))
        if place % 100 == 0:
            advance(0.2 + 0.6 * place / len(drawn))
    damaged = fabric.without(links=parameters.lost, seed=seed)
    together = routing.acyclic_together(tulle.route(damaged, parameters.routing, seed))
    figures = {
        "kept": 100 * float(kept.mean()),
        "kept_up": 100 * float(kept[upward].mean()) if upward.any() else None,
        "kept_down": 100 * float(kept[~upward].mean()) if not upward.all() else None,
        "cycle": int(len(together.cycle) > 0),
    }
    table = Columns({"upward": upward.astype(np.int8), "kept": kept.astype(np.int8)})
    return Rows(table, figures, {"packets": len(drawn)})


class _Layered:
    """The channels of a fabric by the layers that they connect: virtual layers, or levels of switches."""

    def __init__(self, fabric: tulle.Fabric) -> None:
        self.channels = fabric.channels
        self.reverse = fabric.reverse
        if len(fabric.virtual_layers):
            self.layers: NDArray[np.integer[Any]] = fabric.virtual_layers
        elif fabric.levels.any():
            self.layers = fabric.levels[self.channels]
        else:
            raise InputError(f"'{fabric.spec}' has neither virtual layers nor levels; legal: flattenedclos, clos, …")
        self.upward: NDArray[np.bool_] = self.layers[:, 1] > self.layers[:, 0]
        start = self.layers[:, 0]
        self.by_layer = [
            [np.flatnonzero((start == layer) & (self.upward == up)) for layer in range(start.max() + 1)]
            for up in (False, True)
        ]
        self.switches = fabric.num_switches

    def goes_on(self, failed: int, before: int, destination: int) -> bool:
        """Whether a packet that came over channel `before` (−1: from its host) can continue without channel `failed`.

        The packet follows an up-down path, like its original path: first upward through virtual layers, then downward.
        """
        lost = (failed, int(self.reverse[failed]))
        # For each switch: the lowest layer in which a downward path to the destination starts, and the highest layer in
        # which a path starts that first goes upward.
        low = np.full(self.switches, _NONE)
        high = np.full(self.switches, -1)
        for layer, own in enumerate(self.by_layer[0]):
            source, target = self._ends(own, lost)
            on = (target == destination) | (low[target] < layer)
            low[source[on]] = np.minimum(low[source[on]], layer)
        for layer in reversed(range(len(self.by_layer[1]))):
            source, target = self._ends(self.by_layer[1][layer], lost)
            on = (target == destination) | (low[target] < _NONE) | (high[target] > layer)
            high[source[on]] = np.maximum(high[source[on]], layer)
        here = self.channels[failed, 0]
        if before < 0:
            return bool(low[here] < _NONE or high[here] >= 0)
        layer = self.layers[before, 1]
        if self.upward[before]:
            return bool(low[here] < _NONE or high[here] >= layer)
        return bool(low[here] <= layer)

    def _ends(self, own: NDArray[np.intp], lost: tuple[int, int]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        ends = self.channels[own[~np.isin(own, lost)]]
        return ends[:, 0], ends[:, 1]


MEASUREMENT = Measurement(
    name="rerouting",
    example={"fabric": "fattree:levels=2,radix=4", "routing": "minimal"},
    summary="packets that meet a failed cable and continue on an up-down path; dependency cycles of old and new paths",
    paper="Flattened Clos §7.1, Fig. 10, §7.2",
    parameters=Rerouting,
    resolve=resolve,
    inputs=inputs,
    measure=measure,
    figures=(
        Metric("kept", "% that continue"),
        Metric("kept_up", "% that continue, upward hops"),
        Metric("kept_down", "% that continue, downward hops"),
        Metric("cycle", "cycles of old and new paths", usually_zero=True),
    ),
    note="Percentage of packets that can still reach their destination without turning from down to up, if the cable "
    "of a random hop of their path has failed.",
    rows_file="packets.csv",
)
