"""Measure the saturation row: uniform traffic in the flit simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.compare.card import CardMetric
from tulle.flit.run import simulate_flits

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing

FIGURES = {"saturation": CardMetric("saturation, uniform", "high")}
# The number of VCs that BookSim2 has by default. Every route needs one per hop, also after failures.
_VCS = 16
# Cycles of a run: it takes a second for a thousand endpoints, and longer runs change the accepted load by a few
# percent.
_CYCLES = 1000
# Adaptive selectors: minimal paths unless their queues are long. With one layer there is nothing to choose.
_LAYERS = "ugal:via=layer,direct=shortest,candidates=4,bias=16"
_PATHS = "ksp-ugal"


def measure(fabric: Fabric, routing: Routing, seed: int) -> dict[str, float | None]:
    """Return the accepted load at offered load 1.

    Raises
    ------
    tulle.InputError
        If routes have too many hops for the virtual channels, so that they could deadlock.
    """
    found = simulate_flits(
        fabric,
        routing,
        load=1.0,
        seed=seed,
        vcs=_VCS,
        selector=_LAYERS if routing.num_paths is None else _PATHS,
        warmup=_CYCLES,
        window=_CYCLES,
        drain=0,
    )
    return {"saturation": found.accepted}
