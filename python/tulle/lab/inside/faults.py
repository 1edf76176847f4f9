"""Make cables fail, and repair them.

A cable is described by its two interfaces, each with the ``ip`` commands for its routes and neighbour entries. Failed
cables are recorded in a file of the sandbox, so that they can be repaired.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tulle.lab import kernel

_NOTED = Path("/run/tulle-lab-faults.json")
_TABLE = "tulle-silent"


def run(job: dict[str, Any]) -> dict[str, str]:
    """Apply faults and repairs.

    Return the kind of failure (``down``, ``silent``, ``slow``) of all failed cables, by name.
    """
    for name in job["fail"]:
        fail(name, job["cables"][name], job["kind"], job["shaping"])
    for name in list(noted()) if job["heal_all"] else job["heal"]:
        heal(name)
    return {name: row["kind"] for name, row in noted().items()}


def noted() -> dict[str, dict[str, Any]]:
    """The failed cables by name, each with its ``kind`` and ``ends``."""
    return json.loads(_NOTED.read_text()) if _NOTED.exists() else {}


def forget_routes() -> None:
    """Remove the routes over failed cables from the record, because a repair of the bundle has replaced these routes.

    Neighbour entries stay in the record: the kernel has removed them with the link, and a later bundle may use the
    cable again.
    """
    rows = noted()
    for row in rows.values():
        for end in row["ends"]:
            kept = (line for line in end["lines"].splitlines(keepends=True) if not line.startswith("route "))
            end["lines"] = "".join(kept)
    _NOTED.write_text(json.dumps(rows))


def fail(name: str, ends: list[dict[str, Any]], kind: str, shaping: dict[str, str]) -> None:
    """Let a cable fail.

    Kind ``down``: both ends lose their link. Kind ``silent``: the link stays up, but packets are dropped. Kind
    ``slow``: the link stays up at a lower rate. `shaping` has the arguments of ``tc`` for a slow cable (key ``slow``)
    and for a repaired one (key ``whole``).
    """
    known = noted()
    if name in known:
        heal(name)
    for end in ends:
        with kernel.network(end["node"]):
            if kind == "down":
                _tool("ip", "link", "set", "dev", end["interface"], "down")
            elif kind == "slow":
                _shape(end, shaping["slow"])
            else:
                device = f'device "{end["interface"]}"'
                chain = f"chain nothing {{ type filter hook ingress {device} priority 0; policy drop;\n}}"
                _tool("nft", "-f", "-", text=f"table netdev {_table(end)} {{\n{chain}\n}}\n")
    _NOTED.write_text(json.dumps({**noted(), name: {"kind": kind, "ends": ends, "whole": shaping["whole"]}}))


def heal(name: str) -> None:
    """Repair a failed cable. For kind ``down``, restore the routes and neighbour entries that the kernel removed."""
    known = noted()
    if name not in known:
        return
    row = known.pop(name)
    kind, ends = row["kind"], row["ends"]
    for end in ends:
        with kernel.network(end["node"]):
            if kind == "down":
                _tool("ip", "link", "set", "dev", end["interface"], "up")
            elif kind == "slow":
                _shape(end, row["whole"])
            else:
                _tool("nft", "delete", "table", "netdev", _table(end))
    if kind == "down":
        # Restore routes after both ends are up, because the kernel refuses routes over a link whose other end is down.
        for end in ends:
            with kernel.network(end["node"]):
                _tool("ip", "-batch", "-", text=end["lines"])
        kernel.wait_until_links_work((end["node"], end["interface"]) for end in ends)
    _NOTED.write_text(json.dumps(known))


def _shape(end: dict[str, Any], shaping: str) -> None:
    _tool("tc", "qdisc", "replace", "dev", end["interface"], "root", *shaping.split())


def _table(end: dict[str, Any]) -> str:
    return f"{_TABLE}-{end['interface']}"


def _tool(*command: str, text: str = "") -> None:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {' '.join(done.stderr.split())[:300]}")
