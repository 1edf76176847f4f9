"""Import formats: what a format declares, and the choices that all formats share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle.declarations import Option, Plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle.cabling.networks.assembly import Imported

# What every format takes: the fields of `Choices`.
CHOICES = (
    Option("hosts", list, "Devices that are hosts, as 'server*'; may be repeated.", metavar="PATTERN"),
    Option("ignore", list, "Devices or ports to leave out, as 'eth*'; may be repeated.", metavar="PATTERN"),
    Option("endpoints", list, "The only endpoints, as 'node-*': all other devices are switches.", metavar="PATTERN"),
)


@dataclass(frozen=True, kw_only=True)
class NetworkFormat(Plugin):
    """A registered import format. ``tulle import`` offers its options, ``tulle list imports`` shows it.

    `examples` are arguments of ``tulle import`` without ``-o FILE``.
    """

    read: Callable[..., Imported]
    """Reads the files; takes their paths, the user's `Choices`, and the format's own options by name."""
    sample: Mapping[str, str]
    """A small network: texts by the names of files. The conformance tests read it, and damage it."""
    files: str = ""
    """How many files there are, as ``one per switch``; empty if that needs no words."""
    has_adapters: bool = False
    """Whether the files tell which devices are endpoints, so that ``--endpoints`` is refused."""
    has_addresses: bool = False
    """Whether the files tell GUIDs and LIDs, by which forwarding tables can be read."""
