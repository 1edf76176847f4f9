"""The target `sonic`: switches that run SONiC."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle.declarations import Option
from tulle.deploy.bundle_header import ETHERNET
from tulle.deploy.ethernet.pfc import Headroom
from tulle.deploy.ethernet.sonic_ports import FEC
from tulle.deploy.targets.ethernet import (
    BFD,
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
    UNDERLAY,
    for_bgp,
    written,
)
from tulle.deploy.targets.model import Target, Written
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.plan import EthernetPlan, Port
    from tulle.deploy.ethernet.repair import Repair
    from tulle.deploy.ethernet.sonic_platform import Platform, Setting
    from tulle.deploy.ethernet.sonic_ports import Hardware, HardwarePort
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan


_MADE_UP = (
    "the lanes and aliases of ports in config_db.json are made up (four lanes per port, aliases Eth1, Eth2, …), "
    "because the platform is unknown, and `config load` would set them on the switches: write the bundle with "
    "--port-config and the platform's port_config.ini or platform.json"
)


def write_plan(
    plan: EthernetPlan,
    place: Path,
    *,
    underlay: str = "static",
    bfd: bool = False,
    vlans: bool = False,
    link_prefix: str | None = None,
    links: Numbering | None = None,
    hardware: Hardware = None,
    fec: str | None = None,
    lossless: int | None = None,
    buffer: int | None = None,
    sizes: Headroom | None = None,
    trim: int | None = None,
    spec: str | None = None,
    more: Iterable[tuple[str, str]] = (),
) -> list[Path]:
    """Write a bundle, with the further files `more`; a plan with virtual channels adds priority flow control.

    The parameter `links` has the addresses of links, if known. With `bfd`, BFD monitors the next hops of static routes.
    `hardware` lists the ports of the platform, `fec` is the mode of forward error correction of all ports, `sizes` has
    the parameters of the headroom, and switches trim packets to `trim` bytes.
    """
    from tulle.deploy.ethernet.bfd import check_both_directions
    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.sonic_files import files
    from tulle.deploy.ethernet.sonic_hosts import gateways
    from tulle.deploy.ethernet.sonic_ports import hardware_fields, sonic_names
    from tulle.deploy.ethernet.sonic_readme import readme
    from tulle.deploy.ethernet.write import write_bundle

    plan = sonic_names(plan, hardware)
    links = None if underlay == "bgp" else links or Numbering.of(plan, link_prefix)
    if bfd:
        check_both_directions(plan)
    given = files(
        plan,
        links,
        vlans=vlans,
        hardware=hardware,
        fec=fec,
        lossless=lossless,
        memory=buffer,
        sizes=sizes,
        bfd=bfd,
        trim=trim,
    )
    made = [*given, *more]
    options: dict[str, Any] = {"vlans": vlans}
    if links is None:
        options["underlay"] = underlay
    else:
        options |= {"link_prefix": str(links.base), "links": list(links.pairs)}
    if hardware is not None:
        options["hardware"] = hardware_fields(hardware, plan)
    if sizes is not None:
        options["headroom"] = asdict(sizes)
    more_options = {"lossless": lossless, "buffer": buffer, "fec": fec, "trim": trim, "bfd": bfd or None}
    options |= {name: value for name, value in more_options.items() if value is not None}
    text = readme(plan, links, vlans=vlans, bfd=bfd, trim=trim, hardware=hardware)
    return write_bundle(plan, place, "sonic", made, text, options=options, spec=spec, gateways=gateways)


def write(
    what: Routing | VcPlan,
    place: Path,
    *,
    underlay: str,
    bfd: bool,
    vlans: bool,
    link_prefix: str | None,
    port_config: tuple[HardwarePort, ...] | Platform | None,
    hwsku: dict[str, Setting] | None,
    breakout: str | None,
    fec: str | None,
    trim: int | None,
    lossless: int | None,
    buffer: int | None,
    headroom: Headroom | None,
    ipv6: bool,
    prefix: str | None,
    table_size: int | None,
) -> Written:
    """Write a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    if bfd and vlans:
        raise InputError("--vlans with --bfd: SONiC's model has BFD only for the default VRF; legal: one of them")
    given = ""
    if underlay == "bgp":
        if vlans:
            raise InputError("--vlans with --underlay bgp, which implements layers as prefixes; legal: one of them")
        given = what.spec
        what = for_bgp(what, link_prefix, bfd=bfd)
    made = plan_of(what, ipv6=ipv6, prefix=prefix, table_size=table_size, gateways=True)
    plan = replace(made, given=given)
    hardware = _chosen(plan, port_config, hwsku, breakout)
    paths = write_plan(
        plan,
        place,
        underlay=underlay,
        bfd=bfd,
        vlans=vlans,
        link_prefix=link_prefix,
        hardware=hardware,
        fec=fec,
        trim=trim,
        lossless=lossless,
        buffer=buffer,
        sizes=headroom,
    )
    report = written(plan, paths)
    return report if hardware is not None else replace(report, notes=(*report.notes, _MADE_UP))


