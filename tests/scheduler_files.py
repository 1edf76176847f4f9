"""Readers of schedulers' files for tests. They follow the formats' documentation, and use no code of tulle."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

TOPOLOGY_YAML: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            "topology": {"type": "string", "minLength": 1},
            "cluster_default": {"type": "boolean"},
            "flat": {"type": "boolean"},
            "tree": {
                "type": "object",
                "properties": {
                    "switches": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "properties": {
                                "switch": {"type": "string", "minLength": 1, "maxLength": 64},
                                "children": {"type": "string"},
                                "nodes": {"type": "string"},
                            },
                            "required": ["switch"],
                            "additionalProperties": False,
                        },
                    }
                },
                "required": ["switches"],
                "additionalProperties": False,
            },
            "block": {
                "type": "object",
                "properties": {
                    "block_sizes": {"type": "array", "minItems": 1, "items": {"type": "integer", "minimum": 1}},
                    "blocks": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "properties": {"block": {"type": "string", "minLength": 1}, "nodes": {"type": "string"}},
                            "required": ["block"],
                            "additionalProperties": False,
                        },
                    },
                },
                "required": ["block_sizes", "blocks"],
                "additionalProperties": False,
            },
        },
        "required": ["topology"],
        "additionalProperties": False,
        # Each topology has exactly one type.
        "oneOf": [{"required": ["tree"]}, {"required": ["block"]}, {"required": ["flat"]}],
    },
}
"""The JSON Schema of Slurm's topology.yaml, after topology.yaml(5) of Slurm 25.11."""


def expanded(text: str) -> list[str]:
    """Expand a list in Slurm's bracket notation."""
    names = []
    for part in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text):
        match = re.fullmatch(r"([^\[]*)\[([^\]]*)\]", part)
        if match is None:
            assert "[" not in part, part
            names.append(part)
            continue
        for piece in match[2].split(","):
            first, _, last = piece.partition("-")
            width = len(first)
            names += [f"{match[1]}{number:0{width}}" for number in range(int(first), int(last or first) + 1)]
    return names


def read_conf(text: str) -> list[dict[str, str]]:
    """Read a topology.conf; return a dictionary per line."""
    lines = [line.partition("#")[0].split() for line in text.splitlines()]
    return [dict(pair.split("=", 1) for pair in line) for line in lines if line]


def leaves_of(switches: dict[str, tuple[list[str], list[str]]]) -> dict[str, list[str]]:
    """Check a tree, and return the switches above each host, nearest first.

    `switches` has the child switches and the hosts of every switch.
    """
    parents: dict[str, str] = {}
    for name, (children, _) in switches.items():
        for child in children:
            assert child in switches, f"{name} names {child}, which does not exist"
            assert child not in parents, f"{child} has two parents"
            parents[child] = name
    assert len(switches) - len(parents) == 1, "the tree does not have exactly one root"
    above: dict[str, list[str]] = {}
    for name, (children, hosts) in switches.items():
        assert bool(children) != bool(hosts), f"{name} has neither or both kinds of children"
        path = [name]
        while path[-1] in parents:
            path.append(parents[path[-1]])
            assert len(path) <= len(switches), f"a cycle above {name}"
        for host in hosts:
            assert host not in above, f"{host} is at two switches"
            above[host] = path
    return above


def tree_of_conf(text: str) -> dict[str, list[str]]:
    """Return the switches above each host, from a topology.conf with a tree."""
    rows = read_conf(text)
    names = [row["SwitchName"] for row in rows]
    assert len({*names}) == len(names)
    return leaves_of(
        {row["SwitchName"]: (expanded(row.get("Switches", "")), expanded(row.get("Nodes", ""))) for row in rows}
    )


def tree_of_yaml(tree: dict[str, Any]) -> dict[str, list[str]]:
    """Return the switches above each host, from a tree of topology.yaml."""
    return leaves_of(
        {row["switch"]: (expanded(row.get("children", "")), expanded(row.get("nodes", ""))) for row in tree["switches"]}
    )


def check_blocks(sizes: list[int], blocks: dict[str, list[str]]) -> None:
    """Check Slurm's rules: blocks have at least as many hosts as the first size; ratios of sizes are powers of two."""
    hosts = [host for of in blocks.values() for host in of]
    assert len({*hosts}) == len(hosts)
    assert all(len(of) >= sizes[0] for of in blocks.values())
    for small, large in pairwise(sizes):
        times, rest = divmod(large, small)
        assert rest == 0
        assert times > 1
        assert times & (times - 1) == 0


def tree_of_topograph(model: dict[str, Any]) -> dict[str, list[str]]:
    """Return the switches above each host, from a topograph model; topograph's docs/modeling.md states the rules."""
    switches: dict[str, tuple[list[str], list[str]]] = {
        name: ([*(of.get("switches") or ())], []) for name, of in model["switches"].items()
    }
    # A child switch without an entry of its own is a leaf. The blocks below add its hosts.
    for children, _ in [*switches.values()]:
        for child in children:
            switches.setdefault(child, ([], []))
    for block in model["blocks"]:
        assert block["nodes"]
        for nodes in block["nodes"]:
            # Topograph expands one bracket at the end of a name.
            assert re.fullmatch(r"[^\[\],]+|[^\[\],]*\[[0-9,-]+\]", nodes), nodes
            switches[block["switch"]][1].extend(expanded(nodes))
    return leaves_of(switches)
