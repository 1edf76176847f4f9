"""What `deploy repair` calls safe, against a checker that shares nothing with it; and what it must not call so."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from union import is_acyclic, read_files, read_wiring, union

import tulle
from tulle.deploy.infiniband.bundle import Bundle, read_bundle
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.repair import repair, write_repair
from tulle.deploy.infiniband.write import write_bundle

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tulle", *arguments], capture_output=True, text=True, check=False)


def bundled(place: Path, fabric: str, routing: str, scheme: str, lmc: int = 2) -> Bundle:
    write_bundle(deploy_infiniband(tulle.route(fabric, routing).deadlock_free(scheme), lmc=lmc), place)
    return read_bundle(place)


def faults_of(bundle: Bundle, seed: int) -> list[str]:
    """Seeded single cables, two at once, and a switch."""
    draw = np.random.default_rng(seed)
    cables = draw.permutation(bundle.fabric.cables).tolist()
    switch = int(draw.integers(bundle.fabric.num_switches))
    return [
        *(f"links=ids:{cable}" for cable in cables[:4]),
        f"links=ids:{cables[4]}+{cables[5]}",
        f"switches=ids:{switch}",
    ]


def judged(bundle: Bundle, faults: str, place: Path) -> tuple[bool, bool]:
    """What the repair says, and what the checker does."""
    bundle.fabric.write(place / "whole", "ibnetdiscover")
    bundle.fabric.failed(faults).write(place / "live", "ibnetdiscover")
    mended = repair(bundle, place / "live")
    assert mended is not None
    write_repair(mended, place / "mended")
    old, new = read_files(bundle.place), read_files(place / "mended")
    graph = union(old, new, read_wiring(place / "whole"), read_wiring(place / "live"))
    return mended.proof.proved, is_acyclic(graph)


@pytest.mark.parametrize("scheme", ["dfsssp", "colouring"])
def test_slim_fly_is_called_safe_where_no_state_can_deadlock(tmp_path: Path, scheme: str) -> None:
    """Of four layers of almost-minimal paths: the repair and the checker say the same, and today that is no."""
    bundle = bundled(tmp_path / "bundle", "slimfly:q=5", "almost-minimal:layers=4", scheme)
    for faults in faults_of(bundle, 1)[2:]:
        said, acyclic = judged(bundle, faults, tmp_path)
        assert said == acyclic, faults


@pytest.mark.parametrize(
    ("fabric", "routing", "scheme", "all_safe"),
    [
        ("clique:degree=7,p=2", "minimal", "dfsssp", True),
        ("fattree:levels=2,radix=8", "minimal", "one-vc", True),
        ("hyperx:shape=4x4,p=2", "minimal", "dfsssp", False),
        ("torus:shape=4x4,p=2", "minimal", "dfsssp", False),
    ],
)
def test_other_fabrics(tmp_path: Path, fabric: str, routing: str, scheme: str, all_safe: bool) -> None:
    bundle = bundled(tmp_path / "bundle", fabric, routing, scheme, 0)
    safe = []
    for faults in faults_of(bundle, 2):
        said, acyclic = judged(bundle, faults, tmp_path)
        assert said == acyclic, faults
        safe.append(said)
    assert all(safe[:4]) if all_safe else not all(safe)
