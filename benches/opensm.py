"""Compare processor times: OpenSM routes a simulated InfiniBand subnet, and tulle writes a bundle for it.

python benches/opensm.py [SPEC …]          default: slimfly:q=5 and slimfly:q=7; q=11 takes minutes

The script needs Debian's packages opensm, ibsim-utils and libumad2sim0. OpenSM's time covers the whole process until
the subnet is up, including discovery and the loading of tables. tulle's time covers the whole command, including the
start of Python, the proof of deadlock freedom and the writing of files.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "deploy"))
from subnet import Subnet

import tulle

LMC = 2


def of_opensm(netlist: Path, folder: Path, engine: str) -> float:
    """Return the processor seconds of OpenSM until the subnet is up."""
    with Subnet(netlist, folder) as subnet:
        subnet.opensm("-R", f"{engine},no_fallback", "-l", str(LMC), "-s", "0", timeout=900)
        fields = Path(f"/proc/{subnet.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def of_ours(spec: str, folder: Path, deadlock: str) -> tuple[float, int]:
    """Return the processor seconds of tulle's command and the number of table entries that it writes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "tulle", "deploy", "infiniband", spec, "almost-minimal:layers=4", "--json"]
    more = ["--lmc", str(LMC), "--deadlock", deadlock, "-o", str(folder)]
    said = json.loads(subprocess.run([*command, *more], check=True, capture_output=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    entries = said["switches"] * (said["switches"] + said["endpoints"] * 2**LMC)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, entries


def main(specs: list[str]) -> None:
    """Print the times of two OpenSM engines and of two deadlock schemes of tulle for each fabric."""
    for spec in specs:
        with TemporaryDirectory() as name:
            place = Path(name)
            (netlist,) = tulle.Fabric(spec, links=["all:rate=56Gbps"]).write(place / "net.ibnet")
            theirs = {engine: of_opensm(netlist, place / engine, engine) for engine in ("minhop", "dfsssp")}
            ours = {scheme: of_ours(spec, place / f"ours-{scheme}", scheme) for scheme in ("colouring", "dfsssp")}
        for engine, seconds in theirs.items():
            print(f"{spec}  OpenSM, {engine:9}  {seconds:8.2f} s", flush=True)
        for scheme, (seconds, entries) in ours.items():
            print(f"{spec}  tulle, {scheme:10}  {seconds:8.2f} s  {entries} entries", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or ["slimfly:q=5", "slimfly:q=7"])
