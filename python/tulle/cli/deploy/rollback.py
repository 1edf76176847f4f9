"""``tulle deploy versions`` and ``tulle deploy rollback``: list the versions of a bundle, and use another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tulle._internal.text import counted, tulle_command
from tulle.cli.deploy.advice import print_steps
from tulle.cli.deploy.verify import BundlePath, check_bundle
from tulle.cli.terminal.output import Json, note, print_fields, print_json, print_table
from tulle.errors import TulleError

if TYPE_CHECKING:
    from pathlib import Path

To = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="N", help="The version to put in use; default: the one that the current version replaced."
    ),
]
Drained = Annotated[
    bool,
    typer.Option(
        "--drained",
        help="Assert that there is no traffic until all switches have loaded the version and hosts have queried path "
        "records again, or that the network has never loaded the current version.",
    ),
]
Keep = Annotated[
    int | None,
    typer.Option(
        "--keep", metavar="N", min=1, help="Keep only the newest N versions and the version in use; delete all others."
    ),
]


def versions(bundle: BundlePath, keep: Keep = None, json: Json = False) -> None:
    """Lists the versions of a bundle; with --keep, deletes old versions first."""
    from tulle.deploy.versions.history import delete_old
    from tulle.deploy.versions.history import versions as listed

    check_bundle(bundle)
    # Reading the versions fails for a folder that is not a bundle, before anything is deleted.
    found = listed(bundle)
    gone = [] if keep is None else delete_old(bundle, keep)
    found = [version for version in found if version.version not in gone]
    if json:
        print_json({"bundle": str(bundle), "deleted": gone, "versions": [version.fields() for version in found]})
        return
    if gone:
        note(f"{counted(len(gone), 'version')} deleted: {', '.join(gone)}")
    columns = ("version", "in use", "replaced", "why", "written", "target", "routing", "switches", "cables")
    rows = [
        [
            version.version or "none",
            "yes" if version.in_use else "" if version.was_used else "never",
            version.replaced,
            version.why,
            version.written,
            version.target,
            version.routing,
            version.switches,
            version.cables,
        ]
        for version in found
    ]
    print_table(columns, rows, title=f"versions of {bundle}")


def rollback(bundle: BundlePath, to: To = None, drained: Drained = False, json: Json = False) -> None:
    """Puts another version of a bundle in use, by one atomic rename; refuses a version whose files have changed.

    On InfiniBand and in lossless networks, this change is not proved safe under traffic, so --drained is needed.
    """
    from tulle.deploy.infiniband.loading import loading_steps, settings_of
    from tulle.deploy.versions.history import loads_in_traffic, roll_back, target_of
    from tulle.deploy.versions.history import versions as listed
    from tulle.deploy.versions.layout import current

    check_bundle(bundle)
    before, number = current(bundle), target_of(bundle, to)
    if not drained and not loads_in_traffic(bundle, number):
        note(
            f"nothing changed: going back to version {number} is not proved safe under traffic; legal: stop traffic, "
            "repeat with --drained, and start traffic once all switches have loaded the version and hosts have queried "
            "path records again"
        )
        raise typer.Exit(1)
    is_ethernet = next(version.target != "infiniband" for version in listed(bundle) if version.version == number)
    loaded = None if is_ethernet or before is None else settings_of(bundle)
    roll_back(bundle, number)
    fields = {"bundle": str(bundle), "version": number, "before": before}
    if json:
        print_json(fields)
        return
    if before is not None and loads_in_traffic(bundle, before):
        note(
            f"if the network runs version {before}, packets can loop while switches load version {number}; "
            + _without_loops(bundle, before, number)
        )
    print_fields({**fields, "before": before or "none"})
    if is_ethernet:
        steps = [f"load the files of all switches, as {bundle / 'README.md'} describes"]
        if not loads_in_traffic(bundle, number):
            steps.append("start lossless traffic once all switches have loaded them and hosts have their new DSCPs")
    else:
        steps = loading_steps(bundle, loaded, hosts="all hosts", drained=True)
    print_steps(steps, f"if the network has loaded version {before}" if before is not None else "")


def _without_loops(bundle: Path, before: str, number: str) -> str:
    """Say how to change from the version `before` to the version `number` without loops."""
    from tulle.deploy.ethernet.bundle import read_bundle
    from tulle.deploy.ethernet.transition import check_transition
    from tulle.deploy.versions.layout import folder_of

    to = folder_of(bundle, number)
    try:
        check_transition(read_bundle(folder_of(bundle, before)), read_bundle(to))
    except TulleError:
        return "stop traffic until all switches have loaded it"
    back = tulle_command("deploy", "rollback", bundle, "--to", before)
    change = tulle_command("deploy", "repair", bundle, "--to", to, "-o", bundle)
    return f"for changes without loops, run `{back}`, then `{change}`"
