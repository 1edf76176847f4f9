"""Load changed routes, round by round."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

from tulle._internal.text import tulle_command
from tulle.lab import kernel
from tulle.lab.inside import faults
from tulle.lab.sandbox_init import STATE

_FAILED = re.compile(r"Command failed -:(\d+)")


def run(job: dict[str, Any]) -> None:
    """Load all rounds of changes, and record the digest of the repaired bundle."""
    names = {name for switches in job["rounds"] for name, _ in switches}
    if absent := sorted(name for name in names if not (kernel.NETWORKS / name).exists()):
        raise RuntimeError(
            f"the lab was built from a version without switch {absent[0]}; legal: "
            f"`{tulle_command('lab', 'down', job['place'])}`, then `{tulle_command('lab', 'up', job['place'])}`"
        )
    for switches in job["rounds"]:
        for name, text in switches:
            with kernel.network(name):
                command = ["ip", "-force", "-batch", "-"]
                done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            if done.returncode != 0 and (errors := _errors(done.stderr, text)):
                raise RuntimeError(f"{name}: {_problem(errors, job['place'])}")
    faults.forget_routes()
    STATE.write_text(json.dumps({**json.loads(STATE.read_text()), "digest": job["digest"]}))


def _errors(said: str, batch: str) -> str:
    """Return the errors of ``ip``, without those of routes that are gone already.

    The kernel removes the routes over a port that goes down.
    """
    errors, lines, commands = [], [], batch.splitlines()
    for line in said.splitlines():
        lines.append(line)
        if match := _FAILED.fullmatch(line):
            command = commands[int(match[1]) - 1]
            if not (command.startswith("route delete ") and "No such process" in lines[0]):
                errors += lines
            lines = []
    return "\n".join(errors + lines)


def _problem(errors: str, place: str) -> str:
    """Return the errors of ``ip`` in one line; for routes over a failed cable, return the remedy instead."""
    if "is not up" in errors:
        heal = tulle_command("lab", "fail", place, "--heal")
        legal = f"`{heal}`, or `ip link set PORT up` if a command has set the port down"
        return f"a new route uses a cable that is down; legal: first restore the cable: {legal}"
    return " ".join(errors.split())[:300]
