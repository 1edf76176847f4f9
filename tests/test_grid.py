"""Test studies in Python: a grid gives the results of an equal study file, and its data frame contains them."""

from __future__ import annotations

import math
import re
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas
import polars
import pyarrow as pa
import pytest
from conftest import ROOT

import tulle
from tulle import study
from tulle.errors import FileError, InputError, MissingDependencyError, StudyError

if TYPE_CHECKING:
    from pathlib import Path

SMALL: dict[str, Any] = {"traffic": "permutation:bytes=16KiB", "routing": ["minimal", "spread:layers=2"], "seeds": 3}


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def frame(out: Path) -> study.Frame:
    return study.Grid(fabric={"Slim Fly": "slimfly:q=3", "clique": "clique:degree=6"}, **SMALL).run(out)


def test_a_grid_equals_the_study_file(frame: study.Frame, tmp_path: Path) -> None:
    file = tmp_path / "same.toml"
    file.write_text(
        'name = "same"\nmeasurement = "simulate"\nseeds = [0, 1, 2]\nplots = []\n'
        '[common]\ntraffic = "permutation:bytes=16KiB"\n'
        '[grid]\nfabric = ["slimfly:q=3", "clique:degree=6"]\nrouting = ["minimal", "spread:layers=2"]\n'
        '[[case]]\nname = "a"\n'
    )
    done = study.run(study.load(file), tmp_path / "runs")
    assert [run.id for run in done.plan.runs] == frame.runs["run"].to_pylist()
    for row, result in zip(frame.table.to_pylist(), done.results, strict=True):
        assert (row["seeds"], row["routing"]) == (3, result.point["routing"])
        for key in ("fct_mean_us", "throughput_gbps"):
            assert (row[key], row[f"{key}_half95"]) == (result.figures[key].mean, result.figures[key].half95)


def test_intervals_are_those_of_student(frame: study.Frame) -> None:
    runs = frame.runs.to_pylist()[:3]
    values = [run["fct_mean_us"] for run in runs]
    row = frame.table.to_pylist()[0]
    assert row["fct_mean_us"] == fmean(values)
    # The 97.5% quantile of Student's t with two degrees of freedom.
    assert row["fct_mean_us_half95"] == pytest.approx(4.30265 * stdev(values) / math.sqrt(3), rel=1e-5)


def test_tables(frame: study.Frame, tmp_path: Path) -> None:
    table = frame.table
    assert isinstance(table, pa.Table)
    assert table.column_names[:4] == ["fabric", "routing", "seeds", "endpoints"]
    assert table["fabric"].to_pylist() == ["Slim Fly", "Slim Fly", "clique", "clique"]
    assert table.schema.field("seeds").type == pa.int64()
    assert table.schema.field("fct_mean_us").type == pa.float64()
    assert len(frame.runs) == 12
    rows = frame.rows()
    assert rows.column_names[:4] == ["fabric", "routing", "seed", "flow"]
    assert rows.num_rows == sum(frame.runs["endpoints"].to_pylist())
    assert frame.to_pandas().equals(pandas.DataFrame(table.to_pydict()))
    assert frame.to_polars().equals(polars.DataFrame(frame))
    assert pa.table(frame).equals(table)
    frame.write_csv(tmp_path / "frame.csv")
    assert pandas.read_csv(tmp_path / "frame.csv")["fct_mean_us"].tolist() == table["fct_mean_us"].to_pylist()
    assert "4 rows by fabric, routing" in repr(frame)
    assert "Slim Fly" in frame._repr_html_()


def test_selection(frame: study.Frame) -> None:
    assert frame.values("fabric") == ["Slim Fly", "clique"]
    assert frame.where(fabric="clique", routing=["minimal"]).table["fabric"].to_pylist() == ["clique"]
    with pytest.raises(InputError, match=r"fabric='x' is not in the frame; legal: 'Slim Fly', 'clique'"):
        frame.where(fabric="x")
    with pytest.raises(InputError, match="unknown parameter 'fabrics' of the frame; did you mean fabric"):
        frame.where(fabrics="clique")


def test_one_seed_has_no_interval(out: Path) -> None:
    frame = study.Grid("sizes", fabric=["slimfly:q=3"], seeds=1, figures=["switches"]).run(out)
    assert frame.table.to_pylist() == [
        {"fabric": "slimfly:q=3", "seeds": 1, "switches": 18, "switches_half95": None},
    ]


