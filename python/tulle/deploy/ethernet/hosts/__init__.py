"""The setup of hosts: one folder per host, with a script `up` that applies it and a script `undo` that reverts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle import _tulle
from tulle.deploy.ethernet.hosts import network
from tulle.deploy.ethernet.hosts.flowlets import flowlets, static_hash
from tulle.deploy.ethernet.hosts.scripts import MODES, undo, unit, up
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.ethernet.plan import EthernetPlan, Host

__all__ = ["GAP_MS", "HOSTS", "MODES", "files", "host_files", "host_mode", "milliseconds"]

GAP_MS = 50
"""The default flowlet gap in milliseconds. It must exceed the delay differences of paths, to avoid reordering."""

HOSTS = "hosts"
"""The folder with the files of hosts."""


def host_files(plan: EthernetPlan, host: Host, *, mode: str = MODES[0], gap_ms: int = GAP_MS) -> dict[str, str]:
    """The files of a host's folder, by name.

    Parameters
    ----------
    plan, host
        The deployed plan, and one of its hosts.
    mode
        The default mode of `up`: one of `MODES`.
    gap_ms
        The gap between flowlets in milliseconds, 1 or more. The kernel counts in ticks, for example of 4 ms at 250 Hz.
    """
    return {
        "addresses.batch": network.addresses(plan, host),
        "neighbours.batch": network.neighbours(plan, host),
        "routes.batch": network.routes(plan, host),
        "mptcp.batch": network.mptcp(host),
        "flowlets.nft": flowlets(plan, host, gap_ms),
        "hash.nft": static_hash(plan, host),
        "up": up(host, mode),
        "undo": undo(plan, host),
        "tulle-host.service": unit(host),
    }


def files(plan: EthernetPlan, *, mode: str = MODES[0], gap_ms: int = GAP_MS) -> Iterator[tuple[str, str]]:
    """The files of all hosts in a bundle, as paths and texts. For the parameters see `host_files`."""
    for host in plan.hosts:
        for name, text in host_files(plan, host, mode=mode, gap_ms=gap_ms).items():
            yield f"{HOSTS}/{host.name}/{name}", text


def host_mode(text: str) -> str:
    """Check the name of a mode.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    if text not in MODES:
        raise InputError(f"--hosts {text} is unknown; legal: {', '.join(MODES)}")
    return text


def milliseconds(gap: str) -> int:
    """Parse a gap between flowlets, in milliseconds as nftables needs it.

    Raises
    ------
    tulle.InputError
        For a time that is not a whole number of milliseconds from 1 ms to 60 s.
    """
    picoseconds = _tulle.read_duration("flowlet-gap", gap)
    if picoseconds % 10**9 or not 10**9 <= picoseconds <= 60 * 10**12:
        raise InputError(f"--flowlet-gap {gap} is out of range; legal: 1ms to 60s, in whole milliseconds")
    return picoseconds // 10**9
