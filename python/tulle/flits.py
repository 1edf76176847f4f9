"""The flit simulator: lossless networks with virtual channels and credits, cycle by cycle."""

from __future__ import annotations

from functools import cached_property
from math import isnan
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

from tulle import _tulle
from tulle._arguments import read_seed
from tulle._arrays import frozen
from tulle._inputs import as_fabric, as_routing, as_spec, as_workload
from tulle._value import Recorded, same_record
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from tulle.fabric import Fabric
    from tulle.routing import Routing
    from tulle.workload import Workload

__all__ = ["FlitDeadlock", "FlitProgress", "FlitSimulation", "Saturation", "flit", "saturation"]

# Mean latency of a sample in cycles from which the Jellyfish paper (§IV-A) speaks of saturation.
SATURATED = 500.0

FlitProgress = _tulle.FlitProgress
"""How far a simulation is: the ``cycle``, packets of the window ``delivered``, and flits ``in_flight``."""


class FlitConfiguration(TypedDict):
    """What a flit simulation needs beside fabric, routing and traffic; times are in cycles."""

    router: str
    selector: str
    policy: str
    load: float
    packet: int
    latency: int
    class_latency: list[tuple[str, int]]
    endpoint_latency: int
    warmup: int
    settle: float | None
    window: int
    drain: int
    sample: int
    seed: int
    threads: int
    may_deadlock: bool


class FlitDeadlock(TypedDict):
    """Buffers that wait for each other in a circle.

    ``cycle`` in which it was found, ``channels`` with their virtual channels, each waiting for the next, all in words.
    """

    cycle: int
    channels: list[tuple[int, int]]
    text: str


class Saturation(NamedTuple):
    """Where a network saturates, in flits per cycle and sending endpoint."""

    accepted: float
    """Accepted load at offered load 1."""
    by_latency: float
    """The highest offered load at which no sample's mean latency exceeds 500 cycles (Jellyfish §IV-A)."""
    runs: int
    """Simulations made."""
    deadlock: bool
    """Whether a deadlock ended one of them."""


def flit(
    fabric: Fabric | str,
    routing: Routing | str,
    traffic: str | Workload = "uniform",
    *,
    load: float = 0.3,
    vcs: int | None = None,
    seed: int = 0,
    progress: Callable[[FlitProgress], object] | None = None,
    **settings: Any,
) -> FlitSimulation:
    """Simulates traffic over a routed fabric cycle by cycle, with virtual channels and credits.

    In a cycle a link carries one flit. Endpoints create packets at random (Bernoulli) and keep them without limit until
    the network takes them. Before anything runs, channel dependencies are tested: what can deadlock is refused. The
    result depends on the arguments alone, ``threads`` not among them. Runs without the interpreter's lock.

    Parameters
    ----------
    fabric, routing
        The network and its routing.
    traffic
        ``"uniform"`` and others of ``tulle list flit-traffics``, or any of ``tulle list traffics``, whose destinations
        are drawn from; or a workload.
    load
        Flits per cycle that every sending endpoint offers, 0 to 1.
    vcs
        Virtual channels per port; None: as the router's spec says, 4 where that does not either.
    seed
        Of all random choices, those of the traffic included.
    progress
        Called about twenty times a second with how far the run is; what it raises ends the run.
    settings
        ``router`` (``"input-queued"``), ``selector`` (``"minimal"``) and ``policy`` (``"hops"``): specs, see ``tulle
        list routers``, ``… flit-selectors``, ``… policies``. ``packet`` (flits, 1), ``latency`` of cables (10),
        ``class_latency`` (cycles by channel class), ``endpoint_latency`` (1), ``warmup`` (500), ``window`` (5000) and
        the longest ``drain`` (20000), ``sample`` (500): cycles. With
        ``settle`` (None; BookSim2 has 0.05) ``warmup`` is the longest, and ends once two samples in a row differ by
        less than this share, in latency and accepted load. ``threads`` (1). ``may_deadlock`` (False): whether to
        run what can deadlock.

    Raises
    ------
    tulle.SpecError
        For an unknown router, selector, policy or traffic, or an illegal value.
    tulle.InputError
        For what does not go together, and what can deadlock, with the cycle.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("slimfly:q=5")
    >>> result = tulle.flit(fabric, tulle.route(fabric, "minimal"), "uniform", load=0.3, vcs=2, seed=1)
    >>> round(result.accepted, 2)
    0.3
    """
    fabric = as_fabric(fabric, seed)
    routing = as_routing(fabric, routing, seed)
    configuration = configure(load, vcs, seed, settings)
    core = _tulle.flit(routing._core, _traffic(fabric, traffic, seed), configuration, progress)
    return FlitSimulation(core, configuration)


