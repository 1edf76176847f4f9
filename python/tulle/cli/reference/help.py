"""``tulle help [X [NAME]]``: print help on a command or a plug-in."""

from __future__ import annotations

from typing import Annotated

import typer


def _topics(incomplete: str) -> list[str]:
    from tulle.cli.commands import COMMANDS
    from tulle.cli.options.complete import names

    return [name for name in COMMANDS if name.startswith(incomplete)] + names(incomplete)


def show_help(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="[X]",
            help="A command, or a name that 'tulle list' shows: a kind of plug-ins, or a plug-in.",
            autocompletion=_topics,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="A command of the group X (plot cdf), or a plug-in of the kind X."),
    ] = None,
) -> None:
    """Shows help on a command (tulle help cabling plan), a kind of plug-ins (queues) or a plug-in (slimfly)."""
    from tulle._internal.text import did_you_mean
    from tulle.cli.app import command
    from tulle.cli.commands import COMMANDS
    from tulle.cli.front import show
    from tulle.registry import KINDS, registered

    if topic is None:
        show([])
        return
    if topic in COMMANDS:
        # The command line with --help prints the help and returns.
        root = command([topic])
        known = getattr(root.commands[topic], "commands", {})
        if name is not None and name not in known:
            from tulle.errors import InputError

            raise InputError(f"{topic} has no command '{name}'; {did_you_mean(name, [*known])}")
        arguments = [topic, *([] if name is None else [name]), "--help"]
        root.main(args=arguments, prog_name="tulle", standalone_mode=False)
        return
    from tulle.cli.reference.list import list_kind, print_entry

    if topic in KINDS:
        list_kind(topic, name)
        return
    if name is not None:
        from tulle.errors import InputError

        raise InputError(f"no kind or group '{topic}'; {did_you_mean(topic, [*KINDS])}")
    entries = [(kind, entry) for kind in KINDS for entry in registered(kind)]
    found = [(kind, entry) for kind, entry in entries if topic in (entry["name"], *entry["aliases"])]
    if not found:
        from tulle.errors import InputError

        known = [*dict.fromkeys([*COMMANDS, *KINDS, *(entry["name"] for _, entry in entries)])]
        hint = did_you_mean(topic, known)
        legal = "a command, or a name that `tulle list` shows"
        raise InputError(f"no help on '{topic}'; {hint if hint.startswith('did') else f'legal: {legal}'}")
    for number, (kind, entry) in enumerate(found):
        if number:
            print()
        print_entry(kind, entry)
