"""Test workloads in Python."""

import pickle
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli

import tulle
import tulle as library
from tulle import _tulle, patterns


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
    assert load.spec == "permutation:bytes=64KiB"
    assert load == tulle.traffic(fabric, load.spec, seed=1)
    assert load != tulle.traffic(fabric, load.spec, seed=2)
    assert pickle.loads(pickle.dumps(load)) == load


def test_from_columns() -> None:
    load = tulle.Workload(np.array([0, 1], dtype=np.int16), [1, 0], 10, [5, 0])
    assert load.bytes.tolist() == [10, 10]
    assert load.start.tolist() == [5, 0]
    assert load.columns.to_csv() == "source,destination,bytes,start_ps\n0,1,10,5\n1,0,10,0\n"
    assert "2 messages, 20 bytes" in repr(load)
    assert pickle.loads(pickle.dumps(load)) == load


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [0], 1), "from endpoint 0 to itself"),
        (([0], [1], 0), "message 0: bytes=0; legal: 1 or more"),
        (([0, 0], [1, 1], 1, [0, -1]), "message 1: start=-1; legal: 0 or more"),
        (([0, 1], [1], 1), "2, 1, 2, 2 rows"),
        (([-1], [1], 1), "endpoint -1 is not an id"),
        (([0], [1], 1.5), "bytes has dtype float64"),
    ],
)
def test_from_columns_refuses(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(tulle.InputError, match=message):
        tulle.Workload(*arguments)  # type: ignore[arg-type]


def test_dependencies() -> None:
    load = tulle.Workload([0, 1], [1, 0], 100, compute=[5_000_000], dependencies=[(1, 2), (2, 0)])
    assert load.compute.tolist() == [5_000_000]
    assert load.dependencies.tolist() == [[1, 2], [2, 0]]
    assert pickle.loads(pickle.dumps(load)) == load
    fabric = tulle.Fabric.from_edges([(0, 1)], endpoint_switch=[0, 1])
    flows = tulle.simulate(fabric, tulle.route(fabric, "minimal"), load).flows
    assert flows["start"].tolist() == [0, flows["delivered"][0] + 5_000_000]
    assert tulle.Workload([0], [1], 1).dependencies.shape == (0, 2)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"dependencies": [(0, 1), (1, 0)]}, "waits for itself through other steps"),
        ({"dependencies": [(0, 2)]}, "step 0 waits for step 2; legal: steps below 2"),
        ({"dependencies": [0, 1]}, r"dependencies has shape \(2,\); legal: \(n, 2\)"),
        ({"compute": [-1]}, "compute=-1 is out of range"),
    ],
)
def test_dependencies_refuse(more: dict[str, list[int]], message: str) -> None:
    with pytest.raises(tulle.InputError, match=message):
        tulle.Workload([0, 1], [1, 0], 1, **more)


@pytest.mark.parametrize(
    "spec",
    [
        "stencil:ranks=40,iterations=2,barrier=ideal",
        "allreduce:ranks=16,algorithm=rabenseifner",
        "resnet152:ranks=4,size=0.001,time=0.001",
        "bisection:rounds=2,bytes=4KB",
    ],
)
def test_collectives_run(spec: str) -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    load = tulle.traffic(fabric, spec, seed=1)
    assert len(load.dependencies) > 0
    assert (load.dependencies < len(load) + len(load.compute)).all()
    assert pickle.loads(pickle.dumps(load)) == load
    result = tulle.simulate(fabric, tulle.route(fabric, "minimal"), load, transport="ndp")
    assert result.complete
    # A message that depends on an earlier message starts after the earlier message has arrived.
    waits = load.dependencies[(load.dependencies < len(load)).all(axis=1)]
    assert (result.flows["start"][waits[:, 0]] >= result.flows["delivered"][waits[:, 1]]).all()


INCAST, UNIFORM = "incast:senders=5,bytes=64KiB", "uniform:bytes=64KiB,arrivals=4000,duration=100us"


