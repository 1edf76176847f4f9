"""Check `tulle deploy repair --to` with returning switches for all targets: the changes lead to the other version."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from deploy_commands import done, refused, version

from tulle.deploy.ethernet.bundle import read_bundle

if TYPE_CHECKING:
    from conftest import Cli

OPTIONS = {"sonic": ("--link", "all:rate=100Gbps")}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def names(place: str) -> tuple[str, ...]:
    return read_bundle(place).plan.names


@pytest.mark.parametrize("target", ["linux", "frr", "ovs", "sonic"])
def test_a_rollback_recommends_a_change_under_traffic(tulle: Cli, target: str) -> None:
    done(tulle("deploy", target, "slimfly:q=3,p=1", "minimal", *OPTIONS.get(target, ()), "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-switch", "s0-0-1", "-o", "b"))
    assert "then `tulle deploy repair b --to b/versions/0001 -o b`" in tulle("deploy", "rollback", "b").stderr
    done(tulle("deploy", "rollback", "b", "--to", "2"))
    done(tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b"))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("frr", "--underlay", "bgp"), "with BGP, switches find other paths by themselves"),
        (("linux", "--deadlock", "dfsssp"), "lossless network, where only repairs are proved free of deadlock"),
    ],
)
def test_without_a_safe_order_traffic_stops(tulle: Cli, options: tuple[str, ...], problem: str) -> None:
    target, *more = options
    done(tulle("deploy", target, "slimfly:q=3,p=1", "minimal", *more, "-o", "b"))
    done(tulle("deploy", target, "slimfly:q=3,p=1", "almost-minimal:layers=2", *more, "-o", "b"))
    message = refused(tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b"))
    assert problem in message
    back = tulle("deploy", "rollback", "b", *(() if target == "frr" else ("--drained",)))
    assert back.returncode == 0
    assert ("stop traffic until all switches have loaded it" in back.stderr) == (target == "frr")


def test_open_vswitch_reaches_the_flows_of_the_first_version(tulle: Cli) -> None:
    """Check that the changes of all rounds give each switch the flows of the new version."""
    done(tulle("deploy", "ovs", "hyperx:shape=3x3,p=1", "minimal", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-switch", "s1-1", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b"))

    def flows(folder: Path) -> dict[str, str]:
        """The ports of each flow."""
        ports = {}
        for line in (folder / "groups").read_text().splitlines():
            number, _, buckets = line.removeprefix("group_id=").partition(",")
            ports[f"group:{number}"] = "+".join(re.findall(r"output:(\d+)", buckets))
        found = {}
        for line in (folder / "flows").read_text().splitlines():
            match, _, action = line.partition(",actions=")
            found[match] = ports.get(action, action.removeprefix("output:"))
        return found

    added = set()
    for name in names("b/versions/0002"):
        have, groups = flows(version(2) / "switches" / name), {}
        for number in sorted(path.name for path in Path("b/changes").iterdir() if path.name.isdigit()):
            file = Path("b/changes") / number / f"{name}.bundle"
            for line in file.read_text().splitlines() if file.is_file() else ():
                if line.startswith("group add_or_mod"):
                    group = re.search(r"group_id=(\d+)", line)
                    assert group is not None
                    groups[f"group:{group[1]}"] = "+".join(re.findall(r"output:(\d+)", line))
                else:
                    match, _, action = line.removeprefix("flow add ").partition(",actions=")
                    have[match] = groups.get(action, action.removeprefix("output:"))
        assert have == flows(Path("b/switches") / name)
        script = Path("b/changes/0") / f"{name}.sh"
        if script.is_file():
            added.add(name)
            (port,) = re.findall(r"add-port \"\$bridge\" (\S+)", script.read_text())
            assert port in (Path("b/switches") / name / "up").read_text()
            assert port not in (version(2) / "switches" / name / "up").read_text()
    assert added == {"s0-1", "s1-0", "s1-2", "s2-1"}


def test_frr_reaches_the_configuration_of_the_first_version(tulle: Cli) -> None:
    done(tulle("deploy", "frr", "slimfly:q=3,p=1", "minimal", "--bfd", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-switch", "s0-0-1", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b"))
    for name in names("b/versions/0002"):
        have = sections(version(2) / "switches" / name / "frr.conf")
        for number in sorted(path.name for path in Path("b/changes").iterdir() if path.name.isdigit()):
            file = Path("b/changes") / number / f"{name}.conf"
            for section in sections(file) if file.is_file() else ():
                (have.discard(section[3:]) if section.startswith("no ") else have.add(section))
        assert have == sections(Path("b/switches") / name / "frr.conf"), name


def sections(file: Path) -> set[str]:
    """The commands of a configuration, each with the section that it is in."""
    found, section = set(), ""
    for line in file.read_text().splitlines():
        if line.startswith("interface ") or line == "bfd":
            section = line
        elif line == "exit":
            section = ""
        found.add(f"{section} {line}" if section else line)
    return found


def test_sonic_reaches_the_database_of_the_first_version(tulle: Cli) -> None:
    done(tulle("deploy", "sonic", "slimfly:q=3,p=1", "minimal", *OPTIONS["sonic"], "--trim", "256", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-switch", "s0-0-1", "-o", "b"))
    done(tulle("deploy", "repair", "b", "--to", "b/versions/0001", "-o", "b"))
    ports = 0
    for name in names("b/versions/0002"):
        have = json.loads((version(2) / "switches" / name / "config_db.json").read_text())
        for number in sorted(path.name for path in Path("b/changes").iterdir() if path.name.isdigit()):
            file = Path("b/changes") / number / f"{name}.sh"
            for line in file.read_text().splitlines() if file.is_file() else ():
                program, database, verb, key, *fields = shlex.split(line)
                assert (program, database, verb) == ("sonic-db-cli", "CONFIG_DB", "hset")
                table, _, row = key.partition("|")
                pairs = dict(zip(fields[::2], fields[1::2], strict=True))
                values = {
                    name.removesuffix("@"): value.split(",") if name.endswith("@") else value
                    for name, value in pairs.items()
                    if name != "NULL"
                }
                have.setdefault(table, {})[row] = values
                ports += table == "PORT"
        assert have == json.loads((Path("b/switches") / name / "config_db.json").read_text()), name
    assert ports == 5


def test_sonic_saves_only_a_file_that_was_loaded(tulle: Cli, tmp_path: Path) -> None:
    """Check that the command of `changes/README.md` does not save if a command in the middle of the file fails."""
    done(tulle("deploy", "sonic", "slimfly:q=3,p=1", "minimal", *OPTIONS["sonic"], "-o", "b"))
    done(tulle("deploy", "repair", "b", "--dead-cable", "s0-0-0:s0-0-1", "-o", "b"))
    found = re.search(r"^    (sh .*)$", Path("b/changes/README.md").read_text(), re.MULTILINE)
    assert found is not None
    command = found[1].replace("N/NAME", "1/s0-0-0")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in (("sonic-db-cli", 'case "$3" in *"$FAILS") exit 1;; esac'), ("config", "echo saved")):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    for fails, printed in (("10.0.1.0/24", ""), ("none", "saved\n")):
        environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "FAILS": fails}
        ran = subprocess.run(
            ["sh", "-c", command], cwd="b/changes", env=environment, capture_output=True, text=True, check=False
        )
        assert (ran.stdout, ran.returncode == 0) == (printed, bool(printed))
