"""Check simulator options, which Rust declares once: functions, commands, studies and documentation agree with Rust."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from conftest import ROOT

import tulle
from tulle import _tulle
from tulle.cli.options import simulator as commands
from tulle.flit.configuration import ClosedLoopSettings, OpenLoopSettings
from tulle.packet.options import Configuration, Settings
from tulle.study.measurements.flit import Flit
from tulle.study.measurements.flit_exchange import FlitExchange
from tulle.study.measurements.simulate import Simulate

sys.path.append(str(ROOT / "tools"))

import options as tool

PYTHON = Path(tulle.__file__).parent

TOY: dict[str, Any] = {
    "name": "toy_buffer",
    "kind": {"type": "integer", "min": 1, "max": 9},
    "note": "",
    "legal": "1 to 9",
    "default": "3",
    "derived": False,
    "help": "Packets of a toy. It does nothing.",
    "value": 3,
    "open_loop": True,
}


def test_generated_modules_are_current() -> None:
    stale = [str(path) for path, text in tool.modules().items() if path.read_text(encoding="utf-8") != text]
    assert not stale, "run python tools/options.py write"


def test_check_names_outdated_files(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert tool.main(["check"]) == 0
    add_toy(monkeypatch)
    assert tool.main(["check"]) == 1
    assert "python/tulle/packet/options.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("function", "typed", "simulators"),
    [
        (tulle.simulate, Settings, ["packet"]),
        (tulle.simulate_flits, OpenLoopSettings, ["flit"]),
        (tulle.saturation, OpenLoopSettings, ["flit"]),
        (tulle.simulate_exchange, ClosedLoopSettings, ["exchange"]),
    ],
)
def test_functions_show_every_option(function: Any, typed: type, simulators: list[str]) -> None:
    """Check that a signature has each option and its default, and the docstring the first word of the option's help."""
    signature = inspect.signature(function)
    for simulator in simulators:
        for option in _tulle.simulator_options(simulator):
            name = option["name"]
            if function is tulle.saturation and name == "load":
                continue
            assert name in signature.parameters, name
            if name in typed.__annotations__:
                # The default, no classes, is None in Python and an empty list of pairs in Rust.
                default = None if name == "class_latency" else option["value"]
                assert signature.parameters[name].default == default, name
                assert option["help"].split()[0] in function.__doc__, name


@pytest.mark.parametrize(
    ("parameters", "simulator", "absent"),
    [
        (Simulate, "packet", {"seed", "threads", "profile", "sample", "sample_links"}),
        (Flit, "flit", {"seed", "threads", "may_deadlock"}),
        (FlitExchange, "exchange", set()),
    ],
)
def test_measurements_have_every_option(parameters: Any, simulator: str, absent: set[str]) -> None:
    for option in _tulle.simulator_options(simulator):
        if option["name"] in absent:
            assert option["name"] not in parameters.model_fields
            continue
        field = parameters.model_fields[option["name"]]
        assert (field.default or None) == (option["value"] or None), option["name"]
        assert field.description, option["name"]


@pytest.mark.parametrize(
    ("command", "simulators"), [("simulate", ["packet"]), ("flit", ["flit"]), ("exchange", ["exchange"])]
)
def test_commands_have_every_option(command: str, simulators: list[str]) -> None:
    from tulle.cli.app import command as root

    parameters = {each.name: each for each in root([command]).commands[command].params}
    for simulator in simulators:
        for option in _tulle.simulator_options(simulator):
            name = option["name"]
            assert name in parameters, name
            if name not in ("seed", "load", "faults", "sample_links", "class_latency"):
                assert parameters[name].default == option["value"], name


def test_a_new_option_needs_its_declaration_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that typed dictionaries, measurements and commands have a new option as soon as it is declared."""
    add_toy(monkeypatch)
    modules = {path.relative_to(tool.ROOT).as_posix(): text for path, text in tool.modules().items()}
    line = re.compile(r"^    toy_buffer: int", re.MULTILINE)
    assert [len(line.findall(modules[name])) for name in ("packet/options.py", "flit/options.py")] == [2, 3]
    assert "    toy_buffer: int = Field(default=3, ge=1, le=9)\n" in modules["study/measurements/options.py"]

    @commands.declared("packet")
    def command(**options: Any) -> None:
        raise AssertionError(f"this test only reads the command's signature: {options}")

    parameter = inspect.signature(command).parameters["toy_buffer"]
    information = parameter.annotation.__metadata__[0]
    assert isinstance(information, typer.models.OptionInfo)
    assert (parameter.default, information.help) == (3, "Packets of a toy.")
    assert "--toy-buffer" in (information.default, *(information.param_decls or ()))


def add_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    real = _tulle.simulator_options
    monkeypatch.setattr(_tulle, "simulator_options", lambda simulator: [*real(simulator), dict(TOY)])


def test_options_are_only_in_generated_modules() -> None:
    """Check that hand-written modules do not name options that they only pass to the simulator."""
    passed_on = re.compile(r"\b(nic|mtu|endpoint_latency|warmup_tolerance|drain)\b(?: *[:=]|\")")
    named = []
    for folder in ("packet", "flit", "cli/simulation", "cli/options", "study/measurements"):
        for path in (PYTHON / folder).glob("*.py"):
            text = path.read_text(encoding="utf-8")
            if "Generated by tools/options.py" not in text:
                named += [f"{path.relative_to(PYTHON)}: {found[1]}" for found in passed_on.finditer(text)]
    assert not named


def test_a_configuration_holds_everything_that_affects_results() -> None:
    fabric = tulle.Fabric("clique:degree=3,p=1")
    result = tulle.simulate(fabric, "minimal", "permutation:bytes=10KB", threads=2, profile=True)
    assert list(result.configuration) == list(Configuration.__annotations__)
