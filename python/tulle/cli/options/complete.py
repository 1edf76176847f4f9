"""Complete specs in the shell: names of plug-ins, then their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable


def specs(*kinds: str) -> Callable[[str], list[str]]:
    """Return a completion for specs of plug-ins of these kinds."""

    def complete(incomplete: str) -> list[str]:
        from tulle.registry import registered

        entries = [entry for kind in kinds for entry in registered(kind)]
        # A spec that is still being typed is incomplete, and the spec parser would refuse it.
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
    """Complete the kinds of plug-ins."""
    from tulle.registry import KINDS

    return [kind for kind in KINDS if kind.startswith(incomplete)]


def option(*flags: str, metavar: str, what: str, kind: str) -> Any:
    """Return an option whose value is a spec of a plug-in of this kind."""
    return typer.Option(*flags, metavar=metavar, help=_help(what, kind), autocompletion=specs(kind))


def argument(*, metavar: str, what: str, kind: str) -> Any:
    """An argument that is such a spec."""
    return typer.Argument(metavar=metavar, help=_help(what, kind), autocompletion=specs(kind))


def _help(what: str, kind: str) -> str:
    return f"{what}; see tulle list {kind}."
