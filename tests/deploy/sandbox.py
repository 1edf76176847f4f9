"""A sandbox for tests of switches: separate namespaces for network, mounts, host name and processes.

It has no connection to the outside. The sandbox runs as long as its standard input is open. When the tests end for any
reason, the sandbox's processes end, too.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from patience import PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from typing_extensions import Self

    from tulle.deploy.ethernet.plan import EthernetPlan, Port

PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin", "/usr/lib/frr"))
PACKAGES = {
    "ip": "iproute2",
    "vtysh": "frr",
    "zebra": "frr",
    "ovs-vswitchd": "openvswitch-switch",
    "ovsdb-tool": "openvswitch-common",
    "nft": "nftables",
    "yanglint": "libyang2-tools",
    "slurmctld": "slurmctld",
    "scontrol": "slurm-client",
    "unshare": "util-linux",
    "nsenter": "util-linux",
}
# Daemons write to these folders; in the sandbox, empty folders in memory replace them.
_PRIVATE = ("/run", "/var/tmp", "/var/log", "/etc/frr", "/etc/openvswitch")
_UNSHARE = ("unshare", "--net", "--mount", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc")


def missing(*tools: str) -> str:
    """Return one line that names missing packages or permissions; an empty string if nothing is missing."""
    packages = [PACKAGES[tool] for tool in tools if shutil.which(tool, path=PATH) is None]
    if packages:
        return f"needs the Debian packages {', '.join(dict.fromkeys(packages))}"
    try:
        done = subprocess.run(
            [*_UNSHARE, "true"], env=_environment(), capture_output=True, check=False, timeout=PATIENCE
        )
    except (OSError, subprocess.TimeoutExpired):
        return "needs unshare"
    return "needs namespaces for network, mounts and processes: run as root" if done.returncode else ""


def kernel_lacks(command: str) -> bool:
    """Return whether the kernel refuses a command in a separate namespace."""
    done = subprocess.run(
        [*_UNSHARE, "sh", "-c", command], env=_environment(), capture_output=True, check=False, timeout=PATIENCE
    )
    return done.returncode != 0


def _environment() -> dict[str, str]:
    return {**os.environ, "PATH": PATH, "LC_ALL": "C"}


class Sandbox:
    """A set of namespaces in which tests run commands."""

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
        self._enter = ["nsenter", f"--target={children[0]}", "--net", "--mount", "--uts", "--pid", "--wd=/"]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes of the sandbox."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()

    def run(self, *command: str, text: str | None = None, check: bool = True, timeout: float = PATIENCE) -> str:
        """Run a command in the sandbox and return its output."""
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

    def shell(self, script: str, *, check: bool = True, timeout: float = PATIENCE) -> str:
        """Run a shell script in the sandbox and return its output."""
        return self.run("sh", "-euc", script, check=check, timeout=timeout)

    def batch(self, lines: Iterable[str], namespace: str | None = None) -> None:
        """Run lines of commands for ``ip`` in one process."""
        inside = ["-n", namespace] if namespace else []
        self.run("ip", *inside, "-batch", "-", text="".join(f"{line}\n" for line in lines))

    def ip(self, namespace: str, *arguments: str) -> list[dict[str, Any]]:
        """Run ``ip -json`` in a namespace and return its output."""
        shown: list[dict[str, Any]] = json.loads(self.run("ip", "-n", namespace, "-json", *arguments) or "[]")
        return shown

    def wire(
        self, plan: EthernetPlan, switches: Sequence[int] | None = None, called: Callable[[Port], str] | None = None
    ) -> None:
        """Create one namespace per switch, with its ports and cables.

        Ports toward hosts and toward switches outside `switches` have no cable.
        """
        names = called or (lambda port: port.name)
        here = range(len(plan.names)) if switches is None else switches
        self.batch(f"netns add {plan.names[switch]}" for switch in here)
        cables, ends = [], []
        for switch in here:
            name, rows = plan.names[switch], ["link set lo up"]
            for port in plan.ports[switch]:
                other, far = plan.peer(port) if port.channel is not None else (-1, port)
                if other not in here:
                    rows += [
                        f"link add {names(port)} type veth peer name x{port.number}",
                        f"link set x{port.number} up",
                    ]
                elif (switch, port.number) < (other, far.number):
                    far_end = f"{names(far)} netns {plan.names[other]}"
                    cables.append(f"link add {names(port)} netns {name} type veth peer {far_end}")
                rows.append(f"link set {names(port)} address {port.mac} up")
            ends.append((name, rows))
        self.batch(cables)
        for name, rows in ends:
            self.batch(rows, name)

    def frr(self, configurations: Mapping[str, Path], daemons: Sequence[str] = ("staticd",)) -> None:
        """Start FRR's zebra and other daemons in each namespace, with the configuration files of its folder."""
        # From FRR 9.1 on, mgmtd passes the configuration on to staticd and zebra.
        first = ["zebra", *(["mgmtd"] if shutil.which("mgmtd", path=PATH) else [])]
        quiet = "< /dev/null > /dev/null 2>&1"
        lines = ["install -d -o frr -g frr /run/frr /var/tmp/frr"]
        for name, folder in configurations.items():
            lines += [
                f"install -d -o frr -g frr /etc/frr/{name}",
                f"install -o frr -g frr -m 640 {folder}/frr.conf {folder}/vtysh.conf /etc/frr/{name}",
                *(f"ip netns exec {name} {daemon} -d -N {name} {quiet}" for daemon in (*first, *daemons)),
            ]
        # Only two namespaces load their configuration at the same time, because other tests need processors, too.
        lines.append("xargs -P 2 -I NAME ip netns exec NAME vtysh -N NAME -b")
        self.run("sh", "-ec", "\n".join(lines), text="".join(f"{name}\n" for name in configurations), timeout=PATIENCE)

    def tables(self, names: Iterable[str], folder: Path, count: int, *, ipv6: bool = False) -> Path:
        """Wait for `count` static routes, then write the kernel routes of each namespace."""
        folder.mkdir()
        family = "-6" if ipv6 else "-4"
        shown = "".join(f"ip {family} -n {name} -json route show table main > {folder}/{name}.json\n" for name in names)
        until = time.monotonic() + PATIENCE
        while True:
            self.run("sh", "-ec", shown)
            routes = sum(
                route.get("protocol") == "static" for path in folder.iterdir() for route in json.loads(path.read_text())
            )
            if routes >= count or time.monotonic() > until:
                break
            time.sleep(0.3)
        return folder
