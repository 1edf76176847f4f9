"""Check that results of every kind can be compared, copied, pickled, and passed to pandas, polars and pyarrow."""

from __future__ import annotations

import copy
import pickle
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import tulle
from tulle import analysis

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray


def test_long_arrays_are_shown_by_type_and_shape() -> None:
    distances = analysis.distances("slimfly:q=5")
    assert repr(distances) == (
        "Distances(hops=<uint8 array (50, 50)>, counts=<uint32 array (50, 50)>, members=<int64 array (50,)>)"
    )
    assert repr(analysis.spectrum("clique:degree=3")).startswith("Spectrum(largest=3")
    for make in made(1).values():
        assert len(repr(make())) < 1500


def made(seed: int) -> dict[str, Callable[[], Any]]:
    """For each kind of result, return a function that makes one with `seed`; results differ between seeds."""
    fabric = tulle.Fabric("jellyfish:switches=16,degree=5,p=2", seed=seed)
    layers = tulle.route(fabric, "random:layers=2,rho=0.9", seed=seed)
    paths = tulle.route(fabric, "ksp:k=2")
    load = tulle.traffic(fabric, "permutation:bytes=20KB", seed=seed)
    given = tulle.Routing.from_next_hop(fabric, layers.next_hop)
    plan = layers.assign_vcs("dfsssp")
    damaged = fabric.without(links=[int(fabric.cables[0])])

    def simulated() -> tulle.Simulation:
        return tulle.simulate(fabric, layers, load, seed=seed, sample="10us")

    return {
        "fabric": lambda: fabric,
        "damaged": lambda: damaged,
        "routing": lambda: layers,
        "path set": lambda: paths,
        "given": lambda: given,
        "path columns": paths.path_columns,
        "plan": lambda: plan,
        "repaired": lambda: paths.assign_vcs("dfsssp"),
        "rerouted": lambda: layers.reroute(damaged, plan),
        "together": lambda: layers.acyclic_together(layers, plan, plan),
        "quality": layers.quality,
        "workload": lambda: load,
        "simulation": simulated,
        "flows": lambda: simulated().flows,
        "flit": lambda: tulle.simulate_flits(
            fabric, layers, "uniform", load=0.2, vcs=6, seed=seed, warmup=100, window=200
        ),
        "exchange": lambda: tulle.simulate_exchange(fabric, layers, load, vcs=6, seed=seed),
        "demands": lambda: analysis.Demands(16, [seed, 3], [5, 4], [1, 2]),
        "throughput": lambda: analysis.throughput(fabric, "all-to-all", layers, method="split"),
        "disjoint": lambda: analysis.disjoint_paths(fabric, 3),
    }


NAMES = [
    *("fabric", "damaged", "routing", "path set", "given", "path columns", "plan", "repaired", "rerouted", "together"),
    *("quality", "workload", "simulation", "flows", "flit", "exchange", "demands", "throughput", "disjoint"),
]


@cache
def of_seed(seed: int) -> dict[str, Callable[[], Any]]:
    return made(seed)


@pytest.mark.parametrize("name", NAMES)
def test_compares_copies_and_pickles(name: str) -> None:
    result, again, other = of_seed(0)[name](), made(0)[name](), of_seed(1)[name]()
    assert result == again
    assert result != other
    assert result != "something else"
    for twin in (pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)):
        assert type(twin) is type(result)
        assert twin == result
        # A result that was loaded from a pickle can be pickled again.
        assert pickle.loads(pickle.dumps(twin)) == result
        assert repr(twin) == repr(result)


def test_what_is_read_back_answers_all_that_was_asked() -> None:
    made_here = of_seed(0)
    for name in ("simulation", "flit", "exchange"):
        result = made_here[name]()
        twin = pickle.loads(pickle.dumps(result))
        assert twin.summary() == result.summary()
    simulation, twin = (made_here["simulation"](), pickle.loads(pickle.dumps(made_here["simulation"]())))
    assert np.array_equal(twin.slowdown, simulation.slowdown)
    assert not twin.flows["finish"].flags.writeable
    flit = pickle.loads(pickle.dumps(made_here["flit"]()))
    assert flit.saturated is flit.summary()["saturated"] is False
    plan = pickle.loads(pickle.dumps(made_here["plan"]()))
    assert plan.routing.acyclic_together(plan.routing, plan, plan)
    quality = pickle.loads(pickle.dumps(made_here["quality"]()))
    assert not quality.hops.flags.writeable


