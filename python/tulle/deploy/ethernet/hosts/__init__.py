"""The setup of hosts: one folder per host, with a script `up` that applies it and a script `undo` that reverts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet.host_modes import GAP_MS, MODES
from tulle.deploy.ethernet.hosts import network
from tulle.deploy.ethernet.hosts.flowlets import flowlets, static_hash
from tulle.deploy.ethernet.hosts.scripts import undo, unit, unit_name, up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.ethernet.plan import EthernetPlan, Host

__all__ = ["HOSTS", "files", "host_files"]

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
        The gap between flowlets in milliseconds, 1 or more. The kernel rounds it to ticks, for example 4 ms at 250 Hz.
    """
    return {
        "addresses.batch": network.addresses(plan, host),
        "neighbours.batch": network.neighbours(plan, host),
        "routes.batch": network.routes(plan, host),
        "mptcp.batch": network.mptcp(host),
        "flowlets.nft": flowlets(plan, host, gap_ms),
        "hash.nft": static_hash(plan, host),
        "up": up(plan, host, mode),
        "undo": undo(plan, host),
        f"{unit_name(host)}.service": unit(host),
    }


def files(plan: EthernetPlan, *, mode: str = MODES[0], gap_ms: int = GAP_MS) -> Iterator[tuple[str, str]]:
    """The files of all hosts in a bundle, as paths and texts. For the parameters see `host_files`."""
    for host in plan.hosts:
        for name, text in host_files(plan, host, mode=mode, gap_ms=gap_ms).items():
            yield f"{HOSTS}/{host.name}/{name}", text
