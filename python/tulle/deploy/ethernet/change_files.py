"""``changes/``: the files that switches load to get from one version of a bundle to another, and their instructions."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tulle._internal.text import counted, csv_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tulle.deploy.ethernet.plan import Hops, Port
    from tulle.deploy.ethernet.repair import Change, Repair

__all__ = ["CHANGES", "RETURNING", "change_files"]

CHANGES = "changes"
"""The folder with the changes that switches load to get from the earlier bundle to the repaired one."""
RETURNING = "returning"
"""The file in `CHANGES` that lists the folders of returning switches and their hosts, one per line."""


def change_files(
    repaired: Repair,
    lines: Callable[[Change], str],
    suffix: str,
    command: str,
    *,
    first: Callable[[int, list[Port]], str] | None = None,
    first_load: tuple[str, str] | None = None,
    again: str = "",
) -> Iterator[tuple[str, str]]:
    """Write ``changes/``: a folder per round with a file per switch, a list of all changes, and instructions.

    Parameters
    ----------
    repaired
        The repair.
    lines
        Formats a change for the target.
    suffix
        The suffix of the files of switches.
    command
        The command that loads ``FILE`` on a switch.
    first
        Formats, for ``changes/0``, the setup of those ports of a switch that only the new plan uses.
    first_load
        The suffix and the command of these files; None: `suffix` and `command`.
    again
        Sentences for the instructions: what the command prints if a file that removes entries is loaded a second time.
    """
    old = repaired.bundle.plan
    files: dict[tuple[int, int], list[str]] = defaultdict(list)
    rows = ["round,switch,prefix,layer,destination,before,now\n"]
    for change in repaired.changes:
        files[change.round, change.switch].append(lines(change))
        names = old.names[change.switch], repaired.prefix(change), change.layer, repaired.name(change.destination)
        ways = (_shown(repaired, change.switch, hops) for hops in (change.before, change.now))
        rows.append(f"{csv_row((change.round + 1, *names, *ways))}\n")
    for (order, switch), texts in sorted(files.items()):
        yield f"{CHANGES}/{order + 1}/{old.names[switch]}.{suffix}", "".join(texts)
    yield f"{CHANGES}/changes.csv", "".join(rows)
    begin = ""
    if first is not None:
        end, load = first_load or (suffix, command)
        for switch, ports in repaired.new_ports():
            begin = load.replace("FILE", f"0/NAME.{end}")
            yield f"{CHANGES}/0/{repaired.plan.names[switch]}.{end}", first(switch, ports)
    if repaired.returning:
        yield f"{CHANGES}/{RETURNING}", "".join(f"{folder}\n" for folder in _returning_folders(repaired))
    yield f"{CHANGES}/README.md", _readme(repaired, command.replace("FILE", f"N/NAME.{suffix}"), begin, again)


def _returning_folders(repaired: Repair) -> Iterator[str]:
    """The bundle's folders of returning switches, and of their hosts if the target writes folders of hosts."""
    yield from (f"switches/{repaired.plan.names[switch]}" for switch in repaired.returning)
    if any(name.startswith("hosts/") for name in repaired.header.files):
        yield from (f"hosts/{name}" for name in repaired.hosts_back)


def _shown(repaired: Repair, switch: int, hops: Hops) -> str:
    names = (repaired.port_name(switch, port) for port, _ in hops)
    weights = ("" if len(hops) == 1 else f"*{weight}" for _, weight in hops)
    return " ".join(f"{name}{weight}" for name, weight in zip(names, weights, strict=True))


def _readme(repaired: Repair, command: str, begin: str, again: str) -> str:
    changes = repaired.changes
    switches = len({change.switch for change in changes})
    per_round = [sum(change.round == order for change in changes) for order in range(repaired.rounds)]
    rows = "\n".join(f"| {order} | {count} |" for order, count in enumerate(per_round, 1))
    before = f"{_readme_cables(repaired)}{_readme_first(begin)}{_readme_returning(repaired)}"
    heading = "\n## The rounds\n\n" if before else "\n"
    return f"""# What changes

{counted(len(changes), "entry", "entries")} on {counted(switches, "switch", "switches")}, \
in {counted(repaired.rounds, "round")}:

| round | entries |
|---|---|
{rows}
{before}{heading}\
Copy this folder to the switches. For every round N in order, run this command as root in the copied folder, on each
switch NAME that has a file in the folder N:

    {command}

Complete a round on all switches before you begin the next. Within a round any order is safe. If loading a file is
interrupted, load it again.{f" {again}" if again else ""}

No intermediate state has a loop: an entry changes only after all entries of its layer and destination on its new paths
have changed. So after its first new entry, a packet meets only new entries. Packets over failed links and switches are
lost, as they are now, until their entries have changed.

`changes.csv` lists all changes. Afterwards repeat the last step of *Load it* in `../README.md`: it checks all switches.
"""


def _readme_cables(repaired: Repair) -> str:
    """The section about cables that return; empty if there are none."""
    if not repaired.cables_back:
        return ""
    cables = "\n".join(f"* {cable}" for cable in repaired.cables_back)
    return f"""
## Before all rounds: check the cables that return

The new entries use these cables, which the current bundle does not use. Check that each of them works before you load
any file, for example with `ip link` at both ends: packets over a cable that is down are lost.

{cables}
"""


def _readme_first(begin: str) -> str:
    """The section about the folder ``0``, whose files the command `begin` loads; empty if there is none."""
    if not begin:
        return ""
    return f"""
## Before all rounds: ports toward cables that work again

Copy this folder to the switches. Run this command as root in the copied folder, on each switch NAME that has a file in
`0/`. Begin round 1 when all these files are loaded.

    {begin}
"""


def _readme_returning(repaired: Repair) -> str:
    """The section about returning switches; empty if there are none."""
    if not repaired.returning:
        return ""
    switches = counted(len(repaired.returning), "switch", "switches")
    hosts = counted(len(repaired.hosts_back), "host")
    return f"""
## Before all rounds: switches that return

{switches} and {hosts} return: `{RETURNING}` lists their folders in the bundle. Set up each of these switches from
scratch, as `../README.md` describes, and then each of these hosts, in any order. Begin round 1 only when all these
switches are set up. Until then, no other switch sends packets to them. Other hosts reach the returning hosts when all
rounds are complete.
"""
