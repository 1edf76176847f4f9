"""Check that a network of a result is built again as it was: a file that its spec names may have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.fabric import Fabric


def check_unchanged(path: Path, fabric: Fabric, fingerprint: str | None, has_same_sizes: bool = True) -> None:
    """Check a fabric against the fingerprint in the result `path`; results of earlier versions of tulle have none.

    Raises
    ------
    tulle.FormatError
        If the fabric differs from that of the result.
    """
    if not has_same_sizes or fingerprint not in (None, fabric._fingerprint()):
        raise FormatError(
            f"{path}: {fabric.spec} is no longer the network of this file, because an input file or tulle has changed; "
            "run the command again"
        )
