"""Exceptions: one line each, naming the offending value and what would be legal."""

from tulle._internal.text import abridged

__all__ = [
    "ConstructionError",
    "DrawingError",
    "FileError",
    "FormatError",
    "InputError",
    "MissingDependencyError",
    "OutOfMemoryError",
    "SpecError",
    "StudyError",
    "TulleError",
]


class TulleError(Exception):
    """Base of every exception that tulle raises on purpose. Its message repeats 60 characters of a value at most."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(abridged(value) if isinstance(value, str) else value for value in arguments))


class SpecError(TulleError, ValueError):
    """A spec, or one of its values, is not legal."""


class InputError(TulleError, ValueError):
    """An argument, an array or a graph cannot be what it is handed in as."""


class FileError(TulleError, OSError):
    """A file cannot be read or written."""


class FormatError(TulleError, ValueError):
    """A file's content is not what it should be; the message starts with the file and the line."""


class StudyError(TulleError, ValueError):
    """A study file is not legal; the message starts with the file and names the key."""


class ConstructionError(TulleError, RuntimeError):
    """A randomised construction failed in all the attempts it has."""


class DrawingError(TulleError, RuntimeError):
    """A plot cannot be drawn."""


class MissingDependencyError(TulleError, ImportError):
    """An optional package is needed and not installed."""


class OutOfMemoryError(TulleError, MemoryError):
    """More memory is needed than there is; the message names both. What the call held is free again, or most of it."""
