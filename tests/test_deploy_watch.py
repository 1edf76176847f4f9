"""Check `tulle deploy watch` with fake live commands that fail, are cut off, or show failures of parts."""

from __future__ import annotations

import os
import random
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from watched_networks import (
    PER_SWITCH,
    content,
    ethernet,
    kinds,
    lines,
    neighbours,
    run,
    steps,
    subnet,
    take_down,
    write_links,
)

import tulle
from tulle.deploy.ethernet.bundle import read_bundle as read_ethernet
from tulle.deploy.ethernet.plan import plan_of
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.infiniband.verify import KINDS as VERIFY_KINDS
from tulle.deploy.targets.linux import write_plan
from tulle.deploy.watch.collect import LiveCommand
from tulle.deploy.watch.infiniband import KINDS as INFINIBAND_KINDS
from tulle.deploy.watch.watch import Watch

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


def test_scripted_failures_of_a_subnet(tmp_path: Path, bundle: Bundle) -> None:
    """Check the reported changes while the network changes its state and the live command sometimes fails."""
    before = content(bundle.place)
    broken = [
        "cat half",
        "cat good; exit 3",
        "cat cable; sleep 60",
        "true",
        "cat switch | head -n -40",
        "kill -9 $$",
    ]
    commands = ["cat good", broken[0], "cat cable", *broken[1:4], "cat switch", *broken[4:], "cat good"]
    command = steps(tmp_path, commands)
    done = run(
        *("watch", "bundle", "--live-command", command, "--every", "0.1", "--checks", "10", "--timeout", "3", "--json"),
        *("--prometheus", "state.prom"),
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    events = lines(done)
    states = ["as-planned", "failed", "differs", *["failed"] * 3, "differs", *["failed"] * 2, "as-planned"]
    assert [event["state"] for event in events] == states
    assert [event["failed_checks"] for event in events] == [0, 1, 1, 2, 3, 4, 4, 5, 6, 6]
    problems = [event["failures"][0]["problem"] for event in events if event["failures"]]
    wanted = ["the file is cut off in the line", "exit code 3", "did not end within 3 s", "the file is empty"]
    for problem, text in zip(
        problems, [*wanted, "which is missing: the file is cut off", "exit code 137"], strict=True
    ):
        assert text in problem
    # A failed check reports no change, and treats no part as dead.
    for event in events:
        if event["state"] == "failed":
            assert (event["appeared"], event["ended"], event["differences"]) == ([], [], None)
    dead_cable, dead_switch, healed = events[2], events[6], events[9]
    assert {kind for kind, _ in kinds(dead_cable["appeared"])} == {"cable-missing", "black-hole"}
    assert dead_cable["cables"] == {"as_planned": 174, "of": 175}
    assert {"node-missing", "black-hole"} == {kind for kind, _ in kinds(dead_switch["appeared"])}
    assert dead_switch["switches"] == {"as_planned": 49, "of": 50}
    assert dead_switch["hosts"] == {"as_planned": 196, "of": 200}
    assert kinds(healed["ended"]) == kinds(dead_switch["appeared"])
    assert healed["appeared"] == []
    assert content(bundle.place) == before


def test_no_prefix_of_an_output_is_a_failure_of_the_network(tmp_path: Path, bundle: Bundle) -> None:
    """Test that a check fails if the output of ibnetdiscover is cut off, at a random place or after a block."""
    text = (tmp_path / "good").read_text()
    rng = random.Random(1)
    blocks = [match.end() for match in re.finditer("\n\n", text)][:-1]
    for length in [*rng.sample(range(len(text) - 2), 20), *rng.sample(blocks, 20)]:
        (tmp_path / "cut").write_text(text[:length])
        watch = Watch(bundle.place, LiveCommand(f"cat {shlex.quote(str(tmp_path / 'cut'))}", 60, 1))
        assert watch.check().state == "failed", length


def test_the_proposed_repair_of_a_subnet_works(tmp_path: Path, bundle: Bundle) -> None:
    (tmp_path / "now").write_bytes((tmp_path / "cable").read_bytes())
    done = run("watch", "bundle", "--live-command", "cat now | cat", "--json", "--rehearse", cwd=tmp_path)
    assert done.returncode == 1
    (event,) = lines(done)
    assert event["repair"] == "{ cat now | cat; } > live && tulle deploy repair bundle --live live -o bundle"
    assert event["note"].endswith("proved safe under traffic")
    path = os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))  # noqa: PTH120
    command = event["repair"].replace("tulle ", f"{sys.executable} -m tulle ")
    shell = subprocess.run(["sh", "-c", command], cwd=tmp_path, env={**os.environ, "PATH": path}, check=False)
    assert shell.returncode == 0
    assert read_bundle(bundle.place).fabric.num_cables == 174
    assert run("watch", "bundle", "--live-command", "cat now", cwd=tmp_path).returncode == 0


