"""Check what `repair`, `rollback` and the README of a bundle say about safety, next steps and hosts that must act."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from deploy_commands import refused

import tulle
from tulle.deploy.detours import Detours
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.infiniband.loading import loading_steps, settings_of
from tulle.deploy.infiniband.write import write_bundle
from tulle.deploy.reach import cycle_text

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from conftest import Cli

    from tulle.deploy.infiniband.bundle import Bundle

NEW = 0x506B4B0300A1C2E0


def bundled(place: Path, scheme: str = "colouring", vls: int = 8) -> Bundle:
    plan = tulle.route("slimfly:q=5", "almost-minimal:layers=4").assign_vcs(scheme)
    write_bundle(deploy_infiniband(plan, vls=vls), place, spec="slimfly:q=5")
    return read_bundle(place)


def cut(bundle: Bundle, place: Path, cables: int) -> None:
    """Write the output of ibnetdiscover without the first cables."""
    bundle.fabric.without(links=bundle.fabric.cables[:cables]).write(place, "ibnetdiscover")


def steps(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the next steps of the output, without their numbers."""
    assert done.returncode == 0, done.stderr
    lines = done.stdout.partition("\nnext steps")[2].splitlines()[1:]
    assert [line.partition(". ")[0] for line in lines] == [str(at + 1) for at in range(len(lines))]
    return [line.partition(". ")[2] for line in lines]


VERIFY = "ibnetdiscover > live; dump_fts > lfts; tulle deploy verify {} --live live --lfts lfts"
UP = "wait until OpenSM's log has SUBNET UP"


def test_hosts_that_must_ask_are_in_the_bundle(tmp_path: Path, tulle: Cli) -> None:
    bundle = bundled(tmp_path / "b", "dfsssp")
    assert "hosts_to_ask` |" not in (tmp_path / "b/README.md").read_text()
    cut(bundle, tmp_path / "live", 2)
    command = ("deploy", "repair", "b", "--live", "live")
    found = json.loads(tulle(*command, "--dry-run", "--json").stdout)
    hosts = found["hosts_to_ask"]
    assert 4 < len(hosts) < 200
    shown = f"hosts {', '.join(hosts[:4])} and {len(hosts) - 4} more"
    dry = tulle(*command, "--dry-run")
    assert f"path records of {len(hosts)} hosts change ({shown}; --json names all)" in dry.stderr
    assert "verdict              not proved safe under traffic\n" in dry.stdout
    assert "next steps" not in dry.stdout
    assert not any(name in dry.stdout for name in ("acyclic_with_old", "drain ", "why_drain"))
    done = tulle(*command, "--drained", "-o", "b")
    assert (tmp_path / "b/hosts_to_ask").read_text().splitlines() == hosts
    assert steps(done) == [
        "kill -HUP $(pidof opensm)",
        UP,
        VERIFY.format("b"),
        f"restart the programs on {len(hosts)} hosts ({shown}; b/hosts_to_ask names all), so that they query path "
        "records again",
        "start traffic",
    ]
    text = (tmp_path / "b/README.md").read_text()
    assert text.startswith("# slimfly:q=5: almost-minimal:layers=4")
    assert "| `hosts_to_ask` |" in text
    # After a repair without traffic, no host uses an earlier service level, so there is no such file.
    assert "`unasked`" not in text
    assert not (tmp_path / "b/unasked").exists()
    assert json.loads((tmp_path / "b/bundle.json").read_text())["files"]["hosts_to_ask"]["bytes"] > 0
    # The next version has its own file, or none.
    tulle("deploy", "rollback", "b", "--drained")
    assert not (tmp_path / "b/hosts_to_ask").exists()


def test_steps_after_a_repair_under_traffic(tmp_path: Path, tulle: Cli) -> None:
    bundle = bundled(tmp_path / "b")
    cut(bundle, tmp_path / "live", 1)
    done = tulle("deploy", "repair", "b", "--live", "live", "-o", "b")
    assert "verdict              proved safe under traffic\n" in done.stdout
    assert steps(done) == ["kill -HUP $(pidof opensm)", UP, VERIFY.format("b")]
    text = (tmp_path / "b/README.md").read_text()
    assert text.startswith("# slimfly:q=5: ")
    assert "| `unasked`" not in text
    assert "| `hosts_to_ask`" not in text
    before = settings_of(tmp_path / "b")
    assert loading_steps(tmp_path / "b", before, signalled=True)[0] == UP
    # A new folder: OpenSM has to start with its settings.
    other = steps(tulle("deploy", "repair", "b/versions/0001", "--live", "live", "-o", "new one"))
    assert other == [
        f"restart OpenSM with opensm -F '{tmp_path / 'new one'}/opensm.conf' -B",
        UP,
        VERIFY.format("'new one'"),
    ]
    back = tulle("deploy", "rollback", "b", "--drained")
    assert "\nnext steps, if the network has loaded version 0002\n" in back.stdout
    assert steps(back) == [
        "kill -HUP $(pidof opensm)",
        UP,
        VERIFY.format("b"),
        "restart the programs on all hosts, so that they query path records again",
        "start traffic",
    ]
    assert json.loads(tulle("deploy", "rollback", "b", "--to", "2", "--drained", "--json").stdout)["version"] == "0002"


