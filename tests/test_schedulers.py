"""Check exports of networks to schedulers: the files for each scheduler, and the command."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from tulle.cli.command import run
from tulle.errors import InputError
from tulle.schedulers.formats import scheduler
from tulle.schedulers.formats.slurm import block_sizes
from tulle.schedulers.tree import network_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tulle.schedulers.tree import NetworkTree

SPECS = ["slimfly:q=5", "fattree:k=4", "dragonfly:p=2", "hyperx:shape=3x3,p=2", "star:endpoints=5"]


@cache
def tree(spec: str | tulle.Fabric, routing: str = "minimal") -> NetworkTree:
    return network_tree(tulle.route(spec, routing))


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
    # In each topology, the name is the first attribute.
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
    # 4 pods of 4 hosts form a larger block of 16 hosts. 9 groups of 8 hosts form no larger block, because 9 is not a
    # power of two.
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


# The following tests check the files for topograph and Kubernetes.


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
        with pytest.raises(InputError, match=f"does not accept '{name}' as the name of a node; legal: lower-case"):
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
    assert any(line.startswith("tulle: a tree does not describe this network well: between ") for line in notes)
    assert "#   leaf: 0.250 sustained, 1.000 implied, error -75%\n" in (tmp_path / "out/topology.conf").read_text()
    code, text, notes = export(["slurm", "fattree:k=4", "-o", out, "--json"], capsys)
    assert [(tier["name"], tier["error"]) for tier in json.loads(text)["tiers"]] == [("leaf", 0), ("pod", 0)]
    assert not any("does not describe" in line for line in notes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["slurm", "clique:degree=3,p=0"], "clique:degree=3,p=0 has no endpoints; legal: a fabric with endpoints"),
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
    assert "topology.yaml was not written by tulle export; legal: another folder, or --force to replace it" in errors[0]
    assert [path.name for path in tmp_path.iterdir()] == ["topology.yaml"]
    (tmp_path / "slurm.conf").write_text("ClusterName=mine\n")
    assert export(["slurm", "slimfly:q=3", "-o", str(tmp_path), "--force"], capsys)[0] == 0
    assert {path.name for path in tmp_path.iterdir()} == {"topology.yaml", "topology.conf", "slurm.conf"}
