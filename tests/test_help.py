"""Check the help of the command line: groups, summaries that are never truncated, examples that are legal commands."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tulle
from tulle.cli import front, main
from tulle.cli.app import command
from tulle.cli.commands import COMMANDS, GROUPS
from tulle.cli.examples import EXAMPLES, examples
from tulle.cli.terminal.text import Screen

if TYPE_CHECKING:
    from collections.abc import Iterator


def walk(root: Any) -> Iterator[tuple[str, Any]]:
    """Yield the names and commands of the command line: all groups, commands and commands of groups."""
    for name, found in root.commands.items():
        yield name, found
        for inner, within in getattr(found, "commands", {}).items():
            yield f"{name} {inner}", within


ROOT = command([])
ALL = dict(walk(ROOT))


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_every_command_is_in_a_group_of_the_front_page(capsys: pytest.CaptureFixture[str]) -> None:
    page = printed(capsys, "--help")
    assert page == printed(capsys, "help") == printed(capsys) == f"{front.page()}\n"
    headings = [line.removesuffix(":") for line in page.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings == [*GROUPS, "Options", "Examples"]
    assert [*GROUPS][:7] == ["Build", "Route and prove", "Analyse", "Simulate", "Design", "Deploy", "Studies"]
    listed = [line.split()[0] for line in page.splitlines() if line.startswith("  ") and line[2:3].islower()]
    assert [name for name in listed if name in COMMANDS] == [*COMMANDS]


def test_a_clause_is_one_line_of_80_columns() -> None:
    lines = front.page().splitlines()
    assert max(map(len, lines)) <= 80
    for commands in GROUPS.values():
        for name, (_, clause) in commands.items():
            assert f"  {name:<12}{clause}" in lines
            assert clause[0].islower()
            assert not clause.endswith((".", "…"))


@pytest.mark.parametrize("width", [30, 50, 79])
def test_narrow_terminals_wrap_the_front_page(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    words = front.page().split()
    monkeypatch.setattr(Screen, "width", lambda: width)
    page = front.page(width)
    assert page.split() == words
    assert max(len(line) for line in page.splitlines() if "=" not in line and "OPTIONS" not in line) <= width


@pytest.mark.parametrize("name", [name for name, found in ALL.items() if hasattr(found, "commands")])
def test_groups_cut_no_sentence(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    page = printed(capsys, name, "--help")
    assert "..." not in page.partition("[ARGS]...")[2]
    words = " ".join(page.split())
    for found in ALL[name].commands.values():
        assert " ".join(found.help.split(". ")[0].split("\n\n")[0].split()).rstrip(".") in words


@pytest.mark.parametrize("name", ALL)
def test_help_ends_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = examples(name)
    assert found
    page = printed(capsys, *name.split(), "--help")
    heading = "Example:" if len(found) == 1 else "Examples:"
    assert page.endswith("\n".join([heading, *(f"  {example}" for example in found)]) + "\n")
    assert max(map(len, found)) <= 78


def test_every_example_belongs_to_a_command() -> None:
    assert {*EXAMPLES} <= {*ALL}


@pytest.mark.parametrize("example", sorted({example for name in ALL for example in examples(name)}))
def test_examples_are_legal(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse the examples as typer does before it calls a command: names of commands and options, checks of values."""
    monkeypatch.chdir(tmp_path)
    words = shlex.split(example.removeprefix("source <(").removesuffix(")"))
    assert words[0] == "tulle"
    found, rest = ROOT, words[1:]
    context = None
    while hasattr(found, "commands"):
        if not rest:
            return
        name, *rest = rest
        found = found.commands[name]
        if not hasattr(found, "commands"):
            context = found.make_context(name, rest)
    assert context is not None
    spec = context.params.get("spec")
    for kind, value in (("fabrics", spec), ("routings", context.params.get("routing"))):
        if isinstance(value, str):
            from tulle._internal.arguments import canonical

            canonical(kind, kind, value)


def test_the_front_page_and_the_version_load_no_typer() -> None:
    heavy = ("typer", "numpy", "rich", "tulle.cli.app")
    code = f"""
import sys
from tulle.cli import main
for arguments in (["--help"], ["--version"]):
    try:
        main(arguments)
    except SystemExit as ended:
        assert ended.code == 0
print([name for name in {heavy} if name in sys.modules])
"""
    # Without -S, Python itself may load packages at start.
    environment = {**os.environ, "PYTHONPATH": str(Path(tulle.__file__).parents[1])}
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.endswith("\n[]\n"), done.stdout + done.stderr