def test_steps_for_a_bundle_on_another_machine(tmp_path: Path, tulle: Cli) -> None:
    bundle = bundled(tmp_path / "first")
    cut(bundle, tmp_path / "live", 1)
    (tmp_path / "first").rename(tmp_path / "copy")
    done = tulle("deploy", "repair", "copy", "--live", "live", "-o", "copy")
    links = "with its symbolic links (rsync -a, versions/ first)"
    there = f"copy copy to {tmp_path / 'first'} on the machine of OpenSM, {links}"
    assert steps(done) == [there, "kill -HUP $(pidof opensm)", UP, VERIFY.format("copy")]
    # OpenSM got the signal before the copy, so it needs another one.
    assert loading_steps(tmp_path / "copy", settings_of(tmp_path / "copy"), signalled=True)[1].startswith("kill -HUP")


def test_a_replaced_switch_is_explained(tmp_path: Path, tulle: Cli) -> None:
    bundle = bundled(tmp_path / "b")
    name, old = bundle.fabric.labels[1], f"{bundle.switch_addresses[1][0]:016x}"
    bundle.fabric.write(tmp_path / "live", "ibnetdiscover")
    text = (tmp_path / "live").read_text()
    (tmp_path / "live").write_text(text.replace(old, f"{NEW:016x}"))
    command = ("deploy", "repair", "b", "--live", "live")
    dry = tulle(*command, "--dry-run")
    assert dry.returncode == 0
    assert (
        f"packets can be sent to {name} (0x{NEW:016x}), a switch outside the bundle with unknown tables" in dry.stderr
    )
    assert "hops" not in dry.stderr.partition("not proved safe")[2].partition("\n")[0]
    assert "wrong_cables         \n" in dry.stdout
    assert json.loads(tulle(*command, "--dry-run", "--json").stdout)["wrong_cables"] == []
    binding = f"{name}=0x{NEW:016x}"
    expected = [
        f"copy {tmp_path / 'b'}/guid2lid into OpenSM's cache folder (/var/cache/opensm)",
        f"restart OpenSM with opensm -F {tmp_path / 'b'}/opensm.conf -B",
        UP,
        VERIFY.format("b"),
    ]
    assert steps(tulle(*command, "--bind", binding, "-o", "b")) == expected
    # A second --bind changes nothing.
    again = tulle(*command, "--bind", binding, "-o", "b")
    assert (again.returncode, again.stdout) == (0, f"already bound: {binding}; the bundle stays unchanged\n")
    assert json.loads(tulle(*command, "--bind", binding, "-o", "b", "--json").stdout) == {"bound": [], "written": []}
    back = steps(tulle("deploy", "rollback", "b", "--drained"))
    assert back[:2] == expected[:2]


def test_the_cables_of_another_new_switch_are_wrong(tmp_path: Path, tulle: Cli) -> None:
    bundle = bundled(tmp_path / "b")
    old = f"{bundle.switch_addresses[1][0]:016x}"
    bundle.fabric.write(tmp_path / "live", "ibnetdiscover")
    text = (tmp_path / "live").read_text().replace(old, f"{NEW:016x}")
    # One cable of the new switch is at another port than planned, so the switch replaces no planned one.
    name = f'"S-{NEW:016x}"'
    blocks = text.replace(f"{name}[1]", f"{name}[30]").split("\n\n")
    at = next(at for at, block in enumerate(blocks) if re.search(rf"^Switch.* {name}", block, re.MULTILINE))
    blocks[at] = blocks[at].replace("\n[1]", "\n[30]")
    (tmp_path / "live").write_text("\n\n".join(blocks))
    found = json.loads(tulle("deploy", "repair", "b", "--live", "live", "--dry-run", "--json").stdout)
    assert len(found["wrong_cables"]) == 7
    assert sum(cable.endswith(" port 30") for cable in found["wrong_cables"]) == 1


@pytest.mark.parametrize("length", [2, 8, 9, 40])
def test_a_cycle_is_whole_or_has_a_clear_count(length: int) -> None:
    text = cycle_text("lane", "lanes", list(range(length)), lambda node: f"n{node}")
    names = ", ".join(f"n{node}" for node in range(min(length, 8)))
    begins = ":" if length <= 8 else " begins with"
    assert text == f"one cycle of {length} lanes{begins} {names}"


def test_a_refused_repair_names_one_cycle(tmp_path: Path, tulle: Cli) -> None:
    bundle = bundled(tmp_path / "b", "dfsssp")
    cut(bundle, tmp_path / "live", 2)
    refusal = refused(tulle("deploy", "repair", "b", "--live", "live", "-o", "new"), code=1)
    count, _, cycle = refusal.partition(" lanes of links can deadlock; one cycle of ")
    assert int(count.rpartition(" ")[2].replace(",", "")) > 0
    number, _, names = cycle.partition(" lanes")
    shown = names.partition(";")[0].count(" VL ")
    assert shown == min(int(number), 8)
    assert names.startswith(": " if int(number) <= 8 else " begins with ")


