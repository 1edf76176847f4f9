"""Load flows and groups into Open vSwitch, trace every path, and send tagged frames over virtual cables."""

from __future__ import annotations

import json
import random
import re
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from patience import PATIENCE
from sandbox import Sandbox, missing

import tulle
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.failures import find_failures
from tulle.deploy.ethernet.ovs import FIRST_VLAN, _group
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.ethernet.repair import repair, write_repair
from tulle.deploy.ethernet.transition import transition
from tulle.deploy.ethernet.verify import verify
from tulle.deploy.targets.ovs import write_plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tulle.deploy.ethernet.plan import EthernetPlan

LACKS = missing("ip", "ovs-vswitchd", "ovsdb-tool")
pytestmark = pytest.mark.skipif(bool(LACKS), reason=LACKS)

HERE = Path(__file__).parent
START = """
export OVS_RUNDIR={place} OVS_LOGDIR={place}
mkdir -p {place}
ovsdb-tool create {place}/conf.db /usr/share/openvswitch/vswitch.ovsschema
ovsdb-server --remote=punix:{place}/db.sock --detach --no-chdir --pidfile {place}/conf.db
ovs-vsctl --no-wait init
{inside} ovs-vswitchd --detach --no-chdir --pidfile --log-file --unixctl={place}/control 2> /dev/null
"""


def bridges(plan: EthernetPlan) -> list[str]:
    """Return ovs-vsctl arguments for all switches as bridges of one daemon.

    Cables become patch ports; ports toward hosts are unconnected.
    """
    made = []
    for switch, name in enumerate(plan.names):
        made += ["--", "add-br", name, "--", "set", "bridge", name, "datapath_type=netdev", "fail_mode=secure"]
        for port in plan.ports[switch]:
            own = f"{name}.{port.number}"
            made += ["--", "add-port", name, own, "--", "set", "interface", own, f"ofport_request={port.number}"]
            if port.channel is None:
                made.append("type=internal")
            else:
                other, far = plan.peer(port)
                made += ["type=patch", f"options:peer={plan.names[other]}.{far.number}"]
    return made


def traced(text: str) -> list[tuple[str, int]]:
    """Return the switches that a trace passes, and the output port of each switch."""
    passed = re.findall(r'^ *bridge\("([^"]+)"\)', text, re.MULTILINE)
    sent = re.findall(r"^ *output:(\d+)", text, re.MULTILINE)
    assert len(passed) == len(sent), text
    return [(name, int(port)) for name, port in zip(passed, sent, strict=True)]


def interfaces(names: Iterable[str]) -> str:
    """Return the commands that create an interface for each port of a switch. The new interfaces are down."""
    return "\n".join(f"ip link add {name} type veth peer name peer-{name}" for name in names)


def load(sandbox: Sandbox, bundle: Path, name: str) -> None:
    """Load the groups and flows of a switch."""
    files = bundle / "switches" / name
    sandbox.shell(
        f"ovs-ofctl -O OpenFlow15 add-groups {name} {files}/groups\n"
        f"ovs-ofctl -O OpenFlow15 --bundle add-flows {name} {files}/flows"
    )


def dumped(sandbox: Sandbox, names: Sequence[str], folder: Path) -> None:
    """Write the groups and flows of each switch to a file."""
    folder.mkdir()
    ask = "ovs-ofctl -O OpenFlow15"
    shown = f"{ask} dump-groups $n; {ask} --no-stats dump-flows $n"
    sandbox.shell(f"for n in {' '.join(names)}; do {{ {shown}; }} > {folder}/$n; done")


