"""``tulle lab load``: load a repaired bundle into the lab that runs the bundle from before the repair."""

from __future__ import annotations

from tulle.cli.lab.up import BundlePath  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Json, print_fields, print_json


def load(bundle: BundlePath, json: Json = False) -> None:
    """Loads into the lab, round by round, the changes that tulle deploy repair made to a bundle."""
    from tulle.lab.lab import load as change

    _, rounds = change(bundle)
    fields = {"rounds": len(rounds), "routes": sum(rounds)}
    if json:
        print_json({**fields, "routes_of_rounds": rounds})
    else:
        print_fields(fields)
