"""``tulle deploy repair`` for bundles of InfiniBand subnets."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from tulle._internal.text import counted, listed, verb
from tulle.cli.deploy.advice import hosts_file, listed_hosts, print_steps, with_verdict
from tulle.cli.deploy.causes import cause_fields, first_steps, how_to_use, note_causes, silent_hosts
from tulle.cli.deploy.why import why_repaired
from tulle.cli.options.replace import bundle_for, check_replaced
from tulle.cli.terminal.output import note, print_fields, print_json, print_table
from tulle.deploy.detours import check_hops
from tulle.deploy.versions.history import replaced_by, rolled_back_from
from tulle.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.infiniband.causes import Causes
    from tulle.deploy.infiniband.earlier import Earlier
    from tulle.deploy.infiniband.repair import Failures, Repair
    from tulle.deploy.read.subnet import Subnet

_SHOWN = 20


def repair_infiniband(
    bundle: Path,
    live: Path,
    out: Path | None,
    *,
    drained: bool,
    asked: bool,
    lfts: Path | None,
    max_dead: str | None,
    max_hops: int | None,
    force: bool,
    deadlock: str | None,
    sighup: int | None,
    json: bool,
) -> None:
    """Repair an InfiniBand bundle. If `out` is None, only print the changes."""
    from tulle.deploy.infiniband import repair as mending
    from tulle.deploy.infiniband.bundle import read_bundle
    from tulle.deploy.infiniband.causes import find_causes
    from tulle.deploy.infiniband.earlier import find_earlier
    from tulle.deploy.infiniband.loading import after_rollback, loading_steps, settings_of
    from tulle.deploy.read.subnet import read_subnet
    from tulle.deploy.versions.commit import because

    started = perf_counter()
    if sighup is not None:
        mending.check_process(sighup)
    read = read_bundle(bundle)
    if out is not None:
        check_replaced(
            out,
            bundle_for("infiniband"),
            read.fabric,
            force=force,
            repaired=True,
            spec=read.header.fabric,
            source=[bundle],
        )
    subnet = read_subnet(live, read.node_guids)
    dead = mending.find_failures(read, subnet)
    causes = find_causes(read, subnet)
    note_causes(read, causes, dead, live)
    mending.check_dead(read, dead, None if max_dead is None else most_dead(max_dead))
    # The repair becomes the newest version, so the version that is now the newest is read before.
    newer = rolled_back_from(read.folder)
    repaired = mending.repair(read, subnet, deadlock, asked=asked, lfts=lfts)
    if repaired is None:
        _nothing_to_repair(read, subnet, live, dead, causes, lfts, json=json)
        return
    check_hops(repaired.detours, max_hops)
    fields, changes = {**_fields(repaired), "rolled_back_from": newer}, repaired.changes.tolist()
    is_refused = bool(repaired.why_unsafe) and not drained and out is not None
    written, before = [], None if out is None else settings_of(bundle)
    if out is not None and not is_refused:
        with because(why_repaired(fields)):
            written = mending.write_repair(repaired, out, drained=drained)
        if sighup is not None:
            mending.hang_up(sighup)
    fields["seconds"] = round(perf_counter() - started, 3)
    if json:
        names = ("switch", "lid", "old", "new")
        rows = [dict(zip(names, [repaired.made.fabric.labels[row[0]], *row[1:]], strict=True)) for row in changes]
        print_json({**fields, **_proof_fields(repaired), "changes": rows, "written": [str(path) for path in written]})
    elif not is_refused:
        earlier = find_earlier(read, subnet, live) if dead.unknown else None
        how = f"{_asked(repaired)}; {_remedy(repaired)}"
        _print(repaired, fields, changes, out, earlier, how, drained=drained and out is not None)
        if out is not None:
            # With --drained, traffic must stop only if the repair is not proved safe under traffic.
            stopped = drained and bool(repaired.why_unsafe)
            hosts, signalled = hosts_file(repaired, out), sighup is not None
            steps = loading_steps(out, before, signalled=signalled, hosts=hosts, drained=stopped)
            print_steps([*steps, *after_rollback(newer)])
    if is_refused:
        how = f"{_asked(repaired)}; legal: {_remedy(repaired)}"
        note(f"not proved safe under traffic: {repaired.why_unsafe}{how}")
        raise typer.Exit(1)


def most_dead(text: str) -> tuple[int, int]:
    """Read the value of ``--max-dead``: the numbers of cables and switches that may be dead.

    Raises
    ------
    tulle.InputError
        If the value is not two numbers.
    """
    cables, _, switches = text.partition(",")
    if not (cables.isdecimal() and switches.isdecimal()):
        raise InputError(f"--max-dead {text} is not two numbers; legal: CABLES,SWITCHES, for example 20,2")
    return int(cables), int(switches)


def _nothing_to_repair(
    read: Bundle, subnet: Subnet, live: Path, dead: Failures, causes: Causes, lfts: Path | None, *, json: bool
) -> None:
    """Print a message if no cable or switch that the tables use has failed."""
    from tulle.deploy.infiniband.earlier import find_earlier
    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.unloaded import find_unloaded

    unloaded = None if lfts is None else find_unloaded(Intent(read, subnet), subnet, lfts)
    earlier = find_earlier(read, subnet, live) if dead.unknown else None
    hosts = earlier.hosts if earlier is not None else ()
    silent, unknown = len(silent_hosts(dead, causes)), dead.unknown - causes.explained
    if json:
        print_json(
            {
                "dead_switches": [],
                "dead_cables": [],
                "silent_hosts": silent,
                **cause_fields(causes),
                "cut_off_hosts": list(hosts),
                "unknown_links": dead.unknown,
                "switches_not_loaded": list(unloaded.switches) if unloaded is not None else [],
                "earlier_version": earlier.version if earlier is not None else "",
                "changes": [],
            }
        )
        return
    if unloaded is not None:
        print(f"{unloaded}: send SIGHUP to OpenSM, and wait until its log has SUBNET UP")
    if causes.wrong_ports or causes.replaced:
        print(f"no cable or switch has failed: {first_steps(causes)}, as above; the bundle stays unchanged")
    if unknown:
        how = how_to_use(read, unknown)
        if earlier is not None:
            how = earlier.instruction + (f"; until then, no path leads to hosts {listed(hosts)}" if hosts else "")
        print(f"no part of the bundle has failed, but the bundle does not use {counted(unknown, 'live link')}: {how}")
    if silent:
        off = f"{counted(silent, 'host')} {verb(silent, 'is', 'are')} missing in the live file"
        them = verb(silent, "it", "them")
        print(
            f"{off}: power {them} on or plug {them} in; the bundle stays unchanged, because tables do not depend on "
            "the state of hosts"
        )
    if not dead.endpoints and not dead.unknown and unloaded is None:
        print("no failures: the bundle stays unchanged")


def _remedy(repaired: Repair) -> str:
    """Return the steps that make it safe to load a repair that is not proved safe under traffic."""
    from tulle.deploy.infiniband.wiring import unplug

    causes = repaired.causes
    asked = " and these hosts have queried path records again" if repaired.proof.records else ""
    drained = f"stop traffic, repeat with --drained, and start traffic once all switches have loaded the tables{asked}"
    first = first_steps(causes) or "replace the failed parts"
    if repaired.proof.loops and not causes.wrong_ports and repaired.wrong_cables:
        first = unplug(repaired.wrong_cables)
    if repaired.proof.unproved_tables:
        first = "send SIGHUP to OpenSM, wait until its log has SUBNET UP, and repeat with new --live and --lfts files"
    return f"{first}; or {drained}"


def _asked(repaired: Repair) -> str:
    """Return a clause with the number of changed path records and of their hosts; empty if none has changed."""
    records, hosts = repaired.proof.records, repaired.hosts_to_query
    if not records:
        return ""
    change = verb(len(records), "changes", "change")
    those = f"{counted(len(records), 'path record')} of {counted(len(hosts), 'host')} {change}"
    return f"; {those} ({listed_hosts(hosts)})"


def _fields(repaired: Repair) -> dict[str, Any]:
    fabric, dead = repaired.bundle.fabric, repaired.failures
    names = dict(zip(fabric.cables.tolist(), fabric.cable_names, strict=True))
    return {
        "dead_switches": [fabric.labels[switch] for switch in dead.switches],
        "dead_cables": [names[cable] for cable in dead.cables],
        "cut_off_hosts": list(repaired.cut_off_hosts),
        "silent_hosts": len(silent_hosts(dead, repaired.causes)),
        "unknown_links": dead.unknown,
        "tables_read": repaired.tables_read,
        "switches_not_loaded": list(repaired.unloaded.switches) if repaired.unloaded is not None else [],
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
        **cause_fields(repaired.causes),
        "why_drain": repaired.why_unsafe,
        "states": [state.fields() for state in (*proof.states, proof.final)],
        "path_records": [{**record._asdict(), "switch": labels[record.switch]} for record in proof.records],
        "hosts_to_ask": list(repaired.hosts_to_query),
    }


def _print(
    repaired: Repair,
    fields: dict[str, Any],
    changes: list[list[int]],
    out: Path | None,
    earlier: Earlier | None,
    how: str,
    *,
    drained: bool,
) -> None:
    from tulle.deploy.infiniband.loading import only_after_rollback

    if repaired.why_unsafe and drained:
        note("not proved safe under traffic: start traffic after the next steps below")
    elif repaired.why_unsafe:
        note(f"not proved safe under traffic: {repaired.why_unsafe}{how}")
    elif out is None and (records := _asked(repaired)):
        note(f"{records.removeprefix('; ')}: these hosts must query path records again")
    if repaired.detours.longer:
        note(f"{repaired.detours}; --max-hops sets a limit")
    if repaired.unloaded is not None:
        note(str(repaired.unloaded))
    elif not repaired.why_unsafe and fields["rolled_back_from"]:
        note(only_after_rollback(repaired.bundle.folder.name, fields["rolled_back_from"]))
    elif not repaired.tables_read and not repaired.why_unsafe and replaced_by(repaired.bundle.folder) is not None:
        version = repaired.bundle.folder.name
        loaded = f"only if all switches have loaded version {version}"
        note(f"proved safe under traffic {loaded}; --lfts FILE (output of dump_fts) checks this")
    if hosts := repaired.cut_off_hosts:
        note(
            f"no path leads to {counted(len(hosts), 'host')} at switches that are dead or cut off "
            f"({listed_hosts(hosts)})"
        )
    if unknown := repaired.failures.unknown - repaired.causes.explained:
        how = "" if earlier is None else f": to use {verb(unknown, 'it', 'them')}, {earlier.instruction}"
        links = counted(unknown, "live link")
        note(f"not in the bundle, and not used by the new tables: {links}{how}")
    shown = with_verdict(fields)
    print_fields(
        {name: listed(value, _SHOWN) if isinstance(value, list) else value for name, value in shown.items()}
        | ({} if out is None else {"written": str(out)})
    )
    print()
    labels = repaired.made.fabric.labels
    rows = [[labels[switch], f"0x{lid:04x}", _port(old), _port(new)] for switch, lid, old, new in changes[:_SHOWN]]
    print_table(["switch", "LID", "old port", "new port"], rows, title="forwarding entries that change")
    if len(changes) > _SHOWN:
        print(f"… and {len(changes) - _SHOWN} more; --json has all")


def _port(port: int) -> str:
    return "none" if port == 255 else str(port)
