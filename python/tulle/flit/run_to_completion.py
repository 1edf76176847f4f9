"""Exchanges in the flit simulator: all messages of a workload, from the first flit to the last."""

from __future__ import annotations

from functools import cached_property
from math import isnan
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tulle import _tulle
from tulle._internal.arrays import frozen
from tulle._internal.html_summary import Overview, Shown, flat
from tulle._internal.results import Recorded, same_record
from tulle._internal.runtime import reporting
from tulle._internal.settings import documented, merge
from tulle.fabric import as_fabric
from tulle.flit.configuration import ClosedLoopSettings, Settings, configure, resolve, whole
from tulle.flit.options import DEFAULTS, EXCHANGE_DEFAULTS, EXCHANGE_HELP, EXCHANGE_NUMBERS, HELP
from tulle.packet.outcome import MICROSECOND
from tulle.routing.routing import as_routing
from tulle.workload import as_workload

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from typing_extensions import Unpack

    from tulle.fabric import Fabric
    from tulle.flit.options import ExchangeSettings, FlitConfiguration
    from tulle.flit.outcome import FlitDeadlock, FlitProgress
    from tulle.routing.routing import Routing
    from tulle.workload import Workload

__all__ = ["ExchangeSimulation", "simulate_exchange"]

# Flit size in bytes of the router `diameter-two`, and the default for other routers.
FLIT_BYTES = 256


@documented(ClosedLoopSettings, {**DEFAULTS, **EXCHANGE_DEFAULTS}, {**HELP, **EXCHANGE_HELP})
def simulate_exchange(
    fabric: Fabric | str,
    routing: Routing | str,
    workload: Workload | str,
    *,
    seed: int = 0,
    progress: Callable[[FlitProgress], object] | None = None,
    **settings: Unpack[ClosedLoopSettings],
) -> ExchangeSimulation:
    """Send all messages of a workload through the flit simulator until they have arrived.

    A message is split into packets; if the last packet is not full, it is padded. A message that depends on another
    message can start one cycle after the last flit of that message has arrived. With ``software`` or ``gap``, it can
    start one cycle after the receiver has handled that message. The result depends only on the arguments other than
    ``threads``. The simulation releases the interpreter's lock.

    Parameters
    ----------
    fabric, routing
        The network and its routing.
    workload
        The messages, or the spec of a workload; see ``tulle list traffics``.
    seed
        Seed of all random choices, including the workload's spec.
    progress
        Called about twenty times a second; an exception that it raises ends the run.
    settings
        The options of `tulle.flit.configuration.ClosedLoopSettings`.

    Raises
    ------
    tulle.SpecError
        For an unknown router, selector, policy or traffic, or an illegal value.
    tulle.InputError
        For arguments that conflict, for a configuration that can deadlock, and for messages with start times if the
        duration of a cycle is unknown.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("oft:k=3")
    >>> routing = tulle.route(fabric, "minimal")
    >>> result = tulle.simulate_exchange(
    ...     fabric, routing, "all-to-all:bytes=7680B", router="diameter-two", link_latency=2
    ... )
    >>> result.complete, len(result.arrival) == fabric.num_endpoints * (fabric.num_endpoints - 1)
    (True, True)
    """
    fabric = as_fabric(fabric, seed)
    routing = as_routing(fabric, routing, seed)
    workload = as_workload(fabric, workload, seed)
    given = merge(EXCHANGE_DEFAULTS, ClosedLoopSettings, settings, ("seed",))
    own = {name: given.pop(name) for name in EXCHANGE_DEFAULTS}
    for name in EXCHANGE_NUMBERS:
        own[name] = None if own[name] is None else whole(name, own[name])
    configuration = resolve(configure(0.0, seed, given, Settings))
    packets = count_packets(workload, configuration["packet"], own["flit_bytes"])
    with reporting(progress, lambda state: (state.delivered, packets)) as observe:
        core = _tulle.flit_exchange(
            routing._core, workload._core, configuration, cast("ExchangeSettings", own), observe
        )
    return ExchangeSimulation(core, workload, {**configuration, "policy": core.policy})


