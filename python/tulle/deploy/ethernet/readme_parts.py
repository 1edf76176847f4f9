"""The parts of ``README.md`` that several Ethernet targets share: backups, and the steps when cables fail."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tulle._internal.text import listed

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["FAILURES", "WHERE", "backup", "ports_of_servers", "repair_steps"]

FAILURES = "## When cables fail\n"
"""The heading of the section about failures."""


WHERE = """\
where BUNDLE is the folder of this file, and FOLDER has the
   files of all switches"""
"""What the words in the command ``tulle deploy verify`` of ``README.md`` stand for."""


_SHOWN = 2


def backup(path: str, copy: str, run_as: str = "") -> str:
    """Return the command that copies a file or folder of the site, unless the copy exists.

    If a step of ``README.md`` runs again, `path` already has the files of the bundle, which must not replace the copy.
    `run_as` precedes both commands, for example ``sudo``: a file in a folder of another user looks missing without it.
    """
    return f"{run_as} test -e {copy} || {run_as} cp -a {path} {copy}".replace("  ", " ").strip()


def ports_of_servers(plan: EthernetPlan) -> str:
    """Return the lines on the folders of servers with several ports, for a list item; empty if there are none."""
    counts = Counter(host.server for host in plan.hosts if host.server)
    if not counts:
        return ""
    server = max(counts, key=lambda name: counts[name])
    names = listed([f"`hosts/{host.name}`" for host in plan.hosts if host.server == server], _SHOWN)
    return f"""
   A server with several ports has a folder per port, for example {names}:
   copy all of them to the server, for example to `/etc/tulle`, and run the `up` of each."""


def repair_steps(plan: EthernetPlan) -> str:
    """Return the steps that avoid failed cables by `tulle deploy repair`, and go back when they work again."""
    back = _BACK if plan.vcs is None else _BACK_LOSSLESS
    return f"""\
This command writes the changes that avoid a failed cable into `changes/`. BUNDLE is the folder of this file. A and B
are the switches at the ends of the cable:

    tulle deploy repair BUNDLE --dead-cable A:B -o BUNDLE

Load them as `changes/README.md` describes, in rounds. No intermediate state has a loop, whatever the order within a
round. Then verify again, as in the last step of *Load it*.

{back}"""


_BACK = """\
If the cable works again, `tulle deploy versions BUNDLE` lists the earlier versions of the bundle. Check that the cable
works. Then this command writes the changes back to version NUMBER, which you load in the same way:

    tulle deploy repair BUNDLE --to BUNDLE/versions/NUMBER -o BUNDLE
"""
_BACK_LOSSLESS = """\
If the repair is not proved free of deadlock under traffic, the command writes nothing and says why. If the cable works
again, stop lossless traffic, go back by `tulle deploy rollback BUNDLE --drained`, and load the files of all switches.
"""
