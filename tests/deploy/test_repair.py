"""Check that `tulle deploy repair` repairs paths after cable and switch failures; OpenSM alone leaves black holes."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import preloaded
import pytest
from subnet import Subnet, missing
from test_infiniband import OTHERS, Deployed, bare, made, start, unlink

from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.infiniband.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")


@pytest.fixture
def slim_fly(tmp_path: Path, plugin: Path) -> Iterator[Deployed]:
    bundle = made(tmp_path / "bundle", "slimfly:q=5", "almost-minimal:layers=4", "colouring", 2)
    with Subnet(bare(bundle, tmp_path / "net.ibnet"), tmp_path / "run") as subnet:
        start(subnet, tmp_path / "bundle", plugin)
        yield Deployed(bundle, subnet, tmp_path)


def repaired(deployed: Deployed, *more: str) -> dict[str, Any]:
    """Run `tulle deploy repair`; return its output after OpenSM has loaded the new files."""
    live = deployed.folder / "live"
    live.write_text(deployed.subnet.tool("ibnetdiscover"))
    place = more or ("-o", str(deployed.bundle.place), "--sighup", str(deployed.subnet.pid))
    before = len(deployed.subnet.log)
    # Not every repair in these tests is proven deadlock-free in all intermediate states. `--drained` states that no
    # traffic runs, so the command accepts them.
    command = ("deploy", "repair", str(deployed.bundle.place), "--live", str(live), "--json", "--drained")
    done = preloaded.run(*command, *place)
    assert done.returncode == 0, done.stderr
    if not more:
        deployed.bundle = read_bundle(deployed.bundle.place)
        # The log must name the new tables; an earlier sweep may still log the old tables.
        digest = deployed.bundle.header.files["lfts"][1][:16]
        deployed.subnet.wait_log_from(before, f"lfts {digest}")
        loaded = deployed.subnet.log.rindex(f"lfts {digest}")
        deployed.subnet.wait_log_from(loaded, "rows as planned")
    message: dict[str, Any] = json.loads(done.stdout)
    return message


def test_dead_cable_is_healed(slim_fly: Deployed) -> None:
    subnet = slim_fly.subnet
    unlink(subnet, slim_fly.bundle, 17)
    subnet.sweep()
    before = slim_fly.verdict()
    lost = sum(difference.count for difference in before.differences if difference.kind == "black-hole")
    assert lost > 0
    files = {path: path.read_bytes() for path in slim_fly.bundle.place.rglob("*") if path.is_file()}
    dry = repaired(slim_fly, "--dry-run")
    assert {path: path.read_bytes() for path in slim_fly.bundle.place.rglob("*") if path.is_file()} == files
    message = repaired(slim_fly)
    assert len(message["dead_cables"]) == 1
    assert message["acyclic_with_old"] == (not message["drain"])
    assert message["changes"] == dry["changes"]
    # Only few of the 42,500 entries change.
    assert 0 < message["entries_changed"] < 4 * lost
    after = slim_fly.verdict(samples=20, ibdmchk=True)
    assert after.differences == []
    assert {check.what: check[1:] for check in after.checks}["paths to LIDs walked"] == (39200, 39200)


def test_dead_switch_is_healed(slim_fly: Deployed) -> None:
    slim_fly.subnet.console('unlink "S-5f00000000012000"')
    slim_fly.subnet.sweep()
    kinds = {difference.kind for difference in slim_fly.verdict().differences}
    assert kinds == {"node-missing", "black-hole"}
    message = repaired(slim_fly)
    assert len(message["dead_switches"]) == 1
    after = slim_fly.verdict(samples=20, ibdmchk=True)
    assert {check.what: check[1:] for check in after.checks}["paths to LIDs walked"] == (49 * 48 * 16, 49 * 48 * 16)
    assert after.differences == []


@pytest.mark.parametrize("failures", [3, pytest.param(9, marks=pytest.mark.large, id="large-9")])
def test_cables_die_one_after_another(slim_fly: Deployed, failures: int) -> None:
    """Check that ibdmchk finds no credit loop after any repair while cables fail one after another."""
    draw = random.Random(1)
    for number in range(failures):
        unlink(slim_fly.subnet, slim_fly.bundle, draw.randrange(slim_fly.bundle.fabric.num_cables))
        slim_fly.subnet.sweep()
        message = repaired(slim_fly)
        assert len(message["dead_cables"]) == 1
        verdict = slim_fly.verdict(ibdmchk=True)
        assert verdict.differences == [], number
        checks = {check.what: check[1:] for check in verdict.checks}
        assert checks["cables between switches"] == (174 - number, 174 - number)
        assert checks["ibdmchk: no credit loop"] == (1, 1)


def test_without_cables_only_the_live_file_is_needed(slim_fly: Deployed) -> None:
    """Check that `verify` finds the same black holes with planned tables as with the tables read from switches."""
    unlink(slim_fly.subnet, slim_fly.bundle, 3)
    slim_fly.subnet.sweep()
    seen = slim_fly.seen()
    one, both = (verify(slim_fly.bundle, live=seen["live"], lfts=lfts) for lfts in (None, seen["lfts"]))
    assert one.differences == both.differences


@pytest.mark.parametrize("name", OTHERS)
def test_other_fabrics_are_read_back_and_healed(tmp_path: Path, plugin: Path, name: str) -> None:
    bundle = made(tmp_path / "bundle", *OTHERS[name])
    with Subnet(bare(bundle, tmp_path / "net.ibnet"), tmp_path / "run") as subnet:
        start(subnet, tmp_path / "bundle", plugin)
        deployed = Deployed(bundle, subnet, tmp_path)
        verdict = deployed.verdict(samples=20, ibdmchk=True)
        assert verdict.differences == []
        assert all(check.good == check.of for check in verdict.checks)
        unlink(subnet, bundle, 11)
        subnet.sweep()
        assert "black-hole" in {difference.kind for difference in deployed.verdict().differences}
        assert len(repaired(deployed)["dead_cables"]) == 1
        assert deployed.verdict(samples=20, ibdmchk=True).differences == []