def saturation(
    fabric: Fabric | str,
    routing: Routing | str,
    traffic: str | Workload = "uniform",
    *,
    precision: float = 0.01,
    vcs: int | None = None,
    seed: int = 0,
    progress: Callable[[FlitProgress], object] | None = None,
    **settings: Any,
) -> Saturation:
    """Where a network saturates, by accepted load at offered load 1 and by the Jellyfish paper's rule of 500 cycles.

    The rule is looked for at offered loads that are multiples of ``precision``. The other parameters and the errors are
    those of `flit`.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("clique:degree=1,p=4")
    >>> found = tulle.saturation(fabric, tulle.route(fabric, "minimal"), "off-diagonal:offset=4", vcs=2)
    >>> round(found.accepted, 2)
    0.25
    """
    fabric = as_fabric(fabric, seed)
    routing = as_routing(fabric, routing, seed)
    configuration = configure(1.0, vcs, seed, settings)
    destinations = _traffic(fabric, traffic, seed)
    return Saturation(*_tulle.flit_saturation(routing._core, destinations, configuration, float(precision), progress))


def configure(load: float, vcs: int | None, seed: int, settings: Mapping[str, Any]) -> FlitConfiguration:
    """The configuration of a simulation, defaults filled in, numbers checked as far as that concerns Python."""
    unknown = [name for name in settings if name not in DEFAULTS]
    if unknown:
        raise InputError(f"unknown setting '{unknown[0]}'; legal: {', '.join(DEFAULTS)}")
    values: dict[str, Any] = {**DEFAULTS, **settings}
    for name, default in DEFAULTS.items():
        if isinstance(default, int) and not isinstance(default, bool):
            values[name] = whole(name, values[name])
    for name in ("router", "selector", "policy"):
        as_spec(name, values[name], DEFAULTS[name])
    classes = dict(values["class_latency"] or {})
    values["class_latency"] = [(str(name), whole(f"class_latency of {name}", at)) for name, at in classes.items()]
    if values["settle"] is not None:
        values["settle"] = float(values["settle"])
    values["router"] = with_vcs(values["router"], vcs)
    return cast("FlitConfiguration", {"load": float(load), "seed": read_seed(seed), **values})


def with_vcs(router: str, vcs: int | None) -> str:
    """The spec of a router with so many virtual channels."""
    if vcs is None:
        return router
    name, arguments = _tulle.split_spec(router)
    for key, value in arguments:
        if key == "vcs":
            raise InputError(f"vcs={vcs}, and {key}={value} in the router; legal: one of them")
    return _tulle.join_spec(name, [*arguments, ("vcs", str(vcs))])


DEFAULTS: dict[str, Any] = {
    "router": "input-queued",
    "selector": "minimal",
    "policy": "hops",
    "packet": 1,
    "latency": 10,
    "class_latency": None,
    "endpoint_latency": 1,
    "warmup": 500,
    "settle": None,
    "window": 5000,
    "drain": 20_000,
    "sample": 500,
    "threads": 1,
    "may_deadlock": False,
}


def whole(name: str, value: Any) -> int:
    """A whole number of 32 bits."""
    most = (1 << 32) - 1
    try:
        number = index(value)
    except TypeError:
        raise InputError(f"{name}={value!r} is not a whole number; legal: 0 to {most}") from None
    if not 0 <= number <= most:
        raise InputError(f"{name}={number} is out of range; legal: 0 to {most}")
    return number


