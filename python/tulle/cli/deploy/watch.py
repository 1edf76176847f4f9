"""``tulle deploy watch``: compare a network with its bundle repeatedly, and report changes."""

from __future__ import annotations

import json as jsons
import signal
import sys
import threading
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tulle._internal.quantities import seconds
from tulle._internal.text import counted, listed, one_line
from tulle.cli.deploy.repair_infiniband import most_dead
from tulle.cli.deploy.verify import BundlePath, check_bundle
from tulle.cli.options import destination
from tulle.cli.terminal.output import note, print_line
from tulle.cli.terminal.pipes import reader_has_gone
from tulle.errors import FileError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from tulle.deploy.watch.state import Event
    from tulle.deploy.watch.watch import Watch

LiveCommand = Annotated[
    str,
    typer.Option(
        "--live-command",
        metavar="CMD",
        help="Shell command that prints the state of the network. InfiniBand: the output of ibnetdiscover. Ethernet: "
        "with {switch}, the output of 'ip -json link' or 'lldpctl -f json0' of that switch; or with {folder}, it "
        "writes such a file per switch into that folder.",
    ),
]
Every = Annotated[
    str | None,
    typer.Option(
        "--every",
        metavar="TIME",
        help="Check again after every TIME, for example 30s, until Ctrl-C; default: check once.",
    ),
]
Checks = Annotated[int | None, typer.Option("--checks", metavar="N", min=1, help="End after N checks; needs --every.")]
Timeout = Annotated[
    str, typer.Option("--timeout", metavar="TIME", help="Kill a live command after this time, for example 60s.")
]
Parallel = Annotated[
    int,
    typer.Option(
        "--parallel",
        metavar="N",
        min=1,
        max=256,
        help="Maximum number of commands with {switch} that run at the same time.",
    ),
]
Prometheus = Annotated[
    Path | None,
    typer.Option(
        "--prometheus",
        metavar="FILE",
        callback=destination.prometheus,
        help="Also write metrics after each check, for the textfile collector of node_exporter: a file *.prom.",
    ),
]
MaxDead = Annotated[
    str | None,
    typer.Option(
        "--max-dead",
        metavar="CABLES,SWITCHES",
        help="Propose no repair if more switches, or more cables between the other switches, are down, because the "
        "live command may be wrong; default: 5% of the cables (at least one), and one switch.",
    ),
]
Rehearse = Annotated[
    bool,
    typer.Option("--rehearse", help="Also compute each proposed repair: entries that change, and whether it is safe."),
]
JsonLines = Annotated[bool, typer.Option("--json", help="Print one line of JSON per check.")]

_SHOWN = 10
_LEAST_SECONDS, _MOST_SECONDS = 0.1, 86_400
# Cables to hosts are counted as hosts.
_PARTS = {"cables": "cables between switches"}


def watch(
    bundle: BundlePath,
    live_command: LiveCommand,
    every: Every = None,
    checks: Checks = None,
    timeout: Timeout = "60s",
    parallel: Parallel = 16,
    prometheus: Prometheus = None,
    max_dead: MaxDead = None,
    rehearse: Rehearse = False,
    json: JsonLines = False,
) -> None:
    """Reports where a network differs from its bundle, and proposes repairs; never writes to the bundle.

    A live command that fails, or whose output is cut off, is reported and counted; no part counts as down because of
    it. Exit code 0 if the network is as planned at the last check that could read it, 1 if it differs, 2 if no check
    could read it, and for bad input. With --every, Ctrl-C and SIGTERM end the watch with the same exit codes.
    """
    from tulle.deploy.watch.collect import LiveCommand as Command
    from tulle.deploy.watch.watch import Watch

    check_bundle(bundle)
    period = None if every is None else _seconds("--every", every)
    longest = _seconds("--timeout", timeout)
    if checks is not None and every is None:
        raise InputError("--checks applies only to repeated checks; legal: add --every TIME, or omit --checks")
    if prometheus is not None and bundle.resolve() in prometheus.resolve().parents:
        raise FileError(
            f"{prometheus}: inside the bundle, which `tulle deploy watch` never changes; legal: another folder"
        )
    limit = None if max_dead is None else most_dead(max_dead)
    watched = Watch(bundle, Command(live_command, longest, parallel), limit, rehearse=rehearse)
    show = _Output(watched, bundle, prometheus, json=json)
    if period is None:
        event = watched.check()
        show(event, once=True)
        if event.observation is None:
            problem = event.failures[0].text()
            legal = "" if "legal:" in problem else "; legal: a live command that prints the state of the network"
            raise InputError(problem + legal)
    else:
        _repeat(watched, show, period, checks)
    raise typer.Exit(_exit_code(watched))


