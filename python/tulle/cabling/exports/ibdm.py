"""Export a plan as IBDM's ``.topo``, with an ``.ibnl`` file per type of system."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tulle.cabling.exports.model import Export
from tulle.cabling.exports.numbers import check_numbers, number
from tulle.errors import InputError

if TYPE_CHECKING:
    from tulle.cabling.plan import Plan

# Link rate in bit/s -> name of the lane speed in a .topo file. A link has four lanes.
_LANES = {
    10_000_000_000: "2.5G",
    20_000_000_000: "5G",
    40_000_000_000: "10G",
    56_000_000_000: "14G",
    100_000_000_000: "25G",
    200_000_000_000: "50G",
    400_000_000_000: "100G",
    800_000_000_000: "200G",
}


def files(plan: Plan) -> dict[str, str]:
    """Return the content of the files by name: the ``.topo`` file, and an ``.ibnl`` file per type of system.

    The type ``SW36`` is a switch with 36 ports, ``HCA1`` an adapter with one port.
    """
    check_numbers(plan)
    kinds = {}
    for device in plan.devices:
        if ">" in device.name or any(letter.isspace() for letter in device.name):
            raise InputError(f"{device.name!r} is not a valid name in a .topo file; legal: a name without blanks or >")
        kinds[device.name] = f"{'SW' if device.kind == 'switch' else 'HCA'}{device.ports}"
    lines: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for cable in plan.cables:
        speed = "" if cable.rate is None or cable.rate not in _LANES else f"4x-{_LANES[cable.rate]}-"
        for here, there in (cable.ends, cable.ends[::-1]):
            far = f"{kinds[there[0]]} {there[0]} P{number(plan, there)}"
            lines[here[0]].append((number(plan, here), f"   P{number(plan, here)} -{speed}> {far}\n"))
    blocks = [
        f"{kinds[device.name]} {device.name}\n" + "".join(line for _, line in sorted(lines[device.name]))
        for device in plan.devices
    ]
    found = {"plan.topo": "\n".join(blocks)}
    for device in plan.devices:
        kind = kinds[device.name]
        if f"{kind}.ibnl" not in found:
            node = "SW" if device.kind == "switch" else "CA"
            ports = "".join(f"{port} -> P{port}\n" for port in range(1, device.ports + 1))
            found[f"{kind}.ibnl"] = f"TOPSYSTEM {kind}\n\nNODE {node} {device.ports} {kind} U1\n{ports}"
    return found


EXPORT = Export(
    name="ibdm",
    summary="an IBDM .topo file, with an .ibnl file for every type of system",
    paper="ibutils: ibdm-topo-file(1)",
    limitations="Ports of switches must be numbers from 1 to 254. Names of devices must not contain blanks or >.",
    examples=("plan.topo", "SW36.ibnl"),
    files=files,
    suffixes=(".topo", ".ibnl"),
    readers="IBDM",
    shows_neighbours=True,
)
