"""The target `frr`: switches that run FRR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.declarations import Declaration, integer, word
from tulle.deploy.targets.model import Target

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.repair import Repair
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan


def write_plan(
    plan: EthernetPlan,
    place: Path,
    *,
    link_prefix: str | None = None,
    links: Numbering | None = None,
    spec: str | None = None,
    hosts: str = "mptcp",
    gap_ms: int = 50,
    more: Iterable[tuple[str, str]] = (),
) -> list[Path]:
    """Writes a bundle, with `more` files; `links` are the addresses of links where they are known.

    `hosts` use layers so, `gap_ms` is between flowlets.
    """
    from tulle.deploy.ethernet.frr import files, readme
    from tulle.deploy.ethernet.hosts import files as host_files
    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.write import write_bundle

    links = links or Numbering.of(plan, link_prefix)
    options = {"link_prefix": str(links.base), "links": list(links.pairs), "hosts": hosts, "gap_ms": gap_ms}
    made = [*files(plan, links), *host_files(plan, mode=hosts, gap_ms=gap_ms), *more]
    return write_bundle(plan, place, "frr", made, readme(plan, links), options=options, spec=spec)


def write(what: Routing | VcPlan, place: Path, *, ip: str, table: int | str) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    return write_plan(plan_of(what, ipv6=ip == "v6", table_size=None if table == "any" else int(table)), place)


def write_mended(mended: Repair, place: Path) -> list[Path]:
    """Writes a mended bundle, with configuration of what changes."""
    from tulle.deploy.ethernet.frr import change_lines
    from tulle.deploy.ethernet.numbering import numbering_of
    from tulle.deploy.ethernet.repair import change_files

    before = numbering_of(mended.bundle)
    origin = mended.plan.fabric.origin
    assert origin is not None
    more = change_files(
        mended,
        lambda change: change_lines(mended.bundle.plan, before, change),
        "conf",
        "vtysh -f FILE && vtysh -c write",
    )
    links = before.left(origin["channels"].tolist())
    header = mended.bundle.header
    kept = {name: header.options[name] for name in ("hosts", "gap_ms") if name in header.options}
    return write_plan(mended.plan, place, links=links, spec=header.fabric, more=more, **kept)


TARGET = Target(
    Declaration(
        name="frr",
        summary="switches that run FRR: zebra and staticd, numbered links, a tag per layer",
        parameters=[
            word("ip", ["v4", "v6"], "addresses of IPv4 or IPv6"),
            integer("table", 1, 1 << 30, "any", "prefix entries that a switch holds at most", "any"),
        ],
        paper="Besta et al.: FatPaths (SC20) §V-D, §V-E",
        limitations="Layers of tables alone, without shares of ports: FRR's static routes have none.",
        examples=["frr", "frr:ip=v6"],
    ),
    write,
    write_mended,
)
