"""A netlist of ours in ibsim, seen by the tools that operators have; skipped where these are not installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

import tulle
from tulle.cabling import read_network
from tulle.cabling.live import read_live

PRELOAD = sorted(Path("/usr/lib").glob("*/umad2sim/libumad2sim.so"))
TOOLS = ("ibsim", "ibnetdiscover", "iblinkinfo")
PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))

pytestmark = pytest.mark.skipif(
    not PRELOAD or any(shutil.which(tool, path=PATH) is None for tool in TOOLS),
    reason="needs the Debian packages ibsim-utils, libumad2sim0 and infiniband-diags",
)


def test_slim_fly_comes_back(tmp_path: Path) -> None:
    fabric = tulle.Fabric("slimfly:q=5", links=["all:rate=56Gbps"])
    (netlist,) = fabric.write(tmp_path / "sf.ibnet")
    names = {"PATH": PATH, "IBSIM_SOCKNAME": f"tulle-{os.getpid()}", "SIM_HOST": "H-5f00000000800000"}
    environment = {**os.environ, **names}
    command = ["ibsim", "-s", "-n", "-N", "4096", "-S", "512", "-P", "65536", str(netlist)]
    with (tmp_path / "ibsim.log").open("wb") as log:
        simulator = subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        for _ in range(100):
            if b"ready" in (tmp_path / "ibsim.log").read_bytes():
                break
            time.sleep(0.1)
        for tool in TOOLS[1:]:
            seen = subprocess.run(
                [tool], env={**environment, "LD_PRELOAD": str(PRELOAD[0])}, capture_output=True, timeout=60, check=True
            )
            (tmp_path / tool).write_bytes(seen.stdout)
    finally:
        simulator.kill()
        simulator.wait()
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
