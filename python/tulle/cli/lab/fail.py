"""``tulle lab fail``: fail and restore cables."""

from __future__ import annotations

from typing import Annotated

import typer

from tulle.cli.lab.up import BundlePath  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Json, print_fields, print_json

Cables = Annotated[
    list[str] | None,
    typer.Argument(metavar="[CABLE]...", help="SWITCH:PORT, or SWITCH:SWITCH, by the bundle's names."),
]
Silent = Annotated[bool, typer.Option("--silent", help="Keep the link up but drop all its packets: a black hole.")]
Heal = Annotated[bool, typer.Option("--heal", help="Restore these cables, or all cables if none is named.")]


def fail(
    bundle: BundlePath, cables: Cables = None, silent: Silent = False, heal: Heal = False, json: Json = False
) -> None:
    """Fails cables of a lab, or restores them; prints the cables that are then dead."""
    from tulle.errors import InputError
    from tulle.lab.faults import cable, set_faults
    from tulle.lab.lab import find

    if heal and silent:
        raise InputError("--silent is about cables that fail; legal: --heal, or --silent")
    lab = find(bundle)
    plan = lab.bundle.plan
    chosen = [cable(lab.place, plan, text) for text in cables or ()]
    if heal:
        now = set_faults(lab.sandbox, heal=chosen, heal_all=not chosen)
    else:
        now = set_faults(lab.sandbox, fail=chosen, kind="silent" if silent else "down")
    if json:
        print_json({"dead": now})
    elif now:
        print_fields(now)
    else:
        print("no cable is dead")
