"""Repair a bundle after failures: change few entries, and prove that intermediate states are safe."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tulle import _tulle
from tulle._internal.html_summary import Overview
from tulle._internal.reading import read_text
from tulle._internal.results import Value
from tulle.deploy.channel_range import channels_up_to
from tulle.deploy.detours import Detours, detours
from tulle.deploy.infiniband.assign import assign_lanes
from tulle.deploy.infiniband.bundle import CONF, LFTS
from tulle.deploy.infiniband.causes import Causes, find_causes
from tulle.deploy.infiniband.cut_off import check_connected, hosts_of
from tulle.deploy.infiniband.failures import Failures, check_dead, find_failures
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.intent import NO_LANE, Intent
from tulle.deploy.infiniband.loading import folder_of_opensm
from tulle.deploy.infiniband.states import loaded, proof_of, to_load
from tulle.deploy.infiniband.unasked import read_unasked, unasked_text
from tulle.deploy.infiniband.unloaded import find_unloaded
from tulle.deploy.infiniband.wiring import unplug, wiring_of
from tulle.deploy.infiniband.write import write_bundle
from tulle.deploy.repair import part_ids, repaired_plan, repaired_routing
from tulle.errors import InputError

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.infiniband.generate import Deployment
    from tulle.deploy.infiniband.states import Loaded, Proof
    from tulle.deploy.infiniband.unloaded import Unloaded
    from tulle.deploy.infiniband.wiring import Wiring
    from tulle.deploy.read.subnet import Subnet
    from tulle.fabric import Fabric
    from tulle.routing.vc_plan import VcPlan

__all__ = ["Failures", "Repair", "check_dead", "find_failures", "hang_up", "repair", "write_repair"]

_LEVELS = 16


@dataclass(frozen=True, eq=False)
class Repair(Value):
    """A repaired bundle. Made by `repair`."""

    bundle: Bundle
    """The bundle before the repair."""
    failures: Failures
    made: Deployment
    """The new tables, to be loaded."""
    changes: NDArray[np.int32]
    """The forwarding entries that change: switch (of the new fabric), LID, old port, new port; int32 (changes, 4)."""
    level_changes: int
    """The number of service levels (by source switch and LID) that change."""
    lanes_kept: bool
    """Whether no SL-to-VL table changes."""
    proof: Proof
    """The proof over all states that can exist while the repair is loaded."""
    wrong_cables: tuple[str, ...]
    """Cables that connect two switches and are up, but are not in the bundle."""
    causes: Causes
    """Cables at wrong ports, and replaced nodes."""
    tables_read: bool
    """Whether the tables of the subnet were given. If not, the proof assumes that all switches have loaded the bundle.
    """
    unloaded: Unloaded | None
    """Tables of switches that have not loaded the bundle; None if all have, or if their tables were not given."""
    unasked: str
    """The text of the file ``unasked``: service levels that hosts may use until they query path records again."""
    _lft_before: _tulle.ForwardingTables = field(repr=False, compare=False)

    @property
    def why_unsafe(self) -> str:
        """Why the repair is unsafe under traffic; empty if all states that can exist are proved free of deadlock."""
        return self.proof.why_not

    @property
    def detours(self) -> Detours:
        """Paths that are longer than the longest path of the same layer before the repair."""
        routings = self.bundle.routing, self.made.plan.routing
        return detours(*([one.hop_counts(layer) for layer in range(one.num_layers)] for one in routings))

    @property
    def cut_off_hosts(self) -> tuple[str, ...]:
        """The names of hosts at missing switches; the new tables have no path to them."""
        return hosts_of(self.bundle, self.failures.switches)

    @property
    def hosts_to_query(self) -> tuple[str, ...]:
        """The names of hosts that must query path records again."""
        fabric = self.bundle.fabric
        switches = np.array(sorted({record.switch for record in self.proof.records}), np.int64)
        return tuple(fabric.endpoint_names[at] for at in np.flatnonzero(np.isin(fabric.endpoint_switch, switches)))

    def _overview(self) -> Overview:
        values = {
            "bundle": str(self.bundle.place),
            "failed switches": len(self.failures.switches),
            "failed cables": len(self.failures.cables),
            "changed entries": len(self.changes),
            "changed service levels": self.level_changes,
            "hosts to query": len(self.hosts_to_query),
            "detours": self.detours.longer,
            "safe under traffic": not self.why_unsafe,
        }
        return Overview("Repair", self.bundle.header.fabric, values, note=self.why_unsafe)


def repair(
    bundle: Bundle,
    live: str | PathLike[str] | Subnet,
    scheme: str | None = None,
    *,
    asked: bool = False,
    lfts: str | PathLike[str] | None = None,
) -> Repair | None:
    """Repair a bundle after failures; return None if nothing has failed.

    If possible, only forwarding entries change, and switches can load them in any order under traffic. If not,
    unchanged paths keep their service levels. If this is impossible too, the deadlock scheme makes a new plan.

    Parameters
    ----------
    bundle
        The loaded bundle.
    live
        The current output of ``ibnetdiscover``, as a file or as a `Subnet`.
    scheme
        Another deadlock scheme for the remaining fabric; None: the scheme of the bundle.
    asked
        Whether all hosts have queried path records since the bundle was loaded.
    lfts
        The current output of ``dump_fts``. With it, the proof also covers switches that have not loaded the bundle.
        None: the proof assumes that all switches have loaded it.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or tables that were changed since the bundle was written.
    tulle.InputError
        For a subnet that does not fit the bundle, disconnected switches, or paths that the scheme cannot make free of
        deadlock.
    """
    from tulle.deploy.read.subnet import Subnet, read_subnet

    subnet = live if isinstance(live, Subnet) else read_subnet(live, bundle.node_guids)
    failures = find_failures(bundle, subnet)
    if not failures.switches and not failures.cables and not failures.unknown:
        return None
    intent = Intent(bundle, subnet)
    wiring, causes = wiring_of(intent, subnet), find_causes(bundle, subnet)
    now = loaded(intent, None if asked else read_unasked(intent))
    unloaded = None if lfts is None else find_unloaded(intent, subnet, lfts)
    if not failures.switches and not failures.cables:
        # No part has failed, but a cable in the wrong port can still make packets loop.
        _check_ends(proof_of(intent, now, now, wiring), wiring, causes)
        return None
    check_connected(bundle, failures.switches, failures.cables)
    before = _tulle.read_lfts(bundle.folder / LFTS, [address[0] for address in bundle.switch_addresses])
    damaged = bundle.fabric.without(links=part_ids(failures.cables), switches=part_ids(failures.switches))
    plan = _planned(bundle, damaged, scheme, intent.drops_u_turns)
    assert damaged.origin is not None
    origin = damaged.origin["switches"].tolist()
    made = deploy_infiniband(plan, lmc=bundle.lmc, vls=bundle.header.hardware_vls, before=before, switches=origin)
    after = to_load(intent, made, origin)
    had_multicast = bundle.header.vls < bundle.header.hardware_vls and bundle.header.sls < _LEVELS
    proof = proof_of(intent, now, after, wiring)
    _check_ends(proof, wiring, causes)
    if unloaded is not None:
        proof = _with_unloaded(proof, proof_of(intent, now, after, wiring, [unloaded.ports]), unloaded)
    proof = replace(proof, multicast_shares=had_multicast and made.multicast_sl is None)
    return Repair(
        bundle,
        failures,
        made,
        made.changes(before, origin),
        _level_changes(intent.levels[origin], made),
        _lanes_kept(intent, after, made),
        proof,
        wiring.misplaced,
        causes,
        lfts is not None,
        unloaded,
        unasked_text(intent, now, after, origin),
        before,
    )


def _with_unloaded(loaded_everywhere: Proof, proof: Proof, unloaded: Unloaded) -> Proof:
    """Return the proof that covers unloaded tables. If only these tables make it fail, the result names this reason."""
    if not unloaded.problem and (proof.proved or not loaded_everywhere.proved):
        return proof
    problem = f"{unloaded}"
    if unloaded.problem:
        problem += f", and {unloaded.problem}"
    elif proof.why_not:
        problem += f": {proof.why_not}"
    return replace(proof, unproved_tables=problem)


def _lanes_kept(intent: Intent, after: Loaded, made: Deployment) -> bool:
    known = after.lanes != NO_LANE
    switches = np.array_equal(intent.lanes.switches[known], after.lanes[known])
    return switches and bool((intent.lanes.adapters == made.adapter_lanes).all())


def _check_ends(proof: Proof, wiring: Wiring, causes: Causes) -> None:
    """Check that no path loops after the repair, and that this state is free of deadlock on the actual cabling.

    Raises
    ------
    tulle.InputError
        If a path loops after the repair, or if the state is not proved free of deadlock.
    """
    if proof.loops_after:
        problem = proof.loops_after
    elif not proof.final.proved:
        problem = proof.final.problem
    else:
        return
    how = causes.first_step or (unplug(wiring.misplaced) if wiring.misplaced else "legal: the cabling of the bundle")
    raise InputError(f"no forwarding table is safe on this cabling: {problem}: {how}")


def _planned(bundle: Bundle, damaged: Fabric, scheme: str | None, drops_u_turns: bool) -> VcPlan:
    """Make a plan for the damaged fabric."""
    header = bundle.header
    if scheme is not None:
        with channels_up_to(header.hardware_vls):
            return assign_lanes(repaired_routing(bundle.plan.routing, damaged), scheme, header.hardware_vls)
    # The last VL and service level are reserved for multicast if the old plan leaves them free.
    has_spare = header.vls < header.hardware_vls and header.sls < _LEVELS
    room = header.hardware_vls - has_spare, _LEVELS - has_spare
    return repaired_plan(bundle.plan, damaged, room, drops_u_turns=drops_u_turns)


def _level_changes(old: NDArray[np.uint8], made: Deployment) -> int:
    """Count the service levels that change. Paths to LIDs of failed switches do not count."""
    had = made._core.endpoint_lids().astype(np.int64)[:, None] + np.arange(1 << made.lmc)
    lids = had.reshape(-1)
    edge = np.unique(made.fabric.endpoint_switch)
    return int((old[np.ix_(edge, lids)] != made.levels[np.ix_(edge, lids)]).sum())


def write_repair(repaired: Repair, place: str | PathLike[str], *, drained: bool = False) -> list[Path]:
    """Write the repaired bundle; in the folder of an existing bundle, as its next version.

    If `drained` is set, hosts query path records again before traffic starts, so older service levels are not stored.
    The file ``hosts_to_ask`` names these hosts.

    Raises
    ------
    tulle.FileError
        If the bundle cannot be written.
    """
    bundle = repaired.bundle
    at = folder_of_opensm(read_text(bundle.folder / CONF))
    with (bundle.folder / LFTS).open("rb") as file:
        compact = b" # " not in file.read(1 << 12)
    # The line `event_plugin_options` of opensm.conf names the bundle's folder on the subnet manager's machine. This
    # name is kept, unless it is the bundle's folder on this machine: then the folder `place` replaces it.
    # `bundle.place` can be a version of the bundle, in its folder `versions`.
    own = bundle.place.resolve()
    lay = at if at not in (str(own), str(own.parent.parent)) else None
    unasked = "" if drained else repaired.unasked
    return write_bundle(
        repaired.made,
        place,
        compact=compact,
        at=lay,
        spec=bundle.header.fabric,
        unasked=unasked,
        hosts_to_ask=repaired.hosts_to_query,
    )


def check_process(process: int) -> None:
    """Check that a process is OpenSM.

    Raises
    ------
    tulle.InputError
        If the process does not exist, or is not OpenSM.
    """
    try:
        name = Path(f"/proc/{process}/comm").read_text(encoding="utf-8").strip()
    except OSError:
        raise InputError(f"no process {process}; legal: the process id of opensm") from None
    if name != "opensm":
        raise InputError(f"process {process} is '{name}'; legal: the process id of opensm")


def hang_up(process: int) -> None:
    """Signal a running OpenSM to read its files again and sweep the subnet.

    Raises
    ------
    tulle.InputError
        For a process that is not OpenSM, or that the user may not signal.
    """
    check_process(process)
    try:
        os.kill(process, signal.SIGHUP)
    except OSError as error:
        raise InputError(f"process {process}: {error.strerror}; legal: a process that you may signal") from None
