"""Results of a flit simulation."""

from __future__ import annotations

from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any, TypedDict

from tulle import _tulle
from tulle._internal.arrays import frozen
from tulle._internal.html_summary import Overview, Shown, flat
from tulle._internal.results import Recorded, same_record

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.flit.options import FlitConfiguration

FlitProgress = _tulle.FlitProgress
"""The progress of a simulation: the ``cycle``, the number of packets ``delivered`` (of those created in the measurement
window, if there is one), and the number of flits ``in_flight``."""


class FlitDeadlock(TypedDict):
    """A deadlock: buffers that wait for each other in a cycle.

    ``cycle`` is the clock cycle in which the deadlock was found. ``channels`` lists pairs of channel and virtual
    channel, each waiting for the next one. ``text`` describes the deadlock.
    """

    cycle: int
    channels: list[tuple[int, int]]
    text: str


class FlitSimulation(Shown):
    """The result of a flit simulation. Made by `tulle.simulate_flits`."""

    def __init__(self, core: _tulle.FlitOutcome | Recorded, configuration: FlitConfiguration, fabric: Fabric) -> None:
        self._core = core
        self.configuration = configuration
        self.fabric: Fabric = fabric
        """The simulated network."""

    @cached_property
    def figures(self) -> dict[str, float | None]:
        """The main results by name; None if unknown.

        ``offered`` is the offered load in flits per cycle and sending endpoint. The other results have the names of
        properties of this class: ``accepted``, ``latency_mean``, ``network_latency_mean``, ``hops_mean`` and
        ``minimal``.
        """
        return {name: None if isnan(value) else value for name, value in self._core.figures().items()}

    @property
    def accepted(self) -> float:
        """Accepted load: flits that arrived in the measurement window, per cycle and sending endpoint."""
        return self._core.figures()["accepted"]

    @property
    def latency_mean(self) -> float | None:
        """Mean cycles from the creation of a packet to the arrival of its last flit; None if no packet arrived.

        The mean includes only packets that were created in the measurement window and arrived.
        """
        return self.figures["latency_mean"]

    @property
    def network_latency_mean(self) -> float | None:
        """Mean cycles from the sending of a packet's first flit to the arrival of its last flit.

        It differs from `latency_mean`, which also counts the wait in the queue of the source. None unless all packets
        created in the measurement window arrived.
        """
        return self.figures["network_latency_mean"]

    @property
    def hops_mean(self) -> float | None:
        """Mean number of cables between switches that a packet crosses; None if no packet arrived."""
        return self.figures["hops_mean"]

    @property
    def minimal(self) -> float | None:
        """The fraction of packets that took a minimal route; None if no packet arrived.

        A minimal route is layer 0 without an intermediate switch, or a path with as few hops as the first path of its
        pair of switches.
        """
        return self.figures["minimal"]

    @cached_property
    def percentiles(self) -> dict[str, int | None]:
        """Percentiles of packet latency in cycles: ``p50`` (median), ``p90``, ``p99`` and ``p999`` (99.9%).

        Values above 1023 cycles are rounded up by at most 1/512. None if no packet arrived.
        """
        return dict(zip(("p50", "p90", "p99", "p999"), self._core.percentiles or [None] * 4, strict=True))

    @property
    def complete(self) -> bool:
        """Whether every packet created in the window arrived."""
        return self._core.complete

    @property
    def saturated(self) -> bool:
        """Whether one of the `latency_checks` is above 500 cycles, or a deadlock ended the run.

        "Multi-path routing in the Jellyfish network" (§IV-A) calls a network saturated if a mean latency is above 500
        cycles.
        """
        return self._core.exceeds_500_cycles

    @cached_property
    def latency_checks(self) -> NDArray[np.float64]:
        """Mean latencies in cycles that the option ``saturation`` compares with 500 cycles, float64, one per check.

        ``arrivals``: the `samples` of the measurement window. ``booksim``: BookSim2's means after each sample of the
        window, then every 1000 cycles until the last measured packet arrived. They include the ages of flits in flight.
        NaN for a mean over no packets.
        """
        return frozen(self._core.latency_checks())

    @cached_property
    def samples(self) -> NDArray[np.float64]:
        """Mean latency in cycles of the packets that arrived in each sample, float64; NaN for samples without packets.

        Only packets created in the measurement window count. A sample is a fixed number of cycles. The first sample
        begins with the window, and the last one is the last in which such a packet arrived.
        """
        return frozen(self._core.samples())

    @cached_property
    def channel_load(self) -> NDArray[np.float64]:
        """Flits per cycle that each channel carried in the window, float64 (C,)."""
        return frozen(self._core.channel_load())

    @cached_property
    def counters(self) -> dict[str, int]:
        """Counters of the window: packets (``created``, ``delivered``), and its first cycle (``warmup``).

        Counters of the whole run are ``cycles``, ``traversals`` (flits through a router), ``created_flits`` and
        ``delivered_flits``. ``to_oneself`` counts messages whose destination is their source; these send no packets.
        """
        return self._core.counters()

    @cached_property
    def deadlock(self) -> FlitDeadlock | None:
        """The deadlock that ended the run; None if there was no deadlock."""
        return self._core.deadlock()

    def plot_load(self, on: str | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw the flits per cycle of every channel as a heat map; see `channel_load`.

        Parameters
        ----------
        on, ax
            As in `tulle.Routing.plot_load`.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        tulle.SpecError, tulle.InputError, tulle.MissingDependencyError
            As in `tulle.Routing.plot_load`.
        """
        from tulle.plot.load import plot_load

        return plot_load(self.fabric, self.channel_load, "flits per cycle", on, ax=ax)

    @property
    def warnings(self) -> list[str]:
        """Warnings about the configuration and the warm-up, one line each."""
        return self._core.warnings

    def summary(self) -> dict[str, Any]:
        """All numbers of the run."""
        return {
            **self.figures,
            **{f"latency_{name}": value for name, value in self.percentiles.items()},
            "cycles": self.counters["cycles"],
            "complete": self.complete,
            "saturated": self.saturated,
            "deadlock": None if self.deadlock is None else self.deadlock["text"],
            "counters": self.counters,
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FlitSimulation):
            return NotImplemented
        return self.configuration == other.configuration and same_record(self._core, other._core)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return FlitSimulation, (Recorded.of(self._core), self.configuration, self.fabric)

    def _overview(self) -> Overview:
        told = flat(self.summary(), without=("counters",))
        loads = dict.fromkeys(("offered", "accepted"), "flits per cycle and endpoint")
        latencies = {name: "cycles" for name in told if "latency" in name}
        return Overview("FlitSimulation", self.fabric.spec, told, units={**loads, **latencies})

    def __repr__(self) -> str:
        return f"<FlitSimulation: accepted {self.accepted:.4g} of {self.configuration['load']:g}>"
