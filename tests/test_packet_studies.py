"""Test studies of the packet simulator: failures at given times, path and failure files, bisections and deadlocks."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, Cli

import tulle
from tulle import study
from tulle.study.measurements import simulate
from tulle.study.report.baseline import load_baseline, unexpected

HEAD = 'name = "s"\nmeasurement = "{}"\nplots = []\n[common]\nfabric = "{}"\nrouting = "minimal"\nselector = "ecmp"\n'
LOSSLESS = 'transport = "dcqcn:control=no"\nqueue = "pfc"\n'
TESTBED = "flattenedclos:switches=4,degrees=1x1,parallel=yes,p=4"


def run(tmp_path: Path, text: str) -> study.Finished:
    path = tmp_path / "study.toml"
    path.write_text(text)
    return study.run(study.load(path), tmp_path / "runs")


def test_a_switch_has_all_of_its_bisection(tmp_path: Path) -> None:
    bytes_ = 100 * 8936
    head = HEAD.format("ebb", "star:endpoints=8") + LOSSLESS + f'bytes = "{bytes_}B"\nrounds = 1\n'
    done = run(tmp_path, f'{head}[[case]]\nname = "both"\n[[case]]\nname = "one"\nboth = false\n')
    both, one = (result.figures for result in done.results)
    assert one["ebb"].mean == pytest.approx(1.0, abs=1e-12)
    assert one["worst"].mean == pytest.approx(1.0, abs=1e-12)
    # The transfer takes 100 packet times of 7.2 us, two link latencies of 1 us, and 7.2 us for the last packet on the
    # second link.
    assert one["ebb_gbps"].mean == pytest.approx(bytes_ * 8e-3 / (101 * 7.2 + 2), rel=1e-12)
    # If each pair sends in both directions, acknowledgements slow down all pairs equally.
    assert both["ebb"].mean == pytest.approx(1.0, abs=1e-3)


def test_pairs_across_one_cable_share_it(tmp_path: Path) -> None:
    head = HEAD.format("ebb", "clique:degree=1,p=4") + LOSSLESS + "both = false\nrounds = 50\nranks = 7\n"
    done = run(tmp_path, f'{head}[[case]]\nname = "a"\n')
    load = tulle.traffic(tulle.Fabric("clique:degree=1,p=4"), "bisection:both=no,rounds=50,ranks=7")
    ends = np.stack([load.source // 4, load.destination // 4]).T.reshape(50, 3, 2)
    # Flows with the same source switch and the same destination switch share the cable equally.
    wanted = [
        np.mean([1.0 if a == b else 1 / Counter(map(tuple, pairs.tolist()))[(a, b)] for a, b in pairs.tolist()])
        for pairs in ends
    ]
    with (done.directory / "bisections.csv").open(newline="") as file:
        shares = [float(row["share"]) for row in csv.DictReader(file)]
    assert shares == pytest.approx(wanted, rel=0.03)
    (result,) = done.results
    assert result.figures["endpoints"].mean == 7
    assert result.figures["ebb"].mean == pytest.approx(np.mean(shares))


FAULTS = "[grid]\nfaults = [[], 'down:links=ids:0,at=5us,until=40us', ['@{}']]\n[[case]]\nname = 'a'\n"


def test_faults_of_studies_are_those_of_simulate(tmp_path: Path) -> None:
    specs = ["down:links=ids:0,at=5us,until=40us", "drop:links=10%,loss=1%,until=1ms"]
    file = tmp_path / "faults"
    file.write_text(f"# two\n{specs[0]}\n\n{specs[1]}  # some\n")
    head = HEAD.format("simulate", "slimfly:q=3") + "traffic = 'permutation:bytes=64KiB'\n"
    done = run(tmp_path, head + FAULTS.format(file))
    fabric = tulle.Fabric("slimfly:q=3")
    load, routing = tulle.traffic(fabric, "permutation:bytes=64KiB"), tulle.route(fabric, "minimal")
    for result, faults in zip(done.results, ([], specs[:1], specs), strict=True):
        ours = tulle.simulate(fabric, routing, load, selector="ecmp", faults=faults)
        assert result.figures["fct_mean_us"].mean == ours.summary()["fct_us"]["mean"]
        lost = [fault["data_lost"] for fault in ours.faults]
        assert result.figures["lost"].mean == sum(lost)
        times = [fault["time_to_recover_us"] or 0.0 for fault in ours.faults]
        assert result.figures["recover_us"].mean == max(times, default=0.0)
        assert bool(lost) == bool(faults)
    assert done.results[2].figures["lost"].mean > 0  # type: ignore[operator]

    # tulle replaces a file by the failures in it. Each inner list is one value of the grid.
    resolved = [run.configuration["parameters"]["faults"] for run in done.plan.runs]
    assert [len(faults) for faults in resolved] == [0, 1, 2]
    # A spreadsheet would treat a leading @ as a formula, so the CSV file has a quote before the @.
    with (done.directory / "flows.csv").open(newline="") as rows:
        assert {row["faults"] for row in csv.DictReader(rows)} == {"none", specs[0], f"'@{file}"}
    for text, message in [
        ("down:links=1\nup:links=1\n", f"{file}:2: unknown fault 'up'"),
        ("down:at=1us\n", f"{file}:1: down: needs links="),
        ("\xff", "not UTF-8"),
    ]:
        file.write_bytes(text.encode("latin-1"))
        with pytest.raises(tulle.FormatError) as error:
            tulle.simulate(fabric, routing, load, faults=[f"@{file}"])
        assert message in str(error.value)
        assert "\n" not in str(error.value)


def test_files_of_faults_and_paths_on_the_command_line(tulle: Cli, tmp_path: Path) -> None:
    (tmp_path / "faults").write_text("down:links=ids:0,at=5us,until=40us\n")
    (tmp_path / "paths").write_text("0 1\n1 0\n")
    common = ("simulate", "clique:degree=1,p=2", "--routing", "@paths", "--selector", "ecmp", "--json")
    printed = tulle(*common, "--faults", "@faults")
    assert printed.returncode == 0, printed.stderr
    assert '"spec": "down:links=ids:0,at=5us,until=40us,detect=100us"' in printed.stdout
    printed = tulle(*common, "--faults", "@absent")
    assert (printed.returncode, printed.stderr) == (2, "tulle: absent: No such file or directory\n")


def test_paths_of_files(tmp_path: Path) -> None:
    fabric = tulle.Fabric(TESTBED, 17)
    file = tmp_path / "paths"
    file.write_text("# of the ring\n0 1\n0 1/1 2/0\n2 1\n")
    routing = tulle.route(fabric, f"@{file}")
    assert routing.num_paths == 3
    channels = fabric.channels.tolist()
    (path,) = routing.paths(0, 2)
    assert [channels[channel] for channel in path] == [[0, 1], [1, 2]]
    assert (path[0], path[1]) == (channels.index([0, 1]) + 1, channels.index([1, 2]))
    routing.save(tmp_path / "saved")
    assert tulle.route(fabric, f"@{tmp_path / 'saved'}").num_paths == 3
    for text, message in [
        ("0 1\n0 2\n", ":2: no cable from switch 0 to 2; legal: consecutive switches are neighbours"),
        ("0\n", ":1: 1 switch; legal: two or more"),
        ("0 4\n", ":1: '4' is not a switch; legal: 0 to 3"),
        ("0 1/2\n", ":1: '2' is not a parallel cable; legal: 0 to 1"),
        ("0 -1\n", ":1: '-1' is not a switch"),
        ("0 1 0\n", ":1: the path visits switch 0 twice"),
        ("# none\n", ": no paths; legal: one path per line"),
    ]:
        file.write_text(text)
        with pytest.raises(tulle.FormatError) as error:
            tulle.route(fabric, f"@{file}")
        assert str(error.value).startswith(str(file))
        assert message in str(error.value)
        assert "\n" not in str(error.value)
    with pytest.raises(tulle.FileError, match="absent"):
        tulle.route(fabric, f"@{tmp_path / 'absent'}")


@pytest.mark.parametrize(("name", "most"), [("balanced", 16), ("imbalanced", 24)])
def test_allocations_of_the_testbed(name: str, most: int) -> None:
    """Check the path allocations of Flattened Clos §6.2: paths per pair, flows per link, and dependency cycles."""
    fabric = tulle.Fabric(TESTBED, 17)
    files = ROOT / "studies" / "flattened-clos" / "testbed"
    across = {"ecmp": 8, "updown": 2} if name == "balanced" else {"ecmp": 4, "updown": 1}
    for scheme, paths in across.items():
        routing = tulle.route(fabric, f"@{files / f'{scheme}-{name}.paths'}")
        flows = np.zeros(len(fabric.channels))
        for source in range(4):
            for destination in set(range(4)) - {source}:
                own = routing.paths(source, destination)
                assert len(own) == (paths if abs(source - destination) == 2 else 2)
                for path in own:
                    flows[path] += 16 / len(own)
        assert flows.max() == most
        assert flows.sum() == 16 * 16
        if scheme == "updown":
            every = tulle.route(fabric, "virtual-updown")
            columns = routing.path_columns()
            for number, (source, destination) in enumerate(zip(columns.source, columns.destination, strict=True)):
                path = columns.channels[columns.offsets[number] : columns.offsets[number + 1]]
                assert any(np.array_equal(path, other) for other in every.paths(int(source), int(destination)))
            assert routing.assign_vcs("one-vc").num_vcs == 1
        else:
            with pytest.raises(tulle.InputError, match="can deadlock"):
                routing.assign_vcs("one-vc")


def test_the_testbed_is_as_kept(tmp_path: Path) -> None:
    # Both studies store their runs in one folder, because 10 runs are in both.
    for name in ("deadlock", "figure-9"):
        whole = study.load(ROOT / f"studies/flattened-clos/{name}.toml")
        done, kept = study.run(whole.of_size("small"), tmp_path), load_baseline(whole)
        assert done.verdicts
        assert kept is not None
        assert kept.small is not None
        assert list(unexpected(done, kept.small)) == []


def test_the_pauses_of_a_deadlock_are_a_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = study.load(ROOT / "studies/flattened-clos/deadlock-alternatives.toml")
    chosen = [case for case in whole.case if case.name in ("XOFF 25 KB", "XOFF 500 KB")]
    early, none = study.run(whole.model_copy(update={"case": chosen, "seeds": [1]}), tmp_path).results
    monkeypatch.chdir(whole.path.parent)
    deadlock = tulle.simulate(
        "file:edges=testbed/ring.csv,p=4",
        "@testbed/ecmp-imbalanced.paths",
        "all-to-all:bytes=2MB,within=no",
        "dcqcn",
        "round-robin:per=pair",
        seed=1,
        queue="pfc:xoff=25KB,xon=22KB",
        rate="50Gbps",
        mtu="1500B",
        link_latency="1us",
    ).deadlock
    assert deadlock is not None
    since = [port["since"] for port in deadlock["ports"]]
    assert early.figures["deadlock_pauses_us"].mean == pytest.approx((max(since) - min(since)) / 1e6)
    assert early.figures["deadlock_us"].mean == pytest.approx(deadlock["time"] / 1e6)
    assert none.figures["deadlock_pauses_us"].mean is None


def test_a_mapping_is_a_parameter_of_its_own(tmp_path: Path) -> None:
    head = HEAD.format("simulate", "slimfly:q=3") + 'traffic = "all-to-all:bytes=1KiB,ranks=4"\n'
    done = run(tmp_path, f'{head}[[case]]\nname = "a"\nmapping = "random"\n[[case]]\nname = "b"\n')
    traffics = [run.configuration["parameters"]["traffic"] for run in done.plan.runs]
    assert traffics == [f"all-to-all:bytes=1KiB,ranks=4,mapping={mapping}" for mapping in ("random", "linear")]
    result = done.results[1].figures
    flows = tulle.simulate(
        tulle.Fabric("slimfly:q=3"),
        tulle.route(tulle.Fabric("slimfly:q=3"), "minimal"),
        tulle.traffic(tulle.Fabric("slimfly:q=3"), "all-to-all:bytes=1KiB,ranks=4"),
        selector="ecmp",
    ).flows
    assert result["arrived_us"].mean == flows["delivered"].max() / 1e6
    last = [flows["delivered"][(flows["source"] == end) | (flows["destination"] == end)].max() for end in range(4)]
    assert result["endpoint_us"].mean == pytest.approx(np.mean(last) / 1e6)
    with pytest.raises(tulle.StudyError, match="mapping=linear and mapping=random are both set; legal: one"):
        run(tmp_path, f'{head.replace("ranks=4", "mapping=linear")}[[case]]\nname = "a"\nmapping = "random"\n')


def test_the_files_of_a_background_belong_to_the_inputs_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "trace.csv").write_text("source,destination,bytes\n0,1,1000\n")
    traffic = "with-background:of=incast:senders=2,background=file:messages=trace.csv"
    text = f'{HEAD.format("simulate", "slimfly:q=3")}traffic = "{traffic}"\n[[case]]\nname = "a"\n'
    first = run(tmp_path, text).results[0].figures
    (tmp_path / "trace.csv").write_text("source,destination,bytes\n0,1,9000000\n")
    assert run(tmp_path, text).results[0].figures != first


def test_studies_have_metrics_of_the_foreground(tmp_path: Path) -> None:
    incast = "incast:senders=8,bytes=32KiB"
    whole = f'with-background:of="{incast}",background="uniform:bytes=16KiB,arrivals=20000,duration=100us"'
    head = HEAD.format("simulate", "slimfly:q=3").replace("[common]", "seeds = [3]\n[common]")
    done = run(tmp_path, f"{head}[grid]\ntraffic = ['{incast}', '{whole}']\n[[case]]\nname = 'a'\n")
    alone, both = ({key: spread.mean for key, spread in result.figures.items()} for result in done.results)
    found = tulle.simulate("slimfly:q=3", "minimal", whole, selector="ecmp", seed=3)
    for name, times in (("foreground", found.fct_us[:8]), ("background", found.fct_us[8:])):
        assert both[f"fct_{name}_mean_us"] == pytest.approx(np.mean(times), rel=1e-12)
        assert both[f"fct_{name}_p99_us"] == pytest.approx(np.percentile(times, 99), rel=1e-12)
        assert alone[f"fct_{name}_mean_us"] is None
    # The background makes the incast slower, although its short messages lower the mean over both parts.
    assert both["fct_mean_us"] < alone["fct_mean_us"] < both["fct_foreground_mean_us"]  # type: ignore[operator]
    with (done.directory / "flows.csv").open(newline="") as file:
        parts = [row["part"] for row in csv.DictReader(file)]
    assert parts == ["0"] * 16 + ["1"] * (len(found.fct_us) - 8)


def test_notes_explain_only_the_printed_metrics(tulle: Cli, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    head = HEAD.format("simulate", "slimfly:q=3").replace('"minimal"', '"minimal"\ntraffic = "permutation:bytes=4KiB"')
    for figures, explained in (
        ('["fct_mean_us"]', ["FCT: "]),
        ('["fct_short_p1_us", "endpoints"]', ["FCT: ", "Short flows"]),
        ('["throughput_medium_gbps"]', ["Medium flows"]),
        ('["arrived_us"]', []),
        ("[]", ["FCT: ", "Cables"]),
    ):
        path.write_text(f"figures = {figures}\n{head}[[case]]\nname = 'a'\n")
        note = tulle("run", str(path), "-o", str(tmp_path / "r")).stdout.rpartition("\n\n")[2]
        for start in ("FCT: ", "Short flows", "Medium flows", "Long flows", "Cables", "Values without"):
            assert (start in note) == (start in explained), (figures, start)
    assert "(0 runs measured, 1 reused)" in note


def test_a_mapping_is_passed_to_the_parts_of_a_traffic() -> None:
    def resolved(traffic: str) -> str:
        parameters = simulate.Simulate(fabric="slimfly:q=3", routing="minimal", traffic=traffic, mapping="random")
        return simulate.resolve(parameters).traffic

    whole = 'with-background:of="shuffle:bytes=1KiB",background="with-background:of=permutation,background=stencil"'
    assert [part.count("mapping=random") for part in resolved(whole).split("background=")] == [1, 0, 1]
    for traffic, problem in (
        ("with-background:of=incast,background=uniform", "has no ranks for mapping=random; legal: without it"),
        ("permutation", "traffic: permutation has no ranks"),
        ("with-background:of=incast,background=shuffle:mapping=linear", "mapping=linear and mapping=random are both"),
        ("file:matrix=tm.csv", "a traffic matrix has no messages"),
    ):
        with pytest.raises(tulle.SpecError, match=problem):
            resolved(traffic)


def test_addresses_of_a_switch_come_down_over_cables_of_their_own() -> None:
    fabric = tulle.Fabric("fattree:levels=2,leaves=12,cores=6,cables=3,p=17")
    routing = tulle.route(fabric, "updown:choice=dmodk,layers=17")
    for source, destination in ((0, 1), (3, 11), (11, 0)):
        paths = np.stack(routing.paths(source, destination))
        assert len(set(paths[:, 0].tolist())) == 17
        assert len(set(paths[:, 1].tolist())) == 17
