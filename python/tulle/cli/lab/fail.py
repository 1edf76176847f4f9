"""``tulle lab fail``: fail and restore cables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tulle.cli.lab.up import BundlePath  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Json, print_fields, print_json

if TYPE_CHECKING:
    from tulle.lab.faults import Kind

Cables = Annotated[
    list[str] | None,
    typer.Argument(metavar="[CABLE]...", help="SWITCH:PORT, or SWITCH:SWITCH, by names in the bundle."),
]
Silent = Annotated[bool, typer.Option("--silent", help="Keep the link up but drop all its packets: a black hole.")]
Share = Annotated[
    str | None,
    typer.Option("--rate", metavar="SHARE", help="Keep the link up at this share of its rate, for example 25%."),
]
Heal = Annotated[bool, typer.Option("--heal", help="Restore these cables, or all cables if none is named.")]


def fail(
    bundle: BundlePath,
    cables: Cables = None,
    silent: Silent = False,
    rate: Share = None,
    heal: Heal = False,
    json: Json = False,
) -> None:
    """Fails cables of a lab, slows them, or restores them; prints all faults."""
    from tulle.errors import InputError
    from tulle.lab.faults import SHARE, cable, failed, removed, set_faults
    from tulle.lab.lab import find

    if silent + (rate is not None) + heal > 1:
        raise InputError("several of --silent, --rate and --heal are given; legal: one of them")
    share = SHARE if rate is None else slow_share(rate)
    # Cables can be restored even if the bundle has been repaired and `tulle lab load` has not loaded the repair yet.
    lab = find(bundle, changed=heal)
    plan = lab.bundle.plan
    if heal:
        chosen = [failed(lab.sandbox, lab.place, plan, text) for text in cables or ()]
        now = set_faults(lab.sandbox, heal=chosen, heal_all=not chosen)
    else:
        chosen = [removed(lab.sandbox, lab.bundle, text) or cable(lab.place, plan, text) for text in cables or ()]
        kind: Kind = "silent" if silent else "down" if rate is None else "slow"
        now = set_faults(lab.sandbox, fail=chosen, kind=kind, share=share)
    if json:
        print_json({"faults": now})
    elif now:
        print_fields(now)
    else:
        print("no cable has a fault")


def slow_share(text: str) -> float:
    """Return the share that ``--rate`` gives, for example ``25%`` or ``0.25``."""
    from tulle.errors import InputError

    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise InputError(f"--rate {text}: not a share of the cable's rate; legal: above 0%, below 100%")
    return share