def test_a_stored_plan_is_proved_again() -> None:
    plan = of_seed(0)["plan"]()
    stored = plan._core.stored()
    with pytest.raises(tulle.InputError, match="text of a plan of virtual channels"):
        tulle._tulle.restore_plan(stored.replace('"ranks":[', '"ranks":[7,'), plan.routing._core)
    with pytest.raises(tulle.InputError, match=r"bytes of a routing: .* truncated"):
        tulle._tulle.restore_routing(plan.routing._core.stored()[:20], plan.routing.fabric._core)


COLUMNS: dict[str, NDArray[Any]] = {
    "narrow": np.array([1, -2, 3], np.int8),
    "wide": np.array([1, 2**63, 3], np.uint64),
    "swapped": np.array([1, 2, 3], ">i4"),
    "strided": np.arange(6, dtype=np.int32)[::2],
    "single": np.array([0.5, np.nan, -0.0], np.float32),
    "double": np.array([1e300, np.inf, 2.5]),
    "truth": np.array([True, False, True]),
    "text": np.array(["", "ü€", "abc"]),
}


def test_columns_are_tables_elsewhere() -> None:
    columns = tulle.Columns(COLUMNS)
    assert len(columns) == columns.num_rows == 3
    lists = {name: column.tolist() for name, column in COLUMNS.items()}
    lists["single"] = None

    def check(found: dict[str, list[Any]]) -> None:
        assert list(found) == list(COLUMNS)
        single = found["single"]
        assert (single[0], single[2], str(single[2])) == (0.5, 0.0, "-0.0")
        assert single[1] != single[1]
        assert {**found, "single": None} == lists

    # Libraries read columns as a dictionary or as an Arrow stream. An object of the class Stream has only the stream.
    class Stream:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return columns.__arrow_c_stream__(requested_schema)

    for source in (columns, Stream()):
        check(polars.DataFrame(source).to_dict(as_series=False))
        table = pyarrow.table(source)
        table.validate(full=True)
        check(table.to_pydict())
        del table
    check(columns.to_polars().to_dict(as_series=False))
    check(pandas.DataFrame(columns).to_dict("list"))
    check(columns.to_pandas().to_dict("list"))
    if hasattr(pandas.DataFrame, "from_arrow"):
        check(pandas.DataFrame.from_arrow(Stream()).to_dict("list"))
    types = pyarrow.table(Stream()).schema
    assert [str(types.field(name).type) for name in ("narrow", "wide", "truth")] == ["int8", "uint64", "bool"]


def test_streams_share_memory_and_outlive_their_columns() -> None:
    values = np.arange(1000, dtype=np.int64)
    reader = pyarrow.RecordBatchReader.from_stream(tulle.Columns({"values": values}))
    batch = reader.read_next_batch()
    assert batch.column(0).buffers()[1].address == values.ctypes.data
    with pytest.raises(StopIteration):
        reader.read_next_batch()
    capsule = tulle.Columns({"values": values}).__arrow_c_stream__()
    del values, reader, capsule
    # An Arrow column stays valid after the batch that contains it is deleted.
    column = batch.column(0)
    del batch
    assert column.to_pylist() == list(range(1000))
    assert pyarrow.table(tulle.Columns({})).num_rows == 0
    assert polars.DataFrame(tulle.Columns({"none": np.array([], np.float64)})).shape == (0, 1)


def test_columns_cannot_be_changed() -> None:
    columns = tulle.Columns({"a": np.arange(3)})
    changes: list[Callable[[], object]] = [
        lambda: columns.update(b=np.arange(3)),
        lambda: columns.pop("a"),
        columns.clear,
    ]
    for change in changes:
        with pytest.raises(TypeError, match="columns are read-only"):
            change()
    with pytest.raises(ValueError, match="read-only"):
        columns["a"][0] = 7
    assert columns == tulle.Columns({"a": np.arange(3)})
    assert columns != tulle.Columns({"a": np.arange(3, dtype=np.int8)})
    with pytest.raises(tulle.InputError, match="2, 3 rows"):
        tulle.Columns({"a": np.arange(3), "b": np.arange(2)})
    with pytest.raises(tulle.InputError, match="type complex128"):
        tulle.Columns({"a": np.zeros(1, complex)}).__arrow_c_stream__()


def test_fabrics_of_files_pickle(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=3")
    fabric.write(tmp_path / "sf.csv")
    read = tulle.Fabric(f"file:edges={tmp_path / 'sf.csv'}")
    assert pickle.loads(pickle.dumps(read)) == read
