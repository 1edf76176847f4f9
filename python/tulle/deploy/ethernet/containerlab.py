"""containerlab: the whole fabric as a topology of containers; switches run FRR or Linux."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Literal

from tulle._internal.text import counted
from tulle.deploy.ethernet import frr, linux
from tulle.deploy.ethernet.gateways import routed
from tulle.deploy.ethernet.numbering import Numbering
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tulle.deploy.ethernet.plan import EthernetPlan, Host

__all__ = ["FRR_IMAGE", "HOST_IMAGE", "TOPOLOGY", "files", "readme"]

TOPOLOGY = "fabric.clab.yml"
FRR_IMAGE = "quay.io/frrouting/frr:10.2.1"
HOST_IMAGE = "ghcr.io/srl-labs/network-multitool:v0.4.1"
HOST_PORT = "eth1"
"""The interface of hosts toward the fabric. containerlab uses eth0 itself."""
_INSIDE = "/tulle"
"""The folder in a container of a switch where the files of the Linux target are mounted."""
_FRR_FILES = ("frr.conf", "daemons", "vtysh.conf")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,40}")
_MPTCP_ADDRESSES = 8
"""Maximum number of addresses of one peer that MPTCP in Linux stores (MPTCP_PM_ADDR_MAX)."""


def files(
    plan: EthernetPlan,
    *,
    name: str,
    switches: Literal["frr", "linux"] = "frr",
    switch_image: str | None = None,
    host_image: str | None = None,
) -> Iterator[tuple[str, str]]:
    """The topology file and the files of its switches.

    Raises
    ------
    tulle.InputError
        For a name that containers cannot have, or a plan that the files of switches cannot express.
    """
    if not _NAME.fullmatch(name):
        raise InputError(
            f"--name {name} is not a name of a lab; legal: at most 41 letters, digits, '-' and '_', the first a letter "
            "or digit, for example slimfly"
        )
    yield from frr.files(plan, Numbering.of(plan)) if switches == "frr" else linux.files(plan)
    image = switch_image or (FRR_IMAGE if switches == "frr" else HOST_IMAGE)
    yield TOPOLOGY, topology(plan, name, switches, image, host_image or HOST_IMAGE)


def topology(plan: EthernetPlan, name: str, switches: Literal["frr", "linux"], image: str, host_image: str) -> str:
    """The topology in YAML."""
    lines = [f"name: {_text(name)}", "topology:", "  groups:"]
    lines += _group("switch", image, _sysctls(plan, forwards=True))
    lines += _group("host", host_image, _sysctls(plan, forwards=False))
    lines.append("  nodes:")
    for switch in plan.names:
        lines += [f"    {switch}:", "      group: switch"]
        if switches == "frr":
            lines += _list("binds", [f"switches/{switch}/{file}:/etc/frr/{file}" for file in _FRR_FILES])
        else:
            lines += _list("binds", [f"switches/{switch}:{_INSIDE}"])
            lines += _list("exec", [f"sh {_INSIDE}/up"])
    for host in plan.hosts:
        lines += [f"    {host.name}:", "      group: host", *_list("exec", _host(plan, host, switches))]
    lines.append("  links:")
    for channel, port in enumerate(plan.channel_ports):
        other, far = plan.peer(port)
        if far.channel is not None and far.channel > channel:
            own = int(plan.fabric.channels[channel, 0])
            lines.append(_link(f"{plan.names[own]}:{port.name}", f"{plan.names[other]}:{far.name}"))
    for host in plan.hosts:
        there = plan.by_number[host.switch][host.port]
        lines.append(_link(f"{plan.names[host.switch]}:{there.name}", f"{host.name}:{HOST_PORT}"))
    return "\n".join([*lines, ""])


def _group(name: str, image: str, sysctls: Mapping[str, str]) -> list[str]:
    return [
        f"    {name}:",
        "      kind: linux",
        f"      image: {_text(image)}",
        "      network-mode: none",
        "      sysctls:",
        *(f"        {key}: {_text(value)}" for key, value in sysctls.items()),
    ]


def _sysctls(plan: EthernetPlan, *, forwards: bool) -> dict[str, str]:
    if plan.addressing.version == 6:
        more = {"net.ipv6.conf.all.forwarding": "1", "net.ipv6.fib_multipath_hash_policy": "1"}
        return {"net.ipv6.conf.all.disable_ipv6": "0", **(more if forwards else {})}
    more = {"net.ipv4.ip_forward": "1", "net.ipv4.fib_multipath_hash_policy": "1"}
    return {"net.ipv4.conf.all.rp_filter": "0", "net.ipv4.conf.default.rp_filter": "0", **(more if forwards else {})}


def _host(plan: EthernetPlan, host: Host, switches: str) -> list[str]:
    """The commands for addresses, for a route per layer with that layer's source address, and for MPTCP."""
    addressing = plan.addressing
    gateways, length = routed(plan, host), addressing.host_length
    ip = "ip -6" if addressing.version == 6 else "ip"
    commands = [f"ip link set {HOST_PORT} address {host.mac}", f"ip link set {HOST_PORT} up"]
    if switches == "linux":
        way = f"{gateways.addresses[0]} lladdr {gateways.mac}"
        commands.append(f"{ip} neighbour replace {way} dev {HOST_PORT} nud permanent")
    nodad = " nodad" if addressing.version == 6 else ""
    for layer, (address, gateway) in enumerate(zip(host.addresses, gateways.addresses, strict=True)):
        commands.append(f"{ip} address replace {address}/{length} dev {HOST_PORT}{nodad}")
        way = f"via {gateway} dev {HOST_PORT} onlink src {address}"
        commands.append(f"{ip} route replace {addressing.layer_prefix(layer)} {way}")
    others = host.addresses[1 : 1 + _MPTCP_ADDRESSES]
    if others:
        commands.append(f"ip mptcp limits set subflows {_MPTCP_ADDRESSES} add_addr_accepted {_MPTCP_ADDRESSES}")
    commands += [f"ip mptcp endpoint add {address} dev {HOST_PORT} signal" for address in others]
    return commands


