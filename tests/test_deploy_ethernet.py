"""Test deployment on Ethernet: addresses, plans, paths through the bundle's files, and bad inputs."""

from __future__ import annotations

import json
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

import preloaded
import pytest

import tulle
from tulle.deploy.ethernet.addressing import Addressing
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.plan import EthernetPlan, plan_ethernet, plan_of
from tulle.deploy.targets import target
from tulle.deploy.targets.linux import write_plan
from tulle.errors import FileError, FormatError, InputError

if TYPE_CHECKING:
    import subprocess

FABRICS = [
    ("slimfly:q=3", "almost-minimal:layers=4"),
    ("dragonfly:p=1", "random:layers=4,rho=0.9"),
    ("jellyfish:switches=20,degree=5,p=2", "random:layers=4,rho=0.7"),
    ("fattree:levels=3,radix=4", "minimal"),
    ("slimfly:q=3", "spread-groups"),
]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return preloaded.run(*arguments)


def planned(spec: str = "slimfly:q=5", routing: str = "almost-minimal:layers=4", **options: Any) -> EthernetPlan:
    return plan_of(tulle.route(spec, routing), **options)


def test_slim_fly_has_the_entries_of_the_reference() -> None:
    plan = planned()
    assert plan.num_entries == 9_800 == 50 * 49 * 4
    assert set(plan.entries_per_switch.tolist()) == {196}
    assert plan.hosts[0].addresses == ("10.0.0.1", "10.1.0.1", "10.2.0.1", "10.3.0.1")
    assert plan.walked.paths == 9_800
    assert plan.walked.pairs[0].tolist() == [0, 350, 2100]


@pytest.mark.parametrize(("spec", "routing"), FABRICS)
@pytest.mark.parametrize("ipv6", [False, True])
def test_entries_are_the_next_hops_of_the_routing(spec: str, routing: str, ipv6: bool) -> None:
    plan = planned(spec, routing, ipv6=ipv6)
    groups = plan.routing.next_hop_groups
    for switch, entries in enumerate(plan.entries):
        assert len(entries) == plan.entries_per_switch[switch]
        for entry in entries:
            channels = [channel for channel in groups[entry.layer, switch, entry.destination].tolist() if channel >= 0]
            assert sorted(plan.by_number[switch][port].channel or 0 for port, _ in entry.hops) == sorted(channels)
            assert entry.prefix == plan.prefixes[entry.layer][plan.destinations.index(entry.destination)]
    for layer, prefixes in enumerate(plan.prefixes):
        networks = {ip_network(prefix): switch for prefix, switch in zip(prefixes, plan.destinations, strict=True)}
        length = plan.addressing.switch_length
        for host in plan.hosts:
            assert networks[ip_network(f"{host.addresses[layer]}/{length}", strict=False)] == host.switch


def test_names_and_macs_are_distinct() -> None:
    for spec, routing in FABRICS:
        plan = planned(spec, routing)
        names = [*plan.names, *(host.name for host in plan.hosts)]
        assert len({*names}) == len(names)
        assert all(name[0].isalpha() and name.replace("-", "").isalnum() and len(name) <= 63 for name in names)
        macs = [port.mac for ports in plan.ports for port in ports] + [host.mac for host in plan.hosts]
        assert len({*macs}) == len(macs)
        assert all(int(mac[:2], 16) & 3 == 2 for mac in macs)


def test_weights_are_in_lowest_terms() -> None:
    fabric = tulle.Fabric("clique:degree=3,p=1")
    plain = tulle.Routing.from_next_hop(fabric, tulle.route(fabric, "minimal").next_hop[0])
    assert all(entry.hops[0][1] == 1 for entry in plan_ethernet(plain).entries[0])
    hops = [[[-1] * 2 for _ in range(4)] for _ in range(4)]
    shares = [[[1] * 2 for _ in range(4)] for _ in range(4)]
    for at in range(4):
        for to in range(4):
            if at != to:
                hops[at][to][0] = fabric.channel(at, to)
    # From switch 0 to switch 3, the path through switch 1 gets twice as much traffic as the direct cable.
    hops[0][3], shares[0][3] = [fabric.channel(0, 1), fabric.channel(0, 3)], [4, 2]
    weighted = tulle.Routing.from_next_hop(fabric, [hops], port_shares=[shares])
    assert plan_ethernet(weighted).entries[0][-1].hops == ((1, 2), (3, 1))