def test_background() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    spec = patterns.WithBackground(of=INCAST, background=UNIFORM)
    assert spec == f'with-background:of="{INCAST}",background="{UNIFORM}"'
    load, alone = tulle.traffic(fabric, spec, seed=1), tulle.traffic(fabric, INCAST, seed=1)
    assert tulle.traffic(fabric, load.spec, seed=1) == load != tulle.traffic(fabric, spec, seed=2)
    parts = [{name: column[rows] for name, column in load.columns.items()} for rows in (slice(5), slice(5, None))]
    assert all((parts[0][name] == column).all() for name, column in alone.columns.items())
    # 200 endpoints are expected to send 80 messages.
    assert 50 < len(parts[1]["start"]) < 110
    assert (np.diff(parts[1]["start"]) >= 0).all()
    # Other foregrounds have the same background.
    same = tulle.traffic(fabric, patterns.WithBackground(of="skewed", background=UNIFORM), seed=1)
    assert all((same.columns[name][200:] == column).all() for name, column in parts[1].items())
    # The workload gives the same simulation as both workloads, concatenated by hand.
    both = tulle.simulate(fabric, "minimal", load, seed=1)
    assert both.complete
    joined = {name: np.concatenate([part[name] for part in parts]) for name in load.columns}
    assert (tulle.simulate(fabric, "minimal", tulle.Workload(**joined), seed=1).fct_us == both.fct_us).all()


def test_collectives_in_front_of_and_behind_others() -> None:
    fabric = tulle.Fabric("slimfly:q=3")
    ring, stencil = "allreduce:ranks=4,bytes=8KiB", "stencil:ranks=9,iterations=2,compute=5us,barrier=ideal"
    load = tulle.traffic(fabric, patterns.WithBackground(of=ring, background=stencil))
    first, second = tulle.traffic(fabric, ring), tulle.traffic(fabric, stencil)
    assert [len(load), len(load.compute)] == [24 + 72, len(first.compute) + len(second.compute)]
    assert len(load.dependencies) == len(first.dependencies) + len(second.dependencies)
    front = np.isin(load.dependencies, [*range(24), *range(96, 96 + len(first.compute))])
    assert (front[:, 0] == front[:, 1]).all()
    assert tulle.simulate(fabric, "minimal", load, transport="ndp").complete
    exchange = tulle.simulate_exchange(fabric, "minimal", load, router="diameter-two")
    assert (exchange.arrival >= 0).all()
    alone = tulle.simulate_exchange(fabric, "minimal", first, router="diameter-two")
    assert exchange.arrival[:24].max() >= alone.arrival.max()


def test_background_in_rates() -> None:
    fabric = tulle.Fabric("star:endpoints=4")
    spec = "with-background:of=off-diagonal:offset=1,background=off-diagonal:offset=2"
    flits = tulle.simulate_flits(fabric, "minimal", spec, load=0.3, warmup=200, window=600)
    assert flits.accepted == pytest.approx(0.3, abs=0.05)
    pair = tulle.Fabric("clique:degree=1,p=2")
    found = tulle.analysis.throughput(pair, spec, tulle.route(pair, "minimal"))
    # Every endpoint sends two messages, one of each pattern. Three of the four messages of a switch cross the cable.
    assert found.lower == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("with-background:incast", r"'incast' is not key=value \(did you mean of=incast\?\)"),
        ("with-background:of=incast", "with-background: needs background=; for example"),
        ("with-background:of=incast,background=unifrm", "unknown traffic 'unifrm'; did you mean uniform"),
        ("with-background:of=hot-spot,background=uniform", "unknown traffic 'hot-spot'"),
        ("with-background:of=incast,background=incast,bytes=1KB", "with-background: unknown parameter 'bytes=1KB'"),
        ('with-background:of="incast:senders=999",background=uniform', "incast: senders=999 is out of range"),
        (
            'with-background:of="with-background:of=incast,background=skewed",background=uniform',
            "of=with-background has a background already; legal: a traffic without background",
        ),
    ],
)
def test_background_refuses(spec: str, message: str) -> None:
    with pytest.raises(tulle.TulleError, match=message):
        tulle.traffic(tulle.Fabric("slimfly:q=5"), spec)


