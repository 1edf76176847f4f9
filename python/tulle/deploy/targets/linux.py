"""The target `linux`: switches and hosts that run Linux."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from tulle.declarations import Declaration, integer, word
from tulle.deploy.targets.model import Target

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
    """Writes a bundle; `hosts` use layers so, `gap_ms` is between flowlets, `more` are further files."""
    from tulle.deploy.ethernet.hosts import files as host_files
    from tulle.deploy.ethernet.linux import files, readme
    from tulle.deploy.ethernet.write import write_bundle

    all_files = chain(files(plan), host_files(plan, mode=hosts, gap_ms=gap_ms), more)
    options = {"hosts": hosts, "gap_ms": gap_ms}
    return write_bundle(plan, place, "linux", all_files, readme(plan), options=options, spec=spec)


def write(what: Routing | VcPlan, place: Path, *, ip: str, table: int | str, hosts: str, gap: int) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    plan = plan_of(what, ipv6=ip == "v6", table_size=None if table == "any" else int(table))
    return write_plan(plan, place, hosts=hosts, gap_ms=gap)


def write_mended(mended: Repair, place: Path) -> list[Path]:
    """Writes a mended bundle, with batches of what changes."""
    from tulle.deploy.ethernet.linux import change_line, new_neighbours
    from tulle.deploy.ethernet.repair import change_files

    changes = change_files(mended, lambda change: change_line(mended, change), "batch", "ip -force -batch FILE")
    more = chain(changes, new_neighbours(mended))
    header = mended.header
    hosts, gap = header.option("hosts", "mptcp"), header.option("gap_ms", 50)
    return write_plan(mended.plan, place, spec=header.fabric, hosts=hosts, gap_ms=gap, more=more)


TARGET = Target(
    Declaration(
        name="linux",
        summary="switches and hosts that run Linux: addresses, neighbours and routes for iproute2, unnumbered links",
        parameters=[
            word("ip", ["v4", "v6"], "addresses of IPv4 or IPv6"),
            integer("table", 1, 1 << 30, "any", "prefix entries that a switch holds at most", "any"),
            word("hosts", ["mptcp", "flowlets", "hash"], "how hosts use layers: a subflow each, per flowlet, per flow"),
            integer("gap", 1, 60_000, 50, "milliseconds that a flow is silent for before it may take another layer"),
        ],
        paper="Besta et al.: FatPaths (SC20) §V-D, §V-E",
        limitations="Layers of tables alone. Nothing looks for failures: `tulle deploy repair` mends.",
        examples=["linux", "linux:ip=v6", "linux:table=1000,hosts=flowlets,gap=10"],
    ),
    write,
    write_mended,
)
