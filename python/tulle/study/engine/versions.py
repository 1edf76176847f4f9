"""The libraries beside tulle that compute the figures of a run, whose versions may change them."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

_COMPUTE = ("numpy", "scipy", "highspy", "igraph", "pymetis")
# Draws, and computes nothing: plots are made from stored runs.
_DRAW = "matplotlib"


def computing() -> dict[str, str | None]:
    """The versions of the libraries that compute, part of every run's identity; None where one is not installed."""
    return {name: _version(name) for name in _COMPUTE}


def all_versions() -> dict[str, str | None]:
    """The versions of all libraries that the files of a run directory come from."""
    return {**computing(), _DRAW: _version(_DRAW)}


@cache
def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
