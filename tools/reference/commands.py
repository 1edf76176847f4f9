"""Write the pages of the command reference: one page for each command, from what ``--help`` prints."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reference.markdown import plain, table
from tulle.cli.app import command
from tulle.cli.commands import COMMANDS, GROUPS
from tulle.cli.examples import examples
from tulle.cli.front import SUMMARY

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "reference/commands"

_GUIDES = Path(__file__).resolve().parents[2] / "docs" / "guides"
# What typer adds to the help of an option, for example [default: 1] or [required].
_ADDED = re.compile(r"\s+\[((?:default|required|env var)[^\]]*)\]$")


@cache
def pages() -> dict[str, str]:
    """Return the text of every page by its path in the documentation's folder."""
    root = command([])
    found = {name: _page(root, name, root.commands[name]) for name in COMMANDS}
    return {f"{FOLDER}/index.md": _index(root), **{f"{FOLDER}/{name}.md": text for name, text in found.items()}}


def commands() -> Iterator[tuple[str, Any]]:
    """Yield the full name and the object of every command, also of the commands of groups."""
    for name, below in command([]).commands.items():
        yield name, below
        for inner, each in getattr(below, "commands", {}).items():
            yield f"{name} {inner}", each


def _index(root: Any) -> str:
    groups = []
    for title, commands in GROUPS.items():
        rows = [[f"[`tulle {name}`]({name}.md)", plain(_first(root.commands[name]))] for name in commands]
        groups += [f"## {title}", table(["command", "what it does"], rows)]
    return "\n\n".join(
        [
            "# Commands",
            f"{SUMMARY} These pages have the content of `tulle COMMAND --help`.",
            *groups,
            "## Output",
            "Results go to standard output, and `--json` prints one JSON object. Warnings and progress go to standard "
            "error. [Error messages](../errors.md) explains exit codes and messages.",
        ]
    )


def _page(root: Any, name: str, found: Any) -> str:
    inner = getattr(found, "commands", {})
    parts = [f"# tulle {name}", _body(root, f"tulle {name}", found, "##")]
    if inner:
        rows = [[f"[`tulle {name} {each}`](#{each})", plain(_first(below))] for each, below in inner.items()]
        parts += [f"## Commands {{ #{name}-commands }}", table(["command", "what it does"], rows)]
        for each, below in inner.items():
            parts += [f"## tulle {name} {each} {{ #{each} }}", _body(root, f"tulle {name} {each}", below, "###")]
    parts += _guides(name)
    return "\n\n".join(part for part in parts if part) + "\n"


def _body(root: Any, path: str, found: Any, heading: str) -> str:
    """Return what the help of a command says: description, usage, arguments, options, examples."""
    with root.make_context("tulle", [], resilient_parsing=True) as above:
        context = type(above)(found, info_name=path, parent=None)
        usage = " ".join(found.collect_usage_pieces(context))
        records = [(one, one.get_help_record(context)) for one in found.get_params(context)]
    parts = [_text(found.help), f"```text\n{path} {usage}\n```"]
    below = f"{path.removeprefix('tulle ').replace(' ', '-')}"
    for title, kind in (("Arguments", "argument"), ("Options", "option")):
        rows = [
            [f"`{_name(record[0], kind)}`", *_help(record[1])]
            for one, record in records
            if record is not None and one.param_type_name == kind and one.name != "help"
        ]
        if rows:
            anchor = f"{below}-{title.lower()}"
            parts += [f"{heading} {title} {{ #{anchor} }}", table([kind, "what it is", "default"], rows)]
    if shown := examples(path.removeprefix("tulle ")):
        parts += [f"{heading} Examples {{ #{below}-examples }}", "```sh\n" + "\n".join(shown) + "\n```"]
    return "\n\n".join(parts)


def _name(text: str, kind: str) -> str:
    # The help marks optional arguments by brackets; here, the column of defaults shows which arguments are required.
    return text.translate(str.maketrans("", "", "[]")) if kind == "argument" else text


def _help(text: str) -> list[str]:
    """Return the help of an option without its default, and the default."""
    default = ""
    if match := _ADDED.search(text):
        text, default = text[: match.start()], match[1].removeprefix("default: ")
        default = default if default == "required" else f"`{default}`"
    return [plain(text), default]


def _text(text: str | None) -> str:
    """Return a help text as Markdown; lines that are commands become code."""
    parts = []
    for paragraph in (text or "").replace("\b\n", "").strip().split("\n\n"):
        lines = [line.strip() for line in paragraph.splitlines()]
        shown = [line for line in lines if line.startswith("tulle ")]
        said = [line for line in lines if not line.startswith("tulle ")]
        if said:
            parts.append(plain(" ".join(said)))
        if shown:
            parts.append("```sh\n" + "\n".join(shown) + "\n```")
    return "\n\n".join(parts)


def _first(found: Any) -> str:
    return str(found.help or "").strip().split("\n\n")[0].replace("\n", " ")


def _guides(name: str) -> list[str]:
    """Return the section that lists the how-to guides that use this command; empty if there are none."""
    lines = []
    for path in sorted(_GUIDES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        if path.name != "index.md" and re.search(rf"^(?:\S+=\S+ )*tulle {name}\b", text, re.MULTILINE):
            title = text.partition("\n")[0].removeprefix("# ")
            lines.append(f"* [{title}](../../guides/{path.name})")
    return ["## How-to guides with this command", "\n".join(lines)] if lines else []
