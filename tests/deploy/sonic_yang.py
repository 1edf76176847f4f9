"""Check ``config_db.json`` with yanglint against SONiC's YANG models.

The environment variable TULLE_SONIC_YANG names the folder of the models (sonic-buildimage, src/sonic-yang-models).
"""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any

from patience import PATIENCE
from sandbox import PATH

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# For each table: its YANG module, and the YANG list of its rows with the names of the list's keys. A row's key has one
# or more parts separated by "|"; the number of parts selects the list.
_TABLES: dict[str, tuple[str, dict[int, tuple[str, list[str]]]]] = {
    "PORT": ("sonic-port", {1: ("PORT_LIST", ["name"])}),
    "BREAKOUT_CFG": ("sonic-breakout_cfg", {1: ("BREAKOUT_CFG_LIST", ["port"])}),
    "DEVICE_NEIGHBOR": ("sonic-device_neighbor", {1: ("DEVICE_NEIGHBOR_LIST", ["peer_name"])}),
    "DEVICE_NEIGHBOR_METADATA": (
        "sonic-device_neighbor_metadata",
        {1: ("DEVICE_NEIGHBOR_METADATA_LIST", ["name"])},
    ),
    "INTERFACE": (
        "sonic-interface",
        {1: ("INTERFACE_LIST", ["name"]), 2: ("INTERFACE_IPPREFIX_LIST", ["name", "ip-prefix"])},
    ),
    "LOOPBACK_INTERFACE": (
        "sonic-loopback-interface",
        {1: ("LOOPBACK_INTERFACE_LIST", ["name"]), 2: ("LOOPBACK_INTERFACE_IPPREFIX_LIST", ["name", "ip-prefix"])},
    ),
    "VLAN": ("sonic-vlan", {1: ("VLAN_LIST", ["name"])}),
    "VLAN_MEMBER": ("sonic-vlan", {2: ("VLAN_MEMBER_LIST", ["name", "port"])}),
    "VLAN_INTERFACE": (
        "sonic-vlan",
        {1: ("VLAN_INTERFACE_LIST", ["name"]), 2: ("VLAN_INTERFACE_IPPREFIX_LIST", ["name", "ip-prefix"])},
    ),
    "VLAN_SUB_INTERFACE": (
        "sonic-vlan-sub-interface",
        {1: ("VLAN_SUB_INTERFACE_LIST", ["name"]), 2: ("VLAN_SUB_INTERFACE_IPPREFIX_LIST", ["name", "ip-prefix"])},
    ),
    "VRF": ("sonic-vrf", {1: ("VRF_LIST", ["name"])}),
    "STATIC_ROUTE": (
        "sonic-static-route",
        {1: ("STATIC_ROUTE_TEMPLATE_LIST", ["prefix"]), 2: ("STATIC_ROUTE_LIST", ["vrf_name", "prefix"])},
    ),
    "BUFFER_POOL": ("sonic-buffer-pool", {1: ("BUFFER_POOL_LIST", ["name"])}),
    "BUFFER_PROFILE": ("sonic-buffer-profile", {1: ("BUFFER_PROFILE_LIST", ["name"])}),
    "BUFFER_PG": ("sonic-buffer-pg", {2: ("BUFFER_PG_LIST", ["port", "pg_num"])}),
    "BUFFER_QUEUE": ("sonic-buffer-queue", {2: ("BUFFER_QUEUE_LIST", ["port", "qindex"])}),
    "SCHEDULER": ("sonic-scheduler", {1: ("SCHEDULER_LIST", ["name"])}),
    "QUEUE": ("sonic-queue", {2: ("QUEUE_LIST", ["ifname", "qindex"])}),
    "PORT_QOS_MAP": ("sonic-port-qos-map", {1: ("PORT_QOS_MAP_LIST", ["ifname"])}),
    "SRV6_MY_LOCATORS": ("sonic-srv6", {1: ("SRV6_MY_LOCATORS_LIST", ["locator_name"])}),
    "SRV6_MY_SIDS": ("sonic-srv6", {2: ("SRV6_MY_SIDS_LIST", ["locator", "ip_prefix"])}),
}
# The rows of these tables have fixed names. For each table: its YANG module.
_CONTAINERS = {"DEVICE_METADATA": "sonic-device_metadata", "SWITCH_TRIMMING": "sonic-trimming"}
# For each mapping table: its YANG module, and the YANG names of a mapping's key and value.
_MAPS = {
    "DSCP_TO_TC_MAP": ("sonic-dscp-tc-map", "dscp", "tc"),
    "TC_TO_PRIORITY_GROUP_MAP": ("sonic-tc-priority-group-map", "tc", "pg"),
    "TC_TO_QUEUE_MAP": ("sonic-tc-queue-map", "tc", "qindex"),
    "TC_TO_DSCP_MAP": ("sonic-tc-dscp-map", "tc", "dscp"),
    "MAP_PFC_PRIORITY_TO_QUEUE": ("sonic-pfc-priority-queue-map", "pfc_priority", "qindex"),
    "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": ("sonic-pfc-priority-priority-group-map", "pfc_priority", "pg"),
    "CABLE_LENGTH": ("sonic-cable-length", "port", "length"),
}
# These YANG leaves are integers of at most 32 bits. YANG's JSON encoding writes them without quotes (RFC 7951 §6.1).
_NUMBERS = {
    "speed",
    "index",
    "subport",
    "mtu",
    "vlanid",
    "vlan",
    "tc",
    "dynamic_th",
    "block_len",
    "node_len",
    "func_len",
    "arg_len",
}


