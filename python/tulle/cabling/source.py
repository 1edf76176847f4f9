"""Read text files, and make errors that name the file, the line and the column."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tulle._internal.reading import read_bytes
from tulle.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterator

# Maximum size of a file in bytes, and maximum number of characters of a value in an error message.
_MOST, _SHOWN = 1 << 28, 60
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class Source:
    """The text of a file. Its methods make errors that name positions in the file."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)
        content = read_bytes(self.path, _MOST + 1)
        self.text = ""
        if len(content) > _MOST:
            raise self.error(0, f"the file is too large; legal: at most {_MOST} bytes")
        try:
            self.text = content.decode().removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            self.text = content[: error.start].decode()
            byte = content[error.start]
            raise self.error(len(self.text), f"byte 0x{byte:02x} is not UTF-8; legal: UTF-8 text") from None

    def error(self, offset: int, problem: str) -> FormatError:
        """Return an error for a character offset. It names the file, the line and the column."""
        before = self.text[:offset]
        line, column = before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
        return FormatError(f"{self.path}:{line}:{column}: {problem}")

    def wrong_line(self, offset: int, line: str, problem: str) -> FormatError:
        """Return an error for a line that the tool does not print. A wrong last line means that the file is cut off."""
        if offset + len(line) < len(self.text):
            return self.error(offset, problem)
        return self.error(len(self.text), f"the file is cut off in the line {shown(line)}; legal: a complete file")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines, each with the offset of its first character."""
        offset = 0
        for line in self.text.split("\n"):
            yield offset, line.removesuffix("\r")
            offset += len(line) + 1

    def name(self, offset: int, name: str, kind: str) -> str:
        """Return a name of a device, port or cable. Raise an error at its position if the name is invalid."""
        if not 0 < len(name.encode()) <= 256:
            raise self.error(offset, f"the name of a {kind} has {len(name.encode())} bytes; legal: 1 to 256")
        if _CONTROL.search(name):
            raise self.error(offset, f"the name {shown(name)} has a control character; legal: other characters")
        return name


def shown(text: str) -> str:
    """Format a text for an error message of one line."""
    return ascii(text[:_SHOWN]) + ("…" if len(text) > _SHOWN else "")


def check_end(source: Source) -> None:
    """Check that a text ends with a line end, as the output of all these tools does.

    Raises
    ------
    tulle.FormatError
        For a text that ends in the middle of a line.
    """
    if source.text and not source.text.endswith("\n"):
        last = source.text[source.text.rfind("\n") + 1 :]
        raise source.error(len(source.text), f"the file is cut off in the line {shown(last)}; legal: a complete file")
