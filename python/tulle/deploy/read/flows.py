"""Flows of one Open vSwitch bridge: ``ovs-ofctl dump-flows``, with ``dump-groups`` where there are groups."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.reading import read_text
from tulle.deploy.read.routes import Way
from tulle.errors import FormatError

if TYPE_CHECKING:
    from os import PathLike

__all__ = ["Flow", "read_flows"]

_MATCH = re.compile(r"(?:^|,\s*|\s)(dl_vlan|dl_dst|priority)=([^,\s]+)")
_OUTPUT = re.compile(r"(?:^|,)\s*(output|group):\"?([^,\"\s]+)\"?")
_BUCKET = re.compile(r"bucket=(.*?)(?=,bucket=|$)")
_WEIGHT = re.compile(r"weight:(\d+)")


class Flow(NamedTuple):
    """A flow by VLAN and destination."""

    vlan: int
    mac: str
    """The destination's MAC address; what the mask leaves out is 0."""
    mask: str | None
    ways: tuple[Way, ...]
    """The ports that it leaves by; none: it is dropped."""


def read_flows(path: str | PathLike[str]) -> list[Flow]:
    """The flows that match a VLAN and a destination's MAC address; others are left out.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or is not what ``ovs-ofctl`` prints, or a group that is not there.
    """
    place = Path(path)
    text = read_text(place)
    if text and not text.endswith("\n"):
        raise FormatError(f"{place}: is cut off in its last line; legal: all that ovs-ofctl prints")
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    groups: dict[str, tuple[Way, ...]] = {}
    for _, line in lines:
        if match := re.match(r"group_id=(\d+),", line):
            groups[match[1]] = tuple(
                Way(out[2], None, int(weight[1]) if (weight := _WEIGHT.search(bucket)) else 1)
                for bucket in _BUCKET.findall(line)
                for out in _OUTPUT.finditer(bucket.partition("actions=")[2])
            )
    flows = []
    legal = "legal: what ovs-ofctl dump-flows and dump-groups print"
    for number, line in lines:
        if not line or line.startswith(("group_id=", "OFPST_", "NXST_")):
            continue
        matched, arrow, actions = line.partition("actions=")
        if not arrow:
            raise FormatError(f"{place}:{number}: no flow; {legal}")
        fields = dict(_MATCH.findall(matched))
        if not {"dl_vlan", "dl_dst"} <= {*fields}:
            continue
        ways: list[Way] = []
        for kind, name in _OUTPUT.findall(actions):
            if kind == "output":
                ways.append(Way(name, None, 1))
            elif name in groups:
                ways.extend(groups[name])
            else:
                raise FormatError(f"{place}:{number}: group {name} is not told; {legal}, both in one file")
        mac, _, mask = fields["dl_dst"].partition("/")
        try:
            vlan = int(fields["dl_vlan"], 0)
        except ValueError:
            raise FormatError(f"{place}:{number}: dl_vlan={fields['dl_vlan']} is no VLAN; {legal}") from None
        flows.append(Flow(vlan, mac, mask or None, tuple(ways)))
    return flows
