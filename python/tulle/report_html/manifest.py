"""The manifest of a report: the input file, specs, seeds and versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import __version__
from tulle._internal.reading import sha256

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tulle.report_html.model import Cell
    from tulle.report_html.networks import Network


def manifest(
    command: str, file: Path, networks: Iterable[Network], more: Iterable[tuple[str, Cell]] = ()
) -> tuple[tuple[str, Cell], ...]:
    """Return the rows of a manifest. `more` has rows that only this kind of report has."""
    size, digest = sha256(file)
    rows: list[tuple[str, Cell]] = [
        ("result of", command),
        ("file", f"{file.name}, {size:,} bytes"),
        ("SHA-256 of the file", digest),
        *more,
    ]
    for each in networks:
        prefix = f"network {each.name}".rstrip()
        rows += [(prefix, each.fabric.spec), (f"{prefix}: seed", str(each.fabric.seed))]
        if each.fabric.faults:
            rows.append((f"{prefix}: failures", ", ".join(each.fabric.faults)))
        rows.append((f"{prefix}: floor", each.layout.floor))
        if each.routing is not None:
            seed = "" if each.routing.seed is None else f", seed {each.routing.seed}"
            rows.append((f"{prefix}: routing", f"{each.routing.spec}{seed}"))
    return (*rows, ("report written by", f"tulle {__version__}"))
