"""``tulle deploy repair``: repair a bundle so that it avoids failed cables and switches."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from tulle._internal.arguments import canonical
from tulle._internal.text import tulle_command
from tulle.cli.deploy.rebind import rebind_infiniband
from tulle.cli.deploy.repair_ethernet import repair_ethernet
from tulle.cli.deploy.repair_infiniband import repair_infiniband
from tulle.cli.deploy.verify import BundlePath, check_bundle
from tulle.cli.options import destination
from tulle.cli.options.replace import Force  # noqa: TC001 - typer reads it
from tulle.cli.terminal.output import Json  # noqa: TC001 - typer reads it
from tulle.errors import FileError, InputError

LiveFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--live",
        metavar="PATH...",
        help="Current state of the network. InfiniBand: a file with the output of ibnetdiscover. Ethernet: files with "
        "the output of 'ip -json link' or 'lldpctl -f json0', one per switch and named after it, or a folder of "
        "such files.",
    ),
]
Files = Annotated[list[Path] | None, typer.Argument(metavar="[FILE]...", help="More files of --live.")]
DeadCables = Annotated[
    list[str] | None,
    typer.Option(
        "--dead-cable",
        metavar="A:B",
        help="Ethernet: a failed cable, named by its two switches, or by their ports (A/eth3:B/eth7); may be repeated.",
    ),
]
DeadSwitches = Annotated[
    list[str] | None,
    typer.Option(
        "--dead-switch", metavar="NAME", help="Ethernet: a failed switch; all its cables fail, too. May be repeated."
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "-o",
        "--out",
        metavar="DIR",
        callback=destination.folder,
        help="Folder of the repaired bundle; it may be BUNDLE itself.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run", help="Print the changes and write nothing; exit code 0 even if they are not proved safe."
    ),
]
Drained = Annotated[
    bool,
    typer.Option(
        "--drained",
        help="Assert that there is no lossless traffic until all switches have loaded the changes and hosts have "
        "queried path records again (Ethernet: have their new DSCPs). Intermediate states then need no proof.",
    ),
]
Asked = Annotated[
    bool,
    typer.Option(
        "--asked",
        help="InfiniBand: assert that all hosts have queried path records since a repair was last loaded under "
        "traffic.",
    ),
]
Lfts = Annotated[
    Path | None,
    typer.Option(
        "--lfts",
        metavar="FILE",
        help="InfiniBand: current output of dump_fts. With it, the proof covers switches that have not loaded the "
        "bundle yet, for example because OpenSM was stopped; without it, all switches are assumed to have loaded the "
        "bundle.",
    ),
]
Scheme = Annotated[
    str | None,
    typer.Option(
        "--deadlock",
        metavar="SCHEME",
        help="Another VC scheme for the repaired network, for example dfsssp; default: the scheme of the bundle.",
    ),
]
MaxDead = Annotated[
    str | None,
    typer.Option(
        "--max-dead",
        metavar="CABLES,SWITCHES",
        help="InfiniBand: refuse a repair if more switches, or more cables between the other switches, are missing in "
        "the live file; default: 5% of the cables (at least one), and one switch. A file that covers only a part of "
        "the subnet looks like failures.",
    ),
]
MaxHops = Annotated[
    int | None,
    typer.Option(
        "--max-hops",
        metavar="HOPS",
        min=1,
        help="Refuse a repair in which a path has more than HOPS hops; default: no limit, but a note counts the paths "
        "that become longer.",
    ),
]
To = Annotated[
    Path | None,
    typer.Option(
        "--to",
        metavar="BUNDLE",
        help="Ethernet: instead of failures, a bundle of the same cabling to change to, for example the version from "
        "before a repair.",
    ),
]
Bind = Annotated[
    list[str] | None,
    typer.Option(
        "--bind",
        metavar="NAME=GUID",
        help="InfiniBand: a switch or host was replaced by the node with this GUID at the same ports. The bundle gets "
        "the new GUID; nothing else changes. May be repeated.",
    ),
]
Sighup = Annotated[
    int | None,
    typer.Option(
        "--sighup",
        metavar="PID",
        help="InfiniBand: process ID of a running OpenSM; a signal tells it to read the files again.",
    ),
]


def repair(
    bundle: BundlePath,
    files: Files = None,
    live: LiveFiles = None,
    dead_cable: DeadCables = None,
    dead_switch: DeadSwitches = None,
    to: To = None,
    out: Out = None,
    dry_run: DryRun = False,
    drained: Drained = False,
    asked: Asked = False,
    lfts: Lfts = None,
    max_dead: MaxDead = None,
    max_hops: MaxHops = None,
    force: Force = False,
    deadlock: Scheme = None,
    bind: Bind = None,
    sighup: Sighup = None,
    json: Json = False,
) -> None:
    """Repairs a bundle after failures: addresses stay, few entries change, and every change is verified.

    If a repair is not proved safe under traffic and --drained is not given, nothing is written, and the exit code is 1.
    With --dry-run, a line says so, and the exit code is 0.
    """
    from tulle._internal.writing.lock import reserved
    from tulle.deploy.bundle_header import BUNDLE
    from tulle.deploy.ethernet.bundle import is_ethernet_bundle
    from tulle.deploy.versions.layout import opened

    if files and not live:
        raise InputError(f"{files[0]} is an extra argument; legal: one bundle, and files only after --live")
    live = [*(live or ()), *(files or ())]
    if out is None and not dry_run:
        raise typer.BadParameter("-o DIR is missing; legal: a folder, or --dry-run")
    if deadlock is not None:
        canonical("deadlocks", "deadlock", deadlock)
    for place in (bundle, to):
        if place is not None:
            check_bundle(place)
    written = None if dry_run else out
    # No other command may write the folder between reading the bundle and writing the repair.
    with nullcontext() if written is None else reserved(written):
        if is_ethernet_bundle(bundle):
            only = (
                ("--asked", asked),
                ("--sighup", sighup),
                ("--max-dead", max_dead),
                ("--bind", bind or None),
                ("--lfts", lfts),
            )
            if name := next((name for name, value in only if value not in (None, False)), None):
                raise InputError(f"{name} is not for Ethernet bundles; legal: without it")
            repair_ethernet(
                bundle,
                live,
                dead_cable or [],
                dead_switch or [],
                to,
                written,
                drained=drained,
                force=force,
                deadlock=deadlock,
                max_hops=max_hops,
                json=json,
            )
            return
        if not (opened(bundle) / BUNDLE).is_file():
            raise FileError(f"{bundle}: has no {BUNDLE}; legal: a complete folder that `tulle deploy` wrote")
        if to is not None:
            raise InputError(
                "--to is not for InfiniBand bundles: no order of the changes to another version is proved safe; legal: "
                f"--live FILE, or stop traffic and run `{tulle_command('deploy', 'rollback', bundle, '--drained')}`"
            )
        if dead_cable or dead_switch:
            raise InputError("--dead-cable and --dead-switch are not for InfiniBand bundles; legal: --live FILE")
        if len(live) != 1:
            problem = f"has {len(live)} files" if live else "FILE is missing"
            raise InputError(f"--live {problem}; legal: one file, the current output of ibnetdiscover")
        if sighup is not None and dry_run:
            raise typer.BadParameter("--sighup with --dry-run, which writes nothing; legal: one of them")
        if bind:
            rebind_infiniband(bundle, live[0], bind, written, force=force, sighup=sighup, json=json)
            return
        repair_infiniband(
            bundle,
            live[0],
            written,
            drained=drained,
            asked=asked,
            lfts=lfts,
            max_dead=max_dead,
            max_hops=max_hops,
            force=force,
            deadlock=deadlock,
            sighup=sighup,
            json=json,
        )
