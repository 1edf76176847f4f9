"""Test routings in Python."""

from __future__ import annotations

import json
import pickle
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tulle
from tulle import _tulle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray


@pytest.fixture(scope="module")
def routing() -> tulle.Routing:
    return tulle.route(tulle.Fabric("slimfly:q=5"), "random:layers=4,rho=0.7", seed=1)


def test_next_hops_lead_to_every_destination(routing: tulle.Routing) -> None:
    fabric, next_hop = routing.fabric, routing.next_hop
    switches = fabric.num_switches
    assert next_hop.dtype == np.int32
    assert next_hop.shape == (4, switches, switches)
    here = np.arange(switches)
    assert (next_hop[:, here, here] == -1).all()
    apart = here[:, None] != here
    assert (next_hop[:, apart] >= 0).all()
    # Each channel in a switch's forwarding table starts at this switch.
    source = fabric.channels[next_hop, 0]
    assert (source[:, apart] == np.broadcast_to(here[:, None], source.shape)[:, apart]).all()
    # The test follows the paths of all pairs in parallel. The number of hops of a path is below the number of switches.
    for layer in next_hop:
        at = np.broadcast_to(here[:, None], (switches, switches)).copy()
        for _ in range(switches):
            moving = at != here
            channel = layer[at, np.broadcast_to(here, at.shape)]
            at[moving] = fabric.channels[channel[moving], 1]
        assert (at == here).all()


def test_layer_zero_is_minimal(routing: tulle.Routing) -> None:
    pairs = routing.hop_counts(0)
    assert pairs.tolist() == [0, 50 * 7, 50 * 42]
    assert routing.hop_counts(1).sum() == 50 * 49


def test_paths_follow_the_tables(routing: tulle.Routing) -> None:
    paths = routing.paths(3, 42)
    assert len(paths) == 4
    for layer, path in enumerate(paths):
        assert path.dtype == np.int32
        ends = routing.fabric.channels[path]
        assert (ends[0, 0], ends[-1, 1]) == (3, 42)
        assert np.array_equal(ends[1:, 0], ends[:-1, 1])
        assert [routing.next_hop[layer, switch, 42] for switch in ends[:, 0]] == path.tolist()
    assert [len(path) for path in routing.paths(7, 7)] == [0] * 4


def test_paths_between_named_switches() -> None:
    routing = tulle.route("slimfly:q=3", "random:layers=2")
    named = routing.paths("(0,0,0)", "(0,0,1)")
    assert [path.tolist() for path in named] == [path.tolist() for path in routing.paths(0, 1)]
    with pytest.raises(tulle.InputError, match="no switch 'a'; legal: 0 to 17"):
        routing.paths("a", 3)


def test_groups_of_equal_cost() -> None:
    fabric = tulle.Fabric("hyperx:shape=3x3")
    routing = tulle.route(fabric, "minimal")
    group = routing.next_hops(0, 0, 8)
    assert len(group) == 2
    assert routing.next_hop[0, 0, 8] == group.min()
    assert set(fabric.channels[group, 0]) == {0}
    assert routing.next_hops(0, 4, 4).tolist() == []


def test_seeds_and_pickles(routing: tulle.Routing) -> None:
    same = tulle.route(routing.fabric, routing.spec, seed=1)
    other = tulle.route(routing.fabric, routing.spec, seed=2)
    assert np.array_equal(same.next_hop, routing.next_hop)
    assert not np.array_equal(other.next_hop, routing.next_hop)
    again = pickle.loads(pickle.dumps(routing))
    assert np.array_equal(again.next_hop, routing.next_hop)
    assert "4 layers" in repr(again)


def test_refuses(routing: tulle.Routing) -> None:
    with pytest.raises(tulle.SpecError, match="unknown routing 'randm'; did you mean random"):
        tulle.route(routing.fabric, "randm")
    with pytest.raises(tulle.InputError, match="no path"):
        tulle.route(tulle.Fabric.from_edges([(0, 1), (2, 3)], 1), "minimal")
    with pytest.raises(tulle.InputError, match="layer=4 is out of range; legal: 0 to 3"):
        routing.hop_counts(4)
    with pytest.raises(tulle.InputError, match="source=-1 is out of range; legal: 0 to 49"):
        routing.paths(-1, 0)
    with pytest.raises(tulle.InputError, match="destination=50"):
        routing.next_hops(0, 0, 50)


