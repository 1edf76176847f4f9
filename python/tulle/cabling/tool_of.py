"""Which tool has written a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle._internal.reading import read_bytes

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["tool_of"]

# Bytes that tell.
_HEAD = 1 << 20


def tool_of(path: Path) -> str:
    """A tool of `tulle.cabling.live`: JSON is of lldpctl, arrows are of iblinkinfo, all else of ibnetdiscover.

    A ``port_config.ini`` belongs to files of lldpctl.

    Raises
    ------
    tulle.FileError
        For a file that cannot be read.
    """
    head = read_bytes(path, _HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith((b"{", b"[", b"# name", b"Ethernet")):
        return "lldp"
    return "iblinkinfo" if b"==(" in head else "ibnetdiscover"
