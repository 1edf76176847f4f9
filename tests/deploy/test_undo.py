"""Test the scripts `up` and `undo` of switches and hosts: `undo` restores exactly the machine's earlier settings."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
import sandbox
from patience import PATIENCE

import tulle
from tulle.cabling.networks import read_network
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.targets.linux import write_plan

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    bool(sandbox.missing("ip", "nft", "unshare")), reason="needs iproute2, nftables and root"
)

# The interfaces x0 to x9 are the far ends of cables, so they represent other machines' ports.
SHOW = r"""{
while ip -6 address | grep -q tentative; do sleep 0.05; done
# The kernel adds the local route of an IPv6 address later than the address.
lacks() { for own in $(ip -6 -o address | sed 's/.*inet6 \([^/ ]*\).*/\1/'); do
  ip -6 route show table local | grep -q "^local $own " || return 0; done; return 1; }
tries=0; while lacks && test $tries -lt 200; do tries=$((tries + 1)); sleep 0.05; done
ip -o link | sed 's/ qlen .*//; s/@.*: </: </'
ip -o address | sed 's/ *valid_lft.*//'
for version in 4 6; do ip -$version route show table all; ip -$version neighbour show nud permanent; done
ip mptcp endpoint; ip mptcp limits; ip sr tunsrc show; nft list ruleset
grep -s . /proc/sys/net/ipv[46]/ip_forward /proc/sys/net/ipv[46]/*hash_policy /proc/sys/net/ipv[46]/conf/*/*
} | grep -v '/mc_forwarding\|[ /]x[0-9]'
"""


# Without duplicate address detection, addresses do not change their state while a test runs.
QUIET = """
for conf in default all; do echo 0 > /proc/sys/net/ipv6/conf/$conf/accept_dad; done
ip link set lo up
ip link add site type veth peer name x0; ip link set x0 up; ip link set site up
"""


def inside(script: str, folder: Path) -> str:
    """Run a script in new namespaces with its own /proc/sys/net; return its output."""
    done = subprocess.run(
        ["unshare", "--net", "--mount", "sh", "-euc", f"mount -t proc proc /proc\n{QUIET}{script}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def ports(names: list[str], state: str) -> str:
    """Shell commands that create interfaces. The other end of each interface is up."""
    return "".join(
        f"ip link add {name} address 06:00:00:00:00:{at:02x} type veth peer name x{at}; ip link set x{at} up\n"
        # An interface that was never up differs from an interface that went down. So each interface is first set up.
        f"ip link set {name} up; ip link set {name} {state}\n"
        for at, name in enumerate(names, 1)
    )


SITE = {
    4: """
ip address add 192.0.2.1/24 dev site
ip route add 10.1.0.0/16 via 192.0.2.7 dev site
ip route add 10.0.2.0/24 via 192.0.2.8 dev site
ip route add unreachable 10.0.3.0/24
ip neighbour add 10.255.0.1 lladdr 06:00:00:00:09:09 dev {port} nud permanent
""",
    6: """
