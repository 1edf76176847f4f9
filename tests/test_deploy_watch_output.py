"""Check what `tulle deploy watch` prints and exports, how it ends, and its answers to bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from watched_networks import PER_SWITCH, content, ethernet, links, run, steps, subnet, take_down

from tulle.cli.command import run as main
from tulle.deploy.watch.collect import LiveCommand

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan
    from tulle.deploy.infiniband.bundle import Bundle


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    return subnet(tmp_path)


@pytest.fixture
def plan(tmp_path: Path) -> EthernetPlan:
    return ethernet(tmp_path)


SAMPLE = re.compile(
    r'tulle_watch_(\w+)\{bundle="((?:[^"\\\n]|\\["\\n])*)"(?:,(?:kind|part)="([\w-]+)")?\} (-?\d+(?:\.\d+)?)'
)


def metrics(text: str) -> dict[Any, float]:
    """Read metrics as the exposition format defines it: every metric has HELP and TYPE lines before its samples."""
    assert text.endswith("\n")
    samples: dict[Any, float] = {}
    rows = text.splitlines()
    while rows:
        name = re.fullmatch(r"# HELP (tulle_watch_\w+) \S.*\.", rows.pop(0))
        assert name is not None
        assert re.fullmatch(rf"# TYPE {name[1]} (counter|gauge)", kind := rows.pop(0))
        assert name[1].endswith("_total") == kind.endswith("counter")
        while rows and not rows[0].startswith("#"):
            sample = SAMPLE.fullmatch(rows.pop(0))
            assert sample is not None
            assert f"tulle_watch_{sample[1]}" == name[1]
            key = (sample[1], sample[3]) if sample[3] else sample[1]
            assert key not in samples
            samples[key] = float(sample[4])
    return samples


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_text_output_has_only_changes(tmp_path: Path, plan: EthernetPlan) -> None:
    cable = take_down(tmp_path, plan, 0)
    (tmp_path / "good").mkdir()
    for switch, name in enumerate(plan.names):
        (tmp_path / "good" / f"{name}.json").write_text(links(plan, switch))
    commands = ["cp good/* $1", "cp good/* $1", "cp links/* $1", "cp links/* $1", "exit 1", "cp links/* $1"]
    command = steps(tmp_path, commands)
    done = run(
        *("watch", "bundle", "--live-command", f"{command} {{folder}}", "--every", "0.1", "--checks", "6"), cwd=tmp_path
    )
    assert done.returncode == 1
    shown = [re.sub(r"^\S+Z ", "TIME", line) for line in done.stdout.splitlines()]
    assert shown[0].startswith("TIME as planned: 18 of 18 switches")
    assert shown[1].startswith("TIME differs: 18 of 18 switches")
    assert shown[2].startswith(f"  + cable-down: the cable {cable} is down")
    assert shown[3].startswith("  repair: tulle deploy repair bundle --dead-cable")
    assert shown[4] == "TIME not read: the live command failed (exit code 1) (1 of 5 checks failed)"
    assert shown[5].startswith("TIME differs:")
    assert len(shown) == 6


def test_metrics_of_failures(tmp_path: Path, plan: EthernetPlan) -> None:
    take_down(tmp_path, plan, 0)
    strange = tmp_path / 'a "b\\ c'
    (tmp_path / "bundle").rename(strange)
    done = run(*("watch", strange.name, "--live-command", PER_SWITCH, "--prometheus", "one.prom"), cwd=tmp_path)
    assert done.returncode == 1
    samples = metrics((tmp_path / "one.prom").read_text())
    assert (samples["up"], samples["as_planned"], samples["repair_proposed"]) == (1, 0, 1)
    assert (samples["differences", "cable-down"], samples["differences", "unread"]) == (1, 0)
    assert samples["parts_planned", "switches"] == samples["parts_as_planned", "switches"] == 18
    assert samples["parts_planned", "cables"] == samples["parts_as_planned", "cables"] + 1
    assert abs(samples["last_read_timestamp_seconds"] - time.time()) < 60
    # The collector of node_exporter may run as another user, so other users can read the file.
    assert (tmp_path / "one.prom").stat().st_mode & 0o044 == 0o044 & ~_umask()
    # While the live command fails, the exported differences stay unchanged.
    command = steps(tmp_path, ["cp links/* $1", "exit 1"])
    arguments = ["--live-command", f"{command} {{folder}}", "--every", "0.1", "--checks", "2"]
    done = run("watch", strange.name, *arguments, "--prometheus", "one.prom", cwd=tmp_path)
    samples = metrics((tmp_path / "one.prom").read_text())
    assert (samples["up"], samples["differences", "cable-down"], samples["failed_checks_total"]) == (0, 1, 1)
    assert sorted(path.name for path in tmp_path.iterdir() if "prom" in path.name) == ["one.prom"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 0), (signal.SIGINT, 2)])
def test_signals_end_the_watch(tmp_path: Path, bundle: Bundle, number: int, code: int) -> None:
    """Check that the watch ends while a command runs, that the command ends too, and that no file is left."""
    place = tmp_path / "tmp"
    place.mkdir()
    first = "cat good" if code == 0 else "exit 1"
    command = steps(tmp_path, [first, "touch started; sleep 4321 & wait"])
    arguments = ["watch", str(bundle.place), "--live-command", command, "--every", "0.1", "--json"]
    with subprocess.Popen(
        [sys.executable, "-m", "tulle", "deploy", *arguments],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(place)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        end = time.monotonic() + 60
        while not (tmp_path / "started").exists() and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(number)
        out, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (code, f"tulle: stopped after 1 check, {int(code == 2)} of them failed\n")
    assert len(out.splitlines()) == 1
    assert list(place.iterdir()) == []
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert "sleep 4321" not in running.splitlines()


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run the command in this process; return its error, which is one line."""
    assert main(["deploy", "watch", *arguments]) == 2, arguments
    done = capsys.readouterr()
    assert (done.out, done.err.count("\n")) == ("", 1), done
    return done.err


