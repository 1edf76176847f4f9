"""Targets of deployment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tulle import _tulle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tulle.declarations import Declaration, Entry
    from tulle.deploy.ethernet.repair import Repair
    from tulle.routing.routing import Routing
    from tulle.routing.vc_plan import VcPlan


@dataclass(frozen=True)
class Target:
    """A registered target."""

    declaration: Declaration
    write: Callable[..., list[Path]]
    """Writes what a network is loaded with into a folder: the files; the parameters are keywords.

    First comes what is deployed: a plan of virtual channels, or, where the network may lose packets, a routing.
    """

    write_mended: Callable[[Repair, Path], list[Path]] | None = None
    """Writes a bundle of Ethernet that was mended, with its changes; None: nobody mends bundles of this target."""

    @cached_property
    def _declared(self) -> _tulle.Declared:
        return _tulle.Declared(self.declaration)

    @cached_property
    def entry(self) -> Entry:
        """The entry of the registry."""
        return self._declared.entry()

    def parse(self, spec: str) -> tuple[str, Callable[[Routing | VcPlan, Path], list[Path]]]:
        """The canonical form of `spec`, and what writes.

        Raises
        ------
        tulle.SpecError
            For an unknown parameter or an illegal value.
        """
        resolved, values = self._declared.read(spec)
        return resolved, lambda plan, place: self.write(plan, place, **values)
