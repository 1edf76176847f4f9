"""Priority flow control for source routes: the QoS tables for SONiC switches, and the DSCPs for hosts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tulle.deploy.ethernet import pfc_sonic
from tulle.deploy.ethernet.pfc import MOST_LOSSLESS, Headroom, priorities
from tulle.deploy.ethernet.port_names import named
from tulle.deploy.ethernet.sonic_files import PFC, marks_text, pfc_text
from tulle.deploy.ethernet.sonic_ports import SonicNaming
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.ethernet.pfc import Priorities
    from tulle.deploy.ethernet.source_routes import SourceRoutes

__all__ = ["files"]


def files(
    made: SourceRoutes, *, lossless: int | None = None, memory: int | None = None, sizes: Headroom | None = None
) -> Iterator[tuple[str, str]]:
    """Write ``qos.json`` of every switch, ``pfc.json``, and the DSCP tables of hosts.

    Raises
    ------
    tulle.InputError
        For a plan that exceeds the switches' resources, or options without a virtual-channel plan.
    """
    plan = made.plan
    if plan.vcs is None:
        if lossless is not None or memory is not None or sizes is not None:
            raise InputError(
                "--lossless, --buffer and --headroom need a lossless network; legal: with --deadlock SCHEME"
            )
        return
    found = priorities(plan.vcs, MOST_LOSSLESS if lossless is None else lossless)
    sizes = sizes or Headroom()
    # The tables are for SONiC, so ports need SONiC's names instead of Linux's interface names.
    sonic = named(plan, SonicNaming(needs_lanes=False))
    for switch, name in enumerate(plan.names):
        ports = {port.number: port.name for port in sonic.ports[switch]}
        tables = pfc_sonic.tables(plan, switch, ports, found, sizes, memory)
        model = {"DEVICE_METADATA": {"localhost": {"buffer_model": "dynamic" if memory is None else "traditional"}}}
        yield f"switches/{name}/qos.json", json.dumps({**model, **tables}, indent=1) + "\n"
    yield PFC, pfc_text(plan, found, sizes)
    if len(set(found.of_sl)) > 1:
        texts = [_marks(made, switch, found) for switch in range(len(plan.names))]
        for host in plan.hosts:
            yield f"hosts/{host.name}/dscp.csv", texts[host.switch]


def _marks(made: SourceRoutes, switch: int, found: Priorities) -> str:
    """The DSCP of each prefix: that of the path's service level, or of the first level for the switch's own hosts."""
    plan, vcs = made.plan, made.plan.vcs
    assert vcs is not None
    own = [(plan.addressing.prefix(path, switch), found.of_sl[0]) for path in range(plan.num_layers)]
    levels = vcs.sl
    rows = [
        (
            route.prefix,
            found.of_sl[int(levels[route.row] if levels.ndim == 1 else levels[route.path, switch, route.destination])],
        )
        for route in made.routes[switch]
    ]
    return marks_text([*own, *rows])
