"""``tulle import FORMAT FILE…``: read an existing network as a fabric, and its forwarding tables as a routing.

The import formats declare their own options, and this command adds them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tulle.cabling.live import expanded
from tulle.cabling.networks import FORMATS, network_format, network_formats, read_network
from tulle.cabling.networks.model import CHOICES
from tulle.cli.options import destination
from tulle.cli.options.declared import keyword, parameter, with_signature
from tulle.cli.terminal.output import Json, note, print_fields, print_json
from tulle.errors import InputError, TulleError


def _known(kind: str) -> str:
    """Check the name of the format. A callback does this before typer reports missing arguments."""
    if kind not in FORMATS:
        raise InputError(
            f"import: '{kind}' is not an import format; legal: {', '.join(FORMATS)}; "
            "specs such as file:edges=FILE read lists of cables and graphs, without an import"
        )
    return kind


_OWN = {option.name: option for format in network_formats() for option in format.options}
_COUNTS = [f"for {format.name} {format.files}, or their folder" for format in network_formats() if format.files]
_ADDRESSED = " or ".join(format.name for format in network_formats() if format.has_addresses)

Kind = Annotated[
    str,
    typer.Argument(metavar="FORMAT", callback=_known, help=f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}."),
]
Files = Annotated[
    list[Path], typer.Argument(metavar="FILE...", help=f"{', '.join(['Files in this format', *_COUNTS])}.")
]
Out = Annotated[
    Path,
    typer.Option(
        "-o", "--out", metavar="FILE", callback=destination.graph, help="The fabric: .json, or another graph format."
    ),
]
Lfts = Annotated[
    Path | None,
    typer.Option("--lfts", metavar="FILE", help=f"For {_ADDRESSED}: forwarding tables as dump_fts prints them."),
]
Routes = Annotated[
    list[Path] | None,
    typer.Option(
        "--routes",
        metavar="PATH",
        help="For Ethernet: the output of 'ip -json route show table all', vtysh -c 'show ip route json' or "
        "'sonic-db-dump -n APPL_DB -y', in one file per switch, named after the switch, or a folder of such files.",
    ),
]
RoutingOut = Annotated[
    Path | None,
    typer.Option(
        "--routing",
        metavar="FILE",
        callback=destination.routing,
        help="File to which the routing of these tables is written.",
    ),
]


def _own_options(kind: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a format. Raise an error if an option of another format is given."""
    names = [option.name for option in network_format(kind).options]
    for name, option in _OWN.items():
        if name not in names and given[name] != option.default:
            legal = " or ".join(format.name for format in network_formats() if option in format.options)
            raise InputError(f"{option.flag} with {kind}; legal: with {legal}")
    return {name: given[name] for name in names}


def _check_tables(kind: str, lfts: Path | None, routes: list[Path] | None, routing: Path | None) -> None:
    """Check that the options for forwarding tables can be combined with each other and with the format."""
    name = "--lfts" if network_format(kind).has_addresses else "--routes"
    if (lfts is None and not routes) != (routing is None):
        raise InputError(
            f"only one of {name} and --routing is given; legal: both (tables to read and file to write), or neither"
        )
    if lfts is not None and name != "--lfts":
        raise InputError(
            f"--lfts with {kind}, whose files have no GUIDs and LIDs; legal: --routes, or the format {_ADDRESSED}"
        )
    if routes and name != "--routes":
        raise InputError(f"--routes with {kind}; legal: --lfts with {kind}, or --routes with another format")


def _check_no_dump(kind: str, files: list[Path], out: Path) -> None:
    """Refuse an output that is a file like the input files, and comes before them in the order of a shell.

    In ``tulle import lldp -o *.json`` the shell makes the first file the output.
    """
    alike = all(file.suffix == out.suffix and file.parent == out.parent and out < file for file in files)
    if not alike or not out.is_file():
        return
    try:
        read_network(kind, [out])
    except TulleError:
        return
    raise InputError(
        f"{out}: is a file with a network like the input files, and -o would replace it; legal: -o with a new name, "
        "for example -o fabric.json"
    )


def _import_network(
    *,
    kind: str,
    files: list[Path],
    out: Path,
    hosts: list[str] | None,
    ignore: list[str] | None,
    endpoints: list[str] | None,
    lfts: Path | None,
    routes: list[Path] | None,
    routing: Path | None,
    json: bool,
    **given: Any,
) -> None:
    """Reads an existing network with its names, ports and rates, and writes it as a fabric."""
    _check_tables(kind, lfts, routes, routing)
    own = _own_options(kind, given)
    files = expanded(files) if network_format(kind).files else files
    _check_no_dump(kind, files, out)
    imported = read_network(kind, files, endpoints or (), hosts=hosts or (), ignore=ignore or (), **own)
    for warning in imported.warnings:
        note(warning)
    fabric, tables = imported.fabric, None
    if lfts is not None:
        from tulle.deploy.infiniband.import_tables import routing_of_tables
        from tulle.deploy.read import read_lfts

        tables = routing_of_tables(fabric, read_lfts(lfts))
    elif routes:
        from tulle.deploy.ethernet.import_routes import read_routing

        tables, _, notes = read_routing(fabric, routes)
        for line in notes:
            note(line)
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


import_network = with_signature(
    _import_network,
    [
        keyword("kind", Kind),
        keyword("files", Files),
        keyword("out", Out),
        *map(parameter, (*CHOICES, *_OWN.values())),
        keyword("lfts", Lfts, default=None),
        keyword("routes", Routes, default=None),
        keyword("routing", RoutingOut, default=None),
        keyword("json", Json, default=False),
    ],
)
