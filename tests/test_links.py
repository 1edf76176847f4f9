"""Check link properties that are set by class in Python and on the command line.

Fabrics keep link properties after failures and pickling."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest

import tulle

if TYPE_CHECKING:
    from conftest import Cli

RULES = ["all:rate=100Gbps", "global:latency=500ns,length=50m,medium=om4", "endpoint:latency=25ns"]


def test_links_are_given_by_class() -> None:
    fabric = tulle.Fabric("dragonfly:p=2", links=RULES)
    globally = np.array(fabric.class_names)[fabric.classes] == "global"
    assert (fabric.link_rate == 100_000_000_000).all()
    assert (fabric.link_latency == np.where(globally, 500_000, -1)).all()
    assert (fabric.link_length == np.where(globally, 50_000, -1)).all()
    assert {*fabric.link_medium} == {None, "om4"}
    assert (fabric.endpoint_latency == 25_000).all()
    assert (fabric.endpoint_rate == 100_000_000_000).all()
    assert fabric.links == tuple(RULES)


def test_links_have_several_notations() -> None:
    fabric = tulle.Fabric("dragonfly:p=2", links=["global:latency=500ns,rate=200Gbps"])
    assert fabric == tulle.Fabric("dragonfly:p=2", links={"global": {"latency": "500ns", "rate": "200Gbps"}})
    assert fabric == tulle.Fabric("dragonfly:p=2", links={"global": "rate=0.2Tbps,latency=0.5us"})
    assert fabric == tulle.Fabric("dragonfly:p=2").with_links(["global:latency=500ns,rate=200Gbps"])
    assert fabric != tulle.Fabric("dragonfly:p=2")


def test_links_survive_pickling_and_faults() -> None:
    fabric = tulle.Fabric("dragonfly:p=2", links=RULES)
    assert pickle.loads(pickle.dumps(fabric)) == fabric
    damaged = fabric.without(links="20%", switches=1, seed=3)
    before = damaged.origin
    assert before is not None
    assert (damaged.link_latency == fabric.link_latency[before["channels"]]).all()
    assert (damaged.endpoint_rate == fabric.endpoint_rate[before["endpoints"]]).all()
    assert pickle.loads(pickle.dumps(damaged)) == damaged


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (
            ["xyz:rate=1Gbps"],
            "unknown link class 'xyz'; legal: local, global, endpoint, all, or a cable such as (0,0)--(0,1)",
        ),
        (["all:speed=1Gbps"], "link: unknown parameter 'speed=1Gbps'"),
        (["all:rate=1"], "link: rate=1 has no unit; did you mean 1Gbps or 1Mbps?"),
        (["all:rate=1Kbps"], "link: rate=1Kbps is out of range; legal: 1Mbps to 100Tbps"),
        (["all:latency=2s"], "link: latency=2s is out of range; legal: 0 to 1s"),
        (["all:length=2000km"], "link: length=2000km is out of range; legal: 0 to 1000km"),
        ({"all": {"rate": 5}}, "links: all={'rate': 5} is not a rule"),
        ([5], "links=[5] are not rules"),
    ],
)
def test_nonsense_is_refused_in_one_line(links: object, message: str) -> None:
    with pytest.raises(tulle.TulleError) as raised:
        tulle.Fabric("dragonfly:p=2", links=links)  # type: ignore[arg-type]
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "command",
    [
        ["fabric", "dragonfly:p=2"],
        ["route", "dragonfly:p=2", "minimal"],
        ["analyze", "dragonfly:p=2", "connectivity"],
        ["throughput", "dragonfly:p=2", "minimal", "longest-matching"],
        ["simulate", "dragonfly:p=2", "--traffic", "permutation:bytes=9KB"],
        ["flit", "dragonfly:p=2", "--load", "0.1", "--warmup", "50", "--window", "50"],
        ["exchange", "dragonfly:p=2"],
        ["stress", "dragonfly:p=2", "minimal", "permutation"],
        ["tune", "dragonfly:p=2"],
    ],
)
def test_every_command_takes_links(tulle: Cli, command: list[str]) -> None:
    result = tulle(*command, "--link", "xyz:rate=1Gbps")
    assert result.returncode == 2
    assert (
        result.stderr
        == "tulle: unknown link class 'xyz'; legal: local, global, endpoint, all, or a cable such as (0,0)--(0,1)\n"
    )


def test_the_command_line_says_what_links_are(tulle: Cli) -> None:
    result = tulle("fabric", "dragonfly:p=2", "--link", RULES[0], "--link", "endpoint:latency=0.025us", "--json")
    assert json.loads(result.stdout)["links"] == [RULES[0], RULES[2]]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["simulate", "--rate", "1Gbps"], "--rate 1Gbps is not used: every link has its own rate"),
        (["simulate", "--link-latency", "2us"], "--link-latency 2us is not used: every link has its own latency"),
        (
            ["flit", "--cycle-ps", "1000", "--link-latency", "7"],
            "--link-latency 7 is not used: every cable has its own latency",
        ),
    ],
)
def test_options_without_effect_on_links_give_a_warning(tulle: Cli, arguments: list[str], expected: str) -> None:
    command, *options = arguments
    more = {"simulate": ["--traffic", "permutation:bytes=1KiB"], "flit": ["--load", "0.1", "--window", "100"]}[command]
    done = tulle(command, "clique:degree=3,p=1", "--link", "all:rate=10Gbps,latency=1us", *options, *more)
    assert done.returncode == 0, done.stderr
    assert expected in done.stderr
    # If links have no rate or latency of their own, the command uses the option and prints no message.
    assert "is not used" not in tulle(command, "clique:degree=3,p=1", *options, *more).stderr


@pytest.fixture(scope="module")
def partly_rated(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the spec of a fabric in which only one of two cables has a rate, and no endpoint link has one."""
    place = tmp_path_factory.mktemp("rates")
    (place / "net.csv").write_text("a,b,rate\nleaf1,spine,100Gbps\nleaf2,spine,\n")
    (place / "net.nodes.csv").write_text("node,switch\nh1,leaf1\nh2,leaf2\n")
    return f"file:edges={place}/net.csv,nodes={place}/net.nodes.csv"