def test_quality_of_layers_and_path_sets() -> None:
    fabric = tulle.Fabric("clique:degree=4")
    paths = tulle.route(fabric, "edksp:k=4")
    quality = paths.quality()
    # Two switches of this clique have four disjoint paths: their cable, and one path through each of the three
    # remaining switches.
    assert quality.pairs == 20
    assert quality.disjoint.tolist() == [0, 0, 0, 0, 20]
    assert quality.hops.tolist() == [0, 20, 60]
    assert quality.mean_hops == pytest.approx(7 / 4)
    assert quality.share(quality.disjoint, 5) == 0
    layers = tulle.route(fabric, "random:layers=3,rho=0.7", seed=1).quality("channel")
    assert int(layers.hops.sum()) == 60
    with pytest.raises(tulle.SpecError, match="legal: channel, cable"):
        paths.quality("switch")  # type: ignore[arg-type]


@pytest.mark.parametrize("spec", ["random:layers=3,rho=0.7", "ksp:k=3"])
def test_saved_routings_read_back(spec: str, tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    routing = tulle.route(fabric, spec, seed=2)
    file = tmp_path / "routing"
    routing.save(file)
    again = tulle.Routing.load(file, fabric)
    assert again.spec == routing.spec
    for source, destination in [(0, 1), (7, 42)]:
        pairs = zip(routing.paths(source, destination), again.paths(source, destination), strict=True)
        assert all(np.array_equal(mine, read) for mine, read in pairs)
    assert again == routing == pickle.loads(pickle.dumps(again))
    with pytest.raises(tulle.FormatError):
        tulle.Routing.load(file, tulle.Fabric("clique:degree=5"))
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(tulle.FormatError):
        tulle.Routing.load(file, fabric)
    with pytest.raises(tulle.FileError):
        tulle.Routing.load(tmp_path / "nowhere", fabric)


def test_deadlock_freedom() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    routing = tulle.route(fabric, "random:layers=2,rho=0.7", seed=1)
    plan = routing.assign_vcs("dfsssp:vcs=8")
    assert (plan.scheme, plan.num_vcs) == ("dfsssp", 8)
    assert 1 < plan.needed_vcs <= 8
    assert plan.routing is routing
    assert plan.certificate.shape == (len(fabric.channels) * plan.num_vcs,)
    with pytest.raises(tulle.InputError, match="one-vc"):
        routing.assign_vcs("one-vc")
    with pytest.raises(tulle.SpecError, match="did you mean dfsssp"):
        routing.assign_vcs("dfsssq")
    # Minimal paths in an OFT go up and then down, so one virtual channel is enough.
    assert tulle.route(tulle.Fabric("oft:k=3"), "minimal").assign_vcs("one-vc").needed_vcs == 1


def test_routings_from_arrays_are_those_of_the_arrays() -> None:
    fabric = tulle.Fabric("jellyfish:switches=20,degree=4", seed=1)
    layers = tulle.route(fabric, "spread:layers=3,aim=disjoint")
    again = tulle.Routing.from_next_hop(fabric, layers.next_hop)
    assert (again.spec, again.num_layers, again.seed) == ("next-hop", 3, None)
    assert np.array_equal(again.next_hop, layers.next_hop)
    one = tulle.Routing.from_next_hop(fabric, layers.next_hop[1].tolist())
    assert np.array_equal(one.next_hop, layers.next_hop[1:2])
    groups = tulle.route(fabric, "spread-groups:layers=2")
    assert groups.next_hop_groups.shape[:3] == groups.next_hop.shape
    assert np.array_equal(groups.next_hop_groups[..., 0], groups.next_hop)
    again = tulle.Routing.from_next_hop(fabric, groups.next_hop_groups)
    assert np.array_equal(again.next_hop_groups, groups.next_hop_groups)
    several = (groups.next_hop_groups[0, 3] >= 0).sum(axis=1)
    assert several.tolist() == [len(groups.next_hops(0, 3, other)) for other in range(20)]
    sets = tulle.route(fabric, "edksp:k=3")
    columns = sets.path_columns()
    assert columns.offsets[-1] == len(columns.channels)
    assert len(columns.source) == len(columns.destination) == sets.num_paths == len(columns.offsets) - 1
    assert np.array_equal(fabric.channels[columns.channels[columns.offsets[:-1]], 0], columns.source)
    assert np.array_equal(fabric.channels[columns.channels[columns.offsets[1:] - 1], 1], columns.destination)
    same = tulle.Routing.from_paths(fabric, channels=columns.channels, offsets=columns.offsets)
    # The argument can be a list of paths; the order of the paths does not matter.
    each = [columns.channels[start:end] for start, end in zip(columns.offsets, columns.offsets[1:], strict=False)]
    by_length = tulle.Routing.from_paths(fabric, channels=sorted(each, key=len))
    for source, destination in [(0, 1), (7, 19)]:
        paths = [path.tolist() for path in sets.paths(source, destination)]
        assert [path.tolist() for path in same.paths(source, destination)] == paths
        assert [path.tolist() for path in by_length.paths(source, destination)] == paths
    assert tulle.Routing.from_paths(fabric, []).num_paths == 0
    of_layers = layers.path_columns()
    assert len(of_layers.source) == 3 * 20 * 19
    assert np.array_equal(np.bincount(of_layers.channels, minlength=len(fabric.channels)), layers.paths_over())


def test_shares_from_arrays_are_those_of_the_arrays() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    weighted = tulle.route(fabric, "spread-groups:layers=2,shares=64", seed=3)
    other = tulle.route(fabric, "spread-groups:layers=2", seed=3).weighted(64)
    for routing in (other, pickle.loads(pickle.dumps(weighted))):
        assert np.array_equal(routing.next_hop_groups, weighted.next_hop_groups)
        assert np.array_equal(routing.port_shares, weighted.port_shares)
        assert np.array_equal(routing.layer_shares, weighted.layer_shares)
    assert weighted.port_shares.shape == weighted.next_hop_groups.shape
    assert np.array_equal(weighted.port_shares > 0, weighted.next_hop_groups >= 0)
    assert np.array_equal(weighted.layer_shares.sum(axis=0), 64 * (1 - np.eye(50)))
    shares = {"port_shares": weighted.port_shares, "layer_shares": weighted.layer_shares}
    again = tulle.Routing.from_next_hop(fabric, weighted.next_hop_groups, **shares)
    assert np.array_equal(again.port_shares, weighted.port_shares)
    assert np.array_equal(again.layer_shares, weighted.layer_shares)
    even = tulle.route(fabric, "minimal")
    assert even.port_shares.max() == even.layer_shares.max() == 1
    refusals: list[tuple[Callable[[], tulle.Routing], str]] = [
        (lambda: tulle.route(fabric, "ksp:k=2").weighted(), "is a path set; legal: a routing with tables"),
        (lambda: weighted.weighted(1), "shares: 1; legal: 2 to 255"),
        (lambda: weighted.weighted(256), "shares=256 is out of range; legal: 1 to 255"),
        (
            lambda: tulle.Routing.from_next_hop(fabric, even.next_hop, port_shares=[1]),
            "port_shares has shape (1,); legal: (1, 50, 50)",
        ),
    ]
    for refused, result in refusals:
        with pytest.raises(tulle.InputError, match=re.escape(result)):
            refused()


def test_packets_and_flits_go_by_the_shares() -> None:
    fabric = tulle.Fabric("slimfly:q=5,p=1")
    routing = tulle.route(fabric, "spread-groups:layers=2,shares=64")
    out = fabric.channels[:, 0] == 0

    def shares(traffic: str | tulle.Workload, routing: tulle.Routing = routing) -> NDArray[np.float64]:
        return _tulle.split_loads(routing._core, tulle.analysis.demands(fabric, traffic)._core)

    message = tulle.Workload([0], [30], 40_000_000)
    carried = tulle.simulate(fabric, routing, message, selector="random").links["bytes"][: len(out)]
    wanted = shares(message)
    assert (wanted > 0).sum() > 20
    assert np.abs(carried / carried[out].sum() - wanted / wanted[out].sum()).max() < 0.02
    for selector in ("random", "round-robin"):
        run = tulle.simulate_flits(
            fabric, routing, "uniform:self=no", load=0.3, selector=selector, policy="hops", vcs=5, window=40_000
        )
        load = run.channel_load / run.channel_load.mean()
        wanted, even = (shares("all-to-all", by) for by in (routing, tulle.route(fabric, "spread-groups:layers=2")))
        assert np.std(load - wanted / wanted.mean()) < 0.03 < 0.04 < np.std(load - even / even.mean())


@pytest.mark.parametrize(
    "spec",
    [
        "clique:degree=5,p=2",
        "jellyfish:switches=12,degree=4,p=2",
        "jellyfish-like:clique:degree=5",
        "xpander:degree=4,p=2",
        "fattree:levels=2,radix=6",
        "fattree:levels=3,radix=4",
        "clos:hosts=24,switches=12,radix=8",
        "flattenedclos:switches=12,ports=8,p=2",
        "slimfly:q=4,p=1",
        "polarfly:q=3",
        "oft:k=3,p=1",
        "mlfm:h=3,p=1",
        "sspt:r1=3,r2=3,p=1",
        "dragonfly:p=1",
        "megafly:leaves=2,p=1",
        "hyperx:shape=3x3",
        "torus:shape=4x4,p=1",
        "mesh:shape=3x3,p=1",
        "hypercube:dimensions=3",
    ],
)
def test_both_simulators_take_weights_on_every_family(spec: str) -> None:
    fabric = tulle.Fabric(spec)
    routing = tulle.route(fabric, "spread-groups:layers=2,shares=16", seed=1)
    for selector in ("random", "ksp-adaptive"):
        run = tulle.simulate(fabric, routing, "permutation:bytes=40KB", selector=selector, seed=1)
        assert run.complete, selector
    vcs = routing.assign_vcs("hops").needed_vcs
    flits = tulle.simulate_flits(
        fabric, routing, "uniform:self=no", load=0.1, selector="random", policy="hops", vcs=vcs, window=4000, seed=1
    )
    assert flits.complete
    wanted = _tulle.split_loads(routing._core, tulle.analysis.demands(fabric, "all-to-all")._core)
    load = flits.channel_load / flits.channel_load.mean()
    # At 10% load, each channel carries several hundred packets in 4,000 cycles. So the measured loads are close to the
    # expected loads.
    assert np.abs(load - wanted / wanted.mean()).mean() < 0.12


def test_arrays_that_are_no_routing_are_refused() -> None:
    fabric = tulle.Fabric("clique:degree=3")
    # The channel from switch a to switch b has the number 3·a + b if b < a, and 3·a + b − 1 if b > a.
    good = tulle.route(fabric, "minimal").next_hop[0].copy()

    def change(switch: int, destination: int, channel: int) -> list[list[int]]:
        changed = good.copy()
        changed[switch, destination] = channel
        rows: list[list[int]] = changed.tolist()
        return rows

    for next_hop, message in [
        (good[:3], r"next_hop has shape \(3, 4\); legal: \(layers, 4, 4\)"),
        (good[..., None, None], r"next_hop has shape \(4, 4, 1, 1\); legal: \(layers, 4, 4\) or"),
        (good.astype(float), "next_hop has dtype float64; legal: whole numbers"),
        (change(1, 2, 0), r"next_hop\[0, 1, 2\]: 0; legal: 3 to 5, the channels of the switch"),
        (change(1, 2, -1), r"next_hop\[0, 1, 2\]: -1; legal: 3 to 5"),
        (change(1, 1, 3), r"next_hop\[0, 1, 1\]: 3; legal: -1"),
        # Toward switch 3, switches 0 and 1 send packets to each other.
        ([change(0, 3, 0)[0], change(1, 3, 3)[1], *good[2:].tolist()], "layer 0: packets toward 3 can loop"),
    ]:
        with pytest.raises(tulle.InputError, match=message) as error:
            tulle.Routing.from_next_hop(fabric, next_hop)
        assert "\n" not in str(error.value)
    broken: list[tuple[list[list[float]], str]] = [
        ([[0], []], "path 1: 0 hops; legal: 1 to 3"),
        ([[12]], "path 0: channel 12; legal: 0 to 11"),
        ([[0, 8]], "path 0: channel 8 leaves switch 2; legal: a channel of switch 1"),
        ([[1, 3]], "where the previous channel ends .this path seems to list switch numbers instead"),
        ([[0, 3]], "path 0: leads from switch 0 to itself"),
        ([[0, 4, 6]], "path 0: leads from switch 0 to itself"),
        ([[1, 7, 4]], "path 0 from switch 0 to 2 visits switch 2 twice"),
        ([[0.5]], "path 0 has dtype float64"),
    ]
    for paths, message in broken:
        with pytest.raises(tulle.InputError, match=message):
            tulle.Routing.from_paths(fabric, channels=paths)
    for offsets in ([0, 2], [1, 3], [0, 1, 0, 3], []):
        with pytest.raises(tulle.InputError, match="offsets"):
            tulle.Routing.from_paths(fabric, channels=[0, 1, 2], offsets=offsets)


def test_loads_and_samples() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    routing = tulle.route(fabric, "random:layers=3")
    assert np.array_equal(routing.paths_over(), routing.quality().paths_over)
    # Between opposite corners of this square, a switch has two next hops, each with half of the traffic.
    grid = tulle.route(tulle.Fabric("hyperx:shape=2x2,p=1"), "minimal")
    assert grid.paths_over().tolist() == [2.0] * 8
    some = routing.quality(pairs=1000, seed=1)
    assert 850 < some.pairs < 1150
    assert some.share(some.disjoint, 2) == pytest.approx(
        routing.quality().share(routing.quality().disjoint, 2), abs=0.1
    )
    assert routing.quality(pairs=1000, seed=1).pairs == some.pairs
    assert not np.array_equal(routing.quality(pairs=1000, seed=2).paths_over, some.paths_over)
    assert routing.quality(pairs=2450).pairs == 2450
    with pytest.raises(tulle.InputError, match="pairs=0 is out of range"):
        routing.quality(pairs=0)


def test_reroute() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    routing = tulle.route(fabric, "spread:layers=3,aim=disjoint")
    plan = routing.assign_vcs("dfsssp:vcs=8")
    damaged = fabric.without(links=2, seed=1)
    rerouted = routing.reroute(damaged, plan)
    assert rerouted.routing.fabric is damaged
    assert rerouted.entries == 3 * 50 * 49
    assert 0 < rerouted.broken <= rerouted.touched < rerouted.entries // 20
    assert rerouted.added == 0
    assert rerouted.plan is not None
    assert (rerouted.plan.spec, rerouted.plan.routing) == (plan.spec, rerouted.routing)
    # `touched` equals the number of entries that differ between the old and the new table.
    assert damaged.origin is not None
    new = rerouted.routing.next_hop
    now = np.where(new < 0, -1, damaged.origin["channels"][new])
    assert int((now != routing.next_hop).sum()) == rerouted.touched
    assert routing.reroute(damaged).plan is None
    with pytest.raises(tulle.InputError, match="is not a part of"):
        routing.reroute(tulle.Fabric("slimfly:q=4"))
    cut = fabric.without(links=fabric.cables[(fabric.edges == 0).any(axis=1)])
    with pytest.raises(tulle.InputError, match="has no path to"):
        routing.reroute(cut)


def test_old_and_new_paths_together() -> None:
    fabric = tulle.Fabric("flattenedclos:switches=30,ports=12", seed=1)
    paths = tulle.route(fabric, "virtual-updown")
    rerouted = paths.reroute(fabric.without(links=4, seed=2), paths.assign_vcs("one-vc"))
    together = paths.acyclic_together(rerouted.routing, new_plan=rerouted.plan)
    # By Flattened Clos §7.2, old and new paths together form no dependency cycle as long as the virtual layers stay
    # the same.
    assert together
    assert together.certificate is not None
    assert (together.cycle, together.name) == ((), "")
    torus = tulle.Fabric("torus:shape=4x4")
    minimal = tulle.route(torus, "minimal")
    cyclic = minimal.acyclic_together(tulle.route(torus, "balanced"))
    assert not cyclic
    assert len(cyclic.cycle) >= 3
    assert "→" in cyclic.name
    # The two routings can also belong to the same damaged fabric.
    damaged = torus.without(links=1)
    trees = [tulle.route(damaged, "edst:trees=1") for _ in range(2)]
    assert trees[0].acyclic_together(trees[1])


def test_errors_are_one_line(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    apart = tulle.Fabric.from_edges([(0, 1), (2, 3)], 1)
    file = tmp_path / "routing"
    routing = tulle.route(fabric, "spread:aim=disjoint")
    routing.save(file)
    whole = file.read_bytes()
    with pytest.raises(ValueError, match="vcs=2; legal: vcs=3 to 255") as vcs:
        routing.assign_vcs("hops:vcs=2")
    result = [str(vcs.value)]
    for spec, on, message in [
        ("ksp:k=0", fabric, "k=0 is out of range; legal: 1 to 255"),
        ("random:rho=0", fabric, "rho=0 is out of range; legal: above 0 and at most 1"),
        ("random:rho=1.01", fabric, "rho=1.01 is out of range"),
        ("random:rho=nan", fabric, "rho=nan"),
        *(
            (entry["name"], apart, "has no path of at most .* from switch 0 to 2")
            for entry in tulle.registered("routings")
        ),
    ]:
        with pytest.raises(ValueError, match=message) as error:
            tulle.route(on, spec)
        result.append(str(error.value))
    for damage in (whole[:100], whole[:-1], b"", whole[:200] + b"\x00" + whole[201:], b"not a routing\n" * 20):
        file.write_bytes(damage)
        with pytest.raises(tulle.FormatError) as corrupt:
            tulle.Routing.load(file, fabric)
        result.append(str(corrupt.value))
    assert not [message for message in result if "\n" in message]


@pytest.mark.parametrize("scheme", ["dfsssp:vcs=6", "lash", "hops", "hops:vcs=5", "colouring:vcs=5"])
@pytest.mark.parametrize("spec", ["balanced:layers=2", "random:layers=3,rho=0.8", "redksp:k=2"])
def test_arrays_of_a_plan_say_what_it_proves(scheme: str, spec: str) -> None:
    """Check that the exported ranks of (channel, VC) increase along every path of a VC plan.

    This holds for the VCs that the plan states for each hop, and for the VCs that switches derive without knowing the
    hop.
    """
    fabric = tulle.Fabric("hyperx:shape=3x3,p=1")
    plan = tulle.route(fabric, spec, seed=2).assign_vcs(scheme)
    routing, ranks = plan.routing, plan.certificate.reshape(-1, plan.num_vcs)
    assert plan.vc is not None
    assert plan.sl.dtype == plan.vc.dtype == np.uint8
    assert not plan.sl.flags.writeable
    assert plan.sl.max() + 1 == plan.num_sls
    assert plan.vc.shape[:2] == (1, plan.num_sls)
    assert plan.vc.max() < plan.num_vcs
    assert (plan.sl_to_vl is None) == scheme.startswith("hops")
    numbers = iter(range(routing.num_paths or 0))
    carrying = np.unique(fabric.endpoint_switch)
    for source in carrying:
        for destination in carrying:
            if source == destination:
                continue
            for layer, path in enumerate(routing.paths(source, destination)):
                sl = plan.sl[layer, source, destination] if routing.num_paths is None else plan.sl[next(numbers)]
                hops = plan.vc[0, sl]
                vcs = [hops[0] if len(hops) == 1 else hops[hop] for hop in range(len(path))]
                assert (np.diff(ranks[path, vcs].astype(np.int64)) > 0).all()
                if plan.sl_to_vl is not None:
                    switches = fabric.channels[path][:, 0]
                    assert vcs == [plan.sl_to_vl[switch, int(hop == 0), sl] for hop, switch in enumerate(switches)]


@pytest.mark.parametrize("source", ["auto", "roles", "names", "distance"])
@pytest.mark.parametrize("spec", ["fattree:levels=2,radix=8", "fattree:levels=3,radix=4"])
def test_updown_finds_the_levels_of_a_tree_from_a_file(spec: str, source: str, tmp_path: Path) -> None:
    tree = tulle.Fabric(spec)
    tree.write(tmp_path / "tree.json")
    content = json.loads((tmp_path / "tree.json").read_text())
    words = ["leaf", "spine", "core"]
    for switch, level in zip(content["switches"], tree.levels, strict=True):
        switch.pop("level", None)
        switch |= {"role": words[level]} if source == "roles" else {}
    (tmp_path / "imported.json").write_text(json.dumps(content))
    imported = tulle.Fabric(f"file:edges={tmp_path / 'imported.json'}")
    if source == "names":
        names = [f"dc1-{words[level]}-{switch:03}" for switch, level in enumerate(tree.levels)]
        imported = tulle.Fabric.from_edges(tree.edges, tree.endpoint_switch, labels=names)
    assert not imported.levels.any()
    found = tulle.route(imported, f"updown:levels={source}")
    assert (found.next_hop == tulle.route(tree, "updown").next_hop).all()


def test_updown_says_what_levels_are_missing() -> None:
    with pytest.raises(tulle.InputError, match="cannot get levels from names: some switch has no level, or some cable"):
        tulle.route(tulle.Fabric("fattree:levels=2,radix=8"), "updown:levels=names")


def test_a_routing_also_serves_a_fabric_with_the_same_graph_and_endpoints(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=3")
    routing = tulle.route(fabric, "spread:layers=2", seed=1)
    faster = fabric.with_links("all:rate=100Gbps")
    expected = tulle.simulate(faster, tulle.route(faster, "spread:layers=2", seed=1), "permutation:bytes=64KiB")
    found = tulle.simulate(faster, routing, "permutation:bytes=64KiB")
    assert found.flows == expected.flows
    # The rates of the given fabric count, not those of the routing's own fabric.
    assert found.flows != tulle.simulate(fabric, routing, "permutation:bytes=64KiB").flows
    # The same graph from a file.
    fabric.write(tmp_path / "x.json")
    file = tulle.Fabric(f"file:edges={tmp_path / 'x.json'}")
    assert tulle.simulate_exchange(file, routing, "permutation:bytes=4KiB").complete
    paths = tulle.route(fabric, "ksp:k=3")
    bounds = [tulle.analysis.throughput(each, "permutation", paths) for each in (fabric, file)]
    assert (bounds[0].lower, bounds[0].upper) == (bounds[1].lower, bounds[1].upper)
    plan = routing.assign_vcs("dfsssp:vcs=8")
    lanes = {"queue": "pfc", "deadlock": plan}
    assert tulle.simulate(faster, plan.routing, "permutation:bytes=4KiB", **lanes).complete  # type: ignore[arg-type]


def test_a_routing_of_another_fabric_says_what_differs() -> None:
    routing = tulle.route(tulle.Fabric("slimfly:q=3"), "minimal")
    with pytest.raises(tulle.InputError, match=r"their switches or cables differ; legal: a routing made for this"):
        tulle.simulate(tulle.Fabric("slimfly:q=4"), routing, "permutation")
    with pytest.raises(tulle.InputError, match=r"their endpoints differ; legal: .* Routing\.save and Routing\.load"):
        tulle.simulate(tulle.Fabric("slimfly:q=3,p=1"), routing, "permutation")