@pytest.mark.parametrize(
    ("spec", "routing", "most"),
    [("slimfly:q=5,p=1", "almost-minimal:layers=4", 1000), ("dragonfly:p=2", "minimal", 400)],
)
def test_traces_are_the_plan(tmp_path: Path, spec: str, routing: str, most: int) -> None:
    """Check that Open vSwitch's traces follow the planned paths, and that its flows are exactly the bundle's flows."""
    plan = plan_of(tulle.route(spec, routing))
    bundle = tmp_path / "bundle"
    write_plan(plan, bundle)
    paths = [
        (layer, source, destination)
        for layer in range(plan.num_layers)
        for source in plan.destinations
        for destination in plan.destinations
        if source != destination
    ]
    if len(paths) > most:
        paths = random.Random(1).sample(paths, most)
    draw = random.Random(2)
    asked, ends = [], []
    for layer, source, destination in paths:
        one, other = draw.choice(plan.hosts_at[source]), draw.choice(plan.hosts_at[destination])
        flow = f"in_port={one.port},dl_vlan={FIRST_VLAN + layer},dl_vlan_pcp=0,dl_src={one.mac},dl_dst={other.mac}"
        inside = f"udp,nw_src={one.addresses[0]},nw_dst={other.addresses[0]}"
        asked.append(
            ["ofproto/trace", plan.names[source], f"{flow},{inside},udp_src={draw.randrange(65536)},udp_dst=9"]
        )
        ends.append(other)
    with Sandbox() as sandbox:
        sandbox.shell(START.format(place="/run/openvswitch", inside=""))
        sandbox.run("ovs-vsctl", *bridges(plan)[1:])
        for name in plan.names:
            load(sandbox, bundle, name)
        answers = sandbox.run(
            sys.executable,
            str(HERE / "unixctl.py"),
            "/run/openvswitch/control",
            text="".join(f"{json.dumps(row)}\n" for row in asked),
            timeout=PATIENCE,
        ).splitlines()
        dumped(sandbox, plan.names, tmp_path / "ovs")
    for (layer, source, destination), end, answer in zip(paths, ends, answers, strict=True):
        way = traced(json.loads(answer))
        at = source
        for name, port in way[:-1]:
            assert name == plan.names[at]
            assert port in {number for number, _ in plan.hops(at, layer, destination)}
            at = plan.peer(plan.by_number[at][port])[0]
        assert (at, way[-1]) == (destination, (plan.names[destination], end.port))
    verdict = verify(read_bundle(bundle), ovs=[tmp_path / "ovs"])
    assert verdict.agrees, verdict.differences


def test_tagged_frames_arrive(tmp_path: Path) -> None:
    """Check that each frame arrives once, at its host, if one daemon per switch is set up by the bundle's scripts."""
    plan = plan_of(tulle.route("clique:degree=4,p=2", "almost-minimal:layers=3"))
    bundle = tmp_path / "bundle"
    write_plan(plan, bundle)
    at = [[plan.names[host.switch], f"x{host.port}"] for host in plan.hosts]
    sent = [
        (source.endpoint, other.endpoint, FIRST_VLAN + layer)
        for layer in range(plan.num_layers)
        for source in plan.hosts
        for other in plan.hosts
        if source is not other
    ]
    # Switches drop broadcasts, and frames with an unknown VLAN or an unknown host.
    lost = [(0, plan.hosts[1].mac, FIRST_VLAN + plan.num_layers), (0, "06:00:00:01:00:09", FIRST_VLAN)]
    lost.append((0, "ff:ff:ff:ff:ff:ff", FIRST_VLAN))
    # 0x88b5 is the EtherType for local experiments (IEEE 802).
    frames = [
        (source, f"{mac}{'00' * 6}8100{vlan:04x}88b5".replace(":", ""))
        for source, mac, vlan in [*((source, plan.hosts[other].mac, vlan) for source, other, vlan in sent), *lost]
    ]
    with Sandbox() as sandbox:
        sandbox.wire(plan)
        for name in plan.names:
            place = f"/run/openvswitch/{name}"
            start = START.format(place=place, inside=f"ip netns exec {name}")
            sandbox.shell(f"{start}\nexport OVS_RUNDIR\nip netns exec {name} {bundle}/switches/{name}/up")
        text = json.dumps({"ports": at, "frames": frames, "rows": len(sent)})
        found = json.loads(sandbox.run(sys.executable, str(HERE / "frames.py"), text=text))
        # Frames arrive also while `up` replaces the groups and flows of a switch.
        name = plan.names[0]
        again = f"export OVS_RUNDIR=/run/openvswitch/{name}; for n in $(seq 30); do {bundle}/switches/{name}/up; done"
        with ThreadPoolExecutor() as pool:
            replaced = pool.submit(sandbox.shell, f"ip netns exec {name} sh -euc '{again}'")
            rounds = 0
            while rounds < 1 or not replaced.done():
                text = json.dumps({"ports": at, "frames": frames[: len(sent)], "rows": len(sent)})
                assert json.loads(sandbox.run(sys.executable, str(HERE / "frames.py"), text=text)) == found[: len(sent)]
                rounds += 1
            replaced.result()
        # After `undo`, the daemon has no bridge.
        script = f"export OVS_RUNDIR=/run/openvswitch/{name}; {bundle}/switches/{name}/undo; ovs-vsctl list-br"
        assert sandbox.shell(script) == ""
    came = [[[port, vlan] for port, leaves, vlan in rows if not leaves] for rows in found]
    assert came[: len(sent)] == [[[other, vlan]] for _, other, vlan in sent]
    assert came[len(sent) :] == [[]] * len(lost)


