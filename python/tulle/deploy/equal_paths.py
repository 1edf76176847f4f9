"""A note on routings that use only some of the equally short paths, which costs throughput."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.routing.routing import Routing

__all__ = ["unused_equal_paths"]

_LARGEST = 4096
"""For more switches, the comparison would take many seconds."""
_ENOUGH = 0.8
"""Shares of the throughput of minimal routing from this value on need no note."""


def unused_equal_paths(routing: Routing) -> str | None:
    """Return a line if a routing's paths are as short as minimal ones, but its busiest link is much busier.

    The loads are those of even traffic between all pairs of switches with endpoints, over all layers. Routings with
    longer paths get no line, because they use other links on purpose.
    """
    from tulle.routing.routing import route

    fabric, layers = routing.fabric, routing.num_layers
    if not layers or routing.spec.startswith("minimal") or fabric.num_switches > _LARGEST or not fabric.num_cables:
        return None
    own, minimal = routing.paths_over() / layers, route(fabric, "minimal").paths_over()
    if own.sum() > minimal.sum() * (1 + 1e-6):
        return None
    share = float(_busiest(routing, minimal) / _busiest(routing, own))
    if share >= _ENOUGH:
        return None
    # With as many layers as a switch with endpoints has uplinks, D-mod-k uses each of them.
    uplinks = int(np.bincount(fabric.channels[:, 0])[fabric.endpoint_switch].max(initial=0))
    more = ""
    if _tulle.spec_name(routing.spec) == "updown" and layers < uplinks < 256:
        more = f"; updown:layers={uplinks} uses more of them"
    return (
        f"{routing.spec} uses {'one' if layers == 1 else 'some'} of several equally short paths: if all hosts send to "
        f"all others, it carries about {share:.1%} of the throughput of minimal, which uses all of them{more}"
    )


def _busiest(routing: Routing, load: NDArray[np.float64]) -> float:
    """Return the largest load of a channel, relative to its rate if all rates are known."""
    rates = routing.fabric.link_rate
    return float((load / rates).max() if (rates > 0).all() else load.max())
