"""What is there: the ports that a network's own tools see, one file per tool and a line here.

Files may be of a network that is being wired, where some nodes are not there yet and the other ends of cables are not
known.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike

    from tulle.cabling.live.seen import Seen

# Tool -> where `read(source)` is, which gives what a file of it shows.
_MODULES = {
    "ibnetdiscover": "tulle.cabling.live.ibnetdiscover",
    "iblinkinfo": "tulle.cabling.live.iblinkinfo",
    "lldp": "tulle.cabling.live.lldp",
}

__all__ = ["TOOLS", "read_live"]

TOOLS = tuple(_MODULES)
"""The tools whose files are read."""


def read_live(tool: str, paths: Iterable[str | PathLike[str]]) -> list[Seen]:
    """The ports that files of a tool show, in their order.

    Raises
    ------
    tulle.InputError
        For a tool that is not known.
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is none of this tool.
    """
    from tulle.cabling.source import Source

    if tool not in _MODULES:
        raise InputError(f"{tool} is no tool that is read; legal: {', '.join(_MODULES)}")
    read = import_module(_MODULES[tool]).read
    return [port for path in paths for port in read(Source(Path(path)))]
