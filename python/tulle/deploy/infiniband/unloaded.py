"""Forwarding tables of switches that have not loaded the bundle in use, for the proof of a repair.

OpenSM can be stopped or slow while it loads a repair, and then another part fails. Some switches have the tables of the
bundle in use, and others still have earlier ones. Each switch can load the bundle in use or the next repair at any
time, so the proof covers the earlier tables, those of the bundle in use, and the repaired ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.infiniband.intent import NO_LANE, Intent
from tulle.deploy.read.lfts import NO_PORT, read_lfts
from tulle.deploy.versions.history import replaced_by
from tulle.deploy.versions.layout import VERSIONS, folder_of, numbers
from tulle.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.read.subnet import Subnet

__all__ = ["Unloaded", "find_unloaded"]


class Unloaded(NamedTuple):
    """The tables of a subnet in which some switches have not loaded the bundle in use."""

    ports: NDArray[np.uint8]
    """The output port by switch and LID, by the switches and LIDs of the bundle."""
    switches: tuple[str, ...]
    """The names of these switches."""
    problem: str
    """Why no proof can cover these tables; empty if a proof can."""

    def __str__(self) -> str:
        number = len(self.switches)
        return (
            f"{counted(number, 'switch', 'switches')} {verb(number, 'has', 'have')} not loaded the bundle, for example "
            f"{self.switches[0]}"
        )


def find_unloaded(intent: Intent, subnet: Subnet, lfts: str | PathLike[str]) -> Unloaded | None:
    """Compare the forwarding tables of a subnet with the bundle in use; return None if all switches have loaded it.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or that is no output of ``dump_fts``.
    tulle.InputError
        If the file lacks the table of a live switch of the bundle.
    """
    read = read_lfts(lfts)
    known = set(read.guids.tolist())
    live = np.array([guid in subnet.nodes for guid in intent.switch_guids])
    lacking = [at for at, guid in enumerate(intent.switch_guids) if live[at] and guid not in known]
    if lacking:
        number = counted(len(lacking), "live switch", "live switches")
        raise InputError(
            f"{lfts}: lacks the tables of {number}, for example {intent.fabric.labels[lacking[0]]}; legal: the output "
            "of dump_fts for the whole subnet"
        )
    ports = intent.by_switch(read.guids, read.ports)
    ports[~live] = intent.ports[~live]
    # No packet is sent to LIDs that the bundle does not have, so their entries are ignored.
    used = intent.lid_switch >= 0
    ports[:, ~used] = intent.ports[:, ~used]
    differs = (ports != intent.ports).any(axis=1)
    # A switch that forwards the LIDs of removed hosts has tables from before their removal.
    stale = np.zeros(len(intent.switch_guids), np.bool_)
    others = np.ones(read.ports.shape[1], np.bool_)
    others[: len(used)] = ~used[: read.ports.shape[1]]
    others[0] = False
    for row, guid in enumerate(read.guids.tolist()):
        if guid in intent.switch_of:
            at = intent.switch_of[guid]
            stale[at] = live[at] and bool((read.ports[row, others] != NO_PORT).any()) and bool(differs.any())
    if not (differs | stale).any():
        return None
    problem = ""
    if stale.any():
        problem = f"{intent.fabric.labels[int(np.flatnonzero(stale)[0])]} forwards LIDs that the bundle does not have"
    return Unloaded(
        ports,
        tuple(intent.fabric.labels[at] for at in np.flatnonzero(differs | stale).tolist()),
        problem or _unknown_rows(intent, ports),
    )


def _unknown_rows(intent: Intent, ports: NDArray[np.uint8]) -> str:
    """Return why the SL-to-VL rows of these tables are unknown; empty if they are the rows of the bundle in use.

    Each entry must be one of the bundle in use or of an earlier version, and these versions must have the same rows.
    """
    explained = ports == intent.ports
    bundle: Bundle = intent.bundle
    while not explained.all():
        folder = replaced_by(bundle.folder)
        if folder is None:
            switch = int(np.argwhere(~explained)[0][0])
            return f"{intent.fabric.labels[switch]} has entries {_origin(intent, ports, switch)}"
        bundle = read_bundle(folder)
        earlier = Intent(bundle)
        if _has_other_rows(intent, earlier):
            return f"version {folder.name} has other SL-to-VL rows, which switches may still have"
        explained |= ports == _rows_of(earlier, intent, ports.shape)
    return ""


def _rows_of(other: Intent, intent: Intent, shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Return the entries of another version, by the switches and LIDs of the version in use."""
    rows = np.full(shape, NO_PORT, np.uint8)
    width = min(shape[1], other.ports.shape[1])
    for at, guid in enumerate(intent.switch_guids):
        if guid in other.switch_of:
            rows[at, :width] = other.ports[other.switch_of[guid], :width]
    return rows


def _origin(intent: Intent, ports: NDArray[np.uint8], switch: int) -> str:
    """Say which version of the bundle has all entries of a switch, for example the version before a rollback."""
    folder = intent.bundle.folder
    place = folder.parent.parent
    for number in reversed(numbers(place) if folder.parent.name == VERSIONS else []):
        if number != folder.name:
            other = Intent(read_bundle(folder_of(place, number)))
            if bool((ports[switch] == _rows_of(other, intent, ports.shape)[switch]).all()):
                return f"of version {number} instead of version {folder.name}"
    return "that no version of the bundle has"


def _has_other_rows(intent: Intent, earlier: Intent) -> bool:
    both = [(at, earlier.switch_of[guid]) for at, guid in enumerate(intent.switch_guids) if guid in earlier.switch_of]
    size = min(intent.num_ports, earlier.num_ports)
    now, then = (
        lanes[:, :size, :size][[pair[side] for pair in both]]
        for side, lanes in enumerate((intent.lanes.switches, earlier.lanes.switches))
    )
    return bool(((now != then) & (now != NO_LANE) & (then != NO_LANE)).any())
