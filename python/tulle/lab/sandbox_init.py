"""The first process of a lab's sandbox: builds the fabric, then holds it until its time is over.

All that a lab is hangs on this process: its PID namespace, its mounts, and by them its network namespaces. However it
ends, the kernel takes all of that away. Standard input has the recipe in its first line; the driver says in a second
that the lab is to stay, and as long as it has not, the sandbox ends with the driver.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

from tulle.lab import kernel

STATE = Path("/run/tulle-lab.json")
"""What the lab is, inside the sandbox."""
KEEP = "keep\n"

# Of `ip` at a time: more wait for the kernel's one lock of interfaces.
_AT_ONCE = 3


class DriverGoneError(Exception):
    """The driver has ended."""


def _driver_gone(wait: float) -> bool:
    poll = select.poll()
    poll.register(0, select.POLLHUP | select.POLLERR)
    return bool(poll.poll(wait * 1000))


def _run(jobs: deque[tuple[str | None, list[str], str]]) -> None:
    """Runs commands, each in its namespace with its input, some at a time."""
    running: list[tuple[subprocess.Popen[str], str]] = []
    while jobs or running:
        while jobs and len(running) < _AT_ONCE:
            name, command, text = jobs.popleft()
            source = os.memfd_create("batch")
            os.write(source, text.encode())
            os.lseek(source, 0, os.SEEK_SET)
            back = os.open(kernel.OWN, os.O_RDONLY)
            if name is not None:
                there = os.open(kernel.NETWORKS / name, os.O_RDONLY)
                kernel.enter(there)
                os.close(there)
            process = subprocess.Popen(
                command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            )
            kernel.enter(back)
            os.close(back)
            os.close(source)
            running.append((process, f"{name or 'sandbox'}: {' '.join(command)}"))
        process, what = running.pop(0)
        said = process.communicate()[1]
        if process.returncode != 0:
            raise RuntimeError(f"{what}: {' '.join(said.split())[:300]}")
        if _driver_gone(0):
            raise DriverGoneError


def _build(recipe: dict[str, Any]) -> dict[str, float]:
    seconds = {}
    began = time.monotonic()

    def took(what: str) -> None:
        nonlocal began
        now = time.monotonic()
        seconds[what] = round(now - began, 3)
        began = now

    own = os.open(kernel.OWN, os.O_RDONLY)
    for node in recipe["nodes"]:
        kernel.new_network(node["name"])
        kernel.set_sysctls(recipe["sysctls"])
    kernel.enter(own)
    os.close(own)
    took("namespaces")
    _run(deque([(None, ["ip", "-batch", "-"], recipe["cables"])]))
    took("cables")
    for node in recipe["nodes"]:
        with kernel.network(node["name"]):
            kernel.set_sysctls("".join(Path(file).read_text() for file in node["sysctls"]))
    jobs: deque[tuple[str | None, list[str], str]] = deque()
    for node in recipe["nodes"]:
        lines = "".join(Path(file).read_text() for file in node["batches"])
        jobs.append((node["name"], ["ip", "-batch", "-"], node["links"] + lines))
        if node["rates"]:
            jobs.append((node["name"], ["tc", "-batch", "-"], node["rates"]))
    _run(jobs)
    took("files")
    return seconds


def main() -> None:
    """Builds, says so, and waits."""
    # Ctrl-C is the driver's; as the first of its namespace this process gets no other signal but a kill.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    recipe = json.loads(sys.stdin.readline())
    began = time.monotonic()
    try:
        kernel.mount_tmpfs(Path("/run"))
        kernel.NETWORKS.mkdir()
        seconds = _build(recipe)
        state = {**recipe["state"], "build_seconds": round(time.monotonic() - began, 3), "parts": seconds}
        STATE.write_text(json.dumps(state))
        print(json.dumps({"state": state}), flush=True)
        if sys.stdin.readline() != KEEP:
            return
    except DriverGoneError:
        return
    except (OSError, RuntimeError) as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return
    # Nothing of the driver is held: pipes of its, or whatever started it.
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    end = began + recipe["lifetime"]
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, 60))


if __name__ == "__main__":
    main()
