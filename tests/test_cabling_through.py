"""Test plans with optical switches or patch panels: cables that do not depend on the seed, port maps, faulty cables."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import tulle as library
from tulle.cabling import Plan, plan_cabling, read_live, read_plan, verify_cabling, write_plan
from tulle.cabling.exports.table import cables, labels, port_maps
from tulle.cabling.links import links_of

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from tulle.cabling import Verdict
    from tulle.cabling.plan import End

UNIFORM = [
    ("jellyfish:switches=20,degree=6,p=3", "panels"),
    ("jellyfish:switches=21,degree=4,p=2", "optical"),
    ("flattenedclos:switches=30,ports=12", "optical"),
    ("flattenedclos:switches=30,ports=12", "panels"),
]
LAYERED = [
    ("flattenedclos:switches=60,ports=16,layers=3,p=4,eta=3", "optical"),
    ("flattenedclos:switches=60,ports=16,layers=3,p=4,panel_ports=20", "panels"),
    ("flattenedclos:switches=41,degrees=2x1x2,eta=2,p=1", "panels"),
]
RATES = {56: "56GigBase", 14: "14GigBase"}


def plan(spec: str, through: str, seed: int = 1) -> Plan:
    fabric = library.Fabric(spec, seed, links="all:rate=56Gbps")
    return plan_cabling(library.place(fabric, through=through, seed=seed))


@pytest.mark.parametrize(("spec", "through"), UNIFORM + LAYERED)
def test_the_cables_of_a_seed_are_those_of_another(spec: str, through: str, tmp_path: Path) -> None:
    plans = [plan(spec, through, seed) for seed in (1, 2)]
    for name, of in zip("ab", plans, strict=True):
        write_plan(of, tmp_path / name)
        assert read_plan(tmp_path / name) == of
    for file in ("cables.csv", "labels.csv", "exports/netbox.csv"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()
    assert (tmp_path / "a/port-maps.csv").read_bytes() != (tmp_path / "b/port-maps.csv").read_bytes()


@pytest.mark.parametrize(("spec", "through"), [*UNIFORM, *LAYERED, ("slimfly:q=5", "optical")])
def test_links_through_the_port_maps_are_the_fabric(spec: str, through: str) -> None:
    for seed in (1, 2):
        of = plan(spec, through, seed)
        number = {name: at for at, name in enumerate(one.name for one in of.devices if one.kind == "switch")}
        links = links_of(of)
        found = Counter(frozenset(number[name] for name, _ in cable.ends) for cable in links.plan.cables if cable.step)
        wanted = Counter(frozenset(edge) for edge in library.Fabric(spec, seed).edges.tolist())
        assert found == (wanted + wanted if links.directed else wanted)
        ports = Counter(end for cable in of.cables for end in cable.ends)
        assert max(ports.values()) == 1
        limit = {device.name: device.ports for device in of.devices}
        assert all(1 <= int(port) <= limit[name] for name, port in ports)
        devices = sum(device.kind in ("optical", "panel") for device in of.devices)
        layout = library.place(library.Fabric(spec, seed), through=through, seed=seed)
        assert devices == layout.items.devices
        assert of.counts()[1] - 2 <= sum(layout.items.to_devices.values()) <= of.counts()[1]


def test_virtual_layered_cabling_is_that_of_the_paper() -> None:
    """Check the cables from switches to patch panels in a Flattened Clos with several groups of panels (paper, §3.3).

    Group i has 2·η·a_i panels, where η is the parameter `eta` and a_i is a number in `degrees`. Each switch has cables
    to 2·a_i panels of the group.
    """
    layout = library.place(library.Fabric("flattenedclos:switches=60,degrees=3x4,eta=3,p=4", 5), through="panels")
    circuits = layout.circuits
    assert circuits is not None
    assert (circuits.num_devices, circuits.uniform, circuits.directed) == (2 * 3 * 7, False, False)
    switch, own, device, _ = layout.device_cables
    assert len(set(zip(switch.tolist(), device.tolist(), strict=True))) == len(switch) == 60 * 14
    assert len(set(zip(switch.tolist(), own.tolist(), strict=True))) == 60 * 14
    for group, devices in ((6, range(18)), (8, range(18, 42))):
        counts = Counter(int(of) for of, at in zip(switch, device, strict=True) if at in devices)
        assert set(counts.values()) == {group}


def test_too_few_ports_are_refused_with_both_numbers() -> None:
    with pytest.raises(library.errors.InputError, match="needs devices of 20 ports, but the devices have 19"):
        library.place("flattenedclos:switches=60,ports=16,layers=3,p=4,eta=3", through="panels", ports=19)
    with pytest.raises(library.errors.InputError, match="switches with equal numbers of network ports"):
        plan_cabling(library.place("fattree:levels=3,radix=4", through="optical"))


class Room:
    """A simulated wiring: for each switch port, the device port at the cable's other end and the cable's rate."""

    def __init__(self, of: Plan) -> None:
        self.plan = of
        self.at = {cable.ends[0]: cable.ends[1] for cable in of.cables if cable.step}
        self.slow: set[End] = set()
        self.leaves: dict[End, End] = {}
        for join in of.joins:
            enter, leave = (join.device, join.enter), (join.device, join.leave)
            self.leaves[enter] = leave
            if join.duplex:
                self.leaves[leave] = enter

    def announced(self) -> list[tuple[End, End, int]]:
        """Return (own port, neighbour's port, rate) for each port with a neighbour."""
        switch = {place: end for end, place in self.at.items()}
        found = []
        for end, place in self.at.items():
            other = switch.get(self.leaves.get(place, ("", "")))
            if other is not None:
                found.append((other, end, 14 if {end, other} & self.slow else 56))
        for cable in self.plan.cables:
            if cable.step == 0:
                found += [(*cable.ends, 56), (*cable.ends[::-1], 56)]
        return found


def lldp(room: Room, folder: Path) -> list[Path]:
    announced: dict[str, list[dict[str, Any]]] = {one.name: [] for one in room.plan.devices if one.kind == "switch"}
    for here, there, rate in room.announced():
        if here[0] in announced:
            port = {
                "id": [{"type": "ifname", "value": there[1]}],
                "auto-negotiation": [{"current": [{"value": RATES[rate]}]}],
            }
            announced[here[0]].append(
                {"name": here[1], "chassis": [{"name": [{"value": there[0]}]}], "port": [port]},
            )
    paths = []
    for name, interfaces in announced.items():
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps({"lldp": [{"interface": interfaces}]}))
    return paths


