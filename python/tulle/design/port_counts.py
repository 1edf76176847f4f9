"""Count the used ports of each switch, and the ports that a switch model must have to replace it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.fabric import Fabric

__all__ = ["ports_needed", "ports_used"]

# A port name of more digits is not a port number but another id, for example an interface index.
_MOST_DIGITS = 3


def ports_used(fabric: Fabric) -> NDArray[np.int64]:
    """Count the ports of every switch that have a cable, int64 (S,)."""
    degree = np.bincount(np.asarray(fabric.channels)[:, 0], minlength=fabric.num_switches)
    return degree + np.bincount(fabric.endpoint_switch, minlength=fabric.num_switches)


def ports_needed(fabric: Fabric) -> NDArray[np.int64]:
    """Count the ports that every switch must have, int64 (S,); `Layout.switch_ports` explains the rules."""
    needed = ports_used(fabric).copy()
    numbers = _port_numbers(fabric)
    for switch, stated in enumerate(fabric.properties.get("switch_ports") or ()):
        if stated:
            needed[switch] = max([int(needed[switch]), *(number for number in numbers[switch] if number <= stated)])
    return needed


def _port_numbers(fabric: Fabric) -> list[list[int]]:
    """Return the port numbers in use on every switch. Ports whose names are not numbers are skipped."""
    known = fabric.properties
    found: list[list[int]] = [[] for _ in range(fabric.num_switches)]
    ends = [
        (switch, port)
        for pair, ports in zip(fabric.edges.tolist(), known.get("ports") or (), strict=False)
        for switch, port in zip(pair, ports, strict=True)
    ]
    ends += zip(fabric.endpoint_switch.tolist(), known.get("endpoint_ports") or (), strict=False)
    for switch, port in ends:
        if port and port.isascii() and port.isdigit() and len(port) <= _MOST_DIGITS:
            found[switch].append(int(port))
    return found
