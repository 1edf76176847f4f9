"""Test packet simulations in Python."""

import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

import tulle


@pytest.fixture(scope="module")
def network() -> tuple[tulle.Fabric, tulle.Routing]:
    fabric = tulle.Fabric("slimfly:q=5")
    return fabric, tulle.route(fabric, "random:layers=4,rho=0.7", seed=1)


def test_flows_and_counters(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    load = tulle.traffic(fabric, "permutation:bytes=64KiB", seed=1)
    result = tulle.simulate(fabric, routing, load, seed=1)
    flows, counters = result.flows, result.counters
    assert result.complete
    assert flows.num_rows == 200
    for name in ("source", "destination", "bytes", "start"):
        assert np.array_equal(flows[name], load.columns[name])
    assert (flows["start"] < flows["delivered"]).all()
    assert (flows["delivered"] < flows["finish"]).all()
    assert result.end == flows["finish"].max()
    assert (flows["hops"] >= 2).all()
    assert flows["retransmits"].sum() == counters["retransmitted"]
    assert counters["data_sent"] == counters["data_delivered"] + counters["data_trimmed"] + counters["data_dropped"]
    summary = result.summary()
    assert (summary["flows"], summary["completed"]) == (200, 200)
    assert summary["fct_us"]["mean"] == pytest.approx((flows["finish"] - flows["start"]).mean() / 1e6)
    assert summary["fct_us"]["p50"] <= summary["fct_us"]["p99"] <= summary["fct_us"]["max"]
    assert summary["throughput_gbps"]["mean"] < 100


def test_one_packet_takes_the_closed_form() -> None:
    fabric = tulle.Fabric("clique:degree=2")
    routing = tulle.route(fabric, "minimal")
    result = tulle.simulate(fabric, routing, tulle.Workload([0], [5], 8936, 1000), rate="100Gbps", link_latency="1us")
    # The packet crosses three links, each in 720 ns for 9000 bytes plus 1 us of latency. The acknowledgement crosses
    # three links, each in 5.12 ns for 64 bytes plus 1 us.
    assert result.flows["finish"].tolist() == [1000 + 3 * 1_720_000 + 3 * 1_005_120]
    same = tulle.simulate(
        fabric, routing, tulle.Workload([0], [5], 8936, 1000), rate="100 Gb/s", link_latency="0.001ms", mtu="9000B"
    )
    assert same.flows["finish"].tolist() == result.flows["finish"].tolist()


def test_same_seed_same_result(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    load = tulle.traffic(fabric, "skewed:bytes=64KiB")
    one, two, other = (tulle.simulate(fabric, routing, load, seed=seed) for seed in (1, 1, 2))
    assert one.flows.to_csv() == two.flows.to_csv()
    assert one.counters == two.counters
    assert one.flows.to_csv() != other.flows.to_csv()


def test_threads_and_profile_change_nothing(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    load = tulle.traffic(fabric, "permutation:bytes=256KiB", seed=1)
    one = tulle.simulate(fabric, routing, load, threads=1, seed=1)
    two = tulle.simulate(fabric, routing, load, threads=2, profile=True, seed=1)
    assert one.flows.to_csv() == two.flows.to_csv()
    assert one.links.to_csv() == two.links.to_csv()
    assert one.summary() == two.summary()
    assert one.profile is None
    assert two.profile is not None
    assert two.profile["threads"] == 2
    assert sum(two.profile["events"].values()) == two.counters["events"]
    assert two.profile["seconds"]["arrivals"] > 0
    spent = one.packet_time_us
    assert spent["travelling"] == one.counters["link_hops"]  # 1 us each
    assert spent["waiting_at_switches"] > 0 == spent["handling"]


@pytest.mark.parametrize(
    ("spec", "routing"),
    [
        ("slimfly:q=5", "spread:layers=8"),
        ("dragonfly:p=2", "spread-groups"),
        ("jellyfish:switches=40,degree=6,p=4", "spread-groups:shares=64"),
        ("hyperx:shape=4x4,p=4", "spread:layers=7"),
    ],
)
def test_the_default_selector_gives_the_same_with_threads(spec: str, routing: str) -> None:
    fabric = tulle.Fabric(spec, seed=1)
    load = tulle.traffic(fabric, "permutation:bytes=64KiB", seed=1)
    routed = tulle.route(fabric, routing, seed=1)
    one, two = (tulle.simulate(fabric, routed, load, threads=count, profile=True, seed=1) for count in (1, 2))
    assert two.profile is not None
    assert two.profile["threads"] == 2
    assert one.configuration["selector"].startswith("recycle")
    # Packets of some flows take paths of different lengths, so the mean number of hops is not a whole number.
    assert (one.flows["hops"] % 1 > 0).any()
    for name in one.flows:
        assert np.array_equal(one.flows[name], two.flows[name]), name


def test_cut_off(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    load = tulle.traffic(fabric, "permutation:bytes=64KiB", seed=1)
    result = tulle.simulate(fabric, routing, load, until="1us")
    assert not result.complete
    assert set(result.flows["finish"]) == {-1}
    summary = result.summary()
    assert summary["completed"] == 0
    assert summary["fct_us"]["mean"] is None
    assert np.isnan(result.fct_us).all()
    assert "0 of 200 flows" in repr(result)


def test_a_deadlock_is_reported() -> None:
    """Check that a deadlock is reported for clockwise routing on a ring of four switches (Flattened Clos §2.2).

    Each switch sends to the switch that is two hops away.
    """
    fabric = tulle.Fabric.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)], 4)
    channel = {tuple(ends): number for number, ends in enumerate(fabric.channels.tolist())}
    load = tulle.Workload(range(16), [(source + 8) % 16 for source in range(16)], 2_000_000)

    def simulate(following: list[list[int]]) -> tulle.Simulation:
        hops = [[-1 if s == t else channel[s, following[s][t]] for t in range(4)] for s in range(4)]
        routing = tulle.Routing.from_next_hop(fabric, hops)
        return tulle.simulate(fabric, routing, load, "dcqcn", "ecmp", mtu="1500B", queue="pfc:threshold=testbed")

    result = simulate([[(s + 1) % 4] * 4 for s in range(4)])
    deadlock = result.deadlock
    assert deadlock is not None
    assert not result.complete
    assert 0 < deadlock["time"] <= result.end
    assert sorted(port["source"] for port in deadlock["ports"]) == [0, 1, 2, 3]
    for port in deadlock["ports"]:
        assert fabric.channels[port["channel"]].tolist() == [port["source"], port["target"]]
        assert port["flows"]
    assert result.summary()["deadlock"].startswith("deadlock at ")
    assert result.counters["pauses"] > 0
    # The second routing does not use the cable between switches 0 and 3, so it has no dependency cycle.
    other = simulate([[s + 1 if t > s else s - 1 for t in range(4)] for s in range(4)])
    assert other.complete
    assert other.deadlock is None


def test_progress_and_exceptions(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    load = tulle.traffic(fabric, "permutation:bytes=64MiB", seed=1)
    seen: list[int] = []

    def stop(progress: tulle.Progress) -> None:
        seen.append(progress.events)
        assert progress.flows == 200
        assert progress.fraction == progress.delivered / progress.packets < 1
        if len(seen) == 3:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        tulle.simulate(fabric, routing, load, progress=stop)
    assert seen == sorted(set(seen))


def test_threads_run_side_by_side(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    """Check that a Python thread runs while another thread simulates."""
    fabric, routing = network
    load = tulle.traffic(fabric, "permutation:bytes=16MiB", seed=1)
    worker = threading.Thread(target=tulle.simulate, args=(fabric, routing, load))
    worker.start()
    ticks = 0
    while worker.is_alive():
        time.sleep(0.001)
        ticks += 1
    assert ticks > 10


@pytest.mark.parametrize(
    ("arguments", "exception", "message"),
    [
        ({"transport": "purfied"}, tulle.SpecError, "unknown transport 'purfied'; did you mean purified"),
        ({"selector": "flowlet:gap=1"}, tulle.SpecError, "gap=1 has no unit"),
        ({"queue": "trim:packets=0"}, tulle.SpecError, "packets=0 is out of range"),
        ({"rate": "fast"}, tulle.SpecError, "rate=fast is not a rate; legal: "),
        ({"rate": 0}, tulle.SpecError, "rate=0 is not a rate; legal: 1Mbps to 100Tbps"),
        ({"link_latency": "1"}, tulle.SpecError, "link_latency=1 has no unit"),
        ({"mtu": "1GB"}, tulle.SpecError, "mtu=1GB is out of range; legal: 65B to 65535B"),
        ({"until": "never\n"}, tulle.SpecError, r"until=never\\n is not a duration"),
        ({"seed": -1}, tulle.InputError, "seed=-1"),
        ({"faults": 5}, tulle.InputError, "faults=5 is an int; legal: a text, or a list of texts"),
        ({"faults": ["up:links=1"]}, tulle.SpecError, "unknown fault 'up'"),
        ({"faults": ["down:links=ids:9999"]}, tulle.SpecError, "links=ids:9999 does not exist; nearest"),
        ({"faults": ["down:links=1,at=9us,until=1us"]}, tulle.SpecError, "legal: until= later than at="),
        ({"nix": "fifo"}, tulle.InputError, "unknown setting 'nix'; did you mean nic"),
        ({"nic": None}, tulle.InputError, "nic is None; legal: a spec"),
        ({"threads": 0}, tulle.SpecError, "threads=0 is out of range; legal: 1 to 64"),
        ({"threads": -1}, tulle.SpecError, "threads=-1 is out of range; legal: 1 to 64"),
        ({"sample": "1ns"}, tulle.SpecError, "sample=1ns is out of range; legal: 1us to 1s, or never"),
        ({"faults": [5]}, tulle.InputError, "faults is an int; legal: a spec, for example 'down:links=5%'"),
        ({"sample_links": 0.5}, tulle.InputError, "sample_links=0.5 is a float; legal: a text, or a list of texts"),
        ({"sample_links": [0.5]}, tulle.InputError, "sample_links has 0.5, which names no link"),
        (
            {"sample_links": ["0--1"]},
            tulle.SpecError,
            "sample_links=0--1 has no sampling time; legal: only together with sample=",
        ),
    ],
)
def test_refuses_configurations(
    network: tuple[tulle.Fabric, tulle.Routing], arguments: dict[str, Any], exception: type[Exception], message: str
) -> None:
    fabric, routing = network
    with pytest.raises(exception, match=message):
        tulle.simulate(fabric, routing, tulle.Workload([0], [1], 1), **arguments)


def test_refuses_what_does_not_fit(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    with pytest.raises(tulle.InputError, match=r"the routing is of .*slimfly:q=5"):
        tulle.simulate(tulle.Fabric("slimfly:q=4"), routing, tulle.Workload([0], [1], 1))
    with pytest.raises(tulle.InputError, match="flow 0: destination=200"):
        tulle.simulate(fabric, routing, tulle.Workload([0], [200], 1))


def test_faults_links_and_samples(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    load = tulle.traffic(fabric, "permutation:bytes=1MiB", seed=1)
    texts = ["down:links=10%,at=50us,until=2ms", "drop:switches=ids:3,at=20us,until=400us,loss=20%"]
    result = tulle.simulate(fabric, routing, load, faults=texts, sample="50us", seed=1)
    assert result.complete
    assert not result.partial
    assert result.cut_off == []
    counters, faults, stalls = result.counters, result.faults, result.stalls
    assert [fault["spec"] for fault in faults] == [
        f"{texts[0]},detect=100us",
        texts[1].replace("20%", "0.2"),
    ]
    assert counters["data_lost"] == sum(fault["data_lost"] for fault in faults) > 0
    assert counters["control_lost"] == sum(fault["control_lost"] for fault in faults) > 0
    lost = counters["data_trimmed"] + counters["data_dropped"] + counters["data_lost"]
    assert counters["data_sent"] == counters["data_delivered"] + lost
    assert (stalls["until"] > stalls["since"]).all()
    for number, fault in enumerate(faults):
        mine = stalls["fault"] == number
        assert fault["stalled"] == len(set(stalls["flow"][mine])) > 0
        assert fault["time_to_recover_us"] == pytest.approx((stalls["until"][mine].max() / 1e6) - [50, 20][number])
    links = result.links
    assert links.num_rows == len(fabric.channels) + 2 * fabric.num_endpoints
    assert np.array_equal(links["source"][: len(fabric.channels)], fabric.channels[:, 0])
    assert (links["utilisation"] <= 1).all()
    assert (links["peak"][links["bytes"] > 0] > 0).all()
    samples = result.samples
    assert (np.diff(samples["time"]) == 50_000_000).all()
    assert (samples["longest"] <= links["peak"].max()).all()
    same = tulle.simulate(fabric, routing, load, faults=texts, seed=1)
    assert same.flows.to_csv() == result.flows.to_csv()
    assert same.samples.num_rows == 0


def test_stopped_runs_report_arrived_bytes(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    load = tulle.traffic(fabric, "permutation:bytes=256KiB", seed=1)
    whole = tulle.simulate(fabric, routing, load, seed=1)
    assert np.array_equal(whole.flows["bytes_delivered"], load.bytes)
    cut = tulle.simulate(fabric, routing, load, seed=1, until=f"{whole.end // 2}ps")
    arrived, delivered = cut.flows["bytes_delivered"], cut.flows["delivered"] >= 0
    assert 0 < arrived.sum() < load.bytes.sum()
    assert np.array_equal(arrived == load.bytes, delivered)
    for result in (whole, cut):
        assert 0 < result.links["utilisation"].max() <= 1


def test_interrupted_runs_are_partial(network: tuple[tulle.Fabric, tulle.Routing]) -> None:
    fabric, routing = network
    load = tulle.traffic(fabric, "permutation:bytes=64MiB", seed=1)

    def interrupt(_: tulle.Progress) -> None:
        signal.raise_signal(signal.SIGINT)

    result = tulle.simulate(fabric, routing, load, progress=interrupt, keep_partial=True)
    assert result.partial
    assert not result.complete
    assert result.end > 0
    counters = result.counters
    lost = counters["data_trimmed"] + counters["data_dropped"] + counters["data_in_flight"]
    assert counters["data_sent"] == counters["data_delivered"] + lost
    assert result.summary()["partial"] is True
    with pytest.raises(KeyboardInterrupt):
        tulle.simulate(fabric, routing, load, progress=interrupt)


@pytest.mark.parametrize(
    ("transport", "queue"),
    [
        ("purified", "trim"),
        ("ndp", "trim"),
        ("tcp", "droptail"),
        ("dctcp", "ecn"),
        ("mptcp", "ecn"),
        ("dcqcn", "pfc"),
    ],
)
def test_a_transport_has_its_own_queue(transport: str, queue: str) -> None:
    fabric = tulle.Fabric("hyperx:shape=3x3")
    load = tulle.traffic(fabric, "permutation:bytes=200KB", seed=3)
    own = tulle.simulate(fabric, "minimal", load, transport, "ecmp", seed=3)
    named = tulle.simulate(fabric, "minimal", load, transport, "ecmp", queue=queue, seed=3)
    assert own.flows == named.flows
    assert own.counters == named.counters
