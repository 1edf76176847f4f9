"""Read the flows of an Open vSwitch bridge: output of ``ovs-ofctl dump-flows``, with ``dump-groups`` for groups."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tulle._internal.html_summary import shown
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


@shown
class Flow(NamedTuple):
    """A flow that matches a VLAN and a destination MAC address."""

    vlan: int
    mac: str
    """The destination MAC address; bits outside the mask are 0."""
    mask: str | None
    ways: tuple[Way, ...]
    """The output ports; empty if packets are dropped."""


def read_flows(path: str | PathLike[str]) -> list[Flow]:
    """Read the flows that match a VLAN and a destination MAC address; others are skipped.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, is not the output of ``ovs-ofctl``, or refers to a missing group.
    """
    place = Path(path)
    text = read_text(place)
    if text and not text.endswith("\n"):
        raise FormatError(f"{place}: the last line is cut off; legal: the complete output of ovs-ofctl")
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
    legal = "legal: the output of ovs-ofctl dump-flows and dump-groups"
    for number, line in lines:
        if not line or line.startswith(("group_id=", "OFPST_", "NXST_")):
            continue
        matched, arrow, actions = line.partition("actions=")
        if not arrow:
            raise FormatError(f"{place}:{number}: not a flow; {legal}")
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
                raise FormatError(f"{place}:{number}: group {name} is missing; {legal}, in the same file as the flows")
        mac, _, mask = fields["dl_dst"].partition("/")
        try:
            vlan = int(fields["dl_vlan"], 0)
        except ValueError:
            raise FormatError(f"{place}:{number}: dl_vlan={fields['dl_vlan']} is not a VLAN; {legal}") from None
        flows.append(Flow(vlan, mac, mask or None, tuple(ways)))
    return flows
