"""Check `tulle import --routes`: other commands can read the imported fabric and routing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from route_dumps import TOOLS, Json, written

import tulle
from tulle.cli.command import run
from tulle.deploy.ethernet.plan import plan_of
from tulle.routing.routing import Routing

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tulle.deploy.ethernet.plan import EthernetPlan


def test_import_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that other commands read the fabric and the routing that `tulle import lldp --routes` writes."""
    plan = plan_of(tulle.route("slimfly:q=3", "spread:layers=2"))
    place, files = written(tmp_path / "routes", plan), []
    for switch, name in enumerate(plan.names):
        rows = []
        for port in plan.ports[switch]:
            if port.channel is not None:
                other, there = plan.peer(port)
                chassis = {
                    "id": [{"type": "mac", "value": "02:00:00:00:00:01"}],
                    "name": [{"value": plan.names[other]}],
                }
                far = {"id": [{"type": "ifname", "value": there.name}]}
                rows.append({"name": port.name, "chassis": [chassis], "port": [far]})
        files.append(tmp_path / f"{name}.json")
        files[-1].write_text(json.dumps({"lldp": [{"interface": rows}]}))
    out, saved = tmp_path / "there.json", tmp_path / "there.tulle"
    arguments = ["import", "lldp", *map(str, files), "-o", str(out)]
    assert run([*arguments, "--routes", str(place), "--routing", str(saved), "--json"]) == 0
    done = capsys.readouterr()
    assert json.loads(done.out)["layers"] == 2
    assert "172.16.0.0/24" in done.err
    fabric = tulle.Fabric(f"file:edges={out}")
    assert fabric.labels == tuple(sorted(plan.names)) or set(fabric.labels) == {*plan.names}
    found = Routing.load(saved, fabric)
    order = [fabric.labels.index(name) for name in plan.names]
    channels = fabric.channels[found.next_hop[:, order][:, :, order], 1]
    theirs = plan.fabric.channels[plan.routing.next_hop, 1]
    inside = ~np.eye(len(order), dtype=bool)
    assert (channels[:, inside] == np.array(order)[theirs][:, inside]).all()
    assert run(["route", f"file:edges={out}", f"@{saved}"]) == 0
    capsys.readouterr()
    for more, problem in (
        (["--routes", str(place)], "only one of --routes and --routing is given"),
        (["--lfts", str(place), "--routing", str(saved)], "--lfts with lldp"),
        (["--routes", str(tmp_path / "none"), "--routing", str(saved)], "no such file or folder"),
    ):
        assert run([*arguments, *more]) == 2
        done = capsys.readouterr()
        assert problem in done.err
        assert done.err.count("\n") == 1


def neighbour(plan: EthernetPlan, channel: int) -> Json:
    """Return an entry of SONiC's LLDP_ENTRY_TABLE, with a port's alias as port ID and its name as port description."""
    port = plan.channel_ports[channel]
    other, there = plan.peer(port)
    return {
        "lldp_rem_chassis_id_subtype": "4",
        "lldp_rem_chassis_id": "02:00:00:00:00:01",
        "lldp_rem_port_id_subtype": "7",
        "lldp_rem_port_id": f"etp{there.number}",
        "lldp_rem_port_desc": there.name,
        "lldp_rem_sys_name": plan.names[other],
        "lldp_rem_sys_cap_enabled": "28 00",
    }


def test_a_sonic_dump_has_cables_and_routes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that tulle can import the fabric, its rates and the routing from dumps of APP_DB alone."""
    plan = plan_of(tulle.route("slimfly:q=3", "spread:layers=2"))
    place = tmp_path / "dumps"
    place.mkdir()
    for switch, name in enumerate(plan.names):
        rows = TOOLS["app_db"](plan, switch)
        for port in plan.ports[switch]:
            fields = {"alias": f"etp{port.number}", "speed": "100000", "oper_status": "up"}
            rows[f"PORT_TABLE:{port.name}"] = {"type": "hash", "value": fields}
            if port.channel is not None:
                rows[f"LLDP_ENTRY_TABLE:{port.name}"] = {"type": "hash", "value": neighbour(plan, port.channel)}
        (place / f"{name}.json").write_text(json.dumps(rows))
    out, saved = tmp_path / "there.json", tmp_path / "there.tulle"
    files = [str(path) for path in sorted(place.iterdir())]
    assert run(["import", "lldp", *files, "-o", str(out), "--routes", str(place), "--routing", str(saved)]) == 0
    fabric = tulle.Fabric(f"file:edges={out}")
    assert fabric.num_cables == plan.fabric.num_cables
    order = [fabric.labels.index(name) for name in plan.names]
    assert {rate for rate, *_ in fabric.properties["links"]} == {100_000_000_000}
    assert {*fabric.ports} == {port.name for port in plan.channel_ports}
    found = Routing.load(saved, fabric)
    there = fabric.channels[found.next_hop[:, order][:, :, order], 1]
    meant = np.array(order)[plan.fabric.channels[plan.routing.next_hop, 1]]
    inside = ~np.eye(len(order), dtype=bool)
    assert (there[:, inside] == meant[:, inside]).all()
    capsys.readouterr()
