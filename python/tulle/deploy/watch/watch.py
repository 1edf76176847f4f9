"""Check a network repeatedly, and count the differences that appear and end."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, time
from typing import TYPE_CHECKING

from tulle.deploy.ethernet.bundle import is_ethernet_bundle
from tulle.deploy.watch.collect import LIVE, Failure, LiveCommand
from tulle.deploy.watch.state import AS_PLANNED, DIFFERS, FAILED, Counts, Event, Observation, changes
from tulle.errors import TulleError

if TYPE_CHECKING:
    from os import PathLike

    from tulle.deploy.watch.ethernet import EthernetWatch
    from tulle.deploy.watch.infiniband import InfinibandWatch

__all__ = ["Watch"]


class Watch:
    """Compares a network with its bundle; never writes into the bundle.

    Parameters
    ----------
    place
        The folder of the bundle.
    command
        The shell command that prints the state of the network. For an Ethernet bundle, it contains exactly one of two
        placeholders. With ``{switch}``, it runs once per switch and prints the state of that switch's ports. With
        ``{folder}``, it writes one such file per switch into this folder. For an InfiniBand bundle, it has no
        placeholder, and prints the output of ``ibnetdiscover``.
    most_dead
        The largest numbers of failed cables and switches for which a repair is proposed; None: 5% of the cables (at
        least one), and one switch.
    rehearse
        Whether to compute each proposed repair, without writing it.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a bundle that cannot be read.
    tulle.InputError
        For an empty command. For an Ethernet bundle, if the command contains none or both of ``{switch}`` and
        ``{folder}``. For an InfiniBand bundle, if it contains one of them.
    """

    def __init__(
        self,
        place: str | PathLike[str],
        command: LiveCommand,
        most_dead: tuple[int, int] | None = None,
        *,
        rehearse: bool = False,
    ) -> None:
        place = Path(place)
        self._network: EthernetWatch | InfinibandWatch
        if is_ethernet_bundle(place):
            from tulle.deploy.watch.ethernet import KINDS as ETHERNET_KINDS
            from tulle.deploy.watch.ethernet import EthernetWatch

            self.kinds: tuple[str, ...] = tuple(ETHERNET_KINDS)
            """All kinds of differences that the watch can find."""
            self._network = EthernetWatch(place, command, most_dead, rehearse=rehearse)
        else:
            from tulle.deploy.watch.infiniband import KINDS as INFINIBAND_KINDS
            from tulle.deploy.watch.infiniband import InfinibandWatch

            self.kinds = INFINIBAND_KINDS
            self._network = InfinibandWatch(place, command, most_dead, rehearse=rehearse)
        self.last: tuple[float, Observation] | None = None
        """The time and the result of the last check that could read the network."""
        self.counts = Counts()

    def check(self) -> Event:
        """Check the network once. A live command that fails gives an event, not an error."""
        began, when = perf_counter(), time()
        with TemporaryDirectory(prefix="tulle-watch-") as folder:
            try:
                found = self._network.observe(Path(folder))
            except TulleError as error:
                found = Failure("", _told(str(error), folder))
        seconds = perf_counter() - began
        counts = replace(self.counts, checks=self.counts.checks + 1)
        if isinstance(found, Failure):
            self.counts = replace(
                counts, failed_checks=counts.failed_checks + 1, failed_commands=counts.failed_commands + 1
            )
            return Event(when, seconds, FAILED, None, (), (), (found,), self.counts)
        appeared, ended = changes(None if self.last is None else self.last[1], found)
        self.counts = replace(
            counts,
            failed_commands=counts.failed_commands + len(found.failures),
            appeared=counts.appeared + Counter(finding.kind for finding in appeared),
            ended=counts.ended + Counter(finding.kind for finding in ended),
        )
        self.last = when, found
        state = DIFFERS if found.findings else AS_PLANNED
        return Event(when, seconds, state, found, appeared, ended, found.failures, self.counts)


def _told(text: str, folder: str) -> str:
    """Name the output of the live command in an error message, instead of the temporary file that holds it."""
    text = re.sub(re.escape(f"{folder}/{LIVE}") + r"(?::(\d+)(?::\d+)?)?(?=: )", _output_line, text)
    return text.replace(f"{folder}/", "")


def _output_line(match: re.Match[str]) -> str:
    return "output of the live command" + (f", line {match[1]}" if match[1] else "")
