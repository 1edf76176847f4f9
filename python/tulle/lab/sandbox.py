"""The sandbox of a lab, from outside: started, found again, entered, ended.

Nothing of a lab lies anywhere on the machine: it is found among the processes, by the command line of its first one,
and what it says of itself lies in a file system of its own.
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

from tulle.errors import InputError, TulleError
from tulle.lab import kernel
from tulle.lab.sandbox_init import KEEP, STATE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Sandbox", "end", "find", "need", "running", "start"]

_KEEPER = ["-m", "tulle.lab.sandbox_init"]
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
# Seconds that what is killed may take to be gone.
_END = 30


def need(*tools: str) -> None:
    """That tools are installed.

    Raises
    ------
    tulle.InputError
        Where one is not, with its Debian package.
    """
    if sys.platform != "linux":
        raise InputError(f"a lab is made of Linux' network namespaces, and this is {sys.platform}; legal: Linux")
    for tool in tools:
        if shutil.which(tool, path=_PLACES) is None:
            raise InputError(f"{tool} is not installed; legal: with it (Debian, Ubuntu: package {_PACKAGES[tool]})")


@dataclass(frozen=True)
class Sandbox:
    """A sandbox that runs."""

    process: int
    """The first process in it, by its number here."""
    started: int
    """When that one started, in the kernel's ticks: the number may be another's one day."""
    state: Mapping[str, Any]
    """What it says of itself."""

    def run(self, job: Mapping[str, Any], timeout: float) -> Any:
        """What a job gives that runs inside: a module ``tulle.lab.inside.NAME``, by its ``job``.

        All that it started ends with it, and it ends with this process.

        Raises
        ------
        tulle.TulleError
            Where it fails, or gives nothing within `timeout` seconds.
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
            # The worker ends where this pipe does.
            worker.stdin.write(json.dumps({**job, "timeout": timeout}, default=_bytes).encode() + b"\n")
            worker.stdin.flush()
            said = worker.stdout.readline()
        except BrokenPipeError:
            said = b""
        finally:
            worker.stdin.close()
            rest = worker.stderr.read().decode(errors="replace")
            worker.stdout.close()
            worker.stderr.close()
            worker.wait()
        if not said:
            if not _is(self.process, self.started):
                raise TulleError("the lab has ended meanwhile")
            why = rest.strip().splitlines()
            raise TulleError(f"inside the lab: {why[-1] if why else 'it ended without a word'}")
        answer = json.loads(said, object_hook=_unpacked)
        if "error" in answer:
            raise TulleError(answer["error"])
        return answer["result"]

    def execute(self, name: str, command: Sequence[str]) -> int:
        """Runs a command in a network namespace of it, with this process's input and output; its exit code."""
        inside = ["--wd=" + str(Path.cwd()), "ip", "netns", "exec", name, *command]
        return subprocess.run([*self._enter(), *inside], env=_environment(), check=False).returncode

    def _enter(self) -> list[str]:
        need("nsenter")
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        return [_tool("nsenter"), "--target", str(self.process), *user, "--mount", "--net", "--pid"]


def start(recipe: Mapping[str, Any], place: Path) -> Sandbox:
    """Starts a sandbox and builds a lab in it, for the bundle at `place`.

    Raises
    ------
    tulle.InputError
        Where a tool is missing, namespaces may not be made, or there is such a lab already.
    tulle.TulleError
        Where the kernel refuses what is built.
    """
    need("unshare", "ip", "tc")
    if find(place) is not None:
        raise InputError(f"{place}: its lab is up already; legal: tulle lab down {place}, first")
    # Who is not root is one there, in a user namespace, and nowhere else.
    user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    spaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
    keeper = subprocess.Popen(
        [_tool("unshare"), *user, *spaces, sys.executable, *_KEEPER, str(place.resolve())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(),
        cwd="/",
        start_new_session=True,
    )
    assert keeper.stdin is not None
    assert keeper.stdout is not None
    assert keeper.stderr is not None
    stays = False
    try:
        with suppress(BrokenPipeError):
            keeper.stdin.write(json.dumps(recipe) + "\n")
            keeper.stdin.flush()
        said = keeper.stdout.readline()
        answer = json.loads(said) if said else {"error": _why(keeper.stderr.read())}
        if "error" in answer:
            raise (TulleError if said else InputError)(answer["error"])
        found = find(place)
        if found is None:
            raise TulleError("the lab has ended meanwhile")
        keeper.stdin.write(KEEP)
        keeper.stdin.flush()
        stays = True
    finally:
        if not stays:
            with suppress(ProcessLookupError):
                os.killpg(keeper.pid, signal.SIGKILL)
        with suppress(BrokenPipeError):
            keeper.stdin.close()
        keeper.stdout.close()
        keeper.stderr.close()
        if stays:
            # It outlives this process, and is nobody's child that waits.
            keeper.returncode = 0
        else:
            keeper.wait()
    return found


def _why(said: str) -> str:
    line = (said.strip().splitlines() or ["unshare ended without a word"])[-1]
    return f"no sandbox: {line}; legal: as root, or where users may make namespaces (sysctl user.max_net_namespaces)"


def find(place: Path) -> Sandbox | None:
    """The sandbox of the lab of the bundle at `place`; None where it is not up."""
    wanted = str(place.resolve())
    for process, bundle in running():
        if bundle == wanted and (found := _open(process)) is not None:
            return found
    return None


def running() -> list[tuple[int, str]]:
    """The labs that are up, or being built: the first process of each, by its number here, and its bundle."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if [os.fsdecode(word) for word in words[1:3]] == _KEEPER and len(words) > 3:
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
    """Ends the labs of the bundle at `place`, half-built ones too; how many there were."""
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
