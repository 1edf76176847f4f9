"""Print whether a change of a bundle is safe, which hosts must act, and the next steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tulle._internal.text import counted, listed, verb
from tulle.cli.terminal.output import print_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tulle.deploy.infiniband.repair import Repair

__all__ = ["hosts_file", "listed_hosts", "print_steps", "with_verdict"]

# The JSON output has these fields; the text output has the field `verdict` instead.
_PROOF = ("acyclic_with_old", "drain", "why_drain", "rolled_back_from")
_NAMED = 4


def with_verdict(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a repair for people: one field in words replaces the fields of the proof."""
    shown = {}
    for name, value in fields.items():
        if name == "acyclic_with_old":
            # After a rollback, a note names the condition of the proof.
            condition = ", but only on a condition (see the note)" if fields.get("rolled_back_from") else ""
            shown["verdict"] = f"proved safe under traffic{condition}" if value else "not proved safe under traffic"
        elif name not in _PROOF:
            shown[name] = value
    return shown


def print_steps(steps: Sequence[str], condition: str = "") -> None:
    """Print the next steps as a numbered list. They are necessary only under the condition, if there is one."""
    print("\nnext steps" + (f", {condition}" if condition else ""))
    for number, step in enumerate(steps, 1):
        print_line(f"{number}. {step}")


def hosts_file(repaired: Repair, out: Path) -> str:
    """Return the hosts that must query path records again, as text; empty if there are none.

    `out` is the folder of the repaired bundle, whose file lists all of them.
    """
    from tulle.deploy.infiniband.bundle import HOSTS_TO_ASK

    hosts = repaired.hosts_to_query
    if not hosts:
        return ""
    return f"{counted(len(hosts), 'host')} ({listed_hosts(hosts, f'{out / HOSTS_TO_ASK} names all')})"


def listed_hosts(hosts: Sequence[str], all_of_them: str = "--json names all") -> str:
    """Return the first names of hosts, how many more there are, and where all of them are named."""
    more = f"; {all_of_them}" if len(hosts) > _NAMED else ""
    return f"{verb(len(hosts), 'host', 'hosts')} {listed(hosts, _NAMED)}{more}"
