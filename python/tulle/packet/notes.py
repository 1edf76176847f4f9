"""Notes on selectors that do not use the layers of a routing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.routing import Routing

_LAYER_0 = ("ecmp", "spray", "letflow")
"""Selectors that use only layer 0."""


def layer_notes(routing: Routing, selector: str | None) -> list[str]:
    """Say if the given selector uses only layer 0 of several layers."""
    name = (selector or "").partition(":")[0]
    # A path set has no layers.
    if name not in _LAYER_0 or routing.num_layers <= 1:
        return []
    return [f"selector {name} uses only layer 0 of the {routing.num_layers} layers"]
