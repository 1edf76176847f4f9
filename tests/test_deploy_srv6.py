"""Check SRv6 micro-segment lists: an interpreter follows each list through the files that switches load."""

from __future__ import annotations

import json
from ipaddress import IPv6Address, IPv6Network
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tulle
from tulle.cli.command import run
from tulle.deploy.ethernet import srv6, srv6_pfc
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.source_routes import SourceRoutes, source_routes
from tulle.deploy.ethernet.usid import DECAPSULATE, PER_ADDRESS, Block, pack, unpack
from tulle.deploy.targets.srv6 import write_routes
from tulle.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = Block.of("fcbb:bb00::/32")
ALL = "all:rate=100Gbps,length=5m"


def parallel_cables() -> tulle.Fabric:
    edges = [(0, 1), (0, 1), (1, 2), (2, 3), (2, 3), (3, 0)]
    return tulle.Fabric.from_edges(edges, endpoint_switch=[0, 1, 2, 3])


# The following functions forward a packet by the batch files, as RFC 8986 §4 and RFC 9800 §4 define: find the entry
# with the longest matching prefix, then apply its action.


def tables(made: SourceRoutes) -> list[list[tuple[IPv6Network, list[str]]]]:
    """Return the routes in each switch's batch file, longest prefixes first."""
    texts = dict(srv6.files(made))
    found = []
    for name in made.plan.names:
        lines = [line.split() for line in texts[f"switches/{name}/routes.batch"].splitlines()]
        rows = [(IPv6Network(words[2]), words[3:]) for words in lines]
        found.append(sorted(rows, key=lambda row: -row[0].prefixlen))
    return found


def after(words: list[str], name: str) -> str:
    return words[words.index(name) + 1]


def walk(
    made: SourceRoutes, loaded: list[list[tuple[IPv6Network, list[str]]]], at: int, to: str
) -> tuple[list[int], str]:
    """Follow a packet from a host at switch `at` to an address; return its channels and its last output port."""
    plan = made.plan
    listed: list[int] = []
    left: list[int] = []
    passed: list[int] = []
    target, inside = int(IPv6Address(to)), True
    for _ in range(200):
        words = next(words for network, words in loaded[at] if IPv6Address(target) in network)
        port = after(words, "dev")
        if words[:2] == ["encap", "seg6"]:
            assert inside
            listed = [int(IPv6Address(address)) for address in after(words, "segs").split(",")]
            target, *left = listed
            inside = False
            continue
        if words[:2] == ["encap", "seg6local"]:
            action = after(words, "action")
            if action == "End.DT6":
                assert not left
                target, inside = int(IPv6Address(to)), True
                continue
            low = target & ((1 << 80) - 1)
            target = (target >> 96 << 96) | low << 16 if low else left.pop(0)
            if action == "End":
                continue
        (one,) = [one for one in plan.ports[at] if one.name == port]
        if one.channel is None:
            assert inside
            return passed, port
        passed.append(one.channel)
        at = plan.peer(one)[0]
    raise AssertionError(f"{to} goes on for ever")


@pytest.mark.parametrize(
    ("fabric", "routing"),
    [
        ("hyperx:shape=3x3", "redksp:k=3"),
        ("hyperx:shape=3x3", "almost-minimal:layers=3"),
        ("torus:shape=14,p=1", "minimal"),
        ("dragonfly:p=1", "minimal"),
        (None, "ksp:k=4"),
    ],
)
def test_lists_lead_along_their_paths(fabric: str | None, routing: str) -> None:
    """Check that the batch files forward packets along every planned path to the port of the destination host."""
    routed = tulle.route(fabric or parallel_cables(), routing)
    made = source_routes(routed)
    loaded, plan = tables(made), made.plan
    walked = 0
    for source, destination in ((one, to) for one in plan.destinations for to in plan.destinations if one != to):
        paths = [path.tolist() for path in routed.paths(source, destination)]
        for path in range(plan.num_layers):
            for host in plan.hosts_at[destination]:
                channels, port = walk(made, loaded, source, host.addresses[path])
                assert channels == paths[path % len(paths)]
                assert port == plan.by_number[destination][host.port].name
            walked += 1
    assert walked == sum(map(len, made.routes))


