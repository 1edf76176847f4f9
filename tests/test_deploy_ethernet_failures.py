"""Find failed switches and cables in a ring of four switches, from their names or from the output of switches."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import tulle
from tulle import InputError
from tulle.deploy.ethernet.failures import Failures, find_failures, read_failures
from tulle.deploy.ethernet.plan import plan_of

if TYPE_CHECKING:
    from pathlib import Path

    from tulle.deploy.ethernet.plan import EthernetPlan


@pytest.fixture(scope="module")
def ring() -> EthernetPlan:
    """Plan a ring of switches s0 to s3 with cables 0 (s0 to s1), 1 (s0 to s3), 3 (s1 to s2) and 5 (s2 to s3).

    At each switch, the neighbour with the lower number is at eth1 and the host is at eth3.
    """
    fabric = tulle.Fabric.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]], 1)
    assert fabric.cables.tolist() == [0, 1, 3, 5]
    return plan_of(tulle.route(fabric, "minimal"))


def links(folder: Path, switch: str, **ports: tuple[bool, str]) -> Path:
    """Write a file in the format of ``ip -json link``; a port's value is its carrier and its operational state."""
    rows: list[dict[str, Any]] = [
        {"ifname": port, "flags": ["UP", *(["LOWER_UP"] if carrier else [])], "operstate": state}
        for port, (carrier, state) in {"lo": (True, "UNKNOWN"), **ports}.items()
    ]
    path = folder / f"{switch}.json"
    path.write_text(json.dumps(rows))
    return path


@pytest.mark.parametrize(
    ("carrier", "state", "alive"),
    [
        (True, "UP", True),
        # A driver that does not support operational states reports UNKNOWN.
        (True, "UNKNOWN", True),
        (True, "DOWN", False),
        (True, "DORMANT", False),
        (False, "UP", False),
        (False, "UNKNOWN", False),
        (False, "DOWN", False),
    ],
)
def test_a_cable_is_alive_with_a_carrier_and_a_port_that_is_not_down(
    ring: EthernetPlan, tmp_path: Path, carrier: bool, state: str, alive: bool
) -> None:
    path = links(tmp_path, "s0", eth1=(carrier, state), eth2=(True, "UP"), eth3=(True, "UP"))
    assert read_failures(ring, [path]) == Failures((), () if alive else (0,), 3)


def test_missing_ports_are_failed_and_hosts_are_ignored(ring: EthernetPlan, tmp_path: Path) -> None:
    assert read_failures(ring, [links(tmp_path, "s0", eth1=(True, "UP"))]) == Failures((), (1,), 3)
    # A cable counts as failed if one end is down and no file has the other end. A switch counts as failed if all its
    # cables have failed.
    links(tmp_path, "s0", eth1=(True, "UP"), eth2=(True, "UP"))
    links(tmp_path, "s2", eth1=(True, "UP"), eth2=(False, "DOWN"))
    assert read_failures(ring, [tmp_path]) == Failures((), (5,), 2)
    links(tmp_path, "s2")
    assert read_failures(ring, [tmp_path]) == Failures((2,), (), 2)


@pytest.mark.parametrize(
    ("cable", "row"),
    [
        ("s0:s1", 0),
        ("s1:s0", 0),
        ("s0:s3", 1),
        ("s0/eth2:s3", 1),
        ("s0/2:s3/1", 1),
        ("s3/eth1:s0/eth2", 1),
        ("s2:s1", 3),
        ("2:3", 5),
    ],
)
def test_cables_by_name(ring: EthernetPlan, cable: str, row: int) -> None:
    assert find_failures(ring, [cable]) == Failures((), (row,))


@pytest.mark.parametrize(
    "cable",
    [
        # No cable joins these switches.
        "s0:s2",
        "s0:s0",
        # In each of these cable names, a named port leads to another switch than the name states.
        "s0/eth2:s1",
        "s0:s1/eth2",
        "s0/eth1:s1/eth2",
        # In each of these cable names, a named port leads to a host.
        "s0/eth3:s1",
        "s0:s1/eth3",
    ],
)
def test_cables_that_are_unknown(ring: EthernetPlan, cable: str) -> None:
    with pytest.raises(InputError, match=f"^'{cable}': no such cable; legal: s0:s[1-9]+, s0:s[1-9]+$"):
        find_failures(ring, [cable])


