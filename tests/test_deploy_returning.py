"""Check that `tulle deploy repair --to` goes back to a version with more switches, without loops or lost packets."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent / "deploy"))
from deploy_commands import done, refused, version
from round_checker import check_rounds, read_files

from tulle.deploy.ethernet.bundle import read_bundle
from tulle.deploy.versions.layout import current

if TYPE_CHECKING:
    from conftest import Cli

NETWORKS = [
    ("slimfly:q=3,p=1", "almost-minimal:layers=3"),
    ("slimfly:q=3,p=1", "minimal"),
    ("hyperx:shape=3x3,p=1", "spread:layers=3"),
    ("jellyfish:switches=16,degree=4,p=1", "random:layers=3,rho=0.7"),
    ("fattree:levels=3,radix=4", "minimal"),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def names(place: str = "b") -> tuple[str, ...]:
    return read_bundle(place).plan.names


@pytest.mark.parametrize(("fabric", "routing"), NETWORKS)
def test_a_switch_returns(tulle: Cli, fabric: str, routing: str) -> None:
    rng = random.Random(3)
    done(tulle("deploy", "linux", fabric, routing, "-o", "b"))
    switches, rounds, reordered = names(), 0, 0
    for dead in rng.sample(switches, 2):
        done(tulle("deploy", "repair", "b", "--dead-switch", dead, "-o", "b"))
        lost = current(Path("b"))
        back = json.loads(done(tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b", "--json")))
        assert (back["returning_switches"], back["dead_switches"], back["hosts_lost"]) == ([dead], [], 0)
        assert names() == switches
        old, new = version(int(lost or 0)), version(int(current(Path("b")) or 0))
        assert back["hosts_back"] == len(read_bundle(new).plan.hosts) - len(read_bundle(old).plan.hosts)
        assert check_rounds(old, new, rng) > len(switches)
        # The routes, neighbours and links equal those of the first version.
        first, last = (read_files(one) for one in (version(1), new))
        assert first == last
        rounds = max(rounds, back["rounds"])
        try:
            check_rounds(old, new, rng, last_first=True)
        except AssertionError:
            reordered += 1
    # The order of the rounds matters: in another order, packets loop or are lost.
    assert (rounds > 1) == (reordered > 0)


def test_several_switches_and_cables_return_in_any_combination(tulle: Cli) -> None:
    rng = random.Random(5)
    done(tulle("deploy", "linux", "slimfly:q=3,p=2", "almost-minimal:layers=2", "-o", "b"))
    one, other, far = names()[2], names()[7], names()[12]
    cable = f"{names()[0]}:{names()[1]}"
    done(tulle("deploy", "repair", "b", "--dead-switch", one, "--dead-cable", cable, "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-switch", other, "-o", "b"))
    # Both return, with the cable.
    done(tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b"))
    check_rounds(version(3), version(4), rng)
    # Only the second one returns.
    done(tulle("deploy", "rollback", "b", "--to", "3"))
    done(tulle("deploy", "repair", "b", "--to", "b/versions/0002", "-o", "b"))
    check_rounds(version(3), version(5), rng)
    # One switch returns, another one is lost.
    done(tulle("deploy", "rollback", "b", "--to", "1"))
    done(tulle("deploy", "repair", "b", "--dead-switch", far, "-o", "b"))
    back = tulle("deploy", "repair", "b", "--to", "b/versions/0002", "-o", "b", "--json")
    fields = json.loads(done(back))
    assert (fields["returning_switches"], fields["dead_switches"]) == ([far], [one])
    assert fields["hosts_lost"] == fields["hosts_back"] > 0
    check_rounds(version(6), version(7), rng)
    assert current(Path("b")) == "0007"
    back = tulle("deploy", "repair", "b", "--to", "b/versions/0006", "--dry-run")
    assert f"no path leads to {fields['hosts_lost']} hosts at switches that b/versions/0006 lacks: {far}" in back.stderr


def test_the_steps_are_in_the_files(tulle: Cli) -> None:
    done(tulle("deploy", "linux", "slimfly:q=3,p=2", "minimal", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-switch", "s0-0-1", "-o", "b"))
    back = tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b")
    hosts = [host.name for host in read_bundle("b").plan.hosts if host.name.startswith("s0-0-1-")]
    assert f"1 switch (s0-0-1) and {len(hosts)} hosts return: set them up from scratch before round 1" in back.stderr
    assert "b/changes/returning lists their folders" in back.stderr
    listed = Path("b/changes/returning").read_text().split()
    assert listed == ["switches/s0-0-1", *(f"hosts/{name}" for name in hosts)]
    assert all((Path("b") / folder / "up").is_file() for folder in listed)
    readme = Path("b/changes/README.md").read_text()
    parts = [
        "## Before all rounds: check the cables",
        "## Before all rounds: ports toward",
        "## Before all rounds: switches that return",
        "## The rounds\n\nCopy this folder to the switches. For every round N in order",
    ]
    places = [readme.index(part) for part in parts]
    assert places == sorted(places), "steps must be in the order in which the reader does them"
    # If a neighbour was set up from the repaired bundle, its port toward the returning switch is not set up yet.
    ports = dict(line.split() for line in Path("b/switches/s0-0-0/links").read_text().splitlines())
    before = dict(line.split() for line in (version(2) / "switches/s0-0-0/links").read_text().splitlines())
    ((port, mac),) = ports.items() - before.items()
    lines = Path("b/changes/0/s0-0-0.batch").read_text().splitlines()
    assert lines[:2] == [f"link set dev {port} address {mac}", f"link set dev {port} up"]
    assert lines[2].startswith("neighbour replace 10.255.1.1 lladdr ")


def test_versions_that_cannot_follow_each_other(tulle: Cli, tmp_path: Path) -> None:
    ring = tmp_path / "ring.txt"
    ring.write_text("a b\nb c\nc d\nd a\n")
    path = tmp_path / "path.txt"
    path.write_text("a c\nc d\n")
    moved = tmp_path / "moved.txt"
    moved.write_text("a b\nc a\nd c\nb d\n")
    done(tulle("deploy", "linux", f"file:edges={ring},p=2", "minimal", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-switch", "b", "-o", "b"))
    for number, (fabric, routing, options, problem) in enumerate(
        [
            (f"file:edges={ring},p=1", "minimal", (), "host a-h2: not at switch a (in b: at port eth4 of a, with"),
            (f"file:edges={ring},p=2", "almost-minimal:layers=2", (), "layers: 2 (in b: 1)"),
            (f"file:edges={ring},p=2", "minimal", ("--ipv6",), "addresses ("),
            (f"file:edges={path},p=2", "minimal", (), "host a-h1: at port eth2 of a, with"),
        ]
    ):
        other = f"other{number}"
        done(tulle("deploy", "linux", fabric, routing, *options, "-o", other))
        before = sorted(Path("b").rglob("*"))
        message = refused(tulle("deploy", "repair", "b", "--to", other, "-o", "b"))
        assert f"{other} differs from b in {problem}" in message
        assert "legal: a bundle of the same cabling, hosts, layers and addresses" in message
        assert sorted(Path("b").rglob("*")) == before
    done(tulle("deploy", "linux", f"file:edges={moved},p=2", "minimal", "-o", "moved"))
    message = refused(tulle("deploy", "repair", "b", "--to", "moved", "-o", "b"))
    assert "moved: port eth2 of a is connected to port eth1 of c, but to port eth1 of d in b" in message
    assert "legal: a bundle of the same cabling" in message


def test_the_version_in_use_is_no_change(tulle: Cli) -> None:
    done(tulle("deploy", "linux", "slimfly:q=3,p=1", "minimal", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-switch", "s0-0-1", "-o", "b"))
    for to in ("b", "b/versions/0002"):
        assert "the bundle stays unchanged" in done(tulle("deploy", "repair", "b", "--to", to, "-o", "b"))
    assert current(Path("b")) == "0002"
