"""Check repairs of bundles after failures: few entries change, and no intermediate state has a loop."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np
import preloaded
import pytest

import tulle
from tulle.deploy.detours import Detours
from tulle.deploy.ethernet.bundle import EthernetBundle, read_bundle
from tulle.deploy.ethernet.failures import Failures, find_failures, read_failures
from tulle.deploy.ethernet.plan import EthernetPlan, plan_of
from tulle.deploy.ethernet.repair import Repair, repair, write_repair
from tulle.deploy.ethernet.transition import transition
from tulle.deploy.targets import target
from tulle.deploy.targets.linux import write_plan
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterable
    from pathlib import Path

NETWORKS = [
    ("slimfly:q=5", "almost-minimal:layers=4"),
    ("dragonfly:p=2", "random:layers=4,rho=0.7"),
    ("jellyfish:switches=40,degree=5,p=2", "random:layers=4,rho=0.7"),
    ("jellyfish:switches=40,degree=5,p=2", "spread-groups:layers=3"),
    ("fattree:levels=3,radix=6", "minimal"),
]
FAILURES = 8

Hops = dict[int, list[int]]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return preloaded.run(*arguments)


def bundle_of(place: Path, spec: str, routing: str, **options: Any) -> EthernetBundle:
    write_plan(plan_of(tulle.route(spec, routing), **options), place)
    return read_bundle(place)


def nexts(plan: EthernetPlan, layer: int, destination: int, ids: tuple[int, ...]) -> dict[int, list[tuple[int, int]]]:
    """Return the next hops of each switch as (output port, next switch); switches have their ids before the repair."""
    found = {}
    for switch, before in enumerate(ids):
        ports = [plan.by_number[switch][port] for port, _ in plan.hops(switch, layer, destination)]
        found[before] = [(port.number, ids[plan.peer(port)[0]]) for port in ports]
    return found


def has_loop(ways: dict[int, list[int]], starts: Iterable[int]) -> bool:
    """Return whether a loop can be reached from one of the given switches."""
    done: set[int] = set()
    for start in starts:
        path: list[tuple[int, Any]] = [(start, iter(ways[start]))] if start not in done else []
        under_way = {start}
        while path:
            switch, onward = path[-1]
            to = next(onward, None)
            if to is None:
                done.add(switch)
                under_way.discard(switch)
                path.pop()
            elif to in under_way:
                return True
            elif to not in done:
                under_way.add(to)
                path.append((to, iter(ways[to])))
    return False


def states(rounds: list[list[int]], rng: random.Random) -> Any:
    """Yield sets of updated switches: all of the finished rounds, and some of the current round.

    If the current round has up to 6 switches, all its subsets are yielded. If it has more, six random orders of its
    switches are drawn, and all prefixes of these orders are yielded.
    """
    done: list[int] = []
    for switches in rounds:
        if len(switches) <= 6:
            for count in range(len(switches) + 1):
                yield from ([*done, *some] for some in itertools.combinations(switches, count))
        else:
            for _ in range(6):
                order = rng.sample(switches, len(switches))
                yield from ([*done, *order[:count]] for count in range(len(order) + 1))
        done += switches


def check_every_state(repaired: Repair, rng: random.Random) -> int:
    """Check the intermediate states of a repair for loops, per layer and destination; return the number of states.

    The old entries are checked once for loops. So a loop in a later state contains a changed switch, and the search
    starts only at these switches.
    """
    old, new, ids = repaired.bundle.plan, repaired.plan, repaired.switches
    is_now = {before: now for now, before in enumerate(ids)}
    by_column: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for change in repaired.changes:
        by_column[change.layer, change.destination][change.switch] = change.round
    walked = 0
    everyone = tuple(range(len(old.names)))
    for (layer, destination), rounds in by_column.items():
        if destination not in is_now:
            assert not any(rounds.values())
            continue
        before, now = (
            {switch: [to for _, to in hops[switch] if to in is_now] for switch in ids}
            for hops in (nexts(old, layer, destination, everyone), nexts(new, layer, is_now[destination], ids))
        )
        assert not has_loop(before, before), (layer, destination)
        ordered = [sorted(one for one in rounds if rounds[one] == at) for at in range(max(rounds.values()) + 1)]
        for changed in states(ordered, rng):
            updated = {switch: now[switch] for switch in changed if switch in is_now}
            assert not has_loop(before | updated, updated), (layer, destination, changed)
            walked += 1
        # While a switch changes, it can have its old and its new entries at the same time.
        for at, switches in enumerate(ordered):
            both = {
                switch: before[switch] + now[switch] if order == at else now[switch]
                for switch, order in rounds.items()
                if order <= at and switch in is_now
            }
            assert not has_loop(before | both, both), (layer, destination, switches)
    return walked


def loops_in_another_order(repaired: Repair) -> int:
    """Return the number of (layer, destination) pairs with a loop if the last round is loaded first."""
    old, new, ids = repaired.bundle.plan, repaired.plan, repaired.switches
    found = 0
    by_column: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for change in repaired.changes:
        by_column[change.layer, change.destination][change.switch] = change.round
    for (layer, destination), rounds in by_column.items():
        before, now = nexts(old, layer, destination, ids), nexts(new, layer, destination, ids)
        last = {switch for switch, order in rounds.items() if order == max(rounds.values())}
        ways = {switch: [to for _, to in (now if switch in last else before)[switch]] for switch in ids}
        found += has_loop(ways, last)
    return found


def check_changes_are_what_differs(repaired: Repair) -> None:
    old, new, ids = repaired.bundle.plan, repaired.plan, repaired.switches
    result = {
        (change.switch, change.layer, change.destination): (change.before, change.now) for change in repaired.changes
    }
    assert len(result) == len(repaired.changes)
    is_now = {before: now for now, before in enumerate(ids)}
    for before, now in is_now.items():
        for layer in range(old.num_layers):
            for destination in old.destinations:
                if destination == before or destination not in is_now:
                    continue
                pair = old.hops(before, layer, destination), new.hops(now, layer, is_now[destination])
                assert result.get((before, layer, destination), pair) == pair
                assert ((before, layer, destination) in result) == (pair[0] != pair[1])


@pytest.mark.parametrize(("spec", "routing"), NETWORKS)
def test_no_state_between_has_a_loop(tmp_path: Path, spec: str, routing: str) -> None:
    bundle = bundle_of(tmp_path, spec, routing)
    rng = random.Random(7)
    walked = changed = deepest = loops = 0
    for cable in rng.sample(bundle.plan.fabric.cables.tolist(), FAILURES):
        repaired = repair(bundle, Failures((), (cable,)))
        assert repaired is not None
        assert repaired.plan.walked.paths == bundle.plan.walked.paths
        check_changes_are_what_differs(repaired)
        walked += check_every_state(repaired, rng)
        changed += len(repaired.changes)
        loops += loops_in_another_order(repaired)
        deepest = max(deepest, repaired.rounds)
    assert walked > 2 * FAILURES
    assert changed >= FAILURES
    # If repairs need several rounds, loading the last round first creates loops.
    assert (deepest > 1) == (loops > 0)
    if spec.startswith(("slimfly", "jellyfish")):
        assert loops > 0


def tables(place: Path) -> dict[str, dict[str, str]]:
    """Return, for each switch, the line of each prefix in the switch's batch file."""
    return {
        switch.name: {line.split()[2]: line for line in (switch / "routes.batch").read_text().splitlines()}
        for switch in (place / "switches").iterdir()
    }


