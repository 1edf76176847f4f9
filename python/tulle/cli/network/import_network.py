"""``tulle import FORMAT FILE…``: a network that is there as a fabric, its forwarding tables as a routing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tulle.cli.options import destination
from tulle.cli.terminal.output import Json, note, print_fields, print_json
from tulle.errors import InputError


def _known(kind: str) -> str:
    """Refused before what else is missing: who types tulle import sonic asks for a format that there is not."""
    from tulle.cabling.networks import FORMATS

    if kind not in FORMATS:
        raise InputError(f"import: '{kind}' is no format of networks; legal: {', '.join(FORMATS)}")
    return kind


Kind = Annotated[str, typer.Argument(metavar="FORMAT", callback=_known, help="ibnetdiscover, lldp, netbox or topo.")]
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Its files: of LLDP one per switch.")]
Hosts = Annotated[
    list[str] | None,
    typer.Option("--hosts", metavar="PATTERN", help="Devices that are hosts, as 'server*'; may be repeated."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="PATTERN", help="Devices or ports to leave out, as 'eth*'; may be repeated."),
]
Endpoints = Annotated[
    list[str] | None,
    typer.Option(
        "--endpoints", metavar="PATTERN", help="The only endpoints, as 'node-*': all other devices are switches."
    ),
]
KeepAggregation = Annotated[
    bool, typer.Option("--keep-aggregation", help="Of ibnetdiscover: keep SHARP's aggregation nodes as endpoints.")
]
Out = Annotated[
    Path, typer.Option("-o", "--out", metavar="FILE", callback=destination.graph, help="The fabric, as fabric.json.")
]
Lfts = Annotated[
    Path | None,
    typer.Option("--lfts", metavar="FILE", help="Of ibnetdiscover: forwarding tables, as dump_fts prints them."),
]
RoutingOut = Annotated[
    Path | None,
    typer.Option("--routing", metavar="FILE", callback=destination.routing, help="Those tables, as a saved routing."),
]


def import_network(
    kind: Kind,
    files: Files,
    out: Out,
    hosts: Hosts = None,
    ignore: Ignore = None,
    endpoints: Endpoints = None,
    keep_aggregation: KeepAggregation = False,
    lfts: Lfts = None,
    routing: RoutingOut = None,
    json: Json = False,
) -> None:
    """Reads a network that is there, with its names, ports and rates, and writes it as a fabric."""
    from tulle.cabling import read_network

    if (lfts is None) != (routing is None):
        raise InputError(
            "one of --lfts and --routing; legal: both, the tables that are read and the file for them, or neither"
        )
    if lfts is not None and kind != "ibnetdiscover":
        raise InputError(f"--lfts with {kind}; legal: with ibnetdiscover, which tells GUIDs and LIDs")
    if keep_aggregation and kind != "ibnetdiscover":
        raise InputError(f"--keep-aggregation with {kind}; legal: with ibnetdiscover, which shows aggregation nodes")
    imported = read_network(
        kind, files, endpoints or (), hosts=hosts or (), ignore=ignore or (), keep_aggregation=keep_aggregation
    )
    for warning in imported.warnings:
        note(warning)
    fabric, tables = imported.fabric, None
    if lfts is not None:
        from tulle.deploy.infiniband.import_tables import routing_of_tables
        from tulle.deploy.read import read_lfts

        tables = routing_of_tables(fabric, read_lfts(lfts))
    fields: dict[str, Any] = {
        "switches": fabric.num_switches,
        "endpoints": fabric.num_endpoints,
        "cables": fabric.num_cables,
        "radix": fabric.radix,
        "written": [str(path) for path in fabric.write(out)],
    }
    for line in fabric.left_out(out):
        note(line)
    if tables is not None and routing is not None:
        tables.save(routing)
        fields |= {"layers": tables.num_layers, "written": [*fields["written"], str(routing)]}
    if json:
        print_json(fields)
    else:
        print_fields(fields)