def test_stress() -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    routing = tulle.route(fabric, "minimal")
    start = tulle.traffic(fabric, "permutation:bytes=3B", seed=1)
    found = tulle.stress(routing, start, tries=5000, seed=2)
    assert found.after > found.before
    assert sorted(found.workload.destination) == list(range(200))
    assert tulle.stress(routing, start, tries=5000, seed=2) == found
    assert tulle.stress(routing, start, tries=0).workload.destination.tolist() == start.destination.tolist()
    with pytest.raises(tulle.InputError, match="tries=-1 is out of range"):
        tulle.stress(routing, start, tries=-1)


def test_files(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    path = tmp_path / "flows.txt"
    path.write_text("1\n0 199 3 100 5000 0.001\n")
    load = tulle.traffic(fabric, f"hpcc:file={path}")
    assert load.columns.to_csv() == "source,destination,bytes,start_ps\n0,199,5000,1000000000\n"
    path.write_text("num_ranks 2\nrank 0 {\nsend 5b to 1\n}")
    with pytest.raises(tulle.FormatError, match=r"flows\.txt:3: rank 1 does not receive this message"):
        tulle.traffic(fabric, f"goal:file={path}")
    with pytest.raises(tulle.FileError, match="absent"):
        tulle.traffic(fabric, "htsim:file=absent")


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


def test_times_carry_their_units() -> None:
    expected = [1_500_000, 2_000_000_000]
    starts: tuple[Any, ...] = (
        ["1.5us", "2ms"],
        ["1500ns", timedelta(milliseconds=2)],
        np.array([1_500, 2_000_000], dtype="timedelta64[ns]"),
        expected,
        np.array(expected, dtype=np.uint64),
    )
    for start in starts:
        assert tulle.Workload([0, 1], [1, 0], 10, start).start.tolist() == expected
    for one in ("3us", timedelta(microseconds=3), np.timedelta64(3, "us"), 3_000_000, np.int32(3_000_000)):
        load = tulle.Workload([0, 1], [1, 0], 10, one, compute=["1us"], dependencies=[(1, 2)])
        assert load.start.tolist() == [3_000_000] * 2
        assert load.compute.tolist() == [1_000_000]


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (["5"], r"messages: start=5 has no unit; did you mean 5us or 5ns\?"),
        ("5 apples", "messages: start=5 apples is not a duration"),
        ([1.5], "start has dtype float64"),
        (["1us", None], "start"),
        (np.array(["NaT"], dtype="timedelta64[ns]"), "start contains NaT"),
        (np.array([1], dtype="timedelta64[Y]"), "legal: timedelta64 in ps, ns"),
        (timedelta(days=200), "start contains a time"),
    ],
)
def test_times_are_refused(start: object, message: str) -> None:
    with pytest.raises((tulle.InputError, tulle.SpecError), match=message):
        tulle.Workload([0], [1], 10, start)  # type: ignore[arg-type]