def as_yang(tables: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """Return a configuration in YANG's JSON encoding."""
    found: dict[str, Any] = {}
    for table, rows in tables.items():
        inside: dict[str, Any]
        if table in _CONTAINERS:
            module = _CONTAINERS[table]
            # In the table of trimming, `size` has 32 bits. In other tables it has 64 bits, so it stays a text.
            numbers = {"size", "dscp_value", "queue_index"} if table == "SWITCH_TRIMMING" else _NUMBERS
            inside = {key: _row(row, numbers) for key, row in rows.items()}
        elif table in _MAPS:
            module, one, other = _MAPS[table]
            inside = {
                f"{table}_LIST": [
                    {"name": name, table: [_row({one: key, other: value}) for key, value in row.items()]}
                    for name, row in rows.items()
                ]
            }
        else:
            module, lists = _TABLES[table]
            inside = {}
            for key, row in rows.items():
                parts = key.split("|")
                name, keys = lists[len(parts)]
                inside.setdefault(name, []).append(_row({**dict(zip(keys, parts, strict=True)), **row}))
        found.setdefault(f"{module}:{module}", {})[table] = inside
    return found


def _row(row: Mapping[str, Any], numbers: set[str] = _NUMBERS) -> dict[str, Any]:
    return {leaf: int(value) if leaf in numbers else value for leaf, value in row.items()}


def prepare(models: Path, folder: Path) -> Path:
    """Write the models as YANG files; expand templates to the variant that SONiC's Python code uses."""
    folder.mkdir()
    for path in (models / "yang-models").glob("*.yang"):
        (folder / path.name).write_text(path.read_text())
    for path in (models / "yang-templates").glob("*.yang.j2"):
        text = re.sub(r"{% if [^%]*%}.*?{% else %}(.*?){% endif %}", r"\1", path.read_text(), flags=re.DOTALL)
        (folder / path.name.removesuffix(".j2")).write_text(text)
    return folder


def faults(tables: Mapping[str, Mapping[str, Mapping[str, Any]]], models: Path, folder: Path) -> str:
    """Return the errors that yanglint finds in a configuration; an empty string if it finds none."""
    data = as_yang(tables)
    path = folder / "data.json"
    path.write_text(json.dumps(data))
    # yanglint reads all modules together, because conditions in one module name tables of another.
    modules = sorted(str(module) for module in models.glob("*.yang"))
    done = subprocess.run(
        ["yanglint", "-p", str(models), "-t", "config", "-f", "json", *modules, str(path)],
        env={"PATH": PATH},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    wrong = [line for line in done.stderr.splitlines() if line.startswith(("libyang err", "YANGLINT[E]"))]
    return "\n".join(wrong) or (f"yanglint ended with {done.returncode}" if done.returncode else "")
