"""Test InfiniBand bundles end to end with OpenSM and ibsim: load them, read tables back, follow paths, and repair."""

from __future__ import annotations

import random
import re
import shutil
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import preloaded
import pytest
from patience import PATIENCE
from subnet import Subnet, missing

from tulle import Fabric, route
from tulle.cabling.verify import NO_RATES
from tulle.deploy.infiniband.bundle import Bundle, read_bundle
from tulle.deploy.infiniband.ibdmchk import run_ibdmchk, write_for_ibdmchk
from tulle.deploy.infiniband.import_tables import routing_of_tables
from tulle.deploy.infiniband.intent import NO_LANE, Intent
from tulle.deploy.infiniband.verify import Verdict, verify
from tulle.deploy.read import read_counters, read_lfts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing() or "-")

SAMPLES = 200


@dataclass
class Deployed:
    """A bundle that OpenSM has loaded into a simulated subnet."""

    bundle: Bundle
    subnet: Subnet
    folder: Path

    def seen(self, *, samples: int = 0) -> dict[str, Path]:
        """Run tools that read the subnet, and return their output files by name."""
        shown = {
            "lfts": self.subnet.tool("dump_fts"),
            "live": self.subnet.tool("ibnetdiscover"),
        }
        if samples:
            shown["paths"] = "".join(
                self.subnet.tool("saquery", "-p", "--src-to-dst", f"{source}:{lid}")
                for source, lid in self.pairs(samples)
            )
        for name, text in shown.items():
            (self.folder / name).write_text(text)
        found = {name: self.folder / name for name in shown}
        return {**found, "sl2vl": self.subnet.folder / "opensm-sl2vl.dump"}

    def pairs(self, count: int) -> list[tuple[int, int]]:
        """Return random pairs of LIDs; the hosts of a pair are at different switches."""
        intent, draw = Intent(self.bundle), random.Random(1)
        lids = np.flatnonzero(intent.lid_endpoint >= 0).tolist()
        found: list[tuple[int, int]] = []
        while len(found) < count:
            source, to = draw.choice(lids), draw.choice(lids)
            if intent.lid_switch[source] != intent.lid_switch[to]:
                found.append((source, to))
        return found

    def verdict(self, *, samples: int = 0, ibdmchk: bool = False) -> Verdict:
        """Verify all outputs of the tools against the bundle."""
        seen = self.seen(samples=samples)
        return verify(
            self.bundle,
            lfts=seen["lfts"],
            sl2vl=[seen["sl2vl"]],
            live=seen["live"],
            paths=[seen["paths"]] if samples else (),
            ibdmchk=self.folder / "ibdmchk" if ibdmchk else None,
        )


def made(folder: Path, fabric: str, routing: str, deadlock: str, lmc: int) -> Bundle:
    """Run `tulle deploy infiniband` and return the bundle that it writes."""
    command = ("deploy", "infiniband", fabric, routing, "--deadlock", deadlock, "--lmc", str(lmc), "-o", str(folder))
    done = preloaded.run(*command)
    assert done.returncode == 0, done.stderr
    return read_bundle(folder)


def bare(bundle: Bundle, path: Path) -> Path:
    """Write the netlist of a bundle's fabric without LIDs, because new devices have no LIDs yet."""
    bundle.fabric.write(path)
    path.write_text(
        re.sub(r"\blid \d+( lmc \d)?", lambda match: "lid 0 lmc 0" if match[1] else "lid 0", path.read_text())
    )
    return path


def start(
    subnet: Subnet, folder: Path, plugin: Path, *, options: Sequence[str] = (), conf: Path | None = None, **more: Any
) -> None:
    """Start OpenSM with a bundle, and with further command-line options."""
    shutil.copy(folder / "guid2lid", subnet.folder)
    environment = {"LD_LIBRARY_PATH": str(plugin), **more.pop("environment", {})}
    subnet.opensm(
        "-F", str(conf or folder / "opensm.conf"), *options, "-s", "0", "-D", "0x43", environment=environment, **more
    )


