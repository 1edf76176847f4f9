"""Read the kernel's routes of every switch with `ip`."""

from __future__ import annotations

import subprocess
from typing import Any

from tulle.lab import kernel

_AT_ONCE = 4


def run(job: dict[str, Any]) -> dict[str, str]:
    """Return the output of ``ip -json route show table all`` for each switch."""
    shown: dict[str, str] = {}
    names = list(job["names"])
    for first in range(0, len(names), _AT_ONCE):
        running = []
        for name in names[first : first + _AT_ONCE]:
            with kernel.network(name):
                command = ["ip", f"-{job['version']}", "-json", "route", "show", "table", "all"]
                running.append((name, subprocess.Popen(command, stdout=subprocess.PIPE, text=True)))
        for name, process in running:
            shown[name] = process.communicate()[0]
            if process.returncode != 0:
                raise RuntimeError(f"{name}: ip ended with {process.returncode}")
    return shown
