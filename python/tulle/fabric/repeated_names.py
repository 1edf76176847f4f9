"""Find switches, endpoints and cables with the same name, and ports with two cables, in fabrics that files describe."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import brief

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from tulle.fabric.fabric import Fabric

__all__ = ["repeated_name", "repeated_part"]


def repeated_name(fabric: Fabric) -> str:
    """Return a sentence about a port that has two cables, or about two cables with the same name; empty if none."""
    known = fabric.properties
    ports, host_ports = known.get("ports", []), known.get("endpoint_ports", [])
    names = known.get("cable_names", [])
    if not ports and not host_ports and not names:
        return ""
    edges, labels = fabric.edges.tolist(), fabric.labels
    # The ends of cables at switches: two per cable, then one per endpoint. Each is a switch and a port.
    ends = [end for edge, row in zip(edges, ports, strict=False) for end in zip(edge, row, strict=True)]
    between = len(ends)
    ends += zip(fabric.endpoint_switch.tolist(), host_ports, strict=False)
    if pair := _equal([end if end[1] else None for end in ends]):
        to = [
            labels[edges[at // 2][1 - at % 2]] if at < between else fabric.endpoint_names[at - between] for at in pair
        ]
        switch, port = ends[pair[0]]
        return (
            f"port {brief(port)} of switch {brief(labels[switch])} has two cables, to {brief(to[0])} and {brief(to[1])}"
        )
    if pair := _equal([name or None for name in names]):
        return _cables(fabric, pair, "named")
    return ""


def repeated_part(fabric: Fabric) -> str:
    """Return a sentence about two switches or two endpoints with the same name; empty if there are none."""
    for what, names in (("switches", fabric.labels), ("endpoints", fabric.endpoint_names)):
        if pair := _equal(names):
            return f"two {what} are named {brief(names[pair[0]])}: ids {pair[0]} and {pair[1]}"
    # A cable without a name is called SWITCH--SWITCH, so names with `--` can give two cables the same name.
    if any("--" in label for label in fabric.labels) and (pair := _equal(fabric.cable_names)):
        return _cables(fabric, pair, "called") + "; only their ports distinguish them"
    return ""


def _cables(fabric: Fabric, pair: tuple[int, int], verb: str) -> str:
    one, two = (" and ".join(brief(fabric.labels[switch]) for switch in fabric.edges[row].tolist()) for row in pair)
    return f"two cables are {verb} {brief(fabric.cable_names[pair[0]])}: between {one}, and between {two}"


def _equal(values: Iterable[Hashable]) -> tuple[int, int] | None:
    """Return the positions of two equal values other than None; None if there are no such values."""
    seen: dict[Hashable, int] = {}
    for row, value in enumerate(values):
        if value is not None and (first := seen.setdefault(value, row)) != row:
            return first, row
    return None
