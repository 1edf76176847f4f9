"""``tulle lab fib``: write the forwarding tables of the kernels in a lab."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tulle.cli.lab.up import BundlePath  # noqa: TC001 - typer reads it
from tulle.cli.options import destination
from tulle.cli.terminal.output import Json, print_fields, print_json

Out = Annotated[
    Path, typer.Option("-o", "--out", metavar="DIR", callback=destination.folder, help="The folder of the tables.")
]


def fib(bundle: BundlePath, out: Out, json: Json = False) -> None:
    """Writes the routes of each switch to a file, as ip -json prints them, for tulle deploy verify --fib."""
    from tulle._internal.writing.atomic import put, staging
    from tulle.lab.fib import tables
    from tulle.lab.lab import find

    lab = find(bundle)
    found = tables(lab.sandbox, lab.bundle.plan)
    with staging(out) as prepared:
        files = []
        for name, text in found.items():
            files.append(prepared / f"{name}.json")
            files[-1].write_text(text, encoding="utf-8")
        out.mkdir(exist_ok=True)
        put(files, out)
    if json:
        print_json({"written": [str(out / file.name) for file in files]})
    else:
        print_fields({"switches": len(found), "written": str(out)})
