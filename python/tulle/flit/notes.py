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
        # ugal, par and recycle are often better over the routing minimal, so the note does not recommend layers.
        how = (
            "with via=layer its detours use the other layers"
            if name in ("ugal", "par", "recycle")
            else "for example, recycle:via=layer uses all layers"
        )
        notes.append(f"selector {name} uses only layer 0 of the {routing.num_layers} layers; {how}")
    if routing.num_layers == 1 and by_layer:
        notes.append(f"the routing has one layer, so all routes of selector {name} with via=layer are minimal")
    if routing.num_layers == 1 and name in ("ksp-adaptive", "ksp-ugal"):
        notes.append(f"the routing has one layer, so selector {name} compares no paths of other layers")
    return notes
