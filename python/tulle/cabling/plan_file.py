"""Write and read ``plan.json``, the file of a cabling plan."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tulle._internal.writing.folders import recover
from tulle.cabling.json_values import Value, read_values
from tulle.cabling.plan import Device, Join, Plan, PlannedCable, Step
from tulle.cabling.source import Source, shown
from tulle.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from tulle.cabling.plan import End

__all__ = ["plan_text", "read_plan"]

FORMAT = "tulle-cabling-plan-1"

_KINDS = ("switch", "endpoint", "optical", "panel")
_GUID = re.compile(r"0x[0-9a-f]{16}$")
_HEX = re.compile(r"#[0-9a-f]{6}$")
_KEYS = ("format", "fabric", "seed", "faults", "floor", "structure", "steps", "devices", "cables")
_PROPOSED = "proposed"
# The largest count. Programs that read all JSON numbers as floats represent every count up to this one exactly.
_MOST = 1 << 53
_MOST_SEED = (1 << 64) - 1


def plan_text(plan: Plan) -> str:
    """Return the text of ``plan.json``, with one line per step, device, cable and join."""
    steps = [{"name": step.name, "colour": step.colour, "hex": step.hex} for step in plan.steps]
    devices = [
        {
            "name": device.name,
            "kind": device.kind,
            "rack": device.rack,
            "unit": device.unit,
            "slot": device.slot,
            "ports": device.ports,
            **({"known_as": device.known_as} if device.known_as else {}),
            **{key: f"0x{guid:016x}" for key, guid in _guids(device) if guid},
            **(
                {"port_guids": {port: f"0x{guid:016x}" for port, guid in device.port_guids}}
                if device.port_guids
                else {}
            ),
        }
        for device in plan.devices
    ]
    cables = [
        {
            "step": cable.step,
            "from": list(cable.ends[0]),
            "to": list(cable.ends[1]),
            "length_mm": cable.length,
            "medium": cable.medium,
            "rate_bps": cable.rate,
        }
        for cable in plan.cables
    ]
    head = {
        "format": FORMAT,
        "fabric": plan.fabric,
        "seed": plan.seed,
        "faults": list(plan.faults),
        "floor": plan.floor,
        "structure": plan.structure,
        **({"places": _PROPOSED} if plan.proposed_places else {}),
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    joins = [
        {"device": join.device, "enter": join.enter, "leave": join.leave, "duplex": join.duplex} for join in plan.joins
    ]
    lists: list[tuple[str, Sequence[object]]] = [
        ("steps", steps),
        ("devices", devices),
        ("cables", cables),
        *([("joins", joins)] if joins else []),
    ]
    for key, rows in lists:
        inside = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
        lines.append(f'  "{key}": [\n{inside}\n  ]' if rows else f'  "{key}": []')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _guids(device: Device) -> tuple[tuple[str, int], ...]:
    return ("node_guid", device.node_guid), ("port_guid", device.port_guid)


def read_plan(path: str | PathLike[str]) -> Plan:
    """Read a plan from its file or folder.

    Raises
    ------
    tulle.FileError, tulle.FormatError
        For a file that cannot be read, or that is not a plan.
    """
    place = Path(path)
    recover(place if place.is_dir() else place.parent)
    if place.is_dir() and not (place / "plan.json").exists():
        raise FileError(f"{place}: has no plan.json; legal: a folder of `tulle cabling plan` or `tulle deploy`")
    source = Source(place / "plan.json" if place.is_dir() else place)
    values = read_values(source)
    if len(values) > 1:
        raise source.error(values[1].at, "a second value; legal: one plan")
    members = _object(values[0], "the plan", _KEYS, ("joins", "places"))
    if members["format"].value != FORMAT:
        raise source.error(members["format"].at, f"unknown format; legal: {FORMAT}")
    steps = tuple(_step(value) for value in members["steps"].items("steps"))
    devices: dict[str, Device] = {}
    for value in members["devices"].items("devices"):
        device = _device(value)
        if device.name in devices:
            raise source.error(value.at, f"device {shown(device.name)} is listed twice; legal: once")
        devices[device.name] = device
    taken: set[End] = set()
    cables = []
    for value in members["cables"].items("cables"):
        cable = _cable(value, len(steps))
        for end in cable.ends:
            if end[0] not in devices:
                raise source.error(value.at, f"{shown(end[0])} is not in devices; legal: one of the devices")
            if end in taken:
                problem = f"a second cable at port {shown(end[1])} of {shown(end[0])}"
                raise source.error(value.at, f"{problem}; legal: one")
            taken.add(end)
        cables.append(cable)
    joins = _joins(members["joins"], devices, taken) if "joins" in members else ()
    if joins and len(steps) != 2:
        raise source.error(members["steps"].at, f"{len(steps)} steps in a plan with joins; legal: 2 steps")
    return Plan(
        members["fabric"].string("fabric"),
        _whole(members["seed"], "seed", _MOST_SEED),
        tuple(value.string("a fault") for value in members["faults"].items("faults")),
        members["floor"].string("floor"),
        members["structure"].string("structure"),
        steps,
        tuple(devices.values()),
        tuple(cables),
        joins,
        _has_proposed_places(members),
    )


def _has_proposed_places(members: dict[str, Value]) -> bool:
    if "places" not in members:
        return False
    value = members["places"]
    if value.value != _PROPOSED:
        raise value.source.error(value.at, f"unknown places; legal: {_PROPOSED}, or no places")
    return True


def _joins(value: Value, devices: dict[str, Device], taken: set[End]) -> tuple[Join, ...]:
    """Read the port maps, and check that all their ports have cables."""
    found: list[Join] = []
    used: set[tuple[str, str, str]] = set()
    for item in value.items("joins"):
        members = _object(item, "a join", ("device", "enter", "leave", "duplex"))
        name, enter, leave = (_name(members[key], key) for key in ("device", "enter", "leave"))
        duplex = members["duplex"].value
        if not isinstance(duplex, bool):
            raise item.source.error(members["duplex"].at, "duplex is not a boolean; legal: true or false")
        if name not in devices or devices[name].kind not in ("optical", "panel"):
            raise item.source.error(item.at, f"{shown(name)} cannot join ports; legal: an optical switch or a panel")
        for port in (enter, leave):
            if (name, port) not in taken:
                raise item.source.error(
                    item.at, f"no cable at port {shown(port)} of {shown(name)}; legal: a port with a cable"
                )
        sides = {(name, enter, "enter"), (name, leave, "leave")}
        sides |= {(name, leave, "enter"), (name, enter, "leave")} if duplex else set()
        if enter == leave or sides & used:
            raise item.source.error(
                item.at, f"port {shown(enter)} or {shown(leave)} of {shown(name)} is listed twice; legal: once"
            )
        used |= sides
        found.append(Join(name, enter, leave, duplex))
    return tuple(found)


def _object(value: Value, what: str, keys: tuple[str, ...], optional: tuple[str, ...] = ()) -> dict[str, Value]:
    members = value.members(what)
    for key in keys:
        if key not in members:
            raise value.source.error(value.at, f"{what} has no '{key}'; legal: {', '.join(keys)}")
    for key, member in members.items():
        if key not in keys and key not in optional:
            raise value.source.error(member.at, f"{what} has {shown(key)}; legal: {', '.join(keys + optional)}")
    return members


def _whole(value: Value, what: str, most: int = _MOST) -> int:
    number: Any = value.value
    is_number = isinstance(number, (int, float)) and not isinstance(number, bool)
    legal = f"legal: a whole number from 0 to {most}"
    if not is_number or number != number // 1:
        raise value.source.error(value.at, f"{what} is not a count; {legal}")
    if not 0 <= number <= most:
        raise value.source.error(value.at, f"{what} is out of range; {legal}")
    return int(number)


def _name(value: Value, what: str) -> str:
    return value.source.name(value.at, value.string(what), what)


def _step(value: Value) -> Step:
    members = _object(value, "a step", ("name", "colour", "hex"))
    colour = members["hex"].string("hex")
    if not _HEX.match(colour):
        raise value.source.error(members["hex"].at, f"hex {shown(colour)}; legal: #rrggbb")
    return Step(_name(members["name"], "name"), _name(members["colour"], "colour"), colour)


def _device(value: Value) -> Device:
    keys = ("name", "kind", "rack", "unit", "slot", "ports")
    members = _object(value, "a device", keys, ("known_as", "node_guid", "port_guid", "port_guids"))
    kind = members["kind"].string("kind")
    if kind not in _KINDS:
        raise value.source.error(members["kind"].at, f"kind {shown(kind)}; legal: {', '.join(_KINDS)}")
    unit, slot, ports = (_whole(members[key], key) for key in ("unit", "slot", "ports"))
    known_as = _name(members["known_as"], "known_as") if "known_as" in members else ""
    node, own = (_guid(members, key) for key in ("node_guid", "port_guid"))
    name, rack = _name(members["name"], "name"), _name(members["rack"], "rack")
    several = members["port_guids"].members("port_guids") if "port_guids" in members else {}
    of_ports = tuple((port, _guid(several, port)) for port in several)
    return Device(name, kind, rack, unit, slot, ports, known_as, node, own, of_ports)


def _guid(members: dict[str, Value], key: str) -> int:
    if key not in members:
        return 0
    text = members[key].string(key)
    if not _GUID.match(text):
        raise members[key].source.error(members[key].at, f"{key} {shown(text)}; legal: 0x and 16 hexadecimal digits")
    return int(text, 16)


def _cable(value: Value, steps: int) -> PlannedCable:
    members = _object(value, "a cable", ("step", "from", "to", "length_mm", "medium", "rate_bps"))
    step = _whole(members["step"], "step")
    if step >= steps:
        raise value.source.error(members["step"].at, f"step {step} is not in steps; legal: 0 to {steps - 1}")
    ends = (_end(members["from"], "from"), _end(members["to"], "to"))
    if ends[0][0] == ends[1][0]:
        raise value.source.error(value.at, f"a cable from {shown(ends[0][0])} to itself; legal: two devices")
    rate = None if members["rate_bps"].value is None else _whole(members["rate_bps"], "rate_bps")
    length = _whole(members["length_mm"], "length_mm")
    return PlannedCable(step, ends, length, _name(members["medium"], "medium"), rate)


def _end(value: Value, what: str) -> End:
    items = value.items(what)
    if len(items) != 2:
        raise value.source.error(value.at, f"{what} has {len(items)} values; legal: a device and its port")
    return _name(items[0], "device"), _name(items[1], "port")