def test_a_running_watch_reads_a_repaired_bundle(tmp_path: Path, bundle: Bundle) -> None:
    (tmp_path / "now").write_bytes((tmp_path / "cable").read_bytes())
    watch = Watch(bundle.place, LiveCommand(f"cat {shlex.quote(str(tmp_path / 'now'))}", 60, 1))
    assert watch.check().state == "differs"
    assert run("repair", "bundle", "--live", "now", "-o", "bundle", cwd=tmp_path).returncode == 0
    event = watch.check()
    assert (event.state, event.appeared) == ("as-planned", ())
    # After the cable is restored, the network has a cable that the repaired bundle does not contain.
    (tmp_path / "now").write_bytes((tmp_path / "good").read_bytes())
    event = watch.check()
    assert [finding.kind for finding in event.appeared] == ["cable-extra"]
    # If the bundle cannot be read, the check fails, and no part counts as failed.
    (bundle.place / "bundle.json").rename(tmp_path / "bundle.json")
    assert watch.check().state == "failed"
    (tmp_path / "bundle.json").rename(bundle.place / "bundle.json")
    assert watch.check().state == "differs"


def test_no_repair_is_proposed_if_too_much_is_missing(tmp_path: Path, bundle: Bundle) -> None:
    assert bundle.fabric.num_switches == 50
    (event,) = lines(run("watch", "bundle", "--live-command", "cat switches", "--json", cwd=tmp_path))
    assert event["repair"] is None
    assert event["note"].startswith(
        "2 of 50 switches, with 13 of the 175 cables between switches, and 0 of the 162 other cables are missing, more "
        "than --max-dead: check the live command"
    )
    assert event["cables"] == {"as_planned": 162, "of": 175}
    done = run("watch", "bundle", "--live-command", "cat switches", "--json", "--max-dead", "0,2", cwd=tmp_path)
    assert lines(done)[0]["repair"].endswith("-o bundle --max-dead 0,2")


def test_scripted_failures_of_ethernet(tmp_path: Path, plan: EthernetPlan) -> None:
    """Check that commands that fail for some switches neither hide changes nor cause false changes."""
    before = content(tmp_path / "bundle")
    watch = Watch(tmp_path / "bundle", LiveCommand(f"cat {shlex.quote(str(tmp_path))}/links/{{switch}}.json", 60, 4))
    assert watch.check().state == "as-planned"
    cable = take_down(tmp_path, plan, 0)
    event = watch.check()
    assert [(one.kind, one.part) for one in event.appeared] == [("cable-down", cable)]
    assert event.observation is not None
    assert event.observation.proposal.command.endswith(f" --dead-cable {cable} -o {tmp_path / 'bundle'}")
    # If neither end of a failed cable can be read, the cable still counts as failed, but its switches do not.
    one, other = plan.fabric.edges[0].tolist()
    (tmp_path / "links" / f"{plan.names[one]}.json").unlink()
    half = tmp_path / "links" / f"{plan.names[other]}.json"
    half.write_text(half.read_text()[:-40])
    event = watch.check()
    assert {(finding.kind, finding.part) for finding in event.appeared} == {
        ("unread", plan.names[one]),
        ("unread", plan.names[other]),
    }
    assert event.ended == ()
    assert [failure.switch for failure in event.failures] == [plan.names[one], plan.names[other]]
    assert event.counts.failed_commands == 2
    # If the same command fails with another error, the watch reports no change.
    half.unlink()
    assert not watch.check().has_changed
    # The cable works again.
    for switch in (one, other):
        write_links(tmp_path, plan, switch)
    event = watch.check()
    assert event.state == "as-planned"
    assert {finding.kind for finding in event.ended} == {"unread", "cable-down"}
    assert content(tmp_path / "bundle") == before


