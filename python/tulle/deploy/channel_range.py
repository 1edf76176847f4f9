"""Errors about too few virtual channels, with the range of the deployed switches."""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["channels_up_to"]

# A deadlock scheme accepts up to 255 virtual channels, because simulated switches can have so many.
_RANGE = re.compile(r"legal: vcs=(\d+) to 255")


@contextmanager
def channels_up_to(most: int) -> Iterator[None]:
    """In errors of the ``with`` block, replace the legal range of a scheme's `vcs` by that of switches with `most`."""
    try:
        yield
    except InputError as error:
        raise InputError(_RANGE.sub(lambda found: _legal(int(found[1]), most), str(error))) from None


def _legal(least: int, most: int) -> str:
    if least > most:
        return f"legal: a routing that needs at most {most}"
    return f"legal: vcs={least}" + (f" to {most}" if least < most else "")
