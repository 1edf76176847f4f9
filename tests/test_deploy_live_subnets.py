"""`tulle deploy verify`, `watch` and `repair` read ibnetdiscover as `tulle cabling verify` does."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import watched_networks

import tulle
from tulle.cabling.live import read_live
from tulle.cabling.networks import read_network
from tulle.cabling.planning import plan_cabling
from tulle.cabling.verify import verify_cabling
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.infiniband.causes import find_causes
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.repair import find_failures
from tulle.deploy.infiniband.verify import verify
from tulle.deploy.infiniband.write import write_bundle
from tulle.deploy.read import read_subnet
from tulle.design.placement import place as place_fabric
from tulle.errors import FormatError, InputError

if TYPE_CHECKING:
    from tulle.cabling.plan import Plan

NETWORKS = Path(__file__).parent / "networks"
SHARP = NETWORKS / "ib-sharp.txt"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Write a bundle of an imported subnet with SHARP, without its aggregation nodes."""
    fabric = read_network("ibnetdiscover", [SHARP]).fabric
    write_bundle(deploy_infiniband(tulle.route(fabric, "minimal").assign_vcs("dfsssp")), tmp_path / "bundle")
    shutil.copy(SHARP, tmp_path / "live")
    return tmp_path


def test_aggregation_nodes_that_are_not_planned_are_left_out(place: Path) -> None:
    verdict = verify(place / "bundle", live=place / "live")
    assert not [one for one in verdict.differences if one.kind != "lid"]
    assert verdict.notes == ["4 aggregation nodes (SHARP) are left out"]
    bundle = read_bundle(place / "bundle")
    assert find_failures(bundle, read_subnet(SHARP, bundle.node_guids)).unknown == 0
    assert find_failures(bundle, read_subnet(SHARP)).unknown == 4
    done = watched_networks.run("watch", "bundle", "--live-command", "cat live", cwd=place)
    assert "node-extra" not in done.stdout
    done = watched_networks.run("repair", "bundle", "--live", "live", "--dry-run", cwd=place)
    assert "no failures: the bundle stays unchanged" in done.stdout


def test_planned_aggregation_nodes_are_compared(tmp_path: Path) -> None:
    fabric = read_network("ibnetdiscover", [SHARP], keep_aggregation=True).fabric
    write_bundle(deploy_infiniband(tulle.route(fabric, "minimal").assign_vcs("dfsssp")), tmp_path / "bundle")
    verdict = verify(tmp_path / "bundle", live=SHARP)
    assert not [one for one in verdict.differences if one.kind != "lid"]
    assert verdict.notes == []


def test_slow_cables_are_named(place: Path) -> None:
    """Check a cable that runs at half of its planned rate, with the text of `tulle cabling verify`."""
    slow = SHARP.read_text().replace("4xHDR", "4xEDR", 1)
    (place / "live").write_text(slow)
    verdict = verify(place / "bundle", live=place / "live")
    (found,) = [one.instruction for one in verdict.differences if one.kind == "cable-slow"]
    assert found.startswith("reseat or replace the cable from port ")
    assert found.endswith(": it runs at 100 Gbit/s instead of 200 Gbit/s")
    between = next(check for check in verdict.checks if check.what == "cables between switches")
    hosts = next(check for check in verdict.checks if check.what == "cables to hosts")
    assert (between.good + hosts.good, between.of + hosts.of) == (5, 6)
    (event,) = watched_networks.lines(
        watched_networks.run("watch", "bundle", "--live-command", "cat live", "--json", cwd=place)
    )
    assert "cable-slow" in {row["kind"] for row in event["appeared"]}
    assert event["cables"]["as_planned"] + event["hosts"]["as_planned"] == 5
    done = watched_networks.run("repair", "bundle", "--live", "live", "--dry-run", cwd=place)
    assert found in done.stderr
    bundle = read_bundle(place / "bundle")
    assert not find_causes(bundle, read_subnet(SHARP, bundle.node_guids)).slow


