"""Read the routes of a switch: output of ``ip -json route show table all`` or ``ip route``, or of FRR."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tulle._internal.reading import read_text
from tulle.cabling.source import shown
from tulle.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

__all__ = ["Routes", "Way", "alive_hops", "gateway_of", "read_frr", "read_routes"]


class Way(NamedTuple):
    """A next hop."""

    port: str
    """The interface."""
    gateway: str | None
    """The address of the next switch; None if the destination is on the link."""
    weight: int


Routes = dict[str, tuple[Way, ...]]
"""The next hops in use, by prefix (single addresses too have a prefix length); empty if no next hop is in use."""

# The names of the main table, which forwards packets, in the outputs of `ip`.
_MAIN = (None, "main", "254", 254)
# The protocol of routes that the kernel adds for the switch's own addresses.
_OWN = ("kernel", "2")
_DEAD = {"dead", "linkdown"}
_TYPES = {"local", "broadcast", "multicast", "anycast", "unreachable", "prohibit", "blackhole", "throw", "unicast"}


def read_routes(path: str | PathLike[str]) -> Routes:
    """Read the unicast routes of the main table, by prefix.

    Default routes, and routes that the kernel adds for the switch's own addresses, are skipped.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not the output of ``ip route``.
    """
    place = Path(path)
    text = read_text(place)
    found: dict[str, list[Way]] = {}
    rows = _json_rows(place, text) if text.lstrip().startswith("[") else _text_rows(place, text)
    # Read all rows first: in text, the next hops of a route follow in later lines.
    for prefix, ways in list(rows):
        # Older kernels print one IPv6 route per next hop.
        found.setdefault(_whole(prefix), []).extend(ways)
    return {prefix: tuple(ways) for prefix, ways in found.items()}


def _json_rows(path: Path, text: str) -> Iterator[tuple[str, list[Way]]]:
    legal = "legal: the output of ip -json route show table all"
    rows = _parsed(path, text, legal)
    try:
        for row in rows:
            if not isinstance(row, dict):
                raise FormatError(f"{path}: {_brief(row)} is not a route; {legal}")
            if row.get("table") not in _MAIN or row.get("type", "unicast") != "unicast":
                continue
            if row.get("protocol") in _OWN or row["dst"] == "default":
                continue
            hops = [Way(hop["dev"], gateway_of(hop), int(hop.get("weight", 1))) for hop in alive_hops(row)]
            yield row["dst"], hops
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: a route has an invalid or missing value: {error}; {legal}") from None


def alive_hops(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the next hops whose links are up, of a route in the output of ``ip -json``."""
    return [hop for hop in row.get("nexthops", [row]) if not _DEAD & {*hop.get("flags", ())}]


def gateway_of(hop: dict[str, Any]) -> str | None:
    """Return the address of a next hop in the output of ``ip -json``."""
    via = hop.get("via")
    return hop.get("gateway") or (via.get("host") if isinstance(via, dict) else None)


def _text_rows(path: Path, text: str) -> Iterator[tuple[str, list[Way]]]:
    if text and not text.endswith("\n"):
        raise FormatError(f"{path}: the last line is cut off; legal: the complete output of ip route")
    current: list[Way] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if line[0] in " \t" and words[0] == "nexthop":
            current.extend(_way(path, number, words[1:]))
            continue
        kind = words.pop(0) if words[0] in _TYPES else "unicast"
        if not words or not (words[0] == "default" or words[0][0].isalnum()):
            raise FormatError(f"{path}:{number}: not a route; legal: the output of ip route")
        # A new list is necessary, because the caller still uses the list of the previous route.
        current = []
        attributes = _attributes(words[1:])
        forwards = kind == "unicast" and words[0] != "default" and attributes.get("table") in _MAIN
        if "dev" in attributes:
            current.extend(_way(path, number, words[1:]))
        if forwards and attributes.get("proto") not in _OWN:
            yield words[0], current


def _way(path: Path, number: int, words: list[str]) -> list[Way]:
    attributes = _attributes(words)
    weight = attributes.get("weight", "1")
    if "dev" not in attributes or not weight.isdigit():
        raise FormatError(
            f"{path}:{number}: a next hop without dev or with an invalid weight; legal: the output of ip route"
        )
    return [] if _DEAD & {*words} else [Way(attributes["dev"], attributes.get("via"), int(weight))]


def _attributes(words: list[str]) -> dict[str, str]:
    found = {}
    for at, word in enumerate(words[:-1]):
        if word in ("via", "dev", "proto", "table", "weight"):
            value = words[at + 1]
            found[word] = words[at + 2] if value in ("inet", "inet6") and at + 2 < len(words) else value
    return found


def read_frr(path: str | PathLike[str]) -> Routes:
    """Read the routes that zebra has selected, by prefix; connected, local, kernel and default routes are skipped.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not the output of ``vtysh -c 'show ip route json'``.
    """
    place = Path(path)
    legal = "legal: the output of vtysh -c 'show ip route json'"
    found: Routes = {}
    try:
        for prefix, routes in _parsed(place, read_text(place), legal, dict).items():
            ways: list[Way] = []
            if not isinstance(routes, list) or not all(isinstance(route, dict) for route in routes):
                raise FormatError(f"{place}: {_brief(prefix)} has no routes, but {_brief(routes)}; {legal}")
            for route in routes:
                if route["protocol"] in ("connected", "local", "kernel"):
                    break
                if route.get("selected") and route.get("installed", True):
                    alive = [hop for hop in route.get("nexthops", ()) if hop.get("active")]
                    ways += [Way(hop["interfaceName"], hop.get("ip"), int(hop.get("weight", 1))) for hop in alive]
            else:
                found[_whole(prefix)] = tuple(ways)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{place}: a route has an invalid or missing value: {error}; {legal}") from None
    found.pop("0.0.0.0/0", None)
    found.pop("::/0", None)
    return found


def _brief(value: object) -> str:
    return shown(json.dumps(value, ensure_ascii=False))


def _parsed(path: Path, text: str, legal: str, kind: type = list) -> Any:
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{path}: no JSON: {error}; {legal}") from None
    if not isinstance(rows, kind):
        raise FormatError(f"{path}: the JSON value is a {type(rows).__name__}; {legal}")
    return rows


def _whole(prefix: str) -> str:
    if "/" in prefix:
        return prefix
    return f"{prefix}/{128 if ':' in prefix else 32}"
