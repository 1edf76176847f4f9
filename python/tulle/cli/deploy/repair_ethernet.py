"""``tulle deploy repair`` for bundles of Ethernet networks."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import typer

from tulle._internal.text import brief, counted, listed, tulle_command, verb
from tulle.cli.deploy.advice import print_steps, with_verdict
from tulle.cli.deploy.why import why_repaired
from tulle.cli.options.replace import bundle_for, check_replaced
from tulle.cli.terminal.output import note, print_fields, print_json, print_table
from tulle.deploy.detours import check_hops
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.deploy.ethernet.failures import Failures
    from tulle.deploy.ethernet.repair import Change, Repair

_SHOWN = 20


def repair_ethernet(
    place: Path,
    live: Sequence[Path],
    cables: Sequence[str],
    switches: Sequence[str],
    to: Path | None,
    out: Path | None,
    *,
    drained: bool,
    force: bool,
    deadlock: str | None,
    max_hops: int | None,
    json: bool,
) -> None:
    """Repair an Ethernet bundle. If `out` is None, only print the changes."""
    from tulle.deploy.ethernet.bundle import read_bundle
    from tulle.deploy.ethernet.change_files import CHANGES
    from tulle.deploy.ethernet.earlier import check_not_removed, find_removed
    from tulle.deploy.ethernet.failures import find_failures, read_failures
    from tulle.deploy.ethernet.repair import repair, write_repair
    from tulle.deploy.ethernet.transition import transition
    from tulle.deploy.versions.commit import because
    from tulle.deploy.versions.layout import in_use_instead

    started = perf_counter()
    if [bool(live), bool(cables or switches), to is not None].count(True) != 1:
        raise InputError(
            "the change is missing or given in several ways; legal: --live, or --dead-cable and --dead-switch, or --to"
        )
    bundle, unread = read_bundle(place), 0
    if deadlock is not None and (to is not None or bundle.plan.vcs is None):
        problem = (
            "the bundle of --to has its own plan" if to is not None else "the network of the bundle is not lossless"
        )
        raise InputError(f"--deadlock {brief(deadlock)}: {problem}; legal: without it")
    if out is not None:
        check_replaced(
            out,
            bundle_for(bundle.header.target),
            bundle.plan.fabric,
            force=force,
            lossless=bundle.plan.vcs is not None,
            repaired=True,
            spec=bundle.header.fabric,
            source=[place] if to is None else [place, to],
        )
    if to is not None:
        after = read_bundle(to)
        changed = transition(bundle, after)
        repaired: Repair | None = changed
        if _own_files(bundle) == _own_files(after):
            if json:
                print_json({**_fields(changed), "changes": [], "written": []})
            else:
                print(
                    f"{to} has the same files as {place}, apart from README.md and changes/: the bundle stays unchanged"
                )
            return
    else:
        check_not_removed(bundle, cables, switches)
        gone = find_removed(bundle).switches if live else {}
        dead = read_failures(bundle.plan, live, gone) if live else find_failures(bundle.plan, cables, switches)
        unread = dead.unread
        for line in dead.notes:
            note(line)
        if unread and not json:
            switches_have = f"{counted(unread, 'switch', 'switches')} {verb(unread, 'has', 'have')} no file"
            note(f"{switches_have}; a cable of these switches counts as failed if its other end reports it as down")
        repaired = repair(bundle, dead, deadlock)
    if repaired is None:
        if json:
            fields = {"dead_switches": [], "dead_cables": [], "unread_switches": unread}
            how = _unused(dead, bundle, live) if dead.unused else ""
            seen = {"unused_ports": list(dead.unused), "silent_hosts": list(dead.silent), "instruction": how}
            print_json({**fields, **seen, "changes": []})
        else:
            _print_nothing(dead, bundle, live)
        return
    check_hops(repaired.detours, max_hops)
    is_refused = bool(repaired.why_unsafe) and not drained and out is not None
    fields = _fields(repaired)
    with because(f"repair --to {to}" if to is not None else why_repaired(fields)):
        written = [] if out is None or is_refused else write_repair(repaired, out)
    fields = {**fields, "seconds": round(perf_counter() - started, 3)}
    if json:
        rows = [dict(zip(_COLUMNS, _row(repaired, change), strict=True)) for change in repaired.changes]
        print_json({**fields, "changes": rows, "written": [str(path) for path in written]})
    if is_refused:
        note(f"not proved safe under traffic: {repaired.why_unsafe}; legal: {_DRAINED}")
        raise typer.Exit(1)
    if json:
        return
    if repaired.why_unsafe and drained and out is not None:
        note(f"not proved safe under traffic: start lossless traffic once {_LOADED}")
    elif repaired.why_unsafe:
        note(f"not proved safe under traffic: {repaired.why_unsafe}; {_DRAINED}")
    if repaired.failures.unused:
        note(_unused(repaired.failures, bundle, live))
    if repaired.detours.longer:
        note(f"{repaired.detours}; --max-hops sets a limit")
    if repaired.level_changes:
        paths = f"{counted(repaired.level_changes, 'path')} {verb(repaired.level_changes, 'has', 'have')}"
        note(f"{paths} a new service level: run the script `up` of all hosts again")
    back = repaired.cables_back
    if back:
        them = verb(len(back), "it works", "they work")
        note(
            f"{counted(len(back), 'cable')} {verb(len(back), 'returns', 'return')} ({listed(back)}): check that "
            f"{them} before you load the changes"
        )
    if repaired.returning:
        note(_set_up(repaired, out))
    if to is not None and repaired.hosts_lost:
        names = listed([bundle.plan.names[switch] for switch in repaired.failures.switches])
        note(f"no path leads to {counted(repaired.hosts_lost, 'host')} at switches that {to} lacks: {names}")
    print_fields(
        {
            name: listed(value, _SHOWN) if isinstance(value, list) else value
            for name, value in with_verdict(fields).items()
            if (name != "returning_cables" or repaired.cables_back)
            and (name not in ("returning_switches", "hosts_back") or repaired.returning)
        }
        | ({} if out is None else {"written": str(out)})
    )
    print()
    shown = [_row(repaired, change) for change in repaired.changes[:_SHOWN]]
    print_table(_COLUMNS, shown, title="entries that change, by round")
    if len(repaired.changes) > _SHOWN:
        print(f"… and {len(repaired.changes) - _SHOWN} more; --json and changes/changes.csv list all")
    if out is not None:
        check = [f"check that each of these cables works: {listed(back, _SHOWN)}"] if back else []
        if (whole := in_use_instead(place)) is not None:
            # These changes start from the version `place`, but the network has loaded the version in use.
            change = tulle_command("deploy", "repair", whole, "--to", out, "-o", whole)
            print_steps([f"run `{change}`, which writes the changes to load"])
            return
        print_steps([*check, f"load the changes of all switches in rounds, as {out / CHANGES / 'README.md'} describes"])


def _own_files(bundle: EthernetBundle) -> dict[str, tuple[int, str]]:
    """Return the files of a bundle whose content does not depend on the previous version."""
    from tulle.deploy.ethernet.change_files import CHANGES

    return {
        name: file
        for name, file in bundle.header.files.items()
        if name != "README.md" and not name.startswith(f"{CHANGES}/")
    }


def _print_nothing(dead: Failures, bundle: EthernetBundle, live: Sequence[Path]) -> None:
    """Print the message for the case that no cable and no switch has failed."""
    from tulle.deploy.versions.layout import in_use_instead

    if dead.unused:
        print(f"no part of the bundle has failed, but {_unused(dead, bundle, live)}")
    elif not dead.silent:
        whole = in_use_instead(bundle.place)
        how = ""
        if whole is not None:
            change = tulle_command("deploy", "repair", whole, "--to", bundle.place, "-o", whole)
            how = f"; to use this version, run `{change}`"
        print(f"no failures: the bundle stays unchanged{how}")
    if dead.silent:
        hosts = f"{counted(len(dead.silent), 'host')} {verb(len(dead.silent), 'has', 'have')} no link"
        print(
            f"{hosts} ({dead.silent[0]}): plug {verb(len(dead.silent), 'it', 'them')} in; the bundle stays unchanged, "
            "because tables do not depend on the state of hosts"
        )


def _set_up(repaired: Repair, out: Path | None) -> str:
    """Say that returning switches and their hosts must be set up before round 1."""
    back = [repaired.plan.names[switch] for switch in repaired.returning]
    hosts = counted(len(repaired.hosts_back), "host")
    listing = "" if out is None else f": {out}/changes/returning lists their folders"
    return (
        f"{counted(len(back), 'switch', 'switches')} ({listed(back)}) and {hosts} return: set them up from scratch "
        f"before round 1{listing}"
    )


def _unused(dead: Failures, bundle: EthernetBundle, live: Sequence[Path]) -> str:
    """Name the cables and ports that are up but that the bundle does not use, and say how to use them again."""
    from tulle.deploy.ethernet.earlier import ADDED, how_to_return, unused_parts
    from tulle.deploy.versions.history import follows_failure

    files = [word for path in live for word in ("--live", str(path))]
    change = tulle_command("deploy", "repair", bundle.place, "--to", "FIRST", "-o", bundle.place)
    how = how_to_return(bundle, dead.unused, live=files, dead=dead) or (
        f"if a cable works again, run `{change}`, where FIRST is the bundle from before the failure"
        if follows_failure(bundle.folder)
        else ADDED
    )
    parts = unused_parts(bundle, dead.unused)
    cables, ports = ([part for part in parts if (":" in part) == is_cable] for is_cable in (True, False))
    texts = [
        f"{counted(len(those), what)} ({listed(those, 2)})"
        for what, those in (("live cable", cables), ("live port", ports))
        if those
    ]
    return f"the bundle does not use {' and '.join(texts)}: {how}"


_LOADED = "switches have loaded all rounds and hosts have their new DSCPs"
_DRAINED = f"--drained, if no lossless traffic runs until {_LOADED}"
_COLUMNS = ("round", "switch", "prefix", "before", "now")


def _row(repaired: Repair, change: Change) -> list[Any]:
    plan = repaired.bundle.plan
    ways = [
        " ".join(repaired.port_name(change.switch, port) for port, _ in hops) or "none"
        for hops in (change.before, change.now)
    ]
    return [
        change.round + 1,
        plan.names[change.switch],
        repaired.prefix(change),
        *ways,
    ]


def _fields(repaired: Repair) -> dict[str, Any]:
    from tulle.deploy.ethernet.part_names import brief_cable_name

    plan, dead = repaired.bundle.plan, repaired.failures
    fields: dict[str, Any] = {
        "dead_switches": [plan.names[switch] for switch in dead.switches],
        "dead_cables": [brief_cable_name(plan, cable) for cable in dead.cables],
        "unread_switches": dead.unread,
        "returning_switches": [repaired.plan.names[switch] for switch in repaired.returning],
        "returning_cables": list(repaired.cables_back),
        "hosts_lost": repaired.hosts_lost,
        "hosts_back": len(repaired.hosts_back),
        "entries_changed": len(repaired.changes),
        "switches_changed": len({change.switch for change in repaired.changes}),
        "rounds": repaired.rounds,
        "most_hops": repaired.detours.now,
        "longer_paths": repaired.detours.longer,
    }
    if repaired.plan.vcs is not None:
        fields |= {
            "deadlock": repaired.plan.vcs.spec,
            "acyclic_with_old": not repaired.why_unsafe,
            "drain": bool(repaired.why_unsafe),
            "why_drain": repaired.why_unsafe,
            "levels_changed": repaired.level_changes,
        }
    return fields
