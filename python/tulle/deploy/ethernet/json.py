"""``plan.json``: the plan for programs that make files of their own of it, of one form for all targets."""

from __future__ import annotations

import json
from importlib.resources import files as package_files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tulle.deploy.ethernet.plan import EthernetPlan

__all__ = ["plan_text", "schema_text"]

FORMAT = "tulle-ethernet-plan-1"


def schema_text() -> str:
    """The JSON schema of `plan_text`."""
    return (package_files("tulle.deploy.ethernet") / "plan.schema.json").read_text(encoding="utf-8")


def plan_text(plan: EthernetPlan) -> str:
    """The file: a line per port, group, route and host."""
    addressing = plan.addressing
    lossless = None
    if plan.vcs is not None:
        lossless = {"scheme": plan.vcs.spec, "virtual_channels": plan.vcs.num_vcs, "service_levels": plan.vcs.num_sls}
    head: dict[str, Any] = {
        "format": FORMAT,
        "fabric": plan.fabric.spec,
        "routing": plan.routing.spec,
        "version": addressing.version,
        "prefix": str(addressing.base),
        "layers": [addressing.layer_prefix(layer) for layer in range(plan.num_layers)],
        "layer_mask": addressing.layer_mask,
        "lossless": lossless,
    }
    lines = [f"  {_line(key)}: {_line(value)}" for key, value in head.items()]
    switches = ",\n".join(_switch(plan, switch) for switch in range(len(plan.names)))
    hosts = ",\n".join(
        "    "
        + _line(
            {
                "name": host.name,
                "switch": plan.names[host.switch],
                "port": host.port,
                "mac": host.mac,
                "gateway": addressing.router(host.switch),
                "gateway_mac": plan.by_number[host.switch][host.port].mac,
                "addresses": host.addresses,
            }
        )
        for host in plan.hosts
    )
    return "{\n" + ",\n".join([*lines, f'  "switches": [\n{switches}\n  ]', f'  "hosts": [\n{hosts}\n  ]']) + "\n}\n"


def _switch(plan: EthernetPlan, switch: int) -> str:
    head = {
        "name": plan.names[switch],
        "number": plan.addressing.numbers[switch],
        "router": plan.addressing.router(switch),
    }
    lists = {"ports": _ports(plan, switch), "groups": _groups(plan, switch), "routes": _routes(plan, switch)}
    parts = [f"      {_line(key)}: {_line(value)}" for key, value in head.items()]
    for key, rows in lists.items():
        inside = ",\n".join(f"        {row}" for row in rows)
        parts.append(f'      "{key}": [\n{inside}\n      ]' if inside else f'      "{key}": []')
    return "    {\n" + ",\n".join(parts) + "\n    }"


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


def _routes(plan: EthernetPlan, switch: int) -> Iterator[str]:
    names = [_line(plan.names[destination]) for destination in plan.destinations]
    for layer, row in enumerate(plan.group_of(switch).tolist()):
        for name, prefix, group in zip(names, plan.prefixes[layer], row, strict=True):
            if group >= 0:
                yield f'{{"prefix": "{prefix}", "layer": {layer}, "destination": {name}, "group": {group}}}'


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
