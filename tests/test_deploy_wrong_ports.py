"""Check that `verify`, `watch` and `repair` name cables at wrong ports and replaced nodes before the consequences."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from live_subnets import exchange, host_end, planned_subnet, switch_end, text_of, unplug

import tulle
from tulle.cli.command import run
from tulle.deploy.infiniband.bundle import read_bundle
from tulle.deploy.targets import target

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tulle.deploy.infiniband.bundle import Bundle
    from tulle.deploy.read.subnet import Subnet

NEW = 0x506B4B0300A1C200
"""The GUID of an adapter that is not in the bundle."""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """Return a bundle. In switch (0,0,0), ports 1 to 5 lead to switches, and ports 6 to 8 to hosts 0, 1 and 2."""
    routing = tulle.route("slimfly:q=3,p=3", "almost-minimal:layers=4")
    place = tmp_path_factory.mktemp("wrong") / "b"
    target("infiniband").bundle(routing, place, deadlock="colouring", lmc=2)
    return read_bundle(place)


class Site:
    """A live file of a changed subnet, and the commands that read it."""

    def __init__(self, bundle: Bundle, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.bundle, self.live, self._capsys = bundle, folder / "live", capsys
        self.subnet = planned_subnet(bundle, folder / "planned")

    def change(self, change: Callable[[Bundle, Subnet], None]) -> None:
        change(self.bundle, self.subnet)
        self.live.write_text(text_of(self.subnet))

    def run(self, command: str, *options: str) -> tuple[str, str]:
        """Run a command with the bundle; return standard output and standard error."""
        run(["deploy", command, str(self.bundle.place), *options])
        return self._capsys.readouterr()

    def differences(self, *options: str) -> list[tuple[str, str]]:
        fields: dict[str, Any] = json.loads(self.run("verify", "--live", str(self.live), "--json", *options)[0])
        return [(row["kind"], row["instruction"]) for row in fields["differences"]]

    def watched(self) -> dict[str, Any]:
        fields: dict[str, Any] = json.loads(self.run("watch", "--live-command", f"cat {self.live}", "--json")[0])
        return fields


@pytest.fixture
def site(bundle: Bundle, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Site:
    return Site(bundle, tmp_path, capsys)


def ports_of_a_switch(bundle: Bundle, subnet: Subnet) -> None:
    exchange(subnet, switch_end(bundle, 0, 1), switch_end(bundle, 0, 2))


def ports_of_two_switches(bundle: Bundle, subnet: Subnet) -> None:
    exchange(subnet, switch_end(bundle, 0, 3), switch_end(bundle, 1, 4))


def hosts_of_a_switch(bundle: Bundle, subnet: Subnet) -> None:
    exchange(subnet, host_end(bundle, 0), host_end(bundle, 1))


def hosts_of_two_switches(bundle: Bundle, subnet: Subnet) -> None:
    exchange(subnet, host_end(bundle, 0), host_end(bundle, 3))


def host_and_switch(bundle: Bundle, subnet: Subnet) -> None:
    exchange(subnet, switch_end(bundle, 0, 1), switch_end(bundle, 0, bundle.endpoint_ports[0]))


def three_ports(bundle: Bundle, subnet: Subnet) -> None:
    exchange(subnet, switch_end(bundle, 0, 1), switch_end(bundle, 0, 2))
    exchange(subnet, switch_end(bundle, 0, 2), switch_end(bundle, 0, 3))


def moved_cable(bundle: Bundle, subnet: Subnet) -> None:
    exchange(subnet, switch_end(bundle, 0, 1), switch_end(bundle, 0, 30))


def moved_host(bundle: Bundle, subnet: Subnet) -> None:
    exchange(subnet, switch_end(bundle, 0, bundle.endpoint_ports[0]), switch_end(bundle, 0, 30))


def two_switches(bundle: Bundle, subnet: Subnet) -> None:
    """Exchange all cables of two switches that no cable joins."""
    for port in range(1, 9):
        exchange(subnet, switch_end(bundle, 0, port), switch_end(bundle, 4, port))


CASES = [
    (
        ports_of_a_switch,
        "ports 1 and 2 of switch (0,0,0) are exchanged: exchange the cables back; they come from port 1 of switch "
        "(0,0,2) and port 1 of switch (0,0,1)",
    ),
    (
        ports_of_two_switches,
        "port 3 of switch (0,0,0) and port 4 of switch (0,0,1) are exchanged: exchange the cables back; they come from "
        "port 1 of switch (1,1,1) and port 1 of switch (1,0,0)",
    ),
    (hosts_of_a_switch, "hosts 0 and 1 are exchanged: exchange their cables at ports 6 and 7 of switch (0,0,0)"),
    (
        hosts_of_two_switches,
        "hosts 0 and 3 are exchanged: exchange their cables at port 6 of switch (0,0,0) and port 6 of switch (0,0,1)",
    ),
    (
        host_and_switch,
        "ports 1 and 6 of switch (0,0,0) are exchanged: exchange the cables back; they come from host 0 and port 1 of "
        "switch (0,0,1)",
    ),
    (
        three_ports,
        "the cables at ports 1, 2 and 3 of switch (0,0,0) are at each other's ports: exchange those at ports 1 and 2 "
        "of switch (0,0,0), then those at ports 1 and 3 of switch (0,0,0)",
    ),
    (
        moved_cable,
        "the cable from port 1 of switch (0,0,1) is at port 30 of switch (0,0,0), expected port 1 of switch (0,0,0): "
        "move it to that port",
    ),
    (
        moved_host,
        "host 0 is at port 30 of switch (0,0,0), expected port 6 of switch (0,0,0): move its cable to that port",
    ),
    (two_switches, "switches (0,0,0) and (0,1,1) are exchanged: exchange them back, or exchange all their cables"),
]


@pytest.mark.parametrize(("change", "text"), CASES)
def test_wrong_ports_come_first(site: Site, change: Callable[[Bundle, Subnet], None], text: str) -> None:
    site.change(change)
    for options in ((), ("--lfts", str(site.bundle.folder / "lfts"))):
        (first, *others) = site.differences(*options)
        assert first == ("wrong-port", text)
        # The cables are not reported a second time, and no consequence sends the operator to the tables.
        assert {kind for kind, _ in others} <= {"loop", "wrong-end", "black-hole", "credit-loop"}
        assert all("first correct the cabling, as above" in instruction for _, instruction in others)
    watched = site.watched()
    assert (watched["appeared"][0]["instruction"], watched["repair"]) == (text, None)
    assert watched["note"].startswith(f"first correct the cabling: {text}")
    out, errors = site.run("repair", "--live", str(site.live), "--dry-run", "--max-dead", "99,9")
    assert errors.splitlines()[0] == f"tulle: {text}"
    assert "power" not in out + errors
    assert "load the bundle that was in use" not in out + errors


@pytest.mark.parametrize("change", [ports_of_a_switch, host_and_switch, three_ports])
def test_repair_counts_the_same_loops_as_verify(site: Site, change: Callable[[Bundle, Subnet], None]) -> None:
    """Check that `repair` counts the same loops as `verify`: neither counts paths between hosts of the same switch."""
    site.change(change)
    verdict = json.loads(site.run("verify", "--live", str(site.live), "--json")[0])
    looping = sum(row["count"] for row in verdict["differences"] if row["kind"] == "loop")
    assert looping > 0
    out, errors = site.run("repair", "--live", str(site.live), "--dry-run", "--json", "--max-dead", "99,9")
    if change is host_and_switch:
        assert f"no forwarding table is safe on this cabling: {looping} paths loop: first correct" in errors
    else:
        assert json.loads(out)["looping_paths"] == looping
        assert json.loads(out)["why_drain"] == f"{looping} paths loop on the actual cabling"


def test_loops_between_hosts_of_one_switch_refuse_a_repair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check a loop that only packets between hosts of the same switch enter. No command counts these paths."""
    routing = tulle.route(tulle.Fabric.from_edges([(0, 1), (0, 1)], [0, 0, 1]), "minimal")
    place = tmp_path / "b"
    target("infiniband").bundle(routing, place, deadlock="dfsssp", lmc=0)
    site = Site(read_bundle(place), tmp_path, capsys)

    def change(bundle: Bundle, subnet: Subnet) -> None:
        unplug(subnet, host_end(bundle, 0))
        unplug(subnet, host_end(bundle, 2))
        exchange(subnet, switch_end(bundle, 0, 1), switch_end(bundle, 0, bundle.endpoint_ports[0]))

    site.change(change)
    verdict = json.loads(site.run("verify", "--live", str(site.live), "--json")[0])
    assert "loop" not in {row["kind"] for row in verdict["differences"]}
    _, errors = site.run("repair", "--live", str(site.live), "--dry-run", "--max-dead", "9,9")
    assert (
        "no forwarding table is safe on this cabling: packets between hosts of the same switch, or from hosts that are "
        "off now, loop: first correct the cabling"
    ) in errors


