"""Fabrics: networks of switches, cables and endpoints."""

from tulle._internal.lazy import attach

# Not from typing, which takes longer to load than this file.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from tulle.fabric.fabric import Fabric as Fabric
    from tulle.fabric.fabric import as_fabric as as_fabric
    from tulle.fabric.fabric import build_failed as build_failed

_HOMES = {
    "Fabric": "tulle.fabric.fabric",
    "as_fabric": "tulle.fabric.fabric",
    "build_failed": "tulle.fabric.fabric",
}

__all__ = [*_HOMES]

attach(__name__, _HOMES)