@pytest.fixture(scope="module")
def slim_fly(tmp_path_factory: pytest.TempPathFactory, plugin: Path) -> Iterator[Deployed]:
    """Deploy the Slim Fly of Blach et al. (NSDI24), with four layers and the deadlock scheme `colouring`."""
    folder = tmp_path_factory.mktemp("slimfly")
    bundle = made(folder / "bundle", "slimfly:q=5", "almost-minimal:layers=4", "colouring", 2)
    netlist = bare(bundle, folder / "net.ibnet")
    with Subnet(netlist, folder / "run") as subnet:
        start(subnet, folder / "bundle", plugin)
        yield Deployed(bundle, subnet, folder)


def test_all_is_read_back_as_planned(slim_fly: Deployed) -> None:
    assert "39200 paths of up to 3 hops, no dependency cycle of lanes" in slim_fly.subnet.log
    slim_fly.subnet.wait_log("tulle_sl2vl: 6800 of 6800 SL-to-VL rows as planned")
    verdict = slim_fly.verdict(samples=SAMPLES, ibdmchk=True)
    assert verdict.differences == []
    # The fabric has no rates, so nothing is known about slow cables.
    assert [note for note in verdict.notes if not note.startswith(NO_RATES)] == []
    lanes = verdict.checks.pop(10)
    assert lanes.what == "virtual lanes that are in no dependency cycle"
    assert lanes.good == lanes.of > 350
    assert [tuple(check) for check in verdict.checks] == [
        ("nodes", 250, 250),
        ("cables between switches", 175, 175),
        ("cables to hosts", 200, 200),
        ("ports with their LIDs", 250, 250),
        ("LFT entries", 42500, 42500),
        ("SL-to-VL rows of switches", 6600, 6600),
        ("SL-to-VL rows of hosts", 200, 200),
        ("service levels of paths", SAMPLES, SAMPLES),
        ("paths to LIDs walked", 39200, 39200),
        ("layer paths between switches", 9800, 9800),
        ("ibdmchk: no credit loop", 1, 1),
    ]
    # `verify` also reads forwarding tables from OpenSM's own dump, and the virtual lanes of one switch from smpquery.
    kept = verify(slim_fly.bundle, lfts=slim_fly.subnet.folder / "opensm-lfts.dump")
    assert kept.agrees
    queried = slim_fly.folder / "queried"
    queried.write_text("".join(slim_fly.subnet.tool("smpquery", "sl2vl", "7", str(port)) for port in range(1, 12)))
    rows = verify(slim_fly.bundle, sl2vl=[queried])
    assert rows.agrees
    assert rows.checks[0][1:] == (132, 132)
    assert rows.notes == ["6,468 SL-to-VL rows were not read, and are assumed as planned"]


def test_path_of_three_hops_by_ibtracert_and_counters(slim_fly: Deployed) -> None:
    """Check that a longest path between hosts follows the tables, and that each port on the path counts the packets."""
    intent, subnet = Intent(slim_fly.bundle), slim_fly.subnet
    source = int(intent.endpoint_switch[0])
    lengths = {int(lid): _hops(intent, source, int(lid)) for lid in np.flatnonzero(intent.lid_endpoint >= 0)}
    lid = next(lid for lid, hops in lengths.items() if len(hops) == 4)
    traced = subnet.tool("ibtracert", str(int(intent.endpoint_lids[0])), str(lid))
    hops = re.findall(r"^\[(\d+)\] -> switch port \{(0x[0-9a-f]+)\}", traced, re.MULTILINE)
    (last,) = re.findall(r"^\[(\d+)\] -> ca port", traced, re.MULTILINE)
    outs = [int(port) for port, _ in hops[1:]] + [int(last)]
    assert list(zip([intent.switch_of[int(guid, 16)] for _, guid in hops], outs, strict=True)) == lengths[lid]

    def sent() -> list[int]:
        rows = [
            read_counters(
                _kept(slim_fly.folder / "perf", subnet.tool("perfquery", str(intent.switch_lids[at]), str(out)))
            )
            for at, out in lengths[lid]
        ]
        return [row.counts["PortXmitPkts"] for (row,) in rows]

    before = sent()
    # The host does not answer, and on a busy machine every packet can wait for many seconds. So packets are sent until
    # all ports of the path have counted some. A port that is not on the path would never count any.
    after = before
    with subnet.running("ibping", "-f", "-t", "1", str(lid)):
        deadline = time.monotonic() + PATIENCE
        while any(then - now < 3 for now, then in zip(before, after, strict=True)) and time.monotonic() < deadline:
            after = sent()
    assert all(then - now >= 3 for now, then in zip(before, after, strict=True)), (before, after)