def apply(found: dict[str, dict[str, str]], changes: Path) -> None:
    for order in sorted((path for path in changes.iterdir() if path.is_dir()), key=lambda path: int(path.name)):
        for batch in order.iterdir():
            for line in batch.read_text().splitlines():
                kind, what, prefix = line.split()[:3]
                if kind != "route":
                    continue
                if what == "delete":
                    del found[batch.stem][prefix]
                else:
                    found[batch.stem][prefix] = line


@pytest.mark.parametrize("ipv6", [False, True])
def test_changes_lead_from_one_bundle_to_the_next(tmp_path: Path, ipv6: bool) -> None:
    place = tmp_path / "bundle"
    bundle = bundle_of(place, "slimfly:q=3,p=1", "almost-minimal:layers=4", ipv6=ipv6)
    loaded = tables(place)
    rng = random.Random(3)
    names, hosts = bundle.plan.names, bundle.plan.hosts
    for step in range(4):
        dead = Failures((), (rng.choice(bundle.plan.fabric.cables.tolist()),)) if step != 2 else Failures((5,), ())
        repaired = repair(bundle, dead)
        assert repaired is not None
        check_every_state(repaired, rng)
        gone = [loaded.pop(bundle.plan.names[switch]) for switch in dead.switches]
        assert len(gone) == len(dead.switches)
        write_repair(repaired, place)
        apply(loaded, place / "changes")
        assert loaded == tables(place)
        bundle = read_bundle(place)
        assert bundle.header.fabric == "slimfly:q=3,p=1"
    # The remaining switches and hosts keep their names and addresses.
    assert bundle.plan.names == names[:5] + names[6:]
    left = [host for host in hosts if host.switch != 5]
    assert [(host.name, host.addresses, host.mac) for host in bundle.plan.hosts] == [
        (host.name, host.addresses, host.mac) for host in left
    ]


