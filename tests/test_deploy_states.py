"""Compare the deadlock verdicts of `tulle deploy repair` with the results of an independent checker."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np
import preloaded
import pytest

sys.path.insert(0, str(Path(__file__).parent / "deploy"))
from deadlock_checker import Files, Wiring, is_acyclic, read_files, read_wiring, union

import tulle
from tulle.deploy.ethernet.bundle import read_bundle as read_ethernet_bundle
from tulle.deploy.ethernet.failures import Failures
from tulle.deploy.ethernet.pfc import priorities
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.ethernet.repair import repair as repair_ethernet
from tulle.deploy.infiniband.assign import assign_lanes
from tulle.deploy.infiniband.bundle import Bundle, read_bundle
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.intent import Intent
from tulle.deploy.infiniband.repair import repair, write_repair
from tulle.deploy.infiniband.unasked import read_unasked
from tulle.deploy.infiniband.verify import verify
from tulle.deploy.infiniband.write import write_bundle
from tulle.deploy.read.subnet import read_subnet
from tulle.deploy.targets.linux import write_plan
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    import subprocess

    from tulle.deploy.ethernet.repair import Repair as EthernetRepair


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return preloaded.run(*arguments)


def bundled(place: Path, fabric: str, routing: str, scheme: str, lmc: int = 2) -> Bundle:
    write_bundle(deploy_infiniband(assign_lanes(tulle.route(fabric, routing), scheme), lmc=lmc), place)
    return read_bundle(place)


@pytest.mark.parametrize(
    ("fabric", "routing", "scheme", "vls", "used"),
    [
        ("slimfly:q=5", "almost-minimal:layers=4", "dfsssp", 8, "dfsssp:vcs=7,first_vcs=1"),
        ("slimfly:q=5", "almost-minimal:layers=4", "dfsssp", 4, "dfsssp:vcs=3,first_vcs=1"),
        # This network needs both lanes, so multicast gets none.
        ("torus:shape=5,p=2", "minimal", "dfsssp", 2, "dfsssp:vcs=2,first_vcs=1"),
        # This network needs both lanes even if no lane is reserved for first hops, so none is reserved.
        ("torus:shape=7,p=2", "minimal", "dfsssp", 2, "dfsssp"),
        ("slimfly:q=5", "minimal", "dfsssp", 1, "dfsssp"),
        ("slimfly:q=5", "almost-minimal:layers=4", "dfsssp:vcs=8", 8, "dfsssp:vcs=8"),
        ("slimfly:q=5", "almost-minimal:layers=4", "colouring", 8, "colouring"),
    ],
)
def test_dfsssp_without_parameters_reserves_a_lane_for_first_hops(
    fabric: str, routing: str, scheme: str, vls: int, used: str
) -> None:
    assert assign_lanes(tulle.route(fabric, routing), scheme, vls).spec == used


def faults_of(bundle: Bundle, seed: int) -> list[str]:
    """Return random failures: four times one cable, once two cables, and once a switch."""
    draw = np.random.default_rng(seed)
    cables = draw.permutation(bundle.fabric.cables).tolist()
    switch = int(draw.integers(bundle.fabric.num_switches))
    return [
        *(f"links=ids:{cable}" for cable in cables[:4]),
        f"links=ids:{cables[4]}+{cables[5]}",
        f"switches=ids:{switch}",
    ]


def judged(bundle: Bundle, faults: str, place: Path, seed: int = 0) -> tuple[bool, bool]:
    """Return whether tulle proves the repair safe, and whether the checker finds no dependency cycle."""
    bundle.fabric.write(place / "whole", "ibnetdiscover")
    bundle.fabric.with_failures(faults, seed).write(place / "live", "ibnetdiscover")
    repaired = repair(bundle, place / "live")
    assert repaired is not None
    write_repair(repaired, place / "mended")
    old, new = read_files(bundle.place), read_files(place / "mended")
    graph = union(old, new, read_wiring(place / "whole"), read_wiring(place / "live"))
    return repaired.proof.proved, is_acyclic(graph)


@pytest.mark.parametrize("scheme", ["dfsssp:vcs=8", "dfsssp", "colouring"])
def test_slim_fly_is_called_safe_where_no_state_can_deadlock(tmp_path: Path, scheme: str) -> None:
    """Check that the repair's verdict and the checker agree for four layers of almost-minimal paths."""
    bundle = bundled(tmp_path / "bundle", "slimfly:q=5", "almost-minimal:layers=4", scheme)
    safe = []
    for faults in faults_of(bundle, 1)[2:]:
        message, acyclic = judged(bundle, faults, tmp_path)
        assert message == acyclic, faults
        safe.append(message)
    assert all(safe) or scheme == "dfsssp:vcs=8"