def test_a_bundle_without_rates_says_that_slow_cables_are_not_found(tmp_path: Path) -> None:
    write_bundle(deploy_infiniband(tulle.route("slimfly:q=3", "minimal").assign_vcs("dfsssp")), tmp_path / "bundle")
    bundle = read_bundle(tmp_path / "bundle")
    bundle.fabric.write(tmp_path / "live", "ibnetdiscover")
    text = (tmp_path / "live").read_text()
    assert verify(bundle, live=tmp_path / "live").notes == []
    (tmp_path / "live").write_text(
        "".join(f"{line} 4xHDR\n" if line[:1] == "[" else f"{line}\n" for line in text.splitlines())
    )
    (note,) = verify(bundle, live=tmp_path / "live").notes
    assert "the plan has no rates, so slow cables are not found" in note


def test_warnings_of_libraries_are_skipped(place: Path) -> None:
    (place / "live").write_text("ibwarn: [31] _do_madrpc: recv failed\n" + SHARP.read_text())
    assert read_subnet(place / "live").links() == read_subnet(SHARP).links()
    done = watched_networks.run("watch", "bundle", "--live-command", "cat live", cwd=place)
    assert done.returncode != 2


def test_the_output_with_p_is_named(tmp_path: Path) -> None:
    (tmp_path / "live").write_text("SW  1  1 0x0000000000000001 4x HDR 'leaf1'\n")
    with pytest.raises(FormatError, match="this is the output of ibnetdiscover -p; legal: the output without -p"):
        read_subnet(tmp_path / "live")


def iblinkinfo(plan: Plan) -> str:
    """Return the output of iblinkinfo for a plan without adapters' sections."""
    lid = {device.name: at for at, device in enumerate(plan.devices, 1)}
    lines = []
    for device in plan.devices:
        if device.kind == "switch":
            lines.append(f"Switch: 0x{lid[device.name]:016x} {device.name}:\n")
            ports = {end[1]: plan.other(end) for cable in plan.cables for end in cable.ends if end[0] == device.name}
            for port, other in sorted(ports.items(), key=lambda item: int(item[0])):
                assert other is not None
                link = (
                    f'{port}[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> {lid[other[0]]} {other[1]}[  ] "{other[0]}" ( )'
                )
                lines.append(f"  {lid[device.name]} {link}\n")
    return "".join(lines)


def test_no_part_of_iblinkinfo_is_a_miswiring(tmp_path: Path) -> None:
    """Check that output is refused if it ends in the middle of a line or of a section."""
    plan = plan_cabling(place_fabric(tulle.Fabric("slimfly:q=3")))
    text, path = iblinkinfo(plan), tmp_path / "live"

    def kinds() -> set[str]:
        return {one.kind for one in verify_cabling(plan, read_live("iblinkinfo", path), tool="iblinkinfo").miswirings}

    path.write_text(text)
    assert kinds() == set()
    ends = [at + 1 for at, letter in enumerate(text[:-1]) if letter == "\n"]
    # A file with the first switch only could be the output of `iblinkinfo -S GUID`.
    second = text.index("Switch: ", 1)
    whole = [end for end in ends if end > text.index("\n", text.index("\n", second) + 1)]
    for end in [*whole, *(at for at in range(60, len(text), 97) if text[at - 1] not in "\n)")]:
        path.write_text(text[:end])
        with pytest.raises((FormatError, InputError), match="cut off"):
            kinds()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty; legal: the output of ibnetdiscover"),
        ("Switch: 0x1 leaf1:\n", "is a line of iblinkinfo, not of ibnetdiscover"),
        ('  1 1[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 2 1[  ] "n" ( )\n', "is a line of iblinkinfo"),
    ],
)
def test_files_of_other_tools_are_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "live").write_text(f"{text}\n")
    with pytest.raises(FormatError, match=message):
        read_subnet(tmp_path / "live")


def test_a_switch_that_is_not_there_is_named(tmp_path: Path) -> None:
    plan = plan_cabling(place_fabric(tulle.Fabric("slimfly:q=3")))
    name = "sf-s1-r2-i2"
    blocks = iblinkinfo(plan).split("Switch: ")[1:]
    rows = [row for block in blocks if f" {name}:" not in block for row in f"Switch: {block}".splitlines(keepends=True)]
    (tmp_path / "live").write_text("".join(row for row in rows if f'"{name}"' not in row))
    verdict = verify_cabling(plan, read_live("iblinkinfo", tmp_path / "live"), tool="iblinkinfo")
    assert [(one.kind, one.ends) for one in verdict.miswirings] == [("absent", ((name, ""),))]
