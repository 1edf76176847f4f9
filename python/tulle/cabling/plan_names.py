"""Make names of devices that are valid in labels, as host names, and in files of other tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.cabling.source import shown
from tulle.fabric.hosts import host_ends

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.cabling.plan import End
    from tulle.design.placement import Layout
    from tulle.fabric import Fabric

_COORDINATES = re.compile(r"\(\d+(?:,\d+)*\)$")
# Blanks, control characters, and characters that separate values in the files of other tools.
_ILLEGAL = re.compile(r"[\s\x00-\x1f\x7f-\x9f\"',;<>\[\]{}()\\]+")
# The names of a Slim Fly's coordinates. The names of its switches have other letters: s, r and i for subgroup, rack and
# switch, as in the paper on the Slim Fly deployment.
_SLIM_FLY = ("subgraph", "x", "y")


def switch_names(fabric: Fabric) -> list[str]:
    """Return the name of every switch. It is the label of the switch, or made from family and coordinates."""
    names = []
    prefix, letters = _scheme(fabric)
    for label in fabric.labels:
        if _COORDINATES.match(label):
            values = label[1:-1].split(",")
            marks = letters if len(letters) == len(values) else [""] * len(values)
            names.append("-".join([prefix, *(mark + value for mark, value in zip(marks, values, strict=True))]))
        else:
            name = legal(label)
            names.append(f"{prefix}-{name}" if name.isdigit() else name)
    return distinct(names)


def endpoint_ends(layout: Layout, switches: list[str]) -> list[End]:
    """Return the host and the port of every endpoint.

    If the fabric names its endpoints, these names are used. Otherwise the host name consists of the switch and a
    number, and the port is 1. Endpoints that are ports of one host have the same host name. If the layout has hosts
    with several NICs, their ports are 1, 2, ….
    """
    if layout.nics_per_host > 1:
        return _shared_ends(layout, switches)
    return fabric_ends(layout.fabric, switches)


def fabric_ends(fabric: Fabric, switches: list[str]) -> list[End]:
    """Return the host and the port of every endpoint, as `endpoint_ends` does for hosts with one NIC."""
    prefix = f"{_scheme(fabric)[0]}-"
    taken: dict[int, int] = {}
    seen: set[End] = set()
    # `names` lists the hosts in order. `rows` has for each endpoint the index of its host in `names`, and its port.
    names: list[str] = []
    of_host: dict[str, int] = {}
    rows: list[tuple[int, str]] = []
    for (host, port), switch in zip(host_ends(fabric), fabric.endpoint_switch.tolist(), strict=True):
        number = taken[switch] = taken.get(switch, -1) + 1
        at = of_host.get(host) if port and (host, port) not in seen else None
        if at is None:
            at = len(names)
            names.append(legal(host) or f"node-{switches[switch].removeprefix(prefix)}-{number}")
            if port:
                of_host.setdefault(host, at)
        seen.add((host, port))
        rows.append((at, legal(port) or "1"))
    names = distinct(names, switches)
    return [(names[at], port) for at, port in rows]


def _shared_ends(layout: Layout, switches: list[str]) -> list[End]:
    """Return the host and the port of every endpoint, for a layout whose hosts have several NICs.

    A fabric does not name such hosts, so `Layout.endpoint_host` tells which endpoints share a host.
    """
    prefix = f"{_scheme(layout.fabric)[0]}-"
    names: list[str] = []
    # Host -> its index in `names`, and the number of its ports that already have a cable.
    of_host: dict[int, list[int]] = {}
    taken: dict[int, int] = {}
    rows = []
    for host, switch in zip(layout.endpoint_host.tolist(), layout.fabric.endpoint_switch.tolist(), strict=True):
        if host not in of_host:
            number = taken[switch] = taken.get(switch, -1) + 1
            of_host[host] = [len(names), 0]
            names.append(f"node-{switches[switch].removeprefix(prefix)}-{number}")
        of_host[host][1] += 1
        rows.append(tuple(of_host[host]))
    names = distinct(names, switches)
    return [(names[at], str(port)) for at, port in rows]


def known_names(labels: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return for each device its name in the network if it differs from the name in the plan, otherwise empty."""
    return [
        "" if label == name or not label or label.isdigit() or _COORDINATES.match(label) else label
        for label, name in zip(labels, names, strict=True)
    ]


def changed_names(names: Iterable[tuple[str, str]], what: str) -> list[str]:
    """Return a note on devices that are called otherwise in an output: their number, and the first three.

    Parameters
    ----------
    names
        The name of each device in the network, and its name in the output.
    what
        The output, for example ``this plan``.
    """
    pairs = [(before, after) for before, after in names if known_names([before], [after]) != [""]]
    if not pairs:
        return []
    first = ", ".join(f"{shown(before)} is {shown(after)}" for before, after in pairs[:3])
    more = ", …" if len(pairs) > 3 else ""
    devices = f"{counted(len(pairs), 'device')} {verb(len(pairs), 'has another name', 'have other names')}"
    return [f"{devices} in {what} than in the network: {first}{more}"]


def is_slim_fly(fabric: Fabric) -> bool:
    """Return whether the fabric has the coordinates of a Slim Fly."""
    return fabric.coordinate_names == _SLIM_FLY


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Make names unique by appending a number to repeated names and to names in `taken`."""
    seen, found = set(taken), []
    for name in names:
        made, number = name, 1
        while made in seen:
            number += 1
            made = f"{name}-{number}"
        seen.add(made)
        found.append(made)
    return found


def legal(name: str) -> str:
    """Replace the characters of a name that are illegal in labels, host names or files of other tools."""
    return _ILLEGAL.sub("-", name).strip("-")


def _scheme(fabric: Fabric) -> tuple[str, list[str]]:
    """Return the prefix of switch names, and the letters before the coordinates."""
    if is_slim_fly(fabric):
        return "sf", ["s", "r", "i"]
    letters = [name[0] for name in fabric.coordinate_names]
    return legal(fabric.family) or "switch", letters if len({*letters}) == len(letters) else []
