"""Notes on selectors that do not choose among the layers of a routing."""

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


def transport_notes(transport: str, selector: str | None) -> list[str]:
    """Say if the transport, and not the given selector, chooses the layers of data."""
    name, _, arguments = transport.partition(":")
    chosen = (selector or "").partition(":")[0]
    # `letflow` still chooses ports within the layer.
    if name != "mptcp" or "subflows=1" in arguments.split(",") or chosen in ("", "letflow"):
        return []
    return [f"with mptcp, the transport chooses the layers of data, not selector {chosen}"]
