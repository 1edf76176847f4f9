"""``tulle deploy repair``: repair a bundle so that it avoids failed cables and switches."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tulle._internal.arguments import canonical
from tulle._internal.text import counted, verb
from tulle.cli.deploy.repair_ethernet import repair_ethernet
from tulle.cli.deploy.verify import BundlePath, check_bundle
from tulle.cli.options import destination
from tulle.cli.options.replace import Force, bundle_for, check_replaced
from tulle.cli.terminal.output import Json, note, print_fields, print_json, print_table
from tulle.deploy.detours import check_hops
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.deploy.infiniband.repair import Failures, Repair

LiveFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--live",
        metavar="PATH",
        help="Current state of the network: output of ibnetdiscover; on Ethernet of ip -json link or lldpctl -f "
        "json0, in one file per switch, "
        "named after the switch, or a folder of such files.",
    ),
]
DeadCables = Annotated[
    list[str] | None,
    typer.Option("--dead-cable", metavar="A:B", help="Ethernet: a failed cable, by its switches, or A/eth3:B/eth7."),
]
DeadSwitches = Annotated[
    list[str] | None,
    typer.Option("--dead-switch", metavar="NAME", help="Ethernet: a failed switch; all its cables fail, too."),
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
        help="There is no traffic until all switches have loaded the changes and hosts have queried path records "
        "again, so intermediate states need no proof.",
    ),
]
Asked = Annotated[
    bool,
    typer.Option(
        "--asked",
        help="InfiniBand: all hosts have queried path records since the last repair was loaded during traffic.",
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
        help="InfiniBand: the largest numbers of cables and switches that may be dead, because a live file of only a "
        "part of the subnet looks like failures; default: 5% of the cables, and one switch.",
    ),
]
MaxHops = Annotated[
    int | None,
    typer.Option(
        "--max-hops",
        metavar="HOPS",
        min=1,
        help="Refuse a repair in which a path has more hops; default: any length, and a line says how many paths are "
        "longer than before.",
    ),
]
To = Annotated[
    Path | None,
    typer.Option(
        "--to",
        metavar="BUNDLE",
        help="Ethernet: no failures; change to this bundle of the same switches, for example to the bundle from "
        "before a repair.",
    ),
]
Sighup = Annotated[
    int | None,
    typer.Option(
        "--sighup", metavar="PID", help="Process ID of a running OpenSM; a signal tells it to read the files again."
    ),
]

_SHOWN = 20


def repair(
    bundle: BundlePath,
    live: LiveFiles = None,
    dead_cable: DeadCables = None,
    dead_switch: DeadSwitches = None,
    to: To = None,
    out: Out = None,
    dry_run: DryRun = False,
    drained: Drained = False,
    asked: Asked = False,
    max_dead: MaxDead = None,
    max_hops: MaxHops = None,
    force: Force = False,
    deadlock: Scheme = None,
    sighup: Sighup = None,
    json: Json = False,
) -> None:
    """Repairs a bundle after failures: addresses stay, few entries change, and every change is verified.

    If a repair is not proved safe in traffic, the exit code is 1, and nothing is written without --drained. With
    --dry-run, a line says so, and the exit code is 0.
    """
    from tulle.deploy.ethernet.bundle import is_ethernet_bundle
    from tulle.deploy.infiniband import repair as mending
    from tulle.deploy.infiniband.bundle import read_bundle
    from tulle.deploy.read.subnet import read_subnet

    started = perf_counter()
    if out is None and not dry_run:
        raise typer.BadParameter("-o DIR is missing; legal: a folder, or --dry-run")
    if deadlock is not None:
        canonical("deadlocks", "deadlock", deadlock)
    for place in (bundle, to):
        if place is not None:
            check_bundle(place)
    if is_ethernet_bundle(bundle):
        if sighup is not None or asked or max_dead is not None:
            name = "--asked" if asked else "--sighup" if sighup is not None else "--max-dead"
            raise InputError(f"{name} is not for Ethernet bundles; legal: without it")
        repair_ethernet(
            bundle,
            live or [],
            dead_cable or [],
            dead_switch or [],
            to,
            None if dry_run else out,
            drained=drained,
            force=force,
            deadlock=deadlock,
            max_hops=max_hops,
            json=json,
        )
        return
    if dead_cable or dead_switch or to is not None:
        raise InputError("--dead-cable, --dead-switch and --to are not for InfiniBand bundles; legal: --live FILE")
    if live is None or len(live) != 1:
        raise InputError("--live FILE is missing or given twice; legal: one file, the present output of ibnetdiscover")
    if sighup is not None:
        if dry_run:
            raise typer.BadParameter("--sighup with --dry-run, which writes nothing; legal: one of them")
        mending.check_process(sighup)
    read = read_bundle(bundle)
    if out is not None and not dry_run:
        check_replaced(out, bundle_for("infiniband"), read.fabric, force=force, repaired=True, spec=read.header.fabric)
    subnet = read_subnet(live[0])
    dead = mending.find_failures(read, subnet)
    mending.check_dead(read, dead, None if max_dead is None else most_dead(max_dead))
    for line in dead.moved[:_SHOWN]:
        note(f"{line}: plug it into the planned port, or deploy a new bundle; until then, no path leads to it")
    repaired = mending.repair(read, subnet, deadlock, asked=asked)
    if repaired is None:
        if json:
            fields = {"dead_switches": [], "dead_cables": [], "silent_hosts": len(dead.endpoints)}
            print_json({**fields, "unknown_links": dead.unknown, "changes": []})
        else:
            _print_nothing(dead)
        return
    check_hops(repaired.detours, max_hops)
    fields, changes = _fields(repaired), repaired.changes.tolist()
    is_refused = bool(repaired.why_unsafe) and not drained and not dry_run
    written = []
    if out is not None and not dry_run and not is_refused:
        written = mending.write_repair(repaired, out, drained=drained)
        if sighup is not None:
            mending.hang_up(sighup)
    fields["seconds"] = round(perf_counter() - started, 3)
    if json:
        names = ("switch", "lid", "old", "new")
        rows = [dict(zip(names, [repaired.made.fabric.labels[row[0]], *row[1:]], strict=True)) for row in changes]
        print_json({**fields, **_proof_fields(repaired), "changes": rows, "written": [str(path) for path in written]})
    elif not is_refused:
        _print(repaired, fields, changes, None if dry_run else out, drained=drained and not dry_run)
    if is_refused:
        note(f"not proved safe in traffic: {repaired.why_unsafe}{_asked(repaired)}; legal: {_remedy(repaired)}")
        raise typer.Exit(1)


def most_dead(text: str) -> tuple[int, int]:
    """Read the value of ``--max-dead``: the numbers of cables and switches that may be dead.

    Raises
    ------
    tulle.InputError
        For another value than two numbers.
    """
    cables, _, switches = text.partition(",")
    if not (cables.isdecimal() and switches.isdecimal()):
        raise InputError(f"--max-dead {text} is not two numbers; legal: CABLES,SWITCHES, for example 20,2")
    return int(cables), int(switches)


def _print_nothing(dead: Failures) -> None:
    """Print a message if no cable or switch that the tables use has failed."""
    if dead.unknown:
        print(
            f"no part of the bundle has failed, but the bundle does not use {counted(dead.unknown, 'live link')}: if a "
            "cable works again, load the first bundle again, or deploy a new one"
        )
    elif not dead.endpoints:
        print("no failures: the bundle stays unchanged")
    if dead.endpoints:
        hosts = f"{counted(len(dead.endpoints), 'host')} {verb(len(dead.endpoints), 'is', 'are')} not seen"
        print(
            f"{hosts}: tables do not depend on the state of hosts; power them on or plug them in, and the bundle stays "
            "unchanged"
        )


def _remedy(repaired: Repair) -> str:
    """Return the steps that make it safe to load a repair that is not proved safe in traffic."""
    from tulle.deploy.infiniband.wiring import unplug

    asked = " and these hosts have asked for path records again" if repaired.proof.records else ""
    drained = f"stop traffic, repeat with --drained, and start traffic once all switches have loaded the tables{asked}"
    first = unplug(repaired.wrong_cables) if repaired.proof.looping else "replace the failed parts"
    return f"{first}; or {drained}"


def _asked(repaired: Repair) -> str:
    """Return the number of changed path records in words; empty if none has changed."""
    records, hosts = repaired.proof.records, repaired.hosts_to_query
    if not records:
        return ""
    change = verb(len(records), "changes", "change")
    those = f"{counted(len(records), 'path record')} of {counted(len(hosts), 'host')} {change}"
    return f"; {those} (host {hosts[0]} is one; --json names all)"


def _fields(repaired: Repair) -> dict[str, Any]:
    fabric, dead = repaired.bundle.fabric, repaired.failures
    names = dict(zip(fabric.cables.tolist(), fabric.cable_names, strict=True))
    return {
        "dead_switches": [fabric.labels[switch] for switch in dead.switches],
        "dead_cables": [names[cable] for cable in dead.cables],
        "silent_hosts": len(dead.endpoints),
        "unknown_links": dead.unknown,
        "wrong_cables": list(repaired.wrong_cables),
        "looping_paths": repaired.proof.looping,
        "deadlock": repaired.made.plan.spec,
        "acyclic_with_old": not repaired.why_unsafe,
        "drain": bool(repaired.why_unsafe),
        "entries_changed": len(repaired.changes),
        "switches_changed": len({int(switch) for switch in repaired.changes[:, 0]}),
        "levels_changed": repaired.level_changes,
        "lanes_kept": repaired.lanes_kept,
        "most_hops": repaired.detours.now,
        "longer_paths": repaired.detours.longer,
    }


def _proof_fields(repaired: Repair) -> dict[str, Any]:
    """Return the JSON fields of the proof: all checked states, and the hosts that must query path records again."""
    labels, proof = repaired.bundle.fabric.labels, repaired.proof
    return {
        "why_drain": repaired.why_unsafe,
        "states": [state.fields() for state in (*proof.states, proof.final)],
        "path_records": [{**record._asdict(), "switch": labels[record.switch]} for record in proof.records],
        "hosts_to_ask": list(repaired.hosts_to_query),
    }


def _print(
    repaired: Repair, fields: dict[str, Any], changes: list[list[int]], out: Path | None, *, drained: bool
) -> None:
    if repaired.why_unsafe and drained:
        records = repaired.proof.records
        asked = (
            f" and {counted(len(repaired.hosts_to_query), 'host')} have asked for path records again" if records else ""
        )
        note(f"not proved safe in traffic: start traffic once all switches have loaded the tables{asked}")
    elif repaired.why_unsafe:
        note(f"not proved safe in traffic: {repaired.why_unsafe}{_asked(repaired)}; {_remedy(repaired)}")
    elif repaired.level_changes:
        change = f"{counted(repaired.level_changes, 'path record')} {verb(repaired.level_changes, 'changes', 'change')}"
        note(f"{change}: hosts must ask for them again")
    if repaired.detours.longer:
        note(f"{repaired.detours}; --max-hops sets a limit")
    if repaired.failures.unknown:
        note(f"not in the bundle, and not used by the new tables: {counted(repaired.failures.unknown, 'live link')}")
    print_fields(
        {name: ", ".join(value) if isinstance(value, list) else value for name, value in fields.items()}
        | ({} if out is None else {"written": str(out)})
    )
    print()
    labels = repaired.made.fabric.labels
    shown = [[labels[switch], f"0x{lid:04x}", _port(old), _port(new)] for switch, lid, old, new in changes[:_SHOWN]]
    print_table(["switch", "LID", "old port", "new port"], shown, title="forwarding entries that change")
    if len(changes) > _SHOWN:
        print(f"… and {len(changes) - _SHOWN} more; --json has all")


def _port(port: int) -> str:
    return "none" if port == 255 else str(port)
