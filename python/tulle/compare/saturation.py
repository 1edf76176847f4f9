"""Measure saturation throughput, a row of the comparison, with uniform traffic in the flit simulator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.compare.card import CardMetric
from tulle.flit.run import simulate_flits

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing

METRICS = {"saturation": CardMetric("saturation, uniform", "high")}
# Number of virtual channels: the default of BookSim2. A path needs one virtual channel per hop, also after failures.
_VCS = 16
# Number of cycles of the warm-up, and of the measurement after it. A run takes a second for a thousand endpoints.
# Longer runs change the accepted load only by a few percent.
_CYCLES = 1000
LAYERS = "ugal:via=layer,direct=shortest,candidates=4,bias=16"
"""Selector for layers. It is adaptive: it uses minimal paths unless the queues of these paths are long."""
PATHS = "ksp-ugal"
"""Selector for path sets. It is adaptive, too."""


def measure(fabric: Fabric, routing: Routing, seed: int) -> dict[str, float | None]:
    """Return the accepted load at offered load 1.

    Raises
    ------
    tulle.InputError
        If a path has more hops than there are virtual channels, so that packets could deadlock.
    """
    found = simulate_flits(
        fabric,
        routing,
        load=1.0,
        seed=seed,
        vcs=_VCS,
        selector=LAYERS if routing.num_paths is None else PATHS,
        warmup=_CYCLES,
        window=_CYCLES,
        drain=0,
    )
    return {"saturation": found.accepted}
