"""Compute a new routing for a damaged fabric with the original scheme, for comparison with rerouting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.errors import InputError
from tulle.routing.routing import Routing, route

if TYPE_CHECKING:
    from tulle.fabric import Fabric

__all__ = ["recomputed"]


def recomputed(routing: Routing, damaged: Fabric) -> Routing | None:
    """Route the damaged fabric with the scheme and seed of `routing`.

    The result is None if no scheme made `routing` (it came from a file, arrays or rerouting), or if the scheme cannot
    route the damaged fabric. For example, ``updown`` fails if two leaves have no common ancestor left.
    """
    if routing.seed is None:
        return None
    try:
        return route(damaged, routing.spec, routing.seed)
    except InputError:
        return None
