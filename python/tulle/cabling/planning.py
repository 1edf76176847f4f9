"""Make the cabling plan of a layout."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from tulle.cabling.plan import Plan, PlannedCable, Step
from tulle.cabling.plan_devices import endpoint_cables, endpoint_devices, switch_devices
from tulle.cabling.plan_names import endpoint_ends, is_slim_fly, switch_names
from tulle.cabling.plan_ports import BETWEEN, first_ports, name_ports, number_ports
from tulle.cabling.plan_through import plan_through
from tulle.errors import InputError
from tulle.fabric.repeated_names import repeated_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.design.placement import Layout
    from tulle.fabric import Fabric

__all__ = ["plan_cabling"]

# Families that read a file. The network may exist, and files have no places of devices.
_READ = ("file", "edges")
_COLOURS = (("grey", "#7f7f7f"), ("blue", "#0072b2"), ("orange", "#d55e00"), ("green", "#009e73"))
_SLIM_FLY = ("endpoints", "inside subgroups", "across the subgroups of a rack", "between racks")
_OTHERS = ("endpoints", "inside racks", "between racks of a group", "between groups of racks")


def plan_cabling(layout: Layout, port: str = "{}") -> Plan:
    """Plan every cable of a layout from port to port.

    If the fabric has names of switches and ports, the plan uses them. Other switches are named by their coordinates,
    for example ``sf-s0-r0-i0`` in a Slim Fly. Other ports are numbered from 1: first endpoints, then cables inside a
    rack, then cables between racks, by remote rack. Failed parts are omitted; all other parts have the names, places
    and ports of the intact fabric.

    Parameters
    ----------
    layout
        A layout. With optical switches or patch panels, network ports come after the endpoint ports, numbered as in
        `Layout.circuits`, even if the fabric has port names.
    port
        The pattern of the names of ports that the fabric does not name, for example ``swp{}``.

    Raises
    ------
    tulle.InputError
        If `port` does not contain exactly one ``{}``, or contains a blank, quote, comma or semicolon. Also if switches
        have too few ports for uniform cabling, a port of the fabric has two cables, or two cables have the same name.

    Examples
    --------
    >>> import tulle
    >>> plan = plan_cabling(tulle.place("slimfly:q=5"))
    >>> plan.counts(), plan.other(("sf-s0-r0-i0", "8"))
    ([200, 50, 25, 100], ('sf-s1-r1-i0', '8'))
    """
    if port.count("{}") != 1 or any(ord(letter) <= 32 or letter in "\"',;" for letter in port):
        raise InputError(
            f"port={port!r} is not a pattern of port names; legal: exactly one {{}}, and no blank, quote, comma or "
            "semicolon, for example swp{}"
        )
    if problem := repeated_name(layout.fabric):
        raise InputError(f"{problem}; legal: one cable per port, and no repeated names of cables")
    if layout.circuits is not None:
        made = plan_through(layout, layout.circuits, port)
    elif (undamaged := layout._undamaged()) is None:
        made = _plan(layout, layout.fabric, port, None)
    else:
        made = _plan(undamaged[0], layout.fabric, port, undamaged[1])
    return replace(made, proposed_places=layout.fabric.family in _READ)


def _plan(layout: Layout, of: Fabric, port: str, kept: dict[str, NDArray[np.int32]] | None) -> Plan:
    """Plan the fabric `of`, which is the intact fabric of the layout without the failed parts.

    `kept` has the ids that the working switches, channels and endpoints have in the intact fabric; None: no failures.
    """
    fabric = layout.fabric
    switches = switch_names(fabric)
    endpoints = endpoint_ends(layout, switches)
    known = fabric.properties
    edges = [(int(a), int(b)) for a, b in fabric.edges.tolist()]
    steps = _steps(layout, edges)
    at = fabric.endpoint_switch.tolist()
    given = [end for ends in known.get("ports") or [("", "")] * len(edges) for end in ends]
    given += known.get("endpoint_ports") or [""] * len(at)
    if all(given):
        ports = given
    else:
        counts = np.bincount(at, minlength=fabric.num_switches).tolist()
        has = known.get("switch_ports") or [0]
        limit = max(fabric.radix, *has)
        racks = layout.switch_rack
        groups = layout.rack_groups[racks].tolist()
        numbers = [end for ends in number_ports(edges, steps, racks.tolist(), groups, counts, limit) for end in ends]
        numbers += first_ports(at)
        ports = name_ports(
            [*(end for ends in edges for end in ends), *at], numbers, given, port, known.get("switch_ports", [])
        )
    endpoint_ports = ports[2 * len(edges) :]
    rates = fabric.link_rate[np.asarray(fabric.cables)].tolist() if len(edges) else []
    media = layout.cable_medium
    cables = [
        PlannedCable(
            step,
            ((switches[a], ports[2 * row]), (switches[b], ports[2 * row + 1])),
            int(layout.cable_length[row]),
            media[row],
            rates[row] if rates[row] >= 0 else None,
            bool(layout.cable_copper[row]),
        )
        for row, ((a, b), step) in enumerate(zip(edges, steps, strict=True))
    ]
    cables += endpoint_cables(layout, switches, endpoints, endpoint_ports)
    devices = [*switch_devices(layout, switches, cables), *endpoint_devices(layout, endpoints)]
    if kept is not None:
        rows = [
            *np.isin(np.asarray(fabric.cables), kept["channels"]).tolist(),
            *np.isin(np.arange(fabric.num_endpoints), kept["endpoints"]).tolist(),
        ]
        cables = [cable for cable, is_kept in zip(cables, rows, strict=True) if is_kept]
        names = {switches[switch] for switch in kept["switches"].tolist()}
        names |= {endpoints[endpoint][0] for endpoint in kept["endpoints"].tolist()}
        devices = [device for device in devices if device.name in names]
    # The sort is stable, so the cables of a step keep the order of the fabric.
    cables.sort(key=lambda cable: cable.step)
    return Plan(
        of.spec,
        of.seed,
        tuple(of.faults),
        layout.floor,
        layout.structure,
        tuple(
            Step(name, *colour)
            for name, colour in zip(_SLIM_FLY if _by_columns(layout) else _OTHERS, _COLOURS, strict=True)
        ),
        tuple(devices),
        tuple(cables),
    )


def _by_columns(layout: Layout) -> bool:
    return layout.structure == "columns" and is_slim_fly(layout.fabric)


def _steps(layout: Layout, edges: list[tuple[int, int]]) -> list[int]:
    """Return the wiring step of every cable between switches."""
    if _by_columns(layout):
        places = layout.fabric.coordinates[:, :2].tolist()
        return [1 if places[a] == places[b] else 2 if places[a][1] == places[b][1] else BETWEEN for a, b in edges]
    racks, groups = layout.switch_rack.tolist(), layout.rack_groups.tolist()
    return [1 if racks[a] == racks[b] else 2 if groups[racks[a]] == groups[racks[b]] else BETWEEN for a, b in edges]
