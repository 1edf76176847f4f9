"""``tulle lab probe``: check that packets take the planned paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tulle._internal.text import tulle_command, verb
from tulle.cli.lab.up import BundlePath  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Json, note, print_fields, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.lab.lab import Lab

Layers = Annotated[
    list[int] | None, typer.Option("--layer", metavar="N", help="Probe only this layer; may be repeated.")
]

_SHOWN = 20


def probe(bundle: BundlePath, layer: Layers = None, json: Json = False) -> None:
    """Traces every path with packets of increasing time to live.

    Exit code 1 if a packet takes another path than planned.
    """
    from tulle.errors import InputError
    from tulle.lab.lab import find
    from tulle.lab.probe import probe as send

    lab = find(bundle)
    layers = lab.bundle.plan.num_layers
    for one in layer or ():
        if not 0 <= one < layers:
            raise InputError(f"--layer {one} is out of range; legal: 0 to {layers - 1}")
    found = send(lab.sandbox, lab.bundle.plan, layers=sorted(set(layer)) if layer else None)
    fields = {
        "layers": len(set(layer)) if layer else layers,
        "paths": found.paths,
        "exact": found.exact,
        "wrong": len(found.wrong),
        "probes": found.probes,
        "sent": found.sent,
        "seconds": found.seconds,
    }
    if json:
        rows = [
            {
                "layer": one.layer,
                "source": one.source,
                "destination": one.destination,
                "seen": list(one.seen),
                "hop": one.hops + 1,
                "planned": list(one.planned),
            }
            for one in found.wrong
        ]
        print_json({**fields, "wrong": rows})
    else:
        print_fields(fields)
        if found.wrong:
            print()
        for wrong in found.wrong[:_SHOWN]:
            print(wrong.text)
        if len(found.wrong) > _SHOWN:
            print(f"… and {len(found.wrong) - _SHOWN} more; --json has all")
        if found.wrong:
            _note_failed(bundle, lab)
    if not found.agrees:
        raise typer.Exit(1)


def _note_failed(bundle: Path, lab: Lab) -> None:
    """Name the failed cables that the bundle uses, and the command that gives their paths other cables."""
    from tulle.lab.faults import cable_of, set_faults

    plan = lab.bundle.plan
    known = {cable_of(lab.place, plan, channel).name for channel in plan.fabric.cables.tolist()}
    dead = [name for name, kind in set_faults(lab.sandbox).items() if kind != "slow" and name in known]
    if dead:
        options = [word for name in dead for word in ("--dead-cable", name)]
        note(
            f"{verb(len(dead), 'a cable that the bundle uses has', 'cables that the bundle uses have')} failed: run "
            f"`{tulle_command('deploy', 'repair', bundle, *options, '-o', bundle)}`, then "
            f"`{tulle_command('lab', 'load', bundle)}`"
        )