def new_guid(subnet: Subnet, old: int) -> Subnet:
    changed = subnet.with_guids({old: NEW})
    changed.nodes[NEW].port_guids.clear()
    return changed


@pytest.mark.parametrize("name", ["host 0", "switch (0,0,1)"])
def test_a_node_with_a_new_guid_comes_first(site: Site, name: str) -> None:
    is_switch = name.startswith("switch")
    address = site.bundle.switch_addresses[1] if is_switch else site.bundle.endpoint_addresses[0]
    site.subnet = new_guid(site.subnet, address[0])
    site.change(lambda _bundle, _subnet: None)
    place = site.bundle.place
    binding = f"'(0,0,1)=0x{NEW:016x}'" if is_switch else f"0=0x{NEW:016x}"
    text = (
        f"{name} (0x{address[0]:016x}) is missing, and node 0x{NEW:016x} has its links: if this node replaces {name}, "
        f"run `tulle deploy repair {place} --live {site.live} --bind {binding} -o {place}`"
    )
    (first, *others) = site.differences()
    assert first == ("node-replaced", text)
    # The port has a link: the paths end at the new node, and no cable is to be replaced.
    assert {kind for kind, _ in others} == {"wrong-end"}
    assert all("which leads to the unplanned node" in instruction for _, instruction in others)
    assert all(instruction.endswith(": first bind the new node, as above") for _, instruction in others)
    assert f"(0x{NEW:016x}) instead of {name.removeprefix('switch ')}, for example" in others[0][1]
    # OpenSM has removed the LIDs of the missing node from its tables.
    lfts = site.live.with_name("lfts")
    lines = (site.bundle.folder / "lfts").read_text().splitlines(keepends=True)
    lids = [f"0x{address[2] + at:04x} " for at in range(1 << address[3])]
    lfts.write_text("".join(line for line in lines if not line.startswith(tuple(lids))))
    found = site.differences("--lfts", str(lfts))
    assert {"table", "black-hole"} <= {kind for kind, _ in found} or is_switch
    assert all(instruction.endswith(": first bind the new node, as above") for _, instruction in found[1:])
    watched = site.watched()
    live = text.replace(str(site.live), "live")
    assert watched["appeared"][0]["instruction"] == live
    assert watched["repair"].endswith(f"--bind {binding} -o {place}")
    out, errors = site.run("repair", "--live", str(site.live), "--dry-run")
    assert errors.startswith(f"tulle: {text}; until then, it counts as missing\n")
    assert "load the bundle that was in use" not in out + errors
    if not is_switch:
        assert out == "no cable or switch has failed: bind the new nodes, as above; the bundle stays unchanged\n"


