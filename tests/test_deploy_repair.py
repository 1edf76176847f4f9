"""Check that a repair after cable and switch failures changes only paths that used the failed parts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import preloaded
import pytest

import tulle
from tulle.deploy.infiniband.bundle import Bundle, read_bundle
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.repair import hang_up, repair, write_repair
from tulle.deploy.infiniband.write import write_bundle
from tulle.deploy.read.subnet import read_subnet
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return preloaded.run(*arguments)


def bundled(place: Path, routing: str = "almost-minimal:layers=4", scheme: str = "colouring") -> Bundle:
    write_bundle(deploy_infiniband(tulle.route("slimfly:q=5", routing).assign_vcs(scheme)), place)
    return read_bundle(place)


def seen(bundle: Bundle, place: Path, **dead: Sequence[int]) -> Path:
    """Write the output of ibnetdiscover for the bundle's fabric with failed cables or switches."""
    ids = ",".join(f"{name}=ids:{'+'.join(map(str, parts))}" for name, parts in dead.items())
    bundle.fabric.with_failures(ids or "links=0").write(place, "ibnetdiscover")
    return place


def test_a_failed_cable_changes_only_entries_that_used_it(tmp_path: Path) -> None:
    bundle = bundled(tmp_path / "bundle", scheme="dfsssp")
    live = seen(bundle, tmp_path / "live", links=bundle.fabric.cables[7:8].tolist())
    repaired = repair(bundle, live)
    assert repaired is not None
    assert repaired.failures.cables == (int(bundle.fabric.cables[7]),)
    # Hosts use their old service levels until they query path records again. On old service levels, the new paths can
    # deadlock.
    assert repaired.why_unsafe.startswith("while hosts use old service levels")
    assert repaired.proof.final.proved
    assert {record.switch for record in repaired.proof.records} == {
        int(bundle.fabric.endpoint_switch[bundle.fabric.endpoint_names.index(host)]) for host in repaired.hosts_to_query
    }
    a, b = bundle.fabric.edges[7].tolist()
    channel = int(bundle.fabric.cables[7])
    ports = {a: bundle.ports[channel], b: bundle.ports[int(bundle.fabric.reverse[channel])]}
    broken = sum(int((repaired.made.lfts[at] != old).sum()) for at, old in enumerate(tables(bundle)))
    assert len(repaired.changes) == broken
    # Entries that use the failed cable must change. The cable's ends are now four hops apart, so longer paths through
    # them would exceed the layer's hop limit. So entries of switches before the ends must change, too.
    forced = [row for row in repaired.changes.tolist() if row[0] in ports and row[2] == ports[row[0]]]
    assert len(forced) == sum(int((tables(bundle)[at] == port).sum()) for at, port in ports.items())
    assert 0 < len(forced) <= len(repaired.changes) < 3 * len(forced)
    written = write_repair(repaired, tmp_path / "mended")
    assert {path.name for path in written} >= {"lfts", "bundle.json"}
    again = read_bundle(tmp_path / "mended")
    assert again.header.fabric == bundle.header.fabric
    assert again.endpoint_addresses == bundle.endpoint_addresses
    assert repair(again, live) is None


def test_colouring_heals_a_dead_cable(tmp_path: Path) -> None:
    """Check that the repair after a cable failure keeps all service levels and lanes, and is safe under traffic.

    The graph has girth 5, so two neighbours without their cable are 4 hops apart.
    """
    bundle = bundled(tmp_path / "bundle")
    live = seen(bundle, tmp_path / "cable", links=bundle.fabric.cables[:1].tolist())
    repaired = repair(bundle, live)
    assert repaired is not None
    plan = repaired.made.plan
    assert (plan.scheme, bundle.plan.num_vcs) == ("colouring", 3)
    assert repaired.why_unsafe == ""
    assert plan.num_vcs == 3
    assert (plan.sl == bundle.plan.sl).all()
    assert repaired.lanes_kept
    assert repaired.level_changes == 0
    assert repaired.unasked == ""
    # In every layer, each of the two neighbours has paths of 4 or more hops to the 4 hosts of the other neighbour.
    assert all(int(counts[4:].sum()) >= 2 * 4 for counts in repaired.made.walked.hops)
    other = repair(bundle, live, "dfsssp")
    assert other is not None
    assert other.made.plan.scheme == "dfsssp"
    of_switch = repair(bundle, seen(bundle, tmp_path / "switch", switches=[7]))
    assert of_switch is not None
    assert of_switch.made.plan.scheme == "colouring"
    assert of_switch.proof.final.proved


