"""What ``tulle deploy repair`` says about cables at wrong ports and replaced nodes, which new tables do not correct."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tulle._internal.text import verb
from tulle.cli.terminal.output import note
from tulle.deploy.versions.history import follows_failure

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.infiniband.causes import Causes
    from tulle.deploy.infiniband.repair import Failures

_SHOWN = 20


def note_causes(bundle: Bundle, causes: Causes, dead: Failures, live: Path) -> None:
    """Print cables at wrong ports and replaced nodes before everything else, because tables do not correct them."""
    for line in causes.wrong_ports[:_SHOWN]:
        note(line)
    if (more := len(causes.wrong_ports) - _SHOWN) > 0:
        note(f"… and {more} more; --json of `tulle deploy verify` has all")
    for line in causes.replaced_texts(bundle, live)[:_SHOWN]:
        note(f"{line}; until then, it counts as missing")
    if causes.slow:
        others = f"; and {len(causes.slow) - 1} more" if len(causes.slow) > 1 else ""
        note(f"{causes.slow[0].instruction}{others}; the tables do not depend on the rate")
    if causes.wrong_ports and (dead.cables or dead.switches):
        note(
            "first correct the cabling, and repeat this command with new output of ibnetdiscover: a repair treats "
            "cables at wrong ports as failed"
        )


def silent_hosts(dead: Failures, causes: Causes) -> set[int]:
    """Return the hosts that do not respond, without hosts at wrong ports and hosts with new GUIDs."""
    return {*dead.endpoints} - causes.endpoints


def first_steps(causes: Causes) -> str:
    """Return the steps that come before a repair, because of cables at wrong ports and replaced nodes."""
    steps = ("correct the cabling", bool(causes.wrong_ports)), ("bind the new nodes", bool(causes.replaced))
    return " and ".join(step for step, is_needed in steps if is_needed)


def cause_fields(causes: Causes) -> dict[str, Any]:
    """Return the fields of the JSON output."""
    return {
        "wrong_ports": list(causes.wrong_ports),
        "replaced": [one.binding for one in causes.replaced],
        "slow_cables": [one.instruction for one in causes.slow],
    }


def how_to_use(bundle: Bundle, links: int) -> str:
    """Return what to do with live links that no version of the bundle explains."""
    if not follows_failure(bundle.folder):
        them = verb(links, "it", "them")
        return f"unplug {them}, or deploy a new bundle with {them}"
    return "if a cable works again, load the bundle that was in use before the cable failed, or deploy a new one"
