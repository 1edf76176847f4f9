"""Start, find, enter and end the sandbox of a lab from outside.

A lab leaves no files on the machine. A running lab is found by the command line of its first process, and its data is
in a file system of its mount namespace.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.text import tulle_command
from tulle.errors import InputError, TulleError
from tulle.lab import kernel
from tulle.lab.sandbox_init import KEEP, STATE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Sandbox", "end", "find", "need", "running", "start"]

_INIT = ["-m", "tulle.lab.sandbox_init"]
_PLACES = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
_PACKAGES = {
    "ip": "iproute2",
    "tc": "iproute2",
    "nft": "nftables",
    "iperf3": "iperf3",
    "mptcpize": "mptcpize",
    "unshare": "util-linux",
    "nsenter": "util-linux",
}
# The maximum time in seconds to wait until killed processes are gone.
_END = 30


def need(*tools: str) -> None:
    """Check that the programs `tools` are installed.

    Raises
    ------
    tulle.InputError
        If a tool is not installed; the message names its Debian package.
    """
    if sys.platform != "linux":
        raise InputError(f"a lab needs Linux's network namespaces, but this is {sys.platform}; legal: Linux")
    for tool in tools:
        if shutil.which(tool, path=_PLACES) is None:
            raise InputError(f"{tool} is not installed; legal: install it (Debian, Ubuntu: package {_PACKAGES[tool]})")


@dataclass(frozen=True)
class Sandbox:
    """A running sandbox."""

    process: int
    """The id that the sandbox's init process has outside its PID namespace. Inside, it is PID 1."""
    started: int
    """The start time of the init process in kernel ticks; it is needed because process ids are reused."""
    state: Mapping[str, Any]
    """Properties of the lab."""

    def run(self, job: Mapping[str, Any], timeout: float) -> Any:
        """Run a job inside the sandbox, and return its result. The key ``job`` names a module of ``tulle.lab.inside``.

        The job's processes are killed when the job returns or when this process ends.

        Raises
        ------
        tulle.TulleError
            If the job fails, or gives no result within `timeout` seconds.
        """
        worker = subprocess.Popen(
            [*self._enter(), sys.executable, "-m", "tulle.lab.inside"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
            cwd="/",
            start_new_session=True,
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stderr is not None
        try:
            # The job's process ends when this pipe is closed.
            worker.stdin.write(json.dumps({**job, "timeout": timeout}, default=_bytes).encode() + b"\n")
            worker.stdin.flush()
            reply = worker.stdout.readline()
        except BrokenPipeError:
            reply = b""
        finally:
            worker.stdin.close()
            rest = worker.stderr.read().decode(errors="replace")
            worker.stdout.close()
            worker.stderr.close()
            worker.wait()
        if not reply:
            if not _is(self.process, self.started):
                raise TulleError("the lab has ended")
            why = rest.strip().splitlines()
            raise TulleError(f"inside the lab: {why[-1] if why else 'the job ended without a message'}")
        answer = json.loads(reply, object_hook=_unpacked)
        if "error" in answer:
            raise TulleError(answer["error"])
        return answer["result"]

    def execute(self, name: str, command: Sequence[str]) -> int:
        """Run a command in a network namespace of the sandbox, with this process's streams; return its exit code."""
        inside = ["--wd=" + str(Path.cwd()), "ip", "netns", "exec", name, *command]
        return subprocess.run([*self._enter(), *inside], env=_environment(), check=False).returncode

    def _enter(self) -> list[str]:
        need("nsenter")
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        return [_tool("nsenter"), "--target", str(self.process), *user, "--mount", "--net", "--pid"]


def start(recipe: Mapping[str, Any], place: Path) -> Sandbox:
    """Start a sandbox, and build the lab of the bundle at `place` in it.

    Raises
    ------
    tulle.InputError
        If a tool is missing, namespaces are not permitted, or the lab is already running.
    tulle.TulleError
        If the kernel refuses a step.
    """
    need("unshare", "ip", "tc")
    if find(place) is not None:
        down = tulle_command("lab", "down", place)
        raise InputError(f"{place}: its lab is already running; legal: first run `{down}`")
    # Without root, the process is root in its own user namespace only.
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    spaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    init = subprocess.Popen(
        [_tool("unshare"), *user, *spaces, sys.executable, *_INIT, str(place.resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(),
        cwd="/",
        start_new_session=True,
    )
    assert init.stdin is not None
    assert init.stdout is not None
    assert init.stderr is not None
    stays = False
    try:
        with suppress(BrokenPipeError):
            init.stdin.write(json.dumps(recipe) + "\n")
            init.stdin.flush()
        reply = init.stdout.readline()
        answer = json.loads(reply) if reply else {"error": _why(init.stderr.read())}
        if "error" in answer:
            raise (TulleError if reply else InputError)(answer["error"])
        found = find(place)
        if found is None:
            raise TulleError("the lab has ended")
        init.stdin.write(KEEP)
        init.stdin.flush()
        stays = True
    finally:
        if not stays:
            with suppress(ProcessLookupError):
                os.killpg(init.pid, signal.SIGKILL)
        with suppress(BrokenPipeError):
            init.stdin.close()
        init.stdout.close()
        init.stderr.close()
        if stays:
            # The sandbox outlives this process. Setting a return code keeps Python from warning that a child is still
            # running.
            init.returncode = 0
        else:
            init.wait()
    return found


def _why(stderr: str) -> str:
    line = (stderr.strip().splitlines() or ["unshare ended without a message"])[-1]
    return (
        f"the sandbox cannot be created: {line}; "
        "legal: root, or a user who may create namespaces (sysctl user.max_net_namespaces)"
    )


def find(place: Path) -> Sandbox | None:
    """Find the sandbox of the lab of the bundle at `place`; None if it is not running."""
    wanted = str(place.resolve())
    for process, bundle in running():
        if bundle == wanted and (found := _open(process)) is not None:
            return found
    return None


def running() -> list[tuple[int, str]]:
    """List the labs that are running or being built, each with the id of its init process and its bundle."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if [os.fsdecode(word) for word in words[1:3]] == _INIT and len(words) > 3:
                found.append((int(folder.name), os.fsdecode(words[3])))
    return sorted(found)


def _open(process: int) -> Sandbox | None:
    with suppress(OSError, ValueError):
        ticks = kernel.started(process)
        state = json.loads(Path(f"/proc/{process}/root{STATE}").read_text())
        if _is(process, ticks):
            return Sandbox(process, ticks, state)
    return None


def _is(process: int, ticks: int) -> bool:
    try:
        return kernel.started(process) == ticks
    except OSError:
        return False


def end(place: Path) -> int:
    """End the labs of the bundle at `place`, even those being built; return their number."""
    wanted = str(place.resolve())
    ending = []
    for process, bundle in running():
        if bundle != wanted:
            continue
        with suppress(OSError):
            ticks = kernel.started(process)
            os.kill(process, signal.SIGKILL)
            ending.append((process, ticks))
    until = time.monotonic() + _END
    while any(_is(*one) for one in ending) and time.monotonic() < until:
        time.sleep(0.02)
    return len(ending)


def _tool(name: str) -> str:
    return shutil.which(name, path=_PLACES) or name


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": _PLACES, "PYTHONUNBUFFERED": "1", "LC_ALL": "C.UTF-8"}


def _bytes(value: object) -> dict[str, str]:
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    raise TypeError(type(value).__name__)


def _unpacked(value: dict[str, Any]) -> Any:
    return base64.b64decode(value["base64"]) if value.keys() == {"base64"} else value
