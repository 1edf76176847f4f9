"""Check failure campaigns: failure events, a network's tables compared with its bundle, and a campaign's totals."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tulle
from tulle.deploy.campaign import Rates, campaign
from tulle.deploy.campaign.events import events
from tulle.deploy.campaign.network import Failed, Network, Tables
from tulle.deploy.infiniband.generate import deploy_infiniband
from tulle.deploy.reach import DISCARD
from tulle.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Cli

    from tulle.routing.vc_plan import VcPlan


def plan_of(fabric: str = "slimfly:q=5", scheme: str = "colouring") -> VcPlan:
    return tulle.route(fabric, "almost-minimal:layers=4").assign_vcs(scheme)


def test_events_are_in_order_and_every_part_returns_before_it_fails_again() -> None:
    fabric = tulle.Fabric("clique:degree=4,p=1")
    down: set[tuple[str, int]] = set()
    last = 0.0
    for event in islice(events(fabric, Rates(deaths=50, switch_deaths=20), 3), 2000):
        assert event.seconds >= last
        last = event.seconds
        part = event.part, event.number
        assert (part in down) != event.is_failure
        (down.add if event.is_failure else down.remove)(part)


def test_a_campaign_ends_although_one_repair_covers_several_failures() -> None:
    plan = tulle.route("clique:degree=5,p=1", "minimal").assign_vcs("colouring")
    found = campaign(plan, failures=3, rates=Rates(deaths=50, reaction_seconds=3 * 86_400), seed=1)
    assert found.changes["failures"].max() > 1
    assert found.failures == found.changes["failures"].sum() > 3


def test_rates_have_their_means() -> None:
    """Check the numbers of failures per year, and the mean durations of failures, for 10 cables and 5 switches."""
    rates = Rates(flaps=10, flap_minutes=30, deaths=3, switch_deaths=4, repair_days=1)
    fabric = tulle.Fabric("clique:degree=4,p=1")
    started: dict[tuple[str, int], float] = {}
    times: dict[tuple[str, str], list[float]] = {("cable", "flap"): [], ("cable", "death"): [], ("switch", "death"): []}
    end = 0.0
    for event in islice(events(fabric, rates, 1), 20_000):
        end = event.seconds
        if event.is_failure:
            started[event.part, event.number] = event.seconds
        else:
            times[event.part, event.cause].append(event.seconds - started[event.part, event.number])
    years = end / (365 * 86_400)
    for kind, count, seconds in (
        (("cable", "flap"), 100, 1800),
        (("cable", "death"), 30, 86_400),
        (("switch", "death"), 20, 86_400),
    ):
        assert len(times[kind]) / years == pytest.approx(count, rel=0.07)
        assert np.mean(times[kind]) == pytest.approx(seconds, rel=0.07)


def test_arrays_are_those_of_the_deployment() -> None:
    """Compare forwarding entries, service levels and lanes of the network with the tables of a bundle."""
    plan = plan_of()
    network, made = Network(plan, 8), deploy_infiniband(plan)
    fabric, size = plan.routing.fabric, plan.routing.fabric.num_switches
    first = np.searchsorted(fabric.endpoint_switch, np.arange(size))
    lids = made._core.endpoint_lids().astype(int)[first]
    port_of = {}
    for channel, (switch, _) in enumerate(fabric.channels.tolist()):
        port_of[switch, int(network._port[channel])] = int(made.fabric.ports[channel])
    for layer in range(4):
        for source in range(size):
            for target in range(size):
                if source == target:
                    continue
                at = layer * size + target
                assert port_of[source, int(network.whole.ports[source, at])] == made.lfts[source, lids[target] + layer]
                assert network.whole.levels[source, at] == 1 << made.levels[source, lids[target] + layer]
    for switch in range(size):
        assert (network.whole.lanes[switch, 0, 1, :5] == made.lanes[switch, 0, :5]).all()
        assert (network.whole.lanes[switch, -1, 1, :5] == made.lanes[switch, 1, :5]).all()
        assert (network.whole.lanes[switch, 2, 2] == 15).all()


def test_broken_pairs_are_those_whose_path_crosses_the_cable() -> None:
    network = Network(plan_of(), 8)
    routing, fabric = network.plan.routing, network.fabric
    failed = Failed((7,), ())
    dead = {int(fabric.cables[7]), int(fabric.reverse[fabric.cables[7]])}
    some = without = 0
    for source in range(fabric.num_switches):
        for target in range(fabric.num_switches):
            if source != target:
                hits = [bool(dead & set(path.tolist())) for path in routing.paths(source, target)]
                some, without = some + any(hits), without + all(hits)
    assert network.broken(failed, network.whole) == (some, without)
    assert network.broken(failed, network.repaired(network.whole, failed)) == (0, 0)


def test_repaired_tables_are_those_of_their_plan() -> None:
    """Compare entries and levels after a cable and a switch have failed with the plan; the dead switch has no lanes."""
    network = Network(plan_of(), 8)
    size = network.fabric.num_switches
    tables = network.repaired(network.repaired(network.whole, Failed((7,), ())), Failed((7,), (3,)))
    assert tables.plan.routing.fabric.num_switches == size - 1
    ports, levels = (table.reshape(size, 4, size) for table in (tables.ports, tables.levels))
    expected_ports, expected_levels = np.full_like(ports, np.iinfo(np.uint16).max), np.zeros_like(levels)
    hops, sls = tables.plan.routing.next_hop, tables.plan.sl
    for layer, here, there in zip(*np.nonzero(hops >= 0), strict=True):
        at = tables.switch_of[here], layer, tables.switch_of[there]
        expected_ports[at] = network._port[tables.channel_of[hops[layer, here, there]]]
        expected_levels[at] = 1 << sls[layer, here, there]
    np.testing.assert_array_equal(ports, expected_ports)
    np.testing.assert_array_equal(levels, expected_levels)
    assert (tables.lanes[3] == 255).sum() == tables.lanes[3].size - (network.num_ports - 1) * 16
    assert network.broken(Failed((7,), (3,)), tables) == (0, 0)


def test_broken_pairs_of_repaired_tables() -> None:
    """Let further parts fail after a repair, and compare with a walk from each switch."""
    network = Network(plan_of(), 8)
    size = network.fabric.num_switches
    tables = network.repaired(network.whole, Failed((), (3,)))
    failed = Failed((20, 50), (3, 9))
    to = network.wires(failed).to
    alive = [switch for switch in range(size) if switch not in failed.switches]
    fails = np.zeros((size, 4, size), bool)
    for source, layer, target in ((s, layer, t) for s in alive for layer in range(4) for t in alive if s != t):
        here = source
        while here not in (-1, target):
            port = int(tables.ports[here, layer * size + target])
            here = int(to[here, port]) if port < network.num_ports else -1
        fails[source, layer, target] = here == -1
    assert network.broken(failed, tables) == (fails.any(axis=1).sum(), fails.all(axis=1).sum())


def one_lane(tables: Tables) -> Tables:
    """Put all packets on one virtual lane."""
    return tables._replace(lanes=np.where(tables.lanes < DISCARD, 0, tables.lanes).astype(np.uint8))


def one_level(tables: Tables) -> Tables:
    """Put all packets on one service level."""
    return tables._replace(levels=(tables.levels != 0).astype(np.uint16))


def wrong_entries(tables: Tables) -> Tables:
    """Let all switches forward one address through random ports."""
    ports = tables.ports.copy()
    ports[:, 7] = np.random.default_rng(1).integers(0, 7, len(ports))
    return tables._replace(ports=ports)


@pytest.mark.parametrize("fault", [one_lane, one_level, wrong_entries])
def test_a_wrong_repair_is_reported(monkeypatch: pytest.MonkeyPatch, fault: Callable[[Tables], Tables]) -> None:
    """If repairs are wrong, the campaign must report drained traffic and cycles."""
    repaired = Network.repaired
    monkeypatch.setattr(Network, "repaired", lambda *arguments: fault(repaired(*arguments)))
    found = campaign(plan_of(), failures=3, seed=2)
    assert found.cycles > 0
    assert found.drained > 0


def test_a_campaign_counts_what_happens() -> None:
    found = campaign(plan_of(), failures=40, seed=2)
    again = campaign(plan_of(), failures=40, seed=2)
    assert found == again
    assert found != campaign(plan_of(), failures=40, seed=3)
    assert found.failures == 40 == int(found.changes["failures"].sum())
    assert found.cycles == 0
    assert found.refused == 0
    assert found.drained <= 4
    assert 0 < found.without_path < found.broken < 1e-3
    assert 0.5 < found.lowest_throughput <= found.throughput <= 1.05 * found.whole_throughput
    assert found.changes["cables_down"][-1] >= 0


def test_a_switch_that_fails_and_returns() -> None:
    rates = Rates(flaps=0, deaths=0, switch_deaths=1)
    found = campaign(plan_of(), failures=3, rates=rates, seed=1)
    assert found.changes["switches_down"].max() >= 1
    assert found.refused == 0
    # Hosts of a failed switch do not count; all other pairs are served after each repair.
    assert found.without_path < 1e-5


def test_a_network_that_falls_apart_is_refused() -> None:
    found = campaign(
        tulle.route("torus:shape=6,p=1", "random:layers=1,rho=1").assign_vcs("dfsssp"),
        failures=12,
        rates=Rates(flaps=0, deaths=30, switch_deaths=0, repair_days=20),
    )
    assert found.refused > 0
    assert found.without_path > 0.01
    assert found.cycles == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"failures": 0}, "failures=0 is out of range; legal: 1 to 1000000"),
        ({"vls": 3}, "vls=3 is not a number of data VLs; legal: 1, 2, 4, 8 or 15"),
        ({"vls": 2}, "colouring needs 3 virtual lanes; legal: at most vls=2"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        campaign(plan_of(), **arguments)


def test_bad_rates() -> None:
    with pytest.raises(InputError, match="flaps=-1 is out of range; legal: 0 to 1e\\+06"):
        Rates(flaps=-1)
    with pytest.raises(InputError, match="legal: at least one rate above 0"):
        Rates(flaps=0, deaths=0, switch_deaths=0)
    with pytest.raises(InputError, match="legal: tables of single next hops"):
        Network(tulle.route("fattree:levels=2,radix=4", "minimal").assign_vcs("one-vc"), 8)


def test_the_command_prints_and_draws(tmp_path: Path, tulle: Cli) -> None:
    command = ("resilience", "slimfly:q=5", "--campaign", "--failures", "5")
    result = tulle(*command, "--json", "-o", "campaign.svg")
    assert result.returncode == 0
    found = json.loads(result.stdout)
    assert (found["failures"], found["cycles"], found["deadlock"]) == (5, 0, "colouring")
    assert len(found["changes"]["seconds"]) == found["repairs"] + found["refused"]
    assert (tmp_path / "campaign.svg").stat().st_size > 1000
    for wrong, message in (
        (("--rate", "deaths=x"), "--rate deaths=x has no number"),
        (("--rate", "death=1"), "--rate death=1 is unknown"),
    ):
        result = tulle(*command, *wrong)
        assert (result.returncode, result.stderr.count("\n")) == (2, 1)
        assert message in result.stderr
    result = tulle("resilience", "slimfly:q=5", "--failures", "5")
    assert (result.returncode, result.stderr) == (
        2,
        "tulle: --failures applies only to failure campaigns; legal: add --campaign, or omit --failures\n",
    )
    result = tulle("resilience", "slimfly:q=3", "--campaign", "--shares", "1%")
    assert (result.returncode, result.stderr) == (
        2,
        "tulle: --shares does not apply to --campaign; legal: omit one of the two options\n",
    )
