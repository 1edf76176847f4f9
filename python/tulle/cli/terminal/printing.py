"""The classes of commands and command groups. Their help ends with examples and never cuts a sentence.

The class of commands also adds ``--wide``, refuses repeated options, and records the parameters.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer import BadParameter
from typer.core import TyperCommand, TyperGroup, TyperOption

from tulle.cli.examples import examples
from tulle.cli.terminal.text import Screen

if TYPE_CHECKING:
    from typer import CallbackParam, Context

# Typer cuts help sentences at this length, in characters. No sentence is that long.
_WHOLE = 10_000
# Names of click's types of paths.
_PATHS = ("path", "file", "directory")


class Printing(TyperCommand):
    """A command. If it has ``--json``, it also gets ``--wide``, which prints tables and fields in full."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        names = [parameter.name for parameter in self.params]
        if "json" in names:
            wide = TyperOption(
                param_decls=["--wide"],
                is_flag=True,
                default=False,
                expose_value=False,
                callback=_set,
                help="Print tables and fields in full, even if the terminal is narrow.",
            )
            self.params.insert(names.index("json") + 1, wide)

    def make_parser(self, ctx: Any) -> Any:
        """Return the parser. It refuses a repeated option if the option has one value, so that no value is lost."""
        parser: Any = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_once(args: list[str]) -> Any:
            values, rest, order = parse(args)
            for at, option in enumerate(order):
                is_single = isinstance(option, TyperOption) and not (option.multiple or option.is_flag)
                if is_single and option in order[:at]:
                    raise BadParameter(f"{option.opts[0]} is given twice; legal: once")
            return values, rest, order

        parser.parse_args = parse_once
        return parser

    def invoke(self, ctx: Any) -> Any:
        """Run the command, unless an output would replace an input. Record the parameters in `Given`."""
        from tulle._internal.writing.atomic import INPUTS
        from tulle.cli.terminal.inputs import Given, check_outputs

        Given.parameters = {name: _typed(self, name, value) for name, value in ctx.params.items()}
        check_outputs(ctx.meta, Given.parameters)
        try:
            return super().invoke(ctx)
        finally:
            INPUTS.clear()

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples of the command at the end of its help."""
        _write_examples(ctx, formatter)


def _typed(command: TyperCommand, name: str, value: Any) -> Any:
    """Return the value of a parameter. Values of paths are `Path` objects; click has them as text."""
    if not any(parameter.name == name and parameter.type.name in _PATHS for parameter in command.params):
        return value
    return [Path(each) for each in value] if isinstance(value, (list, tuple)) else value and Path(value)


class Group(TyperGroup):
    """A group of commands, for example ``tulle lab``."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer passes all arguments
        """Write the first sentence of every command's help. Long sentences are wrapped; typer would cut them."""
        rows = [(name, of.get_short_help_str(limit=_WHOLE)) for name, of in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples of the group at the end of its help."""
        _write_examples(ctx, formatter)


def _write_examples(context: Any, formatter: Any) -> None:
    """Write the examples of a command, one per line and never wrapped, so that they can be copied."""
    found = examples(context.command_path.partition(" ")[2])
    if found:
        with formatter.section("Example" if len(found) == 1 else "Examples"):
            for example in found:
                formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


def _set(context: Context, option: CallbackParam, value: bool) -> bool:  # noqa: ARG001 - typer passes all arguments
    # The value is always set, because an earlier command in the same process may have set ``--wide``.
    Screen.wide = value
    return value
