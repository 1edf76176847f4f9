"""Compare measurements of studies, for example `quality` and `cbd`, with the results of the library's functions."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli

import tulle
from tulle import study
from tulle.analysis.virtual_updown import virtual_updown_paths
from tulle.study.measurements.listing import parameters_of
from tulle.study.measurements.registry import listed
from tulle.study.papers.cbd import cbd_count


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(text)
    return path


def test_quality_is_that_of_the_routing(tmp_path: Path) -> None:
    text = (
        'name = "q"\nmeasurement = "quality"\n[common]\nfabric = "slimfly:q=5"\n[grid]\ndeadlock = ["dfsssp", "lash"]\n'
    )
    path = write(tmp_path, text + '[[case]]\nname = "a"\nrouting = "random:layers=3,rho=0.6"\nsharing = "channel"\n')
    done = study.run(study.load(path), tmp_path / "runs")
    routing = tulle.route(tulle.Fabric("slimfly:q=5"), "random:layers=3,rho=0.6", 0)
    quality = routing.quality("channel")
    for result, scheme in zip(done.results, ("dfsssp", "lash"), strict=True):
        figures = {key: spread.mean for key, spread in result.figures.items()}
        assert figures["needed_vcs"] == routing.assign_vcs(scheme).needed_vcs
        assert figures["mean_hops"] == quality.mean_hops
        assert figures["mean_switches"] == quality.mean_hops + 1
        assert figures["disjoint_3"] == pytest.approx(100 * quality.share(quality.disjoint, 3))
        assert figures["longest_hops"] == len(quality.longest) - 1
        assert figures["mean_longest_hops"] == quality.longest @ range(len(quality.longest)) / quality.pairs
        assert (figures["paths"], figures["fewest_paths"], figures["layers"]) == (3, 3, 3)
        # The mean load of a channel is the total number of hops of all paths, divided by the number of channels.
        assert figures["load_mean"] == pytest.approx(2450 * 3 * quality.mean_hops / 350)
    with (done.directory / "histograms.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["deadlock"] == "lash"]
    counts = {row["histogram"]: 0 for row in rows}
    for row in rows:
        counts[row["histogram"]] += int(row["count"])
    pairs = dict.fromkeys(("paths", "shortest", "longest", "disjoint", "disjoint_greedy", "most_shared"), 2450)
    assert counts == {**pairs, "hops": 3 * 2450, "mean_hops": 2450, "paths_over_channel": 350}
    means = [(float(row["at"]), int(row["count"])) for row in rows if row["histogram"] == "mean_hops"]
    assert means == [tuple(row) for row in quality.mean_hops_of_pairs.tolist()]
    assert sum(at * count for at, count in means) / 2450 == pytest.approx(quality.mean_hops)
    assert np.all(np.diff(quality.mean_hops_of_pairs[:, 0]) > 0)


def test_virtual_updown_paths_of_pairs_drawn() -> None:
    fabric = tulle.Fabric("flattenedclos:switches=30,ports=12", seed=1)
    every = tulle.route(fabric, "virtual-updown:min_paths=0").quality("channel")
    drawn = virtual_updown_paths(fabric, 20_000, 1)
    assert len(drawn.count) == len(drawn.hops) == 20_000
    # Each of the 870 pairs is sampled about 23 times. So each pair is sampled at least once, and sample means are close
    # to the exact means.
    share = np.bincount(drawn.count, minlength=len(every.paths)) / 20_000
    assert share == pytest.approx(every.paths / every.pairs, abs=0.02)
    assert int(drawn.count.min()) == int(np.flatnonzero(every.paths)[0])
    assert drawn.mean_hops == pytest.approx(every.mean_hops, rel=0.01)
    again = virtual_updown_paths("flattenedclos:switches=30,ports=12", 20_000, 1)
    assert np.array_equal(again.count, drawn.count)
    with pytest.raises(tulle.InputError, match="pairs=0 is out of range"):
        virtual_updown_paths(fabric, 0)
    with pytest.raises(tulle.InputError, match="no virtual layers"):
        virtual_updown_paths("slimfly:q=5", 10)


def _measured(measurement: str, fabric: str, tmp_path: Path, **common: str | int) -> dict[str, Any]:
    """Return the metrics of a study with one case, by name."""
    keys = "".join(f"{key} = {value!r}\n" for key, value in {"fabric": fabric, **common}.items())
    path = tmp_path / "one.toml"
    path.write_text(
        f'name = "one"\nmeasurement = "{measurement}"\nplots = []\nseeds = [1]\n[[case]]\nname = "one"\n{keys}'
    )
    result = study.run(study.load(path), tmp_path / "runs").results[0]
    return {key: spread.mean for key, spread in result.figures.items()}


def test_packets_at_a_failed_cable(tmp_path: Path) -> None:
    clos = "clos:hosts=24,switches=12,radix=8"
    found = _measured("rerouting", clos, tmp_path, routing="minimal", packets=300)
    # In a two-layer Clos, a packet can avoid the failed cable by another spine on its way up. On its way down, it has
    # only one path.
    assert (found["kept_up"], found["kept_down"], found["cycle"]) == (100, 0, 0)
    flattened = "flattenedclos:switches=30,ports=12"
    found = _measured("rerouting", flattened, tmp_path, routing="virtual-updown:min_paths=0", packets=300)
    assert found["kept_up"] > found["kept_down"] > 0
    assert found["cycle"] == 0
    with pytest.raises(tulle.StudyError, match="neither virtual layers nor levels"):
        _measured("rerouting", "slimfly:q=5", tmp_path, routing="minimal")


@pytest.mark.parametrize(
    ("measurement", "wrong", "legal"),
    [
        ("flit", "window = -1", "1 to 500000000"),
        ("flit", "sample = -1", "1 to 500000000"),
        ("flit", "warmup_tolerance = 3.0", "above 0 and at most 1"),
        ("flit-saturation", "drain = -1", "0 to 500000000"),
        ("flit-saturation", "precision = 0.0", "above 0 and at most 1"),
        ("flit-exchange", "limit = 0", "1 to 2147483648"),
        ("flit-exchange", "flit_bytes = -1", "1 to 1048576"),
    ],
)
def test_options_of_every_case_are_checked_before_anything_runs(
    tmp_path: Path, measurement: str, wrong: str, legal: str
) -> None:
    traffic = 'traffic = "permutation:bytes=1KB"\n'
    case = '[[case]]\nname = "{}"\nfabric = "slimfly:q=3"\nrouting = "minimal"\n' + traffic
    path = write(tmp_path, f'name = "s"\nmeasurement = "{measurement}"\n{case.format("a")}{case.format("b")}{wrong}\n')
    with pytest.raises(tulle.StudyError) as caught:
        study.plan(study.load(path))
    assert str(caught.value) == f"{path}: case 'b': {wrong} is out of range; legal: {legal}"


def test_no_measurement_takes_a_negative_number_that_it_cannot_run(tmp_path: Path) -> None:
    """Check that every measurement rejects -1 for each numeric parameter."""
    for of in listed():
        for parameter in parameters_of(of.parameters):
            if parameter["kind"]["type"] in ("integer", "number"):
                values = {**of.example, parameter["name"]: -1}
                lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
                path = write(tmp_path, f'name = "s"\nmeasurement = "{of.name}"\n[[case]]\nname = "a"\n{lines}')
                with pytest.raises(tulle.StudyError):
                    study.plan(study.load(path))


def test_warnings_of_runs_are_printed_once(tmp_path: Path, tulle: Cli) -> None:
    """Check that a study prints each warning once, also if all its runs are reused."""
    path = write(
        tmp_path,
        'name = "s"\nmeasurement = "flit"\nplots = []\nseeds = [1, 2]\n[common]\nfabric = "slimfly:q=3"\n'
        'routing = "minimal"\nload = 0.1\nwarmup = 100\nwindow = 200\n'
        '[[case]]\nname = "a"\nlinks = "all:latency=500ns"\n[[case]]\nname = "b"\n'
        '[[reference]]\ncase = "a"\nsource = "mine"\npaper = { accepted = 0.1 }\n'
        '[[comparison]]\ncase = "a"\nover = "b"\nsource = "mine"\nleast = { accepted = 0.5 }\n',
    )
    for _ in range(2):
        printed = tulle("run", str(path), "-o", str(tmp_path / "runs"))
        assert printed.stderr.count("the link latencies of the fabric are ignored without cycle_ps=\n") == 1
        assert "reference: mine (a; a / b)\n" in printed.stdout


def test_runs_on_links_of_their_own_name_all_parameters_of_the_selector(tmp_path: Path) -> None:
    """Check that recorded results are outdated when a default of the selector changes."""
    text = (
        'name = "n"\nmeasurement = "simulate"\n[common]\nfabric = "clique:degree=3,p=2"\nrouting = "spread:layers=3"\n'
    )
    text += 'traffic = "shuffle:bytes=64B"\nselector = "recycle:hop=2"\n'
    cases = '[[case]]\nname = "a"\n[[case]]\nname = "b"\nlinks = ["0/0:rate=25Gbps"]\n'
    runs = study.plan(study.load(write(tmp_path, text + cases))).runs
    usual, other = (run.configuration["parameters"]["selector"] for run in runs)
    assert usual == other != "recycle:hop=2"


def test_virtual_layers_of_a_spec(tmp_path: Path) -> None:
    assert _measured("virtual-layers", "flattenedclos:switches=2000,ports=64,p=24", tmp_path) == {"layers": 4}
    with pytest.raises(tulle.StudyError, match="no virtual layers; legal: flattenedclos"):
        _measured("virtual-layers", "slimfly:q=5", tmp_path)


def test_table_sizes(tmp_path: Path) -> None:
    found = _measured("table-sizes", "slimfly:q=5", tmp_path, routing="random:layers=5,rho=0.7")
    # The fabric has 50 switches with 4 endpoints each. An address has 3 bits for the layer, 6 for the switch and 2 for
    # the endpoint.
    counts = {"exact_entries": 5 * 200, "prefix_entries": 5 * 49, "own_entries": 5 * 4, "group_members": 0}
    assert {key: found[key] for key in counts} == counts
    assert (found["saved"], found["address_bits"]) == (1000 / 265, 11)
    assert (found["vlans"], found["lids"]) == (500 / 4094, 100 * (8 * 200 + 50) / 49151)
    # In this fat tree, only the 8 edge switches have endpoints, so a table has at most 8 prefixes. Toward other pods,
    # ECMP uses one group of two ports.
    found = _measured("table-sizes", "fattree:levels=3,radix=4", tmp_path, routing="minimal")
    assert (found["prefix_entries"], found["own_entries"], found["group_members"]) == (8, 2, 2)
    assert _measured("table-sizes", "hypercube:dimensions=3", tmp_path, routing="spain:paths=1,layers=2")["layers"] == 2
    with pytest.raises(tulle.StudyError, match="has explicit paths, which switches"):
        _measured("table-sizes", "slimfly:q=5", tmp_path, routing="ksp:k=2")
    with pytest.raises(tulle.StudyError, match="has no endpoints"):
        _measured("table-sizes", "slimfly:q=5,p=0", tmp_path, routing="minimal")


def test_buffer_dependencies() -> None:
    assert cbd_count("fattree:levels=3,radix=4", trials=3) == 0
    assert cbd_count("jellyfish:switches=20,degree=5,p=1", trials=10, seed=1) == 10
    some = cbd_count("jellyfish:switches=20,degree=5,p=1", 0.2, "one", 50, 1)
    assert 0 < some < 50
    assert cbd_count("jellyfish:switches=20,degree=5,p=1", 0.2, "one", 50, 1) == some
    with pytest.raises(tulle.InputError, match=r"a fraction 1.5 of pairs is out of range; legal: 0 to 1"):
        cbd_count("star:endpoints=2", 1.5)
    with pytest.raises(tulle.InputError, match=r"trials=0 is out of range"):
        cbd_count("star:endpoints=2", trials=0)
    with pytest.raises(tulle.SpecError, match=r"paths=two is not a choice; legal: all, one"):
        cbd_count("star:endpoints=2", paths="two")  # type: ignore[arg-type]
    with pytest.raises(tulle.SpecError, match=r"jellyfish: switches=5, degree=3 "):
        cbd_count("jellyfish:switches=5,degree=3")


def test_a_lab_file_lacks_a_column(tmp_path: Path) -> None:
    (tmp_path / "lab.csv").write_text("from,to,flows,mbps\ns0-0-0-h1,s0-0-1-h1,1,4.8\n")
    text = 'name = "q"\nmeasurement = "lab"\n[[case]]\nname = "a"\nfabric = "slimfly:q=5"\nrouting = "minimal"\n'
    path = write(tmp_path, text + 'measured = "lab.csv"\n')
    with pytest.raises(
        tulle.StudyError, match=r"line 2: 'by': a missing column, an unknown host or not a number; legal: c"
    ):
        study.run(study.load(path), tmp_path / "runs")


@pytest.mark.parametrize(
    ("measurement", "setting", "selector", "expected"),
    [
        ("flit", "load = 0.1", "recycle", "selector recycle uses only layer 0 of the 3 layers"),
        ("flit-saturation", "precision = 0.2", "recycle", "selector recycle uses only layer 0 of the 3 layers"),
        ("flit-exchange", 'traffic = "shuffle:bytes=64B"', "recycle", "selector recycle uses only layer 0 of the 3"),
        ("simulate", 'traffic = "shuffle:bytes=64B"', "spray", "selector spray uses only layer 0 of the 3 layers"),
    ],
)
def test_studies_say_that_a_selector_uses_one_layer(
    tmp_path: Path, measurement: str, setting: str, selector: str, expected: str
) -> None:
    settings = "" if measurement == "simulate" else "vcs = 8\n"
    settings += "warmup = 100\nwindow = 300\n" if measurement in ("flit", "flit-saturation") else ""
    text = f'name = "n"\nmeasurement = "{measurement}"\n[common]\nfabric = "clique:degree=3,p=2"\n{setting}\n{settings}'
    cases = f'[[case]]\nname = "a"\nrouting = "spread:layers=3"\nselector = "{selector}"\n'
    path = write(tmp_path, text + cases)
    done = study.run(study.load(path), tmp_path / "runs")
    assert sum(expected in warning for warning in done.warnings) == 1