def test_bad_input_is_one_line(
    tmp_path: Path, bundle: Bundle, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    good = ["--live-command", "cat good"]
    cases = [
        (["nowhere", *good], "no such folder"),
        ([".", *good], "has no bundle.json"),
        (["bundle", "--live-command", " "], "--live-command is empty"),
        (["bundle", "--live-command", "cat {switch}"], "has {switch}, which is for Ethernet bundles"),
        (["bundle", "--live-command", "exit 7"], "the live command failed (exit code 7); legal: a live command"),
        (["bundle", "--live-command", "cat half"], "the file is cut off in the line"),
        (["bundle", "--live-command", "cat live.txt"], "No such file"),
        (
            ["bundle", *good, "--checks", "2"],
            "--checks applies only to repeated checks; legal: add --every TIME, or omit --checks",
        ),
        (["bundle", *good, "--every", "0"], "0"),
        (["bundle", *good, "--every", "nan"], "--every=nan is not a time; legal: seconds, for example 5 or 5s"),
        (["bundle", *good, "--timeout", "inf"], "--timeout=inf is not a time; legal: seconds, for example 5 or 5s"),
        (["bundle", *good, "--max-dead", "many"], "--max-dead many is not two numbers"),
        (["bundle", *good, "--prometheus", "state.txt"], "legal: .prom; node_exporter reads no other files"),
        (["bundle", *good, "--prometheus", "bundle/state.prom"], "inside the bundle"),
        (["bundle", *good, "--prometheus", "no/state.prom"], "there is no folder"),
    ]
    before = content(bundle.place)
    for arguments, message in cases:
        assert message in refused(capsys, *arguments), arguments
    assert content(bundle.place) == before


def test_ethernet_commands_need_a_placeholder(
    tmp_path: Path, plan: EthernetPlan, capsys: pytest.CaptureFixture[str]
) -> None:
    assert plan.names
    for command, message in (
        ("ip -json link", "has no placeholder"),
        ("cp {switch} {folder}", "has {switch} and {folder}"),
        ("true {folder}", "the live command wrote no file"),
        ("touch {folder}/nobody.json", "no switch of the bundle is named nobody"),
        ("false {switch}", "no switch could be read: switch"),
    ):
        assert message in refused(capsys, str(tmp_path / "bundle"), "--live-command", command)


def test_long_messages_of_live_commands_are_shortened(tmp_path: Path) -> None:
    """Check that a mark shows that the beginning of a message is missing. The end has the remedy."""
    for message, shown in (("short", "short"), ("x" * 300 + "; legal: this", "… " + "x" * 147 + "; legal: this")):
        command = LiveCommand(f"echo '{message}' >&2; exit 2 # {{switch}}", 10.0, 1)
        (failure,) = command.per_switch(["s0"], tmp_path / shown[:5])
        assert failure.problem == f"the live command failed (exit code 2): {shown}"


def test_hosts_that_a_repair_removed_are_named(tmp_path: Path) -> None:
    """A network can be as planned although hosts have no paths, because a repair removed their switch."""
    bundle = subnet(tmp_path)
    fabric = bundle.fabric
    fabric.without(switches=[0]).write(tmp_path / "live", "ibnetdiscover")
    gone = [str(name) for name, at in zip(fabric.endpoint_names, fabric.endpoint_switch, strict=True) if at == 0]
    place = str(bundle.place)

    def run_here(*arguments: str) -> subprocess.CompletedProcess[str]:
        return run(*arguments, cwd=tmp_path)

    proposed = run_here("watch", place, "--live-command", "cat ./live")
    # The command must not overwrite the file that the live command reads.
    assert f"cat ./live > live.now && tulle deploy repair {place} --live live.now -o {place}" in proposed.stdout
    assert run_here("repair", place, "--live", "live", "--drained", "-o", place).returncode == 0
    done = run_here("watch", place, "--live-command", "cat live", "--prometheus", "now.prom")
    assert done.returncode == 0
    number = f"{len(gone)} host{'s' if len(gone) > 1 else ''}"
    assert done.stdout.rstrip("\n").endswith(f"; without {number} that a repair removed: {', '.join(gone)}")
    assert metrics((tmp_path / "now.prom").read_text())["removed_hosts"] == len(gone)
    assert json.loads(run_here("watch", place, "--live-command", "cat live", "--json").stdout)["removed_hosts"] == gone