def test_a_host_of_another_place_is_named(site: Site) -> None:
    """Check the report of a new adapter that cannot be bound, because another of its ports is connected."""
    site.subnet = new_guid(site.subnet, site.bundle.endpoint_addresses[0][0])
    at = switch_end(site.bundle, 0, 6)
    site.subnet.nodes[NEW].links = {2: at}
    site.subnet.nodes[at[0]].links[6] = NEW, 2
    site.subnet.nodes[NEW].lids.clear()
    site.change(lambda _bundle, _subnet: None)
    found = site.differences()
    assert [kind for kind, _ in found] == ["node-missing", "node-extra", "wrong-end"]
    assert found[1][1] == f"host 0 (0x{NEW:016x}) at switch (0,0,0) port 6 is not planned: unplug it, or plan it"
    assert found[2][1].endswith(": plug in the planned node, or plan this one")
    out, errors = site.run("repair", "--live", str(site.live), "--dry-run")
    assert (errors, out.splitlines()) == (
        "",
        [
            "no part of the bundle has failed, but the bundle does not use 1 live link: unplug it, or deploy a new "
            "bundle with it",
            "1 host is missing in the live file: power it on or plug it in; the bundle stays unchanged, because "
            "tables do not depend on the state of hosts",
        ],
    )


def test_a_moved_host_is_not_counted_as_missing(site: Site) -> None:
    def change(bundle: Bundle, subnet: Subnet) -> None:
        hosts_of_a_switch(bundle, subnet)
        # Host 3 is off.
        unplug(subnet, host_end(bundle, 3))
        del subnet.nodes[bundle.endpoint_addresses[3][0]]

    site.change(change)
    out, _ = site.run("repair", "--live", str(site.live), "--dry-run")
    assert out.splitlines() == [
        "no cable or switch has failed: correct the cabling, as above; the bundle stays unchanged",
        "1 host is missing in the live file: power it on or plug it in; the bundle stays unchanged, because tables do "
        "not depend on the state of hosts",
    ]
    fields = json.loads(site.run("repair", "--live", str(site.live), "--dry-run", "--json")[0])
    assert (fields["silent_hosts"], fields["replaced"], len(fields["wrong_ports"])) == (1, [], 1)
    kinds = [kind for kind, _ in site.differences()]
    assert kinds == ["wrong-port", "node-missing", "black-hole", "wrong-end", "wrong-end"]
    assert site.differences()[2][1].endswith(": check this host, as above")


