"""The row of saturation: uniform traffic, flit by flit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.compare.card import Figure
from tulle.flit.run import simulate_flits

if TYPE_CHECKING:
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing

FIGURES = {"saturation": Figure("saturation, uniform", "high")}
# As many as BookSim2 has by default; a class per hop of every route, those after failures included.
_VCS = 16
# A run of this length takes a second for a thousand endpoints; accepted load moves by a few percent in longer ones.
_CYCLES = 1000


def measure(fabric: Fabric, routing: Routing, seed: int) -> dict[str, float | None]:
    """The load accepted at offered load 1.

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
        selector="random",
        warmup=_CYCLES,
        window=_CYCLES,
        drain=0,
    )
    return {"saturation": found.accepted}