def test_own_hosts_are_reached_without_a_list() -> None:
    made = source_routes(tulle.route("hyperx:shape=3x3", "redksp:k=2"))
    loaded = tables(made)
    for host in made.plan.hosts:
        assert walk(made, loaded, host.switch, host.addresses[1]) == ([], f"eth{host.port}")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 0xFFFF), min_size=1, max_size=30))
def test_packing_is_undone(segments: list[int]) -> None:
    packed = pack(BLOCK, segments)
    assert len(packed) == -(-len(segments) // PER_ADDRESS)
    assert unpack(BLOCK, packed) == tuple(segments)


def test_lists_are_those_of_rfc_9800() -> None:
    """Check that four switches and the decapsulation are in one address, and that six switches need two addresses."""
    assert pack(BLOCK, [1, 2, 3, 4, DECAPSULATE]) == ("fcbb:bb00:1:2:3:4:fe06:0",)
    assert pack(BLOCK, [1, 2, 3, 4, 5, 6, DECAPSULATE]) == ("fcbb:bb00:1:2:3:4:5:6", "fcbb:bb00:fe06::")


def test_ports_are_named_where_cables_are_parallel() -> None:
    made = source_routes(tulle.route(parallel_cables(), "ksp:k=4"))
    for routes in made.routes:
        for route in routes:
            named = [segment for segment in route.segments if 0xE000 <= segment < 0xFE00]
            assert len(named) == sum(channel in made.parallel for channel in route.channels)
    plain = source_routes(tulle.route("hyperx:shape=3x3", "ksp:k=4"))
    assert not plain.parallel
    assert {len(route.segments) - len(route.channels) for routes in plain.routes for route in routes} == {1}


def test_local_segments_follow_their_switch_in_one_address() -> None:
    """Check the lists of a long ring: FRR and SONiC match a local segment only after the segment of its switch."""
    made = source_routes(tulle.route("torus:shape=14,p=1", "minimal"))
    addresses = [address for routes in made.routes for route in routes for address in route.addresses]
    assert {len(route.addresses) for routes in made.routes for route in routes} == {1, 2}
    assert all(unpack(BLOCK, [address])[0] < 0xE000 for address in addresses)


def test_sonic_has_the_segments_of_every_switch(tmp_path: Path) -> None:
    made = source_routes(tulle.route(parallel_cables(), "ksp:k=4"))
    write_routes(made, tmp_path / "bundle", sonic=True)
    for switch, name in enumerate(made.plan.names):
        folder = tmp_path / "bundle" / "switches" / name
        tables = json.loads((folder / "sonic-srv6.json").read_text())
        own = f"fcbb:bb00:{switch + 1:x}"
        assert tables["SRV6_MY_LOCATORS"]["fabric"]["prefix"] == f"{own}::"
        sids = tables["SRV6_MY_SIDS"]
        assert sids[f"fabric|{own}::/48"] == {"action": "uN"}
        assert sids[f"fabric|{own}:fe06::/64"]["action"] == "uDT46"
        ports = [port for port in made.plan.ports[switch] if port.channel in made.parallel]
        named = {f"fabric|{own}:{0xE000 + port.number:x}::/64": made.gateway(port) for port in ports}
        assert {key: row["adj"] for key, row in sids.items() if row["action"] == "uA"} == named
        # The switch has a static route to the segment of each adjacent switch. Every source route is in FRR's file.
        assert len(tables["STATIC_ROUTE"]) == len(list(made.next_switches(switch)))
        lines = (folder / "sonic-frr.conf").read_text().splitlines()
        assert sum(" segments " in line for line in lines) == len(made.routes[switch])
        assert all(line.split()[3].startswith("Ethernet") for line in lines if line.startswith("ipv6 route"))


def test_json_lists_every_path() -> None:
    made = source_routes(tulle.route("hyperx:shape=3x3", "redksp:k=3"))
    result = json.loads(srv6.paths_text(made))
    assert len(result["paths"]) == 9 * 8 * 3
    row = result["paths"][0]
    assert unpack(BLOCK, row["addresses"]) == tuple(int(segment, 16) for segment in row["segments"])
    nodes = {int(segment, 16): name for name, segment in result["nodes"].items()}
    assert nodes[int(row["segments"][-2], 16)] == row["destination"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"block": "fcbb::/16"}, "--block fcbb::/16 is a /16; legal: a /32"),
        ({"block": "10.0.0.0/8"}, "--block 10.0.0.0/8: "),
        ({"prefix": "10.0.0.0/8"}, "--prefix 10.0.0.0/8 is an IPv4 prefix; legal: an IPv6 prefix"),
        ({"link_prefix": "10.0.0.0/8"}, "--link-prefix 10.0.0.0/8 is an IPv4 prefix"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        source_routes(tulle.route("hyperx:shape=3x3", "ksp:k=2"), **options)
    assert str(error.value).startswith(message)
    with pytest.raises(InputError, match="switches are more than there are global micro segments"):
        BLOCK.node(60000)
    with pytest.raises(InputError, match="has no micro segment"):
        BLOCK.port(0x1E00)


def test_pairs_without_a_path_are_named() -> None:
    fabric = tulle.Fabric("clique:degree=2")
    routing = tulle.Routing.from_paths(fabric, channels=[[0], [1]])
    with pytest.raises(InputError, match=r"paths has no path from switch 1 to 0; legal: at least one"):
        source_routes(routing)


def test_virtual_up_down_paths_need_one_priority(tmp_path: Path) -> None:
    """Check that virtual up-down paths (Flattened Clos §3.2) need one lossless priority; other path sets need more."""
    fabric = "flattenedclos:switches=50,ports=32,layers=4,p=14"
    arguments = [fabric, "virtual-updown", "--deadlock", "one-vc", "--lossless", "1", "--link", ALL]
    made = source_routes(tulle.route(tulle.Fabric(fabric, links=[ALL]), "virtual-updown").assign_vcs("one-vc"))
    files = dict(srv6_pfc.files(made, lossless=1))
    tables_of = json.loads(files[f"switches/{made.plan.names[7]}/qos.json"])
    assert {row["pfc_enable"] for row in tables_of["PORT_QOS_MAP"].values()} == {"3"}
    assert json.loads(files["pfc.json"])["dscp_of_hosts"] == 3
    assert not any(name.endswith("dscp.csv") for name in files)
    small = [*arguments]
    small[0:2] = ["hyperx:shape=3x3", "redksp:k=3"]
    small[3] = "hops"
    assert run(["deploy", "srv6", *small, "-o", str(tmp_path / "no")]) == 2
    small[5] = "4"
    assert run(["deploy", "srv6", *small, "-o", str(tmp_path / "yes")]) == 0
    assert (tmp_path / "yes" / "vcs").exists()
    with pytest.raises(
        InputError, match="is a bundle of source routes, which `tulle deploy verify` and `repair` do not support"
    ):
        read_bundle(tmp_path / "yes")
    assert not (tmp_path / "no").exists()


def test_hosts_mark_explicit_paths_by_their_service_levels() -> None:
    plan = tulle.route(tulle.Fabric("hyperx:shape=3x3", links=[ALL]), "redksp:k=3").assign_vcs("dfsssp")
    made = source_routes(plan)
    assert plan.num_sls > 1
    files = dict(srv6_pfc.files(made))
    host = made.plan.hosts[5]
    result = dict(row.split(",")[:2] for row in files[f"hosts/{host.name}/dscp.csv"].splitlines()[1:])
    for route in made.routes[host.switch]:
        assert result[route.prefix] == str(3 + int(plan.sl[route.row]))
