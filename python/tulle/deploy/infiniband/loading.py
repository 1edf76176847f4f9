"""The steps by which OpenSM and hosts load a version of a bundle, after a repair or a rollback."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.reading import read_text
from tulle._internal.text import tulle_command
from tulle.deploy.infiniband.bundle import CONF, GUID2LID
from tulle.deploy.versions.layout import opened

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "Settings",
    "after_rollback",
    "folder_of_opensm",
    "loading_steps",
    "only_after_rollback",
    "settings_of",
]


class Settings(NamedTuple):
    """The files of a version of a bundle that OpenSM reads only when it starts."""

    conf: str
    """The text of ``opensm.conf``."""
    guids: dict[str, str]
    """The GUID of each base LID, from ``guid2lid``."""


def settings_of(place: Path) -> Settings:
    """Read the settings of the version of a bundle that is in use now."""
    folder = opened(place)
    rows = (line.split() for line in read_text(folder / GUID2LID).splitlines())
    return Settings(read_text(folder / CONF), {row[1]: row[0] for row in rows if len(row) > 1})


def folder_of_opensm(conf: str) -> str | None:
    """Return the folder of the bundle on the machine of OpenSM, which the text of ``opensm.conf`` names."""
    for line in conf.splitlines():
        if line.startswith("event_plugin_options "):
            return line.split(maxsplit=1)[1]
    return None


def loading_steps(
    place: Path, before: Settings | None, *, signalled: bool = False, hosts: str = "", drained: bool = False
) -> list[str]:
    """Return the steps that load the version of a bundle that is in use now, and check the subnet, in order.

    Parameters
    ----------
    place
        The folder of the bundle.
    before
        The settings of the version that OpenSM has loaded; None if they are unknown.
    signalled
        Whether OpenSM has already been told to read its files again.
    hosts
        The hosts that must query path records again, as text; empty: none.
    drained
        Whether traffic is stopped.

    Raises
    ------
    tulle.FileError
        For a file that cannot be read.
    """
    after = settings_of(place)
    steps = []
    shown, own = shlex.quote(str(place)), str(place.resolve())
    folder = folder_of_opensm(after.conf) or own
    if folder != own:
        steps.append(
            f"copy {shown} to {folder} on the machine of OpenSM, with its symbolic links (rsync -a, versions/ first)"
        )
    # After --bind, a LID belongs to another GUID.
    is_bound = before is None or any(before.guids.get(lid, guid) != guid for lid, guid in after.guids.items())
    if is_bound:
        steps.append(f"copy {folder}/{GUID2LID} into OpenSM's cache folder (/var/cache/opensm)")
    if before is None or is_bound or before.conf != after.conf:
        steps.append(f"restart OpenSM with opensm -F {shlex.quote(f'{folder}/{CONF}')} -B")
    elif not signalled or folder != own:
        steps.append("kill -HUP $(pidof opensm)")
    steps.append("wait until OpenSM's log has SUBNET UP")
    check = tulle_command("deploy", "verify", place, "--live", "live", "--lfts", "lfts")
    steps.append(f"ibnetdiscover > live; dump_fts > lfts; {check}")
    if hosts:
        steps.append(f"restart the programs on {hosts}, so that they query path records again")
    if drained:
        steps.append("start traffic")
    return steps


def only_after_rollback(version: str, newer: str) -> str:
    """Return the condition of a proof for a version that a rollback has put in use.

    The network may still have the newer version, and hosts may use its service levels. The proof does not cover them.
    """
    return (
        f"proved safe under traffic only if, since the rollback from version {newer}, all switches have loaded version "
        f"{version} and all hosts have queried path records; otherwise traffic must be stopped"
    )


def after_rollback(newer: str) -> list[str]:
    """Return the last step of loading a new version that was written after a rollback from version `newer`.

    If `newer` is empty, there was no rollback, and there is no such step.
    """
    if not newer:
        return []
    return [
        f"if hosts have not queried path records since the rollback from version {newer}: restart the programs on all "
        "hosts, then start traffic"
    ]