def count_packets(workload: Workload, packet: int, flit_bytes: int | None) -> int:
    """Return the number of packets of all messages, for packets of `packet` flits."""
    size = packet * (FLIT_BYTES if flit_bytes is None else flit_bytes)
    return int((-(-workload.bytes // size)).sum()) if size else 0


class ExchangeSimulation(Shown):
    """The result of `tulle.simulate_exchange`; cycles count from 0, the start of the run."""

    def __init__(
        self, core: _tulle.ExchangeOutcome | Recorded, workload: Workload, configuration: FlitConfiguration
    ) -> None:
        self._core = core
        self.workload = workload
        self.configuration = configuration

    @property
    def complete(self) -> bool:
        """Whether every message arrived."""
        return self._core.complete

    @property
    def cycles(self) -> int:
        """Number of cycles until all messages arrived: the last arrival plus one.

        If messages are missing, the number of simulated cycles.
        """
        return self._core.counters()["cycles"]

    @property
    def completion_us(self) -> float | None:
        """Completion time in microseconds; None if messages are missing, or if the duration of a cycle is unknown."""
        cycle = self._core.cycle_ps
        return self.cycles * cycle / MICROSECOND if self.complete and cycle is not None else None

    @property
    def throughput(self) -> float | None:
        """Mean payload rate of the sending endpoints, as a fraction of the link rate (Kathareios et al., SC15, §4.4).

        The value is 1 if all senders send equally much and their links are never idle. It is None if messages are
        missing.
        """
        return self.figures["throughput"]

    @cached_property
    def figures(self) -> dict[str, float | None]:
        """Results: ``throughput``, ``network_latency_mean``, ``hops_mean`` and ``minimal``.

        ``network_latency_mean``: mean cycles from the sending of a packet's first flit to the arrival of its last flit
        (None if messages are missing). ``hops_mean``: mean number of cables between switches that a packet crosses.
        ``minimal``: the fraction of packets on minimal routes, as in `tulle.flit.FlitSimulation.minimal`.
        """
        return {name: None if isnan(value) else value for name, value in self._core.figures().items()}

    @cached_property
    def start(self) -> NDArray[np.int64]:
        """The cycle from which each message could be sent, int64 (n,); −1 if it could never be sent.

        With ``software`` or ``gap``, the cycle from which its sender could handle it.
        """
        return frozen(self._core.start())

    @cached_property
    def arrival(self) -> NDArray[np.int64]:
        """The cycle in which each message's last flit arrived, int64 (n,); −1 if it did not arrive.

        With ``software`` or ``gap``, the last cycle in which the receiver handled the message.
        """
        return frozen(self._core.arrival())

    @cached_property
    def latency(self) -> NDArray[np.float64]:
        """Cycles from each message's start to its arrival, float64 (n,); NaN if it did not arrive."""
        return frozen(np.where(self.arrival < 0, np.nan, self.arrival - self.start))

    @cached_property
    def channel_load(self) -> NDArray[np.float64]:
        """Flits per cycle that each channel carried, float64 (C,)."""
        return frozen(self._core.channel_load())

    @cached_property
    def counters(self) -> dict[str, int]:
        """Counters: ``cycles``, ``messages``, ``senders``, packets ``sent`` and ``delivered``, flit ``traversals``."""
        return self._core.counters()

    @cached_property
    def deadlock(self) -> FlitDeadlock | None:
        """The deadlock that ended the run; None if there was no deadlock."""
        return self._core.deadlock()

    @property
    def warnings(self) -> list[str]:
        """Warnings about the run, one line each, including the number of messages that did not arrive."""
        return self._core.warnings

    def summary(self) -> dict[str, Any]:
        """Return all results of the run as numbers. Latencies are in cycles and cover the messages that arrived."""
        arrived = np.sort(self.latency[self.arrival >= 0])
        # The latency percentile p99 is the lowest latency that at least 99% of the messages do not exceed; other
        # percentiles accordingly.
        ranks = {"p50": 0.5, "p99": 0.99, "max": 1.0}
        return {
            "complete": self.complete,
            "cycles": self.cycles,
            "completion_us": self.completion_us,
            **self.figures,
            "latency_mean": float(arrived.mean()) if len(arrived) else None,
            **{
                f"latency_{name}": int(arrived[int(np.ceil(share * len(arrived))) - 1]) if len(arrived) else None
                for name, share in ranks.items()
            },
            "flit_bytes": self._core.flit_bytes,
            "cycle_ps": self._core.cycle_ps,
            "deadlock": None if self.deadlock is None else self.deadlock["text"],
            "counters": self.counters,
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExchangeSimulation):
            return NotImplemented
        return (
            self.workload == other.workload
            and self.configuration == other.configuration
            and same_record(self._core, other._core)
        )

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return ExchangeSimulation, (Recorded.of(self._core), self.workload, self.configuration)

    def _overview(self) -> Overview:
        told = flat(self.summary(), without=("counters",))
        latencies = {name: "cycles" for name in told if "latency" in name}
        values = {"messages": len(self.workload), **told}
        return Overview("ExchangeSimulation", self.workload.spec, values, units=latencies)

    def __repr__(self) -> str:
        state = "" if self.complete else ", not complete"
        return f"<ExchangeSimulation: {len(self.workload)} messages in {self.cycles} cycles{state}>"
