"""Describe a network for its drawing: places, cables, forwarding and what happens if a cable fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.report_html.cuts import chosen, cuts, paths_per_cable
from tulle.report_html.packing import packed
from tulle.report_html.positions import arrangements
from tulle.report_html.routes import local, routes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tulle.design.placement import Layout
    from tulle.fabric import Fabric
    from tulle.report_html.routes import Forwarding
    from tulle.routing.routing import Routing

# The forwarding tables of all networks of a report take at most this many characters, so that a report of three
# networks stays below 3 MB with the drawing libraries (0.5 MB) and everything else.
CHARACTERS = 1_700_000
# Rerouting after one failure takes a few tenths of a second per million table entries.
_CUTS, _ENTRIES = 12, 3_000_000


def described(
    fabric: Fabric,
    layout: Layout,
    routing: Routing | None,
    *,
    forwarding: Forwarding | None = None,
    cables_to_cut: int | None,
) -> dict[str, Any]:
    """Return the values that ``page/network.js`` draws.

    Parameters
    ----------
    fabric, layout
        The network and its racks.
    routing
        The routing whose paths can be shown; None draws only the network.
    forwarding
        The forwarding of the routing, as `routes` or `fitting` returns it; None: all of it.
    cables_to_cut
        Number of cables for which rerouting is computed. None means at least 12, and more if the
        routing has fewer than about 230,000 table entries: as many as reroute at most three million entries in all.
    """
    cables, media = fabric.cables, sorted(set(layout.cable_medium))
    arranged = arrangements(layout)
    arrays: dict[str, NDArray[Any]] = {
        "endpoints": np.bincount(fabric.endpoint_switch, minlength=fabric.num_switches),
        "rack": layout.switch_rack,
        # Channels are in the order of their source switches, so the source follows from the number of a channel.
        "degree": np.bincount(fabric.channels[:, 0], minlength=fabric.num_switches),
        "target": fabric.channels[:, 1],
        "reverse": fabric.reverse,
        "class": fabric.classes[cables],
        "length_mm": layout.cable_length,
        "medium": np.array([media.index(medium) for medium in layout.cable_medium], dtype=np.int64),
    }
    for number, each in enumerate(arranged):
        # Tenths of the drawing's unit.
        arrays[f"places{number}"] = np.rint(each.pop("places") * 10).astype(np.int64)
    found: dict[str, Any] = {
        "spec": fabric.spec,
        "seed": fabric.seed,
        "faults": list(fabric.faults),
        "switches": list(fabric.labels),
        "racks": list(layout.racks),
        "classes": list(fabric.class_names),
        "media": media,
        "arrangements": arranged,
        "routing": None,
    }
    if fabric.ports != tuple(map(str, local(fabric, np.arange(len(fabric.channels), dtype=np.int32)))):
        found["ports"] = list(fabric.ports)
    if routing is not None:
        shown = routes(routing) if forwarding is None else forwarding
        entries = max(routing.num_paths or routing.num_layers * fabric.num_switches**2, 1)
        most = max(_CUTS, _ENTRIES // entries) if cables_to_cut is None else cables_to_cut
        # A path over a group of equal-cost ports is split, so numbers of paths are fractions. They are stored in
        # hundredths.
        arrays["paths_over"] = np.rint(paths_per_cable(routing) * 100).astype(np.int64)
        found["routing"] = {
            "spec": routing.spec,
            "seed": routing.seed,
            "form": shown.form,
            "width": shown.width,
            "kept": shown.kept,
            "of": shown.of,
            **shown.content,
            "cuts": cuts(routing, chosen(routing, most), shown.kept),
        }
    return {**found, "arrays": {name: packed(values) for name, values in arrays.items()}}
