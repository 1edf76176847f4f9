"""Turn a caller's list of switches or cables (ids, names, pairs) into ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tulle.errors import InputError
from tulle.fabric.edges import CableIds

if TYPE_CHECKING:
    from tulle.fabric.fabric import Fabric

_LEGAL = "legal: fabric.cables[rows], 'ids:…', names like 'leaf1--spine2' or 'leaf1/3', pairs of switches"


def cable_ids(fabric: Fabric, links: Any) -> Any:
    """Replace names and pairs of switches in a list of cables by ids; other values are returned unchanged.

    Raises
    ------
    tulle.InputError
        For a name or pair that matches no cable, or a number that is the id of one cable and the row of another.
    """
    if isinstance(links, CableIds) or not isinstance(links, (list, tuple, np.ndarray)):
        return links
    if isinstance(links, np.ndarray):
        if links.dtype.kind not in "iu" or links.ndim not in (1, 2):
            return links
        return _checked(fabric, links) if links.ndim == 1 else [_cable_id(fabric, pair) for pair in links.tolist()]
    numbers = [link for link in links if isinstance(link, (int, np.integer)) and not isinstance(link, (bool, np.bool_))]
    if len(numbers) < len(links) and not all(isinstance(link, (str, list, tuple, int, np.integer)) for link in links):
        return links
    _checked(fabric, np.array(numbers, dtype=object))
    return [_cable_id(fabric, link) for link in links]


def switch_ids(fabric: Fabric, switches: Any) -> Any:
    """Replace names in a list of switches by ids; other values are returned unchanged."""
    if not _is_list(switches) or not any(isinstance(switch, str) for switch in switches):
        return switches
    return [fabric.switch(switch) if isinstance(switch, str) else switch for switch in switches]


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))


def _cable_id(fabric: Fabric, link: Any) -> int:
    if isinstance(link, str):
        return fabric.cable(link)
    if not isinstance(link, (list, tuple)):
        return int(link)
    if len(link) != 2:
        raise InputError(f"links contains {link!r}, which is not a pair; {_LEGAL}")
    ends = [end if isinstance(end, str) else int(end) for end in link]
    channel = fabric.channel(*ends)
    return int(min(channel, fabric.reverse[channel]))


def _checked(fabric: Fabric, numbers: Any) -> Any:
    """Return the cable ids, or raise `InputError` if one of them could also be a row of `Fabric.edges`."""
    cables = np.asarray(fabric.cables)
    for number in numbers.tolist():
        if 0 <= number < len(cables) and cables[number] != number:
            row = np.searchsorted(cables, number)
            there = fabric.cable_names[number]
            if row < len(cables) and cables[row] == number:
                meaning = f"the id of {fabric.cable_names[row]} and the row of {there}"
            else:
                meaning = f"no cable's id, and the row of {there}"
            raise InputError(f"links: {number} is {meaning}; {_LEGAL}")
    return numbers
