"""Networks for tests of `tulle deploy watch`: bundles, and the output of live commands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import preloaded

import tulle
from tulle.deploy.ethernet.bundle import read_bundle as read_ethernet
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.write import write_bundle
from tulle.deploy.targets.linux import write_plan

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.infiniband.bundle import Bundle

Json = dict[str, Any]

PER_SWITCH = "cat links/{switch}.json"
"""The live command that reads the files of `ethernet`."""


def subnet(folder: Path) -> Bundle:
    """Write an InfiniBand bundle, and the output of ibnetdiscover without and with failures, into a folder."""
    routing = tulle.route("slimfly:q=5", "almost-minimal:layers=4")
    write_bundle(deploy_infiniband(routing.assign_vcs("colouring")), folder / "bundle")
    made = read_bundle(folder / "bundle")
    fabric = made.fabric
    fabric.write(folder / "good", "ibnetdiscover")
    fabric.with_failures(f"links=ids:{fabric.cables[7]}").write(folder / "cable", "ibnetdiscover")
    fabric.with_failures("switches=ids:3").write(folder / "switch", "ibnetdiscover")
    fabric.with_failures("switches=ids:3+4").write(folder / "switches", "ibnetdiscover")
    (folder / "half").write_bytes((folder / "good").read_bytes()[:20_000])
    return made


def ethernet(folder: Path) -> EthernetPlan:
    """Write an Ethernet bundle, and the folder ``links`` with the output of all switches, which are all up."""
    write_plan(plan_of(tulle.route("slimfly:q=3", "spread:layers=2")), folder / "bundle")
    made = read_ethernet(folder / "bundle").plan
    (folder / "links").mkdir()
    for switch in range(len(made.names)):
        write_links(folder, made, switch)
    return made


def run(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return preloaded.run("deploy", *arguments, cwd=cwd, **environment)


def lines(done: subprocess.CompletedProcess[str]) -> list[Json]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def steps(folder: Path, commands: list[str]) -> str:
    """Return a live command that runs the next of the given commands at each call."""
    script = "n=$(cat step); echo $((n + 1)) > step\ncase $n in\n"
    script += "".join(f"{number}) {command};;\n" for number, command in enumerate(commands))
    (folder / "live.sh").write_text(f"{script}esac\n")
    (folder / "step").write_text("0")
    return "sh live.sh"


def content(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return the content and the modification time of each file."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


def kinds(rows: list[Json]) -> set[tuple[str, str]]:
    return {(row["kind"], row["part"]) for row in rows}


def links(plan: EthernetPlan, switch: int, down: tuple[str, ...] = ()) -> str:
    """Return the output of ``ip -json link`` on a switch."""
    rows: list[Json] = [{"ifname": "lo", "flags": ["LOOPBACK", "UP", "LOWER_UP"], "operstate": "UNKNOWN"}]
    for port in plan.ports[switch]:
        is_down = port.name in down
        flags = ["UP"] if is_down else ["UP", "LOWER_UP"]
        rows.append({"ifname": port.name, "flags": flags, "operstate": "DOWN" if is_down else "UP"})
    return json.dumps(rows)


def write_links(folder: Path, plan: EthernetPlan, switch: int, *down: str) -> None:
    (folder / "links" / f"{plan.names[switch]}.json").write_text(links(plan, switch, down))


def take_down(folder: Path, plan: EthernetPlan, channel: int) -> str:
    """Take both ends of a cable down; return its name."""
    port = plan.channel_ports[channel]
    other, there = plan.peer(port)
    switch, _ = plan.peer(there)
    write_links(folder, plan, switch, port.name)
    write_links(folder, plan, other, there.name)
    return f"{plan.names[switch]}/{port.name}:{plan.names[other]}/{there.name}"


def neighbours(plan: EthernetPlan, switch: int, swapped: tuple[str, str] = ("", ""), speed: str = "") -> str:
    """Return the output of ``lldpctl -f json0`` on a switch, with the plugs of two ports swapped.

    `speed` is the speed that all neighbours announce, for example ``10GbaseT``.
    """
    turn = {swapped[0]: swapped[1], swapped[1]: swapped[0]}
    by_name = {port.name: port for port in plan.ports[switch]}
    rows = []
    for port in plan.ports[switch]:
        if port.channel is None:
            continue
        other, there = plan.peer(by_name[turn.get(port.name, port.name)])
        chassis = {"id": [{"type": "mac", "value": "02:00:00:00:00:01"}], "name": [{"value": plan.names[other]}]}
        far: dict[str, Any] = {"id": [{"type": "ifname", "value": there.name}]}
        far |= {"auto-negotiation": [{"current": [{"value": speed}]}]} if speed else {}
        rows.append({"name": port.name, "chassis": [chassis], "port": [far]})
    return json.dumps({"lldp": [{"interface": rows}]})
