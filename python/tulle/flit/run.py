"""Run a flit simulation at one offered load, or find the load at which a network saturates."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tulle import _tulle
from tulle._internal.arguments import read_fraction, read_seed
from tulle._internal.html_summary import of_fields
from tulle._internal.runtime import reporting
from tulle._internal.settings import documented
from tulle.errors import InputError
from tulle.fabric import as_fabric
from tulle.flit.configuration import OpenLoopSettings, configure, resolve
from tulle.flit.options import DEFAULTS, HELP
from tulle.flit.outcome import FlitSimulation
from tulle.routing.routing import as_routing
from tulle.workload import as_workload, refuse_matrix

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Unpack

    from tulle.fabric import Fabric
    from tulle.flit.outcome import FlitProgress
    from tulle.routing import Routing
    from tulle.workload import Workload

# Windows of this many cycles are long enough to find most loads above saturation.
_LONG_WINDOW = 3000


class Saturation(NamedTuple):
    """The saturation load of a network, in flits per cycle and sending endpoint.

    ``accepted`` is the accepted load at offered load 1. ``by_latency`` is the highest tested load at which no mean
    latency exceeds 500 cycles. ``runs`` is the number of simulations, ``deadlock`` tells whether a deadlock ended one
    of them, and ``policy`` is the policy that they used.
    """

    accepted: float
    """Accepted load at offered load 1."""
    by_latency: float
    """The highest tested load at which no mean latency exceeds 500 cycles. See the option ``saturation``.

    The criterion is from "Multi-path routing in the Jellyfish network", §IV-A.
    """
    runs: int
    """Number of simulations run."""
    deadlock: bool
    """Whether a deadlock ended one of the simulations."""
    policy: str
    """The policy that the simulations used. It differs from the setting if ``datelines`` replaced ``hops``."""
    warnings: tuple[str, ...] = ()
    """Warnings, one line each."""

    def _repr_html_(self) -> str:
        load = "flits per cycle and endpoint"
        return of_fields(self, units={"accepted": load, "by_latency": load}).html()


@documented(OpenLoopSettings, DEFAULTS, HELP)
def simulate_flits(
    fabric: Fabric | str,
    routing: Routing | str,
    traffic: str | Workload = "uniform",
    *,
    load: float = DEFAULTS["load"],
    seed: int = 0,
    progress: Callable[[FlitProgress], object] | None = None,
    **settings: Unpack[OpenLoopSettings],
) -> FlitSimulation:
    """Simulate traffic over a routed fabric cycle by cycle, with virtual channels and credits.

    A link carries one flit per cycle. Endpoints create packets at random (Bernoulli, or in bursts with the traffic
    ``bursts``) and queue them without limit until the network accepts them. Channel dependencies are checked first.
    Configurations that can deadlock are refused, unless ``may_deadlock`` is set. The result depends only on the
    arguments other than ``threads``. The simulation releases the interpreter's lock.

    Parameters
    ----------
    fabric, routing
        The network and its routing.
    traffic
        A pattern of ``tulle list flit-traffics``, for example ``"uniform"``; or a workload, or its spec (``tulle list
        traffics``), from whose messages destinations are drawn at random.
    load
        Flits per cycle that every sending endpoint offers, 0 to 1.
    seed
        Seed of all random choices, including the traffic.
    progress
        Called about twenty times a second with the progress of the run; an exception that it raises ends the run.
        Without it, runs of more than two seconds show a progress bar on a terminal or in a notebook.
    settings
        The options of `tulle.flit.configuration.OpenLoopSettings`. ``vcs`` is the number of virtual channels per port,
        which replaces the number in the router's spec.

    Raises
    ------
    tulle.SpecError
        For an unknown router, selector, policy or traffic, or an illegal value.
    tulle.InputError
        For arguments that conflict, and for a configuration that can deadlock; the message shows the cycle.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("slimfly:q=5")
    >>> result = tulle.simulate_flits(fabric, tulle.route(fabric, "minimal"), "uniform", load=0.3, vcs=2, seed=1)
    >>> round(result.accepted, 2)
    0.3
    """
    fabric = as_fabric(fabric, seed)
    routing = as_routing(fabric, routing, seed)
    configuration = resolve(configure(load, seed, settings))
    longest = configuration["warmup"] + configuration["window"]
    with reporting(progress, lambda state: (state.cycle, longest)) as observe:
        core = _tulle.flit(routing._core, _traffic(fabric, traffic, seed), configuration, observe)
    return FlitSimulation(core, {**configuration, "policy": core.policy}, fabric)


@documented(OpenLoopSettings, DEFAULTS, HELP)
def saturation(
    fabric: Fabric | str,
    routing: Routing | str,
    traffic: str | Workload = "uniform",
    *,
    precision: float = 0.01,
    seed: int = 0,
    progress: Callable[[FlitProgress], object] | None = None,
    **settings: Unpack[OpenLoopSettings],
) -> Saturation:
    """Find where a network saturates, by two criteria: accepted load at offered load 1, and latency.

    By the second criterion, a network saturates at the highest offered load at which no mean latency exceeds 500 cycles
    ("Multi-path routing in the Jellyfish network", §IV-A). The option ``saturation`` chooses the means: of the packets
    that arrive in a sample, or BookSim2's means, which include the packets in flight. The other parameters and the
    errors are the same as in `tulle.simulate_flits`.

    Parameters
    ----------
    precision
        The criterion of latency is tested at offered loads that are multiples of this number.
    settings
        The options of `tulle.flit.configuration.OpenLoopSettings`.

    Examples
    --------
    >>> import tulle
    >>> fabric = tulle.Fabric("clique:degree=1,p=4")
    >>> found = tulle.saturation(fabric, tulle.route(fabric, "minimal"), "off-diagonal:offset=4", vcs=2)
    >>> round(found.accepted, 2)
    0.25
    """
    if given := {"load", "loads"} & settings.keys():
        raise InputError(f"saturation takes no {given.pop()}=, because it searches for the load; legal: precision=")
    fabric = as_fabric(fabric, seed)
    routing = as_routing(fabric, routing, seed)
    configuration = resolve(configure(1.0, seed, settings))
    destinations = _traffic(fabric, traffic, seed)
    longest = configuration["warmup"] + configuration["window"]
    with reporting(progress, lambda state: (state.cycle, longest)) as observe:
        found = _tulle.flit_saturation(
            routing._core, destinations, configuration, read_fraction("precision", precision), observe
        )
    warnings: tuple[str, ...] = ()
    if configuration["saturation"] == "arrivals" and configuration["window"] < _LONG_WINDOW:
        problem = f"in a window of {configuration['window']} cycles, queues may not have the time to fill"
        warnings = (f"{problem}, and by_latency may be too high; use a window of 5000 cycles, or the rule booksim",)
    return Saturation(*found, warnings)


def _traffic(fabric: Fabric, traffic: str | Workload, seed: int) -> _tulle.FlitTraffic:
    if isinstance(traffic, str):
        refuse_matrix(traffic)
        return _tulle.flit_traffic(fabric._core, traffic, read_seed(seed), None)
    return _tulle.flit_traffic(fabric._core, "", 0, as_workload(fabric, traffic)._core)
