"""Choice of layers on the host by nftables: per flowlet at random, or per flow by a hash.

Connections use addresses of layer 0. On outgoing packets, nftables replaces the destination by its address in the
flowlet's layer. The receiver restores the address of layer 0 before the socket lookup (FatPaths §V-F).
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tulle.deploy.ethernet.plan import EthernetPlan, Host

FLOWLETS = "tulle-flowlets"
HASH = "tulle-hash"

_SIZE = 65536
"""The number of flows whose layers a host remembers at the same time. Further flows use layer 0."""


def nft_table(name: str, host: Host) -> str:
    """The name of a table. The ports of a server have different tables."""
    return f"{name}-{host.name}" if host.server else name


def flowlets(plan: EthernetPlan, host: Host, gap_ms: int) -> str:
    """Rules that choose a new random layer for a flow when it has been idle for the flowlet gap."""
    remembered = f"""\
	map layers {{
		type mark : mark
		flags dynamic,timeout
		timeout {gap_ms}ms
		size {_SIZE}
	}}
"""
    # A flow is identified by a hash, because IPv6 addresses with ports are longer than the map keys of nft 1.0.6. Flows
    # with equal hashes change layers together, which is harmless. `update` extends the timeout of an existing entry and
    # keeps its layer.
    drawn = [
        f"meta mark set {_hash(plan, 0xFFFFFFFF)}",
        f"update @layers {{ meta mark : numgen random mod {len(host.addresses)} }}",
        "meta mark set meta mark map @layers",
    ]
    return _table(plan, host, FLOWLETS, remembered, drawn)


def static_hash(plan: EthernetPlan, host: Host) -> str:
    """Rules that choose a fixed layer per flow, for comparison with flowlets."""
    return _table(plan, host, HASH, "", [f"meta mark set {_hash(plan, len(host.addresses))}"])


def _hash(plan: EthernetPlan, values: int) -> str:
    ip = family(plan)
    return f"jhash {ip} saddr . {ip} daddr . th sport . th dport mod {values} seed 0x74756c6c"


def _table(plan: EthernetPlan, host: Host, name: str, remembered: str, drawn: list[str]) -> str:
    ip, name = family(plan), nft_table(name, host)
    tagged = f'oifname "{host.interface}" {ip} daddr {plan.addressing.layer_prefix(0)} meta l4proto {{ tcp, udp }}'
    # For each layer, the bits that differ from layer 0. They are all in the layer field, so they are the same for every
    # host.
    first = int(ip_address(host.addresses[0]))
    places = [
        (layer, type(ip_address(address))(first ^ int(ip_address(address))))
        for layer, address in enumerate(host.addresses)
    ][1:]
    sends = [f"{tagged} {rule}" for rule in drawn]
    sends += [f"{tagged} meta mark {layer} {ip} daddr set {ip} daddr ^ {bits}" for layer, bits in places]
    other = ", ".join(host.addresses[1:])
    masked = f'iifname "{host.interface}" {ip} daddr {{ {other} }} {ip} daddr set {host.addresses[0]}'
    rules = "".join(f"\t\t{rule}\n" for rule in sends)
    return f"""\
# Load this file with nft -f; it replaces an earlier version of this table. The rules set the packet marks of outgoing
# packets.
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
    """The nftables family of the plan's IP version."""
    return "ip6" if plan.addressing.version == 6 else "ip"
