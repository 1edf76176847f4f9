"""Check repairs of subnets in which some switches have not loaded the bundle, with an independent checker."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent / "deploy"))
from deadlock_checker import is_acyclic, read_files, read_wiring, union

import tulle
from tulle.deploy.infiniband.bundle import Bundle, read_bundle
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.repair import Repair, repair, write_repair
from tulle.deploy.infiniband.write import write_bundle


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tulle", "deploy", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def blocks(path: Path) -> list[str]:
    """Return the tables of the switches in a file of forwarding tables."""
    return re.split(r"(?=^Unicast lids)", path.read_text(), flags=re.MULTILINE)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    place = tmp_path_factory.mktemp("whole") / "bundle"
    plan = tulle.route("slimfly:q=5,p=1", "almost-minimal:layers=4").assign_vcs("colouring")
    write_bundle(deploy_infiniband(plan, lmc=2), place)
    return read_bundle(place)


def seen(bundle: Bundle, faults: str, path: Path) -> Path:
    bundle.fabric.with_failures(faults).write(path, "ibnetdiscover")
    return path


def half_loaded(whole: Bundle, folder: Path, faults: str, seed: int) -> Bundle:
    """Repair a copy of the bundle. Write the folder `mixed`: the tables if half of the switches load the repair."""
    place = folder / "bundle"
    shutil.copytree(whole.place, place, symlinks=True)
    first = repair(whole, seen(whole, faults, folder / "live-before"))
    assert first is not None
    assert first.proof.proved
    write_repair(first, place)
    old, new = (blocks(place / "versions" / version / "lfts") for version in ("0001", "0002"))
    is_new = np.random.default_rng(seed).random(len(old)) < 0.5
    # A dead switch has no new table.
    heads = {text.partition("\n")[0]: text for text in new}
    mixed = [heads.get(text.partition("\n")[0], "") if there else text for text, there in zip(old, is_new, strict=True)]
    (folder / "mixed").mkdir()
    for name in ("sl2vl", "guid2lid"):
        shutil.copy(place / "versions" / "0001" / name, folder / "mixed")
    (folder / "mixed" / "lfts").write_text("".join(mixed))
    return read_bundle(place)


def judged(bundle: Bundle, folder: Path, live: Path) -> tuple[Repair, bool]:
    """Return the repair of the half-loaded subnet, and whether the checker finds no cycle in any state."""
    found = repair(bundle, live, lfts=folder / "mixed" / "lfts")
    assert found is not None
    write_repair(found, folder / "mended", drained=True)
    wirings = read_wiring(folder / "live-before"), read_wiring(live)
    in_use = read_files(bundle.folder)
    return found, is_acyclic(union(read_files(folder / "mixed"), read_files(folder / "mended"), *wirings, [in_use]))


@pytest.mark.parametrize(
    ("seed", "first", "second", "is_safe"),
    [(3, 52, "links=ids:170", False), (2, 89, "switches=ids:17", False), (1, 95, "links=ids:104", True)],
)
def test_the_proof_covers_switches_with_earlier_tables(
    whole: Bundle, tmp_path: Path, seed: int, first: int, second: str, is_safe: bool
) -> None:
    bundle = half_loaded(whole, tmp_path, f"links=ids:{first}", seed)
    live = seen(bundle, again(bundle, whole, second), tmp_path / "live")
    found, acyclic = judged(bundle, tmp_path, live)
    assert (found.proof.proved, acyclic) == (is_safe, is_safe)
    assert found.unloaded is not None
    assert 10 < len(found.unloaded.switches) < 30
    # Without the tables of the subnet, the proof assumes that all switches have loaded the bundle.
    assumed = repair(bundle, live)
    assert assumed is not None
    assert (assumed.proof.proved, assumed.tables_read, assumed.unloaded) == (True, False, None)
    if not is_safe:
        assert found.why_unsafe.startswith(f"{found.unloaded}: while switches load their tables one at a time")
    # After OpenSM has loaded the bundle, the tables of the subnet change nothing.
    loaded = repair(bundle, live, lfts=bundle.folder / "lfts")
    assert loaded is not None
    assert (loaded.proof, loaded.unloaded, loaded.tables_read) == (assumed.proof, None, True)


def again(bundle: Bundle, whole: Bundle, faults: str) -> str:
    """Translate faults of the first fabric to the ids of the repaired fabric."""
    kind, number = faults.split("=ids:")
    if kind == "switches":
        return f"switches=ids:{bundle.fabric.labels.index(whole.fabric.labels[int(number)])}"
    names = dict(zip(whole.fabric.cables.tolist(), whole.fabric.cable_names, strict=True))
    return f"links=ids:{bundle.fabric.cables[bundle.fabric.cable_names.index(names[int(number)])]}"


def test_tables_that_no_proof_covers(whole: Bundle, tmp_path: Path) -> None:
    """Check entries of removed hosts, and entries that no version of the bundle has."""
    bundle = half_loaded(whole, tmp_path, "switches=ids:13", 1)
    live, mixed = seen(bundle, "links=ids:40", tmp_path / "live"), tmp_path / "mixed" / "lfts"
    found = repair(bundle, live, lfts=mixed)
    assert found is not None
    assert found.unloaded is not None
    assert found.unloaded.problem.endswith(" forwards LIDs that the bundle does not have")
    assert found.why_unsafe == f"{found.unloaded}, and {found.unloaded.problem}"
    text = (bundle.folder / "lfts").read_text()
    lid = min(address[2] for address in bundle.endpoint_addresses)
    other = re.sub(
        rf"^0x{lid:04x} (\d+)", lambda row: f"0x{lid:04x} {int(row[1]) % 5 + 1:03}", text, count=1, flags=re.M
    )
    mixed.write_text(other)
    found = repair(bundle, live, lfts=mixed)
    assert found is not None
    assert found.unloaded is not None
    assert found.unloaded.problem.endswith(" has entries that no version of the bundle has")
    assert not found.proof.proved


def test_the_command(whole: Bundle, tmp_path: Path) -> None:
    bundle = half_loaded(whole, tmp_path, "links=ids:52", 3)
    place, mixed, before = bundle.place, tmp_path / "mixed" / "lfts", (bundle.folder / "lfts").read_bytes()
    live = seen(bundle, again(bundle, whole, "links=ids:170"), tmp_path / "live")
    command = ("repair", place, "--live", live, "-o", place)
    done = run(*command, "--lfts", mixed)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "not proved safe under traffic: 12 switches have not loaded the bundle, for example " in done.stderr
    assert "wait until its log has SUBNET UP, and repeat with new --live and --lfts files" in done.stderr
    assert (read_bundle(place).folder / "lfts").read_bytes() == before
    # A bundle that is only partly loaded needs no repair, but is not healthy.
    as_before = seen(bundle, "links=0", tmp_path / "as-before")
    done = run("repair", place, "--live", as_before, "--lfts", mixed, "--dry-run")
    assert re.fullmatch(
        r"12 switches have not loaded the bundle, for example \S+: send SIGHUP to OpenSM, and wait until its log has "
        r"SUBNET UP\n",
        done.stdout,
    )
    done = run("repair", place, "--live", as_before, "--lfts", mixed, "--dry-run", "--json")
    assert len(json.loads(done.stdout)["switches_not_loaded"]) == 12
    # Tables of some switches only.
    (tmp_path / "some").write_text("".join(blocks(mixed)[:-3]))
    done = run(*command, "--lfts", tmp_path / "some")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "lacks the tables of 3 live switches, for example" in done.stderr
    # Without tables, a note names the assumption.
    done = run(*command)
    assert done.returncode == 0
    assert (
        "proved safe under traffic only if all switches have loaded version 0002; "
        "--lfts FILE (output of dump_fts) checks this" in done.stderr
    )


@pytest.mark.large
def test_large_samples_of_second_failures(whole: Bundle, tmp_path: Path) -> None:
    """Check 15 cables and 5 switches that fail while half of the switches have loaded the repair of a cable."""
    safe = 0
    for seed in range(20):
        draw, folder = np.random.default_rng(seed), tmp_path / str(seed)
        first, second = draw.choice(whole.fabric.cables, 2, replace=False).tolist()
        fault = f"switches=ids:{draw.integers(50)}" if seed % 4 == 0 else f"links=ids:{second}"
        folder.mkdir()
        bundle = half_loaded(whole, folder, f"links=ids:{first}", seed)
        found, acyclic = judged(bundle, folder, seen(bundle, again(bundle, whole, fault), folder / "live"))
        assert acyclic or not found.proof.proved, seed
        safe += found.proof.proved
        shutil.rmtree(folder)
    assert safe >= 5