def _kept(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def _hops(intent: Intent, switch: int, lid: int) -> list[tuple[int, int]]:
    """Return the switches and ports of a path; the last port leads to the host."""
    found = []
    while True:
        out = int(intent.ports[switch, lid])
        found.append((switch, out))
        if (to := int(intent.links.to[switch, out])) < 0:
            return found
        switch = to


def test_ibdmchk_finds_loops_without_lanes_and_on_service_level_0(slim_fly: Deployed) -> None:
    intent = Intent(slim_fly.bundle)
    one_lane = intent.lanes._replace(switches=np.where(intent.lanes.switches == NO_LANE, NO_LANE, 0).astype(np.uint8))
    cases = {
        "plan": (intent.lanes, intent.levels, False),
        "one lane": (one_lane, intent.levels, True),
        "all on service level 0": (intent.lanes, np.zeros_like(intent.levels), True),
    }
    for name, (lanes, levels, loops) in cases.items():
        write_for_ibdmchk(slim_fly.folder / name, intent, intent.ports, lanes, levels)
        assert run_ibdmchk(slim_fly.folder / name).loops == loops, name


def test_hosts_on_service_level_0_are_seen(slim_fly: Deployed) -> None:
    paths = slim_fly.seen(samples=30)["paths"]
    paths.write_text(re.sub(r"(\tsl\.+)\S+", r"\g<1>0x0", paths.read_text()))
    verdict = verify(slim_fly.bundle, paths=[paths])
    kinds = [difference.kind for difference in verdict.differences]
    assert kinds[0] == "level-zero"
    assert "void the proof" in verdict.differences[0].instruction
    assert any("with all hosts on service level 0" in line and "deadlock" in line for line in verdict.notes)


# Deployments of about 50 switches, which test_repair.py tests: fabric, routing, deadlock scheme and LMC.
OTHERS = {
    "fat tree": ("fattree:levels=2,radix=32,p=8", "balanced:layers=2", "dfsssp", 1),
    "Dragonfly": ("dragonfly:p=2,a=6,h=2,g=9", "balanced:layers=2", "dfsssp", 1),
    "Jellyfish": ("jellyfish:switches=50,degree=7,p=4", "almost-minimal:layers=4", "dfsssp", 2),
}


def unlink(subnet: Subnet, bundle: Bundle, cable: int, *, again: bool = False) -> str:
    """Unplug a cable in the simulator, or plug it in again; return the end of the cable that the command names."""
    channel = bundle.fabric.cables[cable]
    guid = bundle.switch_addresses[int(bundle.fabric.channels[channel][0])][0]
    end = f'"S-{guid:016x}"[{bundle.ports[channel]}]'
    subnet.console(f"{'relink' if again else 'unlink'} {end}")
    return end


def test_dead_cable_is_a_black_hole_until_it_is_repaired(tmp_path: Path, plugin: Path) -> None:
    bundle = made(tmp_path / "bundle", "slimfly:q=5", "almost-minimal:layers=4", "colouring", 2)
    netlist = bare(bundle, tmp_path / "net.ibnet")
    with Subnet(netlist, tmp_path / "run") as subnet:
        start(subnet, tmp_path / "bundle", plugin)
        deployed = Deployed(bundle, subnet, tmp_path)
        cable = 17
        unlink(subnet, bundle, cable)
        subnet.sweep()
        subnet.wait_log("paths lead to links or switches that are missing: run tulle deploy repair")
        verdict = deployed.verdict()
        kinds = [difference.kind for difference in verdict.differences]
        # The verdict names the missing cable first, then the two ports at which paths end.
        assert kinds == ["cable-missing", "black-hole", "black-hole"]
        lost = sum(difference.count for difference in verdict.differences[1:])
        checks = {check.what: check for check in verdict.checks}
        assert checks["cables between switches"][1:] == (174, 175)
        assert checks["LFT entries"][1:] == (42500, 42500)
        assert checks["paths to LIDs walked"][1:] == (39200 - lost, 39200)
        assert f"tulle_sl2vl: {lost} paths lead to links" in subnet.log
        # Now a host's cable and a switch fail. Paths to this host and to hosts of this switch become black holes.
        for node in ("H-5f00000000803300", "S-5f00000000012000"):
            subnet.console(f'unlink "{node}"')
        subnet.sweep()
        found = {difference.kind for difference in deployed.verdict().differences}
        assert found == {"cable-missing", "node-missing", "black-hole"}
        for node in ("H-5f00000000803300", "S-5f00000000012000"):
            subnet.console(f'relink "{node}"')
        unlink(subnet, bundle, cable, again=True)
        subnet.sweep()
        subnet.sweep()
        verdict = deployed.verdict(ibdmchk=True)
        assert verdict.differences == []


def test_what_opensm_routes_itself_is_imported(tmp_path: Path) -> None:
    """Check that OpenSM's own engines use one path per pair of switches in a Slim Fly, even with four LIDs per host."""
    (netlist,) = Fabric("slimfly:q=5", links=["all:rate=56Gbps"]).write(tmp_path / "net.ibnet")
    for engine in ("minhop", "dfsssp"):
        folder = tmp_path / engine
        with Subnet(netlist, folder) as subnet:
            subnet.opensm("-R", f"{engine},no_fallback", "-l", "2", "-s", "0", "-D", "0x43")
            (folder / "lfts").write_text(subnet.tool("dump_fts"))
            (folder / "live.ibnet").write_text(subnet.tool("ibnetdiscover"))
        fabric = Fabric(f"file:edges={folder / 'live.ibnet'}")
        quality = routing_of_tables(fabric, read_lfts(folder / "lfts")).quality()
        assert quality.hops.tolist() == [0, 4 * 350, 4 * 2100]
        assert quality.disjoint.tolist() == [0, 2450]
    # docs/tutorials/deploy-infiniband.md states these numbers.
    assert route(fabric, "almost-minimal:layers=4").quality().disjoint.tolist() == [0, 352, 745, 1190, 163]
    assert route(fabric, "spread:layers=4").quality().disjoint.tolist() == [0, 0, 0, 2057, 393]


@pytest.mark.large
def test_large_slim_fly(tmp_path: Path, plugin: Path) -> None:
    """Deploy a Slim Fly (q=11, 242 switches, 2,178 adapters, LMC 2) with the plugin, then with OpenSM's file engine."""
    bundle = made(tmp_path / "bundle", "slimfly:q=11", "almost-minimal:layers=4", "colouring", 2)
    netlist = bare(bundle, tmp_path / "net.ibnet")
    for engine in ("plugin", "file"):
        with Subnet(netlist, tmp_path / engine) as subnet:
            if engine == "plugin":
                start(subnet, tmp_path / "bundle", plugin, timeout=300)
                subnet.wait_log("SL-to-VL rows as planned")
            else:
                shutil.copy(tmp_path / "bundle" / "guid2lid", subnet.folder)
                tables = ("-R", "file,no_fallback", "-U", str(tmp_path / "bundle" / "lfts"))
                subnet.opensm(*tables, "-l", "2", "-s", "0", "-D", "0x43", timeout=300)
            deployed = Deployed(bundle, subnet, tmp_path)
            seen = deployed.seen(samples=20 if engine == "plugin" else 0)
            with_lanes = {"sl2vl": [seen["sl2vl"]], "paths": [seen["paths"]]} if engine == "plugin" else {}
            verdict = verify(bundle, lfts=seen["lfts"], live=seen["live"], **with_lanes)  # type: ignore[arg-type]
            assert verdict.differences == []
            checks = {check.what: check[1:] for check in verdict.checks}
            assert checks["LFT entries"] == (242 * (242 + 4 * 2178), 242 * (242 + 4 * 2178))
            assert checks["layer paths between switches"] == (4 * 242 * 241, 4 * 242 * 241)
