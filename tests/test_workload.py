"""Workloads in Python."""

import pickle

import numpy as np
import pytest

import tulle


def test_columns_of_a_permutation() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    load = tulle.traffic(fabric, "permutation:bytes=64KiB", seed=1)
    assert len(load) == 200
    assert load.source.tolist() == list(range(200))
    assert sorted(load.destination) == list(range(200))
    assert (load.source != load.destination).all()
    assert set(load.bytes) == {65536}
    assert set(load.start) == {0}
    assert {name: column.dtype.name for name, column in load.columns.items()} == {
        "source": "int32",
        "destination": "int32",
        "bytes": "int64",
        "start": "int64",
    }
    assert load.spec == "permutation:bytes=65536"
    assert load == tulle.traffic(fabric, load.spec, seed=1)
    assert load != tulle.traffic(fabric, load.spec, seed=2)
    assert pickle.loads(pickle.dumps(load)) == load


def test_from_columns() -> None:
    load = tulle.Workload(np.array([0, 1], dtype=np.int16), [1, 0], 10, [5, 0])
    assert load.bytes.tolist() == [10, 10]
    assert load.start.tolist() == [5, 0]
    assert load.columns.to_csv() == "source,destination,bytes,start\n0,1,10,5\n1,0,10,0\n"
    assert "2 messages, 20 bytes" in repr(load)
    assert pickle.loads(pickle.dumps(load)) == load


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [0], 1), "from endpoint 0 to itself"),
        (([0], [1], 0), "message 0 has 0 bytes"),
        (([0, 0], [1, 1], 1, [0, -1]), "message 1: bytes=1, start=-1"),
        (([0, 1], [1], 1), "2, 1, 2, 2 rows"),
        (([-1], [1], 1), "endpoint -1 is not an id"),
        (([0], [1], 1.5), "bytes has dtype float64"),
    ],
)
def test_from_columns_refuses(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(tulle.InputError, match=message):
        tulle.Workload(*arguments)  # type: ignore[arg-type]


def test_refuses() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    with pytest.raises(tulle.SpecError, match="unknown traffic 'permut'; did you mean permutation"):
        tulle.traffic(fabric, "permut")
    with pytest.raises(tulle.InputError, match="has 0 endpoints; legal"):
        tulle.traffic(tulle.Fabric.from_edges([(0, 1)]), "permutation")


def test_columns() -> None:
    columns = tulle.Columns({"a": np.array([1, 2]), "b<": np.array([0.5, 1.0])})
    assert columns.num_rows == 2
    assert list(columns) == ["a", "b<"]
    assert columns.to_csv() == "a,b<\n1,0.5\n2,1.0\n"
    assert "b&lt;" in columns._repr_html_()
    assert columns.to_polars().shape == (2, 2)
    assert tulle.Columns({}).num_rows == 0
