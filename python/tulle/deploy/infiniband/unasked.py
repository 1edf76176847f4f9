"""Service levels from before a repair, which hosts may use until they query path records again.

After a repair under traffic, hosts still use service levels (SLs) of older path records. The proof of the next repair
must cover these service levels too, so the bundle stores them in the file ``unasked``. The file has a line
``GUID LID SL …`` for each path with such service levels: the GUID of the source switch, the destination's LID, and
these levels. Without the file, all hosts use the service levels of the bundle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tulle._internal.reading import read_text
from tulle.deploy.bundle_header import check_files
from tulle.deploy.infiniband.bundle import UNASKED
from tulle.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.states import Loaded

__all__ = ["read_unasked", "unasked_text"]

_LEVELS = 16


def read_unasked(intent: Intent) -> NDArray[np.uint16]:
    """Read the SLs that hosts may still use, by source switch and LID, one bit for each SL.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that was changed since it was written.
    """
    found = np.zeros((len(intent.switch_guids), intent.top + 1), np.uint16)
    bundle = intent.bundle
    if UNASKED not in bundle.header.files:
        return found
    check_files(bundle.folder, bundle.header.files, [UNASKED])
    path = bundle.folder / UNASKED
    for number, line in enumerate(read_text(path).splitlines(), 1):
        try:
            guid, lid, *levels = (int(word, 0) for word in line.split())
        except ValueError:
            guid, lid, levels = 0, 0, []
        is_known = guid in intent.switch_of and 0 < lid <= intent.top
        if not is_known or not levels or not all(0 <= level < _LEVELS for level in levels):
            raise FormatError(
                f"{path}:{number}: invalid line; legal: GUID of a switch, LID, and service levels 0 to 15"
            )
        for level in levels:
            found[intent.switch_of[guid], lid] |= np.uint16(1 << level)
    return found


def unasked_text(intent: Intent, before: Loaded, after: Loaded, left: Sequence[int]) -> str:
    """Return the text of the file for a repair under traffic; empty if no SL of a remaining switch changes."""
    held = np.where(after.levels != 0, before.levels & ~after.levels, 0)
    lines = []
    for switch in left:
        guid = f"0x{intent.switch_guids[switch]:016x}"
        for lid in np.flatnonzero(held[switch]).tolist():
            levels = [level for level in range(_LEVELS) if held[switch, lid] >> level & 1]
            lines.append(f"{guid} {lid} {' '.join(map(str, levels))}\n")
    return "".join(lines)