def test_repairs_are_loaded(tmp_path: Path) -> None:
    """Check that Open vSwitch has the flows and groups of the repaired bundle after it loads the repair's changes."""
    write_plan(plan_of(tulle.route("hyperx:shape=3x3", "minimal")), tmp_path / "before")
    before = read_bundle(tmp_path / "before")
    cable = f"{before.plan.names[0]}:{before.plan.names[1]}"
    repaired = repair(before, find_failures(before.plan, cables=[cable]))
    assert repaired is not None
    write_repair(repaired, tmp_path / "after")
    with Sandbox() as sandbox:
        sandbox.shell(START.format(place="/run/openvswitch", inside=""))
        sandbox.run("ovs-vsctl", *bridges(before.plan)[1:])
        for name in before.plan.names:
            load(sandbox, tmp_path / "before", name)
        for path in sorted((tmp_path / "after" / "changes").glob("*/*.bundle")):
            sandbox.run("ovs-ofctl", "-O", "OpenFlow15", "bundle", path.stem, str(path))
        dumped(sandbox, before.plan.names, tmp_path / "ovs")
    verdict = verify(read_bundle(tmp_path / "after"), ovs=[tmp_path / "ovs"])
    assert verdict.agrees, verdict.differences
    assert not verify(before, ovs=[tmp_path / "ovs"]).agrees


def test_a_switch_returns(tmp_path: Path) -> None:
    """Check that Open vSwitch has the first version's flows after a repair removed a switch and was reverted."""
    place = tmp_path / "bundle"
    write_plan(plan_of(tulle.route("hyperx:shape=3x3", "minimal")), place)
    first = read_bundle(place)
    repaired = repair(first, find_failures(first.plan, switches=[first.plan.names[4]]))
    assert repaired is not None
    write_repair(repaired, place)
    write_repair(transition(read_bundle(place), first), place)
    name = first.plan.names[1]
    with Sandbox() as sandbox:
        sandbox.shell(START.format(place="/run/openvswitch", inside=""))
        sandbox.shell(interfaces(port.name for port in first.plan.ports[1]))
        # The repaired bundle set up the bridge, so it lacks the port toward the removed switch.
        up = f"BRIDGE={name} {place}/versions/0002/switches/{name}/up 2> /dev/null"
        ports = "ovs-vsctl list-ports"
        before = sandbox.shell(f"{up}; {ports} {name}").split()
        script = place / "changes" / "0" / f"{name}.sh"
        after = sandbox.shell(f"BRIDGE={name} sh {script} 2> /dev/null; {ports} {name}").split()
        assert {*after} - {*before} == {port.name for port in first.plan.ports[1] if port.channel is not None} - {
            *before
        }
        assert len(after) == len(before) + 1
        assert "code 2" in sandbox.shell(f"BRIDGE=none sh {script} 2> /dev/null || echo code $?")
        for path in sorted((place / "changes").glob(f"[1-9]*/{name}.bundle")):
            sandbox.run("ovs-ofctl", "-O", "OpenFlow15", "bundle", name, str(path))
        dumped(sandbox, [name], tmp_path / "ovs")
    verdict = verify(first, ovs=[tmp_path / "ovs" / name])
    assert verdict.agrees, verdict.differences


