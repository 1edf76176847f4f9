"""The target `frr`: switches that run FRR."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tulle.deploy.bundle_header import ETHERNET
from tulle.deploy.targets.ethernet import (
    BFD,
    DEADLOCK,
    FILES,
    FLOWLET_GAP,
    HOSTS,
    IPV6,
    LINK_PREFIX,
    LOSSLESS_FILES,
    PAPER,
    PREFIX,
    REPAIRED_FILES,
    TABLE_SIZE,
    UNDERLAY,
    for_bgp,
    written,
)
from tulle.deploy.targets.model import Target, Written

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
    underlay: str = "static",
    bfd: bool = False,
    spec: str | None = None,
    hosts: str = "mptcp",
    gap_ms: int = 50,
    more: Iterable[tuple[str, str]] = (),
) -> list[Path]:
    """Write a bundle, with the further files `more`; `links` are the addresses of links, if known.

    With `bfd`, BFD monitors the next hops of static routes. The parameter `hosts` is the mode in which hosts use
    layers, and `gap_ms` is the gap between flowlets in milliseconds.
    """
    from tulle.deploy.ethernet import bgp
    from tulle.deploy.ethernet.frr import files, readme
    from tulle.deploy.ethernet.hosts import files as host_files
    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.port_names import LINUX, named
    from tulle.deploy.ethernet.write import write_bundle

    plan = named(plan, LINUX)
    setups = [*host_files(plan, mode=hosts, gap_ms=gap_ms), *more]
    if underlay == "bgp":
        made = [*bgp.files(plan), *setups]
        options: dict[str, Any] = {"underlay": underlay, "hosts": hosts, "gap_ms": gap_ms}
        return write_bundle(plan, place, "frr", made, bgp.readme(plan), options=options, spec=spec)
    links = links or Numbering.of(plan, link_prefix)
    options = {"link_prefix": str(links.base), "links": list(links.pairs), "hosts": hosts, "gap_ms": gap_ms}
    options |= {"bfd": True} if bfd else {}
    made = [*files(plan, links, bfd=bfd), *setups]
    return write_bundle(plan, place, "frr", made, readme(plan, links, bfd=bfd), options=options, spec=spec)


def write(
    what: Routing | VcPlan,
    place: Path,
    *,
    underlay: str,
    bfd: bool,
    link_prefix: str | None,
    hosts: str,
    flowlet_gap: int,
    ipv6: bool,
    prefix: str | None,
    table_size: int | None,
) -> Written:
    """Write a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    given = ""
    if underlay == "bgp":
        given = what.spec
        what = for_bgp(what, link_prefix, bfd=bfd)
    plan = replace(plan_of(what, ipv6=ipv6, prefix=prefix, table_size=table_size), given=given)
    paths = write_plan(
        plan, place, underlay=underlay, bfd=bfd, link_prefix=link_prefix, hosts=hosts, gap_ms=flowlet_gap
    )
    return written(plan, paths)


def write_repaired(repaired: Repair, place: Path) -> list[Path]:
    """Write a repaired bundle, with the configuration commands of its changes."""
    from tulle.deploy.ethernet.change_files import change_files
    from tulle.deploy.ethernet.frr import change_lines, port_lines
    from tulle.deploy.ethernet.numbering import numberings_of

    links, header = numberings_of(repaired), repaired.header
    bfd = bool(header.option("bfd", False))
    more = change_files(
        repaired,
        lambda change: change_lines(repaired, links, change, bfd=bfd),
        "conf",
        "vtysh -f FILE && vtysh -c write",
        first=lambda _, ports: port_lines(repaired.plan, links[1], ports, bfd=bfd),
        again="For every next hop that is already removed, FRR then\n"
        "prints `Refusing to remove a non-existent route`, which is harmless.",
    )
    kept = {name: header.options[name] for name in ("hosts", "gap_ms", "bfd") if name in header.options}
    return write_plan(repaired.plan, place, links=links[1], spec=header.fabric, more=more, **kept)


TARGET = Target(
    name="frr",
    summary="switches that run FRR: static routes with a tag per layer, or BGP with BFD",
    paper=PAPER,
    limitations="Only routings with layers of next-hop tables, and without weights of ports, because FRR's static "
    "routes have no weights.",
    examples=("frr", "frr --bfd", "frr --underlay bgp", "frr --ipv6"),
    help="Writes frr.conf of every switch: static routes with tags, or BGP with BFD. Every path is checked first.",
    options=(UNDERLAY, BFD, LINK_PREFIX, HOSTS, FLOWLET_GAP, IPV6, PREFIX, TABLE_SIZE, DEADLOCK),
    write=write,
    format=ETHERNET,
    files=FILES | {"hosts"},
    lossless_files=LOSSLESS_FILES,
    repaired_files=REPAIRED_FILES,
    write_repaired=write_repaired,
    has_transitions=True,
)
