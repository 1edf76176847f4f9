"""The target `sonic`: switches that run SONiC."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tulle.declarations import Declaration, DeclaredParameter, integer, word
from tulle.deploy.ethernet.pfc import MOST_LOSSLESS, Headroom
from tulle.deploy.targets.model import Target

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.ethernet.repair import Repair
    from tulle.deploy.ethernet.sonic import HardwarePort
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
    """Writes a bundle, with `more` files; of a plan with virtual channels with priority flow control.

    `links` are the addresses of links where they are known, `hardware` the ports of the platform, `sizes` those that
    headroom is made of.
    """
    from tulle.deploy.ethernet.numbering import Numbering
    from tulle.deploy.ethernet.sonic_files import files, readme
    from tulle.deploy.ethernet.write import write_bundle

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
    ip: str,
    layers: str,
    table: int | str,
    lossless: int | str,
    buffer: int | str,
) -> list[Path]:
    """Writes a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    plan = plan_of(what, ipv6=ip == "v6", table_size=None if table == "any" else int(table), gateways=True)
    return write_plan(
        plan,
        place,
        vlans=layers == "vlans",
        lossless=None if lossless == "any" else int(lossless),
        buffer=None if buffer == "auto" else int(buffer),
    )


def write_mended(mended: Repair, place: Path) -> list[Path]:
    """Writes a mended bundle, with commands that change SONiC's database."""
    from tulle.deploy.ethernet.numbering import numbering_of
    from tulle.deploy.ethernet.repair import change_files
    from tulle.deploy.ethernet.sonic import change_line, hardware_of

    bundle = mended.bundle
    before, options = numbering_of(bundle), bundle.header.options
    hardware = hardware_of(bundle)
    vlans = bool(options.get("vlans"))
    origin = mended.plan.fabric.origin
    assert origin is not None
    more = change_files(
        mended,
        lambda change: change_line(bundle.plan, before, change, vlans=vlans, hardware=hardware),
        "sh",
        "sh FILE && config save -y",
    )
    return write_plan(
        mended.plan,
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


def read_buffer(text: str) -> int:
    """A size of packet buffer, as ``32MiB``, in bytes.

    Raises
    ------
    tulle.SpecError
        For anything else.
    """
    return int(TARGET._declared.read(f"sonic:buffer={text}")[1]["buffer"])


TARGET = Target(
    Declaration(
        name="sonic",
        summary="switches that run SONiC: config_db.json, numbered links, priority flow control of a plan",
        parameters=[
            word("ip", ["v4", "v6"], "addresses of IPv4 or IPv6"),
            word("layers", ["prefixes", "vlans"], "layers are told apart by prefixes, or a layer is a VLAN and a VRF"),
            integer("table", 1, 1 << 30, "any", "prefix entries that a switch holds at most", "any"),
            integer("lossless", 1, MOST_LOSSLESS, "any", "lossless priorities that switches have", "any"),
            DeclaredParameter(
                name="buffer",
                kind={"type": "or", "word": "auto", "kind": {"type": "bytes", "min": 1 << 16, "max": 1 << 40}},
                default="auto",
                help="packet buffer of a switch; auto: SONiC sizes its pools",
            ),
        ],
        paper="Besta et al.: FatPaths (SC20) §V-D, §V-E; Zhang et al.: Flattened Clos (NSDI23) §2.1",
        limitations="Layers of tables alone, without shares of ports. Rates of links must be known; with priority flow "
        "control lengths, too. Schemes that Ethernet can carry: one-vc, dfsssp, lash, hops, colouring.",
        examples=["sonic", "sonic:layers=vlans"],
    ),
    write,
    write_mended,
)