def test_a_dead_switch_is_known_from_its_neighbours(tmp_path: Path, plan: EthernetPlan) -> None:
    dead = 4
    watch = Watch(tmp_path / "bundle", LiveCommand(f"cat {shlex.quote(str(tmp_path))}/links/{{switch}}.json", 60, 4))
    (tmp_path / "links" / f"{plan.names[dead]}.json").unlink()
    # The command for the switch fails, but its neighbours report that their links to it are up.
    assert [finding.kind for finding in watch.check().appeared] == ["unread"]
    for port in plan.ports[dead]:
        if port.channel is not None:
            other, there = plan.peer(port)
            write_links(tmp_path, plan, other, there.name)
    event = watch.check()
    assert [(finding.kind, finding.part) for finding in event.appeared] == [("switch-down", plan.names[dead])]
    assert [finding.kind for finding in event.ended] == ["unread"]
    assert event.observation is not None
    assert f"--dead-switch {plan.names[dead]} -o" in event.observation.proposal.command
    assert {part.what: part.good for part in event.observation.parts}["switches"] == len(plan.names) - 1


def test_the_proposed_repair_of_ethernet_works(tmp_path: Path, plan: EthernetPlan) -> None:
    take_down(tmp_path, plan, 0)
    done = run("watch", "bundle", "--live-command", "cp links/* {folder}", "--json", "--rehearse", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    (event,) = lines(done)
    assert re.fullmatch(r"\d+ entries change at \d+ switches in \d+ rounds?; proved safe under traffic", event["note"])
    _, *arguments = shlex.split(event["repair"])
    assert run(*arguments[1:], cwd=tmp_path).returncode == 0
    done = run("watch", "bundle", "--live-command", PER_SWITCH, cwd=tmp_path)
    assert done.returncode == 0
    assert len(plan.fabric.cables) - 1 == len(read_ethernet(tmp_path / "bundle").plan.fabric.cables)
    write_links(tmp_path, plan, 0)
    write_links(tmp_path, plan, int(plan.fabric.edges[0][1]))
    (event,) = lines(run("watch", "bundle", "--live-command", PER_SWITCH, "--json", cwd=tmp_path))
    assert {kind for kind, _ in kinds(event["appeared"])} == {"port-unused"}


def test_doubtful_reports_are_no_dead_cables(tmp_path: Path, plan: EthernetPlan) -> None:
    """Check a cable with only one end up, an empty list of interfaces, and a host that is off."""
    port = plan.channel_ports[0]
    host = plan.hosts_at[0][0]
    host_port = next(one for one in plan.ports[0] if one.endpoint is not None)
    write_links(tmp_path, plan, 0, port.name, host_port.name)
    (tmp_path / "links" / f"{plan.names[-1]}.json").write_text("[]")
    done = run("watch", "bundle", "--live-command", PER_SWITCH, "--json", cwd=tmp_path)
    (event,) = lines(done)
    other, there = plan.peer(port)
    assert kinds(event["appeared"]) == {
        ("ends-disagree", f"{plan.names[0]}/{port.name}:{plan.names[other]}/{there.name}"),
        ("host-down", host.name),
        ("unread", plan.names[-1]),
    }
    disagree = next(found["instruction"] for found in event["appeared"] if found["kind"] == "ends-disagree")
    assert disagree.endswith(f"{plan.names[other]}/{there.name} -o bundle`")
    assert (done.returncode, event["repair"], event["note"]) == (1, None, None)
    assert event["failures"][0]["problem"].startswith(f"{plan.names[-1]}.json: no interface")


def test_wrong_neighbours_are_reported(tmp_path: Path, plan: EthernetPlan) -> None:
    for switch, name in enumerate(plan.names):
        swapped = ("eth1", "eth2") if switch == 0 else ("", "")
        (tmp_path / "links" / f"{name}.json").write_text(neighbours(plan, switch, swapped))
    done = run("watch", "bundle", "--live-command", PER_SWITCH, "--json", cwd=tmp_path)
    (event,) = lines(done)
    (other, there), (next_one, near) = (plan.peer(port) for port in plan.ports[0][:2])
    assert [(found["kind"], found["instruction"]) for found in event["appeared"]] == [
        (
            "wrong-port",
            f"ports eth1 and eth2 of switch {plan.names[0]} are exchanged: exchange the cables back; they come from "
            f"port {near.name} of switch {plan.names[next_one]} and port {there.name} of switch {plan.names[other]}",
        )
    ]
    assert (done.returncode, event["repair"]) == (1, None)
    assert "hosts" not in event
    cables = plan.fabric.num_cables
    assert event["cables"] == {"as_planned": cables - 2, "of": cables}
    # A neighbour outside the plan is no exchange of cables.
    for switch, name in enumerate(plan.names):
        (tmp_path / "links" / f"{name}.json").write_text(neighbours(plan, switch))
    first = tmp_path / "links" / f"{plan.names[0]}.json"
    first.write_text(first.read_text().replace(f'"{plan.names[other]}"', '"core7"'))
    (event,) = lines(run("watch", "bundle", "--live-command", PER_SWITCH, "--json", cwd=tmp_path))
    ((kind, part),) = kinds(event["appeared"])
    assert (kind, part) == ("wrong-neighbour", f"{plan.names[0]}/eth1")
    assert "core7" in event["appeared"][0]["instruction"]


def test_slow_cables_are_reported(tmp_path: Path, plan: EthernetPlan) -> None:
    """Check that rates are compared with those of the plan, and without planned rates with that of the other end."""
    fast, slow = "10GbaseT - Four-pair", "1000BaseTFD"
    for switch, each in enumerate(plan.names):
        (tmp_path / "links" / f"{each}.json").write_text(neighbours(plan, switch, speed=fast))
    file = tmp_path / "links" / f"{plan.names[0]}.json"
    text, port = file.read_text(), plan.ports[0][0]
    other, there = plan.peer(port)
    ends = f"{plan.names[0]} port {port.name}", f"{plan.names[other]} port {there.name}"
    how = f"reseat or replace the cable from {ends[0]} to {ends[1]}: it runs at {{}} Gbit/s instead of {{}} Gbit/s"
    write_plan(
        plan_of(tulle.route(tulle.Fabric("slimfly:q=3", links="all:rate=25Gbps"), "minimal")), tmp_path / "rates"
    )
    for bundle, speed, rates in (("bundle", slow, (1, 10)), ("bundle", fast, ()), ("rates", fast, (10, 25))):
        file.write_text(text.replace(fast, speed, 1))
        (event,) = lines(run("watch", bundle, "--live-command", PER_SWITCH, "--json", cwd=tmp_path))
        assert {kind for kind, _ in kinds(event["appeared"])} == ({"cable-slow"} if rates else set())
        if rates:
            assert event["appeared"][0]["instruction"] == how.format(*rates)
        count = len(event["appeared"])
        assert count == (plan.fabric.num_cables if bundle == "rates" else bool(rates))
        assert event["cables"] == {"as_planned": plan.fabric.num_cables - count, "of": plan.fabric.num_cables}


def test_an_infiniband_watch_names_only_kinds_that_it_can_find() -> None:
    # `tulle deploy verify` finds these kinds in other files than the output of ibnetdiscover, which a watch reads.
    needs = {"--lfts": {"table"}, "--sl2vl": {"lane"}, "--paths": {"level", "level-zero"}, "--counters": {"errors"}}
    assert set(INFINIBAND_KINDS) == set(VERIFY_KINDS) - set().union(*needs.values())
