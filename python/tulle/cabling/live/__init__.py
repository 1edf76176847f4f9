"""Live tools: read port records from the output of tools of a real network, for example ``lldpctl``, or from a table.

Each tool has a module and a line in this file. The network may be partly wired: nodes may be missing, and the other end
of a cable may be unknown.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.arguments import read_texts
from tulle._internal.plugins import find
from tulle._internal.reading import read_bytes
from tulle.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from tulle.cabling.live.model import LiveTool
    from tulle.cabling.live.port_record import PortRecord
    from tulle.declarations import Entry

# Name of a live tool -> module that defines TOOL. The order is that of `tulle list live-tools`.
_MODULES = {
    "ibnetdiscover": "tulle.cabling.live.ibnetdiscover",
    "iblinkinfo": "tulle.cabling.live.iblinkinfo",
    "lldp": "tulle.cabling.live.lldp",
    "table": "tulle.cabling.live.table",
}

__all__ = ["TOOLS", "entries", "expanded", "live_tool", "live_tools", "read_live", "tool_of"]

TOOLS = tuple(_MODULES)
"""Names of the live tools."""

# The first bytes of a file show which tool wrote it; this many bytes are read.
_HEAD = 1 << 20


def live_tool(name: str) -> LiveTool:
    """Find a live tool by name.

    Raises
    ------
    tulle.InputError
        For an unknown name.
    """
    unknown = f"{name} is not a supported tool; legal: {', '.join(_MODULES)}"
    found: LiveTool = find(_MODULES, name, "TOOL", unknown)
    return found


def live_tools() -> list[LiveTool]:
    """Return all live tools, in the order of the registry."""
    return [live_tool(name) for name in _MODULES]


def entries() -> list[Entry]:
    """Return the registry entries of all live tools."""
    return [tool.entry for tool in live_tools()]


def read_live(tool: str, paths: str | PathLike[str] | Iterable[str | PathLike[str]]) -> list[PortRecord]:
    """Read the port records of files, in the order of the files.

    Raises
    ------
    tulle.InputError
        For an unknown tool.
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or that is not the output of this tool.
    """
    from tulle.cabling.source import Source

    read = live_tool(tool).read
    return [port for path in read_texts("paths", paths) for port in read(Source(Path(path)))]


def expanded(paths: Iterable[Path]) -> list[Path]:
    """Return the files. A folder stands for the files in it, without hidden files.

    Raises
    ------
    tulle.FileError
        For an empty folder.
    """
    found: list[Path] = []
    for path in paths:
        files = [path]
        if path.is_dir():
            files = sorted(one for one in path.iterdir() if one.is_file() and not one.name.startswith("."))
            if not files:
                raise FileError(f"{path}: an empty folder; legal: a folder of files")
        found += files
    return found


def tool_of(path: Path) -> str:
    """Return the name of the live tool that wrote a file.

    Raises
    ------
    tulle.FileError
        For a file that cannot be read.
    """
    head = read_bytes(path, _HEAD).removeprefix(b"\xef\xbb\xbf").lstrip()
    tools = live_tools()
    claimed = [tool for tool in tools if tool.wrote is not None and tool.wrote(head)]
    return (claimed or [tool for tool in tools if tool.wrote is None])[0].name