@pytest.mark.parametrize(
    ("spec", "routing", "other"),
    [
        ("slimfly:q=5,p=1", "almost-minimal:layers=4", "random:layers=4,rho=0.7"),
        ("jellyfish:switches=40,degree=5,p=1", "random:layers=3,rho=0.7", "spread-groups:layers=3"),
    ],
)
def test_going_to_another_bundle_and_back(tmp_path: Path, spec: str, routing: str, other: str) -> None:
    first = bundle_of(tmp_path / "first", spec, routing)
    rng = random.Random(5)
    repaired = repair(first, Failures((), (int(first.plan.fabric.cables[17]),)))
    assert repaired is not None
    write_repair(repaired, tmp_path / "mended")
    loaded = tables(tmp_path / "mended")
    second = bundle_of(tmp_path / "second", spec, other)
    for step, (before, after) in enumerate(((tmp_path / "mended", first), (first.place, second))):
        back = transition(read_bundle(before), after)
        check_every_state(back, rng)
        check_changes_are_what_differs(back)
        write_repair(back, tmp_path / "there")
        apply(loaded, tmp_path / "there" / "changes")
        assert loaded == tables(tmp_path / "there") == tables(after.place)
        neighbours = [*(tmp_path / "there" / "changes").glob("0/*.batch")]
        assert len(neighbours) == (2 if step == 0 else 0)
    # The new routing differs from the old one in most entries, so only the order of the rounds prevents loops.
    assert back.rounds > 3
    assert loops_in_another_order(back) > 20


def test_bundles_that_cannot_follow_each_other(tmp_path: Path) -> None:
    fabric, scheme = "clique:degree=3,p=2", "almost-minimal:layers=2"
    first = bundle_of(tmp_path / "first", fabric, scheme)
    for number, (spec, routing, options, what) in enumerate(
        [
            (fabric, "almost-minimal:layers=3", {}, "layers"),
            (fabric, scheme, {"ipv6": True}, "addresses"),
            ("clique:degree=3,p=1", scheme, {}, "host s0-h2: not at switch s0"),
        ]
    ):
        with pytest.raises(InputError, match=f"differs from .* in {what}"):
            transition(first, bundle_of(tmp_path / str(number), spec, routing, **options))
    routed = tulle.route(fabric, scheme)
    target("linux").bundle(routed.assign_vcs("dfsssp"), tmp_path / "lossless")
    target("frr").bundle(routed, tmp_path / "bgp", underlay="bgp")
    for place, message in (
        ("lossless", "is a bundle of a lossless network, where only repairs are proved"),
        ("bgp", "with BGP, switches find other paths by themselves"),
    ):
        one = read_bundle(tmp_path / place)
        with pytest.raises(InputError, match=message):
            transition(one, one)
    with pytest.raises(InputError, match=r"differs from .* in target"):
        transition(first, one)


