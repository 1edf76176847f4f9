"""Labels of Kubernetes nodes: the switch and the groups of every host."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tulle.cabling.source import shown
from tulle.declarations import Option
from tulle.errors import InputError
from tulle.schedulers.formats.text import header, quoted
from tulle.schedulers.model import Described, Scheduler

if TYPE_CHECKING:
    from tulle.schedulers.tree import NetworkTree

# The label keys of topograph 1.0, one per tier, and the three label keys of earlier versions.
_TOPOGRAPH = "topograph"
_NVIDIA = tuple(f"network.topology.nvidia.com/{tier}" for tier in ("leaf", "spine", "core"))
# The syntax of label keys in Kubernetes: an optional DNS subdomain, and a name of at most 63 characters.
_PART = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_KEY = re.compile(
    rf"(?:(?P<prefix>{_PART}(?:\.{_PART})*)/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{{0,61}}[A-Za-z0-9])?", re.ASCII
)
_NODE = re.compile(rf"{_PART}(?:\.{_PART})*", re.ASCII)
_LEGAL = (
    "topograph, nvidia, or label keys such as example.com/rack, separated by commas; the first is for the tier nearest "
    "to hosts"
)


def read_keys(text: str) -> tuple[str, ...]:
    """Return the label keys, first that of the tier nearest to hosts; empty for the keys of topograph 1.0.

    Raises
    ------
    tulle.InputError
        For a key that Kubernetes does not accept, that has no prefix, or that is listed twice.
    """
    if text == _TOPOGRAPH:
        return ()
    if text == "nvidia":
        return _NVIDIA
    keys = tuple(text.split(","))
    for key in keys:
        match = _KEY.fullmatch(key)
        if match is None or len(match["prefix"] or "") > 253 or "/" not in key:
            raise InputError(f"--keys: {shown(key)} is not a label key with a prefix; legal: {_LEGAL}")
        if keys.count(key) > 1:
            raise InputError(f"--keys lists {key} twice; legal: each key once")
    return keys


def files(tree: NetworkTree, *, keys: tuple[str, ...]) -> Described:
    """Return ``nodes.yaml``: a list of nodes with labels, for ``kubectl apply --server-side``."""
    rows = []
    for leaf in tree.leaves:
        values = (leaf.name, *leaf.groups)
        own = keys or tuple(f"fabric.topograph.run/tier-{tier}" for tier in range(len(values)))
        labels = "".join(f"      {key}: {quoted(value)}\n" for key, value in zip(own, values, strict=False))
        for host in leaf.hosts:
            if not _NODE.fullmatch(host):
                raise InputError(
                    f"Kubernetes does not accept {shown(host)} as the name of a node; "
                    "legal: lower-case letters, digits, '-', '.'"
                )
            rows.append(f"- apiVersion: v1\n  kind: Node\n  metadata:\n    name: {quoted(host)}\n    labels:\n{labels}")
    what = (
        "Check names: kubectl get -f nodes.yaml; apply: kubectl apply --server-side --field-manager=tulle -f nodes.yaml"
    )
    tiers = 1 + len(tree.leaves[0].groups)
    notes = [
        "check names first: `kubectl get -f nodes.yaml` reports nodes that the cluster does not have; "
        "`kubectl apply` would create them"
    ]
    if keys and len(keys) < tiers:
        notes.append(f"only the {len(keys)} tiers nearest to hosts have keys; the tree has {tiers} tiers")
    return Described(
        {"nodes.yaml": f"{header(tree, what)}apiVersion: v1\nkind: List\nitems:\n{''.join(rows)}"}, tuple(notes)
    )


SCHEDULER = Scheduler(
    name="kubernetes",
    summary="labels of Kubernetes nodes, with the keys of NVIDIA topograph or with your own",
    paper="Kubernetes: Labels and Selectors; NVIDIA topograph 1.0: Node Labels and Annotations",
    limitations="Kubernetes has no standard keys for tiers of a network: KEP-4962 was closed without being adopted. "
    "The labels have not been tested on a cluster.",
    examples=("kubernetes", "kubernetes --keys nvidia", "kubernetes --keys example.com/switch,example.com/group"),
    help="Writes labels of Kubernetes nodes: the switch of every host, and the groups that contain the switch.",
    options=(
        Option(
            "keys",
            str,
            f"Keys of the labels: {_LEGAL}.",
            metavar="KEYS",
            default=_TOPOGRAPH,
            legal=_LEGAL,
            read=read_keys,
        ),
    ),
    files=files,
)
