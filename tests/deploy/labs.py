"""Build labs for tests: find missing kernel features, and list processes and interfaces that a lab leaves behind."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from patience import LIFETIME, PATIENCE

import tulle
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.targets.linux import write_plan
from tulle.lab import lab, sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tulle.deploy.ethernet.plan import EthernetPlan

PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
PACKAGES = {"ip": "iproute2", "nft": "nftables", "iperf3": "iperf3", "mptcpize": "mptcpize", "unshare": "util-linux"}

# On a busy machine, the measured throughput is lower. So a test repeats its measurement until the result reaches the
# expected bound, at most this number of times.
TRIES = 6

# For each feature, a command that fails if the kernel lacks the feature. The command runs in a network namespace with a
# virtual cable between the interfaces v0 and v1.
FEATURES = {
    "MPTCP": "test -e /proc/sys/net/mptcp/enabled && ip mptcp limits set subflows 1",
    "TBF": "tc qdisc add dev v0 root tbf rate 20mbit burst 16kb latency 50ms",
    "nftables at ingress": "nft add table netdev t && "
    "nft 'add chain netdev t c { type filter hook ingress device v0 priority 0; policy drop; }'",
    "VRF": "ip link add vrf0 type vrf table 10",
    "802.1Q": "ip link add link v0 name v0.5 type vlan id 5",
    "netem": "tc qdisc add dev v0 root netem delay 1ms",
    "RED": "tc qdisc add dev v0 root red limit 100kb avpkt 1000 bandwidth 20mbit",
}


# A bundle has thousands of small files, so the folder is in memory if possible.
MEMORY = Path("/dev/shm") if Path("/dev/shm").is_dir() else None


@contextmanager
def folder() -> Iterator[Path]:
    """Provide a temporary folder while the block runs."""
    with TemporaryDirectory(dir=MEMORY, prefix="tulle-test-") as place:
        yield Path(place)


def lacks(feature: str) -> str:
    """Return an empty string if the kernel has a feature, otherwise one line with the reason why it is missing."""
    script = f"ip link add name v0 type veth peer name v1 && ip link set v0 up && {FEATURES[feature]}"
    done = subprocess.run(
        ["unshare", "--net", "sh", "-c", script],
        env={**os.environ, "PATH": PATH},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    message = " ".join(done.stderr.split())
    return f"this kernel has no {feature}: {message[:120]}" if done.returncode else ""


def missing() -> str:
    """Return one line that names missing packages, permissions or a kernel feature; empty if nothing is missing."""
    packages = sorted({PACKAGES[tool] for tool in PACKAGES if shutil.which(tool, path=PATH) is None})
    if packages:
        return f"needs the Debian packages {', '.join(packages)}"
    allowed = subprocess.run(
        ["unshare", "--net", "--mount", "--pid", "--fork", "true"], capture_output=True, check=False
    )
    if allowed.returncode:
        return "needs network namespaces: run as root"
    return lacks("MPTCP") or lacks("TBF") or lacks("nftables at ingress")


def written(place: Path, spec: str, routing: str, **addresses: Any) -> Path:
    """Write a bundle into a folder; return the folder."""
    write_plan(plan_of(tulle.route(spec, routing), **addresses), place)
    return place


@contextmanager
def built(place: Path, spec: str, routing: str, *, rate: float = lab.RATE, **addresses: Any) -> Iterator[lab.Lab]:
    """Write a bundle and run its lab while the block runs."""
    try:
        yield lab.up(written(place, spec, routing, **addresses), rate=rate, lifetime=LIFETIME)
    finally:
        lab.down(place)


def path(plan: EthernetPlan, layer: int, source: int, destination: int) -> list[int]:
    """Return the channels of a layer's path between two switches; each switch uses the first next hop of its group."""
    place, channels = plan.destinations.index(destination), []
    while source != destination:
        port = plan.groups(source)[plan.group_of(source)[layer, place]][0][0]
        channel = plan.by_number[source][port].channel
        assert channel is not None
        channels.append(channel)
        source = plan.peer(plan.by_number[source][port])[0]
    return channels


def disjoint(paths: Sequence[Sequence[int]]) -> int:
    """Return the size of the largest set of the given paths in which no two paths use the same channel."""
    best = 0
    for chosen in range(1, 1 << len(paths)):
        taken = [paths[one] for one in range(len(paths)) if chosen >> one & 1]
        if sum(map(len, taken)) == len({channel for one in taken for channel in one}):
            best = max(best, len(taken))
    return best


def pair(plan: EthernetPlan, wanted: int, taken: Sequence[int] = ()) -> tuple[int, int, list[int]]:
    """Return two switches for which exactly `wanted` layers have disjoint paths, and the channels of all their paths.

    No path uses a channel of `taken`. If `wanted` is above 1, the path of one layer has a cable that no other layer's
    path uses.
    """
    for source in plan.destinations:
        for destination in plan.destinations:
            if source == destination:
                continue
            paths = [path(plan, layer, source, destination) for layer in range(plan.num_layers)]
            used = [channel for one in paths for channel in one]
            if set(used) & set(taken) or disjoint(paths) != wanted:
                continue
            if wanted == 1 or alone(plan, source, destination) is not None:
                return source, destination, used
    raise AssertionError(f"no pair with {wanted} disjoint layers")


def alone(plan: EthernetPlan, source: int, destination: int) -> int | None:
    """Return a channel of a layer above 0 whose cable no other layer uses in either direction, or None."""
    reverse = plan.fabric.reverse.tolist()
    cables = [
        {
            min(channel, reverse[channel])
            for ends in ((source, destination), (destination, source))
            for channel in path(plan, layer, *ends)
        }
        for layer in range(plan.num_layers)
    ]
    for layer in range(1, plan.num_layers):
        others = {used for other, row in enumerate(cables) if other != layer for used in row}
        for channel in path(plan, layer, source, destination):
            if min(channel, reverse[channel]) not in others:
                return channel
    return None


def left() -> list[str]:
    """Return this machine's labs, processes, mounts, namespaces and interfaces, to find what a lab leaves behind."""
    mounts = [row for row in Path("/proc/self/mountinfo").read_text().splitlines() if "/netns" in row]
    folders = [Path(folder) for folder in ("/run/netns", "/sys/class/net")]
    names = sorted(str(one) for folder in folders if folder.is_dir() for one in folder.iterdir())
    inside = [
        row
        for row in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout.splitlines()
        if "tulle.lab." in row or "iperf3" in row
    ]
    return [*(f"lab {one}" for one in sandbox.running()), *mounts, *names, *inside]
