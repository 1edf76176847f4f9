"""The declaration of a scheduler's format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from tulle._internal.plugins import call
from tulle.declarations import Plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle.schedulers.tree import NetworkTree


class Described(NamedTuple):
    """The files of a scheduler: what `Scheduler.files` returns."""

    files: dict[str, str]
    """The texts of the files by file name. Lines that start with ``#`` are comments."""
    notes: tuple[str, ...] = ()
    """Notes for the user, a line each; printed on standard error."""


@dataclass(frozen=True, kw_only=True)
class Scheduler(Plugin):
    """A registered scheduler. ``tulle export NAME`` writes its files, ``tulle list schedulers`` shows it.

    `examples` are commands without ``tulle export``, fabric, routing and folder, for example ``slurm --plugin block``.
    """

    help: str
    """What the command writes: the first sentence of its help."""
    files: Callable[..., Described]
    """``files(tree, *, OPTION, …) -> Described``: describes a `NetworkTree`. Each option has its own keyword."""

    def described(self, tree: NetworkTree, values: Mapping[str, Any]) -> Described:
        """Call `files` with the values of all options.

        Raises
        ------
        tulle.InputError
            For a tree that the scheduler's files cannot express, or a plug-in whose `files` has another signature.
        """
        return call(self.name, self.files, Described, {"tree": tree}, values)
