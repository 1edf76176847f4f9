"""Check that imported route tables of switches, from each supported tool, give the routing that the switches use."""

from __future__ import annotations

import contextlib
import json
import random
from typing import TYPE_CHECKING

import pytest
from route_dumps import TOOLS, Json, ends, fabric_of, written

import tulle
from tulle.deploy.ethernet.import_routes import read_routing
from tulle.deploy.ethernet.plan import plan_of
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.fabric import Fabric

NETWORKS = [
    ("slimfly:q=3", "almost-minimal:layers=4"),
    ("dragonfly:p=2", "spread-groups:layers=3"),
    ("fattree:levels=3,radix=4", "minimal"),
    ("slimfly:q=3", "minimal"),
]


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(("spec", "scheme"), NETWORKS)
def test_the_routing_is_that_of_the_tables(tmp_path: Path, spec: str, scheme: str, tool: str) -> None:
    """Check that the tables of a plan, imported, give the plan's routing: the same next hops, weights and layers."""
    routing = tulle.route(spec, scheme)
    plan = plan_of(routing)
    found = read_routing(fabric_of(plan), [written(tmp_path / "routes", plan, tool)])
    assert found.routing.num_layers == routing.num_layers
    assert ends(found.routing) == ends(plan.routing)
    for switch, prefixes in enumerate(found.destinations):
        assert len(prefixes) == (routing.num_layers if plan.hosts_at[switch] else 0)
    hostless = len(plan.names) - len(plan.destinations)
    assert any("without a routed prefix" in note for note in found.notes) == bool(hostless)
    assert any("172.16.0.0/24" in note for note in found.notes) == (tool == "ip")


def test_tools_may_differ_from_switch_to_switch(tmp_path: Path) -> None:
    plan = plan_of(tulle.route("slimfly:q=3", "spread:layers=2"))
    place = written(tmp_path / "routes", plan)
    for switch, name in enumerate(plan.names):
        tool = list(TOOLS.values())[switch % 3]
        (place / f"{name}.json").write_text(json.dumps(tool(plan, switch)))
    assert ends(read_routing(fabric_of(plan), [place]).routing) == ends(plan.routing)


@pytest.fixture
def square() -> Fabric:
    """Return a fabric of two leaf and two spine switches, in which each leaf is connected to each spine."""
    return tulle.Fabric.from_edges(
        [[0, 2], [0, 3], [1, 2], [1, 3]],
        [0, 1],
        num_switches=4,
        labels=["leaf1", "leaf2", "spine1", "spine2"],
        properties={"ports": [("e1", "e1"), ("e2", "e1"), ("e1", "e2"), ("e2", "e2")]},
    )


def leaf(number: int, *ways: Json, other: str | None = None) -> list[Json]:
    remote = 3 - number
    return [
        {"dst": f"10.{number}.0.0/16", "dev": "vlan10", "protocol": "kernel", "scope": "link"},
        {"dst": other or f"10.{remote}.0.0/16", "protocol": "bgp", "nexthops": list(ways)},
    ]


def spine() -> list[Json]:
    return [{"dst": f"10.{number}.0.0/16", "gateway": "fe80::1", "dev": f"e{number}"} for number in (1, 2)]


def tables(folder: Path, **changed: list[Json]) -> list[Path]:
    both = (
        {"dev": "e1", "via": {"family": "inet6", "host": "fe80::2"}, "weight": 1},
        {"dev": "e2", "gateway": "1.1.1.1"},
    )
    rows = {"leaf1": leaf(1, *both), "leaf2": leaf(2, *both), "spine1": spine(), "spine2": spine(), **changed}
    for name, of in rows.items():
        (folder / f"{name}.json").write_text(json.dumps(of))
    return [folder / f"{name}.json" for name in rows]


def test_default_routes_and_weights(tmp_path: Path, square: Fabric) -> None:
    """Check that the import uses a leaf's default route, the longest matching prefix, and the weights of next hops."""
    ways = {"dev": "e1", "gateway": "1.1.1.1", "weight": 3}, {"dev": "e2", "gateway": "1.1.1.2", "weight": 6}
    found = read_routing(square, tables(tmp_path, leaf1=leaf(1, *ways, other="default"))).routing
    assert found.num_layers == 1
    assert found.next_hop_groups[0, 0, 1].tolist() == [0, 1]
    assert found.port_shares[0, 0, 1].tolist() == [1, 2]
    assert found.port_shares[0, 1, 0].tolist() == [1, 1]
    longer = [*leaf(1, *ways, other="default"), {"dst": "10.2.0.0/17", "gateway": "1.1.1.1", "dev": "e1"}]
    assert read_routing(square, tables(tmp_path, leaf1=longer)).routing.next_hop_groups[0, 0, 1].tolist() == [0, 1]
    longer[-1]["dst"] = "10.2.0.0/16"
    assert read_routing(square, tables(tmp_path, leaf1=longer)).routing.next_hop_groups[0, 0, 1].tolist()[0] == 0