@pytest.mark.parametrize(
    ("fabric", "routing", "scheme", "all_safe"),
    [
        # In a clique, a detour passes one switch, and this switch keeps its entries. So each intermediate state is
        # safe.
        ("clique:degree=7,p=2", "minimal", "dfsssp", True),
        ("fattree:levels=2,radix=8", "minimal", "one-vc", False),
        ("hyperx:shape=4x4,p=2", "minimal", "dfsssp", False),
        ("torus:shape=4x4,p=2", "minimal", "dfsssp", False),
    ],
)
def test_other_fabrics(tmp_path: Path, fabric: str, routing: str, scheme: str, all_safe: bool) -> None:
    bundle = bundled(tmp_path / "bundle", fabric, routing, scheme, 0)
    safe = []
    for faults in faults_of(bundle, 2):
        message, acyclic = judged(bundle, faults, tmp_path)
        assert message == acyclic, faults
        safe.append(message)
    assert all(safe[:4]) or not all_safe


def test_hosts_that_have_not_asked_since_an_earlier_repair(tmp_path: Path) -> None:
    """Check that the proof of a second repair covers hosts that use service levels from before the first repair."""
    place = tmp_path / "bundle"
    bundle = bundled(place, "hyperx:shape=4x4,p=2", "minimal", "dfsssp:vcs=2", 0)
    bundle.fabric.with_failures(f"links=ids:{bundle.fabric.cables[5]}").write(tmp_path / "live", "ibnetdiscover")
    first = repair(bundle, tmp_path / "live")
    assert first is not None
    assert len(first.proof.records) > 0
    write_repair(first, tmp_path / "next")
    held = read_unasked(Intent(read_bundle(tmp_path / "next")))
    assert int(np.count_nonzero(held)) == len(first.proof.records)
    for switch, lid, old, _ in first.proof.records:
        assert held[switch, lid] == 1 << old
    after = read_bundle(tmp_path / "next")
    fabric = after.fabric
    fabric.with_failures(f"links=ids:{fabric.cables[9]}").write(tmp_path / "live", "ibnetdiscover")
    second, fresh = repair(after, tmp_path / "live"), repair(after, tmp_path / "live", asked=True)
    assert second is not None
    assert fresh is not None
    known = {record[:2] for record in second.proof.records}
    assert {record[:2] for record in fresh.proof.records} < known
    assert second.proof.states[0].circular >= fresh.proof.states[0].circular
    write_repair(second, tmp_path / "next", drained=True)
    assert not (tmp_path / "next" / "unasked").exists()


def rewired(text: str, moves: dict[tuple[int, int], tuple[int, int]]) -> str:
    """Return the output of ibnetdiscover as it is after some cables were moved to other ports."""
    lines, here = [], 0
    for line in text.splitlines():
        if head := re.match(r'(?:Switch|Ca)\s+\d+\s+"[SH]-([0-9a-f]+)"', line):
            here = int(head[1], 16)
        port = re.match(r"\[(\d+)\]\s", line)
        if port and (here, int(port[1])) in moves:
            guid, there = moves[here, int(port[1])]
            line = f'[{port[1]}]\t"S-{guid:016x}"[{there}]'
        lines.append(line)
    return "\n".join(lines) + "\n"


