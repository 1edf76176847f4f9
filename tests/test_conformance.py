"""Check the requirements for every registered Python plug-in. The tests also cover plug-ins that are added later.

The conformance tests of Rust plug-ins are in their crates. `test_registry.py` compares lists, schemas and readers.
"""

from __future__ import annotations

import json
import shlex
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import ROOT

import tulle
from tulle import _tulle, study
from tulle.analysis.metrics import metric
from tulle.cabling import plan_cabling
from tulle.cabling.exports import export, export_formats
from tulle.cabling.live import live_tools, read_live, tool_of
from tulle.cabling.networks import network_formats, read_network
from tulle.cabling.networks.model import CHOICES
from tulle.cabling.source import Source
from tulle.cli.command import run
from tulle.cli.reference.list import KINDS as LISTED
from tulle.deploy.bundle_header import INFINIBAND
from tulle.deploy.ethernet import bundle as ethernet
from tulle.deploy.infiniband import bundle as infiniband
from tulle.deploy.targets import targets
from tulle.deploy.versions.layout import PREVIOUS, UNUSED, WHY, opened
from tulle.errors import FormatError, InputError
from tulle.registry import KINDS, PYTHON_KINDS
from tulle.schedulers.formats import schedulers
from tulle.schedulers.formats.text import WRITTEN
from tulle.schedulers.tree import network_tree
from tulle.study.executors import executor, executor_kinds
from tulle.study.measurements.registry import listed, measurement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tulle.cabling.live.model import LiveTool
    from tulle.cabling.networks.model import NetworkFormat
    from tulle.declarations import Entry
    from tulle.deploy.targets.model import Target
    from tulle.schedulers.model import Scheduler
    from tulle.schedulers.tree import NetworkTree
    from tulle.study.executors.model import ExecutorKind
    from tulle.study.measurements.registry import Listed

FABRIC, ROUTING = "hyperx:shape=3x3,p=2", "almost-minimal:layers=2"
LINK = ("--link", "all:rate=100Gbps,length=5m")
ENTRIES = [
    pytest.param(kind, entry, id=f"{kind}-{entry['name']}") for kind in PYTHON_KINDS for entry in tulle.registered(kind)
]
TARGETS = [
    pytest.param(target, example, id=example.replace(" ", "-")) for target in targets() for example in target.examples
]
FORMATS = [pytest.param(format, id=format.name) for format in network_formats()]
TOOLS = [pytest.param(tool, id=tool.name) for tool in live_tools()]


def content(bundle: Path) -> dict[str, bytes]:
    """Return the files of the bundle's version in use."""
    folder = opened(bundle)
    found = {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    return {name: text for name, text in found.items() if name not in (PREVIOUS, UNUSED, WHY)}


def written(folder: Path, files: Mapping[str, str]) -> list[Path]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


# All kinds.


@pytest.mark.parametrize(("kind", "entry"), ENTRIES)
def test_an_entry_is_whole(kind: str, entry: Entry, capsys: pytest.CaptureFixture[str]) -> None:
    assert entry["summary"]
    assert entry["paper"]
    assert entry["examples"]
    assert all(parameter["help"] and parameter["legal"] for parameter in entry["parameters"])
    names = [parameter["name"] for parameter in entry["parameters"]]
    assert len({*names}) == len(names)
    assert run(["list", kind, entry["name"]]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in [entry["name"], *names])


def test_names_are_unique() -> None:
    for kind in KINDS:
        names = [entry["name"] for entry in tulle.registered(kind)]
        assert len({*names}) == len(names) > 0, kind


def test_every_kind_is_in_the_help() -> None:
    assert [kind for kind in KINDS if kind not in LISTED] == []


# Deploy targets.


@pytest.mark.parametrize(("target", "example"), TARGETS)
def test_an_example_of_a_target_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: Target, example: str
) -> None:
    name, *options = shlex.split(example)
    assert name == target.name
    out = tmp_path / "bundle"
    arguments = ["deploy", name, FABRIC, ROUTING, *options, *LINK, "-o", str(out)]
    assert run([*arguments, "--json"]) == 0
    message = json.loads(capsys.readouterr().out)
    before = content(out)
    assert {str(Path(path).relative_to(out)) for path in message["written"]} == {*before}
    header = json.loads(before["bundle.json"])
    assert header["format"] == target.format
    assert {name.partition("/")[0] for name in before} <= {*target.files, *target.lossless_files}
    assert {*header["files"], "bundle.json"} == {*before}
    # A second run of the command writes the same files.
    assert run(arguments) == 0
    assert capsys.readouterr().out.splitlines()[-1].split() == ["written", str(out)]
    assert content(out) == before
    # The command refuses to replace these files by the bundle of another network.
    assert run(["deploy", name, "clique:degree=3,p=1", "minimal", *LINK, "-o", str(out)]) == 2
    assert capsys.readouterr().err.endswith("legal: another folder, or --force to replace it\n")
    assert content(out) == before