def test_a_host_of_a_dead_switch_at_another_switch(site: Site) -> None:
    def change(bundle: Bundle, subnet: Subnet) -> None:
        dead = bundle.switch_addresses[1][0]
        exchange(subnet, switch_end(bundle, 1, 6), switch_end(bundle, 0, 30))
        for port in [*subnet.nodes[dead].links]:
            unplug(subnet, (dead, port))
        del subnet.nodes[dead]
        for endpoint in (4, 5):
            del subnet.nodes[bundle.endpoint_addresses[endpoint][0]]

    site.change(change)
    (kind, text) = site.differences()[0]
    assert (kind, text) == (
        "wrong-port",
        "host 3 is at port 30 of switch (0,0,0), expected port 6 of switch (0,0,1), which is missing: no path leads to "
        "it until it is back at its port, or until you deploy a new bundle",
    )
    assert "cable-extra" not in {kind for kind, _ in site.differences()}


def test_other_cables_are_missing_or_unplanned(site: Site) -> None:
    """Check that other failures are reported together with an exchange of cables, with the command for the repair."""

    def change(bundle: Bundle, subnet: Subnet) -> None:
        ports_of_a_switch(bundle, subnet)
        unplug(subnet, switch_end(bundle, 4, 1))
        one, other = switch_end(bundle, 5, 30), switch_end(bundle, 6, 30)
        subnet.nodes[one[0]].links[30], subnet.nodes[other[0]].links[30] = other, one

    site.change(change)
    found = site.differences()
    assert [kind for kind, _ in found[:3]] == ["wrong-port", "cable-missing", "cable-extra"]
    command = f"`tulle deploy repair {site.bundle.place} --live {site.live} --dry-run`"
    assert found[1][1].endswith(f"is missing: plug it in or replace it, or run {command}")
    assert found[2][1].endswith("port 30 is not planned: unplug it")
    assert command in next(instruction for kind, instruction in found if kind == "black-hole")
    fields = json.loads(site.run("verify", "--live", str(site.live), "--json")[0])
    checks = {check["what"]: (check["good"], check["of"]) for check in fields["checks"]}
    assert (checks["cables between switches"], checks["cables to hosts"]) == ((42, 45), (54, 54))
    out, _ = site.run("watch", "--live-command", f"cat {site.live}")
    assert "differs: 18 of 18 switches, 42 of 45 cables between switches, 54 of 54 hosts as planned\n" in out
