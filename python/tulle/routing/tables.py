"""Forwarding tables as files that people and other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.text import csv_row
from tulle._internal.writing.atomic import replacing
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from tulle.routing.routing import Routing

__all__ = ["write_tables"]

COLUMNS = ("layer", "switch", "destination", "ports", "next")


def write_tables(routing: Routing, folder: str | PathLike[str]) -> list[Path]:
    """Write the tables of all layers to ``forwarding.txt`` and ``forwarding.csv`` in `folder`; return these paths.

    A CSV row has a layer, a switch, a destination switch, the ports toward it, and the next switch at each of these
    ports. Switches and ports are given by name; several equal-cost ports are separated by spaces. The text file lists
    the same entries by switch and layer. Each file is replaced only once the new one is complete.

    Raises
    ------
    tulle.InputError
        For a path set, which has no tables.
    tulle.FileError
        If the operating system refuses to write the file.
    """
    if not routing.num_layers:
        raise InputError(f"{routing.spec} is a set of paths and has no tables; legal: a routing of layers")
    place = Path(folder)
    files = [place / "forwarding.txt", place / "forwarding.csv"]
    fabric = routing.fabric
    names, ports = fabric.labels, fabric.ports
    targets = fabric.channels[:, 1].tolist()
    with replacing(files[0]) as text, replacing(files[1]) as table:
        table.write(_row(COLUMNS))
        text.write(f"{routing.spec} on {fabric.spec}\n".encode())
        for switch, layer, hops in _rows(routing):
            if layer == 0:
                text.write(f"\nswitch {names[switch]}\n".encode())
            if routing.num_layers > 1:
                text.write(f"  layer {layer}\n".encode())
            for destination, channels in hops:
                leaving = [ports[channel] for channel in channels]
                following = [names[targets[channel]] for channel in channels]
                shown = ", ".join(f"port {port} ({name})" for port, name in zip(leaving, following, strict=True))
                text.write(f"    to {names[destination]}: {shown or 'none'}\n".encode())
                row = (layer, names[switch], names[destination], " ".join(leaving), " ".join(following))
                table.write(_row(row))
    return files


def _rows(routing: Routing) -> Iterator[tuple[int, int, list[tuple[int, list[int]]]]]:
    """Yield each switch and layer with the channels toward every other switch."""
    switches = range(routing.fabric.num_switches)
    for switch in switches:
        for layer in range(routing.num_layers):
            others = [other for other in switches if other != switch]
            yield switch, layer, [(other, routing.next_hops(layer, switch, other).tolist()) for other in others]


def _row(values: tuple[object, ...]) -> bytes:
    return f"{csv_row(values)}\n".encode()