def test_a_switch_without_cables_is_dead(tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, "slimfly:q=5", "almost-minimal:layers=2")
    plan = bundle.plan
    dead = find_failures(plan, [f"{plan.names[3]}:{plan.names[plan.peer(port)[0]]}" for port in plan.ports[3][:7]])
    assert dead == find_failures(plan, switches=[plan.names[3]]) == Failures((3,), ())
    repaired = repair(bundle, dead)
    assert repaired is not None
    assert repaired.hosts_lost == 4
    gone = [change for change in repaired.changes if not change.now]
    assert len(gone) == 49 * 2
    assert {change.destination for change in gone} == {3}


def link(name: str, up: bool) -> dict[str, Any]:
    flags = ["BROADCAST", "UP", "LOWER_UP"] if up else ["NO-CARRIER", "BROADCAST", "UP"]
    return {"ifname": name, "flags": flags, "operstate": "UP" if up else "DOWN"}


def lldp(name: str, ports: list[tuple[str, str, str]]) -> str:
    rows = [
        {
            "name": port,
            "chassis": [{"name": [{"value": other}]}],
            "port": [{"id": [{"type": "ifname", "value": there}]}],
        }
        for port, other, there in ports
    ]
    chassis = {"local-chassis": [{"chassis": [{"name": [{"value": name}]}]}]}
    return json.dumps(chassis) + "\n" + json.dumps({"lldp": [{"interface": rows}]})


def test_what_switches_see(tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path / "bundle", "slimfly:q=5", "almost-minimal:layers=2")
    plan = bundle.plan
    links, announced = tmp_path / "links", tmp_path / "heard"
    links.mkdir()
    announced.mkdir()
    cable = int(plan.fabric.cables[20])
    dead = plan.channel_ports[cable]
    for switch, name in enumerate(plan.names):
        own = [port for port in plan.ports[switch] if port.channel is not None]
        is_dead = [cable in (port.channel, plan.fabric.reverse[port.channel]) for port in own]
        rows = [link(f"{port.name}@if7", not down) for port, down in zip(own, is_dead, strict=True)]
        (links / f"{name}.json").write_text(json.dumps([link("lo", True), *rows]))
        ends = [(port.name, plan.names[plan.peer(port)[0]], plan.peer(port)[1].name) for port in own]
        known = [end for end, down in zip(ends, is_dead, strict=True) if not down]
        (announced / f"{name}.json").write_text(lldp(name, known))
    assert read_failures(plan, [links]) == read_failures(plan, [announced]) == Failures((), (cable,))
    one = plan.fabric.channels[cable][0]
    alone = read_failures(plan, [links / f"{plan.names[one]}.json"])
    assert (alone.cables, alone.unread) == ((cable,), 49)
    (announced / f"{plan.names[one]}.json").write_text(lldp(plan.names[one], [(dead.name, plan.names[44], "eth1")]))
    with pytest.raises(InputError, match="has the neighbour s1-3-4 eth1, expected"):
        read_failures(plan, [announced])
    (links / f"{plan.names[0]}.json").write_text("[{}]")
    with pytest.raises(FormatError, match="legal: the output of ip -json link or lldpctl -f json0"):
        read_failures(plan, [links])


@pytest.mark.parametrize("scheme", ["dfsssp", "colouring"])
def test_lossless_networks_keep_a_proof(tmp_path: Path, scheme: str) -> None:
    vcs = tulle.route("slimfly:q=5", "almost-minimal:layers=2").assign_vcs(scheme)
    write_plan(plan_of(vcs), tmp_path)
    bundle = read_bundle(tmp_path)
    rng = random.Random(1)
    for cable in rng.sample(bundle.plan.fabric.cables.tolist(), 3):
        repaired = repair(bundle, Failures((), (cable,)))
        assert repaired is not None
        assert repaired.plan.vcs is not None
        # During a repair, packets can take old paths with new DSCPs, or new paths with old DSCPs. No tested repair is
        # deadlock-free in both cases.
        assert repaired.why_unsafe
        check_every_state(repaired, rng)
        check_changes_are_what_differs(repaired)
        old, new = bundle.plan.vcs, repaired.plan.vcs
        assert old is not None
        assert repaired.level_changes == int(np.count_nonzero(old.sl != new.sl))


CABLES = "s0-0-0:s0-0-1, s0-0-0:s0-0-4, "