def test_objects_have_the_results_of_their_specs(out: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=3")
    own = tulle.Fabric.from_edges(fabric.channels[fabric.cables], fabric.endpoint_switch)
    routing = tulle.route(fabric, "spread:layers=2", seed=7)
    load = tulle.traffic(fabric, "permutation:bytes=16KiB", seed=7)
    grid = study.Grid(
        fabric={"spec": "slimfly:q=3", "object": fabric, "edges": own},
        routing="minimal",
        traffic=load,
        seeds=2,
    )
    means = grid.run(out).table["fct_mean_us"].to_pylist()
    assert len(set(means)) == 1
    # The spec builds the fabric under any seed, so no file is needed.
    assert grid.study(out).grid["fabric"][:2] == ["slimfly:q=3", fabric.spec]
    expected = tulle.simulate(fabric, routing, load, seed=0).fct_us.mean()
    found = study.Grid(fabric=fabric, routing=routing, traffic=load, seeds=1).run(out)
    assert found.runs["fct_mean_us"].to_pylist() == [expected]


def test_a_random_fabric_stays_the_same_under_all_seeds(out: Path) -> None:
    fabric = tulle.Fabric("jellyfish:switches=12,degree=3,p=1", seed=4)
    damaged = fabric.without(links=1)
    grid = study.Grid("sizes", fabric=[fabric, damaged], seeds=2)
    first, second = grid.study(out).grid["fabric"]
    assert (tulle.Fabric(str(first), seed=9).channels == fabric.channels).all()
    assert (tulle.Fabric(str(second), seed=9).channels == damaged.channels).all()
    assert grid.study(out).grid["fabric"] == [first, second]
    names = grid.run(out).table["fabric"].to_pylist()
    assert names == [fabric.spec, f"{fabric.spec} with links=1,seed=0"]


def test_cases_vary_together(out: Path) -> None:
    frame = study.Grid(
        "throughput",
        cases={
            "Slim Fly": {"fabric": "slimfly:q=3", "routing": "minimal"},
            "clique": {"fabric": tulle.topologies.Clique(degree=4), "routing": "spread:layers=2"},
        },
        traffic="permutation:bytes=1B",
        seeds=[5],
    ).run(out)
    assert frame.parameters == ["case"]
    assert frame.table["case"].to_pylist() == ["Slim Fly", "clique"]
    assert frame.runs["seed"].to_pylist() == [5, 5]


def test_lists_and_numbers_as_values(out: Path) -> None:
    grid = study.Grid(
        "simulate",
        fabric="slimfly:q=3",
        routing="minimal",
        traffic="permutation:bytes=4KiB",
        warmup=np.array([0.0, 0.5]),
        faults=[[], ["down:links=1,at=1us"]],
        seeds=1,
    )
    table = grid.run(out).table
    assert table["warmup"].to_pylist() == [0.0, 0.0, 0.5, 0.5]
    assert table["faults"].to_pylist() == ["none", "down:links=1,at=1us"] * 2
    one = study.Grid(fabric="slimfly:q=3", faults=["down:links=1,at=1us", "down:links=1,at=2us"])
    assert one.study().common["faults"] == ("down:links=1,at=1us", "down:links=1,at=2us")


def test_seeds_are_added_until_intervals_are_narrow(out: Path) -> None:
    grid = study.Grid(fabric="slimfly:q=3", **SMALL)
    frame = grid.run(out, within="8%", of="fct_mean_us", most_seeds=40)
    for row in frame.table.to_pylist():
        assert 3 <= row["seeds"] <= 40
        assert row["fct_mean_us_half95"] <= 0.08 * row["fct_mean_us"]
    assert max(frame.table["seeds"].to_pylist()) > 3
    again = grid.run(out, within=0.08, of=["fct_mean_us"], most_seeds=40)
    assert again.table.equals(frame.table)
    with pytest.warns(UserWarning, match=r"2 of 2 combinations have intervals wider than ±1e-06 of the mean"):
        wide = grid.run(out, within=1e-6, of="fct_mean_us", most_seeds=4)
    assert wide.table["seeds"].to_pylist() == [4, 4]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"within": "2%"}, "within=2% without of; legal: both"),
        ({"of": "fct_mean_us"}, "of=fct_mean_us without within"),
        ({"within": "0%", "of": "fct_mean_us"}, "within=0% is out of range; legal: above 0"),
        ({"within": "x", "of": "fct_mean_us"}, "within=x is not a number"),
        ({"within": "2%", "of": "fct_mean"}, "of: unknown figure 'fct_mean'; did you mean fct_mean_us"),
        ({"within": "2%", "of": "fct_mean_us", "most_seeds": 1}, "most_seeds=1 is out of range; legal: 3 to 10000"),
    ],
)
def test_illegal_precision(arguments: dict[str, Any], message: str, out: Path) -> None:
    with pytest.raises((InputError, tulle.SpecError), match=message):
        study.Grid(fabric="slimfly:q=3", **SMALL).run(out, **arguments)