def test_port_channels_are_their_ports(tmp_path: Path, square: Fabric) -> None:
    fields = {"nexthop": "1.1.1.1", "ifname": "PortChannel1"}
    dump: Json = {"LAG_MEMBER_TABLE:PortChannel1:e1": {}, "LAG_MEMBER_TABLE:PortChannel1:e2": {}}
    dump |= {"INTF_TABLE:Vlan10:10.1.0.1/16": {}, "ROUTE_TABLE:10.2.0.0/16": fields}
    tables(tmp_path)
    (tmp_path / "leaf1.json").write_text(json.dumps(dump))
    found = read_routing(square, [tmp_path]).routing
    assert found.next_hop_groups[0, 0, 1].tolist() == [0, 1]


def test_hostless_switches_are_known_by_their_loopback(tmp_path: Path, square: Fabric) -> None:
    """Check that the import finds spines by their loopback addresses, and leaves by the prefixes of their hosts."""
    rows = {}
    for number, name in enumerate(("leaf1", "leaf2", "spine1", "spine2")):
        own: list[Json] = [{"type": "local", "dst": f"9.9.9.{number}", "dev": "lo", "table": "local"}]
        for other in range(4):
            if other != number:
                # A path between two leaves, or between two spines, leads over the first switch of the other kind.
                port = "e1" if number // 2 == other // 2 else f"e{other % 2 + 1}"
                own.append({"dst": f"9.9.9.{other}", "gateway": "1.1.1.1", "dev": port})
        base = spine() if number > 1 else leaf(number + 1, {"dev": "e2", "gateway": "1.1.1.1"})
        rows[name] = [*own, *base]
    found = read_routing(square, tables(tmp_path, **rows))
    assert found.destinations == (("10.1.0.0/16",), ("10.2.0.0/16",), ("9.9.9.2/32",), ("9.9.9.3/32",))
    assert found.notes == ()
    assert found.routing.next_hop[0, 0].tolist()[1:] == [1, 0, 1]


def test_problems_are_one_line(tmp_path: Path, square: Fabric) -> None:
    way: Json = {"dev": "e1", "gateway": "1.1.1.1"}
    dead = {**way, "flags": ["linkdown"]}
    cases: list[tuple[list[Json], str]] = [
        (leaf(1, dead), "switch leaf1 has no route to 10.2.0.0/16"),
        ([*leaf(1, way)[:1], {"type": "blackhole", "dst": "10.2.0.0/16"}], "switch leaf1 discards packets to 10.2.0.0"),
        (
            leaf(1, {"dev": "tun0", "gateway": "1.1.1.1"}),
            "forwards 10.2.0.0/16 to interface tun0, which leads to no sw",
        ),
    ]
    for rows, problem in cases:
        with pytest.raises(InputError, match=problem):
            read_routing(square, tables(tmp_path, leaf1=rows))
    back = [{"dst": "10.2.0.0/16", "gateway": "1.1.1.1", "dev": "e1"}, spine()[0]]
    with pytest.raises(InputError, match=r"to 10\.2\.0\.0/16 \(switch leaf2\) loop: leaf1→spine1→leaf1; legal"):
        read_routing(square, tables(tmp_path, spine1=back))
    with pytest.raises(InputError, match="no route table of switch spine2; legal: a file per switch"):
        read_routing(square, tables(tmp_path)[:3])
    with pytest.raises(InputError, match="no switch of the fabric is named leaf9"):
        read_routing(square, tables(tmp_path, leaf9=spine()))
    with pytest.raises(InputError, match="no switch has a connected prefix that another switch routes"):
        read_routing(square, tables(tmp_path, leaf1=leaf(1, way)[1:], leaf2=leaf(2, way)[1:]))
    for text in (
        "",
        "[]",
        "{}",
        "[1]",
        '[{"dst": 3}]',
        '{"10.0.0.0/8": 3}',
        '{"ROUTE_TABLE:10.0.0.0/8": {}}',
        "[{}",
        "\ud800",
    ):
        (tables(tmp_path)[0]).write_bytes(text.encode(errors="surrogatepass"))
        with pytest.raises((FormatError, tulle.FileError), match=r"leaf1\.json"):
            read_routing(square, [tmp_path / f"{name}.json" for name in square.labels])


def test_damaged_dumps_give_errors(tmp_path: Path) -> None:
    """Check that random changes of a dump give a routing or an error."""
    rng = random.Random(1)
    plan = plan_of(tulle.route("slimfly:q=3", "minimal"))
    fabric = fabric_of(plan)
    for tool in TOOLS:
        place = written(tmp_path / tool, plan, tool)
        path = place / f"{plan.names[0]}.json"
        whole = path.read_text()
        for _ in range(40):
            at = rng.randrange(len(whole))
            path.write_text(whole[:at] + rng.choice(['"', "0", "}", "", "[]", "null", "-1", ":"]) + whole[at + 1 :])
            with contextlib.suppress(InputError, FormatError):
                read_routing(fabric, [place])
