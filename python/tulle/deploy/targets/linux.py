"""The target `linux`: switches and hosts that run Linux."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from tulle.deploy.bundle_header import ETHERNET
from tulle.deploy.targets.ethernet import (
    DEADLOCK,
    FILES,
    FLOWLET_GAP,
    HOSTS,
    IPV6,
    LOSSLESS_FILES,
    PAPER,
    PREFIX,
    REPAIRED_FILES,
    TABLE_SIZE,
    written,
)
from tulle.deploy.targets.model import Target, Written

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.repair import Repair
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan


def write_plan(
    plan: EthernetPlan,
    place: Path,
    *,
    spec: str | None = None,
    hosts: str = "mptcp",
    gap_ms: int = 50,
    more: Iterable[tuple[str, str]] = (),
) -> list[Path]:
    """Write a bundle.

    `hosts` is the mode of hosts, `gap_ms` the gap between flowlets, and `more` are additional files.
    """
    from tulle.deploy.ethernet.hosts import files as host_files
    from tulle.deploy.ethernet.linux import files, readme
    from tulle.deploy.ethernet.port_names import LINUX, named
    from tulle.deploy.ethernet.write import write_bundle

    plan = named(plan, LINUX)
    all_files = chain(files(plan), host_files(plan, mode=hosts, gap_ms=gap_ms), more)
    options = {"hosts": hosts, "gap_ms": gap_ms}
    return write_bundle(plan, place, "linux", all_files, readme(plan), options=options, spec=spec)


def write(
    what: Routing | VcPlan,
    place: Path,
    *,
    ipv6: bool,
    prefix: str | None,
    table_size: int | None,
    hosts: str,
    flowlet_gap: int,
) -> Written:
    """Write a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    plan = plan_of(what, ipv6=ipv6, prefix=prefix, table_size=table_size)
    return written(plan, write_plan(plan, place, hosts=hosts, gap_ms=flowlet_gap))


def write_repaired(repaired: Repair, place: Path) -> list[Path]:
    """Write a repaired bundle, and its changes as files for ``ip -batch``."""
    from tulle.deploy.ethernet.change_files import change_files
    from tulle.deploy.ethernet.linux import change_line, port_lines

    more = change_files(
        repaired,
        lambda change: change_line(repaired, change),
        "batch",
        "ip -force -batch FILE",
        first=lambda switch, ports: port_lines(repaired.plan, switch, ports),
        again="For every route that is already deleted, `ip`\n"
        "then prints `RTNETLINK answers: No such process`, which is harmless."
        if any(not change.now for change in repaired.changes)
        else "",
    )
    header = repaired.header
    hosts, gap = header.option("hosts", "mptcp"), header.option("gap_ms", 50)
    return write_plan(repaired.plan, place, spec=header.fabric, hosts=hosts, gap_ms=gap, more=more)


TARGET = Target(
    name="linux",
    summary="switches and hosts that run Linux: addresses, neighbours and routes for iproute2, unnumbered links",
    paper=PAPER,
    limitations="Only routings with layers of next-hop tables. Switches do not detect failures; `tulle deploy repair` "
    "repairs bundles.",
    examples=("linux", "linux --ipv6", "linux --table-size 1000 --hosts flowlets --flowlet-gap 10ms"),
    help="Writes the files that Linux switches and hosts load with iproute2; every path is checked first.",
    options=(IPV6, PREFIX, TABLE_SIZE, DEADLOCK, HOSTS, FLOWLET_GAP),
    write=write,
    format=ETHERNET,
    files=FILES | {"hosts"},
    lossless_files=LOSSLESS_FILES,
    repaired_files=REPAIRED_FILES,
    write_repaired=write_repaired,
    has_shares=True,
    has_transitions=True,
)
