"""Watch networks while parts fail: a subnet of ibsim and OpenSM, and a lab of network namespaces."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import labs
import pytest
import subnet as simulated
from patience import PATIENCE
from subnet import PRELOAD, Subnet
from test_infiniband import bare, made, start, unlink

from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.watch.collect import LiveCommand
from tulle.deploy.watch.watch import Watch
from tulle.lab import lab
from tulle.lab.faults import cable, set_faults

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tulle.deploy.infiniband.bundle import Bundle

Json = dict[str, Any]

needs_ibsim = pytest.mark.skipif(bool(simulated.missing()), reason=simulated.missing() or "-")
needs_lab = pytest.mark.skipif(bool(labs.missing()), reason=labs.missing() or "-")


class Watching:
    """A running `tulle deploy watch --json`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.events: list[Json] = []

    def until(self, state: str, **wanted: object) -> Json:
        """Read checks until one has this state and these values; return it."""
        end = time.monotonic() + PATIENCE
        assert self.process.stdout is not None
        while time.monotonic() < end:
            line = self.process.stdout.readline()
            assert line, self.process.stderr and self.process.stderr.read()
            self.events.append(json.loads(line))
            event = self.events[-1]
            if event["state"] == state and all(event[name] == value for name, value in wanted.items()):
                return event
        raise AssertionError(f"no check is {state} with {wanted}: {self.events[-1]}")

    def appeared(self) -> set[tuple[str, str]]:
        """Return the differences that any check reported as new, as kind and part."""
        return {(one["kind"], one["part"]) for event in self.events for one in event["appeared"]}


