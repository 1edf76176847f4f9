"""``tulle lab down``: end a lab."""

from __future__ import annotations

from tulle.cli.lab.up import BundlePath  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Json, print_json


def down(bundle: BundlePath, json: Json = False) -> None:
    """Ends a lab and all processes in it."""
    from tulle.errors import InputError
    from tulle.lab.lab import down as end

    ended = end(bundle)
    if not ended:
        raise InputError(f"{bundle}: its lab is not running")
    if json:
        print_json({"bundle": str(bundle), "ended": ended})
    else:
        print("the lab is down")
