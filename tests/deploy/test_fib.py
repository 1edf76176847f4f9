"""Load batch files of bundles into the kernel, in separate namespaces, and read the kernel's tables back."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from patience import PATIENCE

import tulle
from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.ethernet.failures import Failures
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.ethernet.repair import repair, write_repair
from tulle.deploy.ethernet.verify import verify
from tulle.deploy.targets.linux import write_plan

if TYPE_CHECKING:
    from pathlib import Path

PATH = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/sbin"))
# Ports need no cables, because the tests read only the tables.
LOAD = """
cd "$0"
{
    echo link set lo up
    while read -r port mac; do
        echo "link add $port address $mac type veth peer name p$port"
        echo "link set $port up"
        echo "link set p$port up"
    done < links
    cat addresses.batch neighbours.batch routes.batch
} | ip -batch -
"""


def missing() -> str:
    """Return one line that names missing packages or permissions; an empty string if nothing is missing."""
    if any(shutil.which(tool, path=PATH) is None for tool in ("ip", "unshare")):
        return "needs the Debian packages iproute2 and util-linux"
    command = ["unshare", "--net", "ip", "link", "add", "eth1", "type", "veth", "peer", "name", "peth1"]
    done = subprocess.run(command, env={**os.environ, "PATH": PATH}, capture_output=True, check=False)
    return "needs network namespaces with veth: run as root" if done.returncode else ""


pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


def inside(script: str, folder: Path) -> str:
    command = ["unshare", "--net", "--mount", "sh", "-ec", f"mount -t tmpfs none /run\n{LOAD}\n{script}", str(folder)]
    done = subprocess.run(
        command, env={**os.environ, "PATH": PATH}, capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("spec", "routing", "entries", "ipv6"),
    [
        ("slimfly:q=5", "almost-minimal:layers=4", 9_800, True),
        ("dragonfly:p=2", "random:layers=4,rho=0.7", 5_040, False),
        ("jellyfish:switches=40,degree=5,p=2", "spread-groups:layers=3", 4_680, True),
    ],
)
def test_kernel_tables_are_as_planned(tmp_path: Path, spec: str, routing: str, entries: int, ipv6: bool) -> None:
    bundle, tables = tmp_path / "bundle", tmp_path / "tables"
    plan = plan_of(tulle.route(spec, routing), ipv6=ipv6)
    write_plan(plan, bundle)
    tables.mkdir()
    family = "-6" if ipv6 else "-4"
    for name in plan.names:
        shown = inside(f"ip {family} -json route show table all", bundle / "switches" / name)
        (tables / f"{name}.json").write_text(shown)
    verdict = verify(bundle, fib=[tables])
    assert verdict.agrees, verdict.differences[:3]
    assert verdict.checks[0][1:] == (entries, entries)


@pytest.mark.parametrize("ipv6", [False, True])
def test_changes_of_a_repair_in_the_kernel(tmp_path: Path, ipv6: bool) -> None:
    before, after, tables = (tmp_path / name for name in ("before", "after", "tables"))
    write_plan(plan_of(tulle.route("jellyfish:switches=40,degree=5,p=2", "spread-groups:layers=3"), ipv6=ipv6), before)
    bundle = read_bundle(before)
    repaired = repair(bundle, Failures((4,), (int(bundle.plan.fabric.cables[30]),)))
    assert repaired is not None
    write_repair(repaired, after)
    tables.mkdir()
    for name in repaired.plan.names:
        batches = f"for batch in {after}/changes/*/{name}.batch; do [ ! -e $batch ] || ip -force -batch $batch; done"
        shown = inside(f"{batches}; ip {'-6' if ipv6 else '-4'} -json route show table all", before / "switches" / name)
        (tables / f"{name}.json").write_text(shown)
    verdict = verify(after, fib=[tables])
    assert verdict.agrees, verdict.differences[:3]
    assert len([one for one in verify(before, fib=[tables]).differences if one.kind != "unread"]) > 40