def test_illegal_grids(out: Path) -> None:
    with pytest.raises(InputError, match="unknown measurement 'simulat'; did you mean simulate"):
        study.Grid("simulat")
    with pytest.raises(InputError, match="unknown parameter 'fabrics' of simulate; did you mean fabric"):
        study.Grid(fabrics="slimfly:q=3")
    with pytest.raises(InputError, match="fabric has no values; legal: one or more"):
        study.Grid(fabric=[])
    with pytest.raises(InputError, match="fabric lists 'slimfly:q=3' more than once; legal: different values"):
        study.Grid(fabric=["slimfly:q=3"] * 2)
    with pytest.raises(InputError, match=r"routing is a Fabric of tulle.*; legal: tulle.Routing or its spec"):
        study.Grid(routing=tulle.Fabric("slimfly:q=3"))
    with pytest.raises(InputError, match="warmup has None as a value; legal: texts, numbers"):
        study.Grid(warmup=None)
    fabric = tulle.Fabric("slimfly:q=3")
    with pytest.raises(InputError, match="steps that wait for other steps; legal: its spec instead"):
        study.Grid(traffic=tulle.traffic(fabric, "allreduce:bytes=1KiB"))
    with pytest.raises(InputError, match="within=1% needs intervals, but seeds=1"):
        study.Grid(fabric="slimfly:q=3", seeds=1).run(out, within="1%", of="fct_mean_us")
    with pytest.raises(StudyError, match=r"grid: case 'grid': fabric: slimfly: q=6 is"):
        study.Grid(**{**SMALL, "fabric": "slimfly:q=6"}).run(out)
    with pytest.raises(StudyError, match="Grid: name = 'Grid' is not a name"):
        study.Grid(name="Grid").run(out)


def test_arrow_is_needed(monkeypatch: pytest.MonkeyPatch, out: Path) -> None:
    monkeypatch.setattr("tulle.study.report.frame.find_spec", lambda _: None)
    with pytest.raises(MissingDependencyError, match=r"Grid.run needs pyarrow; install tulle\[data\]"):
        study.Grid(fabric="slimfly:q=3").run(out)


def test_plots(frame: study.Frame, tmp_path: Path) -> None:
    for suffix in ("png", "svg"):
        frame.plot.cdf(tmp_path / f"cdf.{suffix}")
        frame.plot.curve(tmp_path / f"curve.{suffix}", x="fabric", y="fct_mean_us")
        frame.plot.heatmap(tmp_path / f"heat.{suffix}", x="routing", y="fabric", value="fct_p99_us")
    text = (tmp_path / "cdf.svg").read_text(encoding="utf-8")
    assert all(f"<!-- {name} -->" in text for name in ("Slim Fly, minimal", "clique, spread:layers=2"))
    assert "<!-- Slim Fly -->" in (tmp_path / "heat.svg").read_text(encoding="utf-8")
    again = tmp_path / "again.svg"
    frame.plot.cdf(again, of="fct_us")
    assert again.read_text(encoding="utf-8") == text


def test_curves_over_numbers(out: Path, tmp_path: Path) -> None:
    grid = study.Grid("flit", fabric="slimfly:q=3", routing="minimal", load=[0.3, 0.1], warmup=100, window=200, seeds=2)
    frame = grid.run(out)
    assert frame.values("load") == [0.3, 0.1]
    frame.plot.curve(tmp_path / "curve.svg", x="load", y=frame.figures[0].key)
    assert (tmp_path / "curve.svg").exists()
    # On one line, this label would be longer than the axis and cut off.
    label = frame.plot.curve(x="load", y="accepted").axes[0].yaxis.label
    assert label.get_text() == "accepted load\n(flits per cycle and endpoint)"


def test_illegal_plots(frame: study.Frame, tmp_path: Path) -> None:
    path = tmp_path / "plot.svg"
    with pytest.raises(InputError, match="of=fct: unknown distribution; did you mean fct_us"):
        frame.plot.cdf(path, of="fct")
    with pytest.raises(InputError, match="unknown metric 'fct_p9_us'; did you mean fct_p99_us"):
        frame.plot.curve(path, x="fabric", y="fct_p9_us")
    with pytest.raises(InputError, match="unknown parameter 'load' of the frame"):
        frame.plot.curve(path, x="load", y="fct_p99_us")
    with pytest.raises(InputError, match="x=fabric and y=fabric are the same"):
        frame.plot.heatmap(path, x="fabric", y="fabric", value="fct_p99_us")
    with pytest.raises(FileError, match="legal"):
        frame.plot.cdf(tmp_path / "plot.gif")
    assert not path.exists()


def test_no_parameter_of_a_measurement_is_an_argument_of_the_grid() -> None:
    from tulle.study.measurements.registry import listed

    own = {"measurement", "seeds", "cases", "figures", "name"}
    for each in listed():
        assert not own & set(each.parameters.model_fields), each.name


def test_the_example_of_the_documentation_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "explanation" / "studies.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    # The test uses smaller messages and fewer seeds, because they run the same code in less time.
    names: dict[str, Any] = {}
    exec(script.replace("256KiB", "4KiB").replace("range(5)", "range(2)"), names)
    assert names["frame"].table["fabric"].to_pylist() == ["Slim Fly", "Slim Fly", "Dragonfly", "Dragonfly"]
    assert sorted(path.name for path in tmp_path.glob("*.svg")) == ["fct.svg", "mean.svg", "p99.svg"]
