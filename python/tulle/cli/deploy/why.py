"""Describe why ``tulle deploy repair`` made a version of a bundle; ``tulle deploy versions`` shows the reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tulle._internal.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

# More names would make the table of versions unreadable.
_NAMED = 2


def why_repaired(fields: Mapping[str, Any]) -> str:
    """Name the failed parts of a repair, from its fields ``dead_switches`` and ``dead_cables``."""
    parts = [
        f"{one} {', '.join(names)}" if len(names) <= _NAMED else counted(len(names), one, more)
        for one, more, names in (
            ("switch", "switches", fields["dead_switches"]),
            ("cable", "cables", fields["dead_cables"]),
        )
        if names
    ]
    return f"repair without {' and '.join(parts)}" if parts else "repair"
