"""Find regularities of a plan, which help technicians to see wiring errors. All statements are true for the plan."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.cabling.plan import Plan

BETWEEN = 3
# Maximum number of kinds of racks in a sentence, because more kinds are hard to distinguish by eye.
_MOST_KINDS = 4


def invariants(plan: Plan, step: int) -> list[str]:
    """Return the regularities of a step as sentences."""
    found = []
    kinds = _equal_racks(plan, step) if step else []
    if len(kinds) == 1 and len(kinds[0]) > 1:
        found.append("The cables of this step are identical in every rack: same units, same ports.")
    elif 1 < len(kinds) <= _MOST_KINDS and min(map(len, kinds)) > 1:
        found.append(
            f"There are {len(kinds)} kinds of racks. In racks of the same kind, the cables of this step are identical:"
        )
        found += [f"same units, same ports in {', '.join(racks)}" for racks in kinds]
    each = _each(plan, step)
    if len(each) == 1:
        count = next(iter(each))
        found.append(f"Every switch has exactly {count} cable{'s' if count > 1 else ''} of this step.")
    if step == BETWEEN:
        pairs = set(pair_counts(plan).values())
        racks = len({device.rack for device in plan.devices})
        if len(pairs) == 1 and len(pair_counts(plan)) == racks * (racks - 1) // 2:
            count = next(iter(pairs))
            found.append(f"Every two racks have {count} cable{'s' if count > 1 else ''} between them.")
        if remote_ports(plan):
            found.append("All switches of a rack use the same port for the same remote rack.")
    if plan.joins and step:
        found += _uniform(plan, step)
    ports = sorted(
        {port for cable in plan.cables if cable.step == step for name, port in cable.ends if _switch(plan, name)}
    )
    if ports and all(port.isdigit() for port in ports):
        numbers = sorted(map(int, ports))
        if len(numbers) == numbers[-1] - numbers[0] + 1:
            span = f"port {numbers[0]}" if len(numbers) == 1 else f"ports {numbers[0]} to {numbers[-1]}"
            found.insert(0, f"At switches, this step uses only {span}.")
    return found


def pair_counts(plan: Plan) -> Counter[tuple[str, str]]:
    """Return the number of cables between two racks, by pair of racks. Cables of endpoints do not count.

    A pair is in the order of `Plan.racks`.
    """
    order = {rack: at for at, rack in enumerate(plan.racks)}
    found: Counter[tuple[str, str]] = Counter()
    for cable in plan.cables:
        racks = [plan.device[name].rack for name, _ in cable.ends]
        if cable.step and racks[0] != racks[1]:
            a, b = sorted(racks, key=order.__getitem__)
            found[a, b] += 1
    return found


def remote_ports(plan: Plan) -> dict[tuple[str, str], str]:
    """Return the port that all switches of a rack use for a remote rack, by rack and remote rack.

    The result is empty if, for some remote rack, the switches of a rack use different ports or several ports.
    """
    found: dict[tuple[str, str], str] = {}
    for cable in plan.cables:
        if cable.step != BETWEEN:
            continue
        for (device, port), (other, _) in (cable.ends, cable.ends[::-1]):
            key = plan.device[device].rack, plan.device[other].rack
            if found.setdefault(key, port) != port:
                return {}
    return found


def _uniform(plan: Plan, step: int) -> list[str]:
    """Return regularities of the cables to optical switches or patch panels, as sentences."""
    devices: dict[str, set[str]] = defaultdict(set)
    ports: dict[str, set[str]] = defaultdict(set)
    for cable in plan.cables:
        if cable.step == step:
            (switch, own), (device, port) = cable.ends
            devices[own].add(device)
            ports[switch].add(port)
    found = []
    if all(len(of) == 1 for of in devices.values()):
        found.append("The same port of every switch leads to the same device.")
    if all(len(of) == 1 for of in ports.values()):
        found.append("Each switch uses the same port number at every device.")
    return found


def _switch(plan: Plan, name: str) -> bool:
    return plan.device[name].kind == "switch"


def _each(plan: Plan, step: int) -> set[int]:
    """Return the distinct numbers of cables per switch in a step."""
    counts = dict.fromkeys((device.name for device in plan.devices if device.kind == "switch"), 0)
    for cable in plan.cables:
        if cable.step == step:
            for name, _ in cable.ends:
                if name in counts:
                    counts[name] += 1
    return set(counts.values())


def _equal_racks(plan: Plan, step: int) -> list[list[str]]:
    """Group racks whose cables in a step are identical. Return nothing if a cable leaves a rack or a rack has none."""
    racks: dict[str, set[tuple[object, ...]]] = defaultdict(set)
    for cable in plan.cables:
        if cable.step == step:
            a, b = (plan.device[name] for name, _ in cable.ends)
            if a.rack != b.rack:
                return []
            racks[a.rack].add(tuple(sorted([(a.unit, cable.ends[0][1]), (b.unit, cable.ends[1][1])])))
    if {*racks} != {device.rack for device in plan.devices if device.kind == "switch"}:
        return []
    alike: dict[frozenset[tuple[object, ...]], list[str]] = defaultdict(list)
    for rack in plan.racks:
        if rack in racks:
            alike[frozenset(racks[rack])].append(rack)
    return list(alike.values())
