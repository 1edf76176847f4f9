"""Read link rules, which set properties of links by class, and find links of which a property is unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tulle import _tulle
from tulle._internal.text import counted, verb
from tulle.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tulle.fabric.fabric import Fabric

Links = str | Sequence[str] | Mapping[str, str | Mapping[str, str]]
"""Link rules: ``"global:latency=500ns"`` or a list of such texts; or ``{"global": {"latency": "500ns"}}`` or
``{"global": "latency=500ns"}``."""

_LEGAL = "legal: ['global:latency=500ns,rate=200Gbps', …] or {'global': {'latency': '500ns'}, …}"


def read_links(links: Links | None) -> list[str]:
    """Return the rules of `links` in canonical form, in order.

    Raises
    ------
    tulle.InputError
        If `links` is neither a sequence of texts nor a mapping.
    tulle.SpecError
        For a rule with a syntax error or an illegal value.
    """
    if links is None:
        return []
    if isinstance(links, str):
        return [_tulle.canonical_link(links)]
    if isinstance(links, Mapping):
        return [_tulle.canonical_link(_rule(name, known)) for name, known in links.items()]
    if not isinstance(links, Sequence) or not all(isinstance(rule, str) for rule in links):
        raise InputError(f"links={links!r} are not rules; {_LEGAL}")
    return [_tulle.canonical_link(rule) for rule in links]


def _rule(name: str, known: str | Mapping[str, str]) -> str:
    if isinstance(known, str):
        return f"{name}:{known}"
    if not isinstance(known, Mapping) or not all(isinstance(value, str) for value in known.values()):
        raise InputError(f"links: {name}={known!r} is not a rule; {_LEGAL}")
    return _tulle.join_spec(name, [*known.items()])


def partly_unknown(fabric: Fabric, name: str, *, endpoints: bool = True) -> str:
    """Return how many links lack a property, for example ``2 cables and 8 endpoint links have an unknown rate``.

    The text is empty if the property is known for all links, or for none. `endpoints` says whether it counts the links
    of endpoints.
    """
    channels, ends = _unknown(fabric, name)
    if (not channels.any() and not ends.any()) or (channels.all() and ends.all()):
        return ""
    # A cable may have a known property in one direction only.
    cables = int((channels | channels[fabric.reverse])[fabric.cables].sum())
    counts = {"cable": cables, "endpoint link": int(ends.sum()) if endpoints else 0}
    parts = " and ".join(counted(count, what) for what, count in counts.items() if count)
    return f"{parts} {verb(sum(counts.values()), 'has', 'have')} an unknown {name}" if parts else ""


def rules_for_unknown(fabric: Fabric, name: str, value: str) -> str:
    """Return the options ``--link`` that set a property of all links that lack it.

    A rule sets all links of a class. If a class also has links with a known property, the text says so.
    """
    channels, ends = _unknown(fabric, name)
    every = f"--link all:{name}={value}"
    if channels.all() and ends.all():
        return every
    of_class = {of: channels[fabric.classes == at] for at, of in enumerate(fabric.class_names)} | {"endpoint": ends}
    lacking = {of: unknown.all() for of, unknown in of_class.items() if unknown.any()}
    if all(lacking.values()):
        return " ".join(f"--link {of}:{name}={value}" for of in lacking)
    cables = (channels | channels[fabric.reverse])[fabric.cables]
    one = f"--link {fabric.cable_names[cables.argmax()]}:{name}={value} for one cable, or " if cables.any() else ""
    return f"{one}{every} for all links, also those whose {name} is known"


def _unknown(fabric: Fabric, name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return for every channel and for every endpoint whether a property of its link is unknown."""
    return getattr(fabric, f"link_{name}") < 0, getattr(fabric, f"endpoint_{name}") < 0
