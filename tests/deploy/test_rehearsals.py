"""Rehearse double faults: a failure during a repair, a partition, and the death of the subnet manager's switch."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import numpy as np
import preloaded
import pytest
from deadlock_checker import is_acyclic, read_files, read_wiring, union
from subnet import Subnet, missing
from test_infiniband import Deployed, bare, made, start, unlink

from tulle.deploy.infiniband.bundle import read_bundle

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    import networkx as nx
    from deadlock_checker import Files

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


def tulle(*arguments: object) -> subprocess.CompletedProcess[str]:
    return preloaded.run("deploy", *map(str, arguments))


def look(subnet: Subnet, folder: Path) -> tuple[Path, Path]:
    """Write the outputs of ibnetdiscover and dump_fts, and return their paths."""
    live, lfts = folder / "live", folder / "dump"
    live.write_text(subnet.tool("ibnetdiscover"))
    lfts.write_text(subnet.tool("dump_fts"))
    return live, lfts


def load(subnet: Subnet, place: Path) -> None:
    """Signal OpenSM, and wait until it has loaded the current version of the bundle at `place`."""
    before = len(subnet.log)
    subnet.sweep(up=False)
    digest = read_bundle(place).header.files["lfts"][1][:16]
    subnet.wait_log_from(before, f"lfts {digest}")
    subnet.wait_log_from(subnet.log.rindex(f"lfts {digest}"), "rows as planned")


def assert_healed(place: Path, subnet: Subnet, folder: Path) -> None:
    """Check that all remaining pairs of hosts are connected without a credit loop, also according to ibdmchk."""
    verdict = Deployed(read_bundle(place), subnet, folder).verdict(ibdmchk=True)
    assert verdict.differences == []
    checks = {check.what: check for check in verdict.checks}
    assert checks["paths to LIDs walked"].good == checks["paths to LIDs walked"].of > 0
    assert checks["ibdmchk: no credit loop"].good == 1


def load_half(subnet: Subnet, place: Path, seed: int) -> None:
    """Load the tables of version 2 into half of the switches and those of version 1 into the others; kill OpenSM.

    OpenSM's own engine loads them and leaves SL-to-VL rows as they are. The plug-in refuses such tables if packets
    would be discarded.
    """
    texts = [(place / "versions" / version / "lfts").read_text() for version in ("0001", "0002")]
    blocks = [re.split(r"(?=^Unicast lids)", text, flags=re.MULTILINE) for text in texts]
    is_new = np.random.default_rng(seed).random(len(blocks[0])) < 0.5
    path = subnet.folder / "mixed"
    path.write_text("".join(pair[there] for *pair, there in zip(*blocks, is_new.tolist(), strict=True)))
    subnet.opensm("-R", "file,no_fallback", "-U", str(path), "-l", "2", "-s", "0", "-D", "0x43")
    subnet.kill_opensm()


@pytest.mark.parametrize(
    ("seed", "first", "second", "is_safe"),
    [
        # This second repair would be safe if all switches had the tables of the first repair, but only half have them.
        (3, 52, "cable 170", False),
        # These second repairs are safe although only half of the switches have the tables of the first repair.
        (1, 95, "cable 104", True),
        (3, 89, "switch 17", True),
    ],
)
def test_a_second_failure_during_a_repair(
    tmp_path: Path, plugin: Path, seed: int, first: int, second: str, is_safe: bool
) -> None:
    """OpenSM is killed when half of the switches have loaded a repair; then another cable or switch fails."""
    bundle = made(tmp_path / "bundle", "slimfly:q=5,p=1", "almost-minimal:layers=4", "colouring", 2)
    place, cables = bundle.place, bundle.fabric.cables.tolist()
    with Subnet(bare(bundle, tmp_path / "net.ibnet"), tmp_path / "run") as subnet:
        start(subnet, place, plugin)
        unlink(subnet, bundle, cables.index(first))
        subnet.sweep()
        live, lfts = look(subnet, tmp_path)
        shutil.copy(live, tmp_path / "live-before")
        done = tulle("repair", place, "--live", live, "--lfts", lfts, "-o", place, "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["acyclic_with_old"]
        assert json.loads(done.stdout)["switches_not_loaded"] == []
        subnet.stop_opensm()
        load_half(subnet, place, seed)
        kind, number = second.split()
        if kind == "cable":
            unlink(subnet, bundle, cables.index(int(number)))
        else:
            subnet.console(f'unlink "S-{bundle.switch_addresses[int(number)][0]:016x}"')
        live, lfts = look(subnet, tmp_path)
        assert tulle("verify", place, "--live", live, "--lfts", lfts).returncode == 1
        mixed = read_files(place / "versions" / "0001")._replace(ports=ports_of(lfts, tmp_path / "mixed"))
        repair = ("repair", place, "--live", live, "--lfts", lfts, "-o", place, "--json")
        done = tulle(*repair)
        message = json.loads(done.stdout)
        assert len(message["switches_not_loaded"]) >= 8
        assert (done.returncode, message["acyclic_with_old"]) == ((0, True) if is_safe else (1, False))
        if is_safe:
            between = [read_files(place / "versions" / "0002")]
        else:
            assert message["why_drain"].startswith("12 switches have not loaded the bundle")
            assert "wait until its log has SUBNET UP, and repeat with new --live and --lfts files" in done.stderr
            # The refused repair would lead to a state that can deadlock.
            dry = tulle("repair", place, "--live", live, "--drained", "-o", tmp_path / "unsafe", "--json")
            assert json.loads(dry.stdout)["acyclic_with_old"]
            assert not is_acyclic(
                checked(tmp_path, mixed, tmp_path / "unsafe", read_files(place / "versions" / "0002"))
            )
            # The operator follows the message: OpenSM loads the first repair, and the command runs again.
            start(subnet, place, plugin)
            live, lfts = look(subnet, tmp_path)
            done = tulle(*repair)
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout)["switches_not_loaded"] == []
            between, mixed = [], read_files(place / "versions" / "0002")
        assert is_acyclic(checked(tmp_path, mixed, place, *between))
        if is_safe:
            start(subnet, place, plugin)
        else:
            load(subnet, place)
        assert_healed(place, subnet, tmp_path)


def ports_of(lfts: Path, folder: Path) -> dict[int, dict[int, int]]:
    """Read the output of dump_fts with the parser of the checker."""
    folder.mkdir(exist_ok=True)
    (folder / "lfts").write_text(lfts.read_text())
    for name in ("sl2vl", "guid2lid"):
        (folder / name).write_text("")
    return read_files(folder).ports


def checked(folder: Path, mixed: Files, new: Path, *between: Files) -> nx.DiGraph:
    """Return the dependencies of all states in which a switch has its current tables, those of `between`, or `new`."""
    wirings = read_wiring(folder / "live-before"), read_wiring(folder / "live")
    return union(mixed, read_files(new), *wirings, between)


def test_a_partition(tmp_path: Path, plugin: Path) -> None:
    """Cut a group of three switches off by three cable failures; the cables return after a repair of the other part."""
    bundle = made(tmp_path / "bundle", "dragonfly:p=1,a=3,h=1,g=4", "balanced:layers=1", "colouring", 0)
    place, fabric = bundle.place, bundle.fabric
    between = [at for at, (a, b) in enumerate(fabric.edges.tolist()) if (a >= 9) != (b >= 9)]
    assert len(between) == 3
    with Subnet(bare(bundle, tmp_path / "net.ibnet"), tmp_path / "run") as subnet:
        start(subnet, place, plugin)
        for cable in between:
            unlink(subnet, bundle, cable)
        subnet.sweep()
        live, lfts = look(subnet, tmp_path)
        done = tulle("verify", place, "--live", live, "--lfts", lfts)
        assert done.returncode == 1
        for host in (9, 10, 11):
            assert f"node-missing: host {host} (0x5f00000000800{host:x}00) is missing" in done.stdout
        repair = ("repair", place, "--live", live, "--lfts", lfts, "-o", place)
        done = tulle(*repair)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == (
            "tulle: 3 of 12 switches, with 6 of the 18 cables between switches, and 0 of the 12 other cables are "
            "missing (switches (3,0), (3,1), (3,2); hosts 9, 10, 11); legal: a live file that lacks at most 1 switch "
            "and 1 other cable, or --max-dead 0,3 if the parts have really failed or are cut off\n"
        )
        done = tulle(*repair, "--max-dead", "0,3", "--json")
        assert done.returncode == 0, done.stderr
        message = json.loads(done.stdout)
        assert (message["cut_off_hosts"], message["acyclic_with_old"]) == (["9", "10", "11"], True)
        load(subnet, place)
        assert_healed(place, subnet, tmp_path)
        done = tulle("verify", place, "--live", look(subnet, tmp_path)[0])
        assert done.stdout.endswith("\nas planned, but without 3 hosts that a repair removed: 9, 10, 11\n")
        assert "all as planned" not in done.stdout
        # One cable returns. The repaired tables do not use it. Both commands name the rollback after which tables use
        # it again.
        unlink(subnet, bundle, between[0], again=True)
        subnet.sweep()
        live, lfts = look(subnet, tmp_path)
        how = f"stop traffic, and run `tulle deploy rollback {place} --to 0001 --drained`, then repair the bundle"
        done = tulle("verify", place, "--live", live, "--lfts", lfts)
        assert done.returncode == 1
        assert f"node-extra: host 9 (0x5f00000000800900) is not planned: no path leads to it: {how}" in done.stdout
        done = tulle("repair", place, "--live", live, "--lfts", lfts, "-o", place)
        assert f"{how}; until then, no path leads to hosts 9, 10, 11\n" in done.stdout
        # The operator follows the message.
        assert tulle("rollback", place, "--to", "0001", "--drained").returncode == 0
        done = tulle("repair", place, "--live", live, "--drained", "--max-dead", "2,0", "-o", place, "--json")
        assert done.returncode == 0, done.stderr
        assert (json.loads(done.stdout)["cut_off_hosts"], len(json.loads(done.stdout)["dead_cables"])) == ([], 2)
        load(subnet, place)
        assert_healed(place, subnet, tmp_path)
        # The other cables return, and the subnet has the cabling of the first version again.
        for cable in between[1:]:
            unlink(subnet, bundle, cable, again=True)
        subnet.sweep()
        how = f"stop traffic, and run `tulle deploy rollback {place} --to 0001 --drained`"
        live, _ = look(subnet, tmp_path)
        assert f"{how}\n" in tulle("repair", place, "--live", live, "-o", place).stdout
        assert tulle("rollback", place, "--to", "0001", "--drained").returncode == 0
        load(subnet, place)
        assert_healed(place, subnet, tmp_path)
        assert tulle("verify", place, "--live", live).stdout.endswith("\nall as planned\n")


def test_a_live_file_of_both_parts_is_refused(tmp_path: Path) -> None:
    """Check that outputs of ibnetdiscover from both parts of a partition, joined in one file, are refused."""
    bundle = made(tmp_path / "bundle", "dragonfly:p=1,a=3,h=1,g=4", "balanced:layers=1", "colouring", 0)
    fabric = bundle.fabric
    between = [
        cable
        for cable, (a, b) in zip(fabric.cables.tolist(), fabric.edges.tolist(), strict=True)
        if (a >= 9) != (b >= 9)
    ]
    fabric.without(links=f"ids:{'+'.join(map(str, between))}").write(tmp_path / "live", "ibnetdiscover")
    done = tulle("repair", bundle.place, "--live", tmp_path / "live", "--max-dead", "3,0", "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "tulle: 3 switches ((3,0), (3,1), (3,2)) with 3 hosts (9, 10, 11) are cut off, so no tables can reach them; "
        "legal: plug in a cable to them, or give a live file with only the switches that the subnet manager reaches\n"
    )


def test_a_standby_subnet_manager_takes_over(tmp_path: Path, plugin: Path) -> None:
    """The switch of the subnet manager's host dies. A standby takes over, and its copy of the bundle is repaired."""
    bundle = made(tmp_path / "bundle", "slimfly:q=5,p=1", "almost-minimal:layers=4", "colouring", 2)
    hosts = [f"H-{address[0]:016x}" for address in bundle.endpoint_addresses]
    copy = tmp_path / "standby" / "bundle"
    copy.parent.mkdir()
    shutil.copytree(bundle.place, copy, symlinks=True)
    with Subnet(bare(bundle, tmp_path / "net.ibnet"), tmp_path / "run") as subnet:
        start(subnet, bundle.place, plugin, options=("-p", "14"))
        manager = next(at for at, host in enumerate(hosts) if host == subnet.environment["SIM_HOST"])
        standby = subnet.on_host(hosts[manager + 7], tmp_path / "standby" / "run")
        # The standby polls every second, so that the test is short; OpenSM's default is 10 s.
        conf = (copy / "opensm.conf").read_text().replace(str(bundle.place), str(copy))
        (standby.folder / "opensm.conf").write_text(f"{conf}\nsminfo_polling_timeout 1000\npolling_retry_number 2\n")
        start(standby, copy, plugin, conf=standby.folder / "opensm.conf", options=("-p", "3"), up=False)
        standby.wait_log("Entering STANDBY state")
        switch = int(bundle.fabric.endpoint_switch[manager])
        dead = f'"S-{bundle.switch_addresses[switch][0]:016x}"'
        subnet.console(f"unlink {dead}")
        standby.wait_log("paths lead to links or switches that are missing: run tulle deploy repair")
        standby.wait_log_from(standby.log.rindex("are missing: run"), "SUBNET UP")
        live, lfts = look(standby, tmp_path)
        before = len(standby.log)
        done = tulle(
            *("repair", copy, "--live", live, "--lfts", lfts, "-o", copy, "--sighup", standby.pid, "--json"),
        )
        assert done.returncode == 0, done.stderr
        message = json.loads(done.stdout)
        assert message["acyclic_with_old"]
        assert message["dead_switches"] == [bundle.fabric.labels[switch]]
        assert message["cut_off_hosts"] == [bundle.fabric.endpoint_names[manager]]
        standby.wait_log_from(before, f"lfts {read_bundle(copy).header.files['lfts'][1][:16]}")
        standby.wait_log_from(standby.log.rindex("; lfts "), "rows as planned")
        assert_healed(copy, standby, tmp_path)
        # The switch returns. The first subnet manager is stopped, because its bundle lacks the repair.
        subnet.stop_opensm()
        subnet.console(f"relink {dead}")
        standby.sweep()
        assert tulle("rollback", copy, "--drained").returncode == 0
        load(standby, copy)
        assert_healed(copy, standby, tmp_path)