def _link(one: str, other: str) -> str:
    return f"    - endpoints: [{_text(one)}, {_text(other)}]"


def _list(name: str, rows: Sequence[str]) -> list[str]:
    return [f"      {name}:", *(f"        - {_text(row)}" for row in rows)]


def _text(value: str) -> str:
    """Quote a YAML string. JSON strings are valid YAML."""
    return json.dumps(value)


def readme(plan: EthernetPlan, name: str, switches: str) -> str:
    """The text of ``README.md``."""
    fabric = plan.fabric
    return f"""# {fabric.spec}: {plan.routing.spec} in containerlab

`{TOPOLOGY}`: {counted(fabric.num_switches, "switch", "switches")} that run \
{"FRR" if switches == "frr" else "Linux"}, {counted(fabric.num_endpoints, "host")},
{counted(fabric.num_cables, "cable")} between switches, {counted(plan.num_layers, "layer")}.

    containerlab deploy --topo {TOPOLOGY}
    docker exec clab-{name}-{plan.hosts[0].name if plan.hosts else plan.names[0]} ping -c 1 \
{plan.hosts[-1].addresses[-1] if plan.hosts else plan.addressing.router(0)}
    containerlab destroy --topo {TOPOLOGY} --cleanup

Nodes have no management network (`network-mode: none`): use `docker exec` to enter them. Run containerlab in this
folder, because the binds are relative to it. Images are named once, under `groups`; the options `--switch-image` and
`--host-image` of `tulle deploy containerlab` select others. Before these files were written, every path was followed
through the entries. `ports.csv` has the interface of every port, and `plan.json` the whole plan, for other programs.
"""
