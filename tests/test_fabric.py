"""Test fabrics in Python."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tulle


def test_arrays_of_a_slim_fly() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    assert (fabric.num_switches, fabric.num_cables, fabric.num_endpoints) == (50, 175, 200)
    assert (fabric.network_radix, fabric.concentration, fabric.radix, fabric.diameter) == (7, 4, 11, 2)
    assert fabric.spec == "slimfly:q=5,p=4"
    assert fabric.parameters == {"q": 5, "p": 4}
    channels, reverse = fabric.channels, fabric.reverse
    assert channels.dtype == reverse.dtype == np.int32
    assert channels.shape == (350, 2)
    assert np.array_equal(channels[reverse], channels[:, ::-1])
    assert np.array_equal(reverse[reverse], np.arange(350))
    assert fabric.edges.dtype == np.uint32
    assert fabric.edges.shape == (175, 2)
    assert np.array_equal(fabric.edges, channels[fabric.cables])
    assert np.array_equal(fabric.endpoint_switch, np.repeat(np.arange(50), 4))
    assert fabric.coordinates.shape == (50, len(fabric.coordinate_names))
    assert len(set(fabric.labels)) == 50
    assert fabric.levels.tolist() == [0] * 50
    # In the Hoffman-Singleton graph, each switch has 7 switches at distance 1 and 42 at distance 2.
    assert fabric.average_path_length == pytest.approx((7 + 2 * 42) / 49)


def test_arrays_cannot_be_changed() -> None:
    fabric = tulle.Fabric("clique:degree=3")
    with pytest.raises(ValueError, match="read-only"):
        fabric.channels[0, 0] = 7
    assert fabric.channels is fabric.channels


def test_seeds() -> None:
    fabric = tulle.Fabric("clique:degree=3", seed=np.int64(4))  # type: ignore[arg-type]
    assert fabric.seed == 4
    for seed in (-1, 1 << 64, 1.5, "1"):
        with pytest.raises(tulle.InputError, match="legal: 0 to 2\\^64-1"):
            tulle.Fabric("clique:degree=3", seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("slimfly:q=6", "q=6 .*nearest 5, 7"),
        ("oft:k=7", "k=7 "),
        ("hyperx:shape=0x3", "shape=0x3 "),
        ("nosuch:q=1", "unknown fabric 'nosuch'"),
        ("slimfly:q=5,z=1", "unknown parameter 'z=1'"),
        ("", "not a spec"),
        ("slimfly:q=5\nq", "not a spec|not a whole number"),
    ],
)
def test_bad_specs_are_value_errors(spec: str, message: str) -> None:
    with pytest.raises(tulle.SpecError, match=message) as caught:
        tulle.Fabric(spec)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, tulle.TulleError)


def test_equality_and_hash() -> None:
    one, two, other = (tulle.Fabric(spec) for spec in ("clique:degree=4", "clique:p=4,degree=4", "clique:degree=5"))
    assert one == two
    assert hash(one) == hash(two)
    assert one != other
    assert one != "clique:degree=4"


@pytest.mark.parametrize("spec", ["slimfly:q=5", "hyperx:shape=3x4", "dragonfly:p=2"])
def test_pickles(spec: str) -> None:
    fabric = tulle.Fabric(spec, seed=3)
    again = pickle.loads(pickle.dumps(fabric))
    assert again == fabric
    assert again.seed == 3
    edges = tulle.Fabric.from_edges([(0, 1), (1, 2)], 2, labels=["a", "b", "c"])
    again = pickle.loads(pickle.dumps(edges))
    assert again == edges
    assert again.labels == ("a", "b", "c")


def test_representations() -> None:
    fabric = tulle.Fabric.from_edges([(0, 1)], labels=["<a>", "b"])
    assert "2 switches" in repr(fabric)
    assert "not connected" not in fabric._repr_html_()
    split = tulle.Fabric.from_edges([(0, 1), (2, 3)])
    assert split.diameter is None
    assert split.average_path_length is None
    assert "not connected" in split._repr_html_()


def test_from_edges_places_endpoints() -> None:
    edges = np.array([[0, 1], [1, 2], [2, 0], [0, 1]], dtype=np.uint32)
    fabric = tulle.Fabric.from_edges(edges, [2, 0, 2])
    assert fabric.num_cables == 4
    assert fabric.endpoint_switch.tolist() == [2, 0, 2]
    assert fabric.edges.tolist() == [[0, 1], [0, 1], [0, 2], [1, 2]]
    assert tulle.Fabric.from_edges(edges, 2).endpoint_switch.tolist() == [0, 0, 1, 1, 2, 2]
    assert tulle.Fabric.from_edges(edges).num_endpoints == 0
    assert tulle.Fabric.from_edges(edges, num_switches=9).num_switches == 9
    assert tulle.Fabric.from_edges([], num_switches=3).num_cables == 0
    assert tulle.Fabric.from_edges([]).num_switches == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"edges": [(0, 0)]}, "to itself"),
        ({"edges": [(0, -1)]}, "switch -1 is not an id"),
        ({"edges": [(0, 1, 2)]}, r"shape \(1, 3\); legal: \(n, 2\)"),
        ({"edges": [0, 1]}, r"shape \(2,\)"),
        ({"edges": [(0.5, 1.0)]}, "dtype float64"),
        ({"edges": [(0, 1), (2,)]}, "edges is not an array"),
        ({"edges": np.array([[1 << 63, 1]], dtype=np.uint64)}, "too large"),
        ({"edges": [(0, 1)], "num_switches": 1}, "legal: below 1"),
        ({"edges": [(0, 1)], "num_switches": -1}, "num_switches=-1 is out of range"),
        ({"edges": [(0, 1 << 40)]}, "out of range"),
        ({"edges": [(0, 1)], "endpoint_switch": [5], "num_switches": 2}, "endpoint on switch 5"),
        ({"edges": [(0, 1)], "endpoint_switch": -2}, "endpoint_switch=-2"),
        ({"edges": [(0, 1)], "labels": ["a"]}, "1 labels for 2 switches"),
    ],
)
def test_from_edges_refuses(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(tulle.InputError, match=message) as caught:
        tulle.Fabric.from_edges(**arguments)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@given(
    st.integers(2, 12).flatmap(
        lambda switches: st.tuples(
            st.just(switches),
            st.lists(
                st.tuples(st.integers(0, switches - 1), st.integers(0, switches - 1)).filter(lambda e: e[0] != e[1])
            ),
            st.lists(st.integers(0, switches - 1)),
        )
    )
)
def test_from_edges_keeps_every_cable(drawn: tuple[int, list[tuple[int, int]], list[int]]) -> None:
    switches, edges, at = drawn
    fabric = tulle.Fabric.from_edges(edges, at, num_switches=switches, both="parallel")
    assert sorted(map(sorted, edges)) == fabric.edges.tolist()
    assert fabric.endpoint_switch.tolist() == at
    degrees = np.bincount(np.asarray(edges, dtype=np.int64).ravel(), minlength=switches)
    assert np.array_equal(np.bincount(fabric.channels[:, 0], minlength=switches), degrees)