@pytest.mark.parametrize(
    ("cables", "switches", "message"),
    [
        (["s0-0-0"], [], "'s0-0-0' is not a cable; legal: two switches A:B, or two ports A/eth3:B/eth7"),
        (["s0-0-0:s0-0-9"], [], f"'s0-0-0:s0-0-9': no switch is named 's0-0-9'; legal: {CABLES}"),
        (["x9/eth1:s0-0-0"], [], f"'x9/eth1:s0-0-0': no switch is named 'x9'; legal: {CABLES}"),
        (["s0-0-0:s0-0-2"], [], f"'s0-0-0:s0-0-2': no such cable; legal: {CABLES}"),
        (["s0-0-9:s0-0-8"], [], "no switch is named 's0-0-9'; did you mean"),
        (["s0-0-0/eth99:s0-0-1"], [], "'s0-0-0/eth99': switch s0-0-0 has no such port; legal: eth1, eth2 and so on"),
        ([], ["nobody"], "no switch is named 'nobody'; legal: s0-0-0, s0-0-1"),
    ],
)
def test_names_of_nothing(slim_fly: EthernetBundle, cables: list[str], switches: list[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        find_failures(slim_fly.plan, cables, switches)
    assert str(caught.value).startswith(message)
    # The fabric has 50 switches. A message lists at most 20 of them.
    assert len(str(caught.value)) < 300


@pytest.fixture(scope="module")
def slim_fly(tmp_path_factory: pytest.TempPathFactory) -> EthernetBundle:
    return bundle_of(tmp_path_factory.mktemp("slim-fly"), "slimfly:q=5", "almost-minimal:layers=2")


def test_parallel_cables_are_distinguished_by_ports(tmp_path: Path) -> None:
    fabric = tulle.Fabric.from_edges([[0, 1], [0, 1], [1, 2]], 1)
    plan = plan_of(tulle.route(fabric, "minimal"))
    with pytest.raises(
        InputError, match="2 cables join these switches; legal: one of s0/eth1:s1/eth1, s0/eth2:s1/eth2"
    ):
        find_failures(plan, ["s0:s1"])
    write_plan(plan, tmp_path)
    bundle = read_bundle(tmp_path)
    repaired = repair(bundle, find_failures(bundle.plan, ["s0/eth2:s1"]))
    assert repaired is not None
    # If the cable at port 2 fails, the group of ports 1 and 2 has only port 1.
    assert {change.now for change in repaired.changes} == {((1, 1),)}
    assert {change.before for change in repaired.changes} == {((1, 1), (2, 1))}
    # If the cable at port 1 fails, the group has only port 2, and this port keeps its number.
    repaired = repair(bundle, find_failures(bundle.plan, ["s0/eth1:s1"]))
    assert repaired is not None
    assert {change.now for change in repaired.changes if change.switch == 0} == {((2, 1),)}


def test_repairs_name_the_ports_of_parallel_cables(tmp_path: Path) -> None:
    """Check that results and the list of versions say which of two parallel cables a repair has removed."""
    (tmp_path / "net.csv").write_text("source,target\na,b\na,b\nb,c\na,c\n")
    place = str(tmp_path / "bundle")
    bundle_of(tmp_path / "bundle", f"file:edges={tmp_path / 'net.csv'},p=1", "minimal")
    for dead in ("a/eth1:b/eth1", "a:b"):
        assert f"dead_cables       {dead}\n" in run("deploy", "repair", place, "--dead-cable", dead, "-o", place).stdout
    rows = json.loads(run("deploy", "versions", place, "--json").stdout)["versions"]
    assert [row["why"] for row in rows[1:]] == ["repair without cable a/eth1:b/eth1", "repair without cable a:b"]


def test_command(tmp_path: Path) -> None:
    place, out = tmp_path / "bundle", tmp_path / "out"
    bundle_of(place, "slimfly:q=5", "almost-minimal:layers=4")
    dry = run("deploy", "repair", str(place), "--dead-cable", "s0-0-0:s1-2-0", "--dry-run", "--json")
    message = json.loads(dry.stdout)
    assert (message["entries_changed"], message["rounds"], message["dead_cables"]) == (127, 3, ["s0-0-0:s1-2-0"])
    assert message["written"] == []
    done = run("deploy", "repair", str(place), "--dead-cable", "s0-0-0:s1-2-0", "-o", str(out))
    assert done.returncode == 0
    assert "entries_changed   127" in done.stdout
    assert sum(len(path.read_text().splitlines()) for path in (out / "changes").glob("*/*.batch")) == 127
    assert len((out / "changes" / "changes.csv").read_text().splitlines()) == 128
    for arguments, text in (
        (
            (),
            "the change is missing or given in several ways; legal: --live, or --dead-cable and --dead-switch, or --to",
        ),
        (
            ("--dead-cable", "s0-0-0:s1-2-0", "--deadlock", "dfsssp"),
            "--deadlock dfsssp: the network of the bundle is not lossless",
        ),
        (("--dead-cable", "s0-0-0:s1-2-0", "--sighup", "1"), "--sighup is not for Ethernet bundles"),
    ):
        done = run("deploy", "repair", str(place), *arguments, "-o", str(tmp_path / "none"))
        assert done.returncode == 2
        assert done.stderr.startswith(f"tulle: {text}")
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "none").exists()


def test_switches_that_are_cut_apart(tmp_path: Path) -> None:
    bundle = bundle_of(tmp_path, "dragonfly:p=1,a=2,h=1,g=2", "minimal")
    plan = bundle.plan
    cables = [f"{plan.names[a]}:{plan.names[b]}" for a, b in plan.fabric.edges.tolist() if a // 2 != b // 2]
    with pytest.raises(InputError, match=r"has no path to .* any more; legal: faults that leave the fabric connected"):
        repair(bundle, find_failures(plan, cables))


def test_groups_of_open_vswitch_that_repairs_made_stay_apart(tmp_path: Path) -> None:
    """Check that, over four repairs, no two entries of a switch use the same group number."""
    target("ovs").bundle(tulle.route("jellyfish:switches=20,degree=6,p=1", "spread-groups:layers=2"), tmp_path)
    seen: dict[str, tuple[str, str]] = {}
    for gone in (Failures((2,), ()), Failures((), (1,)), Failures((5,), ()), Failures((), (7,))):
        repaired = repair(read_bundle(tmp_path), gone)
        assert repaired is not None
        write_repair(repaired, tmp_path)
        for file in (tmp_path / "changes").glob("*/*.bundle"):
            for match, group in re.findall(r"flow add (.*),actions=group:(\d+)", file.read_text()):
                assert seen.setdefault(f"{file.stem} {group}", (file.stem, match)) == (file.stem, match)
    assert seen


def test_longer_paths_are_counted_and_refused(tmp_path: Path) -> None:
    """Check a ring of 8 switches: paths have up to 4 hops, and up to 7 hops after a cable has failed."""
    ring = tmp_path / "ring.txt"
    ring.write_text("".join(f"{at} {(at + 1) % 8}\n" for at in range(8)))
    write_plan(plan_of(tulle.route(f"file:edges={ring},p=1", "minimal")), tmp_path / "bundle")
    bundle = read_bundle(tmp_path / "bundle")
    repaired = repair(bundle, find_failures(bundle.plan, cables=[":".join(bundle.plan.names[:2])]))
    assert repaired is not None
    # Without this cable, 3 pairs of switches are 5 hops apart, 2 pairs 6 hops and 1 pair 7 hops; each pair counts
    # twice, once per direction.
    assert repaired.detours == Detours(longer=12, before=4, now=7)
    dead = ["deploy", "repair", str(tmp_path / "bundle"), "--dead-cable", ":".join(bundle.plan.names[:2])]
    refused = run(*dead, "--max-hops", "6", "-o", str(tmp_path / "after"))
    assert refused.returncode == 2
    assert "--max-hops 6: the repair has paths of up to 7 hops" in refused.stderr
    assert not (tmp_path / "after").exists()
    done = run(*dead, "--max-hops", "7", "-o", str(tmp_path / "after"))
    assert done.returncode == 0
    assert "12 paths have more hops than the longest path" in done.stderr
