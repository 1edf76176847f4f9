"""Versions of the libraries that tulle computes with, because another version may change results."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version

_COMPUTE = ("numpy", "scipy", "highspy", "igraph", "pymetis")
# matplotlib draws plots from stored runs and does not change results.
_DRAW = "matplotlib"


def computing() -> dict[str, str | None]:
    """Return the versions of the computing libraries, which are part of every run's id; None for missing libraries."""
    return {name: _version(name) for name in _COMPUTE}


def all_versions() -> dict[str, str | None]:
    """Return the versions of all libraries that the files of a run directory depend on."""
    return {**computing(), _DRAW: _version(_DRAW)}


@cache
def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
