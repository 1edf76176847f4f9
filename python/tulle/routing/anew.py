"""Routing a damaged fabric from nothing, for comparison with rerouting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.errors import InputError
from tulle.routing.routing import Routing, route

if TYPE_CHECKING:
    from tulle.fabric import Fabric

__all__ = ["routed_anew"]


def routed_anew(routing: Routing, damaged: Fabric) -> Routing | None:
    """Route `damaged` as `routing` was: by its scheme and seed.

    None if it was not made by a scheme (its seed is None: files, arrays, rerouting), or if its scheme cannot route what
    is left, as ``updown`` if two leaves lost their common ancestors.
    """
    if routing.seed is None:
        return None
    try:
        return route(damaged, routing.spec, routing.seed)
    except InputError:
        return None
