"""Complete specs in the shell: names of plug-ins, then their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable


def specs(*kinds: str) -> Callable[[str], list[str]]:
    """Return a function for typer that completes specs of plug-ins of these kinds."""

    def complete(incomplete: str) -> list[str]:
        from tulle.registry import registered

        entries = [entry for kind in kinds for entry in registered(kind)]
        # The spec is split by hand, because the spec parser refuses the incomplete spec that the user is typing.
        name, colon, given = incomplete.partition(":")
        if not colon:
            return [entry["name"] for entry in entries if entry["name"].startswith(name)]
        parameters = [
            parameter["name"] for entry in entries if entry["name"] == name for parameter in entry["parameters"]
        ]
        *before, last = given.split(",")
        taken = {pair.partition("=")[0] for pair in before}
        head = ",".join([f"{name}:", *before]).replace(":,", ":") + ("," if before else "")
        return [f"{head}{key}=" for key in parameters if key.startswith(last) and key not in taken]

    return complete


def names(incomplete: str) -> list[str]:
    """Complete the name of a kind of plug-in."""
    from tulle.registry import KINDS

    return [kind for kind in KINDS if kind.startswith(incomplete)]


def option(*flags: str, metavar: str, what: str, kind: str) -> Any:
    """Return a typer option whose value is a spec of a plug-in of this kind."""
    return typer.Option(*flags, metavar=metavar, help=_help(what, kind), autocompletion=specs(kind))


def argument(*, metavar: str, what: str, kind: str) -> Any:
    """Return a typer argument whose value is a spec of a plug-in of this kind."""
    return typer.Argument(metavar=metavar, help=_help(what, kind), autocompletion=specs(kind))


def _help(what: str, kind: str) -> str:
    return f"{what}; see tulle list {kind}."
