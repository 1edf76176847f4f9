"""Test the command line as users run it."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import preloaded
import pytest
from conftest import Cli

import tulle as library
from tulle.registry import KINDS

psutil = pytest.importorskip("psutil")


@pytest.mark.parametrize("kind", KINDS)
def test_list(tulle: Cli, kind: str) -> None:
    printed = tulle("list", kind)
    assert printed.returncode == 0
    assert printed.stderr == ""
    listed = json.loads(tulle("list", kind, "--json").stdout)
    assert listed == {"kind": kind, "entries": library.registered(kind)}
    for entry in listed["entries"]:
        assert entry["name"] in printed.stdout


def test_fabric(tulle: Cli, tmp_path: Path) -> None:
    found = json.loads(tulle("fabric", "slimfly:q=5", "--json").stdout)
    assert (found["fabric"], found["family"], found["parameters"]) == ("slimfly:q=5,p=4", "slimfly", {"q": 5, "p": 4})
    assert (found["switches"], found["endpoints"], found["cables"]) == (50, 200, 175)
    assert (found["network_radix"], found["concentration"], found["radix"], found["diameter"]) == (7, 4, 11, 2)
    assert found["average_path_length"] == pytest.approx(91 / 49)
    text = tulle("fabric", "slimfly:q=5").stdout
    assert "fabric               slimfly:q=5,p=4\n" in text
    damaged = json.loads(tulle("fabric", "slimfly:q=5", "--fail", "links=20%", "--seed", "1", "--json").stdout)
    assert (damaged["cables"], damaged["faults"]) == (140, ["links=20%,seed=1"])
    wrote = json.loads(tulle("fabric", "slimfly:q=5", "--write", "net.csv", "--json").stdout)
    assert wrote["written"] == ["net.csv", "net.nodes.csv"]
    again = json.loads(tulle("fabric", "file:edges=net.csv,nodes=net.nodes.csv", "--json").stdout)
    assert [again[key] for key in ("switches", "cables", "endpoints", "diameter")] == [50, 175, 200, 2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net.csv", "net.nodes.csv"]


def test_distances_of_large_fabrics_are_computed_on_request(tulle: Cli) -> None:
    large = tulle("fabric", "torus:shape=200x101", "--json")
    found = json.loads(large.stdout)
    assert (found["switches"], found["diameter"], found["average_path_length"]) == (20_200, None, None)
    assert "distances between 20,200 switches are not computed; --distances computes them" in large.stderr
    assert "diameter" not in tulle("fabric", "torus:shape=200x101").stdout


def test_levels_of_an_imported_tree_are_derived(tulle: Cli, tmp_path: Path) -> None:
    built = library.Fabric("fattree:levels=3,radix=4")
    hosts = sorted(built.endpoint_switch.tolist())
    links = "\n".join(f"{one} {other}" for one, other in built.edges.tolist())
    (tmp_path / "tree.edges").write_text(links)
    nodes = [f"h{at},{switch}" for at, switch in enumerate(hosts)]
    (tmp_path / "tree.nodes.csv").write_text("\n".join(["node,switch", *nodes]))
    spec = "file:edges=tree.edges,nodes=tree.nodes.csv"
    routed = tulle("route", spec, "updown", "--json")
    assert "the levels come from the hops to the nearest switch with endpoints; numbers of switches" in routed.stderr
    assert "on levels 0, 1, …: 8, 8, 4; the parameter levels= selects" in routed.stderr
    expected = json.loads(tulle("route", "fattree:levels=3,radix=4", "updown", "--json").stdout)
    assert json.loads(routed.stdout)["hops"] == expected["hops"]
    refused = tulle("route", spec, "updown:levels=roles")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "cannot get levels from roles: some switch has no level, or some cable joins" in refused.stderr
    assert tulle("route", "fattree:levels=3,radix=4", "updown").stderr == ""


def test_route(tulle: Cli, tmp_path: Path) -> None:
    found = json.loads(tulle("route", "slimfly:q=5", "random:layers=3,rho=0.7", "--json").stdout)
    assert found["layers"] == 3
    assert found["hops"][0] == {"layer": 0, "mean": pytest.approx(91 / 49), "max": 2, "pairs": [0, 350, 2100]}
    assert "mean hops" in tulle("route", "slimfly:q=5", "minimal").stdout
    plan = json.loads(tulle("route", "oft:k=3", "minimal", "--deadlock", "one-vc", "--json").stdout)
    assert (plan["deadlock"], plan["needed_vcs"]) == ("one-vc", 1)
    paths = json.loads(tulle("route", "clique:degree=4", "edksp:k=4", "--quality", "-o", "routing", "--json").stdout)
    assert (paths["layers"], paths["paths"]) == (0, 80)
    assert paths["hops"] == [{"layer": None, "mean": 1.75, "max": 2, "paths": [0, 20, 60]}]
    assert paths["quality"]["pairs_with_3_disjoint"] == 1
    single = tulle("route", "clique:degree=4", "edksp:k=4", "--quality")
    assert "pairs_with_3_disjoint" in single.stdout
    assert "groups" not in single.stderr
    grouped = tulle("route", "fattree:levels=3,radix=4", "minimal", "--quality", "--json")
    assert "disjoint paths follow only the first next hop of every group; `tulle analyze" in grouped.stderr
    load = library.route("fattree:levels=3,radix=4", "minimal").paths_over()
    assert json.loads(grouped.stdout)["quality"]["paths_per_channel_sd"] == pytest.approx(load.std())
    fabric = library.Fabric("clique:degree=4")
    assert library.Routing.load(tmp_path / "routing", fabric).num_paths == 80


def test_route_repairs_failed_paths(tulle: Cli) -> None:
    arguments = [
        "route",
        "slimfly:q=5",
        "spread:layers=3,aim=disjoint",
        "--deadlock",
        "dfsssp:vcs=8",
        "--fail",
        "links=2",
        "--seed",
        "1",
    ]
    found = json.loads(tulle(*arguments, "--json").stdout)
    assert (found["switches"], found["layers"], found["entries"]) == (50, 3, 3 * 50 * 49)
    assert 0 < found["broken"] <= found["touched"] < found["entries"] // 20
    assert (found["deadlock"], found["num_vcs"]) == ("dfsssp:vcs=8", 8)
    assert isinstance(found["acyclic_with_old"], bool)
    assert "touched" in tulle(*arguments).stdout
    anew = json.loads(tulle(*arguments, "--anew", "--json").stdout)
    assert "touched" not in anew
    assert isinstance(anew["acyclic_with_old"], bool)
    assert anew["faults"] == found["faults"]


def test_route_reports_pairs_left_out_and_whether_old_and_new_paths_coexist(tulle: Cli) -> None:
    arguments = ["route", "flattenedclos:switches=30,ports=12", "virtual-updown", "--deadlock", "one-vc"]
    arguments += ["--fail", "links=4%", "--seed", "2"]
    repaired = json.loads(tulle(*arguments, "--json").stdout)
    assert (repaired["acyclic_with_old"], repaired["left_out"]) == (True, [])
    assert 0 < repaired["added"] <= repaired["broken"]
    # With --anew, tulle routes from scratch. The old and new paths form no dependency cycle, because all are virtual
    # up-down paths.
    anew = json.loads(tulle(*arguments, "--anew", "--json").stdout)
    assert anew["acyclic_with_old"] is True


def test_route_counts_hops_of_large_fabrics_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tulle.cli.routing.route import route

    def hops(counted: bool | None) -> object:
        route("slimfly:q=5", "minimal", hops=counted, json=True)
        return json.loads(capsys.readouterr().out)["hops"]

    assert hops(None) == hops(True) == [{"layer": 0, "mean": 4550 / 2450, "max": 2, "pairs": [0, 350, 2100]}]
    assert hops(False) is None
    # With a limit of 2,499 pairs, tulle treats the fabric as large.
    monkeypatch.setattr("tulle.cli.routing.route._COUNTED", 2499)
    assert hops(None) is None
    assert hops(True) is not None
    route("slimfly:q=5", "minimal")
    assert "not counted, 2500 pairs" in capsys.readouterr().out


def test_simulate(tulle: Cli, tmp_path: Path) -> None:
    arguments = [
        "simulate",
        "slimfly:q=5",
        "--routing",
        "random:layers=4,rho=0.7",
        "--traffic",
        "permutation:bytes=64KiB",
    ]
    arguments += ["--transport", "purified", "--selector", "recycle", "--seed", "1", "-o", "flows.csv"]
    printed = tulle(*arguments, "--json")
    assert printed.stderr == ""
    found = json.loads(printed.stdout)
    assert (found["flows"], found["completed"]) == (200, 200)
    assert set(found["fct_us"]) == {"mean", "p50", "p99", "max"}
    assert found["link_hops"] == found["counters"]["link_hops"] > 0
    assert found["user_seconds"] >= 0
    assert found["peak_rss_mb"] > 10
    lines = (tmp_path / "flows.csv").read_text().splitlines()
    assert len(lines) == 201
    # The Python functions give the same result as the command.
    fabric = library.Fabric("slimfly:q=5", 1)
    load = library.traffic(fabric, "permutation:bytes=64KiB", 1)
    routing = library.route(fabric, "random:layers=4,rho=0.7", 1)
    assert library.simulate(fabric, routing, load, seed=1).summary()["fct_us"] == found["fct_us"]
    assert "fct_us" in tulle(*arguments).stdout


def test_simulate_with_faults(tulle: Cli, tmp_path: Path) -> None:
    arguments = ["simulate", "slimfly:q=5", "--traffic", "permutation:bytes=64KiB", "--seed", "1"]
    arguments += ["--faults", "down:links=5,at=20us,until=500us", "--faults", "drop:links=3,until=100us,loss=50%"]
    printed = tulle(*arguments, "--links", "links.csv", "--sample", "10us", "--samples", "samples.csv", "--json")
    found = json.loads(printed.stdout)
    assert (found["completed"], found["cut_off"], found["partial"]) == (200, [], False)
    assert [fault["links"] for fault in found["faults_in_time"]] == [10, 6]
    assert sum(fault["data_lost"] for fault in found["faults_in_time"]) == found["counters"]["data_lost"] > 0
    assert len((tmp_path / "links.csv").read_text().splitlines()) == 1 + 350 + 400
    head, first, *_ = (tmp_path / "samples.csv").read_text().splitlines()
    assert (head.split(",")[0], first.split(",")[0]) == ("time_ps", "10000000")
    assert "down:links=5,at=20us,until=500us" in tulle(*arguments).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fabric", "slimfly:q=6"], "slimfly: q=6 is not a prime power; nearest 5, 7"),
        (["fabric", "oft:k=7"], "oft: k=7 "),
        (["fabric", "hyperx:shape=0x3"], "hyperx: shape=0x3 "),
        (["fabric", "jellyfish:switches=5,degree=3"], "jellyfish: switches=5, degree=3 "),
        (["fabric", "slimflu:q=5"], "unknown fabric 'slimflu'; did you mean slimfly?"),
        (["fabric", "slimfly:q=5,r=1"], "slimfly: unknown parameter 'r=1'; "),
        (["fabric", "file:edges=absent.csv"], "absent.csv: No such file"),
        (["fabric", "slimfly:q=5", "--fail", "links=200%"], "faults: links=200% is out of range"),
        (["fabric", "slimfly:q=5", "--write", "x.dat"], "x.dat: '.dat' is not a known extension; legal: .csv, "),
        (["fabric", "slimfly:q=5", "--seed", "-1"], "seed=-1 is out of range; legal: 0 to 2^64-1"),
        (["fabric", "slimfly:q=5", "--sed", "1"], "no such option: --sed (Possible options: --seed)"),
        (
            ["flit", "clique:degree=3", "--saturation", "booksim"],
            "got unexpected extra argument(s) (booksim); --saturation takes no value; did you mean --saturation-rule "
            "booksim?",
        ),
        (
            ["fabric", "clique:degree=3", "--json", "yes"],
            "got unexpected extra argument(s) (yes); --json takes no value",
        ),
        (["fabric"], "missing argument 'SPEC'"),
        (["fabrik", "slimfly:q=5"], "no such command 'fabrik'; did you mean fabric?"),
        (["frobnicate"], "no such command 'frobnicate'; legal: fabric, import, route, path, "),
        (
            ["throughput", "slimfly:q=5", "minimal"],
            "'minimal' is a routing; legal: TRAFFIC, or ROUTING TRAFFIC, for example minimal all-to-all",
        ),
        (["throughput", "slimfly:q=5", "uniform", "minimal"], "'minimal' is a routing; legal: "),
        (["lab", "frobnicate"], "no such command 'frobnicate'; legal: up, "),
        (["list", "graphs"], "unknown kind 'graphs'; legal: fabrics, "),
        (["list", "traffic"], "unknown kind 'traffic'; did you mean traffics"),
        (["route", "slimfly:q=5", "minimum"], "unknown routing 'minimum'; did you mean minimal?"),
        (["simulate", "slimfly:q=5", "--traffic", "permutation:bytes=0"], "permutation: bytes=0 is not a size"),
        (["simulate", "slimfly:q=5", "--faults", "down:at=1us"], "down: needs links= or switches=; for example down:"),
        (["simulate", "slimfly:q=5", "--sample", "1us"], "--sample must be given together with --samples, --link"),
        (
            ["simulate", "slimfly:q=5", "--sample-links", "1"],
            "--sample-links must be given together with --link-samples",
        ),
        (["simulate", "slimfly:q=5", "--rate", "100"], "rate=100 has no unit"),
        (["simulate", "slimfly:q=5", "-o", "/dev/null/x.csv"], "/dev/null/x.csv: "),
        (["run", "absent.toml"], "absent.toml: No such file"),
        (["route", "slimfly:q=5", "ksp:k=0"], "ksp: k=0 is out of range; legal: 1 to 255"),
        (["route", "slimfly:q=5", "random:rho=0"], "random: rho=0 is out of range; legal: above 0 and at most 1"),
        (["route", "slimfly:q=5", "random:rho=1.5"], "random: rho=1.5 is out of range; legal: above 0 and at most 1"),
        (
            ["route", "slimfly:q=5", "spread:aim=disjoint", "--deadlock", "hops:vcs=2"],
            "hops: spread:layers=4,limit=auto,aim=disjoint,effort=8",
        ),
        (
            ["route", "torus:shape=4x4", "minimal", "--fail", "links=70%", "--anew"],
            "minimal: torus:shape=4x4,p=1 has no",
        ),
        (["route", "torus:shape=4x4", "minimal", "--fail", "links=70%"], "reroute: switch ("),
        (["route", "slimfly:q=5", "minimal", "--anew"], "invalid value: --anew needs --fail"),
        (["tune", "slimfly:q=5", "--layers", "0"], "layers=0 is out of range; legal: 1 to 255"),
        (
            ["tune", "slimfly:q=5", "--vcs", "1", "--layers", "1"],
            "tune: no routing of slimfly:q=5,p=4 is within the limits layers=1, ",
        ),
        (["features", "minimum"], "unknown routing 'minimum'; did you mean minimal?"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(tulle: Cli, arguments: list[str], message: str) -> None:
    printed = tulle(*arguments)
    assert printed.returncode == 2
    assert printed.stdout == ""
    assert printed.stderr.startswith(f"tulle: {message}")
    assert printed.stderr.count("\n") == 1


def test_help_and_version(tulle: Cli) -> None:
    assert tulle("--version").stdout == f"tulle {library.__version__}\n"
    for arguments in ([], ["list"], ["fabric"], ["route"], ["simulate"], ["run"]):
        printed = tulle(*arguments, "--help")
        assert printed.returncode == 0
        assert printed.stdout.startswith(f"Usage: tulle {' '.join(arguments)}".rstrip())


def test_help_loads_nothing_heavy() -> None:
    heavy = ("numpy", "rich", "matplotlib", "tulle.study")
    code = f"import sys, tulle.cli.app; print([name for name in {heavy} if name in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout == "[]\n"


@pytest.mark.parametrize(
    ("command", "heavy"),
    [
        (["fabric", "slimfly:q=5", "--fail", "links=2"], ("numpy", "rich")),
        (["list", "fabrics"], ("numpy", "tulle.compare")),
    ],
)
def test_short_commands_load_little(command: list[str], heavy: tuple[str, ...]) -> None:
    """Check that short commands do not load numpy, which takes longer to load than most fabrics take to build.

    `list` contains ``from package import module`` with a module that is not public. Python then first asks the package
    for an attribute of this name. The package must not search for similar names, because that loads all public modules.
    """
    code = f"""
