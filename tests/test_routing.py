"""Routings in Python."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import tulle


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
    # A channel in the row of a switch leaves that switch.
    source = fabric.channels[next_hop, 0]
    assert (source[:, apart] == np.broadcast_to(here[:, None], source.shape)[:, apart]).all()
    # Walking all pairs at once ends within as many steps as there are switches.
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
    # Between two switches of a clique of five: the cable, and a way around over each of the three others.
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
    with pytest.raises(TypeError, match="load it"):
        pickle.dumps(again)
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
    plan = routing.deadlock_free("dfsssp:vls=8")
    assert (plan.scheme, plan.num_vcs) == ("dfsssp", 8)
    assert 1 < plan.needed_vcs <= 8
    assert plan.routing is routing
    assert plan.certificate.shape == (len(fabric.channels) * plan.num_vcs,)
    with pytest.raises(tulle.InputError, match="single"):
        routing.deadlock_free("single")
    with pytest.raises(tulle.SpecError, match="did you mean dfsssp"):
        routing.deadlock_free("dfsssq")
    # Up and down again: one virtual channel is enough.
    assert tulle.route(tulle.Fabric("oft:k=3"), "minimal").deadlock_free("single").needed_vcs == 1