def tables(bundle: Bundle) -> NDArray[np.uint8]:
    from tulle import _tulle

    return _tulle.read_lfts(bundle.place / "lfts", [address[0] for address in bundle.switch_addresses]).ports()


@pytest.mark.parametrize("scheme", ["colouring", "dfsssp"])
def test_five_percent_one_after_another(tmp_path: Path, scheme: str) -> None:
    """Check that the tables after each repair are proven deadlock-free while 5% of the cables fail, one by one."""
    bundle = bundled(tmp_path / "0", scheme=scheme)
    whole, dead = bundle.fabric, []
    drawn = np.random.default_rng(1).permutation(len(whole.cables))[:9]
    for step, row in enumerate(drawn.tolist(), 1):
        dead.append(int(whole.cables[row]))
        whole.without(links=f"ids:{'+'.join(map(str, dead))}").write(tmp_path / "live", "ibnetdiscover")
        repaired = repair(bundle, tmp_path / "live")
        assert repaired is not None
        assert len(repaired.failures.cables) == 1
        assert repaired.proof.final.proved
        write_repair(repaired, tmp_path / str(step))
        bundle = read_bundle(tmp_path / str(step))
    assert bundle.fabric.num_cables == 175 - 9
    made = deploy_infiniband(bundle.plan, lmc=2)
    assert made.walked.paths == 39_200


def test_a_dead_switch(tmp_path: Path) -> None:
    bundle = bundled(tmp_path / "bundle", "minimal", "dfsssp")
    live = seen(bundle, tmp_path / "live", switches=[7])
    repaired = repair(bundle, live)
    assert repaired is not None
    assert repaired.failures.switches == (7,)
    write_repair(repaired, tmp_path / "bundle")
    again = read_bundle(tmp_path / "bundle")
    assert (again.fabric.num_switches, again.fabric.num_endpoints) == (49, 196)
    kept = {address[1]: address[2] for address in bundle.endpoint_addresses}
    assert all(kept[address[1]] == address[2] for address in again.endpoint_addresses)