PERMUTATION = "permutation:bytes=1KiB"
SHARED = "--link leaf2--spine:rate=… for one cable, or --link all:rate=… for all links, also those whose rate is known"


@pytest.mark.parametrize(
    ("command", "more", "expected"),
    [
        (
            "throughput",
            [PERMUTATION],
            "1 cable has an unknown rate; throughput uses 100Gbps, the rate of the fastest link; --rate sets another "
            "rate",
        ),
        (
            "throughput",
            [PERMUTATION, "--link", "endpoint:rate=25Gbps"],
            "1 cable has an unknown rate; throughput uses 25Gbps, the rate of the fastest endpoint link; --rate sets "
            "another rate",
        ),
        ("throughput", [PERMUTATION, "--rate", "10Gbps"], ""),
        ("throughput", [PERMUTATION, "--link", "all:rate=25Gbps"], ""),
        (
            "throughput",
            [PERMUTATION, "--link", "link:rate=25Gbps"],
            "2 endpoint links have an unknown rate; at throughput 1, the busiest endpoint sends at 25Gbps, the rate of "
            "the fastest link; --rate sets another rate",
        ),
        (
            "simulate",
            ["-t", PERMUTATION],
            "1 cable and 2 endpoint links have an unknown rate; the simulation uses 10Gbps; --rate sets another rate",
        ),
        ("simulate", ["-t", PERMUTATION, "--rate", "25Gbps"], ""),
        (
            "simulate",
            ["-t", PERMUTATION, "--link", "all:rate=25Gbps", "--link", "endpoint:latency=25ns"],
            "2 cables have an unknown latency; the simulation uses 1us; --link-latency sets another latency",
        ),
        (
            "flit",
            ["--link", "endpoint:latency=25ns", "--cycle-ps", "5000", "--load", "0.1", "--window", "100"],
            "2 cables have an unknown latency; the simulation uses 10 cycles; --link-latency sets another latency",
        ),
        (
            "exchange",
            ["-t", PERMUTATION, "--link", "endpoint:latency=25ns", "--cycle-ps", "5000"],
            "2 cables have an unknown latency; the simulation uses 10 cycles; --link-latency sets another latency",
        ),
        (
            "stress",
            ["minimal", PERMUTATION, "--throughput"],
            "1 cable has an unknown rate; throughput uses 100Gbps, the rate of the fastest link; to set another rate, "
            f"add {SHARED}",
        ),
        (
            "resilience",
            ["--shares", "0%", "--seeds", "1", "--link", "link:rate=25Gbps"],
            "2 endpoint links have an unknown rate; at throughput 1, the busiest endpoint sends at 25Gbps, the rate of "
            "the fastest link; to set another rate, add --link endpoint:rate=…",
        ),
        (
            "tune",
            ["--for", "permutation"],
            "1 cable has an unknown rate; throughput uses 100Gbps, the rate of the fastest link; to set another rate, "
            f"add {SHARED}",
        ),
    ],
)
def test_a_note_says_which_value_unknown_links_get_if_others_are_known(
    tulle: Cli, partly_rated: str, command: str, more: list[str], expected: str
) -> None:
    done = tulle(command, partly_rated, *more)
    assert done.returncode == 0, done.stderr
    notes = [line for line in done.stderr.splitlines() if "have an unknown" in line or "has an unknown" in line]
    assert notes == ([f"tulle: {expected}"] if expected else [])


@pytest.mark.parametrize("command", ["throughput", "simulate"])
def test_no_note_if_all_rates_are_unknown(tulle: Cli, command: str) -> None:
    option = [] if command == "throughput" else ["-t"]
    done = tulle(command, "clique:degree=3,p=1", *option, PERMUTATION)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_link_rule_is_proposed_that_sets_only_unknown_links() -> None:
    from tulle.fabric.link_rules import rules_for_unknown

    def proposed(*known: str) -> str:
        return rules_for_unknown(tulle.Fabric("dragonfly:p=2", links=list(known)), "rate", "25Gbps")

    assert proposed() == "--link all:rate=25Gbps"
    assert proposed("global:rate=100Gbps") == "--link local:rate=25Gbps --link endpoint:rate=25Gbps"
    assert proposed("local:rate=1Gbps", "global:rate=1Gbps") == "--link endpoint:rate=25Gbps"


def test_a_link_rule_is_proposed_for_one_cable_if_its_class_has_known_links(partly_rated: str) -> None:
    from tulle.fabric.link_rules import rules_for_unknown

    assert rules_for_unknown(tulle.Fabric(partly_rated), "rate", "…") == SHARED
