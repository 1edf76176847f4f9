"""Notes on selectors that do not use the layers of a routing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.routing import Routing

_LAYER_0 = ("minimal", "single-path", "valiant", "ugal", "ugal-g", "par", "recycle")
"""Selectors that use only layer 0 without ``via=layer``."""


def layer_notes(routing: Routing, selector: str) -> list[str]:
    """Say if a selector uses only layer 0 of several layers, or if a parameter for layers has no effect."""
    if routing.num_paths is not None:
        return []
    name, _, parameters = selector.partition(":")
    given = parameters.split(",")
    by_layer = "via=layer" in given
    notes = []
    if "direct=shortest" in given and not by_layer:
        notes.append(f"direct=shortest of selector {name} has no effect without via=layer")
    if name in _LAYER_0 and not by_layer and routing.num_layers > 1:
        other = name if name in ("ugal", "par") else "recycle"
        notes.append(
            f"selector {name} uses only layer 0 of the {routing.num_layers} layers; "
            f"selector {other}:via=layer uses all layers"
        )
    if by_layer and routing.num_layers == 1:
        notes.append(f"the routing has one layer, so all routes of selector {name} with via=layer are minimal")
    return notes
