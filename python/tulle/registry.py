"""What is registered: the names that specs start with, their parameters, papers and limitations."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Literal, TypedDict

from tulle import _tulle
from tulle.errors import InputError

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


class Kind(TypedDict, total=False):
    """The type of a parameter, with its legal range."""

    type: Literal[
        "integer", "number", "fraction", "duration", "bytes", "rate", "word", "flag", "shape", "spec", "path", "text"
    ]
    """A duration is in picoseconds, bytes are bytes, a rate is in bits per second; a shape is sizes joined by x."""
    min: float
    """The least, of each size of a shape."""
    max: float | None
    """The most."""
    above: bool
    """Whether ``min`` itself is illegal."""
    words: Sequence[str]
    """The choices; of a flag those for true and false."""
    of: str
    """What the spec is of, as ``fabric``."""
    alternative: str
    """A word that is legal beside and stands for none."""


class Described(TypedDict):
    """A parameter in words."""

    name: str
    legal: str
    """What is legal."""
    default: str
    """Where none is given; empty where one must be."""
    help: str


class Parameter(Described, total=False):
    """One parameter of a registered thing."""

    kind: Kind
    note: str
    """What is legal beside its kind, in words."""
    derived: bool
    """Whether the default is in words, as it follows from other parameters or from what is at hand."""


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


def did_you_mean(name: str, names: tuple[str, ...] | list[str]) -> str:
    """``did you mean a or b?`` for near names, otherwise ``legal: …`` with all of them."""
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(near)}?" if near else f"legal: {', '.join(names)}"
