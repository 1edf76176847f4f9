"""What hosts are set up with: a folder each, from which `up` does all and `undo` takes it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.ethernet.host_modes import GAP_MS, MODES
from tulle.deploy.ethernet.hosts import network
from tulle.deploy.ethernet.hosts.flowlets import flowlets, static_hash
from tulle.deploy.ethernet.hosts.scripts import undo, unit, up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.ethernet.plan import EthernetPlan, Host

__all__ = ["HOSTS", "files", "host_files"]

HOSTS = "hosts"
"""The folder of what hosts load."""


def host_files(plan: EthernetPlan, host: Host, *, mode: str = MODES[0], gap_ms: int = GAP_MS) -> dict[str, str]:
    """The files of a host's folder, by their names.

    Parameters
    ----------
    plan, host
        What is deployed, and a host of it.
    mode
        What `up` does unless told: one of `MODES`.
    gap_ms
        The gap between flowlets in milliseconds, 1 or more; the kernel counts in ticks, of 4 ms at 250 a second.
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
    """The files of all hosts in a bundle: paths and texts. The parameters are those of `host_files`."""
    for host in plan.hosts:
        for name, text in host_files(plan, host, mode=mode, gap_ms=gap_ms).items():
            yield f"{HOSTS}/{host.name}/{name}", text
