"""The target `ovs`: switches that run Open vSwitch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.declarations import Option
from tulle.deploy.bundle_header import ETHERNET
from tulle.deploy.ethernet.ovs import FIRST_VLAN
from tulle.deploy.targets.ethernet import (
    DEADLOCK,
    FILES,
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
    first_vlan: int = FIRST_VLAN,
    spec: str | None = None,
    more: Iterable[tuple[str, str]] = (),
) -> list[Path]:
    """Write a bundle, with the further files `more`."""
    from tulle.deploy.ethernet.gateways import bridged
    from tulle.deploy.ethernet.ovs import files, readme
    from tulle.deploy.ethernet.port_names import OVS, named
    from tulle.deploy.ethernet.write import write_bundle

    plan = named(plan, OVS)
    options = {"first_vlan": first_vlan}
    made = [*files(plan, first_vlan), *more]
    text = readme(plan, first_vlan)
    return write_bundle(plan, place, "ovs", made, text, options=options, spec=spec, gateways=bridged)


def write(
    what: Routing | VcPlan,
    place: Path,
    *,
    first_vlan: int,
    ipv6: bool,
    prefix: str | None,
    table_size: int | None,
) -> Written:
    """Write a bundle."""
    from tulle.deploy.ethernet.plan import plan_of

    plan = plan_of(what, ipv6=ipv6, prefix=prefix, table_size=table_size)
    return written(plan, write_plan(plan, place, first_vlan=first_vlan))


def write_repaired(repaired: Repair, place: Path) -> list[Path]:
    """Write a repaired bundle, with OpenFlow bundles of the changes."""
    from tulle.deploy.ethernet.change_files import change_files
    from tulle.deploy.ethernet.ovs import LOAD, change_lines, port_script

    header = repaired.header
    first_vlan = int(header.options.get("first_vlan", FIRST_VLAN))
    more = change_files(
        repaired,
        lambda change: change_lines(repaired, change, first_vlan),
        "bundle",
        LOAD,
        first=lambda _, ports: port_script(ports),
        first_load=("sh", "sh FILE"),
    )
    return write_plan(repaired.plan, place, first_vlan=first_vlan, spec=header.fabric, more=more)


TARGET = Target(
    name="ovs",
    summary="switches that run Open vSwitch: layers are VLANs, and masked MAC addresses identify switches",
    paper=PAPER,
    limitations="Only routings with layers of next-hop tables. Hosts need the MAC addresses of the bundle and static "
    "neighbours, because nothing is flooded.",
    examples=("ovs", "ovs --first-vlan 1000"),
    help="Writes the bridge, groups and flows of every switch: a layer is a VLAN, a MAC address identifies a switch.",
    options=(
        Option(
            "first_vlan",
            int,
            "The VLAN of layer 0; the other layers use the VLANs after it.",
            metavar="N",
            default=FIRST_VLAN,
            least=1,
            most=4094,
        ),
        *(IPV6, PREFIX, TABLE_SIZE, DEADLOCK),
    ),
    write=write,
    format=ETHERNET,
    files=FILES | {"hosts.csv"},
    lossless_files=LOSSLESS_FILES,
    repaired_files=REPAIRED_FILES,
    write_repaired=write_repaired,
    has_shares=True,
    has_transitions=True,
)