def test_shares_are_as_planned() -> None:
    """Check that ports get flows in proportion to their weights, if a group has the buckets that a bundle gives it."""
    weights = [((1, 1), (2, 3)), ((1, 1), (2, 4), (3, 4)), ((1, 2), (3, 3))]
    plan = plan_of(tulle.route("clique:degree=3,p=1", "minimal"))
    flows = [
        f"in_port=9,dl_vlan=1,udp,nw_src=10.0.{at // 250}.{at % 250},nw_dst=10.1.0.1,udp_src={at}" for at in range(3000)
    ]
    with Sandbox() as sandbox:
        sandbox.shell(START.format(place="/run/openvswitch", inside=""))
        for number, hops in enumerate(weights):
            name = f"b{number}"
            ports = "".join(
                f" -- add-port {name} {name}p{port} -- set interface {name}p{port} type=internal ofport_request={port}"
                for port in (1, 2, 3, 9)
            )
            sandbox.shell(
                f"ovs-vsctl add-br {name} -- set bridge {name} datapath_type=netdev fail_mode=secure{ports}\n"
                f"ovs-ofctl -O OpenFlow15 add-group {name} '{_group(plan, 0, 1, hops)}'\n"
                f"ovs-ofctl -O OpenFlow15 add-flow {name} actions=group:1"
            )
            answers = sandbox.run(
                sys.executable,
                str(HERE / "unixctl.py"),
                "/run/openvswitch/control",
                text="".join(f"{json.dumps(['ofproto/trace', name, flow])}\n" for flow in flows),
                timeout=PATIENCE,
            ).splitlines()
            counts = Counter(port for answer in answers for _, port in traced(json.loads(answer)))
            total = sum(weight for _, weight in hops)
            for port, weight in hops:
                share = weight / total
                assert abs(counts[port] / len(flows) - share) < 4 * (share * (1 - share) / len(flows)) ** 0.5


def test_bridges_of_the_site_stay(tmp_path: Path) -> None:
    """Check that `up` and `undo` refuse a bridge that they did not create, and that `up` twice loses no flow."""
    plan = plan_of(tulle.route("hyperx:shape=3x3", "minimal"))
    write_plan(plan, tmp_path)
    folder = tmp_path / "switches" / plan.names[0]
    with Sandbox() as sandbox:
        sandbox.shell(START.format(place="/run/openvswitch", inside=""))
        for script in ("up", "undo"):
            done = sandbox.shell(f"ovs-vsctl --may-exist add-br fabric; {folder}/{script} 2>&1 || echo code $?")
            assert "the bridge fabric" in done
            assert "code 2" in done
            assert "fabric" in sandbox.shell("ovs-vsctl list-br")
        # Without the interfaces of its ports, `up` loads the bridge, and then fails.
        ports = [port.name for port in plan.ports[0]]
        failed = sandbox.shell(f"BRIDGE=tulle {folder}/up 2>&1 || echo exit code $?")
        assert failed.endswith(f"up: these ports cannot be set up: {' '.join(ports)}\nexit code 1\n")
        sandbox.shell(interfaces(ports))
        flows = "ovs-ofctl -O OpenFlow15 --no-stats dump-flows tulle; ovs-ofctl -O OpenFlow15 dump-groups tulle"
        first = sandbox.shell(f"export BRIDGE=tulle; {folder}/up 2> /dev/null; {flows}")
        assert sandbox.shell(f"export BRIDGE=tulle; {folder}/up 2> /dev/null; {flows}") == first
        assert first.count("actions=") > 8
        up = {line.split()[1].partition("@")[0] for line in sandbox.shell("ip -o link show up").splitlines()}
        assert {*ports} <= up
        assert not [name for name in up if name.startswith("peer-")]
        assert sandbox.shell(f"BRIDGE=tulle {folder}/undo; ovs-vsctl list-br") == "fabric\n"