def test_messages_as_csv_round_trip(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    load = tulle.traffic(fabric, "uniform:arrivals=20000,duration=100us,sizes=websearch", seed=1)
    path = tmp_path / "with, comma.csv"
    load.columns.write_csv(path)
    read = tulle.traffic(fabric, f"file:{path}")
    for name, column in load.columns.items():
        assert (read.columns[name] == column).all()
    assert read.spec == f'file:messages="{path}",self=no,mapping=linear'
    assert tulle.traffic(fabric, read.spec) == read
    # A study treats this file as an input file.
    assert _tulle.traffic_files(f"file:{path}") == [str(path)]


def test_messages_as_csv_name_the_line(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    path = tmp_path / "messages.csv"
    path.write_text("source,destination,bytes\n0,1,4KiB\n1,200,1\n")
    with pytest.raises(tulle.FormatError, match=r"messages.csv:3: destination 200 is out of range; legal: 0 to 199"):
        tulle.traffic(fabric, f"file:{path}")


def test_sizes_have_the_distribution_of_a_file(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    path = tmp_path / "sizes.csv"
    path.write_text("bytes,share\n1000,0\n2000,0.8\n100KB,1\n")
    spec = f"uniform:arrivals=20000,duration=1ms,cdf={path}"
    load = tulle.traffic(fabric, spec, seed=1)
    assert load.spec == spec
    # With about 4,000 messages, the standard deviation is 0.006 for the share of small messages, and 380 bytes for the
    # mean size.
    assert (load.bytes <= 2000).mean() == pytest.approx(0.8, abs=0.03)
    assert load.bytes.mean() == pytest.approx(0.8 * 1500 + 0.2 * 51_000, abs=1900)
    assert 1000 <= load.bytes.min() < load.bytes.max() <= 100_000
    typed = tulle.patterns.Uniform(arrivals=20000, duration="1ms", cdf=path)
    assert tulle.traffic(fabric, typed, seed=1) == load
    # This is the same distribution in the format of HPCC's traffic generator.
    path.write_text("1000 0\n2000 80\n100000 100\n")
    assert tulle.traffic(fabric, spec, seed=1) == load
    assert _tulle.traffic_files(spec) == [str(path)]
    for pattern in ("permutation", "skewed", "random:destinations=2", "shuffle"):
        drawn = tulle.traffic(fabric, f"{pattern}{',' if ':' in pattern else ':'}cdf={path}", seed=1).bytes
        assert len(set(drawn.tolist())) > 100, pattern


def test_a_wrong_distribution_names_the_line(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    path = tmp_path / "sizes.csv"
    path.write_text("bytes,share\n1000,0.5\n2000,0.4\n3000,1\n")
    with pytest.raises(tulle.FormatError, match=r"sizes.csv:3: share 0.4 follows 0.5; legal: 0.5 to 1$"):
        tulle.traffic(fabric, f"permutation:cdf={path}")
    with pytest.raises(tulle.SpecError, match=r"bytes=1KB, cdf=.* exclude each other; legal: one of them"):
        tulle.traffic(fabric, f"permutation:bytes=1KB,cdf={path}")
    with pytest.raises(tulle.SpecError, match=r"sizes=own.csv is not a choice; legal: fixed, websearch; or cdf=FILE"):
        tulle.traffic(fabric, "permutation:sizes=own.csv")


def test_messages_to_the_sender_need_self_yes(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=5")
    path = tmp_path / "permutation.csv"
    path.write_text("source,destination\n0,1\n1,0\n2,2\n")
    with pytest.raises(
        tulle.FormatError, match=r"permutation.csv:4: a node sends to itself; legal: two nodes, or self=yes"
    ):
        tulle.traffic(fabric, f"file:messages={path},bytes=1KB")
    load = tulle.traffic(fabric, f"file:messages={path},bytes=1KB,self=yes")
    assert load.destination.tolist() == [1, 0, 2]
    with pytest.raises(tulle.InputError, match="flow 2: endpoint 2 sends to itself; legal: two different endpoints"):
        tulle.simulate(fabric, tulle.route(fabric, "minimal"), load)


Use = Callable[[tulle.Fabric, tulle.Routing, tulle.Workload], object]


@pytest.mark.parametrize(
    "use",
    [
        tulle.simulate,
        tulle.simulate_exchange,
        lambda fabric, routing, load: tulle.simulate_flits(fabric, routing, load, load=0.1, vcs=2, window=500),
        lambda _, routing, load: tulle.stress(routing, load, tries=10),
        lambda fabric, routing, load: tulle.analysis.throughput(fabric, load, routing),
        lambda fabric, _, load: tulle.analysis.demands(fabric, load),
        lambda fabric, _, load: tulle.analysis.collisions(fabric, load),
    ],
)
def test_a_workload_of_another_fabric_is_refused(use: Use) -> None:
    fabric = tulle.Fabric("clique:degree=5,p=3")
    routing = tulle.route(fabric, "minimal")
    for other in ("clique:degree=3,p=3", "clique:degree=6,p=3"):
        load = tulle.traffic(tulle.Fabric(other), "permutation:bytes=1KB")
        assert pickle.loads(pickle.dumps(load)).num_endpoints == load.num_endpoints
        with pytest.raises(
            tulle.InputError, match=r"is for (12|21) endpoints, .* has 18; legal: a workload made for this fabric"
        ):
            use(fabric, routing, load)
    # A workload that is made from columns can be used with any fabric that has enough endpoints.
    use(fabric, routing, tulle.Workload(load.source[:9], (load.source[:9] + 5) % 18, 1000))
    use(fabric, routing, tulle.traffic(tulle.Fabric("clique:degree=8,p=2"), "permutation:bytes=1KB"))


def test_sizes_can_have_units() -> None:
    load = tulle.Workload([0, 1, 2], [1, 2, 0], ["64KiB", "1MB", "1500B"])
    assert load.bytes.tolist() == [65536, 1_000_000, 1500]
    assert tulle.Workload([0, 1], [1, 0], "64KiB").bytes.tolist() == [65536, 65536]
    with pytest.raises(tulle.SpecError, match=r"^messages: bytes=64K"):
        tulle.Workload([0], [1], "64Kx")


@pytest.mark.parametrize("size", [0, -1])
def test_sizes_have_one_legal_range(size: int) -> None:
    with pytest.raises(tulle.InputError, match=rf"^message 0: bytes={size}; legal: 1 or more$"):
        tulle.Workload([0], [1], size)


def test_flows_of_a_simulation_can_be_simulated_again(tulle: Cli, tmp_path: Path) -> None:
    tulle("simulate", "slimfly:q=3", "-r", "minimal", "-t", "permutation:bytes=10KB", "-o", "flows.csv")
    first = (tmp_path / "flows.csv").read_text()
    again = tulle("simulate", "slimfly:q=3", "-r", "minimal", "-t", "file:flows.csv", "-o", "again.csv")
    note = (
        "tulle: flows.csv: columns delivered_ps, finish_ps, hops, retransmits, trimmed, timeouts, "
        "layer_changes, bytes_delivered, slowdown are ignored\n"
    )
    assert (again.returncode, again.stderr) == (0, note)
    assert (tmp_path / "again.csv").read_text() == first
    for command in (("throughput", "slimfly:q=3"), ("stress", "slimfly:q=3", "minimal")):
        assert tulle(*command, "file:flows.csv").stderr == note
    mixed = ("simulate", "slimfly:q=3", "-t", "with-background:of=incast,background=file:flows.csv")
    assert note in tulle(*mixed).stderr
    for name in ("exchange", "flit"):
        assert tulle(name, "slimfly:q=3", "-t", "file:flows.csv").stderr.startswith(note)


def test_warnings_of_a_file_stay_with_its_workload(tmp_path: Path) -> None:
    path = tmp_path / "flows.csv"
    path.write_text("src;dst;bytes;hops\n0;1;1e3;2.0\n")
    load = tulle.traffic("slimfly:q=3", f"file:{path}")
    assert (load.bytes.tolist(), load.warnings) == ([1000], (f"{path}: column hops is ignored",))
    assert pickle.loads(pickle.dumps(load)) == load
    assert tulle.Workload([0], [1], 1).warnings == ()


def test_a_study_reports_ignored_columns_of_a_trace(tmp_path: Path) -> None:
    (tmp_path / "flows.csv").write_text("source,destination,bytes,hops\n0,1,1000,2.0\n")
    path = tmp_path / "own.toml"
    for measurement in ("simulate", "flit-exchange"):
        path.write_text(
            f'name = "own"\nmeasurement = "{measurement}"\nplots = []\n[common]\nfabric = "slimfly:q=3"\n'
            'routing = "minimal"\ntraffic = "file:flows.csv"\n[[case]]\nname = "a"\n'
        )
        done = tulle.study.run(tulle.study.load(path), tmp_path / measurement)
        assert [line.rpartition("/")[2] for line in done.warnings] == ["flows.csv: column hops is ignored"]


def test_messages_of_an_exchange_can_be_simulated_again(tulle: Cli, tmp_path: Path) -> None:
    names = {"endpoint_names": ["a", "b", "c"]}
    library.Fabric.from_edges([(0, 1), (1, 2)], [0, 1, 2], properties=names).write(tmp_path / "x.json")  # type: ignore[arg-type]
    tulle("exchange", "file:edges=x.json", "-r", "minimal", "-t", "permutation:bytes=1KB", "-o", "messages.csv")
    again = tulle("simulate", "file:edges=x.json", "-r", "minimal", "-t", "file:messages.csv")
    assert again.returncode == 0, again.stderr
    assert "columns first_cycle, arrival_cycle, source_name, destination_name are ignored" in again.stderr