import sys
from tulle.cli.command import run
assert run({command}) == 0
print([name for name in {heavy} if name in sys.modules])
"""
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert printed.stdout.endswith("\n[]\n")


def test_colours_only_on_terminals(tulle: Cli) -> None:
    assert "\x1b" not in tulle("list", "fabrics", FORCE_COLOR="1", NO_COLOR="1").stdout
    assert "\x1b" not in tulle("list", "fabrics").stdout


def test_ctrl_c_stops_a_simulation(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("tulle")), "simulate", "slimfly:q=11"]
    command += ["--traffic", "permutation:bytes=1GiB", "-o", "f.csv"]
    command += ["--plot", "cdf.png", "--plot-by-size", "sizes.png", "--plot-load", "load.png"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        # The test waits until the process has used two seconds of processor time, because a busy machine delays its
        # start.
        while sum(psutil.Process(process.pid).cpu_times()[:2]) < 2:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=300)
    # The last lines matter; an earlier line can state how long the whole run would take.
    missing = [f"tulle: {name} is not drawn: no flow finished" for name in ("cdf.png", "sizes.png")]
    assert (process.returncode, error.splitlines()[-3:]) == (130, [*missing, "tulle: stopped"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.csv", "load.png"]
    found = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert (found["partial"], found["flows"], found["completed"]) == ("yes", "2178", "0")


def test_as_a_module() -> None:
    printed = subprocess.run([sys.executable, "-m", "tulle", "--version"], capture_output=True, text=True, check=True)
    assert printed.stdout == f"tulle {library.__version__}\n"


def test_stress(tulle: Cli, tmp_path: Path) -> None:
    path = tmp_path / "worse.csv"
    arguments = ("stress", "slimfly:q=5", "minimal", "permutation:bytes=3B", "--seed", "1", "--tries", "5000")
    found = json.loads(tulle(*arguments, "--json", "-o", str(path)).stdout)
    assert found["after_bytes"] > found["before_bytes"]
    assert found["worse"] == found["after_bytes"] / found["before_bytes"]
    lines = path.read_text().splitlines()
    assert lines[0] == "source,destination,bytes,start_ps"
    assert len(lines) == 201 == found["messages"] + 1
    certified = tulle(*arguments, "--throughput").stdout
    assert "throughput_before  " in certified
    assert "throughput_after   " in certified
    refused = tulle(*arguments[:-1], "-3")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "tries=-3 is out of range" in refused.stderr


def test_simulate_names_failed_parts_and_timed_faults(tulle: Cli) -> None:
    timed = "down:links=1,at=1us"
    arguments = ["simulate", "clique:degree=5", "-t", "permutation:bytes=1KB", "--fail", "links=2", "--faults", timed]
    found = json.loads(tulle(*arguments, "--seed", "3", "--json").stdout)
    assert found["faults"] == ["links=2,seed=3"]
    assert [fault["spec"].startswith(timed) for fault in found["faults_in_time"]] == [True]


def test_list_and_help_describe_one_entry_completely(tulle: Cli) -> None:
    result = tulle("list", "fabrics", "slimfly").stdout
    for part in ("slimfly", "3 to 256; a prime power", "must be given", "⌈k'/2⌉", "NSDI24", "Only prime powers"):
        assert part in result
    assert tulle("help", "slimfly").stdout == result
    assert json.loads(tulle("list", "queues", "trim", "--json").stdout)["entry"]["name"] == "trim"
    assert tulle("help", "queues").stdout == tulle("list", "queues").stdout
    assert tulle("help", "route").stdout == tulle("route", "--help").stdout
    assert tulle("help").stdout == tulle("--help").stdout
    assert tulle("help", "selectors", "recycle").stdout == tulle("list", "selectors", "recycle").stdout
    assert tulle("help", "plot", "cdf").stdout == tulle("plot", "cdf", "--help").stdout
    # Two plug-ins are called `random`: a selector and a routing.
    assert "selectors" in tulle("help", "random").stdout
    assert "routings" in tulle("help", "random").stdout
    for arguments, message in (
        (["help", "slimfli"], "no help on 'slimfli'; did you mean slimfly?"),
        (["help", "selectors", "recicle"], "selectors: unknown name 'recicle'; did you mean recycle?"),
        (["help", "plot", "cfd"], "plot has no command 'cfd'; did you mean cdf?"),
        (["help", "route", "minimal"], "route has no command 'minimal'; legal: none"),
        (
            ["help", "selector", "recycle"],
            "no kind or group 'selector'; did you mean selectors or flit-selectors or executors?",
        ),
        (["list", "queues", "trimm"], "queues: unknown name 'trimm'; did you mean trim?"),
        (["completion", "csh"], "unknown shell 'csh'; did you mean zsh?"),
    ):
        refused = tulle(*arguments)
        assert refused.returncode == 2
        assert refused.stderr == f"tulle: {message}\n"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("tulle fab", ["fabric"]),
        ("tulle fabric slim", ["slimfly"]),
        # bash's readline expects only the text after the last character that separates words, for example a colon.
        ("tulle fabric slimfly:", ["q=", "p="]),
        ("tulle route slimfly:q=5 random:layers=9,rh", ["9,rho="]),
        ("tulle simulate slimfly:q=5 --selector flow", ["flowlet"]),
        ("tulle list rout", ["routings", "routers"]),
        ("tulle help thro", ["throughput"]),
    ],
)
def test_bash_completes(tulle: Cli, line: str, expected: list[str]) -> None:
    script = tulle("completion", "bash").stdout.replace("compopt -o nospace", "true")
    ask = f"COMP_LINE='{line}'; COMP_POINT={len(line)}; _tulle; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{ask}"],
        env={"PATH": preloaded.shell_path()},
        capture_output=True,
        text=True,
        check=True,
    )
    assert sorted(done.stdout.split()) == sorted(expected)


def test_completion_of_other_shells(tulle: Cli) -> None:
    environment = {"_TULLE_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "tulle fabric slim"}
    assert '"slimfly"' in tulle(**environment).stdout
    fish = {"_TULLE_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    result = tulle(**fish, _TYPER_COMPLETE_ARGS="tulle fabric slim")
    assert result.stdout == "slimfly\n"
    for shell in ("zsh", "fish"):
        assert "_TULLE_COMPLETE" in tulle("completion", shell).stdout


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (("fabric", "slimfly:q=5", "--fail", "links=3", "--fail", "switches=1"), "--fail"),
        (("throughput", "slimfly:q=5", "all-to-all", "--seed=1", "--seed", "2"), "--seed"),
        (("design", "--endpoints", "100", "--radix", "16", "--family", "slimfly", "--family", "oft"), "--family"),
        (("deploy", "linux", "clique:degree=3", "minimal", "-o", "a", "-o", "b"), "-o"),
    ],
)
def test_an_option_with_one_value_is_given_once(tulle: Cli, arguments: tuple[str, ...], option: str) -> None:
    done = tulle(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"tulle: invalid value: {option} is given twice; legal: once\n"


def test_options_with_several_values_and_flags_may_be_repeated(tulle: Cli) -> None:
    rules = ("--link", "all:rate=100Gbps", "--link", "all:latency=1us")
    done = tulle("fabric", "clique:degree=3", *rules, "--json", "--json")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("selector", ["ecmp", "spray", "letflow:gap=10us"])
def test_a_selector_that_uses_one_of_several_layers_is_noted(tulle: Cli, selector: str) -> None:
    command = ["simulate", "slimfly:q=3", "-t", "permutation:bytes=9KB", "--selector", selector, "--routing"]
    name = selector.partition(":")[0]
    assert f"selector {name} uses only layer 0 of the 3 layers\n" in tulle(*command, "spread:layers=3").stderr
    assert "layer 0" not in tulle(*command, "minimal").stderr


@pytest.mark.parametrize(
    ("transport", "selector", "expected"),
    [
        ("mptcp", ["--selector", "reps"], True),
        ("mptcp:subflows=2", ["--selector", "recycle:hop=0"], True),
        ("mptcp:subflows=1", ["--selector", "reps"], False),
        ("mptcp", ["--selector", "letflow:gap=10us"], False),
        ("mptcp", [], False),
        ("tcp", ["--selector", "reps"], False),
    ],
)
def test_a_selector_that_chooses_no_layers_of_data_is_noted(
    tulle: Cli, transport: str, selector: list[str], expected: bool
) -> None:
    command = ["simulate", "slimfly:q=3", "-r", "spread:layers=3", "-t", "permutation:bytes=9KB"]
    printed = tulle(*command, "--transport", transport, *selector).stderr
    assert ("with mptcp, the transport chooses the layers of data, not selector re" in printed) == expected