def ibnetdiscover(room: Room, folder: Path) -> list[Path]:
    kinds = {one.name: "Switch" if one.kind == "switch" else "Ca" for one in room.plan.devices}
    rows: dict[str, list[str]] = {}
    for a, b, rate in room.announced():
        width = "4x" if rate == 56 else "1x"
        rows.setdefault(a[0], []).append(f'[{a[1]}] "X-{b[0]}"[{b[1]}] # "{b[0]}" lid 0 {width}FDR')
    blocks = ["\n".join([f'{kinds[name]} 36 "X-{name}" # "{name}"', *of]) for name, of in rows.items()]
    path = folder / "live"
    path.write_text("\n\n".join(blocks))
    return [path]


TOOLS = {"lldp": lldp, "ibnetdiscover": ibnetdiscover}


def verify(room: Room, tool: str, folder: Path) -> Verdict:
    return verify_cabling(room.plan, read_live(tool, TOOLS[tool](room, folder)), tool=tool)


def links_at(of: Plan) -> dict[End, set[frozenset[End]]]:
    """Return the links through each switch port's cable; a link is a pair of switch ports."""
    found: dict[End, set[frozenset[End]]] = {}
    for join in of.joins:
        a, b = of.other((join.device, join.enter)), of.other((join.device, join.leave))
        assert a is not None
        assert b is not None
        for end in (a, b):
            found.setdefault(end, set()).add(frozenset((a, b)))
    return found


def apart(links: dict[End, set[frozenset[End]]], count: int, draw: random.Random) -> list[End]:
    """Choose random ports such that links of different ports share no cable."""
    found: list[End] = []
    near: set[End] = set()
    while len(found) < count:
        end = draw.choice(sorted(links))
        around = {other for link in links[end] for other in link}
        around |= {other for here in around for link in links[here] for other in link}
        if not around & near:
            found.append(end)
            near |= around
    return found


