"""Test the options ``software`` and ``gap`` (costs of hosts) in Python, on the command line and in studies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tulle as package
from tulle import study
from tulle.registry import registered

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Cli

    from tulle.packet.outcome import Simulation

STUDY = """
name = "costs"
measurement = "simulate"
plots = []
seeds = [1]

[common]
fabric = "clique:degree=3"
routing = "minimal"
traffic = "permutation:bytes=1KB"

[[case]]
name = "case"
"""


def simulated(**options: str) -> Simulation:
    """Simulate messages of one byte from endpoint 0 of a switch to all other endpoints of the switch."""
    fabric = package.Fabric("star:endpoints=4")
    workload = package.Workload([0, 0, 0], [1, 2, 3], [1, 1, 1])
    return package.simulate(fabric, "minimal", workload, **options)  # type: ignore[arg-type]


def test_messages_take_time_at_both_hosts() -> None:
    one = 2 * (65 * 800 + 1_000_000)
    assert simulated().flows["delivered"].tolist() == [one + at * 65 * 800 for at in range(3)]
    found = simulated(software="3us")
    assert found.flows["delivered"].tolist() == [one + 6_000_000 + at * 3_000_000 for at in range(3)]
    assert found.configuration["software"] == "3us"
    assert found.flows["finish"].tolist() == found.flows["delivered"].tolist()
    gap = simulated(software="1us", gap="5us").flows["delivered"]
    assert gap.tolist() == [one + 2_000_000 + at * 5_000_000 for at in range(3)]
    # A message alone on an idle network has slowdown 1.
    alone = package.simulate("star:endpoints=4", "minimal", package.Workload([0], [1], [1]), software="3us")
    assert alone.slowdown.tolist() == pytest.approx([1.0])


@pytest.mark.parametrize("transport", [entry["name"] for entry in registered("transports")])
def test_every_transport_has_the_costs(transport: str) -> None:
    fabric, workload = package.Fabric("star:endpoints=4"), package.Workload([0, 0], [1, 2], [1, 1])

    def delivered(**options: str) -> list[int]:
        found = package.simulate(fabric, "minimal", workload, transport=transport, **options)  # type: ignore[arg-type]
        return [int(time) for time in found.flows["delivered"]]

    base, found = delivered(), delivered(software="3us")
    assert found[0] - base[0] == 6_000_000
    assert found[1] - base[1] >= 6_000_000
    # The gap is longer than the time that any transport waits before it starts the second message.
    first, second = delivered(gap="90us")
    assert second - first >= 90_000_000


def test_short_software_of_the_receiver_hides_behind_the_acknowledgement() -> None:
    packet, acknowledgement = 2 * (65 * 800 + 1_000_000), 2 * (64 * 800 + 1_000_000)
    for software, finish in [(1_000_000, packet + acknowledgement + 1_000_000), (3_000_000, packet + 6_000_000)]:
        flows = package.simulate(
            "star:endpoints=4", "minimal", package.Workload([0], [1], [1]), software=f"{software}ps"
        ).flows
        assert (flows["delivered"].tolist(), flows["finish"].tolist()) == ([packet + 2 * software], [finish])


def test_exchanges_take_time_at_both_hosts() -> None:
    fabric = package.Fabric("clique:degree=3,p=1")
    workload = package.Workload([0, 0], [1, 2], [256, 256])
    base = package.simulate_exchange(fabric, "minimal", workload).arrival
    found = package.simulate_exchange(fabric, "minimal", workload, software=10).arrival
    assert np.array_equal(found - base, [20, 29])
    found = package.simulate_exchange(fabric, "minimal", workload, gap=50).arrival
    assert np.array_equal(found - base, [0, 49])


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["simulate", "clique:degree=3", "--software", "2ms"], "software=2ms is out of range; legal: 0 to 1ms"),
        (["simulate", "clique:degree=3", "--gap", "-1us"], "gap=-1us"),
        (["simulate", "clique:degree=3", "--gap", "7"], "gap=7 has no unit; did you mean 7us or 7ns?"),
        (["exchange", "clique:degree=3", "--software", "1000001"], "software"),
        (["exchange", "clique:degree=3", "--gap", "-1"], "gap"),
    ],
)
def test_illegal_costs_are_refused(tulle: Cli, command: list[str], message: str) -> None:
    refused = tulle(*command)
    assert refused.returncode == 2
    assert message in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_commands_have_the_options(tulle: Cli) -> None:
    options = ["--traffic", "permutation:bytes=1KB", "--json"]
    for command, cost in ("simulate", "1us"), ("exchange", "100"):
        run = tulle(command, "clique:degree=3", *options, "--software", cost, "--gap", cost)
        found = json.loads(run.stdout)
        assert (str(found["software"]), str(found["gap"])) == (cost, cost)


def test_runs_without_costs_keep_their_ids(tmp_path: Path) -> None:
    def hashed(more: str) -> dict[str, object]:
        file = tmp_path / "costs.toml"
        file.write_text(STUDY + more)
        (run,) = study.plan(study.load(file)).runs
        parameters: dict[str, object] = run.configuration["parameters"]
        return parameters

    assert not {"software", "gap"} & hashed("").keys()
    assert hashed('software = "0"\n') == hashed("")
    assert hashed('software = "680ns"\n') == {**hashed(""), "software": "680ns"}
