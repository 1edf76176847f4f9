"""Check imports of NetBox responses that are split into pages, and of a NetBox table with power and console cables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tulle.cabling import read_network
from tulle.errors import FormatError

if TYPE_CHECKING:
    from pathlib import Path

NEXT = "https://netbox/api/dcim/cables/?limit=2&offset=2"


def cable(at: int) -> dict[str, Any]:
    def end(device: str, port: str) -> list[dict[str, Any]]:
        return [{"object_type": "dcim.interface", "object": {"name": port, "device": {"name": device}}}]

    return {
        "id": at,
        "a_terminations": end(f"leaf{at % 2}", f"e{at}"),
        "b_terminations": end(f"spine{at // 2}", f"e{at}"),
    }


def page(path: Path, rows: range, count: int | None, *, follows: bool) -> Path:
    message: dict[str, Any] = {} if count is None else {"count": count}
    path.write_text(json.dumps({**message, "next": NEXT if follows else None, "results": [cable(at) for at in rows]}))
    return path


@pytest.mark.parametrize(("count", "follows"), [(120, True), (9, False), (9, True), (None, True)])
def test_a_page_of_many_is_refused(tmp_path: Path, count: int | None, follows: bool) -> None:
    path = page(tmp_path / "cables.json", range(4), count, follows=follows)
    with pytest.raises(FormatError, match=r"4 of (120|9|all) cables.*legal: all pages, with limit=0 or as several"):
        read_network("netbox", [path])


@pytest.mark.parametrize("count", [4, None])
def test_all_pages_together_are_one_answer(tmp_path: Path, count: int | None) -> None:
    first = page(tmp_path / "1.json", range(2), count, follows=True)
    last = page(tmp_path / "2.json", range(2, 4), count, follows=False)
    devices = tmp_path / "devices.json"
    device = {"id": 1, "name": "leaf0", "device_type": {"id": 1}, "role": {"name": "leaf"}}
    devices.write_text(json.dumps({"count": 1, "next": None, "results": [device]}))
    whole = page(tmp_path / "all.json", range(4), 4, follows=False)
    for files in ([first, last], [last, first, devices], [whole]):
        assert read_network("netbox", files).fabric.num_cables == 4
    with pytest.raises(FormatError, match=r"1\.json.*2 of (4|all) cables"):
        read_network("netbox", [first])
    # A page that is given twice does not replace a missing page.
    again = tmp_path / "again.json"
    again.write_text(first.read_text())
    with pytest.raises(FormatError):
        read_network("netbox", [first, again])
    # One file can contain a list of pages, for example if a script collects all pages.
    both = tmp_path / "both.json"
    both.write_text(f"[{first.read_text()}, {last.read_text()}]")
    assert read_network("netbox", [both]).fabric.num_cables == 4


def test_devices_in_pages_are_checked_too(tmp_path: Path) -> None:
    whole = page(tmp_path / "all.json", range(4), 4, follows=False)
    devices = tmp_path / "devices.json"
    device = {"id": 1, "name": "leaf0", "device_type": {"id": 1}, "role": {"name": "leaf"}}
    devices.write_text(json.dumps({"count": 50, "next": NEXT, "results": [device]}))
    with pytest.raises(FormatError, match="1 of 50 devices"):
        read_network("netbox", [whole, devices])


def test_the_table_view_leaves_out_power_and_consoles(tmp_path: Path) -> None:
    path = tmp_path / "cables.csv"
    path.write_text(
        "ID,Label,Termination A,Termination B,Device A,Device B,Status,Type,Length\n"
        "1,,Ethernet1,Ethernet1,leaf1,spine1,Connected,CAT6a,3.00 m\n"
        "2,,Ethernet1,Ethernet2,leaf2,spine1,Connected,,\n"
        "3,,eth0,Ethernet3,srv1,leaf2,Connected,,\n"
        "4,,PSU1,Outlet 7,leaf2,pdu1,Connected,Power,\n"
        "5,,in,out,leaf1,pdu1,Connected,Power,\n"
        "6,,PSU2,12,leaf2,pdu1,Connected,,\n"
        "7,,Console,ttyS3,leaf2,ts1,Connected,CAT6,\n"
        "8,,con0,port4,leaf1,ts1,Connected,,\n"
        "9,,Feed 1,PS1,,spine1,Connected,,\n"
    )
    imported = read_network("netbox", [path])
    fabric = imported.fabric
    assert fabric.labels == ("leaf1", "leaf2", "spine1")
    assert (fabric.num_cables, fabric.endpoint_names) == (2, ("srv1",))
    assert any("6 cables with ends that are not interfaces are ignored" in line for line in imported.warnings)
