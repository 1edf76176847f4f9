"""The declaration of an import format, and the options that all formats share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tulle.declarations import Option, Plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tulle.cabling.networks.assembly import Imported

# The options of every format: the fields of `Choices`.
CHOICES = (
    Option("hosts", list, "Devices that are hosts, for example 'server*'; may be repeated.", metavar="PATTERN"),
    Option("ignore", list, "Devices or ports to ignore, for example 'eth*'; may be repeated.", metavar="PATTERN"),
    Option("endpoints", list, "The endpoints, for example 'node-*'; all others are switches.", metavar="PATTERN"),
)


@dataclass(frozen=True, kw_only=True)
class NetworkFormat(Plugin):
    """A registered import format. ``tulle import`` offers its options, ``tulle list imports`` shows it.

    Parameters
    ----------
    name, summary, paper, limitations
        The texts that ``tulle list imports`` shows.
    examples
        Arguments of ``tulle import`` without ``-o FILE``, for example ``lldp leaf1.json``.
    options
        The options of this format, as `tulle.declarations.Option`.
    read
        A function ``read(paths, choices, *, OPTION, …) -> Imported``. `paths` are the files. `choices` is a
        `tulle.cabling.networks.assembly.Choices` with the options that all formats share. The function collects devices
        and cables in a `tulle.cabling.networks.assembly.Network`. Its method ``fabric(source, choices)`` returns the
        `tulle.cabling.networks.assembly.Imported`, which contains the fabric and the warnings.
        `tulle.cabling.source.Source` reads a file by lines. Its method ``error(at, text)`` makes an error that names
        the file and the line.
    sample
        The files of a small network, as texts by file name. The conformance tests read these files, and damage them.
    files
        The number of files in words, for example ``one per switch``; empty if one file is enough.
    has_adapters
        Whether the files define which devices are endpoints, so that ``--endpoints`` is refused.
    has_addresses
        Whether the files have GUIDs and LIDs, so that forwarding tables can be imported too.
    """

    read: Callable[..., Imported]
    """A function that reads the files. It takes their paths, the user's `Choices`, and the format's options by name."""
    sample: Mapping[str, str]
    """The files of a small network, as texts by file name. The conformance tests read these files, and damage them."""
    files: str = ""
    """The number of files in words, for example ``one per switch``; empty if one file is enough."""
    has_adapters: bool = False
    """Whether the files define which devices are endpoints, so that ``--endpoints`` is refused."""
    has_addresses: bool = False
    """Whether the files have GUIDs and LIDs, so that forwarding tables can be imported too."""
