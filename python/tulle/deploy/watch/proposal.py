"""The words of proposed repairs."""

from __future__ import annotations

from tulle._internal.text import counted, verb
from tulle.deploy.watch.state import Proposal

__all__ = ["beyond", "rehearsed"]


def beyond(cables: int, switches: int, command: str) -> Proposal:
    """Propose no repair, because more parts are missing than allowed. A note has the command for real failures."""
    missing = f"{counted(cables, 'cable')} and {counted(switches, 'switch', 'switches')} are missing"
    return Proposal(
        "",
        f"{missing}, more than --max-dead: check the live command first; if these parts have really failed, run: "
        f"{command}",
    )


def rehearsed(command: str, entries: int, switches: int, why_unsafe: str, rounds: int | None = None) -> Proposal:
    """Return the proposal of a repair that was computed, but not written. InfiniBand repairs have no `rounds`."""
    change = f"{counted(entries, 'entry', 'entries')} {verb(entries, 'changes', 'change')}"
    note = f"{change} at {counted(switches, 'switch', 'switches')}"
    if rounds is not None:
        note += f" in {counted(rounds, 'round')}"
    if why_unsafe:
        return Proposal(
            command, f"{note}; not proved safe under traffic: {why_unsafe}: stop traffic, and add --drained"
        )
    return Proposal(command, f"{note}; proved safe under traffic")
