"""A lab: a bundle of the target ``linux`` in the network namespaces of a sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.reading import sha256
from tulle.deploy.bundle_header import BUNDLE
from tulle.deploy.ethernet.bundle import read_bundle, read_header
from tulle.deploy.ethernet.repair import CHANGES
from tulle.errors import FormatError, InputError
from tulle.lab import sandbox
from tulle.lab.names import near
from tulle.lab.recipe import recipe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.lab.sandbox import Sandbox

__all__ = ["LIFETIME", "RATE", "Lab", "down", "find", "load", "up"]

RATE = 20_000_000
"""Bits per second of every cable."""
LIFETIME = 3600.0
"""Seconds after which a lab ends by itself."""

_TARGET = "linux"


@dataclass(frozen=True)
class Lab:
    """A lab that is up."""

    bundle: EthernetBundle
    sandbox: Sandbox

    @property
    def place(self) -> Path:
        """The folder of the bundle."""
        return self.bundle.place

    @property
    def state(self) -> dict[str, Any]:
        """What it says of itself: ``rate`` of cables (bits per second), ``build_seconds``, …."""
        return dict(self.sandbox.state)

    @property
    def rate(self) -> float:
        """Bits per second of every cable."""
        return float(self.sandbox.state["rate"])

    def execute(self, name: str, command: Sequence[str]) -> int:
        """Runs a command in the namespace of a switch or a host, with this process's input and output; its exit code.

        Raises
        ------
        tulle.InputError
            For a name that there is not.
        """
        plan = self.bundle.plan
        names = [*plan.names, *(host.name for host in plan.hosts)]
        if name not in names:
            raise InputError(f"unknown switch or host '{name}'; {near(name, names)}")
        return self.sandbox.execute(name, command)


def up(place: str | PathLike[str], *, rate: float = RATE, lifetime: float = LIFETIME) -> Lab:
    """Builds the lab of a bundle: a network namespace per switch and host, loaded with the very files.

    Nothing leads out of its sandbox, and nothing of it is seen outside; it ends by `down`, when its time is over, or
    when its first process does.

    Parameters
    ----------
    place
        The folder that ``tulle deploy linux`` wrote.
    rate
        Bits per second of every cable between switches, each direction; links of hosts are as fast as the machine.
    lifetime
        Seconds after which it ends by itself.

    Raises
    ------
    tulle.InputError
        For a bundle of another target, missing tools, or where namespaces may not be made.
    tulle.FormatError
        For a file that is not as it was written.
    tulle.TulleError
        Where the kernel refuses what is built.
    """
    folder = Path(place)
    header = read_header(folder)
    if header.target != _TARGET:
        raise InputError(f"{place}: the bundle is of '{header.target}'; legal: of '{_TARGET}'")
    sandbox.need("unshare", "ip", "tc")
    bundle = read_bundle(folder, check=sorted(header.files))
    state = {"bundle": str(folder.resolve()), "digest": sha256(folder / BUNDLE)[1], "rate": rate, "lifetime": lifetime}
    made = recipe(folder, bundle.plan, rate=rate, lifetime=lifetime, state=state)
    return Lab(bundle, sandbox.start(made, folder))


def find(place: str | PathLike[str]) -> Lab:
    """The lab of a bundle that is up.

    Raises
    ------
    tulle.InputError
        Where it is not.
    tulle.FormatError
        Where the bundle is another one than the lab was built from.
    """
    folder = Path(place)
    found = _found(folder)
    if found.state["digest"] != sha256(folder / BUNDLE)[1]:
        raise FormatError(
            f"{folder / BUNDLE}: another bundle than the lab was built from; "
            f"legal: tulle lab load {place}, where it was mended, or tulle lab down and up again"
        )
    return Lab(read_bundle(folder), found)


def load(place: str | PathLike[str]) -> tuple[Lab, list[int]]:
    """Loads what a repair has changed into the lab of its bundle, round by round; per round the routes.

    Raises
    ------
    tulle.InputError
        Where the lab is not up, or the bundle has no changes.
    """
    folder = Path(place)
    found = _found(folder)
    bundle = read_bundle(folder)
    rounds = [
        [(file.stem, file.read_text(encoding="utf-8")) for file in sorted(one.glob("*.batch"))]
        for one in sorted((folder / CHANGES).glob("[0-9]*"), key=lambda one: int(one.name))
    ]
    if not rounds:
        raise InputError(f"{place}: nothing is there to load; legal: what tulle deploy repair wrote, with {CHANGES}/")
    digest = sha256(folder / BUNDLE)[1]
    found.run({"job": "changes", "rounds": rounds, "digest": digest}, timeout=120)
    return Lab(bundle, found), [sum(text.count("\n") for _, text in one) for one in rounds]


def _found(folder: Path) -> Sandbox:
    found = sandbox.find(folder)
    if found is None:
        read_header(folder)
        raise InputError(f"{folder}: its lab is not up; legal: tulle lab up {folder}, first")
    return found


def down(place: str | PathLike[str]) -> int:
    """Ends the lab of a bundle, also one that is half built; how many there were, 0 or 1."""
    return sandbox.end(Path(place))
