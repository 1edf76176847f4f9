"""Packet trimming in SONiC's configuration: full queues shorten packets to a fixed size instead of dropping them.

FatPaths' and NDP's transports need such switches (FatPaths §III-C). The tables follow SONiC's design document of packet
trimming with one DSCP for all trimmed packets ("symmetric DSCP") and a fixed queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["tables"]

Table = dict[str, dict[str, Any]]

_NAME = "TULLE_TRIM"
_DSCP, _QUEUE, _DATA = 48, 6, 0
"""Trimmed packets have the DSCP 48 (CS6) and the queue 6, as in SONiC's examples; all others have the queue 0."""


def tables(ports: Iterable[str], size: int) -> dict[str, Table]:
    """Make the tables of a switch with these ports, for trimmed packets of `size` bytes.

    The queue of trimmed packets has strict priority: "routers can prioritize (1) headers of packets that lost payload"
    (FatPaths §III-C). The next switch classifies these packets by their DSCP.
    """
    made: dict[str, Table] = {
        "SWITCH_TRIMMING": {"GLOBAL": {"size": str(size), "dscp_value": str(_DSCP), "queue_index": str(_QUEUE)}},
        "BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "dynamic"}},
        "BUFFER_PROFILE": {
            _NAME: {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "3", "packet_discard_action": "trim"}
        },
        "BUFFER_QUEUE": {},
        "SCHEDULER": {_NAME: {"type": "STRICT"}},
        "QUEUE": {},
        "DSCP_TO_TC_MAP": {_NAME: {str(dscp): str(_QUEUE if dscp == _DSCP else _DATA) for dscp in range(64)}},
        "TC_TO_QUEUE_MAP": {_NAME: {str(number): str(number) for number in range(8)}},
        "PORT_QOS_MAP": {},
    }
    for port in ports:
        made["BUFFER_QUEUE"][f"{port}|{_DATA}"] = {"profile": _NAME}
        made["QUEUE"][f"{port}|{_QUEUE}"] = {"scheduler": _NAME}
        made["PORT_QOS_MAP"][port] = {"dscp_to_tc_map": _NAME, "tc_to_queue_map": _NAME}
    return made
