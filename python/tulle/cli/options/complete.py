"""Shell completion of specs: names of what is registered, then their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable


def specs(*kinds: str) -> Callable[[str], list[str]]:
    """Completes specs of what is registered under `kinds`."""

    def complete(incomplete: str) -> list[str]:
        from tulle.registry import registered

        entries = [entry for kind in kinds for entry in registered(kind)]
        # What is still being typed is no spec yet, so that the reader of specs would refuse it.
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
    """Completes the kinds of what is registered."""
    from tulle.registry import KINDS

    return [kind for kind in KINDS if kind.startswith(incomplete)]


def option(*flags: str, metavar: str, what: str, kind: str) -> Any:
    """An option for a spec of what is registered under `kind`."""
    return typer.Option(*flags, metavar=metavar, help=_help(what, kind), autocompletion=specs(kind))


def argument(*, metavar: str, what: str, kind: str) -> Any:
    """An argument that is such a spec."""
    return typer.Argument(metavar=metavar, help=_help(what, kind), autocompletion=specs(kind))


def _help(what: str, kind: str) -> str:
    return f"{what}; see tulle list {kind}."
