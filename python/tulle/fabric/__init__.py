"""Fabrics: networks of switches, cables and endpoints."""

from tulle._internal.lazy import attach

# Defined here, because importing `typing` takes longer than loading this file.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from tulle.fabric.fabric import Fabric as Fabric
    from tulle.fabric.fabric import as_fabric as as_fabric
    from tulle.fabric.fabric import build_with_failures as build_with_failures

_HOMES = {
    "Fabric": "tulle.fabric.fabric",
    "as_fabric": "tulle.fabric.fabric",
    "build_with_failures": "tulle.fabric.fabric",
}

__all__ = [*_HOMES]

if not TYPE_CHECKING:
    # Hidden from type checkers: they would accept every name in a module that defines `__getattr__`.
    __getattr__, __dir__ = attach(__name__, _HOMES)
