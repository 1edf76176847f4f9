"""A lab: a bundle of the target ``linux``, loaded into the network namespaces of a sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.html_summary import Overview, Shown
from tulle._internal.reading import sha256
from tulle._internal.text import tulle_command
from tulle.deploy.bundle_header import BUNDLE
from tulle.deploy.ethernet.bundle import read_bundle, read_header
from tulle.deploy.ethernet.change_files import CHANGES, RETURNING
from tulle.deploy.versions.layout import opened
from tulle.errors import FormatError, InputError
from tulle.lab import sandbox
from tulle.lab.names import near
from tulle.lab.recipe import nodes, recipe

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tulle.deploy.ethernet.bundle import EthernetBundle
    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.lab.sandbox import Sandbox

__all__ = ["LIFETIME", "RATE", "Lab", "down", "find", "load", "up"]

RATE = 20_000_000
"""The default rate of cables in bit/s."""
LIFETIME = 3600.0
"""The default time in seconds after which a lab ends."""

_TARGET = "linux"


@dataclass(frozen=True)
class Lab(Shown):
    """A running lab."""

    bundle: EthernetBundle
    sandbox: Sandbox

    @property
    def place(self) -> Path:
        """The folder of the bundle."""
        return self.bundle.place

    @property
    def state(self) -> dict[str, Any]:
        """Properties of the lab: ``rate`` of cables (bit/s), ``build_seconds``, …."""
        return dict(self.sandbox.state)

    @property
    def rate(self) -> float:
        """The rate of cables in bit/s."""
        return float(self.sandbox.state["rate"])

    def _overview(self) -> Overview:
        header = self.bundle.header
        values = {
            "place": str(self.place),
            "routing": header.routing,
            "switches": header.switches,
            "hosts": header.endpoints,
            "cables": header.cables,
            "rate": self.rate,
        }
        return Overview("Lab", header.fabric, values, units={"rate": "bit/s"})

    def execute(self, name: str, command: Sequence[str]) -> int:
        """Run a command in the namespace of a switch or host, with this process's streams; return its exit code.

        Raises
        ------
        tulle.InputError
            For an unknown name of a switch or host.
        """
        names = _nodes(self.bundle.plan)
        # The lab keeps the switches and hosts that a repair has removed from the bundle.
        if name not in names and name not in self.sandbox.state.get("nodes", ()):
            raise InputError(f"unknown switch or host '{name}'; {near(name, names)}")
        return self.sandbox.execute(name, command)


def _nodes(plan: EthernetPlan) -> list[str]:
    return [*plan.names, *(host.name for host in plan.hosts)]


def up(place: str | PathLike[str], *, rate: float = RATE, lifetime: float = LIFETIME) -> Lab:
    """Build the lab of a bundle: a network namespace for each switch and host, with the configuration from the bundle.

    The sandbox of the lab has no connection to the outside. The lab ends when `down` is called, after its lifetime, or
    when its init process ends.

    Parameters
    ----------
    place
        The folder that ``tulle deploy linux`` wrote.
    rate
        The rate in bit/s of every cable between switches, per direction; links of hosts are not limited.
    lifetime
        The time in seconds after which the lab ends.

    Raises
    ------
    tulle.InputError
        For a bundle of another target, a lab that is already running, missing tools, or missing permission to create
        namespaces.
    tulle.FormatError
        For a file that was changed since it was written.
    tulle.TulleError
        If the kernel refuses a step.
    """
    folder = Path(place)
    header = read_header(folder)
    if header.target != _TARGET:
        raise InputError(f"{place}: the bundle has the target '{header.target}'; legal: '{_TARGET}'")
    sandbox.need("unshare", "ip", "tc")
    bundle = read_bundle(folder, check=sorted(header.files))
    digest = sha256(bundle.folder / BUNDLE)[1]
    state = {"bundle": str(folder.resolve()), "digest": digest, "rate": rate, "lifetime": lifetime}
    state["nodes"] = _nodes(bundle.plan)
    made = recipe(bundle.folder, bundle.plan, rate=rate, lifetime=lifetime, state=state)
    return Lab(bundle, sandbox.start(made, folder))


def find(place: str | PathLike[str], *, changed: bool = False) -> Lab:
    """Find the running lab of a bundle; with `changed`, even if the lab runs another version of the bundle.

    Raises
    ------
    tulle.InputError
        If the lab is not running.
    tulle.FormatError
        If the bundle changed since the lab was built, unless `changed`.
    """
    folder = Path(place)
    found = _found(folder)
    files = opened(folder)
    if not changed and found.state["digest"] != sha256(files / BUNDLE)[1]:
        raise FormatError(
            f"{folder / BUNDLE}: the bundle changed since the lab was built; legal: after a repair, "
            f"`{tulle_command('lab', 'load', place)}` or, to undo the repair, "
            f"`{tulle_command('deploy', 'rollback', place)}`; after other changes, "
            f"`{tulle_command('lab', 'down', place)}` and `{tulle_command('lab', 'up', place)}`"
        )
    return Lab(read_bundle(folder), found)


def load(place: str | PathLike[str]) -> tuple[Lab, list[int]]:
    """Load the changes of a repair into the lab of its bundle, round by round; return the number of routes per round.

    Ports toward cables that work again, and returning switches, are set up before the first round. The numbers do not
    include this setup.

    Raises
    ------
    tulle.InputError
        If the lab is not running, or the bundle has no changes.
    """
    folder = Path(place)
    found = _found(folder)
    bundle = read_bundle(folder)
    rounds = {
        int(one.name): [(file.stem, _batch(file)) for file in sorted(one.glob("*.batch"))]
        for one in (bundle.folder / CHANGES).glob("[0-9]*")
    }
    ports, returning = rounds.pop(0, []), _returning(bundle)
    if not (rounds or ports or returning):
        raise InputError(
            f"{place}: no changes to load; legal: a bundle that `tulle deploy repair` wrote, with a folder {CHANGES}/"
        )
    digest = sha256(bundle.folder / BUNDLE)[1]
    ordered = [rounds[number] for number in sorted(rounds)]
    job = {"job": "changes", "rounds": [returning, ports, *ordered], "digest": digest, "place": str(place)}
    found.run(job, timeout=120)
    return Lab(bundle, found), [sum(text.count("\n") for _, text in one) for one in ordered]


def _returning(bundle: EthernetBundle) -> list[tuple[str, str]]:
    """The batches of the switches that return to the network. They are loaded before the first round."""
    path = bundle.folder / CHANGES / RETURNING
    folders = path.read_text(encoding="utf-8").split() if path.is_file() else []
    switches, _ = nodes(bundle.folder, bundle.plan)
    return [
        (node.name, "".join(_batch(Path(file)) for file in node.batches))
        for node in switches
        if f"switches/{node.name}" in folders
    ]


def _batch(file: Path) -> str:
    """Read a batch file of ``ip -batch`` without its ``link`` lines.

    These lines set the MAC addresses of ports and bring the ports up. In a lab, ports already have their MAC addresses,
    and a port that is down belongs to a failed cable, which must stay down.
    """
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("link "))


def _found(folder: Path) -> Sandbox:
    found = sandbox.find(folder)
    if found is None:
        read_header(folder)
        raise InputError(f"{folder}: its lab is not running; legal: first run `{tulle_command('lab', 'up', folder)}`")
    return found


def down(place: str | PathLike[str]) -> int:
    """End the lab of a bundle, even if it is still being built; return the number of labs ended, 0 or 1."""
    return sandbox.end(Path(place))
