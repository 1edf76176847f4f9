"""Layers picked on the host by nftables: per flowlet at random, or per flow by a hash.

Connections are between addresses of layer 0. What leaves gets the destination's address in the layer that its flowlet
is in; where it arrives, that becomes the address of layer 0 again, before a socket is looked for (FatPaths §V-F).
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from tulle.deploy.ethernet.plan import HOST_INTERFACE as INTERFACE

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan, Host

FLOWLETS = "tulle-flowlets"
HASH = "tulle-hash"

_SIZE = 65536
"""Flows that a host remembers at a time; others go by layer 0."""


def flowlets(plan: EthernetPlan, host: Host, gap_ms: int) -> str:
    """A layer drawn anew whenever a flow has been silent for the gap."""
    remembered = f"""\
	map layers {{
		type mark : mark
		flags dynamic,timeout
		timeout {gap_ms}ms
		size {_SIZE}
	}}
"""
    # A flow is known by a hash: the addresses of IPv6 beside ports are more than nft 1.0.6 can look up in a map. Two of
    # one hash change layers together, which does them no harm. A packet of a flowlet that goes on puts its end off; the
    # layer of one that is there stays.
    drawn = [
        f"meta mark set {_hash(plan, 0xFFFFFFFF)}",
        f"update @layers {{ meta mark : numgen random mod {len(host.addresses)} }}",
        "meta mark set meta mark map @layers",
    ]
    return _table(plan, host, FLOWLETS, remembered, drawn)


def static_hash(plan: EthernetPlan, host: Host) -> str:
    """A layer per flow, for good: what flows do where the network has no flowlets."""
    return _table(plan, host, HASH, "", [f"meta mark set {_hash(plan, len(host.addresses))}"])


def _hash(plan: EthernetPlan, values: int) -> str:
    ip = family(plan)
    return f"jhash {ip} saddr . {ip} daddr . th sport . th dport mod {values} seed 0x74756c6c"


def _table(plan: EthernetPlan, host: Host, name: str, remembered: str, drawn: list[str]) -> str:
    ip = family(plan)
    tagged = f'oifname "{INTERFACE}" {ip} daddr {plan.addressing.layer_prefix(0)} meta l4proto {{ tcp, udp }}'
    # The same bits for every host: where the layer stands in an address.
    first = int(ip_address(host.addresses[0]))
    places = [
        (layer, type(ip_address(address))(first ^ int(ip_address(address))))
        for layer, address in enumerate(host.addresses)
    ][1:]
    sends = [f"{tagged} {rule}" for rule in drawn]
    sends += [f"{tagged} meta mark {layer} {ip} daddr set {ip} daddr ^ {bits}" for layer, bits in places]
    other = ", ".join(host.addresses[1:])
    masked = f'iifname "{INTERFACE}" {ip} daddr {{ {other} }} {ip} daddr set {host.addresses[0]}'
    rules = "".join(f"\t\t{rule}\n" for rule in sends)
    return f"""\
# Loaded by nft -f, also where it is there already. Packet marks are used on the way out.
table {ip} {name}
delete table {ip} {name}
table {ip} {name} {{
{remembered}	chain sent {{
		type filter hook output priority mangle; policy accept;
{rules}	}}
	chain received {{
		type filter hook prerouting priority raw; policy accept;
{f"		{masked}{chr(10)}" if other else ""}	}}
}}
"""


def family(plan: EthernetPlan) -> str:
    """The family of tables, which is how nftables calls IP."""
    return "ip6" if plan.addressing.version == 6 else "ip"
