"""Deploy targets: what a target declares, and what it reports once it has written a bundle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tulle._internal.plugins import call
from tulle.declarations import Plugin
from tulle.deploy.channel_range import channels_up_to
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tulle.deploy.ethernet.repair import Repair
    from tulle.fabric import Fabric
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan

# As in `tulle.deploy.ethernet.pfc`, which is imported only to write lossless bundles.
_MOST_LOSSLESS = 7


@dataclass(frozen=True)
class Written:
    """A bundle that was written: what `Target.write` returns.

    Parameters
    ----------
    paths
        All files of the bundle, as `tulle.deploy.ethernet.write.write_bundle` returns them.
    fields
        Fields that ``tulle deploy`` prints, by name, for example ``{"switches": 50}``. Fields whose value is None are
        only in its JSON output.
    shown
        Shorter values of fields for printed output, if the JSON values are long.
    notes
        Notes for the user, a line each; printed on standard error.
    """

    paths: list[Path]
    """All files of the bundle."""
    fields: Mapping[str, Any]
    """Fields that ``tulle deploy`` prints. Fields whose value is None are only in its JSON output."""
    shown: Mapping[str, Any] = field(default_factory=dict)
    """Shorter values for printed output, if the JSON values are long."""
    notes: tuple[str, ...] = ()
    """Notes for the user, a line each."""


@dataclass(frozen=True, kw_only=True)
class Target(Plugin):
    """A registered target. ``tulle deploy NAME``, ``tulle list`` and the documentation are made from it.

    Parameters
    ----------
    name, summary, paper, limitations
        What ``tulle list targets`` shows.
    examples
        Commands without ``tulle deploy`` and without fabric, routing and folder, for example ``linux --ipv6``.
    options
        The options of the command, as `tulle.declarations.Option`. An option ``deadlock`` names the scheme that assigns
        virtual channels before `write` is called.
    help
        The first sentence of the command's help.
    write
        ``write(what, place, *, OPTION, …) -> Written``: `what` is a `tulle.Routing`, or a plan of virtual channels if
        an option ``deadlock`` is set; `place` is the folder, which `write` creates; each option has its own keyword.
        It ends with `tulle.deploy.ethernet.write.write_bundle`, which creates the folder and writes ``bundle.json``.
    format
        The ``format`` in ``bundle.json``, for example `tulle.deploy.bundle_header.ETHERNET`.
    files, lossless_files, repaired_files
        The files and folders that a bundle has at its top level: always, with virtual channels, after a repair. The
        command replaces these and nothing else.
    prepare
        ``prepare(fabric, options) -> fabric``: checks or completes the fabric before it is routed, and removes the
        options that only it needs from the dictionary.
    assign
        ``assign(routing, scheme, options) -> plan``: assigns virtual channels, for a target that sets parameters of the
        scheme which the user has not set; None: `tulle.Routing.assign_vcs`.
    write_repaired
        ``write_repaired(repair, place) -> paths``: writes a repaired Ethernet bundle; None: repaired Ethernet bundles
        of this target cannot be written.
    is_verifiable
        Whether ``tulle deploy verify`` and ``tulle deploy repair`` read bundles of this target.
    has_shares
        Whether switches of this target can split traffic unevenly between the ports of a group.
    has_transitions
        Whether `write_repaired` also writes changes to another bundle (`tulle deploy repair --to`), which may use more
        ports and switches.
    """

    help: str
    """What the command writes: the first sentence of its help."""
    write: Callable[..., Written]
    """Writes a bundle from a routing or a plan of virtual channels into the folder `place`; options are keywords."""
    format: str
    """The ``format`` in ``bundle.json``."""
    files: frozenset[str]
    """The files and folders that a bundle has at its top level."""
    lossless_files: frozenset[str] = frozenset()
    """Additional files of bundles with virtual channels, which other bundles of this target do not have."""
    repaired_files: frozenset[str] = frozenset()
    """Further files and folders of a repaired bundle."""
    prepare: Callable[[Fabric, dict[str, Any]], Fabric] | None = None
    """Checks or completes the fabric before it is routed. It removes its own options from the dictionary of values."""
    assign: Callable[[Routing, str, Mapping[str, Any]], VcPlan] | None = None
    """Assigns virtual channels by a scheme; None: `tulle.Routing.assign_vcs`."""
    write_repaired: Callable[[Repair, Path], list[Path]] | None = None
    """Writes a repaired Ethernet bundle with its changes; None: repaired Ethernet bundles of this target cannot be
    written."""
    is_verifiable: bool = True
    """Whether ``tulle deploy verify`` and ``tulle deploy repair`` read bundles of this target."""
    has_shares: bool = False
    """Whether switches of this target can split traffic unevenly between the ports of a group."""
    has_transitions: bool = False
    """Whether `write_repaired` also writes the changes to another bundle, which may use more ports and switches."""

    def bundle(self, what: Routing | VcPlan, place: Path, **options: Any) -> Written:
        """Write a bundle for a routing, or for a plan of virtual channels.

        Raises
        ------
        tulle.InputError
            For an unknown option, an illegal value, or a routing that the target does not support.
        tulle.FileError
            If the bundle cannot be written.
        """
        from tulle.routing.routing import Routing

        values = self.values(options)
        scheme = values.pop("deadlock", None)
        fabric = (what if isinstance(what, Routing) else what.routing).fabric
        given = dict(values)
        if self.prepare is not None and self.prepare(fabric, values) is not fabric:
            used = ", ".join(name for name, value in given.items() if name not in values and value is not None)
            raise InputError(
                f"{self.name}: option {used} changes the fabric, but the fabric is already routed; legal: without it"
            )
        made = self.planned(what, scheme, values) if isinstance(what, Routing) else what
        return self.written(made, place, values)

    def planned(self, routing: Routing, scheme: str | None, values: Mapping[str, Any]) -> Routing | VcPlan:
        """Assign virtual channels by `scheme`, with the values of all options; without a scheme, return the routing.

        Raises
        ------
        tulle.InputError
            For a routing that the scheme cannot make free of deadlock.
        """
        if scheme is None:
            return routing
        with channels_up_to(values.get("vls") or values.get("lossless") or _MOST_LOSSLESS):
            return routing.assign_vcs(scheme) if self.assign is None else self.assign(routing, scheme, values)

    def written(self, what: Routing | VcPlan, place: Path, values: Mapping[str, Any]) -> Written:
        """Call `write` with the values of all options.

        Raises
        ------
        tulle.InputError
            For a plug-in whose `write` has another signature, or does not return a `Written`.
        """
        return call(self.name, self.write, Written, {"what": what, "place": place}, values)