ip address add 2001:db8::1/64 dev site nodad
ip -6 route add fd00:0:0:1::/64 via 2001:db8::7 dev site
""",
}


@pytest.mark.parametrize(
    ("version", "state", "mode"),
    [(4, "up", "mptcp"), (4, "down", "flowlets"), (6, "up", "none"), (6, "down", "mptcp")],
)
def test_hosts_are_restored(tmp_path: Path, version: int, state: str, mode: str) -> None:
    plan = plan_of(tulle.route("slimfly:q=3", "almost-minimal:layers=4"), ipv6=version == 6)
    write_plan(plan, tmp_path / "bundle")
    folder = tmp_path / "bundle" / "hosts" / plan.hosts[3].name
    own = plan.hosts[3].addresses[1]
    script = f"""
{ports(["port"], state)}{SITE[version].format(port="port")}
ip mptcp limits set subflows 3 add_addr_accepted 1
ip mptcp endpoint add 192.0.2.9 id 1 dev site signal
ip mptcp endpoint add 192.0.2.10 id 2 dev site subflow
nft add table inet site
nft add chain inet site input
export INTERFACE=port TULLE_STATE={tmp_path}/state
show() {{ {SHOW} }}
show > {tmp_path}/before
sh {folder}/up {mode}; show > {tmp_path}/during
sh {folder}/up {mode}; show > {tmp_path}/again
sh {folder}/undo; show > {tmp_path}/after
"""
    inside(script, folder)
    before, during, again, after = (
        (tmp_path / name).read_text().splitlines() for name in ("before", "during", "again", "after")
    )
    assert after == before
    assert again == during
    assert any(own in line for line in during)
    for kept in ("192.0.2.9 id 1 signal", "192.0.2.10 id 2 subflow", "table inet site"):
        assert any(kept in line for line in during), kept
    announced = [line for line in during if "signal" in line and "192.0.2.9" not in line]
    assert len(announced) == (3 if mode == "mptcp" else 0)
    assert ("add_addr_accepted 8 subflows 8 " in during) == (mode == "mptcp")
    assert not (tmp_path / "state" / plan.hosts[3].name).exists()


DUAL_HOMED = """graph g {
 "leaf1":"swp51" -- "spine1":"swp1"
 "leaf2":"swp51" -- "spine1":"swp2"
 "server1":"eth1" -- "leaf1":"swp1"
 "server1":"eth2" -- "leaf2":"swp1"
 "server2":"eth1" -- "leaf1":"swp2"
}
"""


@pytest.mark.parametrize(("version", "mode"), [(4, "flowlets"), (6, "mptcp"), (4, "mptcp")])
def test_the_ports_of_a_server_are_set_up_together(tmp_path: Path, version: int, mode: str) -> None:
    (tmp_path / "topology.dot").write_text(DUAL_HOMED)
    fabric = read_network("topo", tmp_path / "topology.dot").fabric
    plan = plan_of(tulle.route(fabric, "random:layers=2,rho=1"), ipv6=version == 6)
    write_plan(plan, tmp_path / "bundle")
    one, two, other = sorted(plan.hosts, key=lambda host: host.name)
    hosts = tmp_path / "bundle" / "hosts"
    asked = "".join(
        f"ip -o route get {other.addresses[layer]} from {host.addresses[layer]}\n"
        for layer in (0, 1)
        for host in (one, two)
    )
    script = f"""
{ports(["eth1", "eth2"], "up")}{SITE[version].format(port="eth1")}
export TULLE_STATE={tmp_path}/state
show() {{ {SHOW}
ip -{version} rule; }}
show > {tmp_path}/before
sh {hosts}/{one.name}/up {mode}; sh {hosts}/{two.name}/up {mode}; show > {tmp_path}/during
{{ {asked} ip -o route get {other.addresses[0]}; }} > {tmp_path}/routes
sh {hosts}/{one.name}/up {mode}; sh {hosts}/{two.name}/up {mode}; show > {tmp_path}/again
sh {hosts}/{one.name}/undo; ip -o route get {other.addresses[0]} > {tmp_path}/left
sh {hosts}/{two.name}/undo; show > {tmp_path}/after
"""
    inside(script, tmp_path)
    before, during, again, after, routes, left = (
        (tmp_path / name).read_text().splitlines() for name in ("before", "during", "again", "after", "routes", "left")
    )
    assert after == before
    assert again == during
    assert [line.split(" dev ")[1].split()[0] for line in routes] == ["eth1", "eth2"] * 2 + ["eth1"]
    assert " dev eth2 " in left[0]
    assert sum(f"table {'ip6' if version == 6 else 'ip'} tulle-{mode}-server1" in line for line in during) == (
        2 if mode == "flowlets" else 0
    )
    assert sum(line.count("signal") for line in during) == (2 if mode == "mptcp" else 0)


@pytest.mark.parametrize("state", ["up", "down"])
@pytest.mark.parametrize("version", [4, 6])
def test_switches_are_restored(tmp_path: Path, version: int, state: str) -> None:
    plan = plan_of(tulle.route("slimfly:q=3", "almost-minimal:layers=4"), ipv6=version == 6)
    write_plan(plan, tmp_path / "bundle")
    folder = tmp_path / "bundle" / "switches" / plan.names[1]
    names = [port.name for port in plan.ports[1]]
    script = f"""
{ports(names, state)}{SITE[version].format(port=names[0])}
export TULLE_STATE={tmp_path}/state
show() {{ {SHOW} }}
show > {tmp_path}/before
sh {folder}/up; show > {tmp_path}/during
sh {folder}/up; show > {tmp_path}/again
sh {folder}/undo; show > {tmp_path}/after
sh {folder}/undo 2> {tmp_path}/nothing; show > {tmp_path}/twice
"""
    inside(script, folder)
    before, during, again, after, twice = (
        (tmp_path / name).read_text().splitlines() for name in ("before", "during", "again", "after", "twice")
    )
    assert after == before == twice
    assert again == during
    assert sum("proto 84" in line for line in during) > 40
    assert "nothing to revert" in (tmp_path / "nothing").read_text()
