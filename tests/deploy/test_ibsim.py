"""Load exported netlists into ibsim and read them with the operator's tools; skipped if a tool is not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from patience import PATIENCE

import tulle
from tulle.cabling import plan_cabling, read_live, read_network, verify_cabling
from tulle.cabling.exports import export

PRELOAD = sorted(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
TOOLS = ("ibsim", "ibnetdiscover", "iblinkinfo")
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))

pytestmark = pytest.mark.skipif(
    not PRELOAD or any(shutil.which(tool, path=PATH) is None for tool in TOOLS),
    reason="needs the Debian packages ibsim-utils, libumad2sim0 and infiniband-diags",
)


def simulated(netlist: Path, folder: Path) -> None:
    """Run every tool on a netlist; write each output to a file that is named after the tool."""
    names = {"PATH": PATH, "IBSIM_SOCKNAME": f"tulle-{os.getpid()}", "SIM_HOST": "H-5f00000000800000"}
    environment = {**os.environ, **names}
    command = ["ibsim", "-s", "-n", "-N", "4096", "-S", "512", "-P", "65536", str(netlist)]
    with (folder / "ibsim.log").open("wb") as log:
        simulator = subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        for _ in range(10 * PATIENCE):
            if b"ready" in (folder / "ibsim.log").read_bytes():
                break
            time.sleep(0.1)
        for tool in TOOLS[1:]:
            seen = subprocess.run(
                [tool],
                env={**environment, "LD_PRELOAD": str(PRELOAD[0])},
                capture_output=True,
                timeout=PATIENCE,
                check=True,
            )
            (folder / tool).write_bytes(seen.stdout)
    finally:
        simulator.kill()
        simulator.wait()


def test_slim_fly_comes_back(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=5", links=["all:rate=56Gbps"])
    (netlist,) = fabric.write(tmp_path / "sf.ibnet")
    simulated(netlist, tmp_path)
    imported = read_network("ibnetdiscover", [tmp_path / "ibnetdiscover"])
    written = tulle.Fabric(f"file:edges={netlist}")
    assert imported.warnings == ()
    for column in ("channels", "endpoint_switch", "link_rate", "endpoint_rate"):
        assert np.array_equal(getattr(imported.fabric, column), getattr(fabric, column)), column
    assert imported.fabric.labels == fabric.labels
    assert imported.fabric.properties == written.properties
    ends = {
        (port.device, port.port, port.neighbour, port.neighbour_port)
        for port in read_live("ibnetdiscover", [tmp_path / "ibnetdiscover"])
    }
    linked = {
        (port.device, port.port, port.neighbour, port.neighbour_port)
        for port in read_live("iblinkinfo", [tmp_path / "iblinkinfo"])
        if port.neighbour is not None
    }
    assert ends == linked
    assert len(ends) == 2 * (175 + 200)


def test_plan_is_verified_by_what_the_tools_see(tmp_path: Path) -> None:
    """Verify a plan in two subnets: one as planned, one with two swapped plugs and a missing cable."""
    plan = plan_cabling(tulle.place(tulle.Fabric("slimfly:q=5", links=["all:rate=56Gbps"])))
    one, two, gone = (row for row, cable in enumerate(plan.cables) if cable.step == 3 and row % 30 == 0)
    (a, b), (c, d) = plan.cables[one].ends, plan.cables[two].ends
    cables = [*plan.cables]
    cables[one], cables[two] = replace(cables[one], ends=(a, d)), replace(cables[two], ends=(c, b))
    del cables[gone]
    for wired, faults in (
        (plan, {"ibnetdiscover": [], "iblinkinfo": []}),
        (
            replace(plan, cables=tuple(cables)),
            {
                "ibnetdiscover": [("missing", (gone,)), ("swap", (one, two))],
                "iblinkinfo": [("down", (gone,)), ("swap", (one, two))],
            },
        ),
    ):
        (text,) = export(wired, "ibnetdiscover").values()
        netlist = tmp_path / "plan.ibnet"
        netlist.write_text(text)
        simulated(netlist, tmp_path)
        for tool, expected in faults.items():
            verdict = verify_cabling(plan, read_live(tool, [tmp_path / tool]), tool=tool)
            assert sorted((fault.kind, fault.cables) for fault in verdict.miswirings) == expected
