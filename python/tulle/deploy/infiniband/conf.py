"""``opensm.conf``: OpenSM with our plug-in, its lanes and their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.infiniband.bundle import LFTS, NODE_NAMES, PARTITIONS, ROOT_GUIDS

if TYPE_CHECKING:
    from tulle.deploy.infiniband.generate import Deployment

_MAX_OP_VLS = {1: 1, 2: 2, 4: 3, 8: 4, 15: 5}
"""The code of InfiniBand for a number of data VLs (PortInfo, OperationalVLs)."""

_WEIGHT = 64
"""Units of 64 bytes that a VL may send in its turn; alike for all."""

_KINDS = ("qos", "qos_ca", "qos_sw0", "qos_swe", "qos_rtr")
"""What OpenSM calls all nodes, adapters, management ports of switches, other ports of switches, and routers."""


def conf(made: Deployment, folder: str) -> str:
    """The settings, for a bundle that will lie in `folder` on the machine of the subnet manager."""
    weights = ",".join(f"{vl}:{_WEIGHT}" for vl in range(made.hardware_vls))
    lines = [
        "# Written by tulle deploy infiniband; what is not here stays as OpenSM has it.",
        "",
        "# Forwarding tables, SL-to-VL tables and service levels of paths are those of the bundle, or none.",
        "event_plugin_name tulle_sl2vl",
        f"event_plugin_options {folder}",
        "routing_engine tulle_sl2vl,no_fallback",
        f"lfts_file {folder}/{LFTS}",
        "",
        "# An adapter port has a LID per layer. Those of guid2lid stay whatever else is found.",
        f"lmc {made.lmc}",
        "lmc_esp0 FALSE",
        "honor_guid2lid_file TRUE",
        "reassign_lids FALSE",
        "",
        "# Every VL gets its turn; OpenSM's default would let VL 0 starve all others.",
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
        "# Multicast goes by OpenSM's spanning trees, at the service level of the partition.",
        f"partition_config_file {folder}/{PARTITIONS}",
        "",
        f"node_name_map_name {folder}/{NODE_NAMES}",
        "# For OpenSM's own engines alone, should you go back to one.",
        f"root_guid_file {folder}/{ROOT_GUIDS}",
    ]
    return "\n".join(lines) + "\n"
