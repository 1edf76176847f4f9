"""Compare the output of ``ibnetdiscover`` with an InfiniBand bundle, for a watch."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.text import tulle_command
from tulle.deploy.bundle_header import BUNDLE, INFINIBAND, header_values
from tulle.deploy.infiniband.bundle import Bundle, Header, read_bundle
from tulle.deploy.infiniband.causes import Causes, find_causes
from tulle.deploy.infiniband.failures import Failures, check_dead, find_failures
from tulle.deploy.infiniband.loading import only_after_rollback
from tulle.deploy.infiniband.repair import repair
from tulle.deploy.infiniband.verify import verify
from tulle.deploy.missing_parts import cables_of
from tulle.deploy.read.subnet import read_subnet
from tulle.deploy.verdict import Check
from tulle.deploy.versions.history import rolled_back_from
from tulle.deploy.watch.collect import LIVE
from tulle.deploy.watch.proposal import beyond, rehearsed
from tulle.deploy.watch.state import Finding, Observation, Proposal
from tulle.errors import InputError, TulleError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.read.subnet import Subnet
    from tulle.deploy.watch.collect import Failure, LiveCommand

_LIVE = re.compile(rf"(?<![\w./-])(?:\./)?{LIVE}(?![\w./-])")

__all__ = ["KINDS", "InfinibandWatch"]

KINDS = (
    *("wrong-port", "node-replaced", "node-missing", "node-extra", "cable-missing", "cable-slow", "cable-extra", "lid"),
    *("black-hole", "loop", "wrong-end", "credit-loop"),
)
"""The kinds of differences that `tulle deploy verify` finds in the output of ``ibnetdiscover``."""


class InfinibandWatch:
    """Reads an InfiniBand subnet with one command."""

    def __init__(self, place: Path, command: LiveCommand, most_dead: tuple[int, int] | None, *, rehearse: bool) -> None:
        command.check(on_ethernet=False)
        self._place, self._command, self._most_dead, self._rehearse = place, command, most_dead, rehearse
        self._bundle = read_bundle(place)
        # The proposed command must not overwrite a file that the live command reads.
        self._live = f"{LIVE}.now" if _LIVE.search(command.command) else LIVE
        self._proposed: tuple[tuple[Failures, Causes], Proposal] | None = None

    def refresh(self) -> None:
        """Read the bundle again if it has changed, for example because it was repaired."""
        if Header(**header_values(self._place / BUNDLE, INFINIBAND, Header)) != self._bundle.header:
            self._bundle, self._proposed = read_bundle(self._place), None

    def observe(self, folder: Path) -> Observation | Failure:
        """Run the command, and compare its output with the bundle.

        Raises
        ------
        tulle.TulleError
            For output that is not that of ibnetdiscover, is cut off, or belongs to another subnet.
        """
        self.refresh()
        live = folder / LIVE
        failure = self._command.whole(live)
        if failure is not None:
            return failure
        bundle = self._bundle
        subnet = read_subnet(live, bundle.node_guids)
        failures = find_failures(bundle, subnet)
        verdict = verify(bundle, live=live)
        differences = verdict.differences
        # Commands name the file that the proposed command writes, not the temporary one.
        used, shown = f"--live {shlex.quote(str(live))} ", f"--live {self._live} "
        texts = [one.instruction.replace(used, shown) for one in differences]
        findings = tuple(Finding(one.kind, "", text, one.count) for one, text in zip(differences, texts, strict=True))
        causes = find_causes(bundle, subnet)
        proposal = self._propose(subnet, failures, causes)
        parts = _parts(bundle, failures, causes)
        return Observation(findings, parts, proposal, removed_hosts=tuple(verdict.removed_hosts))

    def _repair(self, *options: str) -> str:
        """Return the command that saves the live state and repairs the bundle with it."""
        repair = tulle_command("deploy", "repair", self._place, "--live", self._live, *options, "-o", self._place)
        return f"{_grouped(self._command.command)} > {self._live} && {repair}"

    def _propose(self, subnet: Subnet, failures: Failures, causes: Causes) -> Proposal:
        seen = failures, causes
        if self._proposed is None or self._proposed[0] != seen:
            self._proposed = seen, self._new_proposal(subnet, *seen)
        return self._proposed[1]

    def _new_proposal(self, subnet: Subnet, failures: Failures, causes: Causes) -> Proposal:
        if not failures.switches and not failures.cables and not failures.endpoints:
            return Proposal("", "")
        if causes.wrong_ports:
            other = self._without_failed(subnet, failures)
            command = (
                f"; to treat cables at wrong ports as failed instead, run: {other.command}" if other.command else ""
            )
            return Proposal("", causes.first_step + command + (f" ({other.note})" if command and other.note else ""))
        if replaced := causes.replaced:
            bindings = [word for one in replaced for word in ("--bind", one.binding)]
            names = ", ".join(one.name for one in replaced)
            return Proposal(
                self._repair(*bindings), f"run it if the unplanned nodes replace {names}, and then check again"
            )
        return self._without_failed(subnet, failures)

    def _without_failed(self, subnet: Subnet, failures: Failures) -> Proposal:
        """Propose a repair that avoids failed switches and cables."""
        if not failures.switches and not failures.cables:
            return Proposal("", "")
        bundle = self._bundle
        dead = f"{len(failures.cables)},{len(failures.switches)}"
        command = self._repair()
        try:
            check_dead(bundle, failures, self._most_dead)
        except InputError:
            return beyond(bundle.fabric, len(failures.cables), failures.switches, f"{command} --max-dead {dead}")
        if self._most_dead is not None:
            command += f" --max-dead {dead}"
        if not self._rehearse:
            return Proposal(command, "")
        try:
            found = repair(bundle, subnet)
        except TulleError as error:
            return Proposal("", f"no repair: {error}")
        assert found is not None
        switches = len({int(switch) for switch in found.changes[:, 0]})
        proposal = rehearsed(command, len(found.changes), switches, found.why_unsafe)
        newer = rolled_back_from(bundle.folder)
        if found.why_unsafe or not newer:
            return proposal
        condition = only_after_rollback(bundle.folder.name, newer)
        return proposal._replace(note=proposal.note.replace("proved safe under traffic", condition))


def _grouped(command: str) -> str:
    """Return a shell command, in braces if necessary, so that a redirection after it applies to all its output."""
    return f"{{ {command}; }}" if any(sign in command for sign in "|&;<>()\n") else command


def _parts(bundle: Bundle, failures: Failures, causes: Causes) -> tuple[Check, ...]:
    between = sum(slow.is_between for slow in causes.slow)
    to_hosts = len(causes.slow) - between
    fabric = bundle.fabric
    at_dead = int(np.isin(fabric.endpoint_switch, np.array(failures.switches, np.int64)).sum())
    with_dead = cables_of(fabric, failures.switches)
    return (
        Check("switches", fabric.num_switches - len(failures.switches), fabric.num_switches),
        Check("cables", fabric.num_cables - len(failures.cables) - with_dead - between, fabric.num_cables),
        Check("hosts", fabric.num_endpoints - len(failures.endpoints) - at_dead - to_hosts, fabric.num_endpoints),
    )