def _seconds(name: str, text: str) -> float:
    """Read a time of at least 0.1 s and at most a day."""
    value = seconds(name, text)
    if not _LEAST_SECONDS <= value <= _MOST_SECONDS:
        raise InputError(f"{name} {text} is out of range; legal: {_LEAST_SECONDS}s to {_MOST_SECONDS}s")
    return value


def _repeat(watched: Watch, show: _Output, every: float, checks: int | None) -> None:
    """Repeat the check until `checks` checks are done, or until Ctrl-C or SIGTERM.

    Without a number of checks, the watch also ends, with exit code 0, if the next program of a pipe has ended.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _interrupt)
    try:
        due = time.monotonic()
        while True:
            show(watched.check())
            if watched.counts.checks == checks:
                return
            # If a check takes longer than the interval, the next one starts immediately. Checks that were due in the
            # meantime are not made up for.
            due = max(due + every, time.monotonic())
            pause = max(0.0, due - time.monotonic())
            if checks is not None:
                time.sleep(pause)
            elif reader_has_gone(pause):
                raise typer.Exit(0)
    except KeyboardInterrupt:
        counts = watched.counts
        note(f"stopped after {counted(counts.checks, 'check')}, {counts.failed_checks} of them failed")


def _removed(hosts: Sequence[str]) -> str:
    """Name the hosts that repairs have removed from the bundle; empty if there are none."""
    if not hosts:
        return ""
    return f"; without {counted(len(hosts), 'host')} that a repair removed: {listed(hosts, _SHOWN)}"


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _exit_code(watched: Watch) -> int:
    if watched.last is None:
        return 2
    return int(bool(watched.last[1].findings))


class _Output:
    """Prints and exports checks."""

    def __init__(self, watched: Watch, bundle: Path, prometheus: Path | None, *, json: bool) -> None:
        self._watched, self._bundle, self._prometheus, self._json = watched, bundle, prometheus, json
        self._before: Event | None = None

    def __call__(self, event: Event, *, once: bool = False) -> None:
        when = datetime.fromtimestamp(event.time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        if self._json:
            print(jsons.dumps({"time": when, "bundle": str(self._bundle), **event.fields()}, allow_nan=False))
        elif not once or event.observation is not None:
            self._print(when, event)
        sys.stdout.flush()
        self._before = event
        self._export(event, once)

    def _export(self, event: Event, once: bool) -> None:
        from tulle.deploy.watch.prometheus import write_metrics

        if self._prometheus is None:
            return
        try:
            write_metrics(self._prometheus, str(self._bundle), event, self._watched.kinds, self._watched.last)
        except FileError as error:
            if once:
                raise
            # A full disk does not end a long watch. The timestamp in the old file shows that it is stale.
            note(str(error))

    def _print(self, when: str, event: Event) -> None:
        """Print what changed since the last check, if anything. Always print that a check has failed."""
        before, found = self._before, event.observation
        if found is None:
            counts = event.counts
            count = f"{counts.failed_checks} of {counted(counts.checks, 'check')} failed"
            print_line(f"{when}  not read: {event.failures[0].text()} ({count})")
            return
        has_come_back = before is not None and before.observation is None
        if before is not None and not event.has_changed and not has_come_back:
            return
        parts = ", ".join(f"{part.good:,} of {part.of:,} {_PARTS.get(part.what, part.what)}" for part in found.parts)
        rest = " as planned" if found.findings else ""
        print_line(f"{when}  {event.state.replace('-', ' ')}: {parts}{rest}{_removed(found.removed_hosts)}")
        for sign, findings in (("+", event.appeared), ("-", event.ended)):
            for finding in findings[:_SHOWN]:
                print_line(f"  {sign} {finding.kind}: {finding.instruction}")
            if len(findings) > _SHOWN:
                print_line(f"  {sign} … and {len(findings) - _SHOWN:,} more; --json has all")
        if event.has_changed and found.proposal.command:
            # The command stays on one line, so that it can be copied.
            print(f"  repair: {one_line(found.proposal.command)}")
        if event.has_changed and found.proposal.note:
            print_line(f"  note: {found.proposal.note}")