def test_the_command(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    bundle = bundled(place, scheme="dfsssp")
    before = {file.name: (file.stat().st_ino, file.read_bytes()) for file in place.iterdir() if file.is_file()}
    live = seen(bundle, tmp_path / "live", links=bundle.fabric.cables[:2].tolist())
    dry = run("deploy", "repair", str(place), "--live", str(live), "--dry-run", "--json")
    assert dry.returncode == 0, dry.stderr
    fields = json.loads(dry.stdout)
    assert (len(fields["dead_cables"]), fields["acyclic_with_old"], fields["drain"], fields["written"]) == (
        2,
        False,
        True,
        [],
    )
    assert {state["proved"] for state in fields["states"]} == {True, False}
    assert len(fields["path_records"]) > 0
    assert {*fields["path_records"][0]} == {"switch", "lid", "old", "new"}
    assert 0 < len(fields["hosts_to_ask"]) < 200
    assert {*fields["changes"][0]} == {"switch", "lid", "old", "new"}
    assert before == {file.name: (file.stat().st_ino, file.read_bytes()) for file in place.iterdir() if file.is_file()}
    refused = run("deploy", "repair", str(place), "--live", str(live), "-o", str(place))
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    assert "lanes of links can deadlock" in refused.stderr
    assert "path records of" in refused.stderr
    assert "legal: replace the failed parts; or stop traffic, repeat with --drained" in refused.stderr
    assert before == {file.name: (file.stat().st_ino, file.read_bytes()) for file in place.iterdir() if file.is_file()}
    done = run("deploy", "repair", str(place), "--live", str(live), "-o", str(place), "--drained")
    assert done.returncode == 0, done.stderr
    assert "forwarding entries that change" in done.stdout
    # The repair does not write unchanged files again.
    assert (place / "guid2lid").stat().st_ino == before["guid2lid"][0]
    assert (place / "lfts").stat().st_ino != before["lfts"][0]
    again = run("deploy", "repair", str(place), "--live", str(live), "--dry-run")
    assert again.stdout == "no failures: the bundle stays unchanged\n"


def test_an_impossible_repair_is_one_line(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    bundle = bundled(place)
    fabric = bundle.fabric
    cut = seen(bundle, tmp_path / "cut", links=[int(c) for c in fabric.cables if 0 in fabric.channels[c]])
    moved = tmp_path / "moved"
    text = (seen(bundle, tmp_path / "whole")).read_text()
    first = '5f00000000800001) \t"S-5f00000000010000"[8]'
    assert first in text
    moved.write_text(
        text.replace(first, first.replace("[8]", "[30]")).replace(
            '[8]\t"H-5f00000000800000"', '[30]\t"H-5f00000000800000"'
        )
    )
    # The output names a host at another port, and nothing else changes.
    done = run("deploy", "repair", str(place), "--live", str(moved), "--dry-run")
    assert done.returncode == 0
    at = "port 30 of switch (0,0,0), expected port 8 of switch (0,0,0)"
    assert done.stderr == f"tulle: host 0 is at {at}: move its cable to that port\n"
    assert done.stdout == "no cable or switch has failed: correct the cabling, as above; the bundle stays unchanged\n"
    other = tmp_path / "other"
    other.write_text(text.replace("5f000000", "6f000000"))
    for arguments, expected in (
        (["--live", str(cut), "-o", str(tmp_path / "out")], "1 switch ((0,0,0)) with 4 hosts (0, 1, 2, 3) is cut off"),
        (["--live", str(other), "-o", str(tmp_path / "out")], "no switch of the bundle "),
        (["--live", str(cut)], "-o DIR is missing"),
        (
            ["--live", str(cut), "-o", str(tmp_path / "out"), "--sighup", str(os.getpid())],
            "legal: the process id of opensm",
        ),
    ):
        done = run("deploy", "repair", str(place), *arguments)
        assert done.returncode == 2
        assert expected in done.stderr, done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()
    with (place / "lfts").open("a") as file:
        file.write("\n")
    with pytest.raises(FormatError, match="legal: the file as tulle wrote it"):
        repair(bundle, seen(bundle, tmp_path / "live", links=fabric.cables[:1].tolist()))


def test_hosts_that_are_off_change_nothing(tmp_path: Path) -> None:
    bundle = bundled(tmp_path / "bundle")
    live = read_subnet(seen(bundle, tmp_path / "live"))
    guid = bundle.endpoint_addresses[5][0]
    switch, port = live.nodes[guid].links[1]
    del live.nodes[guid]
    del live.nodes[switch].links[port]
    assert repair(bundle, live) is None


def test_only_opensm_is_signalled() -> None:
    with pytest.raises(InputError, match="no process 4194305"):
        hang_up(4_194_305)
    other = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert other.stdin
    assert other.stdout
    try:
        # A new child process has the test's process name until it executes `cat`. The echo shows that `cat` runs.
        other.stdin.write(b"here\n")
        other.stdin.flush()
        assert other.stdout.readline() == b"here\n"
        with pytest.raises(InputError, match="is 'cat'; legal: the process id of opensm"):
            hang_up(other.pid)
        assert other.poll() is None
    finally:
        other.send_signal(signal.SIGKILL)
        other.communicate()


def test_a_file_of_a_part_of_the_subnet_is_not_taken_for_failures(tmp_path: Path) -> None:
    """Check that a repair of more than 5% of the cables, or of more than one switch, needs the option --max-dead."""
    place = tmp_path / "bundle"
    bundle = bundled(place)
    cables = bundle.fabric.cables[::17][:9].tolist()
    for parts, count in (({"links": cables}, "9,0"), ({"switches": [3, 30]}, "0,2")):
        live = seen(bundle, tmp_path / "part", **parts)
        command = ("deploy", "repair", str(place), "--live", str(live), "--dry-run")
        done = run(*command)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        legal = f"legal: a live file that lacks at most 1 switch and 8 other cables, or --max-dead {count} if"
        assert legal in done.stderr
        assert run(*command, "--max-dead", count).returncode == 0
        assert run(*command, "--max-dead", "all").stderr == (
            "tulle: --max-dead all is not two numbers; legal: CABLES,SWITCHES, for example 20,2\n"
        )
