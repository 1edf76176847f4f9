"""The init process (PID 1) of a lab's sandbox: it builds the lab, and then waits until the lab's lifetime is over.

This process keeps the lab's PID namespace and its mounts alive, and the mounts keep the network namespaces alive. When
this process ends for any reason, the kernel removes all of them. The driver is the process that starts the sandbox. It
writes two lines to the standard input of this process: first the recipe, and, after this process has reported that the
lab is built, the line ``keep``. If the driver ends before it writes the second line, the sandbox ends too.
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
"""The file inside the sandbox with the properties of the lab."""
KEEP = "keep\n"

# The number of parallel `ip` processes. More processes would only wait for each other, because the kernel has a single
# lock for changes of interfaces.
_AT_ONCE = 3


class DriverGoneError(Exception):
    """Raised if the driver ended before the lab was complete."""


def _driver_gone(wait: float) -> bool:
    poll = select.poll()
    poll.register(0, select.POLLHUP | select.POLLERR)
    return bool(poll.poll(wait * 1000))


def _run(jobs: deque[tuple[str | None, list[str], str]]) -> None:
    """Run commands, several in parallel. A job is the name of a namespace, a command, and its standard input."""
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
        stderr = process.communicate()[1]
        if process.returncode != 0:
            raise RuntimeError(f"{what}: {' '.join(stderr.split())[:300]}")
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
    # All links must be up before the first route is loaded. Otherwise the kernel marks routes as `linkdown` until it
    # notices that the other end is up, which takes up to a second.
    _run(deque((node["name"], ["ip", "-batch", "-"], node["links"]) for node in recipe["nodes"]))
    took("links")
    jobs: deque[tuple[str | None, list[str], str]] = deque()
    for node in recipe["nodes"]:
        lines = "".join(Path(file).read_text() for file in node["batches"])
        jobs.append((node["name"], ["ip", "-batch", "-"], lines))
        if node["rates"]:
            jobs.append((node["name"], ["tc", "-batch", "-"], node["rates"]))
    _run(jobs)
    took("files")
    kernel.wait_until_links_work((node["name"], None) for node in recipe["nodes"])
    took("links_work")
    return seconds


def main() -> None:
    """Build the lab, report its state, and wait."""
    # The driver handles Ctrl-C. Because this process is the init of its PID namespace, it gets no other signal than
    # SIGKILL and SIGSTOP.
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
    # Close the pipes to the driver and to the program that called it, so that neither waits for this process.
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    end = began + recipe["lifetime"]
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, 60))


if __name__ == "__main__":
    main()
