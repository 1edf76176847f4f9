"""The import format `toy`: a cable per line, as ``a b``; names in capitals are switches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.cabling.networks.assembly import Cable, Network
from tulle.cabling.networks.model import NetworkFormat
from tulle.cabling.source import Source, shown
from tulle.declarations import Option

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.cabling.networks.assembly import Choices, Imported


def read(paths: Sequence[Path], choices: Choices, *, reverse: bool) -> Imported:
    """The fabric of the files."""
    network, sources = Network(), [Source(path) for path in paths]
    for source in sources:
        for at, line in source.lines():
            names = line.split()
            if not names:
                continue
            if len(names) != 2:
                raise source.error(at, f"{shown(line)} is no cable; legal: two names")
            a, b = names[::-1] if reverse else names
            network.cables.append(Cable(((a, b), (b, a)), source, at))
            network.switches |= {name for name in names if name.isupper()}
            network.adapters |= {name for name in names if not name.isupper()}
        if not network.cables:
            raise source.error(0, "no cable; legal: two names per line")
    return network.fabric(sources[0], choices)


FORMAT = NetworkFormat(
    name="toy",
    summary="a cable per line",
    paper="none",
    limitations="For tests.",
    examples=("toy cables.txt", "toy cables.txt --reverse"),
    options=(Option("reverse", bool, "For toy: read cables from right to left.", default=False),),
    read=read,
    sample={"cables.txt": "LEAF1 SPINE\nLEAF2 SPINE\nnode1 LEAF1\n"},
)
