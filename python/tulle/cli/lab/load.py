"""``tulle lab load``: a mended bundle into the lab of the one before."""

from __future__ import annotations

from tulle.cli.lab.up import BundlePath  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Json, print_fields, print_json


def load(bundle: BundlePath, json: Json = False) -> None:
    """Loads what tulle deploy repair has changed in a bundle, round by round."""
    from tulle.lab.lab import load as change

    _, rounds = change(bundle)
    fields = {"rounds": len(rounds), "routes": sum(rounds)}
    if json:
        print_json({**fields, "routes_of_rounds": rounds})
    else:
        print_fields(fields)
