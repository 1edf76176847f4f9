"""The declaration of a live tool: a tool such as ``lldpctl``, whose output lists the links of a running network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle.declarations import Plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle.cabling.live.port_record import PortRecord
    from tulle.cabling.source import Source


@dataclass(frozen=True, kw_only=True)
class LiveTool(Plugin):
    """A registered tool. ``tulle cabling verify --live`` reads its output, ``tulle list live-tools`` shows it.

    `examples` are commands whose output ``--live`` can read.
    """

    read: Callable[[Source], list[PortRecord]]
    """A function that reads the port records of a file."""
    output: str
    """The output that ``--live`` accepts, for example ``lldpctl -f json (one per switch)``."""
    sample: Mapping[str, str]
    """The tool's output for a small network, as texts by file name, for the conformance tests."""
    wrote: Callable[[bytes], bool] | None = None
    """A function that tells from the first bytes whether the tool wrote a file; None for the default tool."""
    is_per_device: bool = False
    """Whether a file covers only one device. Otherwise it covers the whole network."""
