"""Load exported topologies into Slurm's controller, and compare the controller's tree with the exported tree."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sandbox import Sandbox, missing
from scheduler_files import expanded

import tulle
from tulle.cabling.networks import read_network
from tulle.schedulers.formats import scheduler
from tulle.schedulers.hostlist import compact
from tulle.schedulers.tree import network_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.schedulers.tree import NetworkTree

LACKS = missing("slurmctld", "scontrol")
pytestmark = pytest.mark.skipif(bool(LACKS), reason=LACKS)

NETWORKS = Path(__file__).parents[1] / "networks"
CONF = """ClusterName=test
SlurmctldHost=controller(127.0.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser=root
StateSaveLocation={place}/state
SlurmctldPidFile={place}/pid
TopologyPlugin=topology/tree
ProctrackType=proctrack/pgid
MpiDefault=none
MailProg=/bin/true
SlurmctldDebug=verbose
NodeName={hosts} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES
"""
# The controller looks up the address of every host. The fixture `sandbox` adds the address 10.9.8.7, because these
# look-ups fail if a machine has only loopback addresses.
START = """
mkdir -p {place}/state
mount --bind {place}/hosts /etc/hosts
hostname controller
slurmctld -D -c -f {place}/slurm.conf > {place}/log 2>&1 &
controller=$!
tries=0
until grep --text --quiet "Running as primary controller" {place}/log; do
  tries=$((tries + 1))
  kill -0 $controller 2> /dev/null && test $tries -lt 2500 || break
  sleep 0.1
done
# The controller logs that it is running before it answers requests.
touch {place}/shown
export SLURM_CONF={place}/slurm.conf
while kill -0 $controller 2> /dev/null && test $tries -lt 2500; do
  if scontrol show topology > {place}/shown 2> /dev/null && test -s {place}/shown; then break; fi
  tries=$((tries + 1))
  sleep 0.1
done
kill $controller 2> /dev/null || true
wait $controller || true
umount /etc/hosts
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as made:
        made.run("ip", "address", "add", "10.9.8.7/32", "dev", "lo")
        yield made


def load(sandbox: Sandbox, place: Path, conf: str, hosts: list[str]) -> tuple[list[dict[str, str]], str]:
    """Start a controller with a topology.conf. Return the switches that it shows, and its errors about the topology."""
    place.mkdir(exist_ok=True)
    (place / "topology.conf").write_text(conf)
    (place / "slurm.conf").write_text(CONF.format(place=place, hosts=compact(hosts)))
    rows = ["127.0.0.1 localhost controller\n"]
    rows += [f"127.{1 + at // 62_500}.{at // 250 % 250}.{at % 250 + 1} {host}\n" for at, host in enumerate(hosts)]
    (place / "hosts").write_text("".join(rows))
    sandbox.shell(START.format(place=place))
    log = (place / "log").read_text(errors="replace")
    shown = [dict(pair.split("=", 1) for pair in line.split()) for line in (place / "shown").read_text().splitlines()]
    wrong = [line for line in log.splitlines() if re.search(r"topolog|switch|fatal|hostlist", line, re.IGNORECASE)]
    return shown, "\n".join(line for line in wrong if re.search("error|fatal|warning", line, re.IGNORECASE))


def names(sandbox: Sandbox, place: Path, text: str) -> list[str]:
    """Let Slurm expand a list of names."""
    return sandbox.run("env", f"SLURM_CONF={place}/slurm.conf", "scontrol", "show", "hostnames", text).split()


def check(sandbox: Sandbox, place: Path, of: NetworkTree) -> None:
    """Check that Slurm shows every switch with its level, its hosts and the switches below it."""
    files = scheduler("slurm").described(of, {"plugin": "tree"}).files
    shown, errors = load(sandbox, place, files["topology.conf"], [host for leaf in of.leaves for host in leaf.hosts])
    assert errors == ""
    wanted: dict[str, tuple[int, set[str], set[str]]] = {leaf.name: (0, {*leaf.hosts}, set()) for leaf in of.leaves}
    for leaf in of.leaves:
        below = leaf.name
        for level, group in enumerate(leaf.groups, 1):
            _, hosts, parts = wanted.setdefault(group, (level, set(), set()))
            hosts.update(leaf.hosts)
            parts.add(below)
            below = group
    found = {
        row["SwitchName"]: (
            int(row["Level"]),
            {*expanded(row["Nodes"])},
            {*expanded(row.get("Switches", ""))},
        )
        for row in shown
    }
    assert found == wanted
    assert len(shown) == len(found)


@pytest.mark.parametrize(
    "spec", ["slimfly:q=5", "fattree:k=4", "dragonfly:p=2", "hyperx:shape=3x3x3", "star:endpoints=3"]
)
def test_slurm_reads_the_tree_of_a_family(sandbox: Sandbox, tmp_path: Path, spec: str) -> None:
    check(sandbox, tmp_path, network_tree(tulle.route(spec, "minimal")))


@pytest.mark.parametrize(
    ("kind", "file"),
    [
        ("ibnetdiscover", "ib-managed.txt"),
        ("ibnetdiscover", "ib-sharp.txt"),
        ("topo", "dual-homed.dot"),
        ("netbox", "dual-homed.csv"),
    ],
)
def test_slurm_reads_the_tree_of_an_imported_network(sandbox: Sandbox, tmp_path: Path, kind: str, file: str) -> None:
    fabric = read_network(kind, [NETWORKS / file]).fabric
    check(sandbox, tmp_path, network_tree(tulle.route(fabric, "minimal")))


def test_slurm_expands_lists_to_the_same_names(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "slurm.conf").write_text("ClusterName=test\nSlurmctldHost=controller\n")
    draw = random.Random(3)
    for _ in range(12):
        hosts = {
            f"{draw.choice(['n', 'n0', 'gpu-', 'a1b'])}{draw.randrange(120):0{draw.choice((1, 2, 3))}}"
            for _ in range(40)
        }
        hosts |= {"login", "n1.site", "g123456789012345678"}
        text = compact(hosts)
        assert sorted(names(sandbox, tmp_path, text)) == sorted(expanded(text)) == sorted(hosts)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SwitchName=pod-1 Switches=fattree-0-1-[0-1]", "SwitchName=pod-1 Switches=fattree-0-1-[0-7]"),
        ("Nodes=node-0-3-1-[0-1]", "Nodes=node-0-3-1-[0-1]x"),
        ("Nodes=node-0-3-1-[0-1]", "Nodes=node 3"),
        ("SwitchName=pod-2 ", "SwitchName=pod-1 "),
    ],
)
def test_faults_do_not_pass(sandbox: Sandbox, tmp_path: Path, old: str, new: str) -> None:
    """Check that the comparison detects a damaged topology.conf; otherwise the other tests would prove nothing."""
    of = network_tree(tulle.route("fattree:k=4", "minimal"))
    text = scheduler("slurm").described(of, {"plugin": "tree"}).files["topology.conf"]
    assert old in text
    shown, errors = load(sandbox, tmp_path, text.replace(old, new), [host for leaf in of.leaves for host in leaf.hosts])
    assert errors != "" or len(shown) != 13


@pytest.mark.large
def test_slurm_reads_a_large_tree(sandbox: Sandbox, tmp_path: Path) -> None:
    """Load the tree of a Slim Fly with 10,830 hosts, in which the line of the root names 722 switches."""
    check(sandbox, tmp_path, network_tree(tulle.route("slimfly:q=19", "minimal")))
