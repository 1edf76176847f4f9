"""Fabrics: networks of switches, cables and endpoints."""

from tulle._internal.lazy import attach

# `TYPE_CHECKING` is defined here, because importing `typing` takes longer than loading this file.
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
    # Type checkers must not see `__getattr__`: with it, they accept any name in this module.
    __getattr__, __dir__ = attach(__name__, _HOMES)