def write_repaired(repaired: Repair, place: Path) -> list[Path]:
    """Write a repaired bundle, with commands that change SONiC's database."""
    from tulle.deploy.ethernet.change_files import change_files
    from tulle.deploy.ethernet.numbering import numberings_of
    from tulle.deploy.ethernet.sonic import change_line, row_lines
    from tulle.deploy.ethernet.sonic_files import files
    from tulle.deploy.ethernet.sonic_ports import hardware_of

    options, links = repaired.header.options, numberings_of(repaired)
    hardware = hardware_of(repaired.header)
    vlans, bfd = bool(options.get("vlans")), bool(options.get("bfd"))
    given: dict[str, Any] = {name: options.get(name) for name in ("fec", "trim", "lossless")}
    sizes = Headroom(**options["headroom"]) if "headroom" in options else None
    configs: list[dict[str, str]] = []

    def first(switch: int, _ports: list[Port]) -> str:
        if not configs:
            plans = (repaired.bundle.plan, hardware_of(repaired.bundle.header)), (repaired.plan, hardware)
            for (plan, ports), numbering in zip(plans, links, strict=True):
                made = files(
                    plan, numbering, vlans=vlans, hardware=ports, bfd=bfd, memory=options.get("buffer"), sizes=sizes,
                    **given,
                )  # fmt: skip
                configs.append(dict(made))
        name = f"switches/{repaired.plan.names[switch]}/config_db.json"
        return row_lines(configs[0][name], configs[1][name])

    more = change_files(
        repaired,
        lambda change: change_line(repaired, links, change, vlans=vlans, bfd=bfd),
        "sh",
        "sh -e FILE && config save -y",
        first=first,
    )
    return write_plan(
        repaired.plan,
        place,
        bfd=bfd,
        vlans=vlans,
        links=links[1],
        hardware=hardware,
        buffer=options.get("buffer"),
        sizes=sizes,
        spec=repaired.header.fabric,
        more=more,
        **given,
    )


def _chosen(
    plan: EthernetPlan,
    ports: tuple[HardwarePort, ...] | Platform | None,
    hwsku: dict[str, Setting] | None,
    breakout: str | None,
) -> Hardware:
    """The ports of every switch, with the breakout modes that the options and the fabric need."""
    if ports is None or isinstance(ports, tuple):
        for flag, value in (("--hwsku", hwsku), ("--breakout", breakout)):
            if value is not None:
                raise InputError(f"{flag} needs the platform's breakout modes; legal: with --port-config platform.json")
        return ports
    if hwsku is not None:
        ports = ports.with_modes(hwsku)
    if breakout is not None:
        ports = ports.broken_out(breakout)
    return ports.of(plan)


def _hardware(path: Path) -> tuple[HardwarePort, ...] | Platform:
    from tulle.deploy.ethernet.platform_files import platform_ports

    return platform_ports(path)


def _modes(path: Path) -> dict[str, Setting]:
    from tulle.deploy.ethernet.platform_files import read_modes

    return read_modes(path)


TARGET = Target(
    name="sonic",
    summary="switches that run SONiC: config_db.json, static routes or BGP, priority flow control",
    paper=f"{PAPER}; Zhang et al.: Flattened Clos (NSDI23) §2.1",
    limitations="Only routings with layers of next-hop tables, and without weights of ports. Link rates must be known; "
    "priority flow control also needs link lengths. Deadlock schemes: one-vc, dfsssp, lash, hops, colouring.",
    examples=(
        "sonic",
        "sonic --underlay bgp",
        "sonic --bfd --trim 128",
        "sonic --vlans --fec none",
        "sonic --deadlock dfsssp --lossless 2 --buffer 32MiB",
    ),
    help="Writes config_db.json of every switch; with --deadlock also priority flow control, with a proof of "
    "deadlock freedom.",
    options=(
        UNDERLAY,
        BFD,
        Option(
            "vlans",
            bool,
            "Make each layer a VLAN on every cable and a VRF on every switch, instead of an address prefix.",
            default=False,
        ),
        LINK_PREFIX,
        Option(
            "port_config",
            Path,
            "The platform's port_config.ini or platform.json: names, lanes and speeds of its ports.",
            metavar="FILE",
            read=_hardware,
        ),
        Option(
            "hwsku",
            Path,
            "With platform.json: the default breakout modes and FEC of a hwsku.json.",
            metavar="FILE",
            read=_modes,
        ),
        Option(
            "breakout",
            str,
            "With platform.json: break out all ports that support this mode, for example 4x25G.",
            metavar="MODE",
        ),
        Option("fec", FEC, "Forward error correction of all ports; default: as the platform and the speed need."),
        Option(
            "trim",
            int,
            "Full queues trim packets to this number of bytes instead of dropping them, for example 128.",
            metavar="BYTES",
            least=64,
            most=9100,
        ),
        *(LOSSLESS, BUFFER, HEADROOM, IPV6, PREFIX, TABLE_SIZE, DEADLOCK),
    ),
    write=write,
    format=ETHERNET,
    files=FILES | {"hosts.csv"},
    lossless_files=LOSSLESS_FILES | {"pfc.json", "hosts"},
    repaired_files=REPAIRED_FILES,
    write_repaired=write_repaired,
    has_transitions=True,
)
