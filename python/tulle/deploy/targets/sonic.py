"""The target `sonic`: switches that run SONiC."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle.declarations import Option
from tulle.deploy.bundle_header import ETHERNET
from tulle.deploy.ethernet.pfc import Headroom
from tulle.deploy.targets.ethernet import (
    BUFFER,
    DEADLOCK,
    FILES,
    HEADROOM,
    IPV6,
    LINK_PREFIX,
    LOSSLESS,
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

    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.repair import Repair
    from tulle.deploy.ethernet.sonic_ports import HardwarePort
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan


def write_plan(
    plan: EthernetPlan,
    place: Path,
    *,
    vlans: bool = False,
    link_prefix: str | None = None,
    links: Numbering | None = None,
    hardware: tuple[HardwarePort, ...] | None = None,
    lossless: int | None = None,
    buffer: int | None = None,
    sizes: Headroom | None = None,
    spec: str | None = None,
    more: Iterable[tuple[str, str]] = (),
) -> list[Path]:
    """Write a bundle, with the further files `more`; a plan with virtual channels adds priority flow control.

    The parameter `links` has the addresses of links, if known. `hardware` lists the ports of the platform, and `sizes`
    has the parameters of the headroom.
    """
    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.port_names import named
    from tulle.deploy.ethernet.sonic_files import files, readme
    from tulle.deploy.ethernet.sonic_ports import SonicNaming
    from tulle.deploy.ethernet.write import write_bundle

    plan = named(plan, SonicNaming(hardware))
    links = links or Numbering.of(plan, link_prefix)
    made = [*files(plan, links, vlans=vlans, hardware=hardware, lossless=lossless, memory=buffer, sizes=sizes), *more]
    options: dict[str, Any] = {"link_prefix": str(links.base), "links": list(links.pairs), "vlans": vlans}
    if hardware is not None:
        options["hardware"] = [[port.name, port.lanes, port.alias, port.index] for port in hardware]
    if sizes is not None:
        options["headroom"] = asdict(sizes)
    options |= {name: value for name, value in (("lossless", lossless), ("buffer", buffer)) if value is not None}
    return write_bundle(plan, place, "sonic", made, readme(plan, links, vlans=vlans), options=options, spec=spec)


def write(
    what: Routing | VcPlan,
    place: Path,
    *,
    vlans: bool,
    link_prefix: str | None,
    port_config: tuple[HardwarePort, ...] | None,
    lossless: int | None,
    buffer: int | None,
    headroom: Headroom | None,
    ipv6: bool,
    prefix: str | None,
    table_size: int | None,
) -> Written:
    """Write a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    plan = plan_of(what, ipv6=ipv6, prefix=prefix, table_size=table_size, gateways=True)
    paths = write_plan(
        plan,
        place,
        vlans=vlans,
        link_prefix=link_prefix,
        hardware=port_config,
        lossless=lossless,
        buffer=buffer,
        sizes=headroom,
    )
    return written(plan, paths)


def write_repaired(repaired: Repair, place: Path) -> list[Path]:
    """Write a repaired bundle, with commands that change SONiC's database."""
    from tulle.deploy.ethernet.numbering import numbering_of
    from tulle.deploy.ethernet.repair import change_files
    from tulle.deploy.ethernet.sonic import change_line
    from tulle.deploy.ethernet.sonic_ports import hardware_of

    bundle = repaired.bundle
    before, options = numbering_of(bundle), bundle.header.options
    hardware = hardware_of(bundle.header)
    vlans = bool(options.get("vlans"))
    origin = repaired.plan.fabric.origin
    assert origin is not None
    more = change_files(
        repaired,
        lambda change: change_line(bundle.plan, before, change, vlans=vlans),
        "sh",
        "sh FILE && config save -y",
    )
    return write_plan(
        repaired.plan,
        place,
        vlans=vlans,
        links=before.left(origin["channels"].tolist()),
        hardware=hardware,
        lossless=options.get("lossless"),
        buffer=options.get("buffer"),
        sizes=Headroom(**options["headroom"]) if "headroom" in options else None,
        spec=bundle.header.fabric,
        more=more,
    )


def _hardware(path: Path) -> tuple[HardwarePort, ...]:
    from tulle.deploy.ethernet.sonic_ports import hardware_ports

    return hardware_ports(path)


TARGET = Target(
    name="sonic",
    summary="switches that run SONiC: config_db.json, numbered links, priority flow control",
    paper=f"{PAPER}; Zhang et al.: Flattened Clos (NSDI23) §2.1",
    limitations="Only routings with layers of next-hop tables, and without weights of ports. Link rates must be known; "
    "priority flow control also needs link lengths. Deadlock schemes: one-vc, dfsssp, lash, hops, colouring.",
    examples=("sonic", "sonic --vlans", "sonic --deadlock dfsssp --lossless 2 --buffer 32MiB"),
    help="Writes config_db.json of every switch; with --deadlock also priority flow control, with a proof of "
    "deadlock freedom.",
    options=(
        Option("vlans", bool, "A layer is a VLAN on every cable and a VRF on every switch.", default=False),
        LINK_PREFIX,
        Option(
            "port_config",
            Path,
            "The platform's port_config.ini: names and lanes of its ports.",
            metavar="FILE",
            read=_hardware,
        ),
        *(LOSSLESS, BUFFER, HEADROOM, IPV6, PREFIX, TABLE_SIZE, DEADLOCK),
    ),
    write=write,
    format=ETHERNET,
    files=FILES,
    lossless_files=LOSSLESS_FILES | {"pfc.json", "hosts"},
    repaired_files=REPAIRED_FILES,
    write_repaired=write_repaired,
)
