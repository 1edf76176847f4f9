"""Check port counters, which reveal bad cables and paths that lead nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tulle.deploy.infiniband.verify.difference import Check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tulle.deploy.infiniband.intent import Intent
    from tulle.deploy.infiniband.verify.difference import Verdict
    from tulle.deploy.read.counters import Counters

# The remedy for each counter that is above 0.
_HOW = {
    "SymbolErrorCounter": "clean or replace its cable",
    "LinkErrorRecoveryCounter": "clean or replace its cable",
    "LinkDownedCounter": "seat or replace its cable",
    "PortRcvErrors": "clean or replace its cable",
    "LocalLinkIntegrityErrors": "clean or replace its cable",
    "ExcessiveBufferOverrunErrors": "clean or replace its cable",
    "PortRcvSwitchRelayErrors": "compare the forwarding tables: it received packets that it cannot forward",
    "PortXmitDiscards": "look for a stalled port: packets waited too long and were dropped",
    "VL15Dropped": "limit the number of management packets in flight (max_wire_smps)",
}


def check_counters(verdict: Verdict, intent: Intent, read: Sequence[Counters]) -> None:
    """Report the ports with errors."""
    good = 0
    for row in read:
        bad = {name: row.counts[name] for name in _HOW if row.counts.get(name)}
        good += not bad
        if bad:
            name = max(bad, key=lambda name: bad[name])
            errors = ", ".join(f"{count} {counter}" for counter, count in bad.items())
            verdict.add("errors", f"{_port(intent, row)} has errors, {errors}: {_HOW[name]}", sum(bad.values()))
    verdict.checks.append(Check("ports without errors", good, len(read)))


def _port(intent: Intent, row: Counters) -> str:
    switch = intent.switch_of.get(row.guid, -1)
    endpoint = intent.adapter_of.get((row.guid, row.port), -1)
    if row.lid and row.lid <= intent.top:
        endpoint = int(intent.lid_endpoint[row.lid])
        switch = int(intent.lid_switch[row.lid]) if endpoint < 0 else -1
    if switch >= 0:
        port = intent.port_name(switch, row.port) if row.port < intent.num_ports else str(row.port)
        return f"switch {intent.switch_name(switch)} port {port}"
    if endpoint >= 0:
        return f"host {intent.endpoint_name(endpoint)}"
    return f"LID {row.lid} port {row.port}" if row.lid else f"0x{row.guid:016x} port {row.port}"
