"""A machine of its own for tests of switches: namespaces for network, mounts and processes, with no way out.

It lives as long as its standard input is open: when the tests end, however they do, all in it ends.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from typing_extensions import Self

PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin", "/usr/lib/frr"))
PACKAGES = {
    "ip": "iproute2",
    "vtysh": "frr",
    "zebra": "frr",
    "ovs-vswitchd": "openvswitch-switch",
    "ovsdb-tool": "openvswitch-common",
    "nft": "nftables",
    "yanglint": "libyang2-tools",
    "unshare": "util-linux",
    "nsenter": "util-linux",
}
# What daemons write: folders of the sandbox alone.
_PRIVATE = ("/run", "/var/tmp", "/var/log", "/etc/frr", "/etc/openvswitch")
_UNSHARE = ("unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc")


def missing(*tools: str) -> str:
    """What is not there, in one line; empty where everything is."""
    packages = [PACKAGES[tool] for tool in tools if shutil.which(tool, path=PATH) is None]
    if packages:
        return f"needs the Debian packages {', '.join(dict.fromkeys(packages))}"
    try:
        done = subprocess.run([*_UNSHARE, "true"], env=_environment(), capture_output=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return "needs unshare"
    return "needs namespaces for network, mounts and processes: run as root" if done.returncode else ""


def kernel_lacks(command: str) -> bool:
    """Whether the kernel refuses a command in a namespace of its own."""
    done = subprocess.run(
        [*_UNSHARE, "sh", "-c", command], env=_environment(), capture_output=True, check=False, timeout=30
    )
    return done.returncode != 0


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": PATH, "LC_ALL": "C"}


class Sandbox:
    """Namespaces to run commands in."""

    def __init__(self) -> None:
        there = [place for place in _PRIVATE if Path(place).is_dir()]
        mounts = "; ".join(f"mount -t tmpfs tmpfs {place}" for place in there)
        script = f"set -e; {mounts}; mkdir -p /run/netns; ip link set lo up; echo ready; exec cat"
        self._process = subprocess.Popen(
            [*_UNSHARE, "sh", "-c", script],
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n", "the sandbox could not be made"
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        self._enter = ["nsenter", f"--target={children[0]}", "--net", "--mount", "--pid", "--wd=/"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends everything in it."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()

    def run(self, *command: str, text: str | None = None, check: bool = True, timeout: float = 60) -> str:
        """What a command in the sandbox prints."""
        done = subprocess.run(
            [*self._enter, *command],
            env=_environment(),
            input=text if text is not None else "",
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
        assert not check or done.returncode == 0, f"{' '.join(command)[:200]}: {done.stdout[-600:]}{done.stderr[-600:]}"
        return done.stdout

    def shell(self, script: str, *, check: bool = True, timeout: float = 120) -> str:
        """What a script prints."""
        return self.run("sh", "-euc", script, check=check, timeout=timeout)

    def batch(self, lines: Iterable[str], namespace: str | None = None) -> None:
        """Lines for ``ip``."""
        inside = ["-n", namespace] if namespace else []
        self.run("ip", *inside, "-batch", "-", text="".join(f"{line}\n" for line in lines))

    def ip(self, namespace: str, *arguments: str) -> list[dict[str, Any]]:
        """What ``ip`` shows in a namespace."""
        shown: list[dict[str, Any]] = json.loads(self.run("ip", "-n", namespace, "-json", *arguments) or "[]")
        return shown

    def wire(self, switches: Sequence[str], cables: Iterable[tuple[str, str, str, str]], edge: Iterable[tuple[str, str]]) -> None:
        """A namespace per switch; virtual cables of switch, port, switch, port, and loose ports of switch and port."""
        self.batch(f"netns add {name}" for name in switches)
        lines = [f"link add {a} netns {one} type veth peer name {b} netns {two}" for one, a, two, b in cables]
        self.batch(lines)
        ends: dict[str, list[str]] = {name: [] for name in switches}
        for one, a, two, b in cables:
            ends[one].append(f"link set {a} up")
            ends[two].append(f"link set {b} up")
        for name, port in edge:
            ends[name] += [f"link add {port} type dummy", f"link set {port} up"]
        for name, rows in ends.items():
            self.batch(["link set lo up", *rows], name)