def swapped(bundle: Bundle, one: int, other: int) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the moves of plugs that swap the far ends of two cables."""
    guids, fabric = [address[0] for address in bundle.switch_addresses], bundle.fabric
    ends = []
    for cable in (one, other):
        there = int(fabric.reverse[cable])
        a, b = fabric.channels[cable].tolist()
        ends.append(((guids[a], bundle.ports[cable]), (guids[b], bundle.ports[there])))
    (a, b), (c, d) = ends
    return {a: d, d: a, c: b, b: c}


def test_cables_in_wrong_ports_are_loops(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    bundle = bundled(place, "slimfly:q=5", "almost-minimal:layers=4", "colouring")
    bundle.fabric.write(tmp_path / "whole", "ibnetdiscover")
    one, other = np.random.default_rng(3).choice(bundle.fabric.cables, 2, replace=False).tolist()
    live = tmp_path / "live"
    live.write_text(rewired((tmp_path / "whole").read_text(), swapped(bundle, one, other)))
    wiring, files = read_wiring(live), read_files(place)
    looping = sum(
        walked_around(files, wiring, switch, lid)
        for switch in sorted({switch for switch, _ in wiring.hosts.values()})
        for lids in files.lids.values()
        for lid in lids
        if lid >= 52
    )
    assert looping > 0
    verdict = verify(bundle, live=live)
    loops = [difference for difference in verdict.differences if difference.kind == "loop"]
    assert sum(difference.count for difference in loops) == looping
    assert all("first correct the cabling, as above" in difference.instruction for difference in loops)
    assert "credit-loop" in {difference.kind for difference in verdict.differences}
    repaired = repair(bundle, live)
    assert repaired is not None
    assert (repaired.proof.looping, repaired.proof.looping_after, repaired.proof.proved) == (looping, 0, False)
    assert len(repaired.wrong_cables) == 2
    refused = run("deploy", "repair", str(place), "--live", str(live), "-o", str(tmp_path / "out"))
    assert refused.returncode == 1
    cause, repeat, why = refused.stderr.splitlines()
    assert "are exchanged: exchange the cables back" in cause
    assert "first correct the cabling, and repeat" in repeat
    assert f"{looping} paths loop on the actual cabling; legal: correct the cabling; or stop traffic" in why
    assert not (tmp_path / "out").exists()


def test_a_moved_cable(tmp_path: Path) -> None:
    """Check that a cable in a port of another switch is reported as a loop if packets loop, and blocks the repair."""
    bundle = bundled(tmp_path / "bundle", "slimfly:q=5,p=1", "almost-minimal:layers=4", "colouring")
    bundle.fabric.write(tmp_path / "whole", "ibnetdiscover")
    text = (tmp_path / "whole").read_text()
    guids = [address[0] for address in bundle.switch_addresses]
    hosts = [address[0] for address in bundle.endpoint_addresses]
    reverse = bundle.fabric.reverse.tolist()
    seen_loop = False
    for cable in bundle.fabric.cables[::88].tolist():
        stays, leaves = (
            (guids[bundle.fabric.channels[channel][0]], bundle.ports[channel]) for channel in (cable, reverse[cable])
        )
        # The cable's other end is now in the port of a host that is off.
        away = next(
            at for at in range(len(hosts)) if guids[bundle.fabric.endpoint_switch[at]] not in (stays[0], leaves[0])
        )
        port = guids[bundle.fabric.endpoint_switch[away]], bundle.endpoint_ports[away]
        blocks = [block for block in text.split("\n\n") if f'"H-{hosts[away]:016x}"\t' not in block]
        moved = rewired("\n\n".join(blocks), {stays: port, port: stays})
        lines, here = [], 0
        for line in moved.splitlines():
            if head := re.match(r'Switch\s+\d+\s+"S-([0-9a-f]+)"', line):
                here = int(head[1], 16)
            if not (here == leaves[0] and line.startswith(f"[{leaves[1]}]")):
                lines.append(line)
        live = tmp_path / "live"
        live.write_text("\n".join(lines) + "\n")
        files, wiring = read_files(bundle.place), read_wiring(live)
        looping = sum(
            walked_around(files, wiring, switch, lid)
            for switch in sorted({switch for switch, _ in wiring.hosts.values()})
            for lids in files.lids.values()
            for lid in lids
            if lid >= 52
        )
        verdict = verify(bundle, live=live)
        loops = [difference for difference in verdict.differences if difference.kind == "loop"]
        assert sum(difference.count for difference in loops) == looping
        assert all("first correct the cabling, as above" in difference.instruction for difference in loops)
        # The cable occupies the port of a host. Packets for this host loop, whatever the forwarding tables are.
        with pytest.raises(InputError, match="paths loop: first correct the cabling: the cable from port"):
            repair(bundle, live)
        seen_loop |= looping > 0
    assert seen_loop


def walked_around(files: Files, wiring: Wiring, at: int, lid: int) -> bool:
    """Return whether the path from a switch to a LID visits any switch twice."""
    seen: set[int] = set()
    while at not in seen:
        seen.add(at)
        onward = wiring.links.get((at, files.ports[at].get(lid, -1)))
        if onward is None:
            return False
        at = onward[0]
    return True


def test_a_cable_in_the_port_of_a_host(tmp_path: Path) -> None:
    """Check that the repair refuses a cable between the ports of two hosts that are off.

    With this cable, packets for the two hosts loop, and no forwarding table can prevent the loop.
    """
    bundle = bundled(tmp_path / "bundle", "torus:shape=3x3,p=1", "minimal", "dfsssp", 0)
    whole = tmp_path / "whole"
    bundle.fabric.write(whole, "ibnetdiscover")
    text = whole.read_text()
    guids = [address[0] for address in bundle.switch_addresses]
    hosts = [address[0] for address in bundle.endpoint_addresses]
    blocks = [block for block in text.split("\n\n") if not any(f'"H-{hosts[at]:016x}"\t' in block for at in (0, 1))]
    ports = bundle.endpoint_ports
    moves = {(guids[0], ports[0]): (guids[1], ports[1]), (guids[1], ports[1]): (guids[0], ports[0])}
    (tmp_path / "live").write_text(rewired("\n\n".join(blocks), moves))
    with pytest.raises(InputError, match="paths loop: first unplug the cables that are not planned"):
        repair(bundle, tmp_path / "live")


def test_half_a_snapshot_is_refused(tmp_path: Path) -> None:
    bundle = bundled(tmp_path / "bundle", "torus:shape=3x3,p=1", "minimal", "dfsssp", 0)
    whole = tmp_path / "whole"
    bundle.fabric.write(whole, "ibnetdiscover")
    text, cut = whole.read_text(), tmp_path / "cut"
    for end in range(20, len(text) - 1, 97):
        cut.write_text(text[:end])
        with pytest.raises(FormatError) as error:
            read_subnet(cut)
        assert "\n" not in str(error.value)
    cut.write_text(text.rstrip()[:-1])
    with pytest.raises(FormatError, match="cut off in the line"):
        read_subnet(cut)
    first = re.search(r'\[1\]\t"S-([0-9a-f]+)"\[(\d+)\]', text)
    assert first
    cut.write_text(text.replace(first[0], f'[1]\t"S-{first[1]}"[{int(first[2]) % 4 + 1}]', 1))
    with pytest.raises(FormatError, match="or the subnet changed; legal: new output of ibnetdiscover"):
        read_subnet(cut)
    done = run("deploy", "repair", str(bundle.place), "--live", str(cut), "--dry-run")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def union_of_rounds(repaired: EthernetRepair) -> nx.DiGraph:
    """Return the channel dependencies that can occur in any state during the repair of a lossless network.

    After a packet has used a new entry, all later entries on its path are new, too.
    """
    old, new, now = repaired.bundle.plan, repaired.plan, repaired.now
    assert old.vcs is not None
    assert new.vcs is not None
    dead = set(repaired.failures.cables)
    marks = [priorities(plan.vcs, 7).of_sl for plan in (old, new) if plan.vcs is not None]
    graph = nx.DiGraph()
    for layer in range(old.num_layers):
        for target in old.destinations:
            todo: list[tuple[int, int, int, tuple[int, int, int] | None]] = []
            for source in (switch for switch in old.destinations if switch != target):
                todo.append((source, 0, marks[0][old.vcs.sl[layer, source, target]], None))
                if source in now and target in now:
                    todo.append((source, 0, marks[1][new.vcs.sl[layer, now[source], now[target]]], None))
            seen = set()
            while todo:
                state = todo.pop()
                at, phase, mark, held = state
                if state in seen or at == target:
                    continue
                seen.add(state)
                ways = [(0, old.hops(at, layer, target))] if phase == 0 else []
                if at in now and target in now:
                    ways.append((1, new.hops(now[at], layer, now[target])))
                for after, number in ((after, number) for after, hops in ways for number, _ in hops):
                    port = old.by_number[at][number]
                    onward, _ = old.peer(port)
                    assert port.channel is not None
                    if min(port.channel, int(old.fabric.reverse[port.channel])) in dead or not {at, onward} <= {*now}:
                        todo.append((onward, after, mark, None))
                        continue
                    if held is not None:
                        graph.add_edge(held, (at, number, mark))
                    todo.append((onward, after, mark, (at, number, mark)))
    return graph


@pytest.mark.parametrize(
    ("fabric", "routing", "scheme"),
    [
        ("clique:degree=7,p=2", "minimal", "dfsssp"),
        ("fattree:levels=2,radix=8", "minimal", "one-vc"),
        ("hyperx:shape=3x3,p=2", "minimal", "dfsssp"),
        ("slimfly:q=5", "almost-minimal:layers=2", "dfsssp"),
    ],
)
def test_lossless_ethernet(tmp_path: Path, fabric: str, routing: str, scheme: str) -> None:
    plan = plan_of(tulle.route(fabric, routing).assign_vcs(scheme))
    write_plan(plan, tmp_path)
    bundle = read_ethernet_bundle(tmp_path)
    draw = np.random.default_rng(4)
    safe = []
    for cable in draw.choice(bundle.plan.fabric.cables, 3, replace=False).tolist():
        repaired = repair_ethernet(bundle, Failures((), (cable,)))
        assert repaired is not None
        safe.append(not repaired.why_unsafe)
        assert safe[-1] == is_acyclic(union_of_rounds(repaired)), cable
    if fabric.startswith("clique"):
        assert all(safe)


@pytest.mark.large
@pytest.mark.parametrize("scheme", ["colouring", "dfsssp"])
@pytest.mark.parametrize("fabric", ["slimfly:q=5,p=1", "slimfly:q=7,p=1"])
def test_large_samples_of_failures(tmp_path: Path, fabric: str, scheme: str) -> None:
    """Check random failures of one cable (40), two cables (20), three cables (20) and one switch (10).

    Each repair that tulle calls safe has no dependency cycle. At least 95% of the repairs of one cable are safe.
    """
    bundle = bundled(tmp_path / "bundle", fabric, "almost-minimal:layers=4", scheme)
    safe = {}
    for faults, count in (("links=1", 40), ("links=2", 20), ("links=3", 20), ("switches=1", 10)):
        found = []
        for seed in range(count):
            message, acyclic = judged(bundle, faults, tmp_path, seed)
            assert acyclic or not message, (faults, seed)
            found.append(message)
        safe[faults] = sum(found)
    print(fabric, scheme, safe)
    assert safe["links=1"] >= 38
