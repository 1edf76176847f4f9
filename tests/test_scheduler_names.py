"""Check names in the files for schedulers: lists of names, names of imported networks, names that are refused."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from scheduler_files import (
    expanded,
    tree_of_conf,
)

import tulle
from tulle.cabling.networks import read_network
from tulle.cli.command import run
from tulle.errors import InputError
from tulle.schedulers.formats import scheduler
from tulle.schedulers.hostlist import compact, lists
from tulle.schedulers.tree import network_tree

if TYPE_CHECKING:
    from tulle.schedulers.tree import NetworkTree

NETWORKS = Path(__file__).parent / "networks"


def tree(spec: str | tulle.Fabric, routing: str = "minimal") -> NetworkTree:
    return network_tree(tulle.route(spec, routing))


def test_lists_expand_to_the_same_names() -> None:
    draw = random.Random(5)
    for _ in range(300):
        prefixes = draw.choices(["n", "n0", "gpu-", "a1b", "x.y_"], k=3)
        names = {f"{draw.choice(prefixes)}{draw.randrange(120):0{draw.choice((1, 1, 2, 3))}}" for _ in range(40)}
        names |= {"login", "n1.site", f"g{'9' * 20}"}
        text = compact(draw.sample(sorted(names), len(names)))
        assert sorted(expanded(text)) == sorted(names)
        assert ",".join(lists(names)) == text


def test_lists_are_short() -> None:
    assert compact(f"n{number:02}" for number in range(1, 13)) == "n[01-12]"
    assert compact(["n9", "n10", "n12", "login"]) == "login,n[9-10,12]"
    assert compact(["n7"]) == "n7"
    assert compact(["n09", "n9", "n10"]) == "n[09-10,9]"
    assert compact(["7", "8"]) == "[7-8]"
    # Slurm allows at most 10,000 names in a range.
    assert compact(f"n{number}" for number in range(10_001)) == "n[0-9999,10000]"


def test_names_of_an_imported_network_stay() -> None:
    fabric = read_network("ibnetdiscover", [NETWORKS / "ib-managed.txt"]).fabric
    found = tree(fabric)
    assert [(leaf.name, leaf.hosts) for leaf in found.leaves] == [("leaf01", ("n1",)), ("leaf02", ("n2",))]
    text = scheduler("slurm").described(found, {"plugin": "tree"}).files["topology.conf"]
    assert '# leaf01 is "MF0;leaf01:MQM8700/U1"\n' in text
    assert tree_of_conf(text) == {"n1": ["leaf01", "root"], "n2": ["leaf02", "root"]}


@pytest.mark.parametrize(
    ("kind", "files", "hosts"),
    [
        ("ibnetdiscover", ["ib-sharp.txt"], {"n1", "n2"}),
        ("ibnetdiscover", ["two-switches.ibnet"], {"node1", "node2"}),
        ("topo", ["dual-homed.dot"], {"server1", "server2"}),
        ("netbox", ["dual-homed.csv"], {"srv1"}),
    ],
)
def test_hosts_of_imported_networks(kind: str, files: list[str], hosts: set[str]) -> None:
    found = tree(read_network(kind, [NETWORKS / name for name in files]).fabric)
    for name in ("slurm", "topograph", "kubernetes"):
        described = scheduler(name).described(found, scheduler(name).values({}))
        assert described.files
    assert {host for leaf in found.leaves for host in leaf.hosts} == hosts


@pytest.mark.parametrize("spec", ["fattree:k=4", "dragonfly:p=2"])
def test_a_plan_and_its_live_network_have_one_tree(tmp_path: Path, spec: str) -> None:
    """Check that a plan, and the same network imported from ibnetdiscover, give the same hosts and groups."""
    assert run(["cabling", "plan", spec, "-o", str(tmp_path / "plan")]) == 0
    live = tmp_path / "live.json"
    assert run(["import", "ibnetdiscover", str(tmp_path / "plan/exports/plan.ibnet"), "-o", str(live)]) == 0
    texts = []
    for fabric in (spec, str(tmp_path / "plan"), f"file:edges={live}"):
        assert run(["export", "slurm", fabric, "-o", str(tmp_path / "out")]) == 0
        texts.append(tree_of_conf((tmp_path / "out/topology.conf").read_text()))
    named, planned, imported = texts
    for other in (planned, imported):
        assert {host: path[0] for host, path in other.items()} == {host: path[0] for host, path in named.items()}
        assert split(other) == split(named)


def split(above: dict[str, list[str]]) -> set[frozenset[str]]:
    """Return the hosts of every group of the second tier."""
    found: dict[str, set[str]] = {}
    for host, path in above.items():
        found.setdefault(path[1], set()).add(host)
    return {frozenset(hosts) for hosts in found.values()}


@pytest.mark.parametrize("name", ["n 1", "n[1]", "n1,n2", "n#1", "n=1", "-n", "ä", "n" * 64, "n\n1", '"n"'])
def test_a_name_that_slurm_cannot_have_is_refused(name: str) -> None:
    fabric = tulle.Fabric.from_edges([[0, 1]], [0, 1], properties={"endpoint_names": ["ok", name]})
    with pytest.raises(
        InputError, match=r"schedulers do not accept the host name .*; legal: 1 to 63 letters, digits"
    ) as refused:
        tree(fabric)
    assert "\n" not in str(refused.value)


def test_switch_names_are_made_legal_and_distinct() -> None:
    labels = ["MF0;a:MQM8700/U1", "a b", "a;b", "x" * 80, "x" * 81]
    fabric = tulle.Fabric.from_edges([[0, 1], [1, 2], [2, 3], [3, 4]], 1, labels=labels)
    names = [leaf.name for leaf in tree(fabric).leaves]
    assert names[:3] == ["a", "a-b", "a-b-2"]
    assert len({*names}) == 5
    assert max(map(len, names)) <= 63
    same = tulle.Fabric.from_edges([[0, 1]], 1, labels=["MF0;a:MQM8700/U1", "MF0;a:MQM8790/U1"])
    assert [leaf.name for leaf in tree(same).leaves] == ["MF0-a-MQM8700-U1", "MF0-a-MQM8790-U1"]
