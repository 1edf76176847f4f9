"""``opensm.conf``: the settings of OpenSM for tulle's plug-in, virtual lanes and arbitration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.infiniband.bundle import LFTS, NODE_NAMES, PARTITIONS, ROOT_GUIDS

if TYPE_CHECKING:
    from tulle.deploy.infiniband.generate import Deployment

_MAX_OP_VLS = {1: 1, 2: 2, 4: 3, 8: 4, 15: 5}
"""InfiniBand's code for each number of data VLs (PortInfo, OperationalVLs)."""

_WEIGHT = 64
"""The arbitration weight of every VL, in units of 64 bytes."""

_KINDS = ("qos", "qos_ca", "qos_sw0", "qos_swe", "qos_rtr")
"""OpenSM's prefixes for all nodes, adapters, management ports of switches, other switch ports, and routers."""


def conf(made: Deployment, folder: str) -> str:
    """Return OpenSM's settings as text. The bundle is in `folder` on the subnet manager's machine."""
    weights = ",".join(f"{vl}:{_WEIGHT}" for vl in range(made.hardware_vls))
    lines = [
        "# Written by tulle deploy infiniband. Other settings keep OpenSM's defaults.",
        "",
        "# Forwarding tables, SL-to-VL tables and service levels of paths come from the bundle. With no_fallback,",
        "# OpenSM never replaces them by its own routing.",
        "event_plugin_name tulle_sl2vl",
        f"event_plugin_options {folder}",
        "routing_engine tulle_sl2vl,no_fallback",
        f"lfts_file {folder}/{LFTS}",
        "",
        "# An adapter port has a LID per layer. The LIDs of guid2lid never change.",
        f"lmc {made.lmc}",
        "lmc_esp0 FALSE",
        "honor_guid2lid_file TRUE",
        "reassign_lids FALSE",
        "",
        "# All VLs share the bandwidth. With OpenSM's default, VL 0 could starve the others.",
        f"max_op_vls {_MAX_OP_VLS[made.hardware_vls]}",
        "qos TRUE",
        *(
            f"{kind}_{key} {value}"
            for kind in _KINDS
            for key, value in (
                ("max_vls", made.hardware_vls),
                ("high_limit", 255),
                ("vlarb_high", weights),
                ("vlarb_low", weights),
            )
        ),
        "",
        "# Multicast uses OpenSM's spanning trees and the service level of the partition.",
        f"partition_config_file {folder}/{PARTITIONS}",
        "",
        f"node_name_map_name {folder}/{NODE_NAMES}",
        "# OpenSM's own routing engines use this file, if you go back to one of them.",
        f"root_guid_file {folder}/{ROOT_GUIDS}",
    ]
    return "\n".join(lines) + "\n"
