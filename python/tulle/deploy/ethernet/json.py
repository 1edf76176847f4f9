"""``plan.json``: the plan in one format for all Ethernet targets, for programs that make their own files from it."""

from __future__ import annotations

import json
from importlib.resources import files as package_files
from typing import TYPE_CHECKING, Any

from tulle.deploy.ethernet.gateways import bridged, routed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tulle.deploy.ethernet.gateways import Gateways
    from tulle.deploy.ethernet.plan import EthernetPlan, Host

__all__ = ["plan_text", "schema_text"]

FORMAT = "tulle-ethernet-plan-2"


def schema_text() -> str:
    """Read the JSON schema of ``plan.json``."""
    return (package_files("tulle.deploy.ethernet") / "plan.schema.json").read_text(encoding="utf-8")


def plan_text(
    plan: EthernetPlan, gateways: Callable[[EthernetPlan, Host], Gateways] = routed, spec: str | None = None
) -> Iterator[str]:
    """Write ``plan.json`` in pieces: a line per port, group, host, and layer of a switch.

    The function `gateways` returns the gateways of a host. `spec` is the name of the fabric; None: its spec.
    """
    addressing = plan.addressing
    lossless = None
    if plan.vcs is not None:
        lossless = {"scheme": plan.vcs.spec, "virtual_channels": plan.vcs.num_vcs, "service_levels": plan.vcs.num_sls}
    head: dict[str, Any] = {
        "format": FORMAT,
        "fabric": spec or plan.fabric.spec,
        "routing": plan.spec,
        "version": addressing.version,
        "prefix": str(addressing.base),
        "layers": [addressing.layer_prefix(layer) for layer in range(plan.num_layers)],
        "layer_mask": addressing.layer_mask,
        "lossless": lossless,
        "destinations": [plan.names[switch] for switch in plan.destinations],
    }
    yield "{\n" + "".join(f"  {_line(key)}: {_line(value)},\n" for key, value in head.items())
    yield from _list("prefixes", map(_line, plan.prefixes), "  ")
    yield ",\n"
    has_addresses = gateways is not bridged
    switches = (_switch(plan, switch, has_addresses=has_addresses) for switch in range(len(plan.names)))
    yield from _list("switches", switches, "  ")
    yield ",\n"
    yield from _list("hosts", (_host(plan, host, gateways(plan, host)) for host in plan.hosts), "  ")
    yield "\n}\n"


def _list(key: str, rows: Iterable[str], indent: str) -> Iterator[str]:
    yield f"{indent}{_line(key)}: ["
    before = ""
    for row in rows:
        yield f"{before}\n{indent}  {row}"
        before = ","
    yield f"\n{indent}]" if before else "]"


def _switch(plan: EthernetPlan, switch: int, *, has_addresses: bool) -> str:
    head = {
        "name": plan.names[switch],
        "number": plan.addressing.numbers[switch],
        "router": plan.addressing.router(switch) if has_addresses else None,
    }
    routes = (
        f"[{', '.join('null' if group < 0 else str(group) for group in row)}]" for row in plan.group_of(switch).tolist()
    )
    lists = {"ports": _ports(plan, switch), "groups": _groups(plan, switch), "routes": routes}
    parts = [f"      {_line(key)}: {_line(value)}" for key, value in head.items()]
    parts += ["".join(_list(key, rows, "      ")) for key, rows in lists.items()]
    return "{\n" + ",\n".join(parts) + "\n    }"


def _ports(plan: EthernetPlan, switch: int) -> Iterator[str]:
    for port in plan.ports[switch]:
        row: dict[str, Any] = {"number": port.number, "name": port.name, "mac": port.mac}
        if port.endpoint is None:
            other, there = plan.peer(port)
            row |= {"switch": plan.names[other], "port": there.number}
        else:
            row |= {"host": plan.hosts[port.endpoint].name}
        yield _line(row)


def _groups(plan: EthernetPlan, switch: int) -> Iterator[str]:
    for hops in plan.groups(switch):
        yield _line([{"port": port, "weight": weight} for port, weight in hops])


def _host(plan: EthernetPlan, host: Host, gateways: Gateways) -> str:
    return _line(
        {
            "name": host.name,
            "switch": plan.names[host.switch],
            "port": host.port,
            "mac": host.mac,
            "addresses": host.addresses,
            "gateways": gateways.addresses,
            "gateway_mac": gateways.mac,
        }
    )


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
