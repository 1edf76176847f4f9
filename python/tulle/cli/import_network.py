"""``tulle import FORMAT FILE…``: a network that is there as a fabric."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tulle.cli import destination
from tulle.cli.output import Json, note, print_fields, print_json

Kind = Annotated[str, typer.Argument(metavar="FORMAT", help="ibnetdiscover, lldp, netbox or topo.")]
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Its files: of LLDP one per switch.")]
Endpoints = Annotated[
    list[str] | None,
    typer.Option("--endpoints", metavar="NAME", help="Devices that are endpoints, as 'node-*'; may be repeated."),
]
Out = Annotated[
    Path, typer.Option("-o", "--out", metavar="FILE", callback=destination.graph, help="The fabric, as fabric.json.")
]


def import_network(kind: Kind, files: Files, out: Out, endpoints: Endpoints = None, json: Json = False) -> None:
    """Reads a network that is there, with its names, ports and rates, and writes it as a fabric."""
    from tulle.cabling import read_network

    imported = read_network(kind, files, endpoints or ())
    for warning in imported.warnings:
        note(warning)
    fabric = imported.fabric
    fields: dict[str, Any] = {
        "switches": fabric.num_switches,
        "endpoints": fabric.num_endpoints,
        "cables": fabric.num_cables,
        "radix": fabric.radix,
        "written": [str(path) for path in fabric.write(out)],
    }
    for line in fabric.left_out(out):
        note(line)
    if json:
        print_json(fields)
    else:
        print_fields(fields)