@pytest.mark.parametrize("cable", ["s0", "s0:s1:s2", ""])
def test_texts_that_are_no_cables(ring: EthernetPlan, cable: str) -> None:
    with pytest.raises(InputError, match=f"^'{cable}' is not a cable; legal: two switches A:B, or two ports A/eth3:B"):
        find_failures(ring, [cable])


def test_dead_switches_take_their_cables(ring: EthernetPlan) -> None:
    assert find_failures(ring, ["s0:s1", "s2:s3"], ["s1"]) == Failures((1,), (5,))
    # Both cables of s3 have failed, so s3 has failed. s0 and s2 keep one cable each.
    assert find_failures(ring, ["s3:s0", "s2:s3"]) == Failures((3,), ())
    assert find_failures(ring, ["s3:s0", "s2:s1"], ["2", "s2"]) == Failures((2,), (1,))


def announced(folder: Path, switch: str, **ports: tuple[str, str]) -> Path:
    """Write a file in the format of ``lldpctl -f json0``; a port's value is its neighbour's name and port."""
    found = [
        {port: {"via": "LLDP", "chassis": {name: {}}, "port": {"id": {"type": "ifname", "value": there}}}}
        for port, (name, there) in ports.items()
    ]
    path = folder / f"{switch}.json"
    path.write_text(json.dumps({"lldp": {"interface": found}}))
    return path


def test_names_of_lldp_are_short_or_full(ring: EthernetPlan, tmp_path: Path) -> None:
    here = announced(tmp_path, "s0.dc.example", eth1=("S1.dc.example", "eth1"), eth2=("s3", "Eth2"))
    with pytest.raises(InputError, match="has the neighbour s3 Eth2, expected s3 eth1"):
        read_failures(ring, [here])
    here = announced(tmp_path, "s0.dc.example", eth1=("S1.dc.example", "eth1"), eth2=("s3", "eth1"))
    assert read_failures(ring, [here]) == Failures((), (), 3)
    here = announced(tmp_path, "s0.dc.example", eth1=("S1.dc.example", "eth1"))
    assert read_failures(ring, [here]) == Failures((), (1,), 3)
    here = announced(tmp_path, "s0", eth1=("s2.dc.example", "eth1"), eth2=("s3", "eth1"))
    with pytest.raises(InputError, match=r"has the neighbour s2\.dc\.example eth1, expected s1 eth1"):
        read_failures(ring, [here])


def test_a_switch_without_cables_is_not_dead() -> None:
    plan = plan_of(tulle.route(tulle.Fabric("star:endpoints=2"), "minimal"))
    assert find_failures(plan) == Failures((), ())


def test_a_port_within_another_one_is_named_as_the_kernel_does(ring: EthernetPlan, tmp_path: Path) -> None:
    """Check that ``eth1@if7`` is read as eth1; ``ip`` prints this form for virtual cables, as in containers."""
    path = links(tmp_path, "s0", **{"eth1@if7": (True, "UP"), "eth2": (True, "UP")})
    assert read_failures(ring, [path]) == Failures((), (), 3)


def test_ends_that_disagree(ring: EthernetPlan, tmp_path: Path) -> None:
    links(tmp_path, "s0", eth1=(True, "UP"), eth2=(True, "UP"))
    links(tmp_path, "s1", eth1=(False, "DOWN"), eth2=(True, "UP"))
    with pytest.raises(
        InputError, match=r"s1/eth1 is down or has no LLDP neighbour, but the other end s0/eth1 of its cable is up"
    ):
        read_failures(ring, [tmp_path])


def test_hosts_that_speak_lldp_do_not_count(ring: EthernetPlan, tmp_path: Path) -> None:
    announced = [("eth1", "s1", "eth1"), ("eth2", "s3", "eth1"), ("eth3", "node-7", "enp1s0")]
    rows = [
        {
            port: {
                "chassis": {name: {"id": {"type": "local", "value": name}}},
                "port": {"id": {"type": "ifname", "value": there}},
            }
        }
        for port, name, there in announced
    ]
    (tmp_path / "s0.json").write_text(json.dumps({"lldp": {"interface": rows}}))
    assert read_failures(ring, [tmp_path / "s0.json"]) == Failures((), (), 3)
