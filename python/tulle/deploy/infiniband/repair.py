"""Mending a bundle around what is dead: proved with the paths that are loaded, and as few entries changed as can be."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.results import Value
from tulle._internal.text import counted, verb
from tulle.deploy.infiniband.bundle import CONF, LFTS
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.intent import Intent
from tulle.deploy.infiniband.states import loaded, proof_of, to_load
from tulle.deploy.infiniband.unasked import read_unasked, unasked_text
from tulle.deploy.infiniband.wiring import unplug, wiring_of
from tulle.deploy.infiniband.write import write_bundle
from tulle.deploy.reach import NO_LANE
from tulle.deploy.repair import mended_plan, part_ids
from tulle.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.infiniband.generate import Deployment
    from tulle.deploy.infiniband.states import Loaded, Proof
    from tulle.deploy.infiniband.wiring import Wiring
    from tulle.deploy.read.subnet import Subnet
    from tulle.fabric import Fabric
    from tulle.routing.vc_plan import VcPlan

__all__ = ["Dead", "Repair", "find_dead", "hang_up", "repair", "write_repair"]

_LEVELS = 16


@dataclass(frozen=True)
class Dead:
    """What of a bundle's fabric is not there."""

    switches: tuple[int, ...]
    """Ids of switches."""
    cables: tuple[int, ...]
    """Ids of cables between switches that are there."""
    endpoints: tuple[int, ...]
    """Endpoints at such switches that are not seen: hosts that are off; nothing changes for them."""
    unknown: int
    """Links that are there and not in the bundle; new tables leave them unused."""


@dataclass(frozen=True, eq=False)
class Repair(Value):
    """A bundle mended. Made by `repair`."""

    bundle: Bundle
    """The one before."""
    dead: Dead
    made: Deployment
    """What is to be loaded."""
    changes: NDArray[np.int32]
    """The entries that change: switch (of the new fabric), LID, port before, port now; int32 (changes, 4)."""
    level_changes: int
    """Service levels of paths (by the switch of the source and LID) that change."""
    lanes_kept: bool
    """Whether no SL-to-VL table changes."""
    proof: Proof
    """Of all states that can exist while this is loaded."""
    wrong_cables: tuple[str, ...]
    """Cables between switches that are there and not in the bundle."""
    unasked: str
    """Service levels that hosts may use until they ask again, as a bundle keeps them."""
    _lft_before: _tulle.ForwardingTables = field(repr=False, compare=False)

    @property
    def together(self) -> str:
        """Why it may not be loaded in traffic; empty where all states that can exist are proved free of deadlock."""
        return self.proof.why_not

    @property
    def asking(self) -> tuple[str, ...]:
        """Hosts that must ask for path records again, by name."""
        fabric = self.bundle.fabric
        switches = np.array(sorted({record.switch for record in self.proof.records}), np.int64)
        return tuple(fabric.endpoint_names[at] for at in np.flatnonzero(np.isin(fabric.endpoint_switch, switches)))


def find_dead(bundle: Bundle, live: Subnet) -> Dead:
    """What of the bundle's fabric ``ibnetdiscover`` does not see.

    Raises
    ------
    tulle.InputError
        For an adapter that is at another port than the bundle has it at, or a network that shares no switch with it.
    """
    fabric = bundle.fabric
    guids = [address[0] for address in bundle.switch_addresses]
    alive = {switch for switch, guid in enumerate(guids) if guid in live.nodes and live.nodes[guid].switch}
    if not alive:
        raise InputError(f"no switch that is seen has a GUID of {bundle.place}; legal: the subnet that it was made for")
    links = live.links()
    known = set()
    cables = []
    reverse = fabric.reverse
    for cable, (a, b) in zip(fabric.cables.tolist(), fabric.edges.tolist(), strict=True):
        ends = (guids[a], bundle.ports[cable]), (guids[b], bundle.ports[reverse[cable]])
        link = min(ends), max(ends)
        known.add(link)
        if link not in links and {a, b} <= alive:
            cables.append(cable)
    endpoints = []
    for endpoint, (guid, _, _, _, port) in enumerate(bundle.endpoint_addresses):
        switch = int(fabric.endpoint_switch[endpoint])
        ends = (guids[switch], bundle.endpoint_ports[endpoint]), (guid, port)
        link = min(ends), max(ends)
        known.add(link)
        seen = live.nodes[guid].links.get(port) if guid in live.nodes else None
        if seen is not None and seen != ends[0]:
            where = f"port {seen[1]} of {live.nodes[seen[0]].name}" if seen[0] in live.nodes else "elsewhere"
            raise InputError(
                f"{fabric.endpoint_names[endpoint]} is at {where}, the bundle has it at port {ends[0][1]} of "
                f"{fabric.labels[switch]}; legal: plugged in as it was, or a bundle made anew"
            )
        if seen is None and switch in alive:
            endpoints.append(endpoint)
    gone = tuple(switch for switch in range(fabric.num_switches) if switch not in alive)
    return Dead(gone, tuple(cables), tuple(endpoints), len(links - known))


