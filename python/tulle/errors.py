"""Exceptions of tulle. Each message is one line that names the offending value and the legal values."""

# circle: `errors` and `_internal` import each other: helpers raise errors, and errors shorten their text by a helper.
from tulle._internal.text import abridged

__all__ = [
    "ConstructionError",
    "DrawingError",
    "FileError",
    "FontWarning",
    "FormatError",
    "InputError",
    "MissingDependencyError",
    "OutOfMemoryError",
    "SpecError",
    "StudyError",
    "TulleError",
]


class TulleError(Exception):
    """Base of all exceptions that tulle raises on purpose. Messages quote at most 60 characters of a value."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(abridged(value) if isinstance(value, str) else value for value in arguments))


class SpecError(TulleError, ValueError):
    """A spec, or one of its values, is not legal."""


class InputError(TulleError, ValueError):
    """An argument, an array or a graph is invalid."""


class FileError(TulleError, OSError):
    """A file cannot be read or written."""


class FormatError(TulleError, ValueError):
    """The content of a file is invalid; the message starts with the file, and the line if it is known."""


class StudyError(TulleError, ValueError):
    """A study or claims file is invalid, or a run of a study fails; most messages start with the file."""


class ConstructionError(TulleError, RuntimeError):
    """A randomised construction failed in all its attempts."""


class DrawingError(TulleError, RuntimeError):
    """A plot cannot be drawn."""


class FontWarning(UserWarning):
    """No installed font has some characters of a plot, which shows boxes instead."""


class MissingDependencyError(TulleError, ImportError):
    """An optional package is needed but not installed."""


class OutOfMemoryError(TulleError, MemoryError):
    """A call needs more memory than is available. The message names both amounts if they are known.

    The call frees most of its memory before it raises this error.
    """
