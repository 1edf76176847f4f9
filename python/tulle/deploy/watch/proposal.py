"""The words of proposed repairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.text import counted, verb
from tulle.deploy.missing_parts import missing_parts
from tulle.deploy.watch.state import Proposal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.fabric import Fabric

__all__ = ["beyond", "rehearsed"]


def beyond(fabric: Fabric, cables: int, switches: Sequence[int], command: str) -> Proposal:
    """Propose no repair, because more parts are missing than allowed. A note has the command for real failures."""
    missing = missing_parts(fabric, cables, switches)
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