def repair(
    bundle: Bundle, live: str | PathLike[str] | Subnet, scheme: str | None = None, *, asked: bool = False
) -> Repair | None:
    """The bundle mended around what is dead; None where nothing is.

    Service levels stay with all paths that do; where that cannot be, the scheme plans anew.

    Parameters
    ----------
    bundle
        What is loaded.
    live
        What ``ibnetdiscover`` prints now, a file or read.
    scheme
        Another deadlock scheme for what is left; None: that of the bundle.
    asked
        Whether all hosts have asked for path records since the bundle was loaded.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or tables that are not those of the bundle.
    tulle.InputError
        For a subnet that does not fit the bundle, switches that are cut apart, or paths that the scheme cannot make
        free of deadlock.
    """
    from tulle.deploy.read.subnet import Subnet, read_subnet

    subnet = live if isinstance(live, Subnet) else read_subnet(live)
    dead = find_dead(bundle, subnet)
    if not dead.switches and not dead.cables and not dead.unknown:
        return None
    intent = Intent(bundle, subnet)
    wiring = wiring_of(intent, subnet)
    now = loaded(intent, None if asked else read_unasked(intent))
    if not dead.switches and not dead.cables:
        # Nothing is to be mended, and a cable in the port of a host can still lead packets around.
        _check_ends(proof_of(intent, now, now, wiring), wiring)
        return None
    before = _tulle.read_lfts(bundle.place / LFTS, [address[0] for address in bundle.switch_addresses])
    damaged = bundle.fabric.without(links=part_ids(dead.cables), switches=part_ids(dead.switches))
    plan = _planned(bundle, damaged, scheme)
    assert damaged.origin is not None
    origin = damaged.origin["switches"].tolist()
    made = deploy_infiniband(plan, lmc=bundle.lmc, vls=bundle.header.hardware_vls, before=before, switches=origin)
    after = to_load(intent, made, origin)
    had_multicast = bundle.header.vls < bundle.header.hardware_vls and bundle.header.sls < _LEVELS
    proof = replace(proof_of(intent, now, after, wiring), multicast_shares=had_multicast and made.multicast_sl is None)
    _check_ends(proof, wiring)
    return Repair(
        bundle,
        dead,
        made,
        made.changes(before, origin),
        _level_changes(intent.levels[origin], made),
        _lanes_kept(intent, after, made),
        proof,
        wiring.misplaced,
        unasked_text(intent, now, after, origin),
        before,
    )


def _lanes_kept(intent: Intent, after: Loaded, made: Deployment) -> bool:
    known = after.lanes != NO_LANE
    switches = np.array_equal(intent.lanes.switches[known], after.lanes[known])
    return switches and bool((intent.lanes.adapters == made.adapter_lanes).all())


def _check_ends(proof: Proof, wiring: Wiring) -> None:
    """That the state in which a repair ends is free of deadlock, over the wiring that is there."""
    if proof.looping_after:
        problem = f"{counted(proof.looping_after, 'path')} {verb(proof.looping_after, 'loops', 'loop')}"
    elif not proof.final.proved:
        problem = proof.final.problem
    else:
        return
    how = unplug(wiring.misplaced) if wiring.misplaced else "legal: the cabling of the bundle"
    raise InputError(f"no table heals this cabling: {problem}: {how}")


def _planned(bundle: Bundle, damaged: Fabric, scheme: str | None) -> VcPlan:
    """A plan for what is left."""
    header = bundle.header
    # The last VL and service level are multicast's, where the plan has left them.
    has_spare = header.vls < header.hardware_vls and header.sls < _LEVELS
    return mended_plan(bundle.plan, damaged, (header.hardware_vls - has_spare, _LEVELS - has_spare), scheme)


def _level_changes(old: NDArray[np.uint8], made: Deployment) -> int:
    """Service levels to LIDs that are still had which are not as before."""
    had = made._core.endpoint_lids().astype(np.int64)[:, None] + np.arange(1 << made.lmc)
    lids = had.reshape(-1)
    edge = np.unique(made.fabric.endpoint_switch)
    return int((old[np.ix_(edge, lids)] != made.levels[np.ix_(edge, lids)]).sum())


def write_repair(mended: Repair, place: str | PathLike[str], *, drained: bool = False) -> list[Path]:
    """Writes the mended bundle; of one that is there only files that change.

    `drained` says that all hosts ask for path records again before there is traffic.

    Raises
    ------
    tulle.FileError
        Where it cannot be written.
    """
    bundle = mended.bundle
    at = next(
        (
            line.split(maxsplit=1)[1]
            for line in (bundle.place / CONF).read_text(encoding="utf-8").splitlines()
            if line.startswith("event_plugin_options ")
        ),
        None,
    )
    with (bundle.place / LFTS).open("rb") as file:
        compact = b" # " not in file.read(1 << 12)
    lay = at if at != str(bundle.place.resolve()) else None
    unasked = "" if drained else mended.unasked
    return write_bundle(mended.made, place, compact=compact, at=lay, spec=bundle.header.fabric, unasked=unasked)


def check_process(process: int) -> None:
    """That a process is OpenSM.

    Raises
    ------
    tulle.InputError
        For another, or none.
    """
    try:
        name = Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        raise InputError(f"there is no process {process}; legal: the process of opensm") from None
    if name != "opensm":
        raise InputError(f"process {process} is '{name}'; legal: the process of opensm")


def hang_up(process: int) -> None:
    """Lets a running OpenSM read its files again and sweep.

    Raises
    ------
    tulle.InputError
        For a process that is not OpenSM, or not ours to signal.
    """
    check_process(process)
    try:
        os.kill(process, signal.SIGHUP)
    except OSError as error:
        raise InputError(f"process {process}: {error.strerror}; legal: a process that may be signalled") from None
