"""Describe a network for its drawing: places, cables, forwarding and what happens if a cable fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.report_html.cuts import chosen, cuts, paths_per_cable
from tulle.report_html.positions import arrangements
from tulle.report_html.routes import local, routes

if TYPE_CHECKING:
    from tulle.design.placement import Layout
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing

# The forwarding tables of all networks of a report take at most this many characters, so that a report of three
# networks stays below 3 MB with the drawing libraries (0.5 MB) and everything else.
CHARACTERS = 1_700_000
# Rerouting after one failure takes some tenths of a second per million table entries.
_CUTS, _ENTRIES = 12, 3_000_000


def described(
    fabric: Fabric, layout: Layout, routing: Routing | None, *, cables_to_cut: int | None, characters: int
) -> dict[str, Any]:
    """Return the values that ``page/network.js`` draws.

    Parameters
    ----------
    fabric, layout
        The network and its racks.
    routing
        The routing whose paths can be shown; None draws only the network.
    cables_to_cut
        Number of cables for which rerouting is computed. None means as many as have at most three million table
        entries in all, and at least 12.
    characters
        Maximum number of characters of the forwarding tables. Layers that do not fit are left out.
    """
    cables = fabric.cables
    known = layout.cable_length
    found: dict[str, Any] = {
        "spec": fabric.spec,
        "seed": fabric.seed,
        "faults": list(fabric.faults),
        "switches": list(fabric.labels),
        "endpoints": np.bincount(fabric.endpoint_switch, minlength=fabric.num_switches).tolist(),
        "racks": list(layout.racks),
        "rack": layout.switch_rack.tolist(),
        # By channel, in the order of their source switches.
        "source": fabric.channels[:, 0].tolist(),
        "target": fabric.channels[:, 1].tolist(),
        "reverse": fabric.reverse.tolist(),
        "cables": cables.tolist(),
        "classes": list(fabric.class_names),
        "class": fabric.classes[cables].tolist(),
        "length_mm": known.tolist(),
        "medium": list(layout.cable_medium),
        "arrangements": arrangements(layout),
        "routing": None,
    }
    if fabric.ports != tuple(map(str, local(fabric, np.arange(len(fabric.channels), dtype=np.int32)))):
        found["ports"] = list(fabric.ports)
    if routing is None:
        return found
    forwarding = routes(routing, characters)
    entries = max(routing.num_paths or routing.num_layers * fabric.num_switches**2, 1)
    most = max(_CUTS, _ENTRIES // entries) if cables_to_cut is None else cables_to_cut
    found["routing"] = {
        "spec": routing.spec,
        "seed": routing.seed,
        **forwarding,
        "paths_over": np.round(paths_per_cable(routing), 2).tolist(),
        "cuts": cuts(routing, chosen(routing, most), forwarding["kept"]),
    }
    return found
