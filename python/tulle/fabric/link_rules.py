"""Read link rules, which set properties of links by class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tulle import _tulle
from tulle.errors import InputError

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