@pytest.mark.parametrize(
    ("spec", "through", "tool"),
    [
        (*UNIFORM[0], "lldp"),
        (*UNIFORM[0], "ibnetdiscover"),
        (*UNIFORM[2], "lldp"),
        (*LAYERED[0], "lldp"),
        (*LAYERED[1], "ibnetdiscover"),
    ],
)
def test_random_faults_are_named_exactly(spec: str, through: str, tool: str, tmp_path: Path) -> None:
    of = plan(spec, through)
    directed = links_of(of).directed
    assert verify(Room(of), tool, tmp_path).agrees
    links = links_at(of)
    for seed in range(8):
        draw = random.Random(seed)
        room, wanted = Room(of), []
        kinds = draw.choices(["swap", "missing", "slow"], k=draw.randint(1, 3))
        ports = apart(links, len(kinds) + kinds.count("swap"), draw)
        for kind in kinds:
            one = ports.pop()
            if kind == "swap":
                other = ports.pop()
                room.at[one], room.at[other] = room.at[other], room.at[one]
                far = [frozenset(next(iter(links[end])) - {end}) for end in (one, other)]
                wanted.append(("swap", frozenset((one, other)), frozenset[Any]().union(*far)))
                continue
            if kind == "missing":
                del room.at[one]
            else:
                room.slow.add(one)
            wanted.append((kind, frozenset((one,)), next(iter(links[one]))))
        faults = verify(room, tool, tmp_path).miswirings
        assert len(faults) == len(wanted), [fault.instruction for fault in faults]
        for fault in faults:
            # A reported swap must name the two swapped plugs, or the plugs at the far ends of their links. A report of
            # a missing or slow cable must contain this cable.
            found = [
                one
                for one in wanted
                if fault.kind == one[0]
                and (
                    frozenset(fault.ends) in one[1:]
                    if fault.kind == "swap"
                    else of.at[next(iter(one[1]))] in fault.cables
                )
            ]
            assert len(found) == 1, (fault, wanted)
            wanted.remove(found[0])
            assert len(fault.cables) <= (1 if directed and fault.kind != "swap" else 2) or one_pair(links, found[0][1])


def one_pair(links: dict[End, set[frozenset[End]]], ends: frozenset[End]) -> bool:
    """Return whether each port has only one link. If so, the faulty cable can be at either end of this link."""
    return all(len(links[end]) == 1 for end in ends)


def test_a_wiring_for_another_seed_is_detected_by_its_port_maps(tmp_path: Path) -> None:
    """Check that the port maps decide with which plan the network agrees.

    The cables follow the plan of seed 1, and the port maps follow the plan of seed 2. The network agrees only with the
    plan of seed 2.
    """
    first, second = (plan(*UNIFORM[0], seed) for seed in (1, 2))
    room = Room(second)
    room.at = dict(Room(first).at)
    assert verify(room, "lldp", tmp_path).agrees
    assert not verify_cabling(first, read_live("lldp", lldp(room, tmp_path)), tool="lldp").agrees


def test_command(tulle: Cli, tmp_path: Path) -> None:
    spec, through = LAYERED[1]
    made = tulle("cabling", "plan", spec, "--through", through, "--ports", "24", "-o", "p", "--seed", "3", "--json")
    found = json.loads(made.stdout)
    assert (found["devices"], found["cables"]) == (36, 60 * 16)
    assert [step["what"] for step in found["steps"]] == ["endpoints", "to patch panels"]
    assert str(tmp_path / "p" / "port-maps.csv") in {str(tmp_path / path) for path in found["written"]}
    room = Room(read_plan(tmp_path / "p"))
    one, other = sorted(room.at)[:2]
    good = [str(path) for path in lldp(room, tmp_path)]
    assert "all as planned" in tulle("cabling", "verify", "p", "--live", *good).stdout
    room.at[one], room.at[other] = room.at[other], room.at[one]
    bad = tulle("cabling", "verify", "p", "--live", *[str(path) for path in lldp(room, tmp_path)])
    assert bad.returncode == 1
    assert "1. swap: swap the plugs at" in bad.stdout
    assert "; or those at panel-" in bad.stdout


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda join: join.update(device="nobody"), "'nobody' cannot join ports"),
        (lambda join: join.update(enter="999"), "no cable at port '999'"),
        (lambda join: join.update(duplex=1), "duplex is not a boolean"),
        (lambda join: join.update(leave=join["enter"]), "twice; legal: once"),
        (lambda join: join.pop("duplex"), "a join has no 'duplex'"),
    ],
)
def test_bad_joins_are_refused_in_one_line(change: Any, message: str, tmp_path: Path) -> None:
    write_plan(plan(*UNIFORM[0]), tmp_path)
    path = tmp_path / "plan.json"
    values = json.loads(path.read_text())
    change(values["joins"][0])
    path.write_text(json.dumps(values))
    with pytest.raises(library.errors.FormatError, match=message):
        read_plan(path)


def test_tables_say_the_same_of_every_seed() -> None:
    first, second = (plan(*UNIFORM[2], seed) for seed in (1, 2))
    assert cables(first) == cables(second)
    assert labels(first) == labels(second)
    assert port_maps(first) != port_maps(second)
    assert len(port_maps(first).splitlines()) == 1 + len(first.joins)