@pytest.mark.parametrize("target", [pytest.param(target, id=target.name) for target in targets()])
def test_help_of_a_target_names_its_options(capsys: pytest.CaptureFixture[str], target: Target) -> None:
    assert run(["deploy", target.name, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert target.help in shown
    for option in target.options:
        assert option.flag in shown
        # The help breaks words at hyphens, so the test compares texts without spaces.
        assert option.help.replace(" ", "") in shown.replace(" ", "")


@pytest.mark.parametrize("target", [pytest.param(target, id=target.name) for target in targets()])
def test_options_of_a_target_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str], target: Target) -> None:
    with pytest.raises(InputError, match=f"{target.name}: unknown option 'nosuch'"):
        target.bundle(tulle.route(FABRIC, "minimal"), tmp_path / "out", nosuch=1)
    for option in target.options:
        for value in (option.least, option.most):
            if value is not None:
                beyond = value - 1 if value == option.least else value + 1
                for refused in (
                    lambda option=option, beyond=beyond: target.values({option.name: beyond}),
                    lambda option=option, beyond=beyond: by_command(target, option.flag, str(beyond), capsys),
                ):
                    with pytest.raises(InputError, match=f"^{option.flag}={beyond} is out of range; legal: "):
                        refused()


def by_command(target: Target, flag: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Run a deploy command with an option; if it fails, raise its error message as InputError."""
    code = run(["deploy", target.name, FABRIC, "minimal", flag, value, "-o", "nowhere"])
    if code:
        raise InputError(capsys.readouterr().err.removeprefix("tulle: "))


@pytest.mark.parametrize("target", [pytest.param(target, id=target.name) for target in targets()])
def test_bundles_of_a_target_are_read_back(tmp_path: Path, target: Target) -> None:
    routing = tulle.route(tulle.Fabric(FABRIC, links=[LINK[1]]), ROUTING)
    target.bundle(routing, tmp_path)
    if target.format == INFINIBAND:
        assert infiniband.read_bundle(tmp_path).header.endpoints == routing.fabric.num_endpoints
    elif target.is_verifiable:
        bundle = ethernet.read_bundle(tmp_path)
        assert (bundle.header.target, bundle.plan.num_entries) == (target.name, 2 * 9 * 8)
    else:
        with pytest.raises(InputError, match="which `tulle deploy verify` and `repair` do not support"):
            ethernet.read_bundle(tmp_path)


# Import formats.


@pytest.mark.parametrize("format", FORMATS)
def test_an_example_of_an_import_format_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], format: NetworkFormat
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, format.sample)
    for example in format.examples:
        assert run(["import", *shlex.split(example), "-o", "fabric.json", "--json"]) == 0
        message = json.loads(capsys.readouterr().out)
        fabric = tulle.Fabric("file:edges=fabric.json")
        assert message["switches"] == fabric.num_switches > 0
        assert message["endpoints"] == fabric.num_endpoints > 0


@pytest.mark.parametrize("format", FORMATS)
def test_options_of_an_import_format_are_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], format: NetworkFormat
) -> None:
    paths = written(tmp_path, format.sample)
    with pytest.raises(InputError, match=f"{format.name}: unknown option 'nosuch'"):
        read_network(format.name, paths, nosuch=True)
    assert run(["import", "--help"]) == 0
    shown = capsys.readouterr().out
    for option in (*CHOICES, *format.options):
        assert option.flag in shown
    own = {option.name for option in format.options}
    for other in network_formats():
        for option in other.options:
            if option.name not in own and option.type is bool:
                more = [option.flag, "-o", str(tmp_path / "f.json")]
                assert run(["import", format.name, *map(str, paths), *more]) == 2
                assert f"{option.flag} with {format.name}; legal: with {other.name}" in capsys.readouterr().err


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("choice", [option.name for option in CHOICES])
def test_a_pattern_without_matches_is_reported(tmp_path: Path, format: NetworkFormat, choice: str) -> None:
    """Check patterns without a match: for hosts or endpoints they are errors, for ignored parts they give a warning."""
    paths = written(tmp_path, format.sample)
    if choice != "ignore":
        adapters = choice == "endpoints" and format.has_adapters
        problem = "legal: --hosts, or no --endpoints" if adapters else rf"no device matches --{choice} 'nosuch\*'"
        with pytest.raises(InputError, match=problem):
            read_network(format.name, paths, **{choice: ["nosuch*"]})
        return
    imported = read_network(format.name, paths, ignore=["nosuch*"])
    result = [line for line in imported.warnings if "'nosuch*'" in line]
    assert len(result) == 1
    assert result[0].endswith("no device or port matches --ignore 'nosuch*'")


@pytest.mark.parametrize("format", FORMATS)
def test_files_of_another_kind_are_no_network(tmp_path: Path, format: NetworkFormat) -> None:
    path = tmp_path / next(iter(format.sample))
    for text in ("", "\n", "It was a dark night.\nThe rain fell.\n", "{}", "[1, 2]", "\0" * 50):
        path.write_text(text)
        with pytest.raises(FormatError) as refused:
            read_network(format.name, [path])
        assert str(refused.value).count("\n") == 0
        assert str(path) in str(refused.value)


# Live tools.


@pytest.mark.parametrize("tool", TOOLS)
def test_the_sample_of_a_tool_is_read_and_recognized(tmp_path: Path, tool: LiveTool) -> None:
    paths = written(tmp_path, tool.sample)
    ports = read_live(tool.name, paths)
    assert {port.source.path for port in ports} == {*paths}
    assert any(port.neighbour for port in ports)
    assert {tool_of(path) for path in paths} == {tool.name}
    per_file = [{port.device for port in tool.read(Source(path))} for path in paths]
    assert all(len(devices) == 1 for devices in per_file) or not tool.is_per_device


@pytest.mark.parametrize("tool", TOOLS)
def test_the_command_names_a_tool_and_compares_its_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], tool: LiveTool
) -> None:
    assert run(["cabling", "verify", "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert tool.output in shown
    assert tool.name in shown
    (tmp_path / "live").mkdir()
    paths = written(tmp_path / "live", tool.sample)
    # The plan contains one switch of the sample output, so that the command has something to compare.
    device = sorted({port.device for port in read_live(tool.name, paths)})[0]
    dot = f'graph g {{ "{device}" [role=leaf]; "other" [role=leaf]; "{device}":"1" -- "other":"1" }}\n'
    (tmp_path / "net.dot").write_text(dot)
    arguments = ["cabling", "plan", f"file:edges={tmp_path / 'net.dot'}", "-o", str(tmp_path / "plan")]
    assert run(arguments) == 0
    capsys.readouterr()
    assert run(["cabling", "verify", str(tmp_path / "plan"), "--live", *map(str, paths), "--json"]) == 1
    message = json.loads(capsys.readouterr().out)
    assert (message["tool"], message["agrees"]) == (tool.name, False)


# Exports.


@pytest.mark.parametrize("format", [pytest.param(format.name, id=format.name) for format in export_formats()])
@pytest.mark.parametrize("fabric", ["slimfly:q=5", "dragonfly:p=1", FABRIC])
def test_an_export_is_what_it_declares(format: str, fabric: str) -> None:
    of = next(each for each in export_formats() if each.name == format)
    plan = plan_cabling(tulle.place(fabric))
    files = export(plan, format)
    assert files
    assert {Path(name).suffix for name in files} <= {*of.suffixes}
    assert {Path(example).suffix for example in of.examples} == {*of.suffixes}
    assert all(text.endswith("\n") for text in files.values())
    assert export(plan_cabling(tulle.place(fabric)), format) == files


def test_a_plan_has_the_files_of_all_exports(tmp_path: Path) -> None:
    assert run(["cabling", "plan", "slimfly:q=5", "-o", str(tmp_path)]) == 0
    found = {path.name for path in (tmp_path / "exports").iterdir()}
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    plan = plan_cabling(tulle.place("slimfly:q=5"))
    wanted = {name: of for of in export_formats() if of.readers for name in export(plan, of.name)}
    assert found == {*wanted}
    assert all(of.readers in readme for of in wanted.values())


# Schedulers.


@cache
def _tree(spec: str, seed: int) -> NetworkTree:
    return network_tree(tulle.route(spec, "minimal"), seed)


@pytest.mark.parametrize(
    ("of", "example"), [pytest.param(of, example, id=of.name) for of in schedulers() for example in of.examples]
)
@pytest.mark.parametrize("fabric", ["slimfly:q=3", "dragonfly:p=1", FABRIC, "star:endpoints=3"])
def test_an_example_of_a_scheduler_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: Scheduler, example: str, fabric: str
) -> None:
    # All commands here export the same tree, so it is measured once per fabric.
    monkeypatch.setattr("tulle.schedulers.tree.network_tree", lambda routing, seed: _tree(routing.fabric.spec, seed))
    name, *options = shlex.split(example)
    assert name == of.name
    assert run(["export", name, fabric, "minimal", *options, "-o", str(tmp_path / "a")]) == 0
    assert run(["export", name, fabric, *options, "-o", str(tmp_path / "b")]) == 0
    found = content(tmp_path / "a")
    assert found == content(tmp_path / "b")
    assert all(text.startswith(WRITTEN.encode()) and text.endswith(b"\n") for text in found.values())
    # The command replaces its own files, but no other files.
    assert run(["export", name, fabric, *options, "-o", str(tmp_path / "a")]) == 0
    for path in found:
        (tmp_path / "b" / path).write_text("mine\n")
    assert run(["export", name, fabric, *options, "-o", str(tmp_path / "b")]) == 2
    assert all(text == b"mine\n" for text in content(tmp_path / "b").values())
    assert run(["export", name, fabric, *options, "-o", str(tmp_path / "b"), "--force"]) == 0
    assert content(tmp_path / "b") == found


# The following tests check metrics, measurements and executors.


@pytest.mark.parametrize(
    "spec", [example for entry in tulle.registered("metrics") for example in entry["examples"]], ids=str
)
def test_an_example_of_a_metric_is_measured(spec: str) -> None:
    of = metric(spec)
    canonical, measure = of.parse(spec)
    assert of.parse(canonical)[0] == canonical
    fabric = tulle.Fabric("slimfly:q=5")
    found = measure(fabric, 1)
    assert {*found.values} == {reported.key for reported in of.metrics}
    again = measure(fabric, 1)
    assert dict(again.values) == dict(found.values)


@pytest.mark.parametrize("of", [pytest.param(of, id=of.name) for of in listed()])
def test_the_example_of_a_measurement_runs(tmp_path: Path, of: Listed[Any]) -> None:
    # Paths in a study are relative to its file. Some examples name input files of the repository's studies.
    (tmp_path / "studies").symlink_to(ROOT / "studies")
    case = "".join(f"{key} = {json.dumps(value)}\n" for key, value in of.example.items())
    text = f'name = "example"\nmeasurement = "{of.name}"\nseeds = [1]\nplots = []\n[[case]]\nname = "a"\n{case}'
    (tmp_path / "example.toml").write_text(text, encoding="utf-8")
    loaded = study.load(tmp_path / "example.toml")
    measured = measurement(loaded)
    done = study.run(study.plan(loaded), tmp_path / "runs", threads=1)
    assert (done.directory / measured.rows_file).stat().st_size > 0
    assert {*done.results[0].figures} == {figure.key for figure in measured.figures}
    assert {each.key for each in measured.distributions} >= {*measured.plots}


def test_measurements_are_registered_by_their_names() -> None:
    assert [of.name for of in listed()] == [entry["name"] for entry in tulle.registered("measurements")]


@pytest.mark.parametrize("of", [pytest.param(of, id=of.name) for of in executor_kinds()])
def test_examples_of_an_executor_are_legal(of: ExecutorKind) -> None:
    for example in of.examples:
        name, given = _tulle.split_spec(example)
        assert name == of.name
        of.settings.model_validate(dict(given))
    separator = "," if ":" in of.examples[0] else ":"
    refused = ": unknown key 'nosuch'" if of.settings.model_fields else " takes no parameters, but has 'nosuch=1'"
    with pytest.raises(InputError, match=f"^executor {of.name}{refused}"):
        executor(f"{of.examples[0]}{separator}nosuch=1")
