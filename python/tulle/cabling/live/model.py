"""Live tools: what a reader of a tool's output declares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle.declarations import Plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle.cabling.live.seen import Seen
    from tulle.cabling.source import Source


@dataclass(frozen=True, kw_only=True)
class LiveTool(Plugin):
    """A registered tool. ``tulle cabling verify --live`` reads its output, ``tulle list live-tools`` shows it.

    `examples` are commands that print what is read.
    """

    read: Callable[[Source], list[Seen]]
    """Reads the ports that a file shows."""
    output: str
    """What ``--live`` takes of it, as ``lldpctl -f json (one per switch)``."""
    sample: Mapping[str, str]
    """What the tool prints of a small network: texts by the names of files. The conformance tests read it."""
    wrote: Callable[[bytes], bool] | None = None
    """Whether the tool has written a file that begins with these bytes; None: any file that no other tool claims."""
    is_per_device: bool = False
    """Whether each file speaks for one device; otherwise for the whole network."""
