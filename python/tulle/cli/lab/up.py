"""``tulle lab up``: run a bundle in network namespaces of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tulle.cli.terminal.output import Json, ProgressLine, print_fields, print_json

BundlePath = Annotated[Path, typer.Argument(metavar="BUNDLE", help="Folder that tulle deploy linux wrote.")]
Rate = Annotated[
    str, typer.Option("--rate", metavar="RATE", help="Rate of every cable and direction, for example 20Mbps.")
]
Lifetime = Annotated[
    str, typer.Option("--lifetime", metavar="TIME", help="Time after which the lab ends by itself, for example 600s.")
]

_FASTEST = 100_000_000_000
_SLOWEST = 100_000


def up(bundle: BundlePath, rate: Rate = "20Mbps", lifetime: Lifetime = "3600s", json: Json = False) -> None:
    """Builds a lab: a namespace per switch and host, cabled as planned and set up by the bundle's files."""
    from tulle import _tulle
    from tulle.errors import InputError
    from tulle.lab.lab import up as build

    bits = _tulle.read_rate("rate", "rate", rate)
    if not _SLOWEST <= bits <= _FASTEST:
        raise InputError(f"--rate {rate} is out of range; legal: 100Kbps to 100Gbps")
    seconds = _tulle.read_duration("lifetime", lifetime) / 1e12
    if seconds < 1:
        raise InputError(f"--lifetime {lifetime} is too short; legal: 1s or more")
    with ProgressLine("building"):
        made = build(bundle, rate=bits, lifetime=seconds)
    plan = made.bundle.plan
    fields: dict[str, Any] = {
        "bundle": str(bundle),
        "fabric": made.bundle.header.fabric,
        "routing": plan.routing.spec,
        "switches": len(plan.names),
        "hosts": len(plan.hosts),
        "cables": plan.fabric.num_cables,
        "layers": plan.num_layers,
        "entries": plan.num_entries,
        "rate_mbps": bits / 1e6,
        "lifetime_s": seconds,
        "process": made.sandbox.process,
        "build_s": made.state["build_seconds"],
    }
    if json:
        print_json({**fields, "parts_s": made.state["parts"]})
    else:
        print_fields(fields)
