"""Export networks to schedulers: the grouping by measured throughput, names, and the files of each scheduler."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
import yaml
from scheduler_files import (
    TOPOLOGY_YAML,
    check_blocks,
    expanded,
    read_conf,
    tree_of_conf,
    tree_of_topograph,
    tree_of_yaml,
)

import tulle
from tulle.cabling.networks import read_network
from tulle.cli.command import run
from tulle.errors import InputError
from tulle.schedulers.formats import scheduler
from tulle.schedulers.formats.slurm import block_sizes
from tulle.schedulers.grouping.measure import Measure
from tulle.schedulers.hostlist import compact, lists
from tulle.schedulers.tree import network_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.schedulers.tree import NetworkTree

NETWORKS = Path(__file__).parent / "networks"
SPECS = ["slimfly:q=5", "fattree:k=4", "dragonfly:p=2", "hyperx:shape=3x3,p=2", "star:endpoints=5"]


def tree(spec: str | tulle.Fabric, routing: str = "minimal") -> NetworkTree:
    return network_tree(tulle.route(spec, routing))


def groups(of: NetworkTree, tier: int = 0) -> set[frozenset[str]]:
    """Return the hosts of every group of a tier, without names of groups."""
    found: dict[str, set[str]] = {}
    for leaf in of.leaves:
        found.setdefault(leaf.groups[tier], set()).update(leaf.hosts)
    return {frozenset(hosts) for hosts in found.values()}


def measure(spec: str, routing: str = "minimal") -> Measure:
    """Return the measure whose units are the switches with endpoints."""
    fabric = tulle.Fabric(spec)
    at = fabric.endpoint_switch
    return Measure(tulle.route(fabric, routing), [np.flatnonzero(at == switch) for switch in np.unique(at)])


# Measured throughput.


def test_figures_are_the_closed_forms() -> None:
    # Slim Fly, minimal paths: one cable between two switches of p = 4 hosts; 7 cables leave a switch.
    (tier,) = tree("slimfly:q=5").tiers
    assert (tier.name, tier.groups, tier.hosts, tier.pairs, tier.measured) == ("leaf", 50, (4, 4), 1225, 500)
    assert (tier.implied, tier.sustained, tier.least) == (1, 0.25, 0.25)
    assert (tier.error, tier.worst) == (-0.75, -0.75)
    # Dragonfly, hierarchical paths: one cable between two switches of a group (p = 2), and one between two groups of
    # a·p = 8 hosts; a·h = 8 cables leave a group.
    inside, between = tree("dragonfly:p=2", "hierarchical").tiers
    assert (inside.name, inside.pairs, inside.sustained) == ("leaf", 9 * 6, 0.5)
    assert (between.name, between.pairs, between.sustained) == ("group", 36, 0.125)
    assert (between.implied, between.error) == (1, -0.875)
    # A fat tree is a tree.
    for tier in tree("fattree:k=8").tiers:
        assert (tier.implied, tier.sustained, tier.error, tier.worst) == (1, 1, 0, 0)


def test_an_oversubscribed_tree_errs_by_nothing() -> None:
    # 6 hosts share 2 uplinks, so that both the network and the tree carry a third of a link's rate.
    for tier in tree("fattree:levels=2,radix=8,p=6").tiers:
        assert tier.implied == pytest.approx(tier.sustained)
        assert tier.sustained < 0.5
        assert tier.error == pytest.approx(0)


@pytest.mark.parametrize("spec", ["slimfly:q=3", "dragonfly:p=1", "jellyfish:switches=12,degree=4,p=3"])
def test_an_exchange_is_a_throughput(spec: str) -> None:
    of = measure(spec)
    fabric, draw = tulle.Fabric(spec), random.Random(1)
    hosts = np.bincount(fabric.endpoint_switch)
    graph = nx.DiGraph()
    for a, b in fabric.channels.tolist():
        graph.add_edge(a, b, capacity=graph.get_edge_data(a, b, {"capacity": 0})["capacity"] + 1)
    for _ in range(5):
        units = draw.sample(range(fabric.num_switches), 5)
        a, b = sorted(units[:2]), sorted(units[2:])
        rows = [(s, d, hosts[s] * hosts[d] / hosts[b].sum()) for s, d in [(s, d) for s in a for d in b]]
        rows += [(d, s, amount) for s, d, amount in rows]
        demands = tulle.analysis.Demands(fabric.num_switches, *map(list, zip(*rows, strict=True)))
        wanted = tulle.analysis.throughput(fabric, demands, "minimal", method="split").lower
        found = of.exchange(np.array(a), np.array(b))
        assert found.sustained == pytest.approx(min(1, wanted))
        flows = []
        for group in (a, b):
            network = graph.copy()
            for switch in range(fabric.num_switches):
                ends = ("source", switch) if switch in group else (switch, "sink")
                network.add_edge(*ends, capacity=int(hosts[switch]))
            flows.append(nx.maximum_flow_value(network, "source", "sink"))
        assert [of.uplink(np.array(group)) for group in (a, b)] == flows
        assert found.implied == pytest.approx(min(1, min(flows) / hosts[a].sum()))


def test_rates_of_links_count() -> None:
    slow = tulle.Fabric("fattree:k=4", links=["all:rate=100Gbps", "endpoint:rate=200Gbps"])
    for tier in tree(slow).tiers:
        assert (tier.implied, tier.sustained) == (0.5, 0.5)


# The grouping.


def test_a_grouping_follows_losses() -> None:
    assert [tier.name for tier in tree("slimfly:q=5").tiers] == ["leaf"]
    assert [tier.name for tier in tree("jellyfish:switches=30,degree=6,p=3").tiers] == ["leaf"]
    assert [tier.name for tier in tree("dragonfly:p=2").tiers] == ["leaf", "group"]
    assert [tier.name for tier in tree("megafly:leaves=3").tiers] == ["leaf", "group"]
    assert [tier.name for tier in tree("fattree:k=8").tiers] == ["leaf", "pod"]
    assert [tier.name for tier in tree("fattree:levels=2,radix=8").tiers] == ["leaf"]
    # A row of a HyperX is a complete graph; rows have a cable per pair of switches.
    assert len(tree("hyperx:shape=4x4x4").tiers) == 3


@pytest.mark.parametrize(("spec", "name"), [("dragonfly:p=2", "cluster"), ("fattree:k=6", "pod")])
def test_groups_are_found_without_coordinates(spec: str, name: str) -> None:
    """Shuffle the switches of a network and remove coordinates and levels: the groups stay the same."""
    fabric = tulle.Fabric(spec)
    places = np.random.default_rng(3).permutation(fabric.num_switches)
    again = tulle.Fabric.from_edges(
        places[fabric.edges.astype(int)],
        places[fabric.endpoint_switch],
        properties={"endpoint_names": [f"n{end}" for end in range(fabric.num_endpoints)]},
    )
    found = tree(again)
    assert [tier.name for tier in found.tiers] == ["leaf", name]
    column = fabric.coordinate_names.index("group" if name == "cluster" else "pod")
    wanted: dict[int, set[str]] = {}
    for end, switch in enumerate(fabric.endpoint_switch.tolist()):
        wanted.setdefault(int(fabric.coordinates[switch, column]), set()).add(f"n{end}")
    assert groups(found) == {frozenset(hosts) for hosts in wanted.values()}


def test_the_seed_chooses_only_samples() -> None:
    routing = tulle.route("dragonfly:p=2", "minimal")
    assert network_tree(routing, 1).leaves == network_tree(routing, 7).leaves
    assert network_tree(routing, 1) == network_tree(routing, 1)


def test_hosts_with_several_ports_are_one_host() -> None:
    # Two rails: every host has a port at an even and at an odd switch.
    names = [f"n{host}:{port}" for host in range(4) for port in (1, 2)]
    at = [0, 1, 0, 1, 2, 3, 2, 3]
    rails = tulle.Fabric.from_edges(
        [[0, 4], [1, 4], [2, 4], [3, 4]],
        at,
        labels=["l0", "l1", "l2", "l3", "spine"],
        properties={"endpoint_names": names, "host_ports": ["1", "2"] * 4},
    )
    found = tree(rails)
    assert [(leaf.name, leaf.hosts) for leaf in found.leaves] == [("l0_l1", ("n0", "n1")), ("l2_l3", ("n2", "n3"))]
    assert (found.hosts, len(found.tiers)) == (4, 1)


# Names and lists of names.


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
    # A range has at most 10,000 names, because Slurm limits it.
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
    """Plan a network, import it as ibnetdiscover shows it, and export both: hosts and groups are the same."""
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
        InputError, match="is no name that schedulers accept; legal: 1 to 63 letters, digits"
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


# The files of Slurm.


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("plugin", ["tree", "block"])
def test_files_of_slurm(spec: str, plugin: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    of = tree(spec)
    files = scheduler("slurm").described(of, {"plugin": plugin}).files
    wanted = {host: [leaf.name, *leaf.groups] for leaf in of.leaves for host in leaf.hosts}
    topologies = yaml.safe_load(files["topology.yaml"])
    jsonschema.validate(topologies, TOPOLOGY_YAML)
    assert {row["topology"]: row["cluster_default"] for row in topologies} == {
        name: name == plugin for name in ("tree", "block")
    }
    # The name is the first attribute.
    assert all(next(iter(row)) == "topology" for row in topologies)
    assert tree_of_yaml(topologies[0]["tree"]) == wanted
    block = topologies[1]["block"]
    blocks = {row["block"]: expanded(row["nodes"]) for row in block["blocks"]}
    check_blocks(block["block_sizes"], blocks)
    assert {host for hosts in blocks.values() for host in hosts} == {*wanted}
    if plugin == "tree":
        assert tree_of_conf(files["topology.conf"]) == wanted
    else:
        *rows, last = read_conf(files["topology.conf"])
        assert {row["BlockName"]: expanded(row["Nodes"]) for row in rows} == blocks
        assert last == {"BlockSizes": ",".join(map(str, block["block_sizes"]))}


def test_block_sizes_follow_tiers() -> None:
    # 4 pods of 4 hosts: 16 hosts are one larger block. 9 groups of 8 hosts: 9 is no power of two.
    assert block_sizes(tree("fattree:k=4")) == [4, 16]
    assert block_sizes(tree("dragonfly:p=2")) == [8]
    assert block_sizes(tree("star:endpoints=5")) == [5]


def test_the_yaml_schema_finds_faults() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    good = yaml.safe_load(scheduler("slurm").described(tree("fattree:k=4"), {"plugin": "tree"}).files["topology.yaml"])
    faults: list[Any] = [
        [{**good[0], "flat": True}],
        [{key: value for key, value in good[0].items() if key != "topology"}],
        [{"topology": "t", "tree": {"switches": [{"switch": "s" * 65}]}}],
        [{"topology": "t", "block": {"blocks": [{"block": "b", "nodes": "n1"}]}}],
    ]
    for fault in faults:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(fault, TOPOLOGY_YAML)


# The files of topograph and Kubernetes.


@pytest.mark.parametrize("spec", SPECS)
def test_the_model_of_topograph(spec: str) -> None:
    of = tree(spec)
    model = yaml.safe_load(scheduler("topograph").described(of, {}).files["topograph.yaml"])
    assert {*model} == {"switches", "blocks"}
    assert tree_of_topograph(model) == {host: [leaf.name, *leaf.groups] for leaf in of.leaves for host in leaf.hosts}


def nodes(of: NetworkTree, keys: str = "topograph") -> dict[str, dict[str, str]]:
    """Return the labels of every node of a file for Kubernetes."""
    kubernetes = scheduler("kubernetes")
    listed = yaml.safe_load(kubernetes.described(of, kubernetes.values({"keys": keys})).files["nodes.yaml"])
    assert (listed["apiVersion"], listed["kind"]) == ("v1", "List")
    assert all((item["apiVersion"], item["kind"]) == ("v1", "Node") for item in listed["items"])
    assert all({*item["metadata"]} == {"name", "labels"} for item in listed["items"])
    return {item["metadata"]["name"]: item["metadata"]["labels"] for item in listed["items"]}


@pytest.mark.parametrize("spec", SPECS)
def test_labels_of_kubernetes(spec: str) -> None:
    of = tree(spec)
    found = nodes(of)
    for leaf in of.leaves:
        for host in leaf.hosts:
            path = [leaf.name, *leaf.groups]
            assert found[host] == {f"fabric.topograph.run/tier-{tier}": name for tier, name in enumerate(path)}
    values = {value for labels in found.values() for value in labels.values()}
    assert all(re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?", value) for value in values)
    assert len(found) == of.hosts


def test_keys_of_kubernetes() -> None:
    of = tree("dragonfly:p=2")
    assert {*nodes(of, "nvidia")["node-g0-s0-0"]} == {
        f"network.topology.nvidia.com/{tier}" for tier in ("leaf", "spine", "core")
    }
    assert nodes(of, "example.com/rack,topology.kubernetes.io/zone")["node-g0-s0-1"] == {
        "example.com/rack": "dragonfly-g0-s0",
        "topology.kubernetes.io/zone": "group-0",
    }
    for keys in ("rack", "a/b,", "Example.com/x", "a.com/" + "x" * 64, "a.com/x,a.com/x", "a.com/x y", "a/b/c", ""):
        with pytest.raises(InputError, match="legal: ") as refused:
            scheduler("kubernetes").values({"keys": keys})
        assert "\n" not in str(refused.value)


def test_a_name_that_kubernetes_cannot_have_is_refused() -> None:
    for name in ("Node1", "n_1"):
        fabric = tulle.Fabric.from_edges([[0, 1]], [0, 1], properties={"endpoint_names": ["ok", name]})
        with pytest.raises(InputError, match=f"host '{name}' is no name of a Kubernetes node; legal: lower-case"):
            nodes(tree(fabric))
        assert scheduler("slurm").described(tree(fabric), {"plugin": "tree"}).files


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")
def test_kubectl_reads_the_nodes(tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    of = tree("dragonfly:p=1")
    kubernetes = scheduler("kubernetes")
    path.write_text(kubernetes.described(of, kubernetes.values({})).files["nodes.yaml"])
    command = ["kubectl", "label", "--local", "-f", str(path), "example.com/extra=1", "-o", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    decoder, text, found = json.JSONDecoder(), done.stdout.strip(), []
    while text:
        item, end = decoder.raw_decode(text)
        found += item.get("items", [item])
        text = text[end:].strip()
    assert {node["metadata"]["name"] for node in found} == {host for leaf in of.leaves for host in leaf.hosts}
    assert all(node["metadata"]["labels"]["example.com/extra"] == "1" for node in found)


# The command.


def lines(capsys: pytest.CaptureFixture[str]) -> tuple[str, list[str]]:
    found = capsys.readouterr()
    return found.out, found.err.splitlines()


def export(arguments: Iterable[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, list[str]]:
    code = run(["export", *arguments])
    return (code, *lines(capsys))


def test_the_command_says_by_how_much_a_tree_errs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out")
    code, text, notes = export(["slurm", "slimfly:q=5", "-o", out], capsys)
    assert code == 0
    assert re.search(r"^leaf +50 +4 +1225 +1\.000 +0\.2500 +0\.2500 +-75% ", text, re.MULTILINE)
    assert any(line.startswith("tulle: a tree does not describe this network: it errs by -75% for ") for line in notes)
    assert "#   leaf: 0.250 sustained, 1.000 implied, error -75%\n" in (tmp_path / "out/topology.conf").read_text()
    code, text, notes = export(["slurm", "fattree:k=4", "-o", out, "--json"], capsys)
    assert [(tier["name"], tier["error"]) for tier in json.loads(text)["tiers"]] == [("leaf", 0), ("pod", 0)]
    assert not any("does not describe" in line for line in notes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["slurm", "clique:degree=3,p=0"], "clique:degree=3,p=0 has no endpoints; legal: 1 or more"),
        (["slurm", "slimfly:q=6"], "slimfly: q=6 "),
        (["slurm", "slimfly:q=5", "nonsense"], "unknown routing 'nonsense'"),
        (["slurm", "slimfly:q=5", "--plugin", "ring"], "ring"),
        (["kubernetes", "slimfly:q=5", "--keys", "rack"], "--keys: 'rack' is not a label key with a prefix; legal: "),
        (["kubernetes", "file:edges=g.edges,p=1", "--fail", "links=1"], "no path"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("g.edges").write_text("0 1\n")
    code, _, errors = export([*arguments, "-o", "out"], capsys)
    assert code == 2
    assert len(errors) == 1
    assert message in errors[0]
    assert not Path("out").exists()


def test_files_of_others_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "topology.yaml").write_text("- topology: mine\n")
    code, _, errors = export(["slurm", "slimfly:q=3", "-o", str(tmp_path)], capsys)
    assert (code, len(errors)) == (2, 1)
    assert "topology.yaml is not from tulle export; legal: another folder, or --force to replace it" in errors[0]
    assert [path.name for path in tmp_path.iterdir()] == ["topology.yaml"]
    (tmp_path / "slurm.conf").write_text("ClusterName=mine\n")
    assert export(["slurm", "slimfly:q=3", "-o", str(tmp_path), "--force"], capsys)[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"topology.yaml", "topology.conf", "slurm.conf"}
