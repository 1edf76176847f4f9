"""``tulle deploy linux``: what switches and hosts that run Linux are loaded with, as a bundle."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle._internal.text import brief, counted, verb
from tulle.cli.network.fabric import Fail, Link, Spec, build, routing_of, say_warnings
from tulle.cli.options import destination
from tulle.cli.options.replace import Force, check_replaced, ethernet
from tulle.cli.routing.route import Scheme  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Json, Seed, note, print_fields, print_json

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.fabric import Fabric

Ipv6 = Annotated[bool, typer.Option("--ipv6", help="Addresses of IPv6, fd00:layer:switch::host.")]
Prefix = Annotated[
    str | None,
    typer.Option("--prefix", metavar="PREFIX", help="All addresses are in it, as 10.64.0.0/12 or fd12:3456::/32."),
]
TableSize = Annotated[
    int | None, typer.Option("--table-size", metavar="N", min=1, help="Prefix entries that a switch holds at most.")
]
Deadlock = Annotated[
    str | None,
    typer.Option("--deadlock", metavar="SCHEME", help="Of a lossless network the scheme of priorities, as dfsssp."),
]
Hosts = Annotated[
    str, typer.Option("--hosts", metavar="MODE", help="How hosts use layers: mptcp, flowlets, or a hash of the flow.")
]
Gap = Annotated[
    str,
    typer.Option("--flowlet-gap", metavar="TIME", help="Silence after which a flow may take another layer, as 50ms."),
]
Out = Annotated[
    Path, typer.Option("-o", "--out", metavar="DIR", callback=destination.folder, help="The folder of the bundle.")
]


# Targets whose files name ports eth1, eth2, …
_ETH = {"linux", "frr", "ovs", "srv6"}


def planned_ethernet(
    spec: str,
    routing: str,
    seed: int,
    link: list[str] | None,
    fail: str | None,
    *,
    ipv6: bool,
    prefix: str | None,
    table_size: int | None,
    deadlock: str | None,
    out: Path,
    target: str,
    force: bool,
    gateways: bool = False,
) -> EthernetPlan:
    """The plan that the options of a target of Ethernet ask for; the fabric may be a cabling plan."""
    from tulle.deploy.ethernet.plan import plan_of
    from tulle.deploy.planned import planned

    fabric = planned(spec) or build(spec, seed, fail, link)
    check_replaced(out, ethernet(target), fabric, force=force, lossless=deadlock is not None)
    say_warnings(fabric)
    routed = routing_of(fabric, routing, seed)
    what = routed if deadlock is None else routed.assign_vcs(deadlock)
    plan = plan_of(what, ipv6=ipv6, prefix=prefix, table_size=table_size, gateways=gateways)
    if target in _ETH:
        say_port_names(fabric, plan)
    return plan


def say_port_names(fabric: Fabric, plan: EthernetPlan) -> None:
    """Prints a line if the fabric's port names differ from those in the bundle."""
    known = fabric.properties
    between = list(fabric.ports) if "ports" in known else []
    hosts = list(fabric.endpoint_ports) if "endpoint_ports" in known else []
    differ = of = 0
    example = ""
    for switch, ports in enumerate(plan.ports):
        for port in ports:
            names, at = (hosts, port.endpoint) if port.channel is None else (between, port.channel)
            name = names[at or 0] if names else ""
            of += bool(name)
            # A port named by its number counts as the same.
            if name and name not in (port.name, str(port.number)):
                differ += 1
                example = example or f"{brief(name)} of {brief(fabric.labels[switch])} is {port.name}"
    if differ:
        note(
            f"{differ} of {counted(of, 'port')} {verb(of, 'has', 'have')} another name in the fabric than in the files "
            f"({example}): eth1, eth2, … are a switch's ports in the order of the fabric; rename the interfaces, as ip "
            "link set dev NAME name eth1"
        )


def plan_fields(plan: EthernetPlan) -> dict[str, Any]:
    """What a target of Ethernet says of its plan."""
    return {
        "fabric": plan.fabric.spec,
        "routing": plan.routing.spec,
        "deadlock": None if plan.vcs is None else plan.vcs.spec,
        "switches": plan.fabric.num_switches,
        "endpoints": plan.fabric.num_endpoints,
        "layers": plan.num_layers,
        "prefix": str(plan.addressing.base),
        "entries": plan.num_entries,
        "entries_per_switch": int(plan.entries_per_switch.max()),
        "paths": plan.walked.paths,
        "most_hops": plan.walked.most_hops,
    }


def print_deployed(plan: EthernetPlan, written: list[Path], out: Path, started: float, json: bool) -> None:
    """Prints what was deployed, and how long it took."""
    fields = {**plan_fields(plan), "seconds": round(perf_counter() - started, 3)}
    if json:
        print_json({**fields, "written": [str(path) for path in written]})
    else:
        print_fields({name: value for name, value in fields.items() if value is not None} | {"written": str(out)})


def linux(
    spec: Spec,
    routing: Scheme,
    out: Out,
    ipv6: Ipv6 = False,
    prefix: Prefix = None,
    table_size: TableSize = None,
    deadlock: Deadlock = None,
    hosts: Hosts = "mptcp",
    flowlet_gap: Gap = "50ms",
    force: Force = False,
    seed: Seed = 0,
    link: Link = None,
    fail: Fail = None,
    json: Json = False,
) -> None:
    """Writes what Linux switches and hosts load with iproute2, every path walked first.

    The fabric is a spec, a file (file:edges=fabric.json, as tulle import writes it), or a folder of tulle cabling plan.
    """
    from tulle.deploy.ethernet.hosts import host_mode, milliseconds
    from tulle.deploy.targets.linux import write_plan

    started = perf_counter()
    mode, gap_ms = host_mode(hosts), milliseconds(flowlet_gap)
    plan = planned_ethernet(
        spec,
        routing,
        seed,
        link,
        fail,
        ipv6=ipv6,
        prefix=prefix,
        table_size=table_size,
        deadlock=deadlock,
        out=out,
        target="linux",
        force=force,
    )
    print_deployed(plan, write_plan(plan, out, hosts=mode, gap_ms=gap_ms), out, started, json)
