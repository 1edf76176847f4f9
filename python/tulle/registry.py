"""What is registered: the names that specs start with, their parameters, papers and limitations."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypedDict

from tulle import _tulle
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = (
    "fabrics",
    "routings",
    "deadlocks",
    "traffics",
    "transports",
    "selectors",
    "queues",
    "nics",
    "faults",
    "metrics",
    "routers",
    "flit-selectors",
    "policies",
    "flit-traffics",
)


class Parameter(TypedDict):
    """One parameter of a registered thing."""

    name: str
    kind: dict[str, Any]
    """Its ``type`` (``integer``, ``word``, ``duration``, …), and what that has: ``min`` and ``max``, ``words``, …."""
    note: str
    """What the type cannot say of it."""
    legal: str
    """Type and note in words."""
    default: str
    """Empty where it must be given."""
    derived: bool
    """Whether the default is told in words, as it follows from other parameters."""
    help: str


class Entry(TypedDict):
    """What a registered thing says of itself."""

    name: str
    summary: str
    parameters: list[Parameter]
    nested: bool
    paper: str
    limitations: str
    examples: list[str]


def registered(kind: str) -> list[Entry]:
    """What is registered under `kind`, in the order of the registry.

    Parameters
    ----------
    kind
        One of ``fabrics``, ``routings``, ``deadlocks``, ``traffics``, ``transports``, ``selectors``, ``queues``,
        ``nics``, ``faults`` (in time), ``metrics``; of the flit simulator ``routers``, ``flit-selectors``,
        ``policies``, and ``flit-traffics``: those it has beside ``traffics``.

    Raises
    ------
    tulle.InputError
        For any other kind.
    """
    if kind not in KINDS:
        raise InputError(f"unknown kind '{kind}'; {did_you_mean(kind, KINDS)}")
    if kind == "metrics":
        from tulle.analysis.metrics import entries

        return entries()
    return _tulle.registered(kind)


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """``did you mean a or b?`` for near names, otherwise ``legal: …`` with all of them."""
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else f"legal: {', '.join(names)}"
