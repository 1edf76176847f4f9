"""Names of hosts and switches that Slurm, topograph and Kubernetes accept."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from tulle.cabling.identity.nodes import device_name
from tulle.cabling.plan_names import distinct, fabric_ends
from tulle.cabling.plan_names import switch_names as plan_names
from tulle.cabling.source import shown
from tulle.errors import InputError
from tulle.fabric.hosts import host_ends

if TYPE_CHECKING:
    from tulle.fabric import Fabric

LONGEST = 63
"""The maximum length of a name: that of a label value in Kubernetes. Slurm allows 64 characters."""

# Slurm separates names at commas, ranges at brackets, and values at blanks. "#" starts a comment.
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?", re.ASCII)
_ILLEGAL = re.compile(r"[^A-Za-z0-9._-]+", re.ASCII)


def host_names(fabric: Fabric) -> list[str]:
    """Return the host of every endpoint.

    Hosts of an imported network keep their names. An InfiniBand description such as ``n1 mlx5_0`` contains the host
    name n1. Hosts without a name get the names that ``tulle cabling plan`` would give them.

    Raises
    ------
    tulle.InputError
        For a name that Slurm does not accept. tulle does not change names of hosts, because schedulers find hosts by
        them.
    """
    given = [host for host, _ in host_ends(fabric)]
    known = [device_name(host) for host in given if host]
    made = [legal(host) for host, _ in fabric_ends(fabric, plan_names(fabric))]
    # Every endpoint without a name is a host of its own.
    others = iter(distinct((own for own, host in zip(made, given, strict=True) if not host), known))
    names = []
    for host in given:
        name = device_name(host) if host else next(others)
        if not _HOST.fullmatch(name) or len(name) > LONGEST:
            raise InputError(
                f"schedulers do not accept the host name {shown(name)}; legal: 1 to {LONGEST} letters, digits, '.', "
                "'_' and '-', first and last a letter or digit"
            )
        names.append(name)
    return names


def switch_names(fabric: Fabric) -> list[str]:
    """Return a name for every switch. Illegal characters become -, because schedulers do not need the real name."""
    names = [device_name(label) for label in fabric.labels]
    counts = Counter(names)
    # If the descriptions of two switches contain the same name, the whole description becomes the name of each switch.
    full = [label if counts[name] > 1 else name for name, label in zip(names, fabric.labels, strict=True)]
    plan = plan_names(fabric)
    is_own = [label.startswith("(") or label.isdigit() for label in fabric.labels]
    return distinct(legal(own if made else name) for own, name, made in zip(plan, full, is_own, strict=True))


def legal(name: str) -> str:
    """Replace the characters of a name that Slurm or Kubernetes does not accept, and shorten the name."""
    return _ILLEGAL.sub("-", name).strip("-._")[: LONGEST - 4].rstrip("-._") or "switch"