@contextmanager
def watching(place: Path, command: str, **environment: str) -> Iterator[Watching]:
    arguments = ["watch", str(place), "--live-command", command, "--every", "0.2", "--timeout", str(PATIENCE)]
    arguments += ["--rehearse", "--json"]
    with subprocess.Popen(
        [sys.executable, "-m", "tulle", "deploy", *arguments],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Watching(process)
        finally:
            process.kill()


def stop(watch: Watching) -> tuple[int, str]:
    """Press Ctrl-C; return the exit code and the error output."""
    watch.process.send_signal(signal.SIGINT)
    _, error = watch.process.communicate(timeout=PATIENCE)
    return watch.process.returncode, error


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture
def deployed(tmp_path: Path, plugin: Path) -> Iterator[tuple[Bundle, Subnet]]:
    bundle = made(tmp_path / "bundle", "slimfly:q=5", "almost-minimal:layers=4", "colouring", 2)
    with Subnet(bare(bundle, tmp_path / "net.ibnet"), tmp_path / "run") as subnet:
        start(subnet, tmp_path / "bundle", plugin)
        yield bundle, subnet


@needs_ibsim
def test_a_subnet_is_watched(deployed: tuple[Bundle, Subnet]) -> None:
    """Check a cable that fails and is restored, a dead switch, and the proposed repair."""
    bundle, subnet = deployed
    before = content(bundle.place)
    # The simulator's library writes files into the current folder, so the command changes to the subnet's folder.
    command = f"cd {shlex.quote(str(subnet.folder))} && LD_PRELOAD={PRELOAD[0]} ibnetdiscover"
    with watching(bundle.place, command, **subnet.environment) as watch:
        event = watch.until("as-planned")
        assert event["cables"] == {"as_planned": 175, "of": 175}
        unlink(subnet, bundle, 17)
        event = watch.until("differs", cables={"as_planned": 174, "of": 175})
        assert {one["kind"] for one in event["appeared"]} == {"cable-missing", "black-hole"}
        unlink(subnet, bundle, 17, again=True)
        event = watch.until("as-planned")
        assert {one["kind"] for one in event["ended"]} == {"cable-missing", "black-hole"}
        subnet.console('unlink "S-5f00000000012000"')
        event = watch.until("differs", switches={"as_planned": 49, "of": 50})
        assert {one["kind"] for one in watch.events[-1]["appeared"]} <= {"node-missing", "black-hole"}
        assert content(bundle.place) == before
        done = subprocess.run(
            ["sh", "-c", event["repair"].replace("tulle ", f"{sys.executable} -m tulle ") + " --drained"],
            env=subnet.environment,
            cwd=subnet.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        # The running watch reads the repaired bundle, which contains neither the dead switch nor its hosts.
        assert read_bundle(bundle.place).fabric.num_switches == 49
        watch.until("as-planned", switches={"as_planned": 49, "of": 49})
        code, error = stop(watch)
    assert code == 0
    assert error.startswith("tulle: stopped after ")


@needs_ibsim
def test_failing_tools_are_no_failures_of_the_subnet(deployed: tuple[Bundle, Subnet]) -> None:
    """Check commands that find no subnet, that are killed at several moments, or whose output is cut off."""
    bundle, subnet = deployed
    environment = " ".join(
        f"{name}={shlex.quote(value)}"
        for name, value in subnet.environment.items()
        if name.startswith(("IBSIM", "SIM"))
    )
    tool = f"env {environment} LD_PRELOAD={PRELOAD[0]} ibnetdiscover"

    def state(command: str) -> str:
        command = f"cd {shlex.quote(str(subnet.folder))} && {command}"
        return Watch(bundle.place, LiveCommand(command, PATIENCE, 1)).check().state

    assert state(tool) == "as-planned"
    assert state(f"env IBSIM_SOCKNAME=none LD_PRELOAD={PRELOAD[0]} timeout 2 ibnetdiscover") == "failed"
    for after in (0.001, 0.003, 0.01, 0.03, 0.1, 0.3):
        assert state(f"timeout -s KILL {after} {tool}") in ("failed", "as-planned"), after
    for size in (0, 1, 100, 5_000, 20_000, 30_000):
        assert state(f"{tool} | head -c {size}") == "failed", size
    # The pipe hides the tool's exit code, so only the output shows that the tool was killed.
    for after in (0.003, 0.01, 0.03):
        assert state(f"timeout -s KILL {after} {tool} | cat") in ("failed", "as-planned"), after


@needs_lab
def test_a_lab_is_watched(tmp_path: Path) -> None:
    """Check a cable that fails and is restored, a switch with all ports down, and a switch whose command fails."""
    place = tmp_path / "bundle"
    with labs.built(place, "dragonfly:p=2", "spread:layers=4") as one:
        plan, before = one.bundle.plan, content(place)
        command = f"{shlex.join([*one.sandbox._enter(), 'ip', '-n'])} {{switch}} -json link"
        switches, cables = len(plan.names), plan.fabric.num_cables
        with watching(place, command) as watch:
            watch.until("as-planned", hosts={"as_planned": len(plan.hosts), "of": len(plan.hosts)})
            broken = cable(place, plan, f"{plan.names[0]}:{plan.channel_ports[0].name}")
            set_faults(one.sandbox, fail=[broken])
            event = watch.until("differs", cables={"as_planned": cables - 1, "of": cables})
            assert "proved safe under traffic" in event["note"]
            assert event["repair"].startswith(f"tulle deploy repair {place} --dead-cable {plan.names[0]}/")
            set_faults(one.sandbox, heal_all=True)
            watch.until("as-planned")
            # All ports of the switch go down. The command for this switch still works.
            dead = plan.names[4]
            ports = " ".join(port.name for port in plan.ports[4])
            script = f"for port in {ports}; do ip link set $port down; done"
            assert one.execute(dead, ["sh", "-c", script]) == 0
            event = watch.until("differs", switches={"as_planned": switches - 1, "of": switches})
            assert f"--dead-switch {dead} -o" in event["repair"]
            code, _ = stop(watch)
        assert code == 1
        assert ("switch-down", dead) in watch.appeared()
        assert ("unread", dead) not in watch.appeared()
        assert content(place) == before
        # If the command fails for one switch of a healthy network, the switch does not count as dead.
        script = f"for port in {ports}; do ip link set $port up; done"
        assert one.execute(dead, ["sh", "-c", script]) == 0
        failing = f"test {{switch}} != {plan.names[2]} && {command}"
        check = Watch(place, LiveCommand(failing, PATIENCE, 4)).check()
        assert [(finding.kind, finding.part) for finding in check.appeared] == [("unread", plan.names[2])]
        assert lab.find(place).bundle.header == one.bundle.header
