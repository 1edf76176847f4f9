"""The names and MAC addresses of switches and hosts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.deploy.ethernet.addressing import Addressing
    from tulle.fabric import Fabric

__all__ = ["host_mac", "host_names", "switch_mac", "switch_names"]

_ILLEGAL = re.compile(r"[^A-Za-z0-9]+")
# A host name has at most 63 characters (RFC 1123). 13 of them are left for suffixes that make equal names unique.
_LONGEST = 50


def switch_names(fabric: Fabric, addressing: Addressing) -> tuple[str, ...]:
    """The names of switches as unique host names (RFC 1123).

    If a label is a number, the name is made from the switch's number in addresses, for example ``s37``.
    """
    rows = zip(fabric.labels, addressing.numbers, strict=True)
    return _distinct((_legal(label, number), number) for label, number in rows)


def host_names(fabric: Fabric, addressing: Addressing, switches: tuple[str, ...]) -> tuple[str, ...]:
    """The names of endpoints as unique host names; endpoints without a name get one like ``s37-h2``."""
    named = fabric.properties.get("endpoint_names") or [""] * fabric.num_endpoints
    at = fabric.endpoint_switch.tolist()
    taken = set(switches)
    names = []
    for name, switch, place in zip(named, at, addressing.places, strict=True):
        own = f"{switches[switch]}-h{place}"
        one, again = _legal(name, None) if name else own, 0
        while one in taken:
            one, again = own if not again else f"{own}-{again}", again + 1
        taken.add(one)
        names.append(one)
    return tuple(names)


def _legal(label: str, number: int | None) -> str:
    text = _ILLEGAL.sub("-", label).strip("-")[:_LONGEST].strip("-").lower()
    if number is not None and (not text or text.isdigit()):
        return f"s{number}"
    return text if text[:1].isalpha() else f"{'h' if number is None else 's'}{text}"


def _distinct(rows: Iterable[tuple[str, int]]) -> tuple[str, ...]:
    taken: set[str] = set()
    names = []
    for name, number in rows:
        one, again = name, 0
        while one in taken:
            one, again = f"{name}-{number}" if not again else f"{name}-{number}-{again}", again + 1
        taken.add(one)
        names.append(one)
    return tuple(names)


def switch_mac(number: int, port: int) -> str:
    """The MAC address of a switch port: locally administered (IEEE 802), with the switch's number and the port's."""
    return _mac(0x02 << 40 | number << 16 | port)


def host_mac(number: int, place: int) -> str:
    """The MAC address of a host, from the number of its switch and its own number at that switch."""
    return _mac(0x06 << 40 | number << 16 | place)


def _mac(value: int) -> str:
    return value.to_bytes(6, "big").hex(":")
