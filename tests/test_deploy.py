"""Test deployment on InfiniBand: follow paths through the bundle's files, and reject bad inputs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import preloaded
import pytest

import tulle
from tulle.deploy.infiniband.bind import bound
from tulle.deploy.infiniband.bundle import NO_PORT, read_bundle
from tulle.deploy.infiniband.generate import Deployment, deploy_infiniband
from tulle.deploy.infiniband.write import write_bundle
from tulle.deploy.plan_fabric import fabric_of_plan
from tulle.deploy.targets import target
from tulle.errors import FileError, FormatError, InputError

if TYPE_CHECKING:
    import subprocess


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return preloaded.run(*arguments)


def made(
    spec: str = "slimfly:q=5", routing: str = "almost-minimal:layers=4", scheme: str = "colouring", **options: Any
) -> Deployment:
    return deploy_infiniband(tulle.route(spec, routing).assign_vcs(scheme), **options)


class Files:
    """The forwarding and lane tables of a bundle, read from its text files."""

    def __init__(self, place: Path) -> None:
        self.lft: dict[int, dict[int, int]] = {}
        self.slvl: dict[tuple[int, int, int], list[int]] = {}
        self.psl: dict[int, str] = {}
        for line in (place / "lfts").read_text().splitlines():
            if line.startswith("Unicast"):
                table = self.lft[int(line.split(" guid ")[1].split()[0], 16)] = {}
            elif line:
                lid, port = line.split()[:2]
                table[int(lid, 16)] = int(port)
        for line in (place / "sl2vl").read_text().splitlines():
            kind, guid, *rest = line.split()
            if kind == "slvl":
                self.slvl[int(guid, 16), int(rest[0]), int(rest[1])] = [int(vl) for vl in rest[2:]]
            else:
                self.psl[int(guid, 16)] = rest[0]


@pytest.mark.parametrize(
    ("routing", "least"),
    [("almost-minimal:layers=4", 0.98), ("spread:layers=4,limit=3", 1.0), ("spread:layers=4", 1.0)],
)
def test_three_hop_paths_compared_with_those_of_the_deployed_engine(routing: str, least: float) -> None:
    """Check that layers 1 to 3 have at least the share `least` of the three-hop paths that engine `lnmp` finds."""
    ours = made(routing=routing, scheme="dfsssp").walked.hops
    assert [int(counts.sum()) for counts in ours] == [9800] * 4
    assert ours[0].tolist() == [0, 1400, 8400]
    for counts, theirs in zip(ours[1:], (5155, 5123, 5132), strict=True):
        assert counts[3] >= least * theirs


@pytest.mark.parametrize("scheme", ["colouring", "dfsssp"])
def test_slim_fly_walked_by_its_files(tmp_path: Path, scheme: str) -> None:
    write_bundle(made(scheme=scheme), tmp_path)
    bundle, files = read_bundle(tmp_path), Files(tmp_path)
    fabric, routing, plan = bundle.fabric, bundle.routing, bundle.plan
    assert sum(map(len, files.lft.values())) == 42_500
    guids = [address[0] for address in bundle.switch_addresses]
    leads = {
        (source, port): channel
        for channel, (source, port) in enumerate(zip(fabric.channels[:, 0].tolist(), bundle.ports, strict=True))
    }
    after: dict[tuple[int, int], set[tuple[int, int]]] = {}
    walked = 0
    for source in range(50):
        sender = int(np.flatnonzero(fabric.endpoint_switch == source)[0])
        for endpoint in range(0, 200, 4):
            target_switch = int(fabric.endpoint_switch[endpoint])
            if target_switch == source:
                continue
            base = bundle.endpoint_addresses[endpoint][2]
            for layer, path in enumerate(routing.paths(source, target_switch)):
                level = int(files.psl[guids[source]][base + layer], 16)
                assert level == plan.sl[layer, source, target_switch]
                at, came, before = source, bundle.endpoint_ports[sender], None
                for channel in path.tolist():
                    port = files.lft[guids[at]][base + layer]
                    assert leads[at, port] == channel
                    lane = (channel, files.slvl[guids[at], came, port][level])
                    if before is not None:
                        after.setdefault(before, set()).add(lane)
                    before = lane
                    came = bundle.ports[fabric.reverse[channel]]
                    at = int(fabric.channels[channel, 1])
                assert files.lft[guids[at]][base + layer] == bundle.endpoint_ports[endpoint]
                walked += 1
    assert walked == 9800
    # Kahn's algorithm repeatedly removes a lane for which no remaining lane waits. If it removes all lanes, no
    # dependency cycle exists.
    waits = dict.fromkeys(after, 0) | {lane: 0 for lanes in after.values() for lane in lanes}
    for lanes in after.values():
        for lane in lanes:
            waits[lane] += 1
    free = [lane for lane, count in waits.items() if count == 0]
    for lane in free:
        for following in after.get(lane, ()):
            waits[following] -= 1
            if waits[following] == 0:
                free.append(following)
    assert len(free) == len(waits)


def test_what_is_in_a_bundle(tmp_path: Path) -> None:
    deployment = made()
    write_bundle(deployment, tmp_path / "one")
    write_bundle(deployment, tmp_path / "two", compact=True, at=str((tmp_path / "one").resolve()))
    one, two = (
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir() if file.is_file()}
        for name in ("one", "two")
    )
    assert {name for name in one if one[name] != two[name]} == {"lfts", "bundle.json"}
    assert (tmp_path / "one/plugin/tulle_sl2vl.c").is_file()
    lfts = one["lfts"].decode().splitlines()
    assert lfts[0] == "Unicast lids [0-851] of switch Lid 1 guid 0x5f00000000010000 ('(0,0,0)'):"
    assert lfts[1] == "0x0001 000 # Switch portguid 0x5f00000000010000: '(0,0,0)'"
    assert "0x0034 008 # Channel Adapter portguid 0x5f00000000800001: '0'" in lfts
    assert "0x0034 008" in two["lfts"].decode().splitlines()
    assert b"0x5f00000000800001 0x0034 0x0037\n\n" in one["guid2lid"]
    conf = one["opensm.conf"].decode().splitlines()
    assert {"lmc 2", "qos TRUE", "routing_engine tulle_sl2vl,no_fallback", "max_op_vls 4"} <= {*conf}
    assert deployment.multicast_sl == 15
    weights = ",".join(f"{vl}:64" for vl in range(8))
    assert {f"qos_ca_vlarb_high {weights}", f"qos_swe_vlarb_low {weights}"} <= {*conf}
    assert f"sl={deployment.multicast_sl} " in one["partitions.conf"].decode()
    bundle = read_bundle(tmp_path / "one", check=[*json.loads(one["bundle.json"])["files"]])
    assert bundle.fabric.properties == deployment.fabric.properties
    assert np.array_equal(bundle.fabric.channels, deployment.fabric.channels)
    assert bundle.routing.spec == deployment.plan.routing.spec
    # A routing that is read from the bundle and deployed again gives the same tables.
    again = deploy_infiniband(bundle.plan)
    assert np.array_equal(again.lfts, deployment.lfts)
    assert np.array_equal(again.levels, deployment.levels)
    assert np.array_equal(again.lanes, deployment.lanes)
    assert (again.lfts[:, 1:51] != NO_PORT).all()


def test_a_bundle_that_was_changed_is_refused(tmp_path: Path) -> None:
    write_bundle(made(), tmp_path)
    with (tmp_path / "plan").open("a") as file:
        file.write(" ")
    with pytest.raises(FormatError, match=r"plan: .* bytes and SHA-256 .*; legal: the file as tulle wrote it"):
        read_bundle(tmp_path)
    (tmp_path / "current" / "bundle.json").unlink()
    with pytest.raises(FileError, match=r"has no bundle.json"):
        read_bundle(tmp_path)


@pytest.mark.parametrize(
    ("spec", "routing", "scheme", "lmc"),
    [
        ("fattree:levels=2,radix=16", "minimal", "one-vc", 1),
        ("dragonfly:p=2", "almost-minimal:layers=2", "dfsssp", 1),
        ("jellyfish:switches=50,degree=6,p=3", "random:layers=4,rho=0.7", "dfsssp", 2),
    ],
)
def test_other_fabrics(spec: str, routing: str, scheme: str, lmc: int) -> None:
    deployment = made(spec, routing, scheme, lmc=lmc)
    fabric = deployment.fabric
    counts = np.bincount(fabric.endpoint_switch, minlength=fabric.num_switches)
    pairs = sum(int(fabric.num_endpoints - count) for count in counts if count)
    assert deployment.walked.paths == pairs << lmc
    assert (deployment.lfts[:, deployment._core.endpoint_lids()] != NO_PORT).all()


def test_ports_of_a_fat_tree_are_used_evenly() -> None:
    deployment = made("fattree:levels=2,radix=16", "minimal", "one-vc", lmc=0)
    leaf = deployment.lfts[0, deployment._core.endpoint_lids()]
    up = np.bincount(leaf)[np.unique(leaf)]
    assert sorted(up.tolist())[-8:] == [15] * 8


def test_undeployable_input_is_one_line(tmp_path: Path) -> None:
    for arguments, expected in (
        (
            ["slimfly:q=5", "almost-minimal:layers=4", "--lmc", "1"],
            "lmc=1 gives an adapter port only 2 LIDs; legal: lmc=2 to 7",
        ),
        (["slimfly:q=5", "almost-minimal:layers=4", "--deadlock", "hops"], "InfiniBand switches do not know"),
        (["slimfly:q=5", "almost-minimal:layers=4", "--vls", "3"], "vls=3 is not a number of data VLs"),
        (["slimfly:q=5", "almost-minimal:layers=4", "--vls", "2"], "VLs, but ports have vls=2"),
        (["slimfly:q=5", "ksp:k=2"], "has explicit paths"),
        (["slimfly:q=5,p=0", "minimal"], "has no endpoints"),
        (
            ["slimfly:q=19", "minimal", "--lmc", "3"],
            "need LIDs up to 87367; legal: at most 49151, for example with lmc=2",
        ),
    ):
        done = run("deploy", "infiniband", *arguments, "-o", str(tmp_path / "out"))
        assert done.returncode == 2
        assert expected in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "out").exists()


def test_the_command_writes_a_bundle(tmp_path: Path) -> None:
    place = tmp_path / "bundle"
    done = run(
        "deploy",
        "infiniband",
        "slimfly:q=5",
        "almost-minimal:layers=4",
        "--deadlock",
        "colouring",
        "-o",
        str(place),
        "--json",
    )
    assert done.returncode == 0, done.stderr
    fields = json.loads(done.stdout)
    assert (fields["lids"], fields["paths"], len(fields["hops"])) == (851, 39_200, 4)
    assert {Path(path).name for path in fields["written"]} >= {"lfts", "sl2vl", "opensm.conf", "bundle.json"}
    assert not [*place.glob(".staging-*")]
    target("infiniband").bundle(made().plan, tmp_path / "two", vls=4)
    assert read_bundle(tmp_path / "two").header.hardware_vls == 4


def test_guids_by_cabling(tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    assert run("cabling", "plan", "slimfly:q=5", "-o", str(plan)).returncode == 0
    fabric = fabric_of_plan(str(plan))
    assert fabric is not None
    netlist = (plan / "exports/plan.ibnet").read_text()
    # The site's netlist has other GUIDs than the plan, and all its switches have the same name.
    site = netlist.replace("5f000000000", "7c000000000")
    for label in sorted(fabric.labels, key=len, reverse=True):
        site = site.replace(f'"{label}"', '"switch"')
    (tmp_path / "site").write_text(site)
    found = bound(fabric, tmp_path / "site")
    addresses = found.properties["switch_addresses"]
    assert len({address[0] for address in addresses}) == 50
    assert all(address[0] >> 56 == 0x7C for address in addresses)
    assert found.labels == fabric.labels
    live = tulle.Fabric(f"file:edges={tmp_path / 'site'},format=ibnetdiscover")
    guids = [address[0] for address in live.properties["switch_addresses"]]
    place = {guid: at for at, guid in enumerate(guids)}
    cables = {tuple(sorted((place[addresses[a][0]], place[addresses[b][0]]))) for a, b in found.edges.tolist()}
    assert cables == {tuple(sorted(pair)) for pair in live.edges.tolist()}
    named = bound(fabric, plan / "exports/plan.ibnet")
    assert named.properties["switch_addresses"][0][0] >> 56 == 0x5F
    with pytest.raises(InputError, match="the cabling differs from"):
        bound(tulle.Fabric("jellyfish:switches=50,degree=7,p=4"), tmp_path / "site")
    with pytest.raises(InputError, match=r"50 switches; legal: 18"):
        bound(tulle.Fabric("slimfly:q=3"), tmp_path / "site")


def test_a_failure_half_way_leaves_the_old_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "bundle"
    write_bundle(made(), place)
    before = {file.name: file.read_bytes() for file in place.iterdir() if file.is_file()}
    other = made(scheme="dfsssp")

    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tulle.deploy.infiniband.write.header_text", full)
    with pytest.raises(FileError, match="No space left on device"):
        write_bundle(other, place)
    assert {file.name: file.read_bytes() for file in place.iterdir() if file.is_file()} == before
    assert not [*place.glob(".staging-*")]
    with pytest.raises(FileError):
        write_bundle(other, place / "lfts")
    assert read_bundle(place, check=["lfts", "sl2vl"]).header.vls == made().plan.num_vcs
