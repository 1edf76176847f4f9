"""Check that `verify` names exactly the differences between a bundle and the tables that were read from switches."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING, Any

import preloaded
import pytest

import tulle
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.names import host_mac
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.ethernet.verify import KINDS, verify
from tulle.deploy.read.flows import read_flows
from tulle.deploy.read.routes import Way, read_frr, read_routes
from tulle.deploy.targets.linux import write_plan
from tulle.errors import FileError, FormatError, InputError

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tulle.deploy.verdict import Verdict


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return preloaded.run(*arguments)


def rows(batch: Path) -> list[dict[str, Any]]:
    """Return the routes that ``ip -json route`` shows after a switch has loaded a batch file."""
    found = []
    for line in batch.read_text().splitlines():
        words = line.split()
        row: dict[str, Any] = {"dst": re.sub(r"/(32|128)$", "", words[2]), "protocol": "84", "flags": []}
        hops = [
            {
                "gateway": part.split()[0],
                "dev": part.split()[2],
                "weight": int((re.search(r"weight (\d+)", part) or [0, 1])[1]),
                "flags": ["onlink"],
            }
            for part in line.split(" via ")[1:]
        ]
        if len(hops) > 1:
            row["nexthops"] = hops
        elif hops:
            row |= {"gateway": hops[0]["gateway"], "dev": hops[0]["dev"], "flags": ["onlink"]}
        else:
            row |= {"dev": words[words.index("dev") + 1], "scope": "link"}
        found.append(row)
    local = {"type": "local", "dst": "10.255.0.1", "dev": "lo", "table": "local", "protocol": "kernel", "flags": []}
    default = {"dst": "default", "gateway": "192.168.0.1", "dev": "mgmt", "protocol": "boot", "flags": []}
    return [*found, local, default]


def loaded(place: Path, spec: str, routing: str, **options: Any) -> tuple[Path, Path]:
    """Write a bundle, and the tables of switches that have loaded it; return the two folders."""
    bundle, tables = place / "bundle", place / "tables"
    write_plan(plan_of(tulle.route(spec, routing), **options), bundle)
    tables.mkdir()
    for switch in sorted((bundle / "switches").iterdir()):
        (tables / f"{switch.name}.json").write_text(json.dumps(rows(switch / "routes.batch")))
    return bundle, tables


@pytest.fixture(scope="module")
def slim_fly(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return loaded(tmp_path_factory.mktemp("slim-fly"), "slimfly:q=5", "almost-minimal:layers=4")


def counted(verdict: Verdict) -> dict[str, tuple[int, int]]:
    return {check.what: (check.good, check.of) for check in verdict.checks}


@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize(
    ("spec", "routing"), [("slimfly:q=3", "almost-minimal:layers=4"), ("fattree:levels=3,radix=4", "minimal")]
)
def test_what_was_loaded_is_as_planned(tmp_path: Path, spec: str, routing: str, ipv6: bool) -> None:
    bundle, tables = loaded(tmp_path, spec, routing, ipv6=ipv6)
    verdict = verify(bundle, fib=[tables])
    assert verdict.agrees
    if spec == "slimfly:q=3":
        # The Slim Fly has 18 switches with 3 hosts each.
        between, own = 18 * 17 * 4, 18 * 3 * 4
        expected = {"kernel routes": between, "kernel routes of own hosts": own, "paths by kernel routes": between}
        assert counted(verdict) == {what: (count, count) for what, count in expected.items()}


def damaged(tables: Path, to: Path, switch: str, change: Any) -> Path:
    shutil.copytree(tables, to)
    place = to / f"{switch}.json"
    found = json.loads(place.read_text())
    change(found)
    place.write_text(json.dumps(found))
    return to


def row_of(found: list[dict[str, Any]], prefix: str) -> dict[str, Any]:
    return next(row for row in found if row["dst"] == prefix)


def test_each_difference_is_an_instruction(tmp_path: Path, slim_fly: tuple[Path, Path]) -> None:
    bundle, tables = slim_fly

    def change(found: list[dict[str, Any]]) -> None:
        found.remove(row_of(found, "10.1.37.0/24"))
        row = row_of(found, "10.2.9.0/24")
        row["dev"] = "eth7" if row["dev"] != "eth7" else "eth6"
        row_of(found, "10.3.9.0/24")["gateway"] = "10.255.44.1"
        row_of(found, "10.3.11.0/24")["flags"] = ["dead", "linkdown", "onlink"]
        found.append({"dst": "10.3.9.128/25", "dev": "eth1", "protocol": "static", "flags": []})
        found.remove(row_of(found, "10.0.0.1"))

    verdict = verify(bundle, fib=[damaged(tables, tmp_path / "t", "s0-0-0", change)])
    assert {one.kind for one in verdict.differences} <= {*KINDS}
    message = [one.instruction for one in verdict.differences]
    assert counted(verdict)["kernel routes"] == (9_796, 9_800)
    assert counted(verdict)["kernel routes of own hosts"] == (799, 800)
    plan = read_bundle(bundle).plan
    hop = plan.hops(0, 1, 37)[0][0]
    way = f"via {plan.addressing.router(plan.peer(plan.by_number[0][hop])[0])} dev eth{hop} onlink"
    assert (
        f"switch s0-0-0: 10.1.37.0/24 (layer 1 toward s1-2-2) is missing, expected eth{hop}: "
        f"ip route replace 10.1.37.0/24 proto 84 {way}"
    ) in message
    kinds = [one.kind for one in verdict.differences if "s0-0-0:" in one.instruction]
    assert sorted(kinds) == ["extra", "missing", "missing", "missing", "next-hop", "next-hop"]
    assert any("10.3.9.0/24" in text and "via 10.255.44.1, expected" in text for text in message)
    extra = "switch s0-0-0: 10.3.9.128/25 is not planned: ip route del 10.3.9.128/25"
    assert extra in message
    assert any("end at switch s0-0-0" in text for text in message)


def test_loops_are_found_by_walking(tmp_path: Path) -> None:
    bundle, tables = loaded(tmp_path, "clique:degree=3", "minimal")
    plan = read_bundle(bundle).plan
    for switch, to in ((0, 1), (1, 0)):
        channel = plan.fabric.channel(switch, to)
        port = plan.channel_ports[channel]
        place = tables / f"s{switch}.json"
        found = json.loads(place.read_text())
        row_of(found, "10.0.3.0/24").update(dev=port.name, gateway=f"10.255.{to}.1")
        place.write_text(json.dumps(found))
    verdict = verify(bundle, fib=[tables])
    loops = [one for one in verdict.differences if one.kind == "loop"]
    assert [one.count for one in loops] == [1, 1]
    assert counted(verdict)["paths by kernel routes"] == (10, 12)


def test_one_switch_alone_and_switches_that_are_not_read(tmp_path: Path, slim_fly: tuple[Path, Path]) -> None:
    bundle, tables = slim_fly
    alone = verify(bundle, fib=[tables / "s0-0-0.json"])
    assert alone.agrees
    assert counted(alone)["kernel routes"] == (196, 196)
    shutil.copytree(tables, tmp_path / "t")
    (tmp_path / "t" / "s0-0-0.json").unlink()
    verdict = verify(bundle, fib=[tmp_path / "t"])
    assert [(one.kind, one.count) for one in verdict.differences] == [("unread", 196)]
    (tmp_path / "t" / "other.json").write_text("[]")
    # Dumps of Open vSwitch have no suffix.
    legal = r"legal: a file per switch, named after it, for example s0-0-0 or s0-0-0\.json$"
    with pytest.raises(InputError, match=rf"no switch of the bundle is named other; {legal}"):
        verify(bundle, fib=[tmp_path / "t"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match=rf"an empty folder; {legal}"):
        verify(bundle, ovs=[tmp_path / "empty"])


def test_many_differences_are_reported_together(tmp_path: Path, slim_fly: tuple[Path, Path]) -> None:
    bundle, tables = slim_fly
    damage = damaged(tables, tmp_path / "t", "s0-0-0", lambda found: found.clear())
    verdict = verify(bundle, fib=[damage])
    missing = [one for one in verdict.differences if one.kind == "missing"]
    assert sum(one.count for one in missing) == 196 + 16
    assert len(missing) == 9
    assert "load switches/s0-0-0/routes.batch again" in missing[-1].instruction


def test_text_of_ip_route_is_read(tmp_path: Path) -> None:
    place = tmp_path / "s0"
    place.write_text(
        "default via 192.168.0.1 dev mgmt \n"
        "10.0.0.1 dev eth3 proto 84 scope link \n"
        "10.0.1.0/24 proto 84 \n\tnexthop via 10.255.8.1 dev eth1 weight 2 onlink \n"
        "\tnexthop via 10.255.9.1 dev eth2 weight 1 onlink dead linkdown \n"
        "10.0.2.0/24 via 10.255.8.1 dev eth1 proto 84 onlink \n"
        "10.254.0.0/31 dev eth1 proto kernel scope link src 10.254.0.0 \n"
        "local 10.255.0.1 dev lo table local proto kernel scope host src 10.255.0.1 \n"
    )
    assert read_routes(place) == {
        "10.0.0.1/32": (Way("eth3", None, 1),),
        "10.0.1.0/24": (Way("eth1", "10.255.8.1", 2),),
        "10.0.2.0/24": (Way("eth1", "10.255.8.1", 1),),
    }


def frr_row(prefix: str, *ways: tuple[str, str], protocol: str = "static", installed: bool = True) -> dict[str, Any]:
    hops = [{"ip": ip, "interfaceName": port, **({"active": True} if installed else {})} for port, ip in ways]
    state = {"selected": True, "installed": True} if installed else {}
    return {"prefix": prefix, "protocol": protocol, **state, "nexthops": hops}


def test_frr_against_a_plan(tmp_path: Path) -> None:
    bundle, _ = loaded(tmp_path, "clique:degree=3,p=1", "minimal")
    plan = read_bundle(bundle).plan
    tables = tmp_path / "frr"
    tables.mkdir()
    for switch, name in enumerate(plan.names):
        shown = {
            entry.prefix: [frr_row(entry.prefix, (f"eth{entry.hops[0][0]}", "10.254.0.1"))]
            for entry in plan.entries[switch]
        }
        for host in plan.hosts_at[switch]:
            shown[f"{host.addresses[0]}/32"] = [frr_row(f"{host.addresses[0]}/32", (f"eth{host.port}", ""))]
        shown["10.254.0.0/31"] = [frr_row("10.254.0.0/31", ("eth1", ""), protocol="connected")]
        if switch == 2:
            shown["10.0.3.0/24"] = [frr_row("10.0.3.0/24", ("eth9", "10.254.0.1"), installed=False)]
        (tables / f"{name}.json").write_text(json.dumps(shown))
    assert read_frr(tables / "s2.json")["10.0.3.0/24"] == ()
    verdict = verify(bundle, frr=[tables])
    assert counted(verdict)["FRR routes of own hosts"] == (4, 4)


def test_flows_of_open_vswitch(tmp_path: Path) -> None:
    bundle, _ = loaded(tmp_path, "fattree:levels=3,radix=4", "minimal")
    plan = read_bundle(bundle).plan
    tables = tmp_path / "ovs"
    tables.mkdir()
    for switch, name in enumerate(plan.names):
        lines = ["OFPST_FLOW reply (OF1.5) (xid=0x2):", " cookie=0x0, duration=0.012s, priority=0 actions=drop"]
        head = " cookie=0x0, duration=0.012s, table=0, n_packets=0, n_bytes=0, idle_age=0, "
        own = f"{head}priority=200,dl_vlan=100,dl_dst="
        lines += [f"{own}{host.mac} actions=output:eth{host.port}" for host in plan.hosts_at[switch]]
        for layer, row in enumerate(plan.group_of(switch).tolist()):
            for destination, group in zip(plan.destinations, row, strict=True):
                if group >= 0:
                    hops = plan.groups(switch)[group]
                    out = f"output:{hops[0][0]}" if len(hops) == 1 else f"group:{group + 1}"
                    mac = f"{host_mac(destination, 0)}/ff:ff:ff:ff:00:00"
                    lines.append(f"{head}priority=100,dl_vlan={100 + layer},dl_dst={mac} actions={out}")
        for group, hops in enumerate(plan.groups(switch)):
            buckets = ",".join(f"bucket=bucket_id:{at},actions=output:{port}" for at, (port, _) in enumerate(hops))
            lines.append(f" group_id={group + 1},type=select,selection_method=hash,{buckets}")
        (tables / name).write_text("\n".join(lines) + "\n")
    verdict = verify(bundle, ovs=[tables])
    assert verdict.agrees, verdict.differences[:3]
    assert counted(verdict)["OVS flows"] == (152, 152)
    first = tables / plan.names[0]
    first.write_text(first.read_text().replace("output:eth3", "output:eth4", 1))
    assert [one.kind for one in verify(bundle, ovs=[tables]).differences] == ["next-hop"]
    first.write_text("".join(line for line in first.read_text().splitlines(keepends=True) if "group_id" not in line))
    with pytest.raises(FormatError, match=r"group \d+ is missing; legal: .*, in the same file as the flows"):
        read_flows(first)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_routes, "[{]", "no JSON"),
        (read_routes, '[{"dev": "eth1"}]', "missing value: 'dst'"),
        (read_routes, "[3]", "'3' is not a route"),
        (read_routes, "// no routes\n", ":1: not a route; legal: the output of ip route"),
        (read_routes, "10.0.0.0/24 via 1.2.3.4 dev\n", None),
        (read_frr, "[]", "the JSON value is a list"),
        (read_frr, '{"10.0.0.0/24": [{}]}', "missing value: 'protocol'"),
        (read_flows, "hello\n", ":1: not a flow; legal: the output of ovs-ofctl"),
        (read_flows, "dl_vlan=x,dl_dst=06:00:00:00:00:01 actions=drop\n", ":1: dl_vlan=x is not a VLAN"),
    ],
)
def test_files_of_something_else(tmp_path: Path, read: Any, text: str, message: str | None) -> None:
    place = tmp_path / "s0.json"
    place.write_text(text)
    if message is None:
        assert read(place) == {"10.0.0.0/24": ()}
        return
    with pytest.raises(FormatError) as caught:
        read(place)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_route_to_nowhere_is_one_line(tmp_path: Path, slim_fly: tuple[Path, Path]) -> None:
    bundle, tables = slim_fly
    damage = damaged(tables, tmp_path / "t", "s0-0-0", lambda found: found.append({"dst": "no/24", "dev": "eth1"}))
    with pytest.raises(FormatError, match=r"s0-0-0\.json: 'no/24' is not a prefix; legal: IPv4 or IPv6 routes, as ip"):
        verify(bundle, fib=[damage])


def test_command(tmp_path: Path, slim_fly: tuple[Path, Path]) -> None:
    bundle, tables = slim_fly
    done = run("deploy", "verify", str(bundle), "--fib", str(tables), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["checks"][0] == {"what": "kernel routes", "good": 9_800, "of": 9_800}
    damage = damaged(tables, tmp_path / "t", "s0-0-0", lambda found: found.pop(20))
    done = run("deploy", "verify", str(bundle), "--fib", str(damage))
    assert done.returncode == 1
    assert "1. missing: switch s0-0-0: " in done.stdout
    for arguments, message in (
        ((), "tulle: nothing to compare; legal: one or more of --fib, --frr and --ovs\n"),
        (
            ("--lfts", "x"),
            "tulle: --lfts is not for Ethernet bundles; legal: one or more of --fib, --frr and --ovs\n",
        ),
        (("--fib", str(tmp_path / "none")), f"tulle: {tmp_path / 'none'}: "),
    ):
        done = run("deploy", "verify", str(bundle), *arguments)
        assert done.returncode == 2
        assert done.stderr.startswith(message)
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("option", ["fib", "frr", "ovs"])
@pytest.mark.parametrize("text", ["", "\n"])
def test_an_empty_file_is_unread(tmp_path: Path, slim_fly: tuple[Path, Path], option: str, text: str) -> None:
    bundle, _ = slim_fly
    (tmp_path / "s0-0-0.json").write_text(text)
    verdict = verify(bundle, **{option: [tmp_path / "s0-0-0.json"]})
    assert [(one.kind, one.count) for one in verdict.differences] == [("unread", 196)]
    assert "its file is empty" in verdict.differences[0].instruction


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("frr", '{"lldp": {"interface": []}}', r"'\"lldp\"' has no routes, but "),
        ("frr", '{"10.0.0.0/8": ["x"]}', "has no routes, but"),
        ("fib", "[1]", "'1' is not a route; legal: the output of ip -json route"),
    ],
)
def test_files_of_other_tools_are_refused(
    tmp_path: Path, slim_fly: tuple[Path, Path], option: str, text: str, message: str
) -> None:
    bundle, _ = slim_fly
    (tmp_path / "s0-0-0.json").write_text(text)
    with pytest.raises(FormatError, match=message):
        verify(bundle, **{option: [tmp_path / "s0-0-0.json"]})