def _traffic(fabric: Fabric, traffic: str | Workload, seed: int) -> _tulle.FlitTraffic:
    if isinstance(traffic, str):
        return _tulle.flit_traffic(fabric._core, traffic, read_seed(seed), None)
    return _tulle.flit_traffic(fabric._core, "", 0, as_workload(fabric, traffic)._core)


class FlitSimulation:
    """What a flit simulation found. Made by `tulle.flit`."""

    def __init__(self, core: _tulle.FlitOutcome | Recorded, configuration: FlitConfiguration) -> None:
        self._core = core
        self.configuration = configuration

    @cached_property
    def figures(self) -> dict[str, float | None]:
        """``offered`` and ``accepted`` load, ``latency``, ``network_latency``, ``hops`` and ``minimal``; see there."""
        return {name: None if isnan(value) else value for name, value in self._core.figures().items()}

    @property
    def accepted(self) -> float:
        """Flits that arrived in the window, per cycle and sending endpoint."""
        return self._core.figures()["accepted"]

    @property
    def latency(self) -> float | None:
        """Mean cycles from the creation of a packet until its last flit arrived; None where none did.

        Over the packets created in the window that arrived.
        """
        return self.figures["latency"]

    @property
    def network_latency(self) -> float | None:
        """The same from the moment the source sent the first flit; None unless all packets of the window arrived."""
        return self.figures["network_latency"]

    @property
    def hops(self) -> float | None:
        """Mean cables crossed between switches."""
        return self.figures["hops"]

    @property
    def minimal(self) -> float | None:
        """The share of packets that went by a shortest path."""
        return self.figures["minimal"]

    @cached_property
    def percentiles(self) -> dict[str, int | None]:
        """Latency that half (``p50``), 90% (``p90``), 99% (``p99``) and 99.9% (``p999``) do not exceed, in cycles.

        None where no packet arrived.
        """
        return dict(zip(("p50", "p90", "p99", "p999"), self._core.percentiles or [None] * 4, strict=True))

    @property
    def complete(self) -> bool:
        """Whether every packet created in the window arrived."""
        return self._core.complete

    @property
    def exceeds_500_cycles(self) -> bool:
        """Whether the Jellyfish paper (§IV-A) calls this saturated: a sample's mean latency is above 500 cycles."""
        window, sample = self.configuration["window"], self.configuration["sample"]
        of_window = self.samples[: -(-window // sample)]
        return self.deadlock is not None or bool((of_window > SATURATED).any())

    @cached_property
    def samples(self) -> NDArray[np.float64]:
        """Mean latency per sample of the window and the drain, NaN for none, float64."""
        return frozen(self._core.samples())

    @cached_property
    def channel_load(self) -> NDArray[np.float64]:
        """Flits per cycle that each channel carried in the window, float64 (C,)."""
        return frozen(self._core.channel_load())

    @cached_property
    def counters(self) -> dict[str, int]:
        """Packets of the window ``created`` and ``delivered``, and ``warmup``, its first cycle.

        Of the whole run ``cycles``, ``traversals`` (flits through a router), ``created_flits`` and ``delivered_flits``.
        ``to_oneself``: messages of the traffic whose destination is their source, for which nothing is sent.
        """
        return self._core.counters()

    @cached_property
    def deadlock(self) -> FlitDeadlock | None:
        """The deadlock that ended the run, None where nothing did."""
        return self._core.deadlock()

    @property
    def warnings(self) -> list[str]:
        """What should be known about the configuration, in a line each."""
        return self._core.warnings

    def summary(self) -> dict[str, Any]:
        """All numbers of the run."""
        return {
            **self.figures,
            **{f"latency_{name}": value for name, value in self.percentiles.items()},
            "complete": self.complete,
            "exceeds_500_cycles": self.exceeds_500_cycles,
            "deadlock": None if self.deadlock is None else self.deadlock["text"],
            "counters": self.counters,
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FlitSimulation):
            return NotImplemented
        return self.configuration == other.configuration and same_record(self._core, other._core)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return FlitSimulation, (Recorded.of(self._core), self.configuration)

    def __repr__(self) -> str:
        return f"<FlitSimulation: accepted {self.accepted:.4g} of {self.configuration['load']:g}>"