@pytest.mark.parametrize(
    ("scheme", "vls", "text"),
    [
        ("colouring", 8, "the plan uses 3 VLs, VL 7 is for multicast and 4 VLs are left for repairs."),
        ("colouring", 4, "the plan uses 3 VLs and VL 3 is for multicast."),
        ("dfsssp:vcs=8", 8, "Every port must have 8 data VLs (`--vls`)"),
    ],
)
def test_the_readme_says_why_ports_need_lanes(tmp_path: Path, scheme: str, vls: int, text: str) -> None:
    bundled(tmp_path / "b", scheme, vls)
    assert text in " ".join((tmp_path / "b/README.md").read_text().split())


def test_lossless_ethernet_uses_the_same_words(tulle: Cli) -> None:
    command = ("deploy", "linux", "slimfly:q=3", "minimal", "--deadlock", "dfsssp", "--link", "all:rate=100Gbps")
    assert tulle(*command, "-o", "b").returncode == 0
    repair = ("deploy", "repair", "b", "--dead-cable", "s0-0-0:s0-0-1")
    found = json.loads(tulle(*repair, "--dry-run", "--json").stdout)
    safe = "proved safe under traffic" if found["acyclic_with_old"] else "not proved safe under traffic"
    dry = tulle(*repair, "--dry-run").stdout
    assert f" {safe}\n" in dry
    assert "acyclic_with_old" not in dry
    done = tulle(*repair, "--drained", "-o", "b")
    assert steps(done) == ["load the changes of all switches in rounds, as b/changes/README.md describes"]
    back = steps(tulle("deploy", "rollback", "b", "--drained"))
    assert back[0] == "load the files of all switches, as b/README.md describes"
    assert back[1].startswith("start lossless traffic")


def test_detours_of_the_same_length_are_not_compared() -> None:
    assert str(Detours(42, 3, 3)).endswith("the longest path of all layers still has 3 hops")
    assert str(Detours(1, 3, 4)).startswith("1 path has more hops")
    assert str(Detours(1, 3, 4)).endswith("the longest path of all layers has 4 instead of 3 hops")


def test_a_rollback_without_an_earlier_version(tmp_path: Path, tulle: Cli) -> None:
    bundle = bundled(tmp_path / "b")
    cut(bundle, tmp_path / "live", 1)
    assert tulle("deploy", "repair", "b", "--live", "live", "-o", "b").returncode == 0
    assert tulle("deploy", "rollback", "b", "--drained").returncode == 0
    assert "b: version 0001 is the first one; legal: --to 0002" in refused(
        tulle("deploy", "rollback", "b", "--drained")
    )


def test_a_graph_may_have_any_name_with_a_format(tmp_path: Path, tulle: Cli) -> None:
    said = refused(tulle("fabric", "slimfly:q=5", "--write", "live"))
    assert said.strip().endswith("or any name with --format, for example --format ibnetdiscover")
    assert tulle("fabric", "slimfly:q=5", "--write", "live", "--format", "ibnetdiscover").returncode == 0
    assert np.char.startswith((tmp_path / "live").read_text().splitlines(), "Switch").sum() == 50


def test_repair_after_a_rollback_names_the_condition_of_its_proof(tmp_path: Path, tulle: Cli) -> None:
    """The network may still have the tables and service levels of the version before the rollback."""
    bundle = bundled(tmp_path / "b")
    cut(bundle, tmp_path / "many", 2)
    cut(bundle, tmp_path / "one", 1)
    assert tulle("deploy", "repair", "b", "--live", "many", "--drained", "-o", "b").returncode == 0
    later = read_bundle(tmp_path / "b").folder / "lfts"
    assert tulle("deploy", "rollback", "b", "--drained").returncode == 0
    command = ("deploy", "repair", "b", "--live", "one")
    condition = (
        "proved safe under traffic only if, since the rollback from version 0002, all switches have loaded version "
        "0001 and all hosts have queried path records; otherwise traffic must be stopped"
    )
    dry = tulle(*command, "--dry-run")
    assert f"tulle: {condition}\n" in dry.stderr
    assert "verdict              proved safe under traffic, but only on a condition (see the note)\n" in dry.stdout
    assert json.loads(tulle(*command, "--dry-run", "--json").stdout)["rolled_back_from"] == "0002"
    watched = tulle("deploy", "watch", "b", "--live-command", "cat one", "--rehearse")
    assert condition in " ".join(watched.stdout.split())
    # The tables of the subnet are those of version 0002.
    unproved = tulle(*command, "--lfts", str(later), "--dry-run").stderr
    assert "has entries of version 0002 instead of version 0001; send SIGHUP" in unproved
    last = (
        "if hosts have not queried path records since the rollback from version 0002: restart the programs on all "
        "hosts, then start traffic"
    )
    assert steps(tulle(*command, "-o", "b"))[-1] == last
    # Version 0003 is the newest one, so the next repair is a usual one.
    assert "rollback" not in tulle("deploy", "repair", "b", "--live", "many", "--dry-run").stderr
