"""Count the links whose rate or another property is unknown, and find a rule that sets only these links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import counted, verb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric.fabric import Fabric

__all__ = ["link_rules", "partly_unknown"]


def partly_unknown(fabric: Fabric, name: str, *, endpoints: bool = True) -> str:
    """Return how many links lack a property, for example ``2 cables and 8 endpoint links have an unknown rate``.

    Parameters
    ----------
    name
        The property: ``rate``, ``latency`` or ``length``.
    endpoints
        Whether the text also counts the links of endpoints.

    Returns
    -------
    str
        Empty if the property is known for all links or for none, or if the text would count no link.
    """
    channels, ends = _unknown(fabric, name)
    unknown = np.concatenate([channels, ends])
    if unknown.all() or not unknown.any():
        return ""
    forward = np.asarray(fabric.cables)
    # A cable may have a known property in one direction only.
    cables = int(np.count_nonzero(channels[forward] | channels[np.asarray(fabric.reverse)[forward]]))
    counts = {"cable": cables, "endpoint link": int(np.count_nonzero(ends)) if endpoints else 0}
    parts = " and ".join(counted(count, what) for what, count in counts.items() if count)
    return f"{parts} {verb(sum(counts.values()), 'has', 'have')} an unknown {name}" if parts else ""


def link_rules(fabric: Fabric, name: str, value: str) -> str:
    """Return a hint with the options ``--link`` that set a property of all links that lack it.

    A rule sets all links of a class. If a class also has links with a known property, the hint says so.
    """
    channels, ends = _unknown(fabric, name)
    classes, names = fabric.classes, fabric.class_names
    lacking = [(names[at], channels[classes == at]) for at in range(len(names))] + [("endpoint", ends)]
    lacking = [(of, unknown) for of, unknown in lacking if unknown.any()]
    if channels.all() and ends.all():
        return f"--link all:{name}={value}"
    if all(unknown.all() for _, unknown in lacking):
        return " ".join(f"--link {of}:{name}={value}" for of, _ in lacking)
    return f"--link all:{name}={value} (it sets all links, also those whose {name} is known)"


def _unknown(fabric: Fabric, name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for every channel and for every endpoint whether a property of its link is unknown."""
    return getattr(fabric, f"link_{name}") < 0, getattr(fabric, f"endpoint_{name}") < 0