def addressing(switches: int, p: int, layers: int, **options: Any) -> Addressing:
    edges = [[switch, switch + 1] for switch in range(switches - 1)]
    return Addressing.of(tulle.Fabric.from_edges(edges, p, num_switches=switches), layers, **options)


@pytest.mark.parametrize(
    ("one", "host", "prefix", "router"),
    [
        (lambda: addressing(256, 253, 255), "10.254.255.253", "10.254.255.0/24", "10.255.255.1"),
        (lambda: addressing(257, 2, 3), "10.0.7.254", "10.0.5.0/30", "10.0.14.1"),
        (lambda: addressing(8, 2, 3, prefix="192.168.0.0/16"), None, None, None),
        (lambda: addressing(8, 2, 3, ipv6=True), "fd00:2:7::2", "fd00:2:7::/48", "fd00:ffff:7::1"),
        (lambda: addressing(8, 2, 3, prefix="fd12:3456::/32"), "fd12:3456:2:7::2", "fd12:3456:2:7::/64", None),
        (lambda: addressing(8, 2, 3, prefix="fd12::/112"), None, None, None),
    ],
)
def test_addresses_are_distinct_and_in_their_prefixes(
    one: Any, host: str | None, prefix: str | None, router: str
) -> None:
    found: Addressing = one()
    switches, hosts, top = len(found.numbers), max(found.places), found.layers - 1
    if switches != 257:
        assert host in (None, found.host(top, switches - 1, hosts))
        assert prefix in (None, found.prefix(top, switches - 1))
        assert router in (None, found.router(switches - 1))
    seen = [found.router(switch) for switch in range(switches)]
    for layer in range(0, found.layers, max(1, found.layers - 1)):
        for switch in range(0, switches, max(1, switches // 7)):
            network = ip_network(found.prefix(layer, switch))
            for place in (1, hosts):
                address = found.host(layer, switch, place)
                seen.append(address)
                assert ip_address(address) in network
                assert address != str(network[-1])
            assert network.subnet_of(ip_network(found.layer_prefix(layer)))  # type: ignore[arg-type]
            assert network.subnet_of(found.base)  # type: ignore[arg-type]
    assert len({*seen}) == len(seen)
    assert Addressing.read(json.loads(json.dumps(found.fields()))) == found


@pytest.mark.parametrize(
    ("switches", "p", "layers", "options", "message"),
    [
        (4, 1, 256, {}, "256 layers cannot be addressed; legal: 1 to 255"),
        (100, 4, 4, {"prefix": "10.0.0.0/20"}, "10.0.0.0/20 leaves 12 bits for addresses, but 13 are "
         "needed: 3 for 4 layers and the switches' own addresses, 7 for 100 switches, 3 for 4 hosts per switch; "
         "legal: a /19 or shorter, or --ipv6"),
        (4, 1, 4, {"prefix": "10.0.0.1/8"}, "--prefix 10.0.0.1/8: 10.0.0.1/8 has host bits set; legal: "),
        (4, 1, 4, {"prefix": "fd00::/125"}, "fd00::/125 leaves 3 bits"),
    ],
)  # fmt: skip
def test_address_spaces_that_are_too_small(switches: int, p: int, layers: int, options: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        addressing(switches, p, layers, **options)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("spec", "routing"), FABRICS)
def test_bundle_comes_back(tmp_path: Path, spec: str, routing: str) -> None:
    plan = planned(spec, routing)
    written = write_plan(plan, tmp_path)
    assert written[-1] == tmp_path / "bundle.json"
    assert all(path.is_file() for path in written)
    bundle = read_bundle(tmp_path)
    back = bundle.plan
    assert bundle.header.target == "linux"
    assert (back.names, back.ports, back.hosts, back.destinations) == (
        plan.names,
        plan.ports,
        plan.hosts,
        plan.destinations,
    )
    assert list(back.entries) == list(plan.entries)
    again = tmp_path / "again"
    write_plan(back, again, spec=bundle.header.fabric)
    for path in written:
        if path.name not in ("bundle.json", "plan.json", "routing.tulle", "README.md"):
            assert (again / path.relative_to(tmp_path)).read_bytes() == path.read_bytes(), path


def walk(place: Path, plan: EthernetPlan, source: int, address: str) -> int:
    """Follow the routes in the switches' batch files to an address; return the number of hops."""
    names = {plan.addressing.router(switch): switch for switch in range(len(plan.names))}
    at, hops = source, 0
    while True:
        best: tuple[int, str] = (-1, "")
        for line in (place / "switches" / plan.names[at] / "routes.batch").read_text().splitlines():
            prefix = ip_network(line.split()[2])
            if ip_address(address) in prefix and prefix.prefixlen > best[0]:
                best = prefix.prefixlen, line
        words = best[1].split()
        if "via" not in words:
            host = next(host for host in plan.hosts if address in host.addresses)
            assert (host.switch, f"eth{host.port}") == (at, words[words.index("dev") + 1])
            return hops
        port = words[words.index("dev") + 1]
        other, _ = plan.peer(next(one for one in plan.ports[at] if one.name == port))
        assert names[words[words.index("via") + 1]] == other
        at, hops = other, hops + 1


def test_batch_files_lead_from_host_to_host(tmp_path: Path) -> None:
    plan = planned("dragonfly:p=2", "random:layers=3,rho=0.7")
    write_plan(plan, tmp_path)
    for host in plan.hosts[::17]:
        for layer, address in enumerate(host.addresses):
            for source in range(0, 36, 11):
                expected = len(plan.routing.paths(source, host.switch)[layer]) if source != host.switch else 0
                assert walk(tmp_path, plan, source, address) == expected


def test_plan_json_follows_its_schema(tmp_path: Path) -> None:
    plan = planned("fattree:levels=3,radix=4", "minimal")
    write_plan(plan, tmp_path)
    text, schema = (json.loads((tmp_path / name).read_text()) for name in ("plan.json", "plan.schema.json"))
    for switch, known in enumerate(text["switches"]):
        routes = [
            (prefix, tuple((hop["port"], hop["weight"]) for hop in known["groups"][group]))
            for prefixes, row in zip(text["prefixes"], known["routes"], strict=True)
            for prefix, group in zip(prefixes, row, strict=True)
            if group is not None
        ]
        assert routes == [(entry.prefix, entry.hops) for entry in plan.entries[switch]]
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    jsonschema.Draft202012Validator(schema).validate(text)


def test_a_bundle_replaces_an_existing_one(tmp_path: Path) -> None:
    write_plan(planned("dragonfly:p=2", "minimal"), tmp_path)
    (tmp_path / "mine").write_text("stays")
    write_plan(planned("clique:degree=3", "minimal"), tmp_path)
    assert sorted(path.name for path in (tmp_path / "switches").iterdir()) == ["s0", "s1", "s2", "s3"]
    assert (tmp_path / "mine").read_text() == "stays"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_files_that_are_not_as_written(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"has no bundle\.json"):
        read_bundle(tmp_path)
    write_plan(planned("clique:degree=3", "minimal"), tmp_path)
    with (tmp_path / "routing.tulle").open("ab") as file:
        file.write(b"x")
    with pytest.raises(FormatError, match=r"routing\.tulle: .* legal: the file as tulle wrote it"):
        read_bundle(tmp_path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("layer_shift", 2),
        ("switch_shift", 0),
        ("router_layer", 0),
        ("numbers", [0, 0, 1, 2]),
        ("places", [300] * 8),
        ("base", "10.0.0.0/40"),
        ("numbers", "none"),
        ("layers", None),
    ],
)
def test_addresses_that_are_none(tmp_path: Path, name: str, value: Any) -> None:
    write_plan(planned("clique:degree=3,p=2", "minimal"), tmp_path)
    header = json.loads((tmp_path / "bundle.json").read_text())
    header["addressing"][name] = value
    (tmp_path / "bundle.json").write_text(json.dumps(header))
    with pytest.raises(FormatError, match=r"bundle\.json: invalid addressing: .*; legal: as `tulle deploy` writes it"):
        read_bundle(tmp_path)


def test_names_that_endpoints_and_switches_share() -> None:
    names = {"endpoint_names": ["a", "a", "b-h1", "A!"], "levels": [0, 0]}
    fabric = tulle.Fabric.from_edges([[0, 1]], [0, 0, 1, 1], labels=["a", "b"], properties=names)  # type: ignore[arg-type]
    plan = plan_of(tulle.route(fabric, "minimal"))
    called = [*plan.names, *(host.name for host in plan.hosts)]
    assert called[:2] == ["a", "b"]
    assert len({*called}) == 6


def test_the_files_of_a_servers_ports_have_different_places(tmp_path: Path) -> None:
    names = {"endpoint_names": ["s:eth1", "t", "s:eth2"], "host_ports": ["eth1", "eth1", "eth2"], "levels": [0, 0]}
    fabric = tulle.Fabric.from_edges([[0, 1]], [0, 0, 1], labels=["a", "b"], properties=names)  # type: ignore[arg-type]
    plan = plan_of(tulle.route(fabric, "minimal"))
    write_plan(plan, tmp_path)
    assert [host.server for host in plan.hosts] == ["s", "", "s"]
    units = sorted(path.name for path in (tmp_path / "hosts").rglob("*.service"))
    assert units == ["tulle-host-s-eth1.service", "tulle-host-s-eth2.service", "tulle-host.service"]
    unit = (tmp_path / "hosts" / "s-eth2" / "tulle-host-s-eth2.service").read_text()
    assert "ExecStart=/etc/tulle/s-eth2/up\n" in unit
    assert "EnvironmentFile=-/etc/default/tulle-host-s-eth2\n" in unit
    tables = [(tmp_path / "hosts" / f"s-{port}" / "hash.nft").read_text() for port in ("eth1", "eth2")]
    assert [f"table ip tulle-hash-s-eth{at} {{" in text for at, text in enumerate(tables, 1)] == [True, True]
    readme = (tmp_path / "README.md").read_text()
    assert "2 switches, 2 hosts with 3 ports, 1 layer." in readme
    assert "for example `hosts/s-eth1`, `hosts/s-eth2`:" in readme
    # The folder of a port keeps its name if the other port of the server is gone.
    assert [host.server for host in plan_of(tulle.route(fabric.without(switches=[1]), "minimal")).hosts] == ["s", ""]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("slimfly:q=5", "random:layers=256,rho=0.9"), "tulle: random: layers=256 is out of range; legal: 1 to 255"),
        (("slimfly:q=5", "almost-minimal:layers=4", "--prefix", "10.0.0.0/24"), "tulle: 10.0.0.0/24 leaves 8 bits"),
        (("slimfly:q=5", "almost-minimal:layers=4", "--table-size", "100"), "tulle: switch (0,0,0) needs 196 prefix "
         "entries (4 layers with 49 each), but its table has room for 100; legal: at most 2 layers"),
        (("slimfly:q=5", "redksp:k=2"), "tulle: redksp:k=2 has explicit paths, which switches"),
        (("slimfly:q=5,p=0", "minimal"), "tulle: slimfly:q=5,p=0 has no endpoints"),
    ],
)  # fmt: skip
def test_undeployable_input_is_one_line(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    done = run("deploy", "linux", *arguments, "-o", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_command_says_what_it_wrote(tmp_path: Path) -> None:
    done = run("deploy", "linux", "slimfly:q=5", "almost-minimal:layers=4", "-o", str(tmp_path / "out"), "--json")
    fields = json.loads(done.stdout)
    assert (fields["entries"], fields["entries_per_switch"], fields["paths"]) == (9_800, 196, 9_800)
    assert all(Path(path).is_file() for path in fields["written"])


def test_target_writes_the_same(tmp_path: Path) -> None:
    routing = tulle.route("slimfly:q=5", "almost-minimal:layers=4")
    written = target("linux").bundle(routing, tmp_path, ipv6=True)
    assert any(path.name == "routes.batch" for path in written.paths)
    assert "fd00:1:" in (tmp_path / "switches" / "s0-0-0" / "routes.batch").read_text()


def test_lossless_plan_keeps_its_proof(tmp_path: Path) -> None:
    vcs = tulle.route("slimfly:q=5", "almost-minimal:layers=2").assign_vcs("dfsssp")
    plan = plan_of(vcs)
    write_plan(plan, tmp_path)
    bundle = read_bundle(tmp_path)
    assert bundle.plan.vcs is not None
    assert bundle.plan.vcs.spec == vcs.spec
