"""Create and enter Linux namespaces by system calls, because Python has functions for this only since version 3.12."""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import socket
import struct
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NEWNET = 0x40000000
_MS_BIND = 0x1000
_PR_SET_PDEATHSIG = 1
_SIOCGIFFLAGS = 0x8913
_IFF_UP, _IFF_RUNNING = 0x1, 0x40
# The kernel takes up to a second to notice that the other end of a link is up. A busy machine can take longer.
_MOST_SECONDS = 30

NETWORKS = Path("/run/netns")
"""The folder in which iproute2 looks for network namespaces by name."""
OWN = Path("/proc/thread-self/ns/net")

_libc = ctypes.CDLL(None, use_errno=True)


def _call(done: int, what: str) -> None:
    if done != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


def mount_tmpfs(place: Path) -> None:
    """Mount an empty file system over `place`, in this mount namespace only."""
    _call(_libc.mount(b"tmpfs", os.fsencode(place), b"tmpfs", 0, b"mode=0755"), str(place))


def new_network(name: str) -> None:
    """Create a network namespace and enter it; the namespace exists as long as its file in `NETWORKS`."""
    place = NETWORKS / name
    place.touch()
    _call(_libc.unshare(NEWNET), name)
    _call(_libc.mount(os.fsencode(OWN), os.fsencode(place), None, _MS_BIND, None), name)


def enter(descriptor: int) -> None:
    """Move this thread into the network namespace of an open file."""
    _call(_libc.setns(descriptor, NEWNET), "network namespace")


@contextmanager
def network(name: str) -> Iterator[None]:
    """Run a block inside a network namespace, given by name."""
    back = os.open(OWN, os.O_RDONLY)
    try:
        there = os.open(NETWORKS / name, os.O_RDONLY)
        try:
            enter(there)
        finally:
            os.close(there)
        try:
            yield
        finally:
            enter(back)
    finally:
        os.close(back)


def wait_until_links_work(ends: Iterable[tuple[str, str | None]]) -> None:
    """Wait until the kernel shows that all links work, except links that are administratively down.

    Otherwise a command that reads the links right afterwards finds some of them down at one end. Each item of `ends`
    has the name of a namespace and of a link; None means all links of the namespace.
    """
    deadline = time.monotonic() + _MOST_SECONDS
    for name, one in ends:
        with network(name), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
            for link in [found for _, found in socket.if_nameindex()] if one is None else [one]:
                while not _works(any_socket, link):
                    if time.monotonic() > deadline:
                        raise RuntimeError(f"{name}: {link} does not work after {_MOST_SECONDS} s")
                    time.sleep(0.01)


def _works(any_socket: socket.socket, link: str) -> bool:
    """Return whether a link works or is administratively down."""
    row = fcntl.ioctl(any_socket, _SIOCGIFFLAGS, struct.pack("16sH14x", link.encode(), 0))
    (flags,) = struct.unpack_from("H", row, 16)
    return not flags & _IFF_UP or bool(flags & _IFF_RUNNING)


def set_sysctls(lines: str) -> None:
    """Apply ``key = value`` lines in the format of ``sysctl.conf`` to the current network namespace.

    A line that starts with ``-`` is skipped if the kernel refuses it, for example because it does not have the key.
    """
    for line in lines.splitlines():
        key, equals, value = line.partition("=")
        key = key.strip()
        if not equals or key.startswith(("#", ";")):
            continue
        # In `sysctl.conf`, a dot in an interface's name is written as a slash.
        path = Path("/proc/sys", *(part.replace("/", ".") for part in key.removeprefix("-").split(".")))
        try:
            path.write_text(value.strip() + "\n")
        except OSError:
            if not key.startswith("-"):
                raise


def die_with_parent() -> None:
    """Make the kernel kill this process when its parent ends. Child processes call this function after they start."""
    _call(_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "signal of a parent's death")


def started(process: int) -> int:
    """Return the start time of a process in ticks since boot; start time and process id identify a process uniquely.

    Raises
    ------
    OSError
        If the process does not exist.
    """
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19])
