"""Run the live command of a watch, and collect its output: one file, or one file per switch."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.html_summary import shown
from tulle._internal.text import brief
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["FOLDER", "LIVE", "SWITCH", "Failure", "LiveCommand"]

SWITCH = "{switch}"
"""In a live command: the name of a switch. The command then runs once per switch."""
FOLDER = "{folder}"
"""In a live command: an empty folder, in which the command writes one file per switch."""

LIVE = "live"
"""The name of the file with the output of a command for the whole network, also in proposed commands."""

# The number of characters at the end of the error output that a message shows.
_MOST_SHOWN = 160
_WAKE_UP = 0.2


@shown
class Failure(NamedTuple):
    """A command that failed, or whose output cannot be read."""

    switch: str
    """The name of the switch; empty if the command reads the whole network."""
    problem: str

    def text(self) -> str:
        """Return the failure as one line."""
        return f"switch {self.switch}: {self.problem}" if self.switch else self.problem


@dataclass(frozen=True)
class LiveCommand:
    """A shell command that prints the state of the network."""

    command: str
    timeout: float
    """The time in seconds after which a command is killed."""
    parallel: int
    """The number of commands for switches that run at the same time."""

    def check(self, *, on_ethernet: bool) -> None:
        """Check the placeholders of the command: one of ``{switch}`` and ``{folder}`` on Ethernet, else none.

        Raises
        ------
        tulle.InputError
            For an empty command, or other placeholders.
        """
        places = [place for place in (SWITCH, FOLDER) if place in self.command]
        shown = f"--live-command '{brief(self.command)}'"
        if not self.command.strip():
            raise InputError("--live-command is empty; legal: a shell command that prints the state of the network")
        if on_ethernet and len(places) != 1:
            problem = f"has {' and '.join(places)}" if places else "has no placeholder"
            raise InputError(
                f"{shown} {problem}; legal: with {SWITCH}, for example 'ssh {SWITCH} ip -json link', or with {FOLDER}, "
                "a folder into which the command writes a file per switch"
            )
        if not on_ethernet and places:
            raise InputError(
                f"{shown} has {places[0]}, which is for Ethernet bundles; legal: a command that prints the output of "
                "ibnetdiscover"
            )

    def whole(self, output: Path) -> Failure | None:
        """Run the command once and write its standard output to a file; return its failure."""
        problem = _Runner(self.timeout, 1).run_all([(self.command, output)])[0]
        return Failure("", problem) if problem else None

    def into(self, folder: Path) -> Failure | None:
        """Run the command once, so that it writes files into a folder; return its failure."""
        folder.mkdir()
        command = self.command.replace(FOLDER, shlex.quote(str(folder)))
        problem = _Runner(self.timeout, 1).run_all([(command, folder.with_name(f"{folder.name}.out"))])[0]
        return Failure("", problem) if problem else None

    def per_switch(self, switches: Sequence[str], folder: Path) -> list[Failure]:
        """Run the command for every switch; write a file per switch that did not fail, and return all failures."""
        folder.mkdir()
        jobs = [(self.command.replace(SWITCH, shlex.quote(name)), folder / f"{name}.json") for name in switches]
        problems = _Runner(self.timeout, self.parallel).run_all(jobs)
        failures = []
        for name, (_, output), problem in zip(switches, jobs, problems, strict=True):
            if problem:
                # The output of a command that failed may be incomplete.
                output.unlink(missing_ok=True)
                failures.append(Failure(name, problem))
        return failures


class _Runner:
    """Runs commands in their own process groups, and kills all of them if the watch is interrupted."""

    def __init__(self, timeout: float, parallel: int) -> None:
        self._timeout, self._parallel = timeout, parallel
        self._lock = Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run_all(self, jobs: Sequence[tuple[str, Path]]) -> list[str]:
        """Run commands, each with a file for its standard output; return a problem per command, empty if none."""
        with ThreadPoolExecutor(min(self._parallel, len(jobs))) as pool:
            try:
                futures = [pool.submit(self._run, *job) for job in jobs]
                left = {*futures}
                # Python handles Ctrl-C only when the main thread runs, so it must wake up from time to time.
                while left:
                    _, left = wait(left, _WAKE_UP)
                return [future.result() for future in futures]
            except BaseException:
                # After Ctrl-C, kill all commands, because a thread ends only after its command has ended.
                with self._lock:
                    self._stopped = True
                    for process in self._running:
                        _kill(process)
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _run(self, command: str, output: Path) -> str:
        errors = output.with_name(f".{output.name}.errors")
        with output.open("wb") as out, errors.open("wb") as err:
            with self._lock:
                if self._stopped:
                    return "stopped"
                process = subprocess.Popen(
                    ["/bin/sh", "-c", command], stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True
                )
                self._running.add(process)
            try:
                code = process.wait(self._timeout)
            except subprocess.TimeoutExpired:
                _kill(process)
                process.wait()
                return f"the live command did not end within {self._timeout:g} s"
            finally:
                with self._lock:
                    self._running.discard(process)
        problem = f"ended by signal {-code}" if code < 0 else f"exit code {code}"
        return f"the live command failed ({problem}){_last_line(errors)}" if code else ""


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a command with all processes that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _last_line(errors: Path) -> str:
    lines = errors.read_bytes()[-4096:].decode(errors="replace").strip().splitlines()
    if not lines:
        return ""
    line = " ".join(lines[-1].split())
    # The end of a message names the remedy, so it is kept.
    return f": {line if len(line) <= _MOST_SHOWN else f'… {line[-_MOST_SHOWN:]}'}"
